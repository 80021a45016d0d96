//! The arbitrage engine: frames of quotes in, arb windows out.
//!
//! Pure and synchronous: the same inputs give the same effects, wherever a transaction is cut. It never reads
//! a clock, does I/O, starts a thread, or knows a wire format; time is what its inputs carry.
//!
//! The door is [`Engine`]: `step` drafts, `commit` applies the draft, `abort` drops it, `changes` says what of it
//! must be written down so that [`Engine::restore`] can make it again, `board_of` what the board of some books would be. Behind it, in the order
//! in which a frame passes: [`source`] judges its order, `market` merges its ticks into
//! `quotes`, `best` finds the best
//! prices of a line, `window` opens, updates and closes, [`signals`] finds what is no arb and worth a look, [`effect`] is what the caller must carry out.

mod best;
pub mod books;
pub mod caps;
pub mod catalogue;
pub mod clock;
pub mod devig;
mod due;
pub mod effect;
mod engine;
mod entry;
pub mod fees;
pub mod input;
pub mod invariants;
pub mod limit;
pub mod margins;
mod market;
mod maths;
mod movement;
mod names;
pub mod odds;
mod over;
pub mod probe;
mod quotes;
pub mod refresh;
pub mod saved;
pub mod settle;
pub mod signals;
pub mod sketch;
pub mod source;
pub mod stakes;
mod stale;
mod state;
pub mod survival;
pub mod value;
mod venues;
pub mod verify;
mod window;

pub use engine::{Engine, UserBooks, Offered, Size, Step};
pub use quotes::{QuoteView, QuoteStatus};

/// UTC, microseconds since the epoch.
pub type Micros = i64;
