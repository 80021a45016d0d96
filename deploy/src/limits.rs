//! What the system allows a process.
//!
//! It only ever asks for what the administrator has allowed already.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Each connection is a file descriptor: as many as the system allows, instead of the usual 1,024.
pub(crate) fn allow_connections() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}
