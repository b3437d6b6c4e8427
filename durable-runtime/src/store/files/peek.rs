//! Reading a session that another process may hold, and is writing. Nothing is locked, and nothing is changed.

use std::io::{self, ErrorKind};

use uuid::Uuid;

use super::disk::{Disk, Identity, if_exists};
use super::layout::{JOURNAL, LOCK, SNAPSHOT};
use super::recover::recover;
use super::{failed, open, place};
use crate::store::{Damage, Reader, StoreError};

/// Gives what the log says up to now, of a session that a boot would take. What its holder is writing at this moment looks like
/// a torn tail, and is not told; what it cuts off or leaves out at this moment may look like damage.
pub(super) fn peek(disk: &dyn Disk, reader: Reader) -> Result<(), StoreError> {
    if if_exists(disk.identity(LOCK)).map_err(failed("look at", LOCK))?.is_none() {
        return Err(no_session(disk));
    }
    let before = standing(disk)?;
    // The view comes before the log, of which it says how much was durable: so it is not ahead of what is read.
    let files = open::read(disk)?;
    let recovered = recover(&files, open::sources(disk)?, Uuid::nil, reader)?;
    place::refuse_moved(disk, recovered.scan.place.as_deref())?;
    // What was read piece by piece may be the beginning of one file and the end of another, or of none.
    if standing(disk)?.iter().zip(&before).all(|(now, before)| is_same(now.as_ref(), before.as_ref())) {
        return Ok(());
    }
    let what = "it was replaced while it was read; read it again".to_owned();
    Err(StoreError::Damaged(Damage { file: JOURNAL.to_owned(), line: None, key: None, what }))
}

/// Only who holds a session may write its lock file again.
fn no_session(disk: &dyn Disk) -> StoreError {
    let text = match if_exists(disk.identity(JOURNAL)) {
        Ok(Some(_)) => format!("{LOCK} is missing there, which the next start writes again"),
        _ => format!("there is no session there, for it has no {LOCK}"),
    };
    failed("look into", &disk.place())(io::Error::new(ErrorKind::NotFound, text))
}

/// Which files the log stands in now.
fn standing(disk: &dyn Disk) -> Result<[Option<Identity>; 2], StoreError> {
    let look = |name| if_exists(disk.identity(name)).map_err(failed("look at", name));
    Ok([look(SNAPSHOT)?, look(JOURNAL)?])
}

/// Whether it is still the file that it was. The number of one that is gone is given again, but no log becomes shorter.
fn is_same(now: Option<&Identity>, before: Option<&Identity>) -> bool {
    match (now, before) {
        (Some(now), Some(before)) => now.is_same_file(before) && now.len >= before.len,
        (now, before) => now.is_none() && before.is_none(),
    }
}

#[cfg(test)]
mod tests;
