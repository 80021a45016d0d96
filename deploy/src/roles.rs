//! The roles: each wires its parts, runs until the shutdown signal, and returns.

pub(crate) mod account;
pub(crate) mod accounts;
pub mod admin;
pub(crate) mod books;
pub(crate) mod bots;
pub(crate) mod check;
pub(crate) mod clickhouse;
pub(crate) mod cluster;
pub(crate) mod deliver;
pub(crate) mod dlq;
pub(crate) mod evaluate;
mod guarded;
pub(crate) mod ingest;
pub(crate) mod licences;
pub(crate) mod listen;
mod machine;
pub(crate) mod mcp;
pub(crate) mod migrate;
pub(crate) mod process;
mod readiness;
pub(crate) mod results;
pub(crate) mod serve;
pub(crate) mod settle;
pub(crate) mod sink;
pub(crate) mod sources;
pub(crate) mod synth;
pub(crate) mod topics;
