//! What is written is what is read, in every shape that serde knows.

mod plain;
mod properties;
mod shapes;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::read::Reader;
use super::{Stored, decode, encode};

/// The text that is written, if the value that is read is the same.
fn kept<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
    let stored = encode(value).unwrap_or_else(|error| panic!("{value:?} cannot be written: {error}"));
    let text = stored.get().to_owned();
    let read: T = decode(&stored).unwrap_or_else(|error| panic!("{text} cannot be read: {error}"));
    assert_eq!(read, *value, "{text}");
    // As in a tree in which `serde_json` can be left nothing that holds other values.
    let read = T::deserialize(Reader::alone(&text)).unwrap_or_else(|error| panic!("{text} cannot be read: {error}"));
    assert_eq!(read, *value, "{text}");
    text
}

/// The value of a text that a hand has written.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    decode(&stored(text))
}

fn stored(text: &str) -> Stored {
    RawValue::from_string(text.to_owned()).unwrap().into()
}
