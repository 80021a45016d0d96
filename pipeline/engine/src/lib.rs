//! The arbitrage engine: frames of quotes in, arb windows out.
//!
//! Pure and synchronous: the same inputs give the same effects, wherever a transaction is cut. It never reads
//! a clock, does I/O, starts a thread, or knows a wire format; time is what its inputs carry.
//!
//! The entry point is [`Engine`]: `step` drafts, `commit` applies the draft, `abort` drops it, `changes`
//! lists the parts of it to write to the changelog so that [`Engine::restore`] can rebuild it, `board_of`
//! computes the board of some books. Modules import only modules before them in this list: `odds`, `market`,
//! `caps`, `time`, `venues`, `learning`, `quotes`, `input`, `effect`, `context`, `arbs`, `movement`,
//! `signals`, `state`, `step`, `invariants`. Data types are in the earlier ones, decisions about them in the
//! later ones.

pub mod arbs;
pub mod caps;
mod context;
pub mod effect;
pub mod input;
pub mod invariants;
pub mod learning;
pub mod market;
mod movement;
pub mod odds;
mod quotes;
mod signals;
pub mod state;
mod step;
pub mod time;
pub mod venues;

pub use quotes::{QuoteStatus, QuoteView};
pub use step::{Engine, Offered, Probe, Size, Step, StepStage, UserBooks};

pub use arb_model::Micros;

#[cfg(test)]
mod fixtures;
