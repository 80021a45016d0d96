//! The sink: the records of the topics as rows in ClickHouse, each row once.
//!
//! - [`rows`]: records as rows; [`table`]: their tables; [`record`] and [`batch`]: enough of them for an
//!   insert.
//! - [`intent`]: the note that is committed before rows are sent; [`recovery`]: what to do about the rows of
//!   an earlier owner.
//! - [`partition`]: the lifecycle of a partition, pure; [`retry`]: when it is tried again; `lease`: until
//!   when it may send.
//! - [`store`] and `attempt`: ClickHouse.
//! - [`telemetry`]: the metrics of a sink.
//! - [`sources`]: the topics that are read; [`run`]: the loop that runs all of it; [`counts`]: what it
//!   processed.
//!
//! It never sends a row before the group has accepted the intent, and holds no more in memory than its limits
//! allow.

mod attempt;
pub mod batch;
pub mod counts;
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
