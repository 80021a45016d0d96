//! The bytes of a datum that are still to be read.
//!
//! It never reads beyond their end, and never trusts a length that it reads.

use super::DatumError;

/// The most bytes of a number: 64 bits, seven a byte.
const LONGEST: u32 = 10;

/// What is left of a datum.
pub(super) struct Input<'de>(pub(super) &'de [u8]);

impl<'de> Input<'de> {
    fn byte(&mut self) -> Result<u8, DatumError> {
        let (first, rest) = self.0.split_first().ok_or_else(ended)?;
        self.0 = rest;
        Ok(*first)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DatumError> {
        let (first, rest) = self.0.split_first_chunk().ok_or_else(ended)?;
        self.0 = rest;
        Ok(*first)
    }

    /// A zigzag number, seven bits a byte.
    pub(super) fn number(&mut self) -> Result<i64, DatumError> {
        let mut bits = 0_u64;
        for place in 0..LONGEST {
            let byte = self.byte()?;
            bits |= u64::from(byte & 0x7f) << (place * 7);
            if byte & 0x80 == 0 {
                return Ok((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed());
            }
        }
        Err(DatumError::new("a number of more than 64 bits"))
    }

    pub(super) fn int(&mut self) -> Result<i32, DatumError> {
        let number = self.number()?;
        i32::try_from(number).map_err(|_| DatumError::new(format_args!("{number} is no int")))
    }

    pub(super) fn double(&mut self) -> Result<f64, DatumError> {
        self.array().map(f64::from_le_bytes)
    }

    pub(super) fn boolean(&mut self) -> Result<bool, DatumError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(DatumError::new(format_args!("{other} is no boolean"))),
        }
    }

    pub(super) fn bytes(&mut self) -> Result<&'de [u8], DatumError> {
        let length = self.number()?;
        let length = usize::try_from(length).map_err(|_| ended())?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(ended)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(super) fn text(&mut self) -> Result<&'de str, DatumError> {
        std::str::from_utf8(self.bytes()?).map_err(DatumError::new)
    }

    /// How many items the next block of a list has; none after the last.
    pub(super) fn block(&mut self) -> Result<u64, DatumError> {
        let count = self.number()?;
        if count < 0 {
            // A block that can be skipped: its length in bytes follows.
            self.number()?;
        }
        Ok(count.unsigned_abs())
    }
}

fn ended() -> DatumError {
    DatumError::new("the bytes end within a value")
}
