//! The quotes of one market: a sorted table, how a source's update is merged into it, and what the time makes of it.
//!
//! Nothing here looks at two markets, or decides what is an arb.

mod merge;
mod moment;
mod moves;
mod outcomes;
mod price_move;
mod quote;
mod quote_summary;
mod source_update;
mod table;

pub(crate) use merge::{MergeContext, Merged, merge, repeated};
pub(crate) use moment::Moment;
pub(crate) use moves::{MovePiece, Moves};
pub(crate) use outcomes::outcomes;
pub(crate) use price_move::Move;
pub(crate) use quote::{Observation, Quote};
pub use quote::{QuoteStatus, QuoteView};
pub(crate) use quote_summary::QuoteSummary;
pub(crate) use source_update::{SourceUpdate, any_withdrawn};
pub(crate) use table::{by_line, find, of_bet, on_line, on_offer};
