//! Where a session is kept: a fenced log, a second witness of its keys, and views for readers.
//!
//! The session shell talks to a [`Store`] and to nothing else. [`files`] is the embedded default, [`memory`] serves
//! documentation and unit tests.

pub mod files;
mod lent;
pub mod memory;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use uuid::Uuid;

use crate::core::record::{Apart, Record, Stored};
use crate::core::view::StateView;
use crate::core::way_out::{ADOPT, POST};
pub use lent::LentLock;

/// A boxed future: what an object-safe asynchronous method returns.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Reads a log, record by record: it may be longer than memory.
pub type Reader = Box<dyn FnOnce(&mut dyn Iterator<Item = Record>) + Send>;

/// An append-only log of one session, with one owner at a time.
///
/// The session calls [`open`](Store::open), then [`repair`](Store::repair), then any number of appends, one at a time
/// and never one whose predecessor has not returned.
pub trait Store: Send + std::marker::Sync + 'static {
    /// Takes the session for this owner and reads what is there: each record of the log goes to `reader`, in order, and may be
    /// believed only if this succeeds. Nothing that exists is changed.
    fn open(&self, reader: Reader) -> Pending<'_, Result<Opened, StoreError>>;

    /// Reads what is there without taking the session: another owner may be writing it. Nothing is changed, and nothing of
    /// it need be durable.
    fn peek(&self, reader: Reader) -> Pending<'_, Result<(), StoreError>>;

    /// Makes durable what [`open`](Store::open) has read, and cuts off a torn tail. Before it returns, nothing that was
    /// read may be acted on: after a process kill the bytes may be known to nobody but the page cache.
    fn repair(&self) -> Pending<'_, Result<(), StoreError>>;

    /// Appends records behind the last one. With [`Sync::Now`] or [`Sync::Here`] they, and all before them, are durable when it returns,
    /// and the keys that they reserve are in the registry.
    ///
    /// After an error the store is poisoned: every later append gives the same error, because what the disk holds is no
    /// longer known.
    fn append<'a>(&'a self, records: &'a [Record], sync: Sync) -> Pending<'a, Result<(), StoreError>>;

    /// Leaves out of the log what no longer matters: see [`core::compact`](crate::core::compact). Whether it did; a store may
    /// keep all. No append is under way, and everything that was appended is durable before anything is left out.
    ///
    /// # Crash safety
    ///
    /// At every moment the store holds the old log or the new one, which say the same.
    fn compact(&self) -> Pending<'_, Result<bool, StoreError>> {
        Box::pin(std::future::ready(Ok(false)))
    }

    /// The result that stands in a record which was read or appended: of a step or of a run.
    fn recall(&self, seq: u64) -> Pending<'_, Result<Stored, StoreError>>;

    /// Keeps a large value apart from the log, durable when it returns, and gives what stands for it in a record. A store
    /// that keeps every value in its log gives the value back.
    fn set_apart(&self, value: Stored) -> Pending<'_, Result<Stored, StoreError>> {
        Box::pin(std::future::ready(Ok(value)))
    }

    /// Gives a value that was set apart.
    fn fetch(&self, apart: Apart) -> Pending<'_, Result<Stored, StoreError>> {
        let error = std::io::Error::other("this store keeps no value apart");
        Box::pin(std::future::ready(Err(StoreError::io(format!("fetch {}", apart.name), error))))
    }

    /// Whether a sync waits for anything. Whoever needs one that does lets others come first who need it too.
    fn sync_waits(&self) -> bool {
        true
    }

    /// Whether it keeps the views for readers. One that does not is given none.
    fn publishes(&self) -> bool {
        true
    }

    /// Writes the handoff for readers. Never synced; a failure loses no truth.
    fn publish_handoff<'a>(&'a self, text: &'a str, how: Publish) -> Pending<'a, Result<(), StoreError>>;

    /// Writes the state for readers. Never synced; a failure loses no truth.
    fn publish_state<'a>(&'a self, state: &'a StateView) -> Pending<'a, Result<(), StoreError>>;

    /// Leaves a word in the inbox, durably. Whoever holds the session, or nobody: this needs no hold of it.
    fn post<'a>(&'a self, id: Uuid, text: &'a str) -> Pending<'a, Result<(), StoreError>>;

    /// Removes these words from the inbox, which are in the log by now, and gives what else lies there. Where there is
    /// none to remove, it only looks, and needs no hold of the session.
    fn take<'a>(&'a self, logged: &'a [Uuid]) -> Pending<'a, Result<Vec<Posted>, StoreError>>;

    /// Lets programs that this process starts hold the session with it, and longer.
    ///
    /// # Errors
    ///
    /// Fails for a store whose hold of a session is nothing that a program could inherit.
    fn lend(&self) -> Result<LentLock, StoreError> {
        let error = std::io::Error::other("this store has no lock that a program could inherit");
        Err(StoreError::io("lend the lock", error))
    }

    /// Gives the session up. It waits for a view that is being written; after it nothing is written any more.
    fn release(&self);

    /// Where the session is, for messages.
    fn place(&self) -> String;
}

