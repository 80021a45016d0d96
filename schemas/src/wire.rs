//! Records as bytes and back: the Confluent wire format (`0x00`, schema id, Avro datum).
//!
//! Every version of every type of record has a schema id of its own, so that the union which a topic
//! holds is the set of types that its catalogue entry names, and a new type needs no new union. Records
//! of older versions are resolved to the newest. It never resolves a schema that is not of this program.
//!
//! Source: Confluent Schema Registry, "Wire format"; Apache Avro 1.12, "Binary encoding".

mod change;
mod datum;
mod older;
pub(crate) mod schema;
pub(crate) mod versions;

use std::fmt::Display;

use apache_avro::Schema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use arb_model::FilterValues;
use arb_model::described::Described;

use crate::limits;

use self::older::READERS;
use self::versions::{FIRST, OLDER};

pub use self::versions::RecordType;

/// Bytes before the Avro datum.
pub(crate) const HEADER: usize = 5;

impl RecordType {
    /// The type of record in a message, from its header.
    ///
    /// # Errors
    /// [`WireError`] when the message is no Confluent message, too long, or of a schema unknown here.
    pub fn of(message: &[u8]) -> Result<Self, WireError> {
        fits(message.len(), limits::READ)?;
        let Some(([0, id @ ..], _)) = message.split_first_chunk::<HEADER>() else {
            return Err(WireError::NotFramed);
        };
        let id = u32::from_be_bytes(*id);
        let newest = Self::ALL.into_iter().find(|record| *record as u32 == id);
        let known = newest.or_else(|| OLDER.iter().find(|older| older.id == id).map(|older| older.record));
        let unknown = if id < FIRST { WireError::Unreleased(id) } else { WireError::UnknownSchema(id) };
        let record = known.ok_or(unknown)?;
        fits(message.len(), record.longest_read())?;
        Ok(record)
    }

    /// Whether it comes from outside.
    fn is_input(self) -> bool {
        matches!(
            self,
            Self::Frame
                | Self::PollEnd
                | Self::Heartbeat
                | Self::Suspension
                | Self::AccountCommand
                | Self::AccountTimer
                | Self::ScanRequest
                | Self::ScanBegin
                | Self::ScanEnd
        )
    }

    fn longest_read(self) -> usize {
        if self.is_input() { limits::INPUT } else { limits::READ }
    }

    fn longest_written(self) -> usize {
        if self.is_input() { limits::INPUT } else { limits::VALUE }
    }
}

fn fits(length: usize, limit: usize) -> Result<(), WireError> {
    if length > limit { Err(WireError::TooLong { length, limit }) } else { Ok(()) }
}

/// A struct that is one [`RecordType`]: its schema is written from its declaration.
pub trait Record: Serialize + DeserializeOwned + Described {
    /// Which.
    const TYPE: RecordType;
}

/// Why bytes are no record, or a record cannot become bytes.
#[derive(Debug, Error)]
pub enum WireError {
    /// No magic byte and schema id.
    #[error("not in the Confluent wire format")]
    NotFramed,
    /// Longer than records of its kind may be ([`limits`]).
    #[error("{length} bytes long, more than {limit}")]
    TooLong {
        /// How long it is.
        length: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A record of before the first release.
    #[error(
        "schema id {0} is of before the first release, which is not read: delete the topics and create them again"
    )]
    Unreleased(u32),
    /// A schema id that this build does not know.
    #[error("schema id {0} is unknown")]
    UnknownSchema(u32),
    /// A record of another type.
    #[error("a {found:?} where a {expected:?} was expected")]
    OtherType {
        /// The type that the reader expects.
        expected: RecordType,
        /// The type in the header.
        found: RecordType,
    },
    /// Bytes after the record's end.
    #[error("{0} bytes follow the record")]
    Trailing(usize),
    /// The error of Avro.
    #[error("Avro: {0}")]
    Avro(String),
}

/// A schema, and all that its names mean.
type Parsed = (&'static Schema, Vec<&'static Schema>);

fn newest(record: RecordType) -> Result<Parsed, apache_avro::Error> {
    parsed(
        record.schema_text(),
        record.references().iter().map(|reference| reference.schema_text()).collect(),
    )
}

