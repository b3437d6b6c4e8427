//! Writing: `serde_json` writes what JSON can say, this writes what holds it and what JSON cannot say.

use serde::ser::{Error as _, Serialize, SerializeSeq as _, Serializer};
use serde_json::Error;

use super::MAX_DEPTH;
use super::canonical::canonical;
use super::compound::{Object, Sequence};
use super::escape::{self, Members};

/// The text of a value.
pub(super) fn text<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    written(value, 0, false)
}

/// The same, with the elements of each hash set in the order of their texts.
pub(super) fn sorted<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    written(value, 0, true)
}

fn written<T: Serialize + ?Sized>(value: &T, depth: usize, sorts: bool) -> Result<String, Error> {
    let mut writer = Writer { out: Vec::new(), depth, sorts };
    value.serialize(&mut writer)?;
    String::from_utf8(writer.out).map_err(Error::custom)
}

/// What has been written so far.
pub(super) struct Writer {
    pub(super) out: Vec<u8>,
    depth: usize,
    /// Whether the elements of a hash set are sorted.
    sorts: bool,
}

impl Writer {
    pub(super) fn plain<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut serde_json::Serializer::new(&mut self.out))
    }

    pub(super) fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    pub(super) fn escape(&mut self, name: &str, word: &str) -> Result<(), Error> {
        self.put("{\"");
        self.put(name);
        self.put("\":");
        self.plain(word)?;
        self.put("}");
        Ok(())
    }

    /// Begins what holds other values, and gives where it begins.
    pub(super) fn open(&mut self, bracket: &str) -> Result<usize, Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Error::custom(format_args!("it nests more than {MAX_DEPTH} deep")));
        }
        let start = self.out.len();
        self.put(bracket);
        Ok(start)
    }

    pub(super) fn close(&mut self, bracket: &str) {
        self.depth -= 1;
        self.put(bracket);
    }

    fn write_sorted<T: Serialize>(&mut self, elements: impl Iterator<Item = T>) -> Result<(), Error> {
        self.open("[")?;
        let text = |element| canonical(&written(&element, self.depth, true)?).map_err(Error::custom);
        let mut texts = elements.map(text).collect::<Result<Vec<_>, _>>()?;
        texts.sort_unstable();
        self.put(&texts.join(","));
        self.close("]");
        Ok(())
    }

    /// Begins the only member of an object: a variant with content.
    fn open_variant(&mut self, variant: &str) -> Result<usize, Error> {
        let start = self.open("{")?;
        self.plain(variant)?;
        self.put(":");
        Ok(start)
    }

    pub(super) fn close_variant(&mut self, start: usize) -> Result<(), Error> {
        self.close_object(start, 1)
    }

    /// Ends an object, and lets none with one member be taken for an escape.
    pub(super) fn close_object(&mut self, start: usize, members: usize) -> Result<(), Error> {
        if members == 1 && self.out[start..].starts_with(b"{\"$") {
            self.turn_into_pairs(start)?;
            self.close("]}");
        } else {
            self.close("}");
        }
        Ok(())
    }

    /// Writes the members that stand from `start` on as pairs, open for more.
    pub(super) fn turn_into_pairs(&mut self, start: usize) -> Result<(), Error> {
        let mut object = self.out.split_off(start);
        object.push(b'}');
        let Members(members) = serde_json::from_slice(&object)?;
        self.put("{\"");
        self.put(escape::MAP);
        self.put("\":[");
        for (index, (name, value)) in members.iter().enumerate() {
            self.put(if index == 0 { "[" } else { ",[" });
            self.plain(name.as_ref())?;
            self.put(",");
            self.put(value.get());
            self.put("]");
        }
        Ok(())
    }
}

/// Whether this is a reference to a hash set, as serde hands it over: only its type knows that its order means nothing.
fn is_hash_set<I>() -> bool {
    let name = std::any::type_name::<I>();
    name.split('<').next().is_some_and(|path| path.ends_with("HashSet"))
}

macro_rules! plain {
    ($($method:ident($ty:ty))*) => {
        $(fn $method(self, value: $ty) -> Result<(), Error> { self.plain(&value) })*
    };
}

impl<'a> Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Sequence<'a>;
    type SerializeTuple = Sequence<'a>;
    type SerializeTupleStruct = Sequence<'a>;
    type SerializeTupleVariant = Sequence<'a>;
    type SerializeMap = Object<'a>;
    type SerializeStruct = Object<'a>;
    type SerializeStructVariant = Object<'a>;

    plain! {
        serialize_bool(bool) serialize_char(char) serialize_str(&str)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
    }

    fn serialize_i128(self, value: i128) -> Result<(), Error> {
        match (u64::try_from(value), i64::try_from(value)) {
            (Ok(value), _) => self.plain(&value),
            (_, Ok(value)) => self.plain(&value),
            _ => self.escape(escape::INTEGER, &value.to_string()),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<(), Error> {
        match u64::try_from(value) {
            Ok(value) => self.plain(&value),
            Err(_) => self.escape(escape::INTEGER, &value.to_string()),
        }
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        if value.is_finite() {
            // The same digits as those of an `f64`: whoever reads without a hint knows floats by these alone.
            let digits = serde_json::to_string(&value)?;
            return self.plain(&serde_json::from_str::<f64>(&digits)?);
        }
        self.escape(escape::FLOAT, &escape::float_word(escape::widened(value)))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        if value.is_finite() { self.plain(&value) } else { self.escape(escape::FLOAT, &escape::float_word(value)) }
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.escape(escape::BYTES, &escape::base64(value))
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.plain(&())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        let start = self.out.len();
        value.serialize(&mut *self)?;
        let inner = &self.out[start..];
        if inner == b"null" || inner.starts_with(b"{\"$some\":") {
            let open = [b"{\"", escape::SOME.as_bytes(), b"\":"].concat();
            self.out.splice(start..start, open);
            self.put("}");
        }
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.plain(&())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.plain(&())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.plain(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let start = self.open_variant(variant)?;
        value.serialize(&mut *self)?;
        self.close_variant(start)
    }

    fn collect_seq<I: IntoIterator<Item: Serialize>>(self, elements: I) -> Result<(), Error> {
        if self.sorts && is_hash_set::<I>() {
            return self.write_sorted(elements.into_iter());
        }
        let mut sequence = self.serialize_seq(None)?;
        elements.into_iter().try_for_each(|element| sequence.serialize_element(&element))?;
        sequence.end()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Sequence<'a>, Error> {
        Sequence::open(self, None)
    }

    fn serialize_tuple(self, _: usize) -> Result<Sequence<'a>, Error> {
        Sequence::open(self, None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Sequence<'a>, Error> {
        Sequence::open(self, None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Sequence<'a>, Error> {
        let around = self.open_variant(variant)?;
        Sequence::open(self, Some(around))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Object<'a>, Error> {
        Object::open(self, None)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Object<'a>, Error> {
        if name.starts_with(escape::ITS_OWN) {
            return Ok(Object::its_own(self, name));
        }
        Object::open(self, None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Object<'a>, Error> {
        let around = self.open_variant(variant)?;
        Object::open(self, Some(around))
    }
}
