//! The files for readers. None of them decides anything, and none is synced.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::disk::{Disk, Replace, if_exists, replace};
use super::layout::{HANDOFF, HANDOFF_PAGE};

/// Lets the writers of one view in one by one, never an older one after a newer, and none once the session is let go:
/// the next owner's view must not be overwritten by ours.
#[derive(Debug, Default)]
pub(super) struct Turn {
    issued: AtomicU64,
    served: Mutex<Served>,
}

/// The writer that was let in last.
#[derive(Debug, Default)]
struct Served {
    newest: u64,
    shut: bool,
}

impl Turn {
    /// A number for a content that is about to be written.
    pub(super) fn ticket(&self) -> u64 {
        self.issued.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Writes, unless a newer content stands there already.
    pub(super) fn write(&self, ticket: u64, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if served.shut || ticket < served.newest {
            return Ok(());
        }
        served.newest = ticket;
        write()
    }

    /// Waits for the writer that is in, and lets no other in.
    pub(super) fn shut(&self) {
        self.served.lock().unwrap_or_else(PoisonError::into_inner).shut = true;
    }
}

/// Writes the handoff over the old one in one write, which a kill cannot tear while it stays within a page.
///
/// What is left of a longer old text is covered with spaces: cutting it off would take a second call, and a kill between
/// the two would leave the end of one letter under another.
pub(super) fn handoff_in_place(disk: &dyn Disk, text: &str) -> io::Result<()> {
    let old = if_exists(disk.identity(HANDOFF))?.and_then(|old| usize::try_from(old.len).ok());
    match old.map(|old| covering(text, old)) {
        Some(block) if block.len() <= HANDOFF_PAGE => disk.write_at(HANDOFF, 0, &block),
        _ => exact(disk, HANDOFF, text),
    }
}

/// The text, and behind it as many spaces as an old one of this length needs.
fn covering(text: &str, old: usize) -> Vec<u8> {
    let mut block = text.as_bytes().to_vec();
    if block.len() < old {
        block.resize(old - 1, b' ');
        block.push(b'\n');
    }
    block
}

/// Puts exactly this text in the place of a view.
pub(super) fn exact(disk: &dyn Disk, name: &str, text: &str) -> io::Result<()> {
    replace(disk, name, text.as_bytes(), Replace::Unsynced)
}

/// The text of a handoff without the spaces that cover an older one.
pub(super) fn handoff_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    format!("{}\n", text.trim_end_matches([' ', '\n']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::files::disk::RealDisk;

    #[test]
    fn a_handoff_in_place_leaves_nothing_of_an_older_one() {
        let directory = tempfile::tempdir().unwrap();
        let disk = RealDisk::new(directory.path());
        let texts = ["short\n".to_owned(), "long\n".repeat(100), "huge\n".repeat(2_000), "x\n".to_owned()];
        for text in &texts {
            handoff_in_place(&disk, text).unwrap();
            assert_eq!(handoff_text(&disk.read(HANDOFF).unwrap()), *text);
        }
        exact(&disk, HANDOFF, "exact\n").unwrap();
        assert_eq!(disk.read(HANDOFF).unwrap(), b"exact\n");
        handoff_in_place(&disk, "y\n").unwrap();
        assert_eq!(handoff_text(&disk.read(HANDOFF).unwrap()), "y\n");
    }

    #[test]
    fn an_older_view_never_overwrites_a_newer_one_nor_the_next_owners() {
        let turn = Turn::default();
        let (older, newer) = (turn.ticket(), turn.ticket());
        let mut written = Vec::new();
        let mut write = |ticket, text| {
            turn.write(ticket, || {
                written.push(text);
                Ok(())
            })
        };
        write(newer, "newer").unwrap();
        write(older, "older").unwrap();
        turn.shut();
        write(turn.ticket(), "late").unwrap();
        assert_eq!(written, ["newer"]);
    }
}
