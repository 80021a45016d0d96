//! What this process takes of its machine: CPU time, memory, file descriptors.
//!
//! What the operating system does not report is left out, never guessed.

use std::time::Duration;

use arb_runtime::telemetry::machine::{self, Usage};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Descriptors are counted once in so many looks: there may be ten thousand.
const SELDOM: u32 = 5;

/// The look at it.
#[derive(Default)]
pub(super) struct Machine {
    looks: u32,
    fds: Option<(u64, u64)>,
}

impl Machine {
    /// Reports the current usage.
    pub(super) fn inspect(&mut self) {
        if self.looks.is_multiple_of(SELDOM) {
            self.fds = fds();
        }
        self.looks = self.looks.wrapping_add(1);
        let cpu = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
        machine::report(&Usage { cpu, memory: memory(), fds: self.fds });
    }
}

/// What the program holds, and what its allocator holds.
#[cfg(feature = "jemalloc")]
fn memory() -> Option<(u64, u64)> {
    arb_heap::bytes().map(|heap| (heap.allocated, heap.resident))
}

/// The system's allocator reports neither.
#[cfg(not(feature = "jemalloc"))]
fn memory() -> Option<(u64, u64)> {
    None
}

/// How many descriptors are open, and how many may be.
fn fds() -> Option<(u64, u64)> {
    let open = std::fs::read_dir("/proc/self/fd").ok()?.count() as u64;
    // The descriptor that is used for counting is not counted.
    Some((open.saturating_sub(1), getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)))
}
