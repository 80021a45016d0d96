//! One Rust struct a record of `avro/*.avsc`, with the same field names.
//!
//! They carry data and decide nothing. The schema files document each field.

mod board;
mod state;
mod ticks;

pub use board::{ArbWindow, BoardEntry, BoardProgress, CloseSignal, Leg, LineMovement, StaleAlert};
pub use state::{
    Standing, StateBook, StateClock, StateMarket, StateMove, StatePartition, StateQuote, StateSource,
    StateStaleBooks, StateWindow,
};
pub use ticks::{Coverage, Event, Frame, Heartbeat, Offer, Outcome, PollEnd, Side, Status, Tick};
