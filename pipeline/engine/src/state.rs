//! The state of a partition, the draft of its next change, and both as data for the changelog.
//!
//! The unit of copying is a market. Nothing here decides anything about odds.

mod draft;
mod event_state;
mod event_table;
mod market_state;
mod partition;
mod parts;
mod saved;
mod saved_line;
mod saved_moves;
mod saved_quote;
mod saved_signal;

pub(crate) use draft::Draft;
pub(crate) use event_state::EventState;
pub(crate) use market_state::MarketState;
pub(crate) use partition::{State, Suspended};
pub(crate) use parts::Parts;
pub use saved::{Misfit, Saved};
pub use saved_line::{SavedLine, SavedWindow};
pub use saved_moves::{SavedMove, SavedMoves};
pub use saved_quote::SavedQuote;
pub use saved_signal::{SavedBet, SavedConsensus, SavedSignal};
