//! The mission file: a goal that is given without a program.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use crate::core::mission::{self, FILE};
use crate::error::{Error, Refusal};

/// Its name in the directory of a session.
const NAME: &str = "mission.md";

/// The goal in the file that the program has named.
///
/// # Errors
///
/// Fails if it cannot be read, or says no goal.
pub(super) fn named(path: &Path) -> Result<String, Error> {
    goal(path)
}

/// The goal in the mission file of a session, if it has one. No symbolic link is followed.
///
/// # Errors
///
/// Fails if it is there, and cannot be read or says no goal: somebody has given one.
pub(super) fn left_in(dir: &Path) -> Result<Option<String>, Error> {
    let path = dir.join(NAME);
    match fs::symlink_metadata(&path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(refusal(&path, format!("cannot be read: {error}"))),
        Ok(found) if !found.is_file() => Err(refusal(&path, "is no file of its own".to_owned())),
        Ok(_) => goal(&path).map(Some),
    }
}

fn goal(path: &Path) -> Result<String, Error> {
    let text = read(path).map_err(|error| refusal(path, format!("cannot be read: {error}")))?;
    if text.len() > FILE {
        return Err(refusal(path, format!("is larger than {FILE} bytes")));
    }
    let text = String::from_utf8(text).map_err(|_| refusal(path, "is not UTF-8".to_owned()))?;
    mission::goal(&text).map_err(|why| refusal(path, why))
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path)?.take(FILE as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

fn refusal(path: &Path, why: String) -> Error {
    Refusal::NoMission { path: path.display().to_string(), why }.into()
}
