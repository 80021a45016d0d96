//! The facts that are published, and the values in them. One struct a fact: Avro on the wire, JSON in an answer and a row in
//! ClickHouse are the same struct, written by another serializer.
//!
//! - Values, each with one text form (JSON) and one binary form (Avro, `RowBinary`), chosen by `Serializer::is_human_readable`:
//!   [`Time`], [`Seconds`], [`Price`], [`Points`], [`Money`], [`Name`], and [`Open`] for the values of a list that may grow.
//! - What can be bet on: [`Market`], [`Outcome`], [`Side`], [`Bet`], [`Event`].
//! - [`described`]: what records are made of, for schemas; [`record!`] declares one, and [`view!`] an object that
//!   answers have.
//! - Records: [`BoardEntry`], [`Leg`], [`ArbWindow`], [`CloseSignal`], [`EdgeSignal`], [`SignalQuote`], [`LineMovement`],
//!   [`StaleAlert`], which the engine builds; [`Pick`]; [`WindowGrading`].
//! - [`link`]: what a link to a bet may be.
//! - [`source`]: how the name of a source says who sees it.
//! - [`Faults`]: what was wrong with an input, counted by field.
//! - `fixtures`, a Cargo feature: a record of each type for tests.
//!
//! A reader accepts what a newer writer adds to a list: an unknown key is kept as its text. It never acts, never decides
//! anything about odds, and knows no wire format.

#[macro_use]
pub mod described;
#[macro_use]
mod keyed;
#[macro_use]
mod record;
mod view;

mod bet;
mod board;
mod event;
mod faults;
mod feed;
#[cfg(feature = "fixtures")]
pub mod fixtures;
mod grading;
pub mod link;
mod market;
mod name;
mod open;
pub mod pick;
mod price;
mod signal;
pub mod source;
pub mod time;
mod units;
mod verification;

pub use bet::Bet;
pub use board::{
    ArbWindow, BoardEntry, BoardProgress, FilterValues, Leg, PassedLeg, PassedOver, Ttl, Warning, WindowKind,
};
pub use event::Event;
pub use faults::Faults;
pub use feed::{
    AlertScope, BookState, CONFIRMATION_GAPS, CloseReason, CloseSignal, LineMovement, MovementKind,
    StaleAlert,
};
pub use grading::{GradeState, LegReturn, OpenedLeg, OpenedWindow, WindowGrade, WindowGrading};
pub use keyed::Keyed;
pub use market::{Family, Line, Market, Outcome, Period, Side};
pub use name::Name;
pub use open::Open;
pub use pick::{ClosingPrice, Ending, EventStatus, FeedKind, LaterOffer, Pick, PickChange, PickGrade};
pub use price::{OddsFormat, Price, PriceError, fixed_point};
pub use signal::{EdgeSignal, FairChance, Method, Role, SignalChange, SignalKind, SignalQuote};
pub use time::{Micros, Time};
pub use units::{Money, Points, Seconds};
pub use verification::{FailedCheck, Flag, Verification};
