//! What every role runs on, without Kafka and without the engine.
//!
//! - [`machine`]: the trait of a state machine whose state survives every kill; [`pump`]: the loop that runs
//!   it.
//! - [`timer_clock`]: the time of a machine, which no wrong clock moves for good.
//! - [`log`]: the pump's view of a log, as traits; [`batch`]: when a transaction ends.
//! - [`draft`]: a state of parts with the drafts of a transaction.
//! - [`dead_letters`]: records that could not be processed, with the reason.
//! - [`feed_mark`]: how readers of the feed deduplicate it.
//! - [`progress`], [`watchdog`], [`readiness`]: the position of a loop in its partitions, whether the loop
//!   still runs, and whether its partitions make progress.
//! - [`telemetry`]: the one list of metrics, and the recorder that holds them.
//! - [`stop`], [`fail_point`]: the shutdown signal; where tests kill a process.
//!
//! It implements none of its traits, and never decides what a record means.

pub mod batch;
pub mod dead_letters;
pub mod draft;
pub mod fail_point;
pub mod feed_mark;
pub mod log;
pub mod machine;
pub mod progress;
pub mod pump;
pub mod readiness;
pub mod stop;
pub mod telemetry;
pub mod timer_clock;
pub mod watchdog;
