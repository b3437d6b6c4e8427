//! What a record is about, for readers.

use uuid::Uuid;

use super::Event;

impl Event {
    /// Whether it tells something of the step or the run with this full key.
    pub fn tells_of(&self, key: &str) -> bool {
        let also = match self {
            Self::Stopped(stopped) => [stopped.key.as_deref(), Some(&*stopped.run)],
            Self::Refused(refused) => [refused.key.as_deref(), Some(&*refused.run)],
            Self::Lost(lost) => [lost.keys.iter().find(|lost| *lost == key).map(String::as_str), None],
            _ => [None, None],
        };
        also.contains(&Some(key)) || self.key() == Some(key)
    }

    /// The id of the word of a person that it logs, if that came through the inbox.
    pub fn word(&self) -> Option<Uuid> {
        match self {
            Self::Resolve(word) => word.word,
            Self::Answer(answer) => answer.word,
            Self::Cancel(cancel) => cancel.word,
            Self::WordRefused(refused) => refused.word,
            _ => None,
        }
    }
}
