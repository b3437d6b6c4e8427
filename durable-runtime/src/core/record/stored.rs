//! A stored value, and where it is.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::core::secrets::REDACTED;

/// A value whose text is longer than this, in bytes, may be kept apart from the log: see
/// [`Store::set_apart`](crate::store::Store::set_apart).
pub const APART_FROM: usize = 256 * 1024;

/// What stands in a record for a value that is kept apart from it begins so. No value that is written here does.
const APART: &str = "{\"$blob\":";

/// What stands in a record for a value that is not kept begins so. No value that is written here does.
const WITHHELD: &str = "{\"$withheld\":";

/// A stored value: text, exactly as written; or, in a record, what says where its text is kept.
#[derive(Clone, Debug)]
pub struct Stored {
    json: Arc<RawValue>,
    apart: Option<Box<Apart>>,
}

/// A result that the log has: small ones are at hand, of the others only where they stand. So memory does not grow with what
/// was recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// At hand.
    Here(Stored),
    /// In the record of this number: see [`Store::recall`](crate::store::Store::recall).
    InRecord(u64),
}

/// The longest result that is kept at hand, in bytes of its text.
const AT_HAND: usize = 64;

impl Kept {
    /// The result that stands in the record `seq`.
    pub fn of(seq: u64, value: &Stored) -> Self {
        if Self::is_at_hand(value) { Self::Here(value.clone()) } else { Self::InRecord(seq) }
    }

    /// Whether it is kept at hand: so is what stands for one that is not kept at all, which a person may supply.
    pub fn is_at_hand(value: &Stored) -> bool {
        value.get().len() <= AT_HAND || value.get().starts_with(WITHHELD)
    }

    /// Whether the value is not kept.
    pub fn is_withheld(&self) -> bool {
        matches!(self, Self::Here(value) if value.get().starts_with(WITHHELD))
    }
}

/// Where a value is kept that does not stand in the log, and what must be found there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apart {
    /// Its name: the version 5 UUID of its text, in the name space of the session's id.
    pub name: Uuid,
    /// Its length in bytes.
    pub len: u64,
}

/// What stands in a record for a value that is kept apart.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Blob {
    #[serde(rename = "$blob")]
    blob: Apart,
}

/// A value that is not kept, since it holds a secret: what it holds, and the rest of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withheld {
    /// What it holds, in words.
    pub holds: String,
    /// The value with a mark in the place of each secret; absent if that is long.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "super::present")]
    pub rest: Option<Stored>,
}

/// What stands in a record for a value that is not kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Instead {
    #[serde(rename = "$withheld")]
    withheld: Withheld,
}

impl Withheld {
    /// Whether a value may be this one: it has the rest of it, and anything in the place of each secret.
    pub fn may_be(&self, json: &str) -> bool {
        let Some(rest) = &self.rest else { return true };
        let mut pieces = rest.get().split(REDACTED);
        let first = pieces.next().unwrap_or_default();
        let Some(mut behind) = json.strip_prefix(first) else { return false };
        let mut last = None;
        for piece in pieces {
            if let Some(before) = last.replace(piece) {
                let Some(at) = behind.find(before) else { return false };
                behind = &behind[at + before.len()..];
            }
        }
        last.map_or(behind.is_empty(), |last| behind.ends_with(last))
    }
}

impl Stored {
    /// A value that a hand or a type has written as JSON; `None` if it would be taken for one that is kept apart, or not kept.
    pub fn written(json: Box<RawValue>) -> Option<Self> {
        let is_plain = ![APART, WITHHELD].iter().any(|begins| json.get().starts_with(begins));
        is_plain.then(|| Self { json: json.into(), apart: None })
    }

    /// What stands in a record for a value that is not kept.
    ///
    /// # Errors
    ///
    /// Fails only if the rest of it is no JSON.
    pub fn withhold(withheld: Withheld) -> serde_json::Result<Self> {
        let json = serde_json::value::to_raw_value(&Instead { withheld })?;
        Ok(Self { json: json.into(), apart: None })
    }

