//! The records of `process.state.v1`: the state of a processor, one record for each thing that changes
//! independently. What a partition has learnt is in `learning`.
//!
//! They carry data and decide nothing.

use arb_model::{OddsFormat, record, symbols};

use super::{Event, Outcome, Side};
use crate::time::Micros;

record! {
    /// An update of a pushed source that was taken in by this partition.
    #[derive(Eq)]
    pub struct StatePush {
        /// The source.
        pub source: String,
        /// The number of the update, which the client gave it.
        pub sequence: i64,
        /// Digest of what it contained, but for the time.
        pub digest: i64,
        /// Digests of the bets whose prices it gave.
        pub bets: Vec<i64>,
    }
}

record! {
    /// One market of one event as the processor remembers it, without its lines and moves, which are `StateLine` and
    /// `StateMoves` records.
    #[derive(Eq)]
    pub struct StateHead {
        /// The event.
        pub event: Event,
        /// Market key, e.g. `totals_h1`.
        pub market: String,
        /// Its main line in thousandths, when that was last looked at.
        pub main_line: Option<i32>,
        /// Where bets of this market can be placed, as sources state it; by book.
        pub links: Vec<StateLink>,
        /// The books that have listed a draw of the winner, by name.
        pub drawn: Vec<String>,
        /// The private source whose prices these are; `None` is public.
        pub private: Option<String>,
    }
}

record! {
    /// Where bets of a market can be placed at a book, as a source states it.
    #[derive(Eq)]
    pub struct StateLink {
        /// The book.
        pub book: String,
        /// An address of http or https.
        pub link: String,
    }
}

record! {
    /// One line of one market of one event as the processor remembers it: its quotes, its open window, and the signals
    /// about it.
    pub struct StateLine {
        /// Which event.
        pub event_id: String,
        /// Market key, e.g. `totals_h1`.
        pub market: String,
        /// Line in thousandths; `None` of a market without lines.
        pub line: Option<i32>,
        /// Books and sources, which the rest names by position.
        pub names: Vec<String>,
        /// The time from which those of quotes are counted.
        pub begin: Micros,
        /// Its quotes, sorted by outcome, side and the book's name.
        pub quotes: Vec<StateQuote>,
        /// Its open window.
        pub window: Option<StateWindow>,
        /// The open signals about it, by kind, second line, outcome and book.
        pub signals: Vec<StateSignal>,
        /// What books agreed on of late, where it changed; by outcome and time.
        pub consensus: Vec<StateConsensus>,
        /// The private source whose prices these are; `None` is public.
        pub private: Option<String>,
    }
}

record! {
    /// One open signal.
    pub struct StateSignal {
        /// Signal id.
        pub id: String,
        /// As in `EdgeSignal`.
        pub kind: String,
        /// When it opened.
        pub opened_at: Micros,
        /// When it closes, unless it closes before or is confirmed.
        pub expires_at: Micros,
        /// Of its last transition.
        pub sequence: i64,
        /// How much.
        pub strength: f64,
        /// How sure.
        pub confidence: f64,
        /// As they were when it was last published.
        pub bets: Vec<StateBet>,
    }
}

record! {
    /// A bet of a signal, which may be on another line than the signal is about.
    #[derive(Eq)]
    pub struct StateBet {
        /// Line in thousandths; of a middle's second bet another than the signal's.
        pub line: Option<i32>,
        /// Its quote.
        pub quote: StateQuote,
    }
}

record! {
    /// What the books of a line agreed on from then on.
    #[derive(Eq)]
    pub struct StateConsensus {
        /// Of what.
        pub outcome: Outcome,
        /// The time.
        pub at: Micros,
        /// Median implied probability, in millionths.
        pub probability: i64,
    }
}

record! {
    /// Some of what the back prices of a market moved by of late, in the order in which it came. The key names the event, the market and
    /// the piece.
    #[derive(Eq)]
    pub struct StateMoves {
        /// Books, which the moves name by position.
        pub names: Vec<String>,
        /// Lines in thousandths, which the moves name by position; `None` of a market without lines.
        pub lines: Vec<Option<i32>>,
        /// The time of the first move.
        pub begin: Micros,
        /// Moves that this piece has had, those that were forgotten included.
        pub added: i32,
        /// The moves.
        pub moves: Vec<StateMove>,
        /// Positions of the moves that are part of a line movement that was reported.
        pub told: Vec<i32>,
    }
}

record! {
    /// A change of a back price. Its time and prices are counted from what is near them, because small numbers are short.
    #[derive(Eq)]
    pub struct StateMove {
        /// Position of the line.
        pub line: i32,
        /// What is bet on.
        pub outcome: Outcome,
        /// Position of the book's name.
        pub book: i32,
        /// Microseconds after the move before it, of the first one after `begin`; below 0 where it was earlier.
        pub after: i64,
        /// The price after it, decimal odds in millionths, above that after the move before it; of the first one above 0.
        pub to: i64,
        /// The price before it, decimal odds in millionths, above that after it.
        pub from: i64,
    }
}

symbols! {
    /// Whether a quote can be bet on. `unknown` stands for a symbol that a later writer added.
    #[allow(missing_docs)]
    pub enum Standing {
        Unknown = "unknown",
        OnOffer = "on_offer",
        Suspended = "suspended",
        Stale = "stale",
        Started = "started",
    }
}

