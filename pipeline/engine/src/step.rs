//! A record taken in: its time first, then its content, market by market, into a draft.
//!
//! [`Engine`] is the only thing that the caller holds. Nothing here publishes anything or reads a clock.

mod admission;
mod changes;
mod engine;
mod evidence;
mod frame;
mod inspect;
mod listing;
mod market_update;
mod pass_time;
mod private;
mod probe;
mod push;
mod regulation;
mod restore;
mod scan;
mod sides;
mod stale_books;
mod superseding;
mod suspension;
mod timers;
mod touched_lines;
mod user_board;
mod viewer;
mod watched_board;

pub use engine::{Engine, Step};
pub use evidence::{FlagEvidence, LegEvidence, WindowEvidence};
pub use inspect::{Offered, Size};
pub use listing::{ListedBook, ListedEvent, ListedQuote};
pub use probe::{Probe, StepStage};
pub use scan::{ScanScope, ScannedQuote};
pub use user_board::UserBooks;
pub use watched_board::KnownArbs;
