//! The session's id: written once, before anything else, and seeded into every checksum of the log.

use std::io;

use uuid::Uuid;

use super::disk::Disk;
use super::layout::{JOURNAL, LOCK, STATE};
use crate::store::{Damage, StoreError};

/// What each file says of the session's id.
#[derive(Debug)]
pub(super) struct Claims {
    /// Content of the lock file.
    pub(super) lock: Option<Vec<u8>>,
    /// The first boot record of the log that can be read, with its line.
    pub(super) journal: Option<(u64, Uuid)>,
    /// The state view.
    pub(super) state: Option<Uuid>,
}

/// The id, and whether the lock file says it already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SessionId {
    /// The id.
    pub(super) id: Uuid,
    /// The lock file must be written.
    pub(super) unwritten: bool,
}

impl Claims {
    /// The id on which all agree; `None` if no file knows one.
    pub(super) fn agree(&self) -> Result<Option<SessionId>, StoreError> {
        let written = self.lock.as_deref().and_then(parse);
        let claims = [
            written.map(|id| (LOCK, None, id)),
            self.journal.map(|(line, id)| (JOURNAL, Some(line), id)),
            self.state.map(|id| (STATE, None, id)),
        ];
        let mut claims = claims.into_iter().flatten();
        let Some((source, _, id)) = claims.next() else { return Ok(None) };
        if let Some((file, line, other)) = claims.find(|&(_, _, other)| other != id) {
            return Err(disagreement(file, line, other, source, id));
        }
        self.refuse_other_text(id)?;
        Ok(Some(SessionId { id, unwritten: written.is_none() }))
    }

    /// A lock file whose text a crash cut short is completed; any other text is not ours to replace.
    fn refuse_other_text(&self, id: Uuid) -> Result<(), StoreError> {
        let Some(found) = &self.lock else { return Ok(()) };
        if parse(found).is_some() || text(id).as_bytes().starts_with(found) {
            return Ok(());
        }
        Err(StoreError::Damaged(Damage {
            file: LOCK.to_owned(),
            line: Some(1),
            key: None,
            what: format!("its text is not the id of the session, which by the other files is {id}; put that id back"),
        }))
    }
}

/// Writes the id into the lock file and makes both durable.
pub(super) fn write(disk: &dyn Disk, id: Uuid, exists: bool) -> io::Result<()> {
    let text = text(id);
    if exists {
        disk.write_at(LOCK, 0, text.as_bytes())?;
        disk.truncate(LOCK, text.len() as u64)?;
    } else {
        disk.create(LOCK, text.as_bytes())?;
    }
    disk.sync(LOCK)?;
    disk.sync_dir()
}

/// What the lock file says.
pub(super) fn text(id: Uuid) -> String {
    format!("{id}\n")
}

fn parse(bytes: &[u8]) -> Option<Uuid> {
    let id = Uuid::try_parse_ascii(bytes.trim_ascii_end()).ok()?;
    (text(id).as_bytes() == bytes).then_some(id)
}

fn disagreement(file: &str, line: Option<u64>, other: Uuid, source: &str, id: Uuid) -> StoreError {
    StoreError::Damaged(Damage {
        file: file.to_owned(),
        line,
        key: None,
        what: format!(
            "it belongs to session {other}, but {source} to session {id}; put back the file that belongs here"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Uuid = Uuid::from_u128(1);
    const TWO: Uuid = Uuid::from_u128(2);

    fn agree(lock: Option<&str>, journal: Option<Uuid>, state: Option<Uuid>) -> Result<Option<SessionId>, StoreError> {
        let lock = lock.map(|text| text.as_bytes().to_vec());
        Claims { lock, journal: journal.map(|id| (1, id)), state }.agree()
    }

    #[test]
    fn a_missing_or_torn_lock_file_is_restored_from_the_others() {
        let restored = Some(SessionId { id: ONE, unwritten: true });
        for lock in [None, Some(""), Some(&text(ONE)[..7]), Some(&text(ONE)[..36])] {
            assert_eq!(agree(lock, Some(ONE), None).unwrap(), restored);
            assert_eq!(agree(lock, None, Some(ONE)).unwrap(), restored);
            assert_eq!(agree(lock, None, None).unwrap(), None);
        }
    }

    #[test]
    fn files_that_disagree_are_refused() {
        assert!(agree(Some(&text(ONE)), Some(TWO), None).is_err());
        assert!(agree(None, Some(ONE), Some(TWO)).is_err());
        assert!(agree(Some("not an id\n"), Some(ONE), None).is_err());
    }

    #[test]
    fn an_id_that_stands_is_not_written_again() {
        let stands = Some(SessionId { id: ONE, unwritten: false });
        assert_eq!(agree(Some(&text(ONE)), Some(ONE), Some(ONE)).unwrap(), stands);
    }
}
