//! Many keys, in their order, in one text: a registry holds as many as there were ever steps.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};

/// Keys in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Keys {
    /// The key at this place, from 0.
    pub(super) fn get(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)?;
        let from = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[from..end])
    }

    /// The first one.
    pub(super) fn first(&self) -> Option<&str> {
        self.get(0)
    }

    /// All from this place on.
    pub(super) fn from(&self, place: usize) -> impl Iterator<Item = &str> {
        (place..self.ends.len()).filter_map(|place| self.get(place))
    }

    fn push(&mut self, key: &str) {
        self.text += key;
        self.ends.push(self.text.len());
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Array;
        impl<'de> Visitor<'de> for Array {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of keys")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Keys, A::Error> {
                let mut keys = Keys::default();
                while array.next_element_seed(Next(&mut keys))?.is_some() {}
                Ok(keys)
            }
        }
        deserializer.deserialize_seq(Array)
    }
}

/// Takes in the next key.
struct Next<'a>(&'a mut Keys);

impl<'de> DeserializeSeed<'de> for Next<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Next<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<(), E> {
        self.0.push(key);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_array_of_any_texts_is_read_in_its_order(keys: Vec<String>, from in 0..9_usize) {
            let read: Keys = serde_json::from_str(&serde_json::to_string(&keys).unwrap()).unwrap();
            prop_assert_eq!(read.from(from).collect::<Vec<_>>(), keys.iter().skip(from).collect::<Vec<_>>());
            prop_assert_eq!(read.first(), keys.first().map(String::as_str));
            prop_assert_eq!(read.get(keys.len()), None);
        }
    }

    #[test]
    fn what_is_no_array_of_texts_is_none_of_keys() {
        for json in ["", "{}", "[1]", r#"["a",]"#, r#"["a" "b"]"#, r#"["a"] x"#, r#"[["a"]]"#, "[null]", r#"["a"#] {
            assert!(serde_json::from_str::<Keys>(json).is_err(), "{json}");
            assert!(serde_json::from_str::<Vec<String>>(json).is_err(), "{json}");
        }
    }
}
