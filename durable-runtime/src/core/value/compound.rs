//! What holds other values, while it is written.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Error;

use super::bytes::{COMPACT_FROM, byte_of};
use super::escape;
use super::write::Writer;

/// A sequence that is being written.
pub(super) struct Sequence<'a> {
    writer: &'a mut Writer,
    /// Where the variant begins that it is the content of.
    around: Option<usize>,
    is_empty: bool,
    /// The elements, as long as each is a `u8`: none is written yet.
    bytes: Option<Vec<u8>>,
}

impl<'a> Sequence<'a> {
    pub(super) fn open(writer: &'a mut Writer, around: Option<usize>) -> Result<Self, Error> {
        writer.open("")?;
        Ok(Self { writer, around, is_empty: true, bytes: Some(Vec::new()) })
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        if let Some(bytes) = &mut self.bytes {
            if let Some(byte) = byte_of(value) {
                bytes.push(byte);
                return Ok(());
            }
            self.list()?;
        }
        self.next();
        value.serialize(&mut *self.writer)
    }

    /// Writes as numbers what has been held back.
    fn list(&mut self) -> Result<(), Error> {
        let Some(bytes) = self.bytes.take() else { return Ok(()) };
        self.writer.put("[");
        bytes.iter().try_for_each(|byte| {
            self.next();
            self.writer.plain(byte)
        })
    }

    fn next(&mut self) {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.writer.put(",");
        }
    }

    fn close(mut self) -> Result<(), Error> {
        match self.bytes.take_if(|bytes| bytes.len() >= COMPACT_FROM) {
            Some(bytes) => {
                self.writer.escape(escape::SEQUENCE, &escape::base64(&bytes))?;
                self.writer.close("");
            }
            None => {
                self.list()?;
                self.writer.close("]");
            }
        }
        self.around.map_or(Ok(()), |start| self.writer.close_variant(start))
    }
}

/// A map or a struct that is being written.
pub(super) struct Object<'a> {
    writer: &'a mut Writer,
    start: usize,
    /// Where the variant begins that it is the content of.
    around: Option<usize>,
    members: usize,
    /// Whether a key was no string.
    is_pairs: bool,
    /// The struct's name, if only `serde_json` knows how it is written.
    its_own: Option<&'static str>,
}

impl<'a> Object<'a> {
    pub(super) fn open(writer: &'a mut Writer, around: Option<usize>) -> Result<Self, Error> {
        let start = writer.open("{")?;
        Ok(Self::new(writer, start, around))
    }

    pub(super) fn its_own(writer: &'a mut Writer, name: &'static str) -> Self {
        Self { its_own: Some(name), ..Self::new(writer, 0, None) }
    }

    fn new(writer: &'a mut Writer, start: usize, around: Option<usize>) -> Self {
        Self { writer, start, around, members: 0, is_pairs: false, its_own: None }
    }

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let end = self.writer.out.len();
        self.next();
        let at = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        if !self.is_pairs && self.writer.out[at] != b'"' {
            let key = self.writer.out.split_off(at);
            self.writer.out.truncate(end);
            self.writer.turn_into_pairs(self.start)?;
            self.is_pairs = true;
            self.next();
            self.writer.out.extend(key);
        }
        self.writer.put(if self.is_pairs { "," } else { ":" });
        Ok(())
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut *self.writer)?;
        if self.is_pairs {
            self.writer.put("]");
        }
        self.members += 1;
        Ok(())
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        if let Some(name) = self.its_own {
            return self.writer.plain(&Single { name, key, value });
        }
        self.key(key)?;
        self.value(value)
    }

    fn next(&mut self) {
        if self.members > 0 {
            self.writer.put(",");
        }
        if self.is_pairs {
            self.writer.put("[");
        }
    }

    fn close(self) -> Result<(), Error> {
        match self.its_own {
            Some(_) => return Ok(()),
            None if self.is_pairs => self.writer.close("]}"),
            None => self.writer.close_object(self.start, self.members)?,
        }
        self.around.map_or(Ok(()), |start| self.writer.close_variant(start))
    }
}

/// A struct of one field, as `serde_json` made it.
struct Single<'a, T: ?Sized> {
    name: &'static str,
    key: &'static str,
    value: &'a T,
}

impl<T: Serialize + ?Sized> Serialize for Single<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct(self.name, 1)?;
        fields.serialize_field(self.key, self.value)?;
        fields.end()
    }
}

/// The traits of what holds other values differ in their names alone.
macro_rules! compound {
    ($($name:ident for $compound:ident: $method:ident => $does:ident($($key:ident: $ty:ty)?);)*) => {
        $(impl $name for $compound<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: $ty,)? value: &T) -> Result<(), Error> {
                self.$does($($key,)? value)
            }

            fn end(self) -> Result<(), Error> {
                self.close()
            }
        })*
    };
}

compound! {
    SerializeSeq for Sequence: serialize_element => element();
    SerializeTuple for Sequence: serialize_element => element();
    SerializeTupleStruct for Sequence: serialize_field => element();
    SerializeTupleVariant for Sequence: serialize_field => element();
    SerializeStruct for Object: serialize_field => field(key: &'static str);
    SerializeStructVariant for Object: serialize_field => field(key: &'static str);
}

impl SerializeMap for Object<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.value(value)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}
