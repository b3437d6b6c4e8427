//! What a power cut may leave of a disk.
//!
//! Two models, after the persistence properties of real file systems (ALICE, OSDI 2014): see [`Model`]. A write over bytes
//! that were there is torn at sectors only, as disks promise; one that makes the file longer is torn anywhere, because
//! its length is written apart.

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::Arc;

use super::content::Content;
use super::storage::{Change, Directory, Edit, File, Names, Storage};

/// What is known of the order in which pending operations become durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Model {
    /// Names in their order, the content of each file in its order, the last write torn.
    Ordered,
    /// Any subset of names and of writes, each write torn or zeroed.
    Weak,
}

/// A disk writes this much whole or not at all.
const SECTOR: usize = 512;

/// Of this many pending operations on one file, or names in one directory, every subset is tried; of more, the prefixes,
/// and each one lost alone.
const SUBSETS: usize = 4;

/// Everything that may be left, as the product of what may be left of each file and of each directory.
#[derive(Debug)]
pub(crate) struct Images {
    /// `None` for a directory whose own name is lost.
    directories: Vec<(String, Vec<Option<Arc<Names>>>)>,
    /// Of the files to which something is pending.
    files: Vec<(usize, Vec<Content>)>,
    base: Storage,
}

impl Images {
    /// What `storage` may have become after a power cut.
    pub(crate) fn of(storage: &Storage, model: Model) -> Self {
        let directories = storage.directories.iter().map(|(name, found)| (name.clone(), names_left(found, model)));
        let files = storage.files.iter().enumerate().filter(|(_, file)| !file.pending.is_empty());
        Self {
            directories: directories.collect(),
            files: files.map(|(number, file)| (number, contents_left(file, model))).collect(),
            base: storage.clone(),
        }
    }

    /// How many combinations there are.
    pub(crate) fn count(&self) -> usize {
        let radices = self.directories.iter().map(|(_, left)| left.len());
        radices.chain(self.files.iter().map(|(_, left)| left.len())).fold(1, usize::saturating_mul)
    }

    /// [`hash`] of image `index`, without making it. The first image has lost everything that was pending.
    pub(crate) fn hash(&self, index: usize) -> u64 {
        let mut digits = index;
        let names: Vec<_> = self.directories.iter().map(|(name, left)| (name, digit(&mut digits, left))).collect();
        let left: Vec<_> = self.files.iter().map(|(file, left)| (*file, digit(&mut digits, left))).collect();
        let content = |file: usize| {
            let pending = left.iter().find(|(left, _)| *left == file);
            hash_of(pending.map_or(&self.base.files[file].durable, |(_, left)| left))
        };
        let mut hasher = DefaultHasher::new();
        for (directory, left) in names {
            for (name, &file) in left.iter().flat_map(|names| names.iter()) {
                (directory, name, content(file)).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// The disk as image `index` has it.
    pub(crate) fn make(&self, index: usize) -> Storage {
        let mut digits = index;
        let mut made = self.base.clone();
        made.directories.clear();
        for (name, left) in &self.directories {
            if let Some(names) = digit(&mut digits, left) {
                let (seen, durable) = (Arc::clone(names), Arc::clone(names));
                let directory = Directory { is_durable: true, seen, durable, pending: Vec::new() };
                made.directories.insert(name.clone(), directory);
            }
        }
        for file in &mut made.files {
            *file = whole(&file.durable);
        }
        for (file, left) in &self.files {
            made.files[*file] = whole(digit(&mut digits, left));
        }
        made
    }
}

/// The same for disks of which readers see the same.
pub(crate) fn hash(storage: &Storage) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (directory, name, content) in storage.visible() {
        (directory, name, hash_of(content)).hash(&mut hasher);
    }
    hasher.finish()
}

/// The same for disks of which readers of this directory see the same.
pub(crate) fn hash_in(storage: &Storage, directory: &str) -> u64 {
    let is_inside =
        |other: &str| other.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let inside = storage.visible().filter(|(other, ..)| is_inside(other));
    hash_of(&inside.collect::<Vec<_>>())
}

fn hash_of(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn digit<'a, T>(digits: &mut usize, left: &'a [T]) -> &'a T {
    let found = &left[*digits % left.len()];
    *digits /= left.len();
    found
}

fn whole(content: &Content) -> File {
    File { seen: content.clone(), durable: content.clone(), pending: Vec::new() }
}

/// Each thing that may be left, once.
fn distinct<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut kept = Vec::new();
    for left in all {
        if !kept.contains(&left) {
            kept.push(left);
        }
    }
    kept
}

