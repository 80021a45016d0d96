//! What this process has of its system: the clock, signals, limits, logs and standard output.
//!
//! It never knows what a role does.

pub mod clock;
pub mod limits;
pub mod logs;
pub mod output;
pub mod signals;
