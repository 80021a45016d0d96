//! The records of the feed beside windows and signals: closes, movements of lines, alerts.
//!
//! They decide nothing.

use crate::{Event, Family, FilterValues, Market, Name, Open, Outcome, Period, Points, Price, Seconds, Time};

keyed! {
    /// Why a window closed.
    pub enum CloseReason {
        /// The prices no longer make an arb.
        PriceMoved = "price_moved",
        /// A leg's quote was withdrawn.
        Withdrawn = "withdrawn",
        /// A leg's book takes no bets.
        Suspended = "suspended",
        /// A leg's book has not confirmed its price for longer than it ever takes.
        Stale = "stale",
        /// The event has begun, and a leg's price is from before.
        EventStarted = "event_started",
        /// The event is over.
        EventEnded = "event_ended",
        /// The market turned out to have another set of outcomes; or another program, or one with other tables, looks at it anew.
        Superseded = "superseded",
    }
}

keyed! {
    /// What moved.
    pub enum MovementKind {
        /// A back price.
        Price = "price",
        /// The line that most books quote.
        MainLine = "main_line",
    }
}

keyed! {
    /// What an alert is about.
    pub enum AlertScope {
        /// A book for an event.
        Book = "book",
        /// A window that closed because of it.
        Arb = "arb",
    }
}

keyed! {
    /// What became of a book for an event.
    pub enum BookState {
        /// It confirms none of its prices.
        Stale = "stale",
        /// It was stale and confirms one again.
        Recovered = "recovered",
        /// It was stale and quotes the event no longer.
        Gone = "gone",
    }
}

/// Upper ends of the ranges by which times to a confirmation are put together, in seconds; longer ones are one more.
pub const CONFIRMATION_GAPS: [i64; 4] = [60, 300, 900, 3_600];

record! {
    /// A window closed.
    pub struct CloseSignal {
        /// Window id.
        pub id: String,
        /// Its event.
        pub event_id: Name,
        /// The reason.
        pub reason: Open<CloseReason>,
        /// When it opened.
        pub opened_at: Time,
        /// When it closed.
        pub closed_at: Time,
        /// Margin at opening.
        pub margin_open: f64,
        /// Largest margin.
        pub margin_peak: f64,
        /// Last margin while open.
        pub margin_close: f64,
        /// Of this transition; grows by one with each event of a partition of the feed.
        pub sequence: i64,
        /// Sport of its event.
        pub sport: Name,
        /// League of its event.
        pub league: Name,
        /// Market family.
        pub market: Open<Family>,
        /// Period of the market.
        pub period: Open<Period>,
        /// Line.
        pub line: Option<Points>,
        /// Its legs were proven to be on offer at one moment while it was open; a window that never was is a phantom.
        pub simultaneous_ever: bool,
        /// It was verified while it was open.
        pub verified_ever: bool,
        /// What was shown of it last.
        pub replaced: FilterValues => _,
        /// All legs were on offer at their prices or better when each was first confirmed after it opened; `None` where one was not
        /// confirmed before it closed.
        pub stood: Option<bool>,
        /// From the opening to the confirmation that decided `stood`.
        pub stood_after: Option<Seconds> => "stood_after_seconds",
        /// As `stood`, after it was verified for the first time.
        pub verified_stood: Option<bool>,
        /// From the first time that it was verified to the confirmation that decided `verified_stood`.
        pub verified_stood_after: Option<Seconds> => "verified_stood_after_seconds",
    }
}

record! {
    /// A quote's price moved by more than a threshold within a hopping window, or a market's main line changed.
    pub struct LineMovement {
        /// What moved.
        pub kind: Open<MovementKind>,
        /// The event.
        pub event: Event => _,
        /// Market family.
        pub market: Open<Family>,
        /// Period of the market.
        pub period: Open<Period>,
        /// Line; of a main line the new one.
        pub line: Option<Points>,
        /// Of a main line: the line before.
        pub line_from: Option<Points> => _,
        /// Of a price: what is bet on.
        pub outcome: Option<Open<Outcome>>,
        /// Of a price: whose.
        pub book: Option<Name>,
        /// Of a price: at the window's start.
        pub price_from: Option<Price> => _,
        /// Of a price: at its end.
        pub price_to: Option<Price> => _,
        /// Of a price: `1/to - 1/from`.
        pub probability_change: Option<f64> => "implied_probability_change",
        /// Start of the hopping window, which is in it.
        pub window_start: Time => _,
        /// Its end, which is not.
        pub window_end: Time => _,
        /// Of this event on the feed.
        pub sequence: i64,
    }
}

record! {
    /// A book stopped confirming its prices for an event, or an arb's leg did; or the book came back.
    #[derive(Eq)]
    pub struct StaleAlert {
        /// What it is about.
        pub scope: Open<AlertScope>,
        /// What became of the book; of an arb `stale`.
        pub state: Open<BookState>,
        /// The event.
        pub event: Event => _,
        /// Whose prices.
        pub book: Name,
        /// Of an arb: the window's id.
        pub arb_id: Option<String>,
        /// The latest confirmation; `None` when the book is gone.
        pub last_seen_at: Option<Time>,
        /// Within which the book confirms 95 of 100 prices.
        pub expected_interval: Seconds => "expected_interval_seconds",
        /// When it was found.
        pub at: Time,
        /// Of this event on the feed.
        pub sequence: i64,
    }
}

impl LineMovement {
    /// Its market; `None` when this program does not know it.
    #[must_use]
    pub fn market(&self) -> Option<Market> {
        Some(Market { family: self.market.known()?, period: self.period.known()? })
    }
}
