//! Records of settlement: what bots and sources of results ask for, and the changelog of the settlement machine.
//!
//! Closed sets are texts here; `arb_settle` knows which there are. What is published is [`Pick`] and [`OpenedWindow`] with its grades, of `arb_model`.

use arb_model::{
    ClosingPrice, Event, Family, FeedKind, LaterOffer, Name, Open, OpenedWindow, Outcome, Period, Pick,
    Points, Price, Time, WindowGrade, record,
};

use crate::time::Micros;

record! {
    /// A bet that a bot asks to publish.
    pub struct PickCandidate {
        /// The bot.
        pub bot: String,
        /// The version of the rule of the bot.
        pub version: i64,
        /// The kind of feed.
        pub feed: Open<FeedKind>,
        /// The event.
        pub event: Event,
        /// Market family.
        pub market: Open<Family>,
        /// Period of the market.
        pub period: Open<Period>,
        /// Line.
        pub line: Option<Points>,
        /// What is backed.
        pub outcome: Open<Outcome>,
        /// A draw refunds the stake: the market has two outcomes.
        pub draw_refunds: bool,
        /// A book that had the price on offer.
        pub book: Name,
        /// Its price.
        pub price: Price,
        /// The probability that the bot took for fair, 0 to 1.
        pub probability: f64,
        /// How the bot came to the probability.
        pub method: String,
        /// A fraction of the bank.
        pub stake: f64,
        /// Why, in words.
        pub reasons: Vec<String>,
        /// When the bot saw the price, by the time of its feed.
        pub at: Time,
    }
}

record! {
    /// The result of an event as one source reports it.
    #[derive(Eq)]
    pub struct ResultReport {
        /// Canonical id of the event.
        pub event: String,
        /// `in_progress`, `postponed`, `finished`, `abandoned`, `cancelled` or `walkover`.
        pub status: String,
        /// Final scores of periods.
        pub scores: Vec<PeriodScore>,
        /// The new start of a postponed event; `None` where it is not known or did not change.
        pub starts_at: Option<Micros>,
        /// Who reports it.
        pub source: String,
        /// When it was reported: of two reports the later one counts.
        pub at: Micros,
        /// The name of the side whose points are home; empty where there are no scores.
        pub home: String,
        /// That of the other side.
        pub away: String,
        /// How the event ended: `regulation`, `overtime`, `shootout` or `retired`; `None` where the source does not
        /// report it.
        pub ended: Option<String>,
    }
}

/// The period of the score after regulation, of an event that was played on.
pub const REGULATION: &str = "regulation";

record! {
    /// The points of both sides in one period.
    #[derive(Eq)]
    pub struct PeriodScore {
        /// `full_time` (all that was played), `regulation`, `h1`, `q1`, ...
        pub period: String,
        /// Points of the home side.
        pub home: i32,
        /// Points of the away side.
        pub away: i32,
    }
}

impl PeriodScore {
    /// The same with the sides exchanged.
    #[must_use]
    pub fn turned(&self) -> Self {
        Self { period: self.period.clone(), home: self.away, away: self.home }
    }
}

record! {
    /// The price of a bet shortly before its event.
    pub struct PickClosing {
        /// The id of the pick.
        pub pick: String,
        /// At the book of the pick; `None` where it had none.
        pub price: Option<Price>,
        /// What books agreed on, without their margin, 0 to 1.
        pub probability: f64,
        /// When the source last confirmed it.
        pub last_seen_at: Time,
    }
}

record! {
    /// What the book of a pick offered on its bet after the pick was published.
    pub struct PickOffer {
        /// The id of the pick.
        pub pick: String,
        /// Whether it is what was observed first after publishing.
        pub is_next_poll: bool,
        /// At the book of the pick; `None` where it offered nothing.
        pub price: Option<Price>,
        /// When the source confirmed it, or the other prices of the event where there was none.
        pub last_seen_at: Time,
    }
}

record! {
    /// How late it is.
    #[derive(Eq)]
    pub struct PickTimer {
        /// The time.
        pub at: Micros,
    }
}

record! {
    /// A pick that can still be graded.
    pub struct StatePick {
        /// The pick.
        pub pick: Pick,
        /// When it was published, by the timers.
        pub taken_at: Micros,
    }
}

record! {
    /// An arb window that can still be graded.
    pub struct StateOpenedWindow {
        /// The window.
        pub window: OpenedWindow,
        /// The last one; `None` of a window that was never graded.
        pub grade: Option<WindowGrade>,
        /// The newest known start of the event.
        pub starts_at: Time,
        /// When it was taken in, by the timers.
        pub taken_at: Micros,
    }
}

record! {
    /// The newest report on an event.
    #[derive(Eq)]
    pub struct StateResult {
        /// The report.
        pub report: ResultReport,
        /// When it was taken in, by the timers.
        pub taken_at: Micros,
        /// When bets are graded by it; `None` where they were.
        pub due_at: Option<Micros>,
        /// When bets were last graded by a report on the event.
        pub graded_at: Option<Micros>,
        /// How many reports said something new.
        pub changes: i64,
    }
}

record! {
    /// The time in the settlement of a partition.
    #[derive(Eq)]
    pub struct StatePicks {
        /// The time of the last timer.
        pub clock: Micros,
    }
}

impl From<PickClosing> for ClosingPrice {
    fn from(closing: PickClosing) -> Self {
        Self { price: closing.price, probability: closing.probability, last_seen_at: closing.last_seen_at }
    }
}

impl From<PickOffer> for LaterOffer {
    fn from(offer: PickOffer) -> Self {
        Self { price: offer.price, last_seen_at: offer.last_seen_at }
    }
}
