//! Words that other processes have left: taken in, logged, and only then removed.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use uuid::Uuid;

use super::Session;
use crate::core::record::Note;
use crate::core::word::Word;
use crate::error::Error;
use crate::store::Posted;

/// How often somebody looks there while the session works or waits.
pub(super) const LOOK: Duration = Duration::from_secs(1);

impl Session {
    /// Takes in what lies in the inbox. One at a time looks there; whoever finds another looking goes on.
    pub(super) async fn take_words(&self) -> Result<(), Error> {
        match self.shared.inbox.try_lock() {
            Ok(mut told) => self.take_found(&mut told).await,
            Err(_) => Ok(()),
        }
    }

    /// The same where nobody has looked for a while: a run that is given up begins no new effect, and a worker that never waits
    /// learns of it too.
    pub(super) async fn take_words_now_and_then(&self) {
        let (now, looked) = (self.shared.clock.now().as_millis(), self.shared.looked.load(Ordering::Relaxed));
        if now.abs_diff(looked) >= LOOK.as_millis().try_into().unwrap_or(u64::MAX)
            && let Err(error) = self.take_words().await
        {
            // Whatever could not be written says so again to the step that comes.
            tracing::warn!(%error, "a posted word is not taken in");
        }
    }

    /// The same, and whoever finds another looking waits for it: what was posted until now is taken in.
    pub(super) async fn take_all_words(&self) -> Result<(), Error> {
        self.take_found(&mut *self.shared.inbox.lock().await).await
    }

    async fn take_found(&self, told: &mut BTreeSet<String>) -> Result<(), Error> {
        self.shared.looked.store(self.shared.clock.now().as_millis(), Ordering::Relaxed);
        let store = &self.shared.store;
        let found = match store.take(&[]).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, place = store.place(), "inbox not read; nothing in it is lost");
                return Ok(());
            }
        };
        let mut words = Vec::new();
        for posted in found {
            match read(&posted) {
                Ok(word) => words.push((word.at, posted.id, word)),
                // It is nobody's to remove; told once.
                Err(why) if told.insert(posted.name.clone()) => self.set_aside(&posted.name, &why).await?,
                Err(_) => {}
            }
        }
        // In the order in which they were posted. One that does not say when may be older than any that does.
        words.sort_by_key(|(at, id, _)| (*at, *id));
        let mut logged = Vec::new();
        for (_, id, word) in words {
            self.take_word(id, &word).await?;
            logged.push(id);
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

    /// Logs a word, unless it is logged; then it need not be kept.
    async fn take_word(&self, id: Uuid, word: &Word) -> Result<(), Error> {
        if self.shared.live().state.words.contains(&id) {
            return Ok(());
        }
        match self.hear(word).await {
            Err(error) if !error.is_nothing_asked() => return Err(error),
            Err(_) => {}
            Ok(()) => tracing::info!(key = word.key, "a posted word is taken in"),
        }
        Ok(())
    }

    async fn set_aside(&self, name: &str, why: &str) -> Result<(), Error> {
        let text = format!("`{name}` in the inbox is no word of a person, and stays where it is: {why}");
        let text = self.shared.secrets.redact(&text).into_owned();
        tracing::warn!("{text}");
        self.tell(Note { text }).await
    }
}

/// What was left, as a word; else, why it is none.
pub(super) fn read(posted: &Posted) -> Result<Word, String> {
    let text = posted.text.as_ref().map_err(Clone::clone)?;
    let word: Word = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match word.id {
        Some(id) if id == posted.id => Ok(word),
        _ => Err("its id is not that of its name".to_owned()),
    }
}
