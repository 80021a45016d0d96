//! Bots that pick bets, settlement of bets from results, and what a record of picks is evidence of. Pure.
//!
//! - [`settlement`]: what a bet is worth, from the result of its event;
//! - [`results`]: what a report of a result may state;
//! - [`bots`]: the rules by which bots pick, each with a version;
//! - [`model`]: the probabilities of the trained bot;
//! - [`dispute`]: whether a later check refutes a pick;
//! - [`record`]: the statistics of graded bets; [`significance`]: probabilities of being luck;
//! - [`history`]: matches with odds and goals, read from football-data;
//! - [`rule_file`]: bots that users write;
//! - [`evaluation`]: the bots over those matches.
//!
//! It never reads a clock, opens no file, and draws random numbers from seeded generators alone.

pub mod bots;
pub mod dispute;
pub mod evaluation;
pub mod history;
pub mod model;
pub mod record;
pub mod results;
pub mod rule_file;
pub mod settlement;
pub mod significance;