/// Whether an append waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Written: survives the death of the process.
    Later,
    /// Written and synced: survives a power cut.
    Now,
    /// The same, for a caller who has the thread to itself: a store may wait for its disk there.
    Here,
}

/// How a handoff is put in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publish {
    /// One write over the old text, padded to a page: cheap, and a kill cannot tear it.
    InPlace,
    /// A new file renamed over the old one: exact text.
    Renamed,
}

/// What a store found when it was opened.
#[derive(Debug, Default)]
pub struct Opened {
    /// Id of the session, if it has one already.
    pub session: Option<Uuid>,
    /// The first record that the log has, by its sequence number.
    pub first: Option<u64>,
    /// The last one; 0 if it has none.
    pub last: u64,
    /// The last sequence number that is known to have been synced.
    pub durable: u64,
    /// The keys that the registry names and no reservation in the log does.
    pub unlogged: Vec<String>,
    /// Where it stands, as a copy of it would not; `None` for a store that cannot be copied, or does not know.
    pub place: Option<String>,
    /// What others could write to, and what they may do with it, in words: [`Store::repair`] shuts them out.
    pub exposed: Vec<String>,
    /// What the state view says, if it is there and can be read.
    pub state: Option<StateView>,
    /// The letter of the last session.
    pub handoff: Option<String>,
    /// The torn tail that [`Store::repair`] will cut off.
    pub torn: Option<Torn>,
    /// The last lines of the log as they stand, at most twenty.
    pub tail: Vec<String>,
}

/// What lies in the inbox.
#[derive(Clone, Debug)]
pub struct Posted {
    /// The name that it has there, for messages.
    pub name: String,
    /// The id that it was left under; nil for what no [`post`](Store::post) has left.
    pub id: Uuid,
    /// Its text, or why it has none.
    pub text: Result<String, String>,
}

/// A torn tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// How many bytes.
    pub bytes: u64,
    /// At which line they begin, from 1.
    pub line: u64,
}

/// Why a store could not do what it was asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// Another owner holds the session.
    Busy {
        /// What is known of the holder, for messages.
        holder: Option<String>,
    },
    /// Something that was acknowledged can no longer be read. Nothing was changed.
    Damaged(Damage),
    /// A newer version wrote this.
    Newer {
        /// File and line.
        place: String,
        /// What was found, and what this version knows.
        what: String,
    },
    /// This is a copy, or was moved: another one may go on elsewhere. Nothing was changed.
    Moved {
        /// Where it stood, and where it stands.
        what: String,
    },
    /// The disk refused. For an append: the store is poisoned.
    Io {
        /// What was being done: `sync journal.jsonl`.
        doing: String,
        /// What the system said.
        error: std::sync::Arc<std::io::Error>,
    },
}

/// Where something acknowledged is gone.
#[derive(Clone, Debug)]
pub struct Damage {
    /// Name of the file.
    pub file: String,
    /// Line, from 1, if the file has lines.
    pub line: Option<u64>,
    /// The key that it speaks of, or the range in which it lies.
    pub key: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl StoreError {
    /// What the system said when something was being done.
    pub(crate) fn io(doing: impl Into<String>, error: std::io::Error) -> Self {
        Self::Io { doing: doing.into(), error: std::sync::Arc::new(error) }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { holder } => {
                f.write_str("another process holds the session")?;
                if let Some(holder) = holder {
                    write!(f, " ({holder})")?;
                }
                write!(
                    f,
                    "; nothing was changed: start again once it has ended; until then it takes what people say from {POST}"
                )
            }
            Self::Damaged(damage) => damage.fmt(f),
            Self::Newer { place, what } => write!(f, "{place}: {what}; nothing was changed"),
            Self::Moved { what } => write!(
                f,
                "it was copied, moved to another file system or restored, for it is not where it was ({what}): another copy may have done what this one has no record of; nothing was changed: make sure that no other copy goes on, then vouch for this one with {ADOPT}; every effect without a record is in doubt from then on"
            ),
            Self::Io { doing, error } => write!(f, "{doing}: {error}"),
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        if let Some(key) = &self.key {
            write!(f, " (key {key})")?;
        }
        write!(f, ": {}; nothing was changed", self.what)
    }
}

impl std::error::Error for StoreError {}
