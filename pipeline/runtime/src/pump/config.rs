//! How a pump works.
//!
//! It decides nothing.

use std::time::Duration;

use crate::batch::BatchLimits;
use crate::fail_point::FailPoints;
use crate::machine::Machine;
use crate::progress::ProgressMap;
use crate::watchdog::Pulse;

/// The slice of a role: longer than the fixed costs of a restore, shorter than a visible delay.
pub const SLICE: Duration = Duration::from_millis(20);

/// How often the state of a partition is written: between two times who restores it processes the records since the last one again.
#[derive(Debug, Clone, Copy)]
pub struct CutLimits {
    /// Records that were committed since.
    pub records: usize,
    /// Time since then.
    pub interval: Duration,
}

impl CutLimits {
    /// With every transaction.
    pub const EACH: Self = Self { records: 0, interval: Duration::ZERO };
}

/// How a pump works.
pub struct Config<M: Machine> {
    /// Which of the pumps of the process it is: the first is 0.
    pub worker: usize,
    /// What the machines of all partitions share.
    pub machine: M::Config,
    /// The epoch of a partition whose changelog is empty: milliseconds since 1970, by the clock of the role.
    pub epoch: fn() -> i64,
    /// The largest transaction.
    pub limits: BatchLimits,
    /// The longest time between two states that are written.
    pub cuts: CutLimits,
    /// How long a restore works before the records of other partitions are processed.
    pub slice: Duration,
    /// A pause after a transaction that was aborted, so that a fault that stays costs no core.
    pub pause: Duration,
    /// Where a test kills or freezes the process, or aborts transactions.
    pub fail_points: FailPoints,
    /// Its sign of life.
    pub pulse: Pulse,
    /// Where it reports how far it is.
    pub places: ProgressMap,
}
