//! What the caller must carry out after a step, as data: transitions of windows and signals, movements, alerts.
//!
//! It decides nothing and knows no wire format.

mod alert;
mod effects;
mod entry;
mod ids;
mod movement;
mod signal;
mod verification;
mod window;

pub use alert::{Alert, BookState, Scope};
pub use effects::Effect;
pub(crate) use effects::Effects;
pub use entry::{Entry, EntryLeg, Warning};
pub(crate) use ids::first_16;
pub use ids::{SignalId, WindowId};
pub use movement::{Moved, Movement};
pub use signal::{Edge, Evidence, Role, SignalChange, SignalCloseReason, SignalKind};
pub use verification::{FailedCheck, Flag, Verification};
pub use window::{CloseReason, Closed, WindowChange, WindowHistory};
