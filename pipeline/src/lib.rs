//! Ingest and processing: odds from sources into Kafka, arb windows out of it.
//!
//! - [`kafka`]: the only user of rdkafka.
//! - [`ingest`]: sources, decoding, publishing of frames.
//! - [`process`]: frames to effects, in Kafka transactions.
//! - [`sink`]: what the topics say into ClickHouse, each row once.
//! - [`evaluate`]: the same engine over recordings, without Kafka.
//! - [`clickhouse`]: where analysts read: its client, roles and migrations.
//! - [`books`]: the file of books, as the engine's table.
//! - [`records`]: messages as engine inputs, effects as messages.
//! - [`feed_mark`]: how readers of the feed drop what they have had.
//! - [`telemetry`]: every metric, and what says it.
//! - [`places`], [`watchdog`], [`readiness`]: where a loop is in its partitions, whether it still moves, and whether what
//!   it owns does.
//! - [`faults`], [`stop`], [`fail_point`]: what was wrong with the input; the wish to end; where tests kill.

pub mod books;
pub mod clickhouse;
pub mod evaluate;
pub mod fail_point;
pub mod faults;
pub mod feed_mark;
pub mod ingest;
pub mod kafka;
pub mod places;
pub mod process;
pub mod readiness;
pub mod records;
pub mod sink;
pub mod stop;
pub mod telemetry;
pub mod watchdog;
