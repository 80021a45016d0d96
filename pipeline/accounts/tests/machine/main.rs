//! The accounts machine: each command by examples, properties of random logs, and every fault of a simulated log.
//!
//! It never starts Kafka.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod authority;
mod bankroll;
mod bounds;
mod clocks;
mod codec;
mod disturbed;
mod examples;
mod properties;
mod quota;
mod support;