record! {
    /// One quote.
    #[derive(Eq)]
    pub struct StateQuote {
        /// What is bet on.
        pub outcome: Outcome,
        /// Back or lay.
        pub side: Side,
        /// Position of the book's name.
        pub book: i32,
        /// Position of the source's name.
        pub source: i32,
        /// Decimal odds in millionths.
        pub price: i64,
        /// Whether it can be bet on.
        pub standing: Standing,
        /// When ingest took it, in microseconds after the record's `begin`; below 0 before it.
        pub received_at: i64,
        /// End of its span, in microseconds after `received_at`.
        pub span_end: i64,
        /// Start of its span, in microseconds after `span_end`.
        pub span_start: i64,
        /// When the price last changed, in microseconds after `span_start`.
        pub price_moved_at: i64,
        /// As in `Tick`.
        pub limit: Option<i64>,
        /// As in `Offer`.
        pub odds_format: OddsFormat,
    }
}

record! {
    /// One open window.
    #[allow(clippy::struct_excessive_bools)] // Independent flags of a window.
    pub struct StateWindow {
        /// Window id.
        pub id: String,
        /// When it opened.
        pub opened_at: Micros,
        /// Of its last transition.
        pub sequence: i64,
        /// Positions of its legs among the quotes.
        pub legs: Vec<i32>,
        /// The event had begun at its last transition.
        pub in_play: bool,
        /// Margin at opening.
        pub margin_open: f64,
        /// Largest margin.
        pub margin_peak: f64,
        /// Margin now.
        pub margin: f64,
        /// Its legs are a back and a lay of one of three outcomes.
        pub is_pair: bool,
        /// Bit i: the i-th verification flag of `BoardEntry` holds.
        pub flags: i32,
        /// Until when every leg is fresh.
        pub fresh_until: Micros,
        /// It was proven to have been on offer at one moment.
        pub simultaneous_ever: bool,
        /// It was verified.
        pub verified_ever: bool,
        /// The largest total within limits that was shown since the last transition, in minor units; `None` when no limit
        /// was known at a time.
        pub stake_shown: Option<i64>,
        /// How long it has lived.
        pub life: StateLife,
        /// By what its flags were last decided; `None` where they are to be decided again.
        pub basis: Option<StateBasis>,
        /// Positions among the quotes of a cheaper cover's bets, which is not eligible.
        pub passed_over: Vec<i32>,
        /// Whether its legs stood after it opened.
        pub standing: Option<StateStanding>,
        /// As `standing`, after it was verified for the first time; `None` where it never was.
        pub verified_standing: Option<StateStanding>,
    }
}

record! {
    /// The bets of a verdict, and what their confirmations have said.
    #[derive(Eq)]
    pub struct StateStanding {
        /// When the verdict was.
        pub at: Micros,
        /// Positions among the quotes of the bets that are not confirmed yet.
        pub waiting: Vec<i32>,
        /// Theirs, in millionths.
        pub prices: Vec<i64>,
        /// Microseconds from the verdict to the last confirmation.
        pub after: i64,
        /// All that were confirmed stood.
        pub stands: bool,
    }
}

record! {
    /// By what the flags of a window were last decided, beside the quotes.
    pub struct StateBasis {
        /// When they were.
        pub at: Micros,
        /// The largest margin that was plausible.
        pub margin_limit: f64,
        /// Of each leg, microseconds within which its book confirmed 95 of 100 prices.
        pub expected: Vec<i64>,
    }
}

record! {
    /// A source or a book that an operator has shut, as a partition of the processor remembers it.
    #[derive(Eq)]
    pub struct StateSuspension {
        /// A source, or the key of a book.
        pub name: String,
        /// It is a book.
        pub is_book: bool,
    }
}

record! {
    /// How far a source has come in this partition.
    #[derive(Eq)]
    pub struct StateSource {
        /// The source.
        pub source: String,
        /// `received_at` of its latest frame or poll end; `None` before the first.
        pub latest: Option<Micros>,
        /// The latest time at which anything came of it, heartbeats too; `None` where no time was taken in, as under the
        /// policy `raw`.
        pub heard_at: Option<Micros>,
        /// Frames of the poll that is under way; `None` between polls.
        pub frames: Option<i32>,
        /// No frame of that poll was skipped.
        pub whole: bool,
    }
}

record! {
    /// Where the time of a partition is.
    #[derive(Eq)]
    pub struct StateClock {
        /// The latest time of any source.
        pub now: Micros,
        /// Everything up to here has been published.
        pub watermark: Micros,
        /// The first time of those far ahead that are not accepted yet.
        pub leap: Option<Micros>,
    }
}

record! {
    /// The books that confirm none of their prices for an event.
    #[derive(Eq)]
    pub struct StateStaleBooks {
        /// Which event.
        pub event_id: String,
        /// The books, by name.
        pub books: Vec<String>,
    }
}

record! {
    /// How long an open window has lived, and by what it is counted.
    #[derive(Eq)]
    pub struct StateLife {
        /// Stage of its event, as in `StateSurvival`, and so are `kind`, `margin` and `age`.
        pub stage: String,
        /// Kind of its market.
        pub kind: String,
        /// Band of its margin.
        pub margin: i32,
        /// Band of its oldest leg's age.
        pub age: i32,
        /// Thousandths of a second of age that a second brings.
        pub pace: i64,
        /// When it was judged.
        pub since: Micros,
        /// When it was last seen alive.
        pub confirmed_at: Micros,
        /// Up to when its life is counted.
        pub taught_to: Micros,
    }
}
