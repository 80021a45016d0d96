//! Who may ask, and how often: keys, plans and usage, each with its file.
//!
//! - [`keys`]: API keys; [`plan`]: what a plan may spend in a month; [`usage`]: what each key has spent.
//!
//! It never sees a request: it is asked about a key by whoever has one.

pub mod keys;
pub mod plan;
pub mod usage;
