//! Numbers for whoever reads without a hint.
//!
//! With its feature `arbitrary_precision` on, which any crate of a user's tree may do, `serde_json` gives such readers no
//! number but an object with a name of its own. Its own `Value` knows that; a tagged or flattened type of serde does not.

use std::fmt;
use std::sync::LazyLock;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Error;

/// Whether `serde_json` gives numbers as objects.
pub(super) fn are_objects() -> bool {
    static ARE_OBJECTS: LazyLock<bool> =
        LazyLock::new(|| serde_json::from_str("0.5").is_ok_and(|Given { is_object }| is_object));
    *ARE_OBJECTS
}

/// How a number is given.
struct Given {
    is_object: bool,
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Look;

        impl<'de> Visitor<'de> for Look {
            type Value = Given;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E>(self, _: f64) -> Result<Given, E> {
                Ok(Given { is_object: false })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given, A::Error> {
                while map.next_entry::<String, String>()?.is_some() {}
                Ok(Given { is_object: true })
            }
        }

        deserializer.deserialize_any(Look)
    }
}

/// Visits the number as one. What no number of 64 bits says digit for digit is left to `serde_json`, unless it may be
/// rounded.
pub(super) fn visit<'de, V: Visitor<'de>>(text: &'de str, rounds: bool, visitor: V) -> Result<V::Value, Error> {
    if let Ok(number) = text.parse() {
        return visitor.visit_u64(number);
    }
    match text.parse() {
        // A zero with a sign is a float.
        Ok(0) | Err(_) => {}
        Ok(number) => return visitor.visit_i64(number),
    }
    match serde_json::from_str::<f64>(text) {
        Ok(float) if rounds || serde_json::to_string(&float).is_ok_and(|same| same == text) => visitor.visit_f64(float),
        _ => serde_json::Deserializer::from_str(text).deserialize_any(visitor),
    }
}
