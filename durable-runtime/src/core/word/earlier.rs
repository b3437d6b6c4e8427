//! What has been said about the same question before, and no step has read yet.

use serde::Deserialize;
use uuid::Uuid;

use super::{Says, Word};
use crate::core::record::Stored;
use crate::core::state::{Life, State};
use crate::core::time::Timestamp;
use crate::core::value;

/// Who has said something else before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Who said it.
    pub by: String,
    /// Under which id it lies in the inbox; none if it is in the log.
    pub posted: Option<Uuid>,
}

impl State {
    /// The first word about the question of this one, in the log or among those that are `posted` and nobody has taken, if it
    /// says something else. The first counts, so this one never would.
    ///
    /// What is posted at the same moment is not seen: whoever takes the words decides.
    pub fn contradicted(&self, word: &Word, posted: &[Word], now: Timestamp) -> Option<Earlier> {
        let (by, posted, says) = self.logged(&word.key).or_else(|| self.first_of(word, posted, now))?;
        (!is_same((&says, &by), (&word.says, &word.by))).then_some(Earlier { by, posted })
    }

    fn logged(&self, key: &str) -> Option<(String, Option<Uuid>, Says)> {
        if let Some(given) = self.questions.get(key).and_then(|question| question.answers.front()) {
            return Some((given.by.clone(), None, Says::Answer { digest: None, value: given.value.clone() }));
        }
        let Life::Word(words) = &self.steps.get(key)?.life else { return None };
        let (happened, value) = (words.first.happened, words.first.value.clone());
        Some((words.first.by.clone(), None, Says::Resolve { attempt: None, happened, value }))
    }

    /// The first of those that would count if they were taken now.
    fn first_of(&self, word: &Word, posted: &[Word], now: Timestamp) -> Option<(String, Option<Uuid>, Says)> {
        let counts = |other: &&Word| {
            let is_logged = other.id.is_some_and(|id| self.words.contains(&id));
            other.key == word.key && !is_logged && self.admit(other, now).is_ok()
        };
        let first = posted.iter().filter(counts).min_by_key(|other| (other.at, other.id))?;
        Some((first.by.clone(), first.id, first.says.clone()))
    }
}

/// Whether two people say the same.
fn is_same((one, by): (&Says, &str), (other, other_by): (&Says, &str)) -> bool {
    match (one, other) {
        (Says::Resolve { happened, value, .. }, Says::Resolve { happened: other, value: given, .. }) => {
            happened == other && is_equal(value.as_ref(), given.as_ref())
        }
        (Says::Answer { value, .. }, Says::Answer { value: given, .. }) => {
            let approvals = approval(value, by).zip(approval(given, other_by));
            approvals.map_or_else(|| is_equal(Some(value), Some(given)), |(one, other)| one == other)
        }
        // It answers no question, so it is no other answer either.
        (Says::Cancel, _) | (_, Says::Cancel) => true,
        (Says::Resolve { .. }, Says::Answer { .. }) | (Says::Answer { .. }, Says::Resolve { .. }) => false,
    }
}

/// No value is the value of a step that gives nothing.
fn is_equal(one: Option<&Stored>, other: Option<&Stored>) -> bool {
    // What cannot be put in order is the same only letter by letter: two such values must not pass for one.
    let text = |value: Option<&Stored>| {
        let json = value.map_or("null", Stored::get);
        value::canonical(json).unwrap_or_else(|_| json.to_owned())
    };
    text(one) == text(other)
}

/// What an approval says that is given in a person's own name: another may say the same for a reason of their own.
fn approval(value: &Stored, own: &str) -> Option<bool> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Approval {
        approved: bool,
        by: String,
        #[serde(rename = "because")]
        _because: String,
    }
    let approval: Approval = serde_json::from_str(value.get()).ok()?;
    (approval.by == own).then_some(approval.approved)
}
