//! How answers read in JSON and CSV, beside what the feed has too (`arb_feed::view`).
//!
//! - `quote`: a quote of the processor; `series`: the prices of a bet at a book over time; `evidence`: what the flags of a window were decided by; `settlement`: what a window came to, as it was stored.
//! - `bet`: a bet in words; `csv`: entries of the board as CSV.
//!
//! Pure. It adds the rank, and changes no value.

mod bet;
pub(crate) mod csv;
mod evidence;
mod quote;
mod series;
mod settlement;

use arb_feed::view::EntryView;
use serde::Serialize;

pub(crate) use self::evidence::evidence_json;
pub(crate) use self::quote::quote_json;
pub(crate) use self::series::series_json;
pub(crate) use self::settlement::{grading_json, settlement_json};

/// An entry at its rank.
#[derive(Debug, Serialize)]
pub(crate) struct Ranked<'a> {
    pub(crate) rank: u64,
    #[serde(flatten)]
    pub(crate) entry: EntryView<'a>,
}
