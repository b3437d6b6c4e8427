//! What stands for a value that plain JSON has no word for: an object with one member, whose name says what it is.
//!
//! | text | value |
//! |---|---|
//! | `{"$f64":"NaN"}`, `"inf"`, `"-inf"`, or sixteen hex digits | a float that is no number; any other NaN by its bits |
//! | `{"$int":"340282366920938463463374607431768211455"}` | an integer beyond 64 bits |
//! | `{"$some":null}` | `Some` of what is itself written as `null`, or as such an object |
//! | `{"$map":[[key,value],..]}` | a map with a key that is no string, or an object that would look like one of these |
//! | `{"$bytes":"aGk="}` | bytes, in base64 |
//! | `{"$u8":"aGk="}` | a sequence of `u8`, in base64 |
//!
//! What has one of these names and another content is plain JSON, and so is an object with a second member.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

pub(super) const FLOAT: &str = "$f64";
pub(super) const INTEGER: &str = "$int";
pub(super) const SOME: &str = "$some";
pub(super) const MAP: &str = "$map";
pub(super) const BYTES: &str = "$bytes";
pub(super) const SEQUENCE: &str = "$u8";

/// With names that begin so `serde_json` speaks to itself: nobody else can write or read what bears one.
pub(super) const ITS_OWN: &str = "$serde_json::private::";

/// What an object stands for.
#[derive(Debug)]
pub(super) enum Escape<'de> {
    Float(f64),
    Integer(Integer),
    Some(&'de str),
    Map(Vec<(&'de str, &'de str)>),
    Bytes(Vec<u8>),
    Sequence(Vec<u8>),
}

/// An integer, in the narrowest type that visitors know it by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Integer {
    Unsigned(u128),
    Signed(i128),
}

/// Whether there can be an escape in this text.
pub(super) fn may_be_in(text: &str) -> bool {
    text.contains("\"$")
}

impl<'de> Escape<'de> {
    /// What this text stands for, if it is an escape.
    pub(super) fn of(text: &'de str) -> Option<Self> {
        if !text.strip_prefix('{')?.trim_start().starts_with("\"$") {
            return None;
        }
        let Members(members) = serde_json::from_str(text).ok()?;
        let [(name, content)] = members.as_slice() else { return None };
        let word = || serde_json::from_str::<Cow<'_, str>>(content.get()).ok();
        match name.as_ref() {
            FLOAT => float(&word()?).map(Self::Float),
            INTEGER => integer(&word()?).map(Self::Integer),
            SOME => Some(Self::Some(content.get())),
            MAP => pairs(content).map(Self::Map),
            BYTES => STANDARD.decode(word()?.as_bytes()).ok().map(Self::Bytes),
            SEQUENCE => STANDARD.decode(word()?.as_bytes()).ok().map(Self::Sequence),
            _ => None,
        }
    }
}

/// The word for a float that is no number.
pub(super) fn float_word(float: f64) -> String {
    match float {
        f64::INFINITY => "inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        float if float.to_bits() == f64::NAN.to_bits() => "NaN".to_owned(),
        float => format!("{:016x}", float.to_bits()),
    }
}

/// A float that is no number, with all its bits: a conversion by the processor would change some.
pub(super) fn widened(float: f32) -> f64 {
    if !float.is_nan() {
        return f64::from(float);
    }
    let bits = u64::from(float.to_bits());
    f64::from_bits((bits >> 31 << 63) | (0x7ff << 52) | ((bits & 0x7f_ffff) << 29))
}

/// The float that [`widened`] was given.
pub(super) fn narrowed(float: f64) -> f32 {
    if !float.is_nan() {
        return if float.is_sign_positive() { f32::INFINITY } else { f32::NEG_INFINITY };
    }
    let bits = float.to_bits();
    let kept = (bits >> 63 << 31) | (0xff << 23) | (bits >> 29 & 0x7f_ffff);
    // Of an `f64` whose bits are all beyond those of an `f32`, one is left: else it would be an infinity.
    u32::try_from(kept).ok().map(f32::from_bits).filter(|float| float.is_nan()).unwrap_or(f32::NAN)
}

fn float(word: &str) -> Option<f64> {
    match word {
        "NaN" => Some(f64::NAN),
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        bits if bits.len() == 16 => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
        _ => None,
    }
}

fn integer(word: &str) -> Option<Integer> {
    let unsigned = || word.parse().ok().map(Integer::Unsigned);
    unsigned().or_else(|| word.parse().ok().map(Integer::Signed))
}

/// The text of bytes.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The keys and values of a map that is written as pairs.
pub(super) fn pairs(content: &RawValue) -> Option<Vec<(&str, &str)>> {
    let pairs: Vec<(&RawValue, &RawValue)> = serde_json::from_str(content.get()).ok()?;
    Some(pairs.into_iter().map(|(key, value)| (key.get(), value.get())).collect())
}

/// The members of an object, as they stand in the text.
pub(super) struct Members<'de>(pub(super) Vec<(Cow<'de, str>, &'de RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Each)
    }
}

/// A member's name, borrowed where it stands in the text as it is.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
