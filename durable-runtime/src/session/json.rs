//! Values in a tree in which `serde_json` keeps numbers as text: its feature `arbitrary_precision`, which any crate of the
//! tree may turn on for all. A type that asks what comes next, such as an enum that is `untagged` or has a `tag`, and a
//! struct with `flatten`, is then given a map for each float, which it cannot read. Here it is given the float.

use std::fmt;
use std::sync::LazyLock;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Error, Number};

/// The text of one value.
#[derive(Clone, Copy)]
pub(super) struct Json<'de>(pub(super) &'de str);

/// The text of the name of a member, in its quotes.
struct Name<'de>(&'de str);

/// The members of an object, in their order.
struct Members<'de>(Vec<(&'de RawValue, &'de RawValue)>);

/// Whether numbers are text in this tree.
pub(super) fn keeps_numbers_as_text() -> bool {
    static KEEPS: LazyLock<bool> =
        LazyLock::new(|| serde_json::from_str::<Number>("1.50").is_ok_and(|number| number.to_string() == "1.50"));
    *KEEPS
}

impl<'de> Json<'de> {
    fn text(self) -> &'de str {
        self.0
    }

    /// As an integer or a float, where that has this text; what has more digits than either stays text.
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Some(number) = self.0.parse::<u64>().ok().filter(|number| number.to_string() == self.0) {
            return visitor.visit_u64(number);
        }
        if let Some(number) = self.0.parse::<i64>().ok().filter(|number| number.to_string() == self.0) {
            return visitor.visit_i64(number);
        }
        match self.0.parse::<f64>() {
            Ok(number) if serde_json::to_string(&number)? == self.0 => visitor.visit_f64(number),
            _ => serde_json::Deserializer::from_str(self.0).deserialize_any(visitor),
        }
    }

    fn object<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut members = serde_json::from_str::<Members<'de>>(self.0)?.access();
        let value = visitor.visit_map(&mut members)?;
        members.end()?;
        Ok(value)
    }

    fn array<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let items: Vec<&'de RawValue> = serde_json::from_str(self.0)?;
        let mut items = SeqDeserializer::new(items.into_iter().map(|item| Json(item.get())));
        let value = visitor.visit_seq(&mut items)?;
        items.end()?;
        Ok(value)
    }
}

impl<'de> Name<'de> {
    fn quoted(&self) -> &'de str {
        self.0
    }

    fn unquoted(&self) -> &'de str {
        self.0.trim_matches('"')
    }
}

/// Methods that leave a text to `serde_json`.
macro_rules! forward {
    ($text:ident: $($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            serde_json::Deserializer::from_str(self.$text()).$method(visitor)
        }
    )*};
}

