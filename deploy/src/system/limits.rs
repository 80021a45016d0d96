//! What the system allows a process.
//!
//! It only ever requests what the administrator has allowed already.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files and connections to Kafka, beside the connections of callers.
const OTHER_FILES: u64 = 256;

/// Each connection is a file descriptor: as many as the system allows, instead of the usual 1,024.
pub fn allow_connections() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}

/// How many of so many connections the system allows.
pub(crate) fn connections(wanted: usize) -> usize {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let most = usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX).max(1);
    if most < wanted {
        tracing::warn!(wanted, most, "fewer connections: the system allows no more open files");
    }
    wanted.min(most)
}
