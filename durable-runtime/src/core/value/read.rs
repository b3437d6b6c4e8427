//! Reading a text that holds escapes: this walks through what holds other values, `serde_json` reads the rest.

use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde_json::Error;
use serde_json::value::RawValue;

use super::access::{Elements, Entries, Key, Variant};
use super::escape::{self, Escape, Integer, Members};
use super::{MAX_DEPTH, bytes, number};

/// A value in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'de> {
    text: &'de str,
    depth: usize,
    /// Whether `serde_json` is given whole trees that hold no escape: it is faster, and knows less depth.
    hands_over: bool,
    /// Whether a number may be rounded for a reader that gives no hint: as it is where `serde_json` does not keep more.
    rounds: bool,
}

impl<'de> Reader<'de> {
    /// Leaves to `serde_json` what it can read.
    pub(super) fn new(text: &'de str) -> Self {
        Self { text, depth: 0, hands_over: !number::are_objects(), rounds: false }
    }

    /// Leaves to `serde_json` nothing that holds other values.
    pub(super) fn alone(text: &'de str) -> Self {
        Self { hands_over: false, ..Self::new(text) }
    }

    /// The same, and keeps no more of a number than a float does.
    pub(super) fn rounding(text: &'de str) -> Self {
        Self { rounds: true, ..Self::alone(text) }
    }

    /// The same for a part of the text.
    pub(super) fn inside(self, text: &'de str) -> Self {
        Self { text, ..self }
    }

    fn deeper(self) -> Result<Self, Error> {
        let depth = self.depth + 1;
        if depth > MAX_DEPTH {
            return Err(Error::custom(format_args!("it nests more than {MAX_DEPTH} deep")));
        }
        Ok(Self { depth, ..self })
    }

    fn plain(self) -> serde_json::Deserializer<serde_json::de::StrRead<'de>> {
        serde_json::Deserializer::from_str(self.text)
    }

    /// Whether `serde_json` is to read it: a scalar, or a tree without escapes.
    fn is_plain(self) -> bool {
        !self.text.starts_with(['{', '[']) || (self.hands_over && !escape::may_be_in(self.text))
    }

    fn is_number(self) -> bool {
        self.text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    }

    /// Visits what holds other values, and takes it for what it looks like.
    fn walk<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.text.starts_with('{') {
            let Members(members) = serde_json::from_str(self.text)?;
            let members = members.into_iter().map(|(name, value)| (Key::Name(name), value.get()));
            return self.map(members, visitor);
        }
        let elements: Vec<&RawValue> = serde_json::from_str(self.text)?;
        let mut elements = Elements { reader: self.deeper()?, left: elements.into_iter() };
        let value = visitor.visit_seq(&mut elements)?;
        match elements.left.len() {
            0 => Ok(value),
            _ => Err(Error::custom("it has more elements than are expected")),
        }
    }

    fn pairs<V: Visitor<'de>>(self, pairs: Vec<(&'de str, &'de str)>, visitor: V) -> Result<V::Value, Error> {
        let pairs = pairs.into_iter().map(|(key, value)| (Key::Value(self.inside(key)), value));
        self.map(pairs, visitor)
    }

    fn map<V, I>(self, members: I, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
        I: ExactSizeIterator<Item = (Key<'de>, &'de str)>,
    {
        let mut entries = Entries { reader: self.deeper()?, left: members, value: None };
        let value = visitor.visit_map(&mut entries)?;
        match entries.left.len() {
            0 => Ok(value),
            _ => Err(Error::custom("it has more members than are expected")),
        }
    }

    fn integer<V: Visitor<'de>>(self, integer: Integer, visitor: V) -> Result<V::Value, Error> {
        match integer {
            Integer::Unsigned(value) => match u64::try_from(value) {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_u128(value),
            },
            Integer::Signed(value) => match i64::try_from(value) {
                Ok(value) => visitor.visit_i64(value),
                Err(_) => visitor.visit_i128(value),
            },
        }
    }
}