fn parsed(text: &str, references: Vec<&'static str>) -> Result<Parsed, apache_avro::Error> {
    let (schema, references) = Schema::parse_str_with_list(text, references)?;
    let schema: &'static Schema = Box::leak(Box::new(schema));
    // In the order of their use: the library does not look ahead.
    let mut all: Vec<&'static Schema> =
        references.into_iter().map(|reference| &*Box::leak(Box::new(reference))).collect();
    all.push(schema);
    Ok((schema, all))
}

/// The record as a message.
///
/// # Errors
/// [`WireError::Avro`] when a value does not fit its schema, [`WireError::TooLong`] when no topic takes it.
pub fn encode<T: Record>(record: &T) -> Result<Vec<u8>, WireError> {
    let mut message = Vec::with_capacity(256);
    message.push(0);
    message.extend((T::TYPE as u32).to_be_bytes());
    datum::write(&mut message, record).map_err(avro)?;
    fits(message.len(), T::TYPE.longest_written())?;
    Ok(message)
}

/// An [`ArbWindow`](crate::records::ArbWindow) as a message, from the message of its entry.
///
/// # Errors
/// [`WireError::OtherType`] when `entry` is not the message of a [`BoardEntry`](crate::records::BoardEntry).
pub fn encode_window(
    change: &str,
    entry: &[u8],
    replaced: Option<&FilterValues>,
) -> Result<Vec<u8>, WireError> {
    let mut message = encode_change(RecordType::ArbWindow, change, RecordType::BoardEntry, entry)?;
    change::put_replaced(&mut message, replaced);
    fits(message.len(), RecordType::ArbWindow.longest_written())?;
    Ok(message)
}

/// A [`SignalChange`](crate::records::SignalChange) as a message, from the message of its signal.
///
/// # Errors
/// [`WireError::OtherType`] when `signal` is not the message of an [`EdgeSignal`](crate::records::EdgeSignal).
pub fn encode_signal_change(change: &str, signal: &[u8]) -> Result<Vec<u8>, WireError> {
    encode_change(RecordType::SignalChange, change, RecordType::EdgeSignal, signal)
}

/// A record of a change and what has changed, from the message of the latter, which is most of it: an Avro record is its
/// fields, one after the other.
fn encode_change(
    record: RecordType,
    change: &str,
    expected: RecordType,
    entry: &[u8],
) -> Result<Vec<u8>, WireError> {
    let found = RecordType::of(entry)?;
    if found != expected {
        return Err(WireError::OtherType { expected, found });
    }
    let mut message = Vec::with_capacity(entry.len() + 16);
    message.push(0);
    message.extend((record as u32).to_be_bytes());
    datum::put_text(&mut message, change);
    message.extend(&entry[HEADER..]);
    fits(message.len(), record.longest_written())?;
    Ok(message)
}

/// The message as a record.
///
/// ```
/// use arb_schemas::records::{Heartbeat, PollEnd};
/// use arb_schemas::wire::{RecordType, decode, encode};
///
/// let beat = Heartbeat { source: "feed".to_owned(), at: 1_000_000 };
/// let message = encode(&beat)?;
/// assert_eq!(RecordType::of(&message)?, RecordType::Heartbeat);
/// assert_eq!(decode::<Heartbeat>(&message)?, beat);
/// assert!(decode::<PollEnd>(&message).is_err(), "another type of record");
/// # Ok::<(), arb_schemas::wire::WireError>(())
/// ```
///
/// # Errors
/// [`WireError`] for anything that is not exactly one record of this type.
pub fn decode<T: Record>(message: &[u8]) -> Result<T, WireError> {
    let found = RecordType::of(message)?;
    if found != T::TYPE {
        return Err(WireError::OtherType { expected: T::TYPE, found });
    }
    let mut datum = &message[HEADER..];
    let id = message[..HEADER].last_chunk().map_or(0, |id| u32::from_be_bytes(*id));
    let record = match READERS.read(id, &mut datum) {
        Some(older) => older.map_err(avro)?,
        None => datum::read(&mut datum).map_err(avro)?,
    };
    if datum.is_empty() { Ok(record) } else { Err(WireError::Trailing(datum.len())) }
}

fn avro(error: impl Display) -> WireError {
    WireError::Avro(error.to_string())
}
