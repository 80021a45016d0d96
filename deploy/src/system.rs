//! What this process has of its system: the clock, signals, limits, logs, standard output, secrets and random bytes.
//!
//! It never knows what a role does.

pub mod clock;
pub mod limits;
pub mod logs;
pub mod output;
pub(crate) mod password;
pub(crate) mod pepper;
pub(crate) mod random;
pub mod signals;
pub(crate) mod webhook_key;