/// A scalar is read by `serde_json`, and so is whatever is not what it should be, for the error.
impl<'de> Deserializer<'de> for Json<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.as_bytes().first() {
            Some(b'{') => self.object(visitor),
            Some(b'[') => self.array(visitor),
            Some(b'-' | b'0'..=b'9') => self.number(visitor),
            _ => serde_json::Deserializer::from_str(self.0).deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0 == "null" { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        // That of a text which is not to be read.
        if name == "$serde_json::private::RawValue" {
            return serde_json::Deserializer::from_str(self.0).deserialize_newtype_struct(name, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.0.starts_with('{') {
            let members: Members<'de> = serde_json::from_str(self.0)?;
            if members.0.len() == 1 {
                return visitor.visit_enum(MapAccessDeserializer::new(members.access()));
            }
        }
        serde_json::Deserializer::from_str(self.0).deserialize_enum(name, variants, visitor)
    }

    forward! { text:
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        serde_json::Deserializer::from_str(self.0).deserialize_unit_struct(name, visitor)
    }

    serde::forward_to_deserialize_any! { seq tuple tuple_struct map struct }
}

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Error;

    forward! { quoted:
        deserialize_any deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_identifier deserialize_ignored_any
    }

    // A number or a `bool` stands in the quotes.
    forward! { unquoted:
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        Json(self.0).deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! { unit unit_struct seq tuple tuple_struct map struct }
}

impl<'de> IntoDeserializer<'de, Error> for Json<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> IntoDeserializer<'de, Error> for Name<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Members<'de> {
    fn access(self) -> MapDeserializer<'de, impl Iterator<Item = (Name<'de>, Json<'de>)>, Error> {
        MapDeserializer::new(self.0.into_iter().map(|(name, value)| (Name(name.get()), Json(value.get()))))
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use super::*;
    use crate::session::codec;

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Rate { cents: u64, rate: f64, change: i32 },
        None,
    }

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(tag = "kind", content = "value")]
    enum Adjacent {
        Rate(f64),
    }

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Whole(u64),
        Part(f64),
        List(Vec<Untagged>),
        Text(String),
    }

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct Flat {
        id: u32,
        #[serde(flatten)]
        rest: BTreeMap<String, f64>,
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
    enum Plain {
        Unit,
        Newtype(Option<Option<u8>>),
        Tuple(i8, char),
        Struct { list: Vec<(u8, String)>, unit: () },
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
    struct Id(u128);

    /// The value is read back, be numbers text in this tree or not.
    fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
        let stored = codec::encode(value).unwrap();
        assert_eq!(&T::deserialize(Json(stored.get())).unwrap(), value, "{}", stored.get());
        assert_eq!(&codec::decode::<T>(&stored).unwrap(), value, "{}", stored.get());
    }

    #[test]
    fn g68_values_come_back_where_numbers_are_text() {
        for number in [0.1, -0.0, 1e300, 5e-324, 1.0, f64::MAX, 123_456_789.125] {
            comes_back(&number);
            comes_back(&Tagged::Rate { cents: u64::MAX, rate: number, change: i32::MIN });
            comes_back(&Adjacent::Rate(number));
            comes_back(&Untagged::List(vec![
                Untagged::Part(number),
                Untagged::Whole(7),
                Untagged::Text("é\"\n".into()),
            ]));
            comes_back(&Flat { id: 1, rest: BTreeMap::from([("a".into(), number), ("b".into(), 0.5)]) });
            comes_back(&serde_json::json!({ "b": [number, 3, null], "a": { "x": true } }));
        }
        comes_back(&Tagged::None);
    }

    #[test]
    fn g68_what_is_no_float_comes_back_as_before() {
        let list = vec![(1, "one".to_owned()), (2, "\u{1f600}".to_owned())];
        let all = [Plain::Unit, Plain::Newtype(None), Plain::Tuple(-1, '"'), Plain::Struct { list, unit: () }];
        comes_back(&all);
        comes_back(&all.into_iter().zip(0..).map(|(plain, n)| (n, Some(plain))).collect::<BTreeMap<u8, _>>());
        comes_back(&BTreeMap::from([(Id(u128::MAX), i128::MIN), (Id(0), 1)]));
        comes_back(&BTreeMap::from([(true, 'x'), (false, '\\')]));
        comes_back(&BTreeMap::from([("a\"b".to_owned(), Some(1)), ("é".to_owned(), None)]));
        comes_back(&BTreeMap::from([(Plain::Unit, 1)]));
        let text = r#"{ "kept":  [1.50, 2] }"#;
        assert_eq!(Box::<RawValue>::deserialize(Json(text)).unwrap().get(), text);
    }

    #[test]
    fn g68_what_does_not_fit_is_an_error() {
        for text in ["1.5", "[1]", "{}", r#"{"Unit":1,"Newtype":2}"#, r#""Other""#, r#"{"Tuple":[1,"a",3]}"#] {
            assert!(Plain::deserialize(Json(text)).is_err(), "{text}");
        }
        for text in ["-1", "1.5", "300", "\"1\"", "null"] {
            assert!(u8::deserialize(Json(text)).is_err(), "{text}");
        }
    }
}
