//! Rows of `rejected`: records that are none, whole, with the reason.
//!
//! It looks into neither key nor value.

use clickhouse::Row;
use serde::{Serialize, Serializer};

use super::Coordinates;

/// A row, as the table's columns are.
#[derive(Debug, Clone, PartialEq, Eq, Row, Serialize)]
#[allow(missing_docs)] // The columns are documented in the SQL of the table.
pub struct RejectedRow<'a> {
    pub topic: &'a str,
    pub topic_id: &'a str,
    pub kafka_partition: u32,
    pub kafka_offset: u64,
    pub row_index: u32,
    pub reason: &'a str,
    #[serde(serialize_with = "bytes")]
    pub key: &'a [u8],
    #[serde(serialize_with = "bytes")]
    pub value: &'a [u8],
}

/// A `String` of ClickHouse is any bytes.
fn bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// The row of a record that is none.
#[must_use]
pub fn rejected_row<'a>(
    at: Coordinates<'a>,
    reason: &'a str,
    key: &'a [u8],
    value: &'a [u8],
) -> RejectedRow<'a> {
    RejectedRow {
        topic: at.topic,
        topic_id: at.topic_id,
        kafka_partition: at.partition,
        kafka_offset: at.offset,
        row_index: 0,
        reason,
        key,
        value,
    }
}
