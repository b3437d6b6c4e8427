//! The disk of this machine.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use super::{Disk, Guard, Identity, if_exists};
use crate::store::files::guard::{self, Access};
use crate::store::files::layout::{DIRECTORY, DIRECTORY_MODE, FILE_MODE, JOURNAL, LOCK};
use crate::store::files::lines::CHUNK;
use crate::store::files::{holder, lock, place};

/// The directories in `root` that hold a session, in the order of their names, and those that may not be looked into. No link is
/// followed.
pub(crate) fn sessions_under(root: &Path) -> io::Result<Vec<PathBuf>> {
    listed(root, 0)
}

/// The same, and those in the directories under it down to this depth. Of a session nothing inside is looked into.
pub(crate) fn sessions_below(root: &Path, depth: usize) -> io::Result<Vec<PathBuf>> {
    listed(root, depth)
}

fn listed(root: &Path, depth: usize) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        // What may not be looked into may hold one.
        let holds = |name| match fs::symlink_metadata(entry.path().join(name)) {
            Ok(_) => true,
            Err(error) => error.kind() == ErrorKind::PermissionDenied,
        };
        match entry.file_type()?.is_dir() {
            true if holds(LOCK) || holds(JOURNAL) => found.push(entry.path()),
            true if depth > 0 => match listed(&entry.path(), depth - 1) {
                Ok(inner) => found.extend(inner),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => found.push(entry.path()),
                // It is gone by now.
                Err(_) => {}
            },
            _ => {}
        }
    }
    found.sort();
    Ok(found)
}

/// The disk of this machine.
#[derive(Debug)]
pub struct RealDisk {
    root: PathBuf,
    kept: Mutex<Vec<Kept>>,
}

/// A file that is used again and again: its descriptor stays open.
#[derive(Clone, Debug)]
struct Kept {
    name: String,
    way: Way,
    file: Arc<File>,
    identity: Identity,
}

/// How a file is used: one that is written in place must never take what belongs at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    AtEnd,
    InPlace,
    ToRead,
}

impl RealDisk {
    /// The directory `root`, which need not exist yet. An empty path is the working directory.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let root = if root.as_os_str().is_empty() { PathBuf::from(DIRECTORY) } else { root };
        Self { root, kept: Mutex::default() }
    }

    fn kept(&self, name: &str, way: Way) -> Option<Kept> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|open| open.name == name && open.way == way).cloned()
    }

    /// Keeps the file open, in the place of one that had its name.
    fn keep(&self, name: &str, way: Way) -> io::Result<Kept> {
        let mut how = OpenOptions::new();
        let how = match way {
            Way::AtEnd => how.append(true),
            Way::InPlace => how.write(true),
            Way::ToRead => how.read(true),
        };
        let file = Arc::new(open(&self.root.join(name), how)?);
        let open = Kept { name: name.to_owned(), way, identity: identity(&file.metadata()?), file };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| other.name != name || other.way != way);
        kept.push(open.clone());
        Ok(open)
    }

    /// Whether the name still stands for the file that is kept, and no other name does.
    fn still_names(&self, open: &Kept) -> io::Result<bool> {
        let Some(found) = if_exists(fs::symlink_metadata(self.root.join(&open.name)))? else { return Ok(false) };
        Ok(identity(&found).is_same_file(&open.identity) && found.nlink() == 1)
    }
}

/// Whether the directory is there, and nothing else in its place.
fn is_directory(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(true),
        Ok(found) if found.is_symlink() => Err(refused("is a symbolic link: give the path that it leads to")),
        Ok(_) => Err(refused("is not a directory")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes the name of a directory durable, in the one that it stands in.
fn sync_name_of(directory: &Path) -> io::Result<()> {
    let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(DIRECTORY)))?.sync_all()
}

impl Disk for RealDisk {
    fn place(&self) -> String {
        self.root.display().to_string()
    }

    fn create_dir(&self) -> io::Result<()> {
        if is_directory(&self.root)? {
            return Ok(());
        }
        let missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let above: Vec<_> = self.root.ancestors().skip(1).take_while(missing).collect();
        DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(&self.root)?;
        // A power cut must not take away a directory above this one, which was made with it.
        for made in above {
            sync_name_of(made)?;
        }
        fs::set_permissions(&self.root, Permissions::from_mode(DIRECTORY_MODE))
    }

    fn create_inner(&self, name: &str) -> io::Result<()> {
        let path = self.root.join(name);
        if is_directory(&path)? {
            return Ok(());
        }
        match DirBuilder::new().mode(DIRECTORY_MODE).create(&path) {
            // Whoever leaves a word at the same moment has made it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && is_directory(&path)? => return Ok(()),
            made => made?,
        }
        fs::set_permissions(&path, Permissions::from_mode(DIRECTORY_MODE))
    }

    fn names_inner(&self, name: &str) -> io::Result<Vec<String>> {
        let path = self.root.join(name);
        if !is_directory(&path)? {
            return Err(ErrorKind::NotFound.into());
        }
        let names = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names: Vec<_> = names.collect::<io::Result<_>>()?;
        names.sort_unstable();
        Ok(names)
    }

    fn sync_inner(&self, name: &str) -> io::Result<()> {
        File::open(self.root.join(name))?.sync_all()
    }

    fn sync_parent(&self) -> io::Result<()> {
        sync_name_of(&self.root)
    }

    fn lock(&self, name: &str) -> io::Result<Option<Guard>> {
        let path = self.root.join(name);
        let file = if name == DIRECTORY {
            File::open(&path)?
        } else {
            open(&path, OpenOptions::new().read(true).write(true))?
        };
        Ok(lock::take(file, &path)?.map(|lock| Box::new(lock) as Guard))
    }

