//! ClickHouse, as every role uses it.
//!
//! - [`clickhouse`]: the server that analysts read: its client, users and migrations.
//! - [`failure`]: the meaning of its errors for what is written.
//! - [`history`]: what the API and backtests ask of the rows.
//!
//! It never writes a row of a record: that is the sink's.

pub mod clickhouse;
pub mod failure;
pub mod history;
