//! Reading a session that another process may hold, and is writing. Nothing is locked, and nothing is changed.

use std::io::{self, ErrorKind};

use super::disk::{Disk, if_exists};
use super::failed;
use super::id::Claims;
use super::layout::{JOURNAL, LOCK, SNAPSHOT};
use super::lines::Lines;
use super::open::chunks;
use super::scan;
use super::snapshot::Snapshot;
use super::witnesses::Witnesses;
use crate::store::{Reader, StoreError};

/// Gives what the log says up to now. What its holder is writing at this moment looks like a torn tail, and is not told; what it
/// cuts off or leaves out at this moment may look like damage.
pub(super) fn peek(disk: &dyn Disk, reader: Reader) -> Result<(), StoreError> {
    let no_session = || io::Error::new(ErrorKind::NotFound, "there is no session there");
    let lock = if_exists(disk.read(LOCK)).map_err(failed("read", LOCK))?;
    let lock = lock.ok_or_else(no_session).map_err(failed("look into", &disk.place()))?;
    let mut journal = Lines::new(chunks(disk, JOURNAL));
    let named = scan::claimed_session(&mut journal).map_err(failed("read", JOURNAL))?;
    let claims = Claims { lock: Some(lock), journal: named, state: None };
    if let Some(session) = claims.agree()? {
        // The state view and the registry may be newer than what is read of the log: they are no witnesses here.
        let snapshot = Snapshot::new(Lines::new(chunks(disk, SNAPSHOT)), session.id);
        scan::scan(snapshot, journal, 0, &mut Witnesses::none(), reader)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