    fn runs(&self, pid: u32) -> bool {
        let all = Path::new("/proc");
        !all.join("self").exists() || all.join(pid.to_string()).exists()
    }

    fn locks(&self) -> Option<String> {
        fs::read_to_string("/proc/locks").ok()
    }

    fn heir(&self, pid: u32, lock: &Identity) -> u32 {
        holder::heir(pid, lock)
    }

    fn network(&self) -> io::Result<Option<String>> {
        // Where the system has no such list nothing is known, and nothing is refused.
        let Ok(mounts) = fs::read_to_string("/proc/self/mountinfo") else { return Ok(None) };
        let root = std::path::absolute(&self.root)?;
        let exists = root.ancestors().find_map(|path| fs::metadata(path).ok());
        Ok(exists.and_then(|found| place::network_of(&mounts, found.dev())))
    }

    fn birth(&self, name: &str) -> io::Result<Option<String>> {
        let found = fs::symlink_metadata(self.root.join(name))?;
        // Without the instant a number alone says nothing: it is given again.
        let born = found.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Ok(born.map(|since| format!("{}@{}", found.ino(), since.as_nanos())))
    }

    fn user(&self) -> Option<u32> {
        fs::read_to_string("/proc/self/status").ok().and_then(|status| guard::user(&status))
    }

    fn access(&self, name: &str) -> io::Result<Access> {
        // Of the directory itself this is known also to who may not look into it.
        let found = match name {
            DIRECTORY if !self.root.as_os_str().is_empty() => fs::metadata(&self.root)?,
            _ => fs::symlink_metadata(self.root.join(name))?,
        };
        let mode = if found.is_symlink() { 0 } else { found.mode() & 0o777 };
        Ok(Access { owner: found.uid(), mode })
    }

    fn shut_out(&self, name: &str) -> io::Result<()> {
        let path = self.root.join(name);
        if is_directory(&path).unwrap_or(false) {
            return fs::set_permissions(&path, Permissions::from_mode(DIRECTORY_MODE));
        }
        open(&path, OpenOptions::new().read(true))?.set_permissions(Permissions::from_mode(FILE_MODE))
    }

    fn identity(&self, name: &str) -> io::Result<Identity> {
        fs::symlink_metadata(self.root.join(name)).map(|found| identity(&found))
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open(&self.root.join(name), OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let open = match self.kept(name, Way::ToRead) {
            Some(open) if self.still_names(&open)? => open,
            _ => self.keep(name, Way::ToRead)?,
        };
        let mut bytes = Vec::new();
        // No room is made for what may not be there.
        loop {
            let wanted = CHUNK.min(len - bytes.len());
            let mut piece = vec![0; wanted];
            let read = whole_or_end(&open.file, &mut piece, offset + bytes.len() as u64)?;
            piece.truncate(read);
            if bytes.is_empty() {
                bytes = piece;
            } else {
                bytes.extend_from_slice(&piece);
            }
            if read < wanted || bytes.len() == len {
                return Ok(bytes);
            }
        }
    }

    fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(self.root.join(name))?;
        file.set_permissions(Permissions::from_mode(FILE_MODE))?;
        file.write_all(bytes)
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let open = match self.kept(name, Way::AtEnd) {
            Some(open) => open,
            None => self.keep(name, Way::AtEnd)?,
        };
        if !self.still_names(&open)? {
            return Err(refused("another file took its place while the session was held, or it has a second name"));
        }
        whole(bytes, || (&*open.file).write(bytes))
    }

    fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let open = match self.kept(name, Way::InPlace) {
            Some(open) if self.still_names(&open)? => open,
            _ => self.keep(name, Way::InPlace)?,
        };
        whole(bytes, || open.file.write_at(bytes, offset))
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        open(&self.root.join(name), OpenOptions::new().write(true))?.set_len(len)
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        match self.kept(name, Way::AtEnd) {
            Some(open) => open.file.sync_data(),
            None => open(&self.root.join(name), OpenOptions::new().write(true))?.sync_data(),
        }
    }

    fn sync_dir(&self) -> io::Result<()> {
        File::open(&self.root)?.sync_all()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.root.join(from), self.root.join(to))?;
        // What was kept of either name stands for another file now, or for none.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).retain(|open| open.name != from && open.name != to);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.root.join(name))
    }

    fn close(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Opens a regular file with one name; a pipe in its place must not make the open wait.
fn open(path: &Path, how: &mut OpenOptions) -> io::Result<File> {
    let file = how.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path).map_err(explained)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(refused("is not a regular file"));
    }
    if found.nlink() > 1 {
        return Err(refused("has a second name (a hard link), under which it could be changed"));
    }
    Ok(file)
}

/// Reads until the bytes are full or the file ends; how many were read.
fn whole_or_end(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match file.read_at(&mut bytes[read..], offset + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// One write, and nothing behind it that would glue two halves together.
fn whole(bytes: &[u8], mut write: impl FnMut() -> io::Result<usize>) -> io::Result<()> {
    loop {
        match write() {
            Ok(written) if written == bytes.len() => return Ok(()),
            Ok(written) => {
                let text = format!(
                    "only {written} of {} bytes were written, as on a full disk or at the end of a quota: make room, and start again",
                    bytes.len()
                );
                return Err(io::Error::new(ErrorKind::WriteZero, text));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(in crate::store::files) fn identity(found: &fs::Metadata) -> Identity {
    Identity { device: found.dev(), inode: found.ino(), len: found.len() }
}

fn explained(error: io::Error) -> io::Error {
    if error.raw_os_error() == Some(libc::ELOOP) { refused("is a symbolic link, which is not followed") } else { error }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, why)
}

#[cfg(test)]
mod tests;
