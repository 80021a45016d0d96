//! What every client of the cluster has: its settings, what it reports beside its calls, and how it is polled.
//!
//! - `settings`: the settings on which correctness depends; `listener`: the context of every client.
//! - `problem` and `certificate`: why a connection cannot be used, as a sentence.
//! - `polling`: the next record or error of a client; `fetches`: its reports of what it fetches.
//!
//! It never decides what is read or written.

pub(crate) mod certificate;
mod fetches;
mod listener;
mod polling;
mod problem;
pub(crate) mod settings;

pub(crate) use fetches::{Fetch, Fetches, Place, WATCHED, Watched};
pub(crate) use listener::{Listener, heard};
pub(crate) use polling::{discard_reports, poll};
