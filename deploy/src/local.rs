//! What runs on this machine: a Kafka and a ClickHouse of one node each, and child processes.
//!
//! It never knows what a role does, only by which words it is started.

pub mod children;
pub mod clickhouse;
pub mod home;
pub mod kafka;
pub mod preflight;
pub mod progress;
mod restart;
pub mod tool;
