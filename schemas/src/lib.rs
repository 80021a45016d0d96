//! Every wire format and every topic of the arbitrage board; nothing else knows them.
//!
//! - [`topics`]: the catalogue that code, provisioning and documents read.
//! - [`records`]: one Rust struct a record of `avro/*.avsc`.
//! - [`wire`]: those records as bytes and back.
//! - [`TickRecord`]: a message of the tick topic as its record.
//! - [`view`]: the one that is read most, in place.
//! - [`clickhouse`]: the tables that analysts' views stand on, and the migrations that make them.
//! - [`limits`]: how long records may be.
//! - [`time`]: microseconds since the epoch and RFC 3339.
//!
//! It never computes anything about odds and never talks to a broker.

pub mod clickhouse;
pub mod limits;
pub mod records;
mod tick_record;
pub mod topics;
pub mod view;
pub mod wire;

pub use arb_model::time;
pub use tick_record::TickRecord;
