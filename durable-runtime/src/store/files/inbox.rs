//! The inbox: words of people, left by processes that do not hold the session. One file each, whole and durable before it
//! has its name, and removed only once it is in the log.

use std::io::{self, ErrorKind};

use uuid::Uuid;

use super::disk::{Disk, if_exists, remove_leftover};
use super::layout::{INBOX, LOCK, temporary, word, word_id};
use crate::store::Posted;

/// Leaves a word.
pub(super) fn post(disk: &dyn Disk, id: Uuid, text: &str) -> io::Result<()> {
    if if_exists(disk.identity(LOCK))?.is_none() {
        return Err(io::Error::new(ErrorKind::NotFound, "there is no session there"));
    }
    disk.create_inner(INBOX)?;
    // Its name may be as new as the word, whoever has made it.
    disk.sync_dir()?;
    let (name, temporary) = (word(id), temporary(&word(id)));
    disk.create(&temporary, text.as_bytes())?;
    disk.sync(&temporary)?;
    disk.rename(&temporary, &name)?;
    disk.sync_inner(INBOX)
}

/// Removes the words that are in the log, and gives everything else. What a dying process has left half done is neither.
///
/// A removal is not synced: a word that a power cut brings back is known by its id.
pub(super) fn take(disk: &dyn Disk, logged: &[Uuid]) -> io::Result<Vec<Posted>> {
    for id in logged {
        remove_leftover(disk, &word(*id))?;
    }
    let names = if_exists(disk.names_inner(INBOX))?.unwrap_or_default();
    let is_half_done = |name: &str| name.strip_suffix(".tmp").is_some_and(|name| word_id(name).is_some());
    Ok(names.into_iter().filter(|name| !is_half_done(name)).map(|name| found(disk, name)).collect())
}

fn found(disk: &dyn Disk, name: String) -> Posted {
    let Some(id) = word_id(&name) else {
        return Posted { name, id: Uuid::nil(), text: Err("its name is not that of a word".to_owned()) };
    };
    let text = disk.read(&word(id)).map_err(|error| error.to_string());
    let text = text.and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()));
    Posted { name, id, text }
}
