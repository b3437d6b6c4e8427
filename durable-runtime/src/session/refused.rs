//! Words of people that do not count: each is logged, told to whoever reads the log of the process, and stands in the
//! handoff.

use super::commit::Shared;
use super::live::Live;
use crate::core::record::WordRefused;
use crate::core::text;
use crate::core::time::Timestamp;

impl Shared {
    /// Records that a word does not count.
    pub(super) fn refuse_word(&self, live: &mut Live, now: Timestamp, mut refused: WordRefused) {
        for words in [&mut refused.key, &mut refused.by, &mut refused.why] {
            *words = self.secrets.redact(words).into_owned();
        }
        tracing::warn!(key = refused.key, by = refused.by, why = refused.why, "a word does not count");
        if let Some(name) = self.settings.speaks {
            crate::run::tell(name, &told(&refused));
        }
        live.push(now, refused);
    }

    /// Refuses the words that came after the one that counts.
    pub(super) fn refuse_late(&self, live: &mut Live, now: Timestamp, key: &str, is_known: bool) {
        let late = live.state.late(key, is_known);
        self.refuse_all(live, now, late);
    }

    pub(super) fn refuse_all(&self, live: &mut Live, now: Timestamp, refused: Vec<WordRefused>) {
        for refused in refused {
            self.refuse_word(live, now, refused);
        }
    }
}

/// The most that is shown of a name, a key or a reason, in bytes.
const SHOWN: usize = 400;

fn told(refused: &WordRefused) -> String {
    let [by, why] = [&refused.by, &refused.why].map(|text| text::clean(text, SHOWN));
    format!("a word of {by} about {} does not count: {why}", text::key(&refused.key, SHOWN))
}
