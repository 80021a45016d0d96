//! Reads values as Avro has them, of the types that the fields of a struct ask for.
//!
//! It never finds out what a value is: Avro's bytes do not tell.

use serde::de::{DeserializeSeed, Deserializer};
use serde::de::{EnumAccess, Error, IntoDeserializer, SeqAccess, Unexpected, VariantAccess, Visitor};

use super::input::Input;
use super::{DatumError, NULL, OTHER};

/// Reads the next value.
pub(super) struct Reader<'a, 'de>(pub(super) &'a mut Input<'de>);

fn foreign<T>(what: &str) -> Result<T, DatumError> {
    Err(DatumError::custom(format_args!("a record has no {what}")))
}

/// Types that no record has.
macro_rules! refuse {
    ($($method:ident: $what:literal),+ $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, DatumError> {
            foreign($what)
        })+
    };
}

impl<'de> Deserializer<'de> for Reader<'_, 'de> {
    type Error = DatumError;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        visitor.visit_bool(self.0.boolean()?)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        visitor.visit_i32(self.0.int()?)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        visitor.visit_i64(self.0.number()?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        visitor.visit_f64(self.0.double()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        visitor.visit_borrowed_str(self.0.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        visitor.visit_borrowed_bytes(self.0.bytes()?)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        match self.0.number()? {
            NULL => visitor.visit_none(),
            OTHER => visitor.visit_some(self),
            branch => {
                Err(DatumError::invalid_value(Unexpected::Signed(branch), &"a branch of a union of two"))
            }
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DatumError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DatumError> {
        let left = self.0.block()?;
        visitor.visit_seq(ItemsRead { input: self.0, left, is_over: left == 0 })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DatumError> {
        visitor.visit_seq(FieldsRead { input: self.0, left: fields.len() })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DatumError> {
        visitor.visit_enum(Symbol(self.0.int()?))
    }

    refuse! {
        deserialize_any: "value of a type that its bytes tell", deserialize_i8: "i8", deserialize_i16: "i16",
        deserialize_u8: "u8", deserialize_u16: "u16", deserialize_u32: "u32", deserialize_u64: "u64",
        deserialize_f32: "f32", deserialize_char: "char", deserialize_unit: "unit", deserialize_map: "map",
        deserialize_identifier: "name of a field", deserialize_ignored_any: "value that nobody asks for",
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, _: V) -> Result<V::Value, DatumError> {
        foreign("unit")
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, DatumError> {
        foreign("tuple")
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        _: V,
    ) -> Result<V::Value, DatumError> {
        foreign("tuple")
    }
}

/// A symbol of an enum, by its place in the schema.
struct Symbol(i32);

impl<'de> EnumAccess<'de> for Symbol {
    type Error = DatumError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), DatumError> {
        let place = u32::try_from(self.0).map_err(DatumError::custom)?;
        let variant = seed.deserialize(IntoDeserializer::<DatumError>::into_deserializer(place))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Symbol {
    type Error = DatumError;

    fn unit_variant(self) -> Result<(), DatumError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, DatumError> {
        foreign("variant with a value")
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, DatumError> {
        foreign("variant with a tuple")
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, DatumError> {
        foreign("variant with fields")
    }
}

/// The fields of a record that are still to be read.
struct FieldsRead<'a, 'de> {
    input: &'a mut Input<'de>,
    left: usize,
}

impl<'de> SeqAccess<'de> for FieldsRead<'_, 'de> {
    type Error = DatumError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DatumError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(Reader(self.input)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// The items of a list that are still to be read.
struct ItemsRead<'a, 'de> {
    input: &'a mut Input<'de>,
    /// Of the block that was begun.
    left: u64,
    is_over: bool,
}

impl ItemsRead<'_, '_> {
    fn begin_block(&mut self) -> Result<(), DatumError> {
        self.left = self.input.block()?;
        self.is_over = self.left == 0;
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for ItemsRead<'_, 'de> {
    type Error = DatumError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DatumError> {
        if self.left == 0 && !self.is_over {
            self.begin_block()?;
        }
        if self.is_over {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(Reader(self.input)).map(Some)
    }

    /// An item is a byte at least, so a count that is a lie allocates no more than what was received.
    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.left).ok().map(|left| left.min(self.input.0.len()))
    }
}
