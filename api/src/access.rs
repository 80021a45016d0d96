//! Access: keys, plans and usage, each with its file.
//!
//! - [`keys`]: API keys; [`plan`]: what a plan may spend in a month; [`usage`]: what each key has spent.
//!
//! It never sees a request: callers that have a key pass it in.

pub mod keys;
pub mod plan;
pub mod usage;
