//! What can be bet on: markets and their outcomes, bets, events, and names as small numbers.
//!
//! Nothing here knows a price or a time.

mod bet;
mod catalogue;
mod event;
mod limit;
mod names;

pub use bet::Bet;
pub(crate) use bet::QuoteKey;
pub(crate) use catalogue::WHOLE;
pub use catalogue::{Family, Line, Market, Outcome, Period, Policy, Side, outcome_set};
pub use event::EventInfo;
pub use limit::Limit;
pub(crate) use names::{Names, Symbol};
