//! The sink: what the topics say into ClickHouse, each row once.
//!
//! - [`rows`]: records as rows; [`table`]: where they go; [`record`] and [`batch`]: enough of them for an insert.
//! - [`intent`]: what the group is told before rows are sent; [`recovery`]: what is made of what was left.
//! - [`partition`]: the life of a partition, pure; [`retry`]: when it is tried again; `lease`: until when it is sent.
//! - [`store`] and `attempt`: ClickHouse; [`failure`]: what its errors mean.
//! - [`clickhouse`]: where analysts read: its client, roles and migrations.
//! - [`telemetry`]: what a sink reports.
//! - [`sources`]: the topics that are read; [`run`]: the loop that carries it all out; [`counts`]: what went through it.
//!
//! It never sends a row before the group has taken the intent to, and holds no more in memory than it is told.

mod attempt;
pub mod batch;
pub mod clickhouse;
pub mod counts;
pub mod failure;
mod insert_lease;
pub mod intent;
pub mod partition;
pub mod record;
pub mod recovery;
pub mod retry;
pub mod rows;
pub mod run;
pub mod sources;
pub mod store;
pub mod table;
pub mod telemetry;
