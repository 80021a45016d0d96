//! What the caller must carry out after a step, as data: transitions of windows and signals, movements, alerts.
//!
//! Effects contain the records of `arb_model`. It decides nothing and knows no wire format.

mod effects;
mod ids;
mod signal;
mod window;

pub use arb_model::{
    AlertScope, BoardEntry, BookState, CloseReason, CloseSignal, EdgeSignal, FailedCheck, FairChance,
    FilterValues, Flag, Leg, LineMovement, MovementKind, Name, Open, PassedLeg, PassedOver, Role, SignalKind,
    SignalQuote, StaleAlert, Verification, Warning, WindowKind,
};
pub(crate) use effects::Effects;
pub use effects::{Effect, Transition};
pub(crate) use ids::first_16;
pub use ids::{SignalId, WindowId};
pub use signal::{SignalChange, SignalCloseReason};
pub use window::{Basis, WindowChange, WindowHistory};
