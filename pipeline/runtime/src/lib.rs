//! What every role runs on, without Kafka and without the engine.
//!
//! - [`machine`]: what a state machine whose state survives every kill must do; [`pump`]: the loop that runs it.
//! - [`log`]: what the pump needs of a log, as traits; [`batch`]: when a transaction ends.
//! - [`dead_letters`]: records that are put aside, with the reason.
//! - [`feed_mark`]: how readers of the feed deduplicate it.
//! - [`progress`], [`watchdog`], [`readiness`]: where a loop is in its partitions, whether it still moves, and whether what
//!   it owns does.
//! - [`telemetry`]: the one list of metrics, and the recorder that keeps them.
//! - [`stop`], [`fail_point`]: the shutdown signal; where tests kill.
//!
//! It implements none of its traits, and never decides what a record means.

pub mod batch;
pub mod dead_letters;
pub mod fail_point;
pub mod feed_mark;
pub mod log;
pub mod machine;
pub mod progress;
pub mod pump;
pub mod readiness;
pub mod stop;
pub mod telemetry;
pub mod watchdog;
