//! A word as the inbox holds it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Says, Word};
use crate::core::record::{self, Stored};
use crate::core::time::Timestamp;

/// A word as it is written: one flat object, because a value keeps its text only in one that is read directly.
#[derive(Serialize, Deserialize)]
pub(super) struct Written {
    id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    at: Option<Timestamp>,
    word: Kind,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    happened: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "record::present")]
    value: Option<Stored>,
    by: String,
    because: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Resolve,
    Answer,
    Cancel,
}

impl From<Word> for Written {
    fn from(Word { id, at, key, says, by, because }: Word) -> Self {
        let (attempt, happened, digest) = (None, None, None);
        match says {
            Says::Resolve { attempt, happened, value } => {
                Self { id, at, word: Kind::Resolve, key, attempt, happened: Some(happened), digest, value, by, because }
            }
            Says::Answer { digest, value } => {
                Self { id, at, word: Kind::Answer, key, attempt, happened, digest, value: Some(value), by, because }
            }
            Says::Cancel => {
                Self { id, at, word: Kind::Cancel, key, attempt, happened, digest, value: None, by, because }
            }
        }
    }
}

impl TryFrom<Written> for Word {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { id, at, word, key, attempt, happened, digest, value, by, because } = written;
        // It would stand for a file that nobody has written: the step could never read it.
        if value.as_ref().is_some_and(|value| value.apart().is_some()) {
            return Err("its value may not begin with `{\"$blob\":`");
        }
        let says = match word {
            Kind::Resolve => {
                Says::Resolve { attempt, happened: happened.ok_or("it does not say whether it happened")?, value }
            }
            Kind::Answer => Says::Answer { digest, value: value.ok_or("it has no answer in it")? },
            Kind::Cancel => Says::Cancel,
        };
        Ok(Self { id, at, key, says, by, because })
    }
}
