//! The loop of a role: the watchdog over it, and where tests kill it.
//!
//! It never looks into the loop.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use arb_runtime::fail_point::FailPoints;
use arb_runtime::stop::Stop;
use arb_runtime::watchdog::{self, Pulse, Watcher};
#[cfg(feature = "fail-points")]
use rustix::process::{Signal, getpid, kill_process};

use crate::cli::Guard;

/// Runs the loop of a role on a dedicated thread, or the loops that it starts, and ends the process when one of them stalls; `name` is
/// used in the message.
pub(super) fn run<T: Send + 'static>(
    name: &'static str,
    pulses: Vec<Pulse>,
    limit: Duration,
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let done = Stop::default();
    let watched = done.clone();
    std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
        // Also while it ends.
        if watchdog::watch(&pulses, limit, &watched) {
            stalled(name, limit);
        }
    })?;
    let worker = std::thread::Builder::new().name(name.to_owned()).spawn(work)?;
    let result = worker.join().map_err(|_| anyhow!("the {name} panicked"));
    done.stop();
    result?
}

/// The loops of a role, seen from outside.
pub(super) struct LoopLiveness {
    watcher: Mutex<Watcher>,
    limit: Duration,
}

impl LoopLiveness {
    /// Of the loops with these pulses; a silence of so long of one of them is their end.
    pub(super) fn new(pulses: &[Pulse], limit: Duration) -> Self {
        Self { watcher: Mutex::new(Watcher::new(pulses)), limit }
    }

    /// For how long one of them has not moved; `None` before any did.
    pub(super) fn silence(&self) -> Option<Duration> {
        self.watcher.lock().unwrap_or_else(PoisonError::into_inner).silence(Instant::now())
    }

    /// Whether they make progress, or have yet to begin. Half the watchdog's time, so that it is reported
    /// before the process ends.
    pub(super) fn is_alive(&self) -> bool {
        self.silence().is_none_or(|silence| silence < self.limit / 2)
    }

    /// That they do not move, in a sentence.
    pub(super) fn problem(&self) -> Option<String> {
        let is_moving = self.silence().is_some_and(|silence| silence < self.limit / 2);
        (!is_moving).then(|| "its loop does not move".to_owned())
    }
}

/// Nowhere: the shipped binary has no fail points.
#[cfg(not(feature = "fail-points"))]
pub(super) fn fail_points(_guard: &Guard) -> FailPoints {
    FailPoints::default()
}

/// Where a test has this process killed, frozen or stalled: the first of them that is given.
#[cfg(feature = "fail-points")]
pub(super) fn fail_points(guard: &Guard) -> FailPoints {
    let signal = |signal: Signal| {
        move || {
            let _ = kill_process(getpid(), signal);
        }
    };
    match (guard.kill_at, guard.freeze_at, guard.stall_at) {
        (Some(at), ..) => FailPoints::armed(at, signal(Signal::KILL)),
        (_, Some(at), _) => FailPoints::armed(at, signal(Signal::STOP)),
        (.., Some(at)) => FailPoints::armed(at, || {
            loop {
                std::thread::park();
            }
        }),
        (None, None, None) => FailPoints::default(),
    }
}

/// Another process can take the partitions over only when this one is gone.
#[expect(
    clippy::disallowed_methods,
    reason = "a loop that does not move cannot be asked to end in good order"
)]
fn stalled(name: &str, limit: Duration) {
    eprintln!("arb: the {name} has not moved for {} s and is ended", limit.as_secs_f64());
    std::process::exit(70)
}
