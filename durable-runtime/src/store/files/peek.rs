//! Reading a session that another process may hold, and is writing. Nothing is locked, and nothing is changed.

use std::io::{self, ErrorKind};

use uuid::Uuid;

use super::disk::{Disk, Identity, if_exists};
use super::layout::{JOURNAL, LOCK, REGISTRY, SNAPSHOT};
use super::line::{Decoder, Line};
use super::lines::Lines;
use super::recover::{self, Recovered, recover};
use super::scan::refuse_newer;
use super::{failed, open, place};
use crate::core::record::Record;
use crate::store::{Damage, Reader, StoreError};

/// How far a look at a session has come.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Where it stood and where it stands, if it is not where it was: no start takes it.
    pub(crate) moved: Option<String>,
    /// What is gone of the log, as far as it does not say so itself.
    pub(crate) lost: Option<Lost>,
    session: Uuid,
    /// The log, as it was at the last look.
    journal: Option<Identity>,
    /// Where in it the next line begins.
    end: u64,
    /// The last record.
    last: u64,
}

/// Records that are gone though they were synced.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    /// Which ones, in words.
    pub(crate) what: String,
    /// Whether they are the newest: so no start has gone on without them.
    pub(crate) is_newest: bool,
}

/// Gives what the log says up to now, of a session that a boot would take. What its holder is writing at this moment looks like
/// a torn tail, and is not told; what it cuts off or leaves out at this moment may look like damage.
pub(super) fn peek(disk: &dyn Disk, reader: Reader) -> Result<(), StoreError> {
    let seen = look(disk, reader)?;
    seen.moved.map_or(Ok(()), |what| Err(StoreError::Moved { what }))
}

/// The same, also of a session that is not where it was.
pub(super) fn look(disk: &dyn Disk, reader: Reader) -> Result<Seen, StoreError> {
    if if_exists(disk.identity(LOCK)).map_err(failed("look at", LOCK))?.is_none() {
        return Err(no_session(disk));
    }
    let before = standing(disk)?;
    // The view comes before the log, of which it says how much was durable: so it is not ahead of what is read.
    let files = open::read(disk)?;
    let recovered = recover(&files, open::sources(disk)?, Uuid::nil, reader)?;
    let moved = place::moved(disk, recovered.scan.place.as_deref())?;
    // What was read piece by piece may be the beginning of one file and the end of another, or of none.
    if standing(disk)?.iter().zip(&before).all(|(now, before)| is_same(now.as_ref(), before.as_ref())) {
        let [_, journal] = before;
        let (session, end, last) = (recovered.session.id, recovered.scan.end, recovered.scan.last());
        let lost = lost(&recovered);
        return Ok(Seen { moved, lost, session, journal, end, last });
    }
    let what = "it was replaced while it was read; read it again".to_owned();
    Err(StoreError::Damaged(Damage { file: JOURNAL.to_owned(), line: None, key: None, what }))
}

/// Who holds a session writes its log before its registry, so only a log that has no record may be behind that.
fn lost(recovered: &Recovered) -> Option<Lost> {
    let Recovered { scan, unlogged, .. } = recovered;
    match scan.first() {
        None if scan.is_whole() && !unlogged.is_empty() => {
            let what = format!("{JOURNAL} has no record, though {REGISTRY} names {} keys", unlogged.len());
            Some(Lost { what, is_newest: true })
        }
        _ if scan.is_whole() => None,
        _ => Some(Lost { what: recover::loss(scan), is_newest: scan.last() < scan.durable }),
    }
}

/// What was written behind what was seen. `None` where that cannot be told from what stands there: all is to be read again.
pub(super) fn look_on(disk: &dyn Disk, seen: &mut Seen) -> Result<Option<Vec<Record>>, StoreError> {
    let [_, now] = standing(disk)?;
    if now == seen.journal {
        return Ok(Some(Vec::new()));
    }
    if now.is_none_or(|now| now.len < seen.end) || !is_same(now.as_ref(), seen.journal.as_ref()) {
        return Ok(None);
    }
    let (mut source, from) = (open::chunks(disk, JOURNAL), seen.end);
    let mut lines = Lines::new(Box::new(move |offset| source(from + offset)));
    let (mut decoder, mut records) = (Decoder::new(seen.session), Vec::new());
    while let Some(raw) = lines.next().map_err(failed("read", JOURNAL))? {
        // Its end is being written.
        if !raw.is_ended {
            break;
        }
        let line = decoder.decode(raw.bytes);
        refuse_newer(JOURNAL, &raw, &line)?;
        match line {
            Line::Foreign => {}
            Line::Ours(entry) if entry.record.seq == seen.last + 1 || entry.after == Some(seen.last) => {
                (seen.last, seen.lost) = (entry.record.seq, None);
                records.push(entry.record);
            }
            Line::Ours(_) | Line::Newer(_) | Line::Bad => return Ok(None),
        }
        seen.end = from + raw.end();
    }
    seen.journal = now;
    Ok(Some(records))
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