    /// What is known of the value, if it is not kept.
    pub fn withheld(&self) -> Option<Withheld> {
        let is_withheld = self.get().starts_with(WITHHELD);
        is_withheld.then(|| serde_json::from_str::<Instead>(self.get()).ok())?.map(|instead| instead.withheld)
    }

    /// A value as it stands in a record; `None` if that is no JSON, or says that it is kept apart and not where.
    pub(super) fn read(json: &str) -> Option<Self> {
        let stored = Self::from(RawValue::from_string(json.to_owned()).ok()?);
        (!stored.names_nothing()).then_some(stored)
    }

    /// Whether it begins as what says where a value is kept, and does not say it: a value would be taken for that.
    fn names_nothing(&self) -> bool {
        self.apart.is_none() && self.get().starts_with(APART)
    }

    /// What stands in a record for a value that is kept apart.
    ///
    /// # Errors
    ///
    /// Never fails for a name and a length.
    pub fn set_apart(blob: Apart) -> serde_json::Result<Self> {
        let json = serde_json::value::to_raw_value(&Blob { blob })?;
        Ok(Self { json: json.into(), apart: Some(Box::new(blob)) })
    }

    /// The JSON text, as it stands in a record.
    pub fn get(&self) -> &str {
        self.json.get()
    }

    /// Where the text is, if it is not here.
    pub fn apart(&self) -> Option<Apart> {
        self.apart.as_deref().copied()
    }
}

impl Eq for Stored {}

impl PartialEq for Stored {
    /// Whether both are the same text, or stand for the same.
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl From<Box<RawValue>> for Stored {
    /// A value as it stands in a record.
    fn from(json: Box<RawValue>) -> Self {
        let blob = json.get().starts_with(APART).then(|| serde_json::from_str::<Blob>(json.get()).ok()).flatten();
        Self { json: json.into(), apart: blob.map(|blob| Box::new(blob.blob)) }
    }
}

impl Serialize for Stored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Stored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Self::from(Box::<RawValue>::deserialize(deserializer)?);
        if stored.names_nothing() {
            return Err(D::Error::custom("`$blob` with another content"));
        }
        Ok(stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_a_value_is_read_as_it_was_written() {
        let apart = Apart { name: Uuid::from_u128(7), len: 300_000 };
        let text = serde_json::to_string(&Stored::set_apart(apart).unwrap()).unwrap();
        assert_eq!(text, r#"{"$blob":{"name":"00000000-0000-0000-0000-000000000007","len":300000}}"#);
        assert_eq!(serde_json::from_str::<Stored>(&text).unwrap().apart(), Some(apart));
        assert!(serde_json::from_str::<Stored>(r#"{"$blob":7}"#).is_err());
    }

    #[test]
    fn another_value_is_told_from_the_one_that_is_not_kept_by_its_rest() {
        let stored = |json: &str| Stored::from(RawValue::from_string(json.to_owned()).unwrap());
        let of = |rest: &str| Withheld { holds: "a password".into(), rest: Some(stored(rest)) };
        let known = of(r#"{"list":["ada [redacted]","bob [redacted]"],"n":2}"#);
        assert!(known.may_be(r#"{"list":["ada pw1","bob pw2"],"n":2}"#));
        assert!(known.may_be(r#"{"list":["ada [redacted]","bob x"],"n":2}"#), "another start may know other secrets");
        for other in [r#"{"list":["bob pw2","ada pw1"],"n":2}"#, r#"{"list":["ada pw1","bob pw2"],"n":3}"#, "null", ""]
        {
            assert!(!known.may_be(other), "{other}");
        }
        assert!(of(r#""[redacted]""#).may_be(r#""key""#) && !of(r#""[redacted]""#).may_be("7"));
        assert!(Withheld { holds: String::new(), rest: None }.may_be("7"));
    }

    #[test]
    fn raw_json_cannot_pass_for_a_value_that_is_kept_apart() {
        let forged = RawValue::from_string(r#"{"$blob":{"name":"x","len":1}}"#.to_owned()).unwrap();
        assert!(Stored::written(forged).is_none());
    }
}
