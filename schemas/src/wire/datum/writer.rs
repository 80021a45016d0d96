//! Writes values as Avro has them: a record is its fields one after the other, a list its items.
//!
//! It never writes a value that Avro has no form of: that is an error.

use serde::Serialize;
use serde::ser::{Error, Impossible, SerializeSeq, SerializeStruct, Serializer};

use super::output::{put_bytes, put_length, put_number, put_text};
use super::{DatumError, NULL, OTHER};

/// Appends to a message.
pub(super) struct Writer<'a>(pub(super) &'a mut Vec<u8>);

/// What no record has.
type Never = Impossible<(), DatumError>;

fn foreign(what: &str) -> DatumError {
    DatumError::custom(format_args!("a record has no {what}"))
}

/// Types that no record has.
macro_rules! refuse {
    ($($method:ident: $type:ty),+ $(,)?) => {
        $(fn $method(self, _: $type) -> Result<(), DatumError> {
            Err(foreign(stringify!($type)))
        })+
    };
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = DatumError;
    type SerializeSeq = Fields<'a>;
    type SerializeStruct = Fields<'a>;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStructVariant = Never;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), DatumError> {
        self.0.push(u8::from(value));
        Ok(())
    }

    fn serialize_i32(self, value: i32) -> Result<(), DatumError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), DatumError> {
        put_number(self.0, value);
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), DatumError> {
        self.0.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), DatumError> {
        put_text(self.0, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), DatumError> {
        put_bytes(self.0, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), DatumError> {
        self.serialize_i64(NULL)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), DatumError> {
        put_number(self.0, OTHER);
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), DatumError> {
        self.serialize_i64(index.into())
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), DatumError> {
        value.serialize(self)
    }

    /// A list is one block of all its items, and a block of none.
    fn serialize_seq(self, length: Option<usize>) -> Result<Fields<'a>, DatumError> {
        let length = length.ok_or_else(|| foreign("list of unknown length"))?;
        if length > 0 {
            put_length(self.0, length);
        }
        Ok(Fields(self.0))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'a>, DatumError> {
        Ok(Fields(self.0))
    }

    refuse! {
        serialize_i8: i8, serialize_i16: i16, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32,
        serialize_u64: u64, serialize_f32: f32, serialize_char: char, serialize_unit_struct: &'static str,
    }

    fn serialize_unit(self) -> Result<(), DatumError> {
        Err(foreign("unit"))
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), DatumError> {
        Err(foreign("variant with a value"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Never, DatumError> {
        Err(foreign("tuple"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Never, DatumError> {
        Err(foreign("tuple"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never, DatumError> {
        Err(foreign("variant with a tuple"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Never, DatumError> {
        Err(foreign("map"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never, DatumError> {
        Err(foreign("variant with fields"))
    }
}

/// The parts that are being written.
pub(super) struct Fields<'a>(&'a mut Vec<u8>);

impl SerializeStruct for Fields<'_> {
    type Ok = ();
    type Error = DatumError;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        _: &'static str,
        value: &T,
    ) -> Result<(), DatumError> {
        value.serialize(Writer(self.0))
    }

    /// Its place would be empty, and what follows would be read in it.
    fn skip_field(&mut self, name: &'static str) -> Result<(), DatumError> {
        Err(DatumError::custom(format_args!("the field {name} is missing")))
    }

    fn end(self) -> Result<(), DatumError> {
        Ok(())
    }
}

impl SerializeSeq for Fields<'_> {
    type Ok = ();
    type Error = DatumError;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), DatumError> {
        value.serialize(Writer(self.0))
    }

    fn end(self) -> Result<(), DatumError> {
        // A block of no items.
        self.0.push(0);
        Ok(())
    }
}
