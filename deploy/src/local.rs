//! What runs on this machine: a Kafka and a ClickHouse of one node each, and child processes. What is downloaded for them is in
//! `arb_setup`.
//!
//! It never knows what a role does, only the command line that starts it.

pub mod children;
pub mod clickhouse;
mod disk;
pub mod home;
pub mod http;
pub mod kafka;
pub mod preflight;
mod restart;
pub(crate) mod role_log;
pub mod tool;
