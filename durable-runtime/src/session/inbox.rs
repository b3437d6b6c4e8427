//! Words that other processes have left: taken in, logged, and only then removed.

use std::path::Path;

use uuid::Uuid;

use super::Session;
use super::resolve::Word;
use crate::core::record::Note;
use crate::core::time::Timestamp;
use crate::core::word;
use crate::error::{Error, Kind};
use crate::store::files::FilesStore;
use crate::store::{Posted, Store};

/// Leaves a person's word for the session in the directory `dir`, whether or not a process holds it: an answer to what a
/// decision asks, or what became of an effect. A process that holds the session takes it within a second while it waits,
/// any other when it boots.
///
/// Whether the word counts is judged then, and stands in the handoff.
///
/// # Errors
///
/// Fails if there is no session in `dir`, or if the disk refuses.
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
    leave(&FilesStore::new(dir.as_ref()), word).await
}

/// Leaves a word in a store.
pub(crate) async fn leave(store: &dyn Store, word: Word) -> Result<(), Error> {
    let word = word.0?;
    let nothing_asked = |why| Error::from(Kind::NothingAsked { key: word.key.clone(), why });
    let text = serde_json::to_string(&word).map_err(|error| nothing_asked(error.to_string()))?;
    let id = word.id.unwrap_or_else(Uuid::new_v4);
    store.post(id, &text).await.map_err(|source| Kind::NotPosted { place: store.place(), source }.into())
}

/// When a word was said, if it is one.
fn said_at(posted: &Posted) -> Option<Timestamp> {
    serde_json::from_str::<word::Word>(posted.text.as_ref().ok()?).ok()?.at
}

impl Session {
    /// Takes in what lies in the inbox. One at a time looks there; whoever finds another looking goes on.
    pub(super) async fn take_words(&self) -> Result<(), Error> {
        let Ok(mut told) = self.shared.inbox.try_lock() else { return Ok(()) };
        let store = &self.shared.store;
        let mut found = match store.take(&[]).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, place = store.place(), "inbox not read; nothing in it is lost");
                return Ok(());
            }
        };
        // The first answer counts, and names say nothing of their order.
        found.sort_by_cached_key(said_at);
        let mut logged = Vec::new();
        for posted in found {
            match self.take_word(&posted).await? {
                Ok(id) => logged.push(id),
                // It is nobody's to remove; told once.
                Err(why) if told.insert(posted.name.clone()) => self.set_aside(&posted.name, &why).await?,
                Err(_) => {}
            }
        }
        if logged.is_empty() {
            return Ok(());
        }
        // Only now: a word is in the log, or in the inbox, or in both, and its id tells that it is one.
        if let Err(error) = store.take(&logged).await {
            tracing::warn!(%error, "a word that is logged was not removed; it is known by its id");
        }
        Ok(())
    }

    /// Logs a word, unless it is logged; then it need not be kept. Else, why it is none.
    async fn take_word(&self, posted: &Posted) -> Result<Result<Uuid, String>, Error> {
        let text = match &posted.text {
            Ok(text) => text,
            Err(why) => return Ok(Err(why.clone())),
        };
        let word: word::Word = match serde_json::from_str(text) {
            Ok(word) => word,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let Some(id) = word.id.filter(|id| *id == posted.id) else {
            return Ok(Err("its id is not that of its name".to_owned()));
        };
        if self.shared.live().state.words.contains(&id) {
            return Ok(Ok(id));
        }
        match self.hear(&word).await {
            Err(error) if !error.is_nothing_asked() => return Err(error),
            Err(error) => tracing::warn!(%error, by = word.by, "a posted word does not count"),
            Ok(()) => tracing::info!(key = word.key, by = word.by, "a posted word is taken in"),
        }
        Ok(Ok(id))
    }

    async fn set_aside(&self, name: &str, why: &str) -> Result<(), Error> {
        let text = format!("`{name}` in the inbox is no word of a person, and stays where it is: {why}");
        tracing::warn!("{text}");
        self.tell(Note { text }).await
    }
}
