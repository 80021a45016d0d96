//! The foundation of the tests: the program, a broker, the stack of roles, the oracle, recordings.

pub(crate) mod accounts;
pub(crate) mod broker_faults;
pub(crate) mod clickhouse;
mod clickhouse_server;
pub(crate) mod detour;
mod durations;
pub(crate) mod environment;
pub(crate) mod feed;
pub(crate) mod generated;
pub(crate) mod http;
pub(crate) mod image;
mod kafka_start;
pub(crate) mod lease_holder;
pub(crate) mod local_up;
pub(crate) mod metrics;
pub(crate) mod node;
pub(crate) mod odds_api;
mod odds_content;
pub(crate) mod oracle;
mod permit;
pub(crate) mod ports;
pub(crate) mod processors;
pub(crate) mod program;
pub(crate) mod promtool;
pub(crate) mod python;
pub(crate) mod receiver;
pub(crate) mod recordings;
pub(crate) mod results;
pub(crate) mod scratch;
pub(crate) mod serve;
mod shared;
pub(crate) mod sinks;
pub(crate) mod sse;
pub(crate) mod stack;
pub(crate) mod store;
pub(crate) mod stream_client;
pub(crate) mod supervisor;
pub(crate) mod ticks;
pub(crate) mod topics;
pub(crate) mod transcript;
pub(crate) mod wait;

use std::path::PathBuf;
use std::sync::OnceLock;

pub(crate) use wait::{PATIENCE, wait_for, wait_for_steps};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The program's home in the repository, where downloads lie. It is marked before anything else is in it: the program takes no other folder.
pub(crate) fn home() -> PathBuf {
    static HOME: OnceLock<PathBuf> = OnceLock::new();
    let made = || {
        let home = root().join(".arb");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("arb-home"), "").unwrap();
        home
    };
    HOME.get_or_init(made).clone()
}
