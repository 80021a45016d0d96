//! The bots over the current prices: what they ask the settlement machine to publish, and the prices at which their bets close.
//!
//! - [`mod@line`]: the books that offer every outcome of a line; [`rules`]: the bots at one line; [`closing`]: the price of a bet before its
//!   event; [`offer`]: whether a bet is still on offer;
//! - [`watcher`]: the state of the processor, the signals and the picks, and what follows from them;
//! - [`follow`]: the thread that reads their topics and writes candidates; [`telemetry`].
//!
//! It never sees a result. What it writes twice is published once (docs/adr/051-live-bots.md).

pub mod closing;
pub mod follow;
pub mod line;
pub mod offer;
pub mod rules;
pub mod telemetry;
pub mod watcher;
