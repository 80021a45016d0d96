//! What can be bet on: markets and their outcomes, bets, events, and names as small numbers.
//!
//! Nothing here knows a price or a time.

mod limit;
mod names;
mod outcome_set;
mod quote_key;

pub use arb_model::{Bet, Event as EventInfo, Family, Line, Market, Outcome, Period, Side};
pub use limit::Limit;
pub(crate) use names::{Names, Symbol};
pub(crate) use outcome_set::OutcomeSet;
pub use outcome_set::{Policy, outcome_set};
pub(crate) use outcome_set::{REGULATION, WHOLE, WINNER};
pub(crate) use quote_key::QuoteKey;
