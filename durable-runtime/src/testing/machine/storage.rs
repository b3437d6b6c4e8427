//! What the disk of a machine holds: what processes see of it, and what of that is durable.
//!
//! A write is seen at once, and durable once its file is synced; a name is durable once its directory is synced. What is
//! in between is pending: [`images`](super::images) says what a power cut may leave of it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use super::content::Content;

/// Directories, by name, and the files in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storage {
    pub(super) files: Vec<File>,
    pub(super) directories: BTreeMap<String, Directory>,
}

/// A file. Its number in [`Storage::files`] stands for an inode, and is not given again.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    /// What a reader sees.
    pub(super) seen: Content,
    /// What was synced.
    pub(super) durable: Content,
    /// What was done since, oldest first.
    pub(super) pending: Vec<Change>,
}

/// Something that was done to the content of a file.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) what: Edit,
    /// A sync of it failed. The system takes such a page for clean: no later sync writes it.
    pub(super) is_forgotten: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Edit {
    Write { offset: usize, bytes: Arc<[u8]> },
    Cut(usize),
}

/// A directory.
#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    /// Whether its own name is durable.
    pub(super) is_durable: bool,
    pub(super) seen: Arc<Names>,
    pub(super) durable: Arc<Names>,
    pub(super) pending: Vec<Naming>,
}

/// Names, and the files that they stand for.
pub(super) type Names = BTreeMap<String, usize>;

/// Something that was done to the names in a directory.
#[derive(Clone, Debug)]
pub(super) enum Naming {
    Bind(String, usize),
    /// The new name stands for the file, also if what gave the file its old name is lost.
    Move {
        from: String,
        to: String,
        file: usize,
    },
    Unbind(String),
}

impl Edit {
    pub(super) fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Cut(len) => content.truncate(*len),
            Self::Write { offset, bytes } => {
                let end = offset + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*offset..end].copy_from_slice(bytes);
            }
        }
    }
}

impl Naming {
    pub(super) fn apply(&self, names: &mut Names) {
        match self {
            Self::Bind(name, file) => {
                names.insert(name.clone(), *file);
            }
            Self::Move { from, to, file } => {
                names.remove(from);
                names.insert(to.clone(), *file);
            }
            Self::Unbind(name) => {
                names.remove(name);
            }
        }
    }
}

/// The directory that an inner one stands in.
fn around(inner: &str) -> Option<&str> {
    inner.rsplit_once('/').map(|(around, _)| around)
}

impl File {
    fn change(&mut self, what: Edit) {
        self.seen.edit(|content| what.apply(content));
        self.pending.push(Change { what, is_forgotten: false });
    }
}

impl Storage {
    pub(super) fn make_directory(&mut self, name: &str) {
        self.directories.entry(name.to_owned()).or_default();
    }

    pub(super) fn sync_parent(&mut self, name: &str) -> io::Result<()> {
        self.directory_mut(name)?.is_durable = true;
        Ok(())
    }

    /// Number and length of a file.
    pub(super) fn look(&self, directory: &str, name: &str) -> io::Result<(usize, usize)> {
        let file = self.file(directory, name)?;
        Ok((file, self.files[file].seen.len()))
    }

    pub(super) fn read(&self, directory: &str, name: &str) -> io::Result<Content> {
        let file = self.file(directory, name)?;
        Ok(self.files[file].seen.clone())
    }

    pub(super) fn create(&mut self, directory: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        if self.file(directory, name).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let file = self.files.len();
        self.files.push(File::default());
        self.name(directory, Naming::Bind(name.to_owned(), file))?;
        if !bytes.is_empty() {
            self.write(directory, name, 0, bytes)?;
        }
        Ok(())
    }

    pub(super) fn append(&mut self, directory: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (_, end) = self.look(directory, name)?;
        self.write(directory, name, end, bytes)
    }

    pub(super) fn write(&mut self, directory: &str, name: &str, offset: usize, bytes: &[u8]) -> io::Result<()> {
        let file = self.file(directory, name)?;
        self.files[file].change(Edit::Write { offset, bytes: bytes.into() });
        Ok(())
    }

