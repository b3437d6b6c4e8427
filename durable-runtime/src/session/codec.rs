//! Values as JSON text: written once, compared by content, read back exactly.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::json::{self, Json};
use crate::core::record::Stored;

/// How the values of one step are written and read: function pointers, so that the bound stands in one place.
pub struct Codec<T> {
    pub(crate) encode: fn(&T) -> Result<Stored, String>,
    pub(crate) decode: fn(&Stored) -> Result<T, String>,
    pub(crate) type_name: &'static str,
}

impl<T: Serialize + DeserializeOwned> Codec<T> {
    pub(crate) fn new() -> Self {
        Self { encode: encode::<T>, decode: decode::<T>, type_name: std::any::type_name::<T>() }
    }
}

impl<T> fmt::Debug for Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Codec({})", self.type_name)
    }
}

/// The value as JSON text.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Stored, String> {
    let json = serde_json::to_string(value).map_err(|error| error.to_string())?;
    // Between tokens a space says the same, and a log of lines can hold it: what is given now is what a replay gives.
    let line = if json.contains('\n') { json.replace('\n', " ") } else { json };
    RawValue::from_string(line).map(Stored::from).map_err(|error| error.to_string())
}

/// The value as text that is the same for equal values: the keys of every object sorted.
pub(crate) fn canonical<T: Serialize + ?Sized>(value: &T) -> Result<String, String> {
    encode(value).and_then(|json| sorted(json.get()))
}

/// The value of a text; the error names the place in it.
pub(crate) fn decode<T: DeserializeOwned>(stored: &Stored) -> Result<T, String> {
    let decoded = match json::keeps_numbers_as_text() {
        true => serde_path_to_error::deserialize(Json(stored.get())),
        false => serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(stored.get())),
    };
    decoded.map_err(|error| match error.path().to_string() {
        path if path == "." => error.inner().to_string(),
        path => format!("at {path}: {}", error.inner()),
    })
}

/// The same text with the keys of every object sorted. Numbers stay as they are written, digit for digit.
pub(crate) fn sorted(json: &str) -> Result<String, String> {
    let mut out = String::new();
    write_sorted(json, &mut out).map_err(|error| error.to_string())?;
    Ok(out)
}

fn write_sorted(json: &str, out: &mut String) -> serde_json::Result<()> {
    match json.as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(json)?;
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                out.push_str(&serde_json::to_string(name)?);
                out.push(':');
                write_sorted(value.get(), out)?;
            }
            out.push('}');
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json)?;
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_sorted(item.get(), out)?;
            }
            out.push(']');
        }
        _ => out.push_str(json),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_members_does_not_matter_and_digits_stay() {
        let one = sorted(r#"{"b":[{"y":1.50,"x":340282366920938463463374607431768211455}],"a":null}"#).unwrap();
        assert_eq!(one, r#"{"a":null,"b":[{"x":340282366920938463463374607431768211455,"y":1.50}]}"#);
    }

    #[test]
    fn an_error_names_the_place() {
        let stored = encode(&serde_json::json!({"a": ["x"]})).unwrap();
        let error = decode::<BTreeMap<String, Vec<u32>>>(&stored).unwrap_err();
        assert!(error.starts_with("at a[0]: invalid type: string"), "{error}");
    }
}
