//! Every wire format and every topic of the arbitrage board, in one place.
//!
//! - [`topics`]: the catalogue that code, provisioning and documents read.
//! - [`records`]: the declarations of records, from which the schemas of `avro/` are written.
//! - [`wire`]: encoding and decoding of those records.
//! - [`TickRecord`]: a message of the tick topic as its record.
//! - [`ScanMarker`]: a marker of a scan in the tick topic.
//! - [`view`]: a zero-copy reader of the most frequent record.
//! - [`clickhouse`]: the tables under the analysts' views, and the migrations that create them.
//! - [`limits`]: the longest records.
//! - [`json_parts`]: JSON from outside, split before it is parsed.
//! - [`json_schema`]: the schema of a record's text form.
//! - [`time`]: microseconds since the epoch and RFC 3339.
//!
//! It never computes anything about odds and never talks to a broker.

pub mod clickhouse;
pub mod json_parts;
pub mod json_schema;
pub mod limits;
pub mod records;
pub mod registry;
mod scan_marker;
mod sentence;
mod tick_record;
pub mod topics;
pub mod view;
pub mod wire;

pub use arb_model::time;
pub use scan_marker::ScanMarker;
pub use tick_record::TickRecord;
