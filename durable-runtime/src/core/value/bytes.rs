//! Sequences of `u8`: told from others while they are written, and read back one by one.

use serde::de::value::SeqDeserializer;
use serde::de::{self, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Impossible, Serialize, Serializer};

/// From this length on, base64 is shorter than a list of numbers by so much that it is worth being unreadable.
pub(super) const COMPACT_FROM: usize = 17;

/// The byte that a value is written as, if it is one.
pub(super) fn byte_of<T: Serialize + ?Sized>(value: &T) -> Option<u8> {
    value.serialize(Probe).ok()
}

/// Takes a `u8`, and nothing else.
struct Probe;

/// It is no `u8`.
#[derive(Debug)]
struct Other;

impl std::fmt::Display for Other {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not a byte")
    }
}

impl std::error::Error for Other {}

impl serde::ser::Error for Other {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Refuses scalars.
macro_rules! refuse {
    ($($method:ident($ty:ty))*) => { $(fn $method(self, _: $ty) -> Result<u8, Other> { Err(Other) })* };
}

/// Refuses what holds other values.
macro_rules! refuse_compound {
    ($($method:ident($($ty:ty),*) -> $compound:ident;)*) => {
        $(fn $method(self, $(_: $ty),*) -> Result<Self::$compound, Other> { Err(Other) })*
    };
}

impl Serializer for Probe {
    type Ok = u8;
    type Error = Other;
    type SerializeSeq = Impossible<u8, Other>;
    type SerializeTuple = Impossible<u8, Other>;
    type SerializeTupleStruct = Impossible<u8, Other>;
    type SerializeTupleVariant = Impossible<u8, Other>;
    type SerializeMap = Impossible<u8, Other>;
    type SerializeStruct = Impossible<u8, Other>;
    type SerializeStructVariant = Impossible<u8, Other>;

    fn serialize_u8(self, byte: u8) -> Result<u8, Other> {
        Ok(byte)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<u8, Other> {
        value.serialize(self)
    }

    refuse! {
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_f32(f32) serialize_f64(f64)
        serialize_i128(i128) serialize_u128(u128)
        serialize_char(char) serialize_str(&str) serialize_bytes(&[u8]) serialize_unit_struct(&'static str)
    }

    refuse_compound! {
        serialize_seq(Option<usize>) -> SerializeSeq;
        serialize_tuple(usize) -> SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> SerializeTupleVariant;
        serialize_map(Option<usize>) -> SerializeMap;
        serialize_struct(&'static str, usize) -> SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> SerializeStructVariant;
    }

    fn serialize_none(self) -> Result<u8, Other> {
        Err(Other)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<u8, Other> {
        Err(Other)
    }

    fn serialize_unit(self) -> Result<u8, Other> {
        Err(Other)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<u8, Other> {
        Err(Other)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<u8, Other> {
        Err(Other)
    }

    fn collect_str<T: std::fmt::Display + ?Sized>(self, _: &T) -> Result<u8, Other> {
        Err(Other)
    }
}

/// Visits the bytes as a sequence.
pub(super) fn visit<'de, V: Visitor<'de>>(bytes: Vec<u8>, visitor: V) -> Result<V::Value, serde_json::Error> {
    let mut sequence = SeqDeserializer::new(bytes.into_iter().map(Byte));
    let value = visitor.visit_seq(&mut sequence)?;
    sequence.end()?;
    Ok(value)
}

/// One element.
struct Byte(u8);

impl IntoDeserializer<'_, serde_json::Error> for Byte {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> de::Deserializer<'de> for Byte {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_u8(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}
