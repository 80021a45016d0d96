//! What a machine must have before `arb up`, and what is downloaded once: Kafka's jars and a ClickHouse server.
//!
//! It is a separate crate so that `cargo up` can check the prerequisites and download while the product is
//! compiled. It never starts a server and never installs anything outside the home folder.

pub mod clickhouse;
pub mod home;
pub mod kafka;
pub mod prerequisites;
pub mod program;
pub mod progress;
pub mod secrets;
pub mod terminal;
