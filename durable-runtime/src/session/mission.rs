//! The mission file: a goal that is given without a program.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::core::mission::{self, FILE};
use crate::error::{Error, Refusal};
use crate::store::files::read_beside;

/// Its name in the directory of a session.
const NAME: &str = "mission.md";

/// The goal in the file that the program has named, wherever a symbolic link leads.
///
/// # Errors
///
/// Fails if it cannot be read, or says no goal.
pub(super) fn named(path: &Path) -> Result<String, Error> {
    let read = || {
        let real = path.canonicalize()?;
        let (Some(dir), Some(name)) = (real.parent(), real.file_name().and_then(|name| name.to_str())) else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it has no name that can be read"));
        };
        read(dir, name)
    };
    said(path, read().map_err(|error| unread(path, &error))?)
}

/// The goal in the mission file of a session, if it has one. No symbolic link is followed.
///
/// # Errors
///
/// Fails if it is there, and cannot be read or says no goal: somebody has given one.
pub(super) fn left_in(dir: &Path) -> Result<Option<String>, Error> {
    let path = dir.join(NAME);
    match read(dir, NAME) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(unread(&path, &error)),
        Ok(text) => said(&path, text).map(Some),
    }
}

/// One byte more than it may have, where it has too many.
fn read(dir: &Path, name: &str) -> io::Result<Vec<u8>> {
    read_beside(dir, name, FILE + 1)
}

fn said(path: &Path, text: Vec<u8>) -> Result<String, Error> {
    if text.len() > FILE {
        return Err(refusal(path, format!("is larger than {FILE} bytes")));
    }
    let text = String::from_utf8(text).map_err(|_| refusal(path, "is not UTF-8".to_owned()))?;
    mission::goal(&text).map_err(|why| refusal(path, why))
}

fn unread(path: &Path, error: &io::Error) -> Error {
    refusal(path, format!("cannot be read: {error}"))
}

fn refusal(path: &Path, why: String) -> Error {
    Refusal::NoMission { path: path.display().to_string(), why }.into()
}
