//! Ingest: the polls of sources become frames in the tick topic.
//!
//! - [`source`]: the trait, and the poll that every source returns.
//! - [`the_odds_api`]: the decoder of The Odds API's JSON.
//! - [`recording`], [`table`]: polls from a file, of JSON lines or a table; `file`: what both share.
//! - [`simulator`]: polls of a simulated market.
//! - [`skew`]: polls that a machine with a clock behind its source's received.
//! - [`replay`]: when to publish which poll; [`error`]: why that ended early.
//! - [`handoff`], [`source_lease`]: which of several instances of one source publishes, and from which
//!   position; [`leased_log`], `source_log`: what is written under a lease, once.
//! - [`live`]: polls of The Odds API, on a schedule.
//! - [`scan_queue`]: the scans that users ask for; [`scan`]: what a source covers of one.
//! - [`publish`]: polls as records, with heartbeats between them; [`results`]: results for the settlement machine;
//!   [`live_scores`]: scores of events in play, for display; [`open_picks`]: the events whose results are waited for; [`football_data`]: results from files.
//!
//! Malformed input is counted by field and never stops the rest. Nothing here computes an arb.

pub mod error;
pub mod file;
pub mod football_data;
pub mod handoff;
pub mod leased_log;
pub mod live;
pub mod live_scores;
pub mod open_picks;
pub mod publish;
pub mod recording;
pub mod replay;
pub mod results;
pub mod scan;
pub mod scan_queue;
pub mod simulator;
pub mod skew;
pub mod source;
pub mod source_lease;
mod source_log;
pub mod table;
pub mod telemetry;
pub mod the_odds_api;
