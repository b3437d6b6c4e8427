//! The values of one step.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::core::record::Stored;
use crate::core::value;

/// How the values of one step are written and read: function pointers, so that the bound stands in one place.
pub struct Codec<T> {
    pub(crate) encode: fn(&T) -> Result<Stored, String>,
    pub(crate) decode: fn(&Stored) -> Result<T, String>,
    pub(crate) type_name: &'static str,
}

impl<T: Serialize + DeserializeOwned> Codec<T> {
    pub(crate) fn new() -> Self {
        Self { encode: value::encode::<T>, decode: value::decode::<T>, type_name: std::any::type_name::<T>() }
    }
}

impl<T> fmt::Debug for Codec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Codec({})", self.type_name)
    }
}

/// The value as text that is the same for equal values, whatever order their maps and sets have.
pub(crate) fn canonical<T: Serialize + ?Sized>(value: &T) -> Result<String, String> {
    value::encode_sorted(value).and_then(|json| value::canonical(json.get()))
}