    pub(super) fn truncate(&mut self, directory: &str, name: &str, len: usize) -> io::Result<()> {
        let file = self.file(directory, name)?;
        self.files[file].change(Edit::Cut(len));
        Ok(())
    }

    /// Makes durable what is pending and not forgotten.
    pub(super) fn sync(&mut self, directory: &str, name: &str) -> io::Result<()> {
        let file = self.file(directory, name)?;
        let File { seen, durable, pending } = &mut self.files[file];
        if pending.iter().any(|change| change.is_forgotten) {
            let kept = pending.iter().filter(|change| !change.is_forgotten);
            durable.edit(|content| kept.for_each(|change| change.what.apply(content)));
            pending.retain(|change| change.is_forgotten);
        } else {
            *durable = seen.clone();
            pending.clear();
        }
        Ok(())
    }

    /// A sync that fails: what was pending is taken for clean from now on.
    pub(super) fn forget(&mut self, directory: &str, name: &str) -> io::Result<()> {
        let file = self.file(directory, name)?;
        self.files[file].pending.iter_mut().for_each(|change| change.is_forgotten = true);
        Ok(())
    }

    /// Makes the names in a directory durable, also those of the directories in it.
    pub(super) fn sync_names(&mut self, directory: &str) -> io::Result<()> {
        let found = self.directory_mut(directory)?;
        found.durable = Arc::clone(&found.seen);
        found.pending.clear();
        // The name of an inner directory stands in this one.
        let inner = self.directories.iter_mut().filter(|(name, _)| around(name) == Some(directory));
        inner.for_each(|(_, inner)| inner.is_durable = true);
        Ok(())
    }

    /// The names in a directory.
    pub(super) fn names(&self, directory: &str) -> io::Result<Vec<String>> {
        let found = self.directories.get(directory).ok_or(ErrorKind::NotFound)?;
        Ok(found.seen.keys().cloned().collect())
    }

    pub(super) fn rename(&mut self, directory: &str, from: &str, to: &str) -> io::Result<()> {
        let file = self.file(directory, from)?;
        self.name(directory, Naming::Move { from: from.to_owned(), to: to.to_owned(), file })
    }

    pub(super) fn remove(&mut self, directory: &str, name: &str) -> io::Result<()> {
        self.file(directory, name)?;
        self.name(directory, Naming::Unbind(name.to_owned()))
    }

    /// Whether a failed sync has left something that no later one writes.
    pub(crate) fn is_forgetful(&self) -> bool {
        self.files.iter().any(|file| file.pending.iter().any(|change| change.is_forgotten))
    }

    /// The files that can be seen, with their directory and content.
    pub(crate) fn visible(&self) -> impl Iterator<Item = (&str, &str, &Content)> {
        self.directories.iter().flat_map(move |(directory, found)| {
            found.seen.iter().map(move |(name, &file)| (directory.as_str(), name.as_str(), &self.files[file].seen))
        })
    }

    /// The sessions that can be seen.
    pub(crate) fn sessions(&self) -> Vec<String> {
        self.directories
            .keys()
            .filter(|name| around(name).is_none_or(|around| !self.directories.contains_key(around)))
            .cloned()
            .collect()
    }

    /// Replaces what a file holds, as a hand or a failing disk does. It is durable.
    pub(crate) fn damage(&mut self, directory: &str, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let Ok(file) = self.file(directory, name) else { return };
        let mut content = self.files[file].seen.clone();
        content.edit(change);
        self.files[file] = File { seen: content.clone(), durable: content, pending: Vec::new() };
    }

    fn name(&mut self, directory: &str, naming: Naming) -> io::Result<()> {
        let directory = self.directory_mut(directory)?;
        naming.apply(Arc::make_mut(&mut directory.seen));
        directory.pending.push(naming);
        Ok(())
    }

    fn file(&self, directory: &str, name: &str) -> io::Result<usize> {
        let directory = self.directories.get(directory);
        directory.and_then(|found| found.seen.get(name)).copied().ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn directory_mut(&mut self, name: &str) -> io::Result<&mut Directory> {
        self.directories.get_mut(name).ok_or_else(|| ErrorKind::NotFound.into())
    }
}
