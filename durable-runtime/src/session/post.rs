//! Leaving a word for a session that this process does not hold.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::{Builder, Uuid};

use super::resolve::Word;
use super::{Session, boot, inbox, secrets};
use crate::clock::{Clock, SystemClock};
use crate::core::handoff::Handoff;
use crate::core::secrets::Secrets;
use crate::core::state::State;
use crate::core::time::Timestamp;
use crate::core::word::{Earlier, Misfit};
use crate::error::{Error, Kind};
use crate::store::files::FilesStore;
use crate::store::{Store, StoreError};

/// Leaves a person's word for the session in the directory `dir`, whether or not a process holds it: an answer to what a
/// decision asks, or what became of an effect. A process that holds the session takes it within a second while it waits,
/// any other when it boots: if no worker is running, start one.
///
/// The word is bound to the question that is open now: to what its decision shows, or to the attempt that is in doubt. It
/// counts as of now, however late it is taken. Of several words about one question the first counts that its step reads a
/// result in.
///
/// # Errors
///
/// Fails if nothing is asked about the key, or not of a person, if the word is no answer to what is asked, or if the run of the
/// decision was given up: see [`Error::is_nothing_asked`]. Fails if somebody has said something else before, and no step has read
/// that yet: see [`Error::is_answered_otherwise`]; to say the same once more is no error. Fails if there is no session in `dir`,
/// if it is one that a start would refuse, because it is damaged, was moved or is of a newer version, or if the disk refuses.
/// In all these cases nothing was changed.
///
/// So it does if the value holds what looks like a secret by its shape, or the value of an environment variable of this process.
/// What the program has named to its [`builder`](crate::SessionBuilder::secrets) is not known here: such a word lies in the inbox
/// until the session takes it, which refuses it and writes nothing of that secret anywhere.
///
/// All that is a look at what was there a moment ago, without any lock. Of two who say different things at the same moment
/// neither may be told: the process that takes the words decides, and what it refuses then stands in the handoff.
///
/// # Crash safety
///
/// The word is durable when this returns, and counts once, however often a process dies while it takes it.
///
/// # Examples
///
/// ```no_run
/// use durable_runtime::Word;
///
/// # async fn answer() -> Result<(), durable_runtime::Error> {
/// let word = Word::answer("payroll//send").approve().by("ada", "the sum is right");
/// durable_runtime::post("session", word).await?;
/// # Ok(())
/// # }
/// ```
pub async fn post(dir: impl AsRef<Path>, word: Word) -> Result<(), Error> {
    leave(&FilesStore::new(dir.as_ref()), word, SystemClock.now()).await.map(drop)
}

/// Leaves a word in a store, and gives the id that it lies there under.
pub(crate) async fn leave(store: &dyn Store, word: Word, now: Timestamp) -> Result<Uuid, Error> {
    let mut word = word.0?;
    let not_posted = |source| Error::from(Kind::NotPosted { place: store.place(), source });
    let key = word.key.clone();
    let refused = |why| Error::from(Kind::NothingAsked { key: key.clone(), why });
    word.is_whole().map_err(refused)?;
    let secrets = secrets::known_here(Secrets::new());
    word.value().map_or(Ok(()), |value| secrets::discreet(&secrets, value)).map_err(refused)?;
    for words in [&mut word.by, &mut word.because] {
        *words = secrets.redact(words).into_owned();
    }
    // Before the log: what is taken from there in between is in that.
    let posted = store.take(&[]).await.map_err(not_posted)?;
    let posted: Vec<_> = posted.iter().filter_map(|posted| inbox::read(posted).ok()).collect();
    let state = seen(store).await.map_err(not_posted)?;
    if let Some(durability) = boot::restarted(&state) {
        return Err(Kind::Restarted { place: store.place(), durability }.into());
    }
    let mut word = state.bind(word, now).map_err(refused)?;
    if let Some(Misfit { wanted, given }) = state.misfit(&word) {
        return Err(Kind::OfOtherType { key, wanted, given }.into());
    }
    if let Some(Earlier { by, posted }) = state.contradicted(&word, &posted, now) {
        return Err(Kind::AnsweredOtherwise { key, place: store.place(), by, posted }.into());
    }
    let id = *word.id.get_or_insert_with(|| next_id(word.at.unwrap_or(now)));
    let text = serde_json::to_string(&word).map_err(|error| refused(error.to_string()))?;
    store.post(id, &text).await.map_err(not_posted)?;
    Ok(id)
}

impl Session {
    /// The handoff of what the log holds: where the disk has refused a record, the process knows more than the next one will.
    pub(crate) async fn written_handoff(&self) -> Option<Handoff> {
        seen(&*self.shared.store).await.ok().map(|state| Handoff::of(&state))
    }
}

/// How often a log is read that looks damaged: its holder may have cut off a torn tail in the middle of
/// it, or shrunk it.
pub(super) const LOOKS: usize = 3;

/// What the log of a session says that another process may be writing.
async fn seen(store: &dyn Store) -> Result<State, StoreError> {
    let mut looks = 1;
    loop {
        let told = Arc::default();
        match store.peek(boot::reader(&told)).await {
            Err(StoreError::Damaged(_)) if looks < LOOKS => looks += 1,
            Err(error) => return Err(error),
            Ok(()) => return Ok(boot::taken(&told)),
        }
    }
}

/// An id that is greater than every one that this process has made for an instant that is not later: where two words are
/// of one instant, their ids tell which was the first.
fn next_id(at: Timestamp) -> Uuid {
    /// Milliseconds, and twelve bits that count within one.
    static LAST: AtomicU64 = AtomicU64::new(0);
    let first = at.as_millis() << COUNT_BITS;
    let last = LAST.fetch_max(first, Ordering::Relaxed);
    let next = if last < first { first } else { LAST.fetch_add(1, Ordering::Relaxed) + 1 };
    let [.., high, low] = (next & ((1 << COUNT_BITS) - 1)).to_be_bytes();
    let [a, b, c, d, e, f, g, h, ..] = Uuid::new_v4().into_bytes();
    Builder::from_unix_timestamp_millis(next >> COUNT_BITS, &[high, low, a, b, c, d, e, f, g, h]).into_uuid()
}

/// How many bits of such an id count.
const COUNT_BITS: u32 = 12;