macro_rules! scalars {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.plain().$method(visitor)
        })*
    };
}

macro_rules! integers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match Escape::of(self.text) {
                Some(Escape::Integer(integer)) => self.integer(integer, visitor),
                _ => self.plain().$method(visitor),
            }
        })*
    };
}

macro_rules! sequences {
    ($($method:ident($($name:ident: $ty:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $ty,)* visitor: V) -> Result<V::Value, Error> {
            match Escape::of(self.text) {
                Some(Escape::Bytes(bytes) | Escape::Sequence(bytes)) => bytes::visit(bytes, visitor),
                _ if self.is_plain() => self.plain().$method($($name,)* visitor),
                _ => self.walk(visitor),
            }
        })*
    };
}

macro_rules! objects {
    ($($method:ident($($name:ident: $ty:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $ty,)* visitor: V) -> Result<V::Value, Error> {
            match Escape::of(self.text) {
                Some(Escape::Map(pairs)) => self.pairs(pairs, visitor),
                _ if self.is_plain() => self.plain().$method($($name,)* visitor),
                _ => self.walk(visitor),
            }
        })*
    };
}

macro_rules! byte_strings {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match Escape::of(self.text) {
                Some(Escape::Bytes(bytes) | Escape::Sequence(bytes)) => visitor.visit_byte_buf(bytes),
                _ if self.is_plain() => self.plain().$method(visitor),
                _ => self.walk(visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match Escape::of(self.text) {
            Some(Escape::Float(float)) => visitor.visit_f64(float),
            Some(Escape::Integer(integer)) => self.integer(integer, visitor),
            Some(Escape::Some(inner)) => visitor.visit_some(self.inside(inner)),
            Some(Escape::Map(pairs)) => self.pairs(pairs, visitor),
            Some(Escape::Bytes(bytes)) => visitor.visit_byte_buf(bytes),
            Some(Escape::Sequence(bytes)) => bytes::visit(bytes, visitor),
            None if self.is_number() => number::visit(self.text, self.rounds, visitor),
            None if self.is_plain() => self.plain().deserialize_any(visitor),
            None => self.walk(visitor),
        }
    }

    scalars! {
        deserialize_bool deserialize_char deserialize_str deserialize_string deserialize_unit
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    sequences! {
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
    }

    objects! {
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
    }

    byte_strings! { deserialize_bytes deserialize_byte_buf }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match Escape::of(self.text) {
            Some(Escape::Float(float)) => visitor.visit_f32(escape::narrowed(float)),
            _ => self.plain().deserialize_f32(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match Escape::of(self.text) {
            Some(Escape::Float(float)) => visitor.visit_f64(float),
            _ => self.plain().deserialize_f64(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match Escape::of(self.text) {
            Some(Escape::Some(inner)) => visitor.visit_some(self.inside(inner)),
            _ if self.text == "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.plain().deserialize_unit_struct(name, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        // With such a name `serde_json` asks itself for the text as it stands.
        if name.starts_with(escape::ITS_OWN) {
            return self.plain().deserialize_newtype_struct(name, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.is_plain() {
            return self.plain().deserialize_enum(name, variants, visitor);
        }
        let single = match Escape::of(self.text) {
            Some(Escape::Map(pairs)) => pairs.first().filter(|_| pairs.len() == 1).copied().map(|(key, value)| {
                let key = Key::Value(self.inside(key));
                (key, value)
            }),
            _ => {
                let Members(members) = serde_json::from_str(self.text)?;
                let is_single = members.len() == 1;
                members.into_iter().next().filter(|_| is_single).map(|(name, value)| (Key::Name(name), value.get()))
            }
        };
        let (key, content) = single.ok_or_else(|| Error::invalid_type(Unexpected::Map, &"a variant"))?;
        visitor.visit_enum(Variant { key, content: self.deeper()?.inside(content) })
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.text.starts_with('"') {
            self.plain().deserialize_identifier(visitor)
        } else {
            self.deserialize_any(visitor)
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}
