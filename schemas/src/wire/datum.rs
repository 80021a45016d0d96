//! Avro's binary encoding of the newest version of a record, written from its fields and read into them, in their order.
//!
//! It looks at no schema, which is what makes it cheap: that the fields of a struct are those of its schema, in the same order and of the
//! same types, is what `schemas/tests/datum.rs` compares with apache-avro for every type of record. What it must never do: read an
//! older version, whose fields are others; take bytes that apache-avro refuses; choose the first type of a union (a union here is of null and
//! one other type).
//!
//! Source: Apache Avro 1.12, "Binary encoding".

mod input;
mod output;
mod reader;
mod writer;

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use input::Input;
use reader::Reader;
use writer::Writer;

pub(super) use output::{put_number, put_text};

/// The branches of a union of null and another type.
pub(super) const NULL: i64 = 0;
pub(super) const OTHER: i64 = 1;

/// Why a value cannot be written, or bytes cannot be read.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct DatumError(String);

impl DatumError {
    fn new(what: impl Display) -> Self {
        Self(what.to_string())
    }
}

impl serde::ser::Error for DatumError {
    fn custom<T: Display>(what: T) -> Self {
        Self::new(what)
    }
}

impl serde::de::Error for DatumError {
    fn custom<T: Display>(what: T) -> Self {
        Self::new(what)
    }
}

/// Appends the datum of a record.
///
/// # Errors
/// [`DatumError`] when a value has no form in Avro. What was appended by then stays.
pub(super) fn write<T: Serialize>(message: &mut Vec<u8>, record: &T) -> Result<(), DatumError> {
    record.serialize(Writer(message))
}

/// Reads a record, and leaves in `datum` what follows it.
///
/// # Errors
/// [`DatumError`] when the bytes are no such record.
pub(super) fn read<T: DeserializeOwned>(datum: &mut &[u8]) -> Result<T, DatumError> {
    let mut input = Input(datum);
    let record = T::deserialize(Reader(&mut input))?;
    *datum = input.0;
    Ok(record)
}
