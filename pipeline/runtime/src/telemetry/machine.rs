//! What a process takes of its machine.
//!
//! It reads nothing by itself: the caller measures.

use std::sync::LazyLock;
use std::time::Duration;

use metrics::{Counter, Gauge};

use super::metric::Role;
use super::{Since, list};

/// What a process takes now.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// CPU time of all threads since the start.
    pub cpu: Duration,
    /// Bytes that the program has allocated, and bytes that its allocator holds, where the allocator reports
    /// them.
    pub memory: Option<(u64, u64)>,
    /// Open file descriptors, and their limit, where the system reports them.
    pub fds: Option<(u64, u64)>,
}

struct MachineMeters {
    started: Since,
    uptime: Gauge,
    cpu: Counter,
    memory: (Gauge, Gauge),
    fds: (Gauge, Gauge),
}

static METERS: LazyLock<MachineMeters> = LazyLock::new(|| MachineMeters {
    started: Since::now(),
    uptime: list::UPTIME.gauge(&[]),
    cpu: list::CPU.counter(&[]),
    memory: (list::MEMORY_ALLOCATED.gauge(&[]), list::MEMORY_RESIDENT.gauge(&[])),
    fds: (list::OPEN_FDS.gauge(&[]), list::MAX_FDS.gauge(&[])),
});

/// Reports the role.
pub(super) fn begin(role: Role, version: &str) {
    list::BUILD_INFO.gauge(&[version, role.key()]).set(1.0);
    LazyLock::force(&METERS);
}

/// Reports the usage of this process.
pub fn report(usage: &Usage) {
    METERS.uptime.set(METERS.started.seconds());
    METERS.cpu.absolute(usage.cpu.as_secs());
    if let Some((allocated, resident)) = usage.memory {
        METERS.memory.0.set(allocated as f64);
        METERS.memory.1.set(resident as f64);
    }
    if let Some((open, max)) = usage.fds {
        METERS.fds.0.set(open as f64);
        METERS.fds.1.set(max as f64);
    }
}
