//! How far a partition of a machine has come.
//!
//! It decides nothing.

use arb_model::record;

use crate::time::Micros;

record! {
    /// Where the time of a machine is.
    #[derive(Eq, Copy)]
    pub struct StateTimers {
        /// The time of the timers that count; `None` before the first, and where there are none.
        pub now: Option<Micros>,
        /// The first time of a step of more than five minutes that does not count yet; `None` where there is none.
        pub step_from: Option<Micros>,
        /// The newest time of that step.
        pub step_at: Option<Micros>,
    }
}

record! {
    /// A state that is older than what is committed.
    #[derive(Eq, Copy)]
    pub struct StateCut {
        /// Offset of the first record of the input that it does not contain.
        pub next_offset: i64,
        /// Of the last event on the feed before it.
        pub sequence: i64,
        /// The time of the timers before it.
        pub timers: StateTimers,
        /// Of the offsets from there to what is committed, and of all that was published for them: who processes them again has the same.
        pub digest: i64,
    }
}

record! {
    /// What the processor remembers of a whole partition.
    #[derive(Eq)]
    pub struct StatePartition {
        /// Offset of the first record of the input that this state does not contain.
        pub next_offset: i64,
        /// By which rules its windows were made: `board` or `raw`.
        pub policy: String,
        /// Of the last event on the feed.
        pub sequence: i64,
        /// When that counter was started, in milliseconds since 1970; 0 where that is not known.
        pub epoch: i64,
        /// The time of its timers.
        pub timers: StateTimers,
        /// What the other records of the changelog are of, where that is not `next_offset`: the records of the input from there to
        /// `next_offset` are processed again by who restores, and published by nobody.
        pub cut: Option<StateCut>,
    }
}
