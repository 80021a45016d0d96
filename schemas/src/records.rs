//! One Rust struct a record of `avro/*.avsc`, with the same field names.
//!
//! They carry data and decide nothing. The schema files document each field.

mod board;
mod signals;
mod state;
mod ticks;

pub use board::{
    ArbWindow, BoardEntry, BoardProgress, CloseSignal, Doubt, Leg, LineMovement, StaleAlert, Ttl,
    Verification,
};
pub use signals::{EdgeSignal, FairChance, SignalChange, SignalQuote};
pub use state::{
    Standing, StateBet, StateBook, StateClock, StateConsensus, StateHead, StateLife, StateLine, StateMargins,
    StateMove, StatePartition, StateQuote, StateSignal, StateSource, StateStaleBooks, StateSurvival,
    StateWindow,
};
pub use ticks::{Coverage, Event, Frame, Heartbeat, Offer, Outcome, PollEnd, Side, Status, Tick};