fn names_left(directory: &Directory, model: Model) -> Vec<Option<Arc<Names>>> {
    let mut all = Vec::new();
    if !directory.is_durable {
        all.push(None);
    }
    for kept in subsets(directory.pending.len(), model) {
        let mut names = Arc::clone(&directory.durable);
        kept.iter().for_each(|&index| directory.pending[index].apply(Arc::make_mut(&mut names)));
        all.push(Some(names));
    }
    distinct(all)
}

fn contents_left(file: &File, model: Model) -> Vec<Content> {
    let mut all = Vec::new();
    for kept in subsets(file.pending.len(), model) {
        let mut content = file.durable.clone();
        let changes = kept.iter().map(|&index| &file.pending[index].what);
        content.edit(|content| changes.for_each(|change| change.apply(content)));
        // Of the change behind the last one kept, a part may be left.
        let next = kept.last().map_or(0, |last| last + 1);
        for torn in file.pending.get(next).into_iter().flat_map(|next| torn(next, content.len())) {
            let mut content = content.clone();
            content.edit(|content| torn.apply(content));
            all.push(content);
        }
        all.push(content);
    }
    let mut all = distinct(all);
    // The first image is the one that has lost everything.
    let durable = all.iter().position(|left| *left == file.durable).unwrap_or(0);
    all.swap(0, durable);
    all
}

/// Which of `count` pending operations are kept.
fn subsets(count: usize, model: Model) -> Vec<Vec<usize>> {
    let prefixes = (0..=count).map(|kept| (0..kept).collect());
    match model {
        Model::Ordered => prefixes.collect(),
        Model::Weak if count <= SUBSETS => {
            let chosen = |mask: usize| (0..count).filter(move |index| mask & (1 << index) != 0).collect();
            (0..1_usize << count).map(chosen).collect()
        }
        Model::Weak => {
            let without = |lost: usize| (0..count).filter(move |&index| index != lost).collect();
            prefixes.chain((0..count).map(without)).collect()
        }
    }
}

/// The parts that may be left of a change to a file of length `len`.
fn torn(change: &Change, len: usize) -> Vec<Edit> {
    let Edit::Write { offset, bytes } = &change.what else { return Vec::new() };
    let write = |offset: usize, bytes: &[u8]| Edit::Write { offset, bytes: bytes.into() };
    let mut torn = Vec::new();
    let kept = len.saturating_sub(*offset).min(bytes.len());
    if kept == bytes.len() {
        let borders = (offset / SECTOR + 1..).map(|sector| sector * SECTOR - offset);
        torn.extend(borders.take_while(|&cut| cut < bytes.len()).map(|cut| write(*offset, &bytes[..cut])));
        return torn;
    }
    let (half, first) = (bytes.len() / 2, bytes.iter().position(|&byte| byte == b'\n').map_or(1, |end| end + 1));
    for cut in [1, half, first.saturating_sub(1), first, bytes.len() - 1] {
        if cut > 0 && cut < bytes.len() {
            torn.push(write(*offset, &bytes[..cut]));
        }
    }
    // The length is there, and the bytes are not, or only the later ones.
    torn.push(write(*offset, &vec![0; bytes.len()]));
    let mut late = bytes.to_vec();
    late[..half].fill(0);
    torn.push(write(*offset, &late));
    torn
}
