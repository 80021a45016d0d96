//! What has parts: the fields of a record and the items of a list, written one after the other and read so.
//!
//! It does not know their names.

use serde::Serialize;
use serde::de::{DeserializeSeed, SeqAccess};
use serde::ser::{Error, SerializeSeq, SerializeStruct};

use super::DatumError;
use super::input::Input;
use super::reader::Reader;
use super::writer::Writer;

/// The parts that are being written.
pub(super) struct Fields<'a>(pub(super) &'a mut Vec<u8>);

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

/// The fields of a record that are still to be read.
pub(super) struct FieldsRead<'a, 'de> {
    pub(super) input: &'a mut Input<'de>,
    pub(super) left: usize,
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
pub(super) struct ItemsRead<'a, 'de> {
    pub(super) input: &'a mut Input<'de>,
    /// Of the block that was begun.
    pub(super) left: u64,
    pub(super) is_over: bool,
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
