//! Ingest: what sources say becomes frames in the tick topic.
//!
//! - [`source`]: the trait, and the poll that every source gives.
//! - [`the_odds_api`]: the decoder of The Odds API's JSON.
//! - [`recording`], [`table`]: polls from a file, of JSON lines or a table; `file`: what both share.
//! - [`simulator`]: polls of a market that does not exist.
//! - [`replay`]: when to publish what; [`error`]: why that ended early.
//! - [`handoff`], [`source_lease`]: of several instances that play one source, who publishes, and from where.
//! - [`live`]: polls of The Odds API, as they are due.
//! - [`publish`]: polls as records, heartbeats between them.
//!
//! Malformed input is counted by field and never stops the rest. Nothing here computes an arb.

pub mod error;
mod file;
pub mod handoff;
pub mod live;
pub mod publish;
pub mod recording;
pub mod replay;
pub mod simulator;
pub mod source;
pub mod source_lease;
pub mod table;
pub mod telemetry;
pub mod the_odds_api;
