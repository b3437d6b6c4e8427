//! What holds other values, while it is read.

use std::borrow::Cow;

use serde::Deserialize as _;
use serde::de::{
    DeserializeSeed, Deserializer as _, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::Error;
use serde_json::value::RawValue;

use super::name::Name;
use super::read::Reader;

/// The key of a member.
pub(super) enum Key<'de> {
    /// Of an object.
    Name(Cow<'de, str>),
    /// Of a map that is written as pairs.
    Value(Reader<'de>),
}

impl<'de> Key<'de> {
    fn read<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        match self {
            Self::Name(name) => seed.deserialize(Name(name)),
            Self::Value(reader) => seed.deserialize(reader),
        }
    }
}

/// The elements of a sequence that have not been read.
pub(super) struct Elements<'de, I> {
    pub(super) reader: Reader<'de>,
    pub(super) left: I,
}

impl<'de, I: ExactSizeIterator<Item = &'de RawValue>> SeqAccess<'de> for Elements<'de, I> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.left.next().map(|element| seed.deserialize(self.reader.inside(element.get()))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The members of a map that have not been read.
pub(super) struct Entries<'de, I> {
    pub(super) reader: Reader<'de>,
    pub(super) left: I,
    /// The value of the key that was read last.
    pub(super) value: Option<&'de str>,
}

impl<'de, I: ExactSizeIterator<Item = (Key<'de>, &'de str)>> MapAccess<'de> for Entries<'de, I> {
    type Error = Error;

    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some((key, value)) = self.left.next() else { return Ok(None) };
        self.value = Some(value);
        key.read(seed).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let value = self.value.take().ok_or_else(|| Error::custom("a value before its key"))?;
        seed.deserialize(self.reader.inside(value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// A variant with content.
pub(super) struct Variant<'de> {
    pub(super) key: Key<'de>,
    pub(super) content: Reader<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Error;
    type Variant = Content<'de>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Content<'de>), Error> {
        Ok((self.key.read(seed)?, Content(self.content)))
    }
}

/// The content of a variant.
pub(super) struct Content<'de>(Reader<'de>);

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        <()>::deserialize(self.0)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.0.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.0.deserialize_struct("", fields, visitor)
    }
}
