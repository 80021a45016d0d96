//! The arbitrage engine: frames of quotes in, arb windows out.
//!
//! Pure and synchronous: the same inputs give the same effects, wherever a transaction is cut. It never reads
//! a clock, does I/O, starts a thread, or knows a wire format; time is what its inputs carry.
//!
//! The entry point is [`Engine`]: `step` drafts, `commit` applies the draft, `abort` drops it, `changes`
//! lists the parts of it to write to the changelog so that [`Engine::restore`] can rebuild it, `board_of`
//! computes the board of some books, `board_again` the same once more, `evidence_of` explains the flags of a window. Modules import only modules before them in this list: `odds`, `market`,
//! `caps`, `time`, `venues`, `learning`, `quotes`, `input`, `effect`, `context`, `arbs`, `movement`,
//! `signals`, `state`, `step`, `invariants`. Data types are in the earlier ones, decisions about them in the
//! later ones.
//!
//! ```
//! use arb_engine::Engine;
//! use arb_engine::effect::Effect;
//! use arb_engine::input::{Coordinate, Coverage, Event, Frame, Input, Tick};
//! use arb_engine::market::{Bet, Market, Outcome, Policy, Side};
//! use arb_engine::odds::{OddsFormat, Price};
//!
//! let tick = |book, outcome, odds| Tick {
//!     book,
//!     bet: Bet::new(Market::parse("h2h").unwrap(), outcome, Side::Back, None).unwrap(),
//!     price: Price::from_decimal(odds).unwrap(),
//!     odds_format: OddsFormat::Decimal,
//!     limit: None,
//!     suspended: false,
//!     last_seen_at: 9_000_000,
//!     price_moved_at: None,
//! };
//! let frame = Frame {
//!     source: "feed",
//!     received_at: 10_000_000,
//!     poll_index: None,
//!     event: Event {
//!         id: "e1",
//!         sport: "tennis",
//!         league: "tennis_atp",
//!         home: "Ada",
//!         away: "Grace",
//!         commence_time: 3_600_000_000,
//!     },
//!     coverage: Coverage { books: None, markets: None },
//!     ticks: vec![tick("a", Outcome::Home, "2.1"), tick("b", Outcome::Away, "2.2")],
//!     links: vec![],
//!     push: None,
//! };
//! let (mut engine, mut effects) = (Engine::new(Policy::Raw), Vec::new());
//! let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset: 0 };
//! engine.step(at, &Input::Frame(frame), &mut effects);
//! engine.commit();
//! let opened = effects.iter().filter(|effect| matches!(effect, Effect::Transition(..))).count();
//! assert_eq!(opened, 1, "1/2.1 + 1/2.2 is below 1: {effects:?}");
//! ```

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
pub use step::{
    Engine, FlagEvidence, KnownArbs, LegEvidence, ListedBook, ListedEvent, ListedQuote, Offered, Probe,
    ScanScope, ScannedQuote, Size, Step, StepStage, UserBooks, WindowEvidence,
};

pub use arb_model::Micros;

#[cfg(test)]
mod fixtures;
