//! Reading a session that another process may hold, and is writing. Nothing is locked, and nothing is changed.

use std::io::{self, ErrorKind};

use super::disk::{Disk, Identity, if_exists};
use super::failed;
use super::id::Claims;
use super::layout::{JOURNAL, LOCK, SNAPSHOT};
use super::lines::Lines;
use super::open::chunks;
use super::scan;
use super::snapshot::Snapshot;
use super::witnesses::Witnesses;
use crate::store::{Damage, Reader, StoreError};

/// Gives what the log says up to now. What its holder is writing at this moment looks like a torn tail, and is not told; what it
/// cuts off or leaves out at this moment may look like damage.
pub(super) fn peek(disk: &dyn Disk, reader: Reader) -> Result<(), StoreError> {
    let no_session = || io::Error::new(ErrorKind::NotFound, "there is no session there");
    let lock = if_exists(disk.read(LOCK)).map_err(failed("read", LOCK))?;
    let lock = lock.ok_or_else(no_session).map_err(failed("look into", &disk.place()))?;
    let before = standing(disk)?;
    let mut journal = Lines::new(chunks(disk, JOURNAL));
    let named = scan::claimed_session(&mut journal).map_err(failed("read", JOURNAL))?;
    let claims = Claims { lock: Some(lock), journal: named, state: None };
    if let Some(session) = claims.agree()? {
        // The state view and the registry may be newer than what is read of the log: they are no witnesses here.
        let snapshot = Snapshot::new(Lines::new(chunks(disk, SNAPSHOT)), session.id);
        scan::scan(snapshot, journal, 0, &mut Witnesses::none(), reader)?;
    }
    // What was read piece by piece may be the beginning of one file and the end of another, or of none.
    if standing(disk)?.iter().zip(&before).all(|(now, before)| is_same(now.as_ref(), before.as_ref())) {
        return Ok(());
    }
    let what = "it was replaced while it was read; read it again".to_owned();
    Err(StoreError::Damaged(Damage { file: JOURNAL.to_owned(), line: None, key: None, what }))
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
