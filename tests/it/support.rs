//! The foundation of the tests: the program, a broker, the stack of roles, the oracle, recordings.

pub(crate) mod accounts;
pub(crate) mod broker_faults;
pub(crate) mod clickhouse;
pub(crate) mod detour;
mod durations;
pub(crate) mod environment;
pub(crate) mod feed;
pub(crate) mod http;
mod kafka_start;
pub(crate) mod local_up;
pub(crate) mod metrics;
pub(crate) mod node;
pub(crate) mod odds_api;
pub(crate) mod oracle;
pub(crate) mod processors;
pub(crate) mod program;
pub(crate) mod promtool;
pub(crate) mod python;
pub(crate) mod receiver;
pub(crate) mod recordings;
pub(crate) mod results;
pub(crate) mod serve;
mod shared;
pub(crate) mod sinks;
pub(crate) mod sse;
pub(crate) mod stack;
pub(crate) mod store;
pub(crate) mod stream_client;
pub(crate) mod supervisor;
pub(crate) mod ticks;
pub(crate) mod transcript;

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a fact may take to come true on a slow machine before its absence is a failure.
const PATIENCE: Duration = Duration::from_mins(3);

/// Between two looks for a fact: as long as a look takes, so that whoever looks takes at most half of a processor.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Waits for a fact.
pub(crate) fn wait_for<T>(what: &str, mut fact: impl FnMut() -> Option<T>) -> T {
    durations::note();
    let deadline = Instant::now() + PATIENCE;
    loop {
        let asked = Instant::now();
        if let Some(found) = fact() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}: not within {} s", PATIENCE.as_secs());
        std::thread::sleep(asked.elapsed().clamp(PAUSE.0, PAUSE.1));
    }
}

/// Waits for a fact that is come to step by step: each step may take as long as a fact.
pub(crate) fn wait_for_steps<T, S: PartialEq>(what: &str, mut look: impl FnMut() -> Result<T, S>) -> T {
    let mut last: Option<S> = None;
    loop {
        let next = wait_for(what, || match look() {
            Err(step) if last.as_ref() == Some(&step) => None,
            found => Some(found),
        });
        match next {
            Ok(found) => return found,
            Err(step) => last = Some(step),
        }
    }
}
