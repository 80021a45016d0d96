//! The record of `picks.v1`: a bet that a bot published before its event, and what became of it.
//!
//! What was published never changes, and gradings are only added. It decides nothing.

use crate::{Event, Family, Name, Open, Outcome, Period, Points, Price, Time};

keyed! {
    /// Of what kind the prices are that a bot saw. Records of two kinds are never pooled: simulated books lag by construction.
    pub enum FeedKind: closed {
        /// A simulated market.
        Simulated = "simulated",
        /// A recording of real books.
        Recorded = "recorded",
        /// Real books, now.
        Live = "live",
    }
}

keyed! {
    /// How far an event is.
    pub enum EventStatus {
        /// Not over.
        InProgress = "in_progress",
        /// To be played at another time; what was bet stands.
        Postponed = "postponed",
        /// Over; its scores are final.
        Finished = "finished",
        /// Broken off: periods that have a score were completed, everything else is void.
        Abandoned = "abandoned",
        /// Never played.
        Cancelled = "cancelled",
        /// Never played: one side did not appear.
        Walkover = "walkover",
    }
}

impl EventStatus {
    /// Whether its bets are settled by scores: it was played, to its end or not.
    #[must_use]
    pub fn was_played(self) -> bool {
        matches!(self, Self::Finished | Self::Abandoned)
    }
}

keyed! {
    /// How an event that was played came to its end.
    pub enum Ending {
        /// After its regular time.
        Regulation = "regulation",
        /// In overtime or extra time.
        Overtime = "overtime",
        /// By a shootout after that.
        Shootout = "shootout",
        /// One side gave up.
        Retired = "retired",
    }
}

record! {
    /// A bet that a bot published before its event, and what became of it: one of a bot, a version, a feed, an event and a market.
    pub struct Pick {
        /// Made of the bot, the version, the feed, the event and the market: the same whenever it is published.
        pub id: String,
        /// The bot.
        pub bot: String,
        /// The version of its rule.
        pub version: i64,
        /// The kind of feed.
        pub feed: Open<FeedKind>,
        /// The event, with the start that was announced when the pick was published.
        pub event: Event => _,
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
        /// When it was published.
        pub published_at: Time,
        /// The newest known start: a postponed event has another one than announced.
        pub starts_at: Time,
        /// The last known price before the start.
        pub closing: Option<ClosingPrice>,
        /// The offer of its book at the first poll after it was published; `None` where none was observed, as of every simulated one.
        pub offer_after_poll: Option<LaterOffer>,
        /// The same one to two minutes after it was published.
        pub offer_after_minute: Option<LaterOffer>,
        /// Every grading, the first one first; the last one counts.
        pub grades: Vec<PickGrade>,
    }
}

record! {
    /// The price of a pick's bet at its book shortly before the start, and the fair probability then.
    pub struct ClosingPrice {
        /// At the book of the pick; `None` where it had no price then.
        pub price: Option<Price>,
        /// What books agreed on, without their margin, 0 to 1.
        pub probability: f64,
        /// When the source last confirmed what it is computed from.
        pub last_seen_at: Time,
    }
}

record! {
    /// What the book of a pick offered on its bet some time after the pick was published.
    pub struct LaterOffer {
        /// At the book of the pick; `None` where it offered nothing.
        pub price: Option<Price>,
        /// When the source confirmed it, or the other prices of the event where there was none.
        pub last_seen_at: Time,
    }
}

record! {
    /// A grading. A correction is another one, never a change.
    pub struct PickGrade {
        /// The number of the grading, from 1: a correction is another one.
        pub version: i64,
        /// `won`, `half_won`, `push`, `half_lost`, `lost` or `void`; `open` where a result was withdrawn; `no_result` where none came.
        pub settlement: String [Keys(&["won", "half_won", "push", "half_lost", "lost", "void", OPEN, NO_RESULT])],
        /// Per unit staked.
        pub profit: f64,
        /// Points of the home side in the period; `None` where the bet was decided without them.
        pub home: Option<i32>,
        /// Of the away side.
        pub away: Option<i32>,
        /// Who reported the result; empty where none came.
        pub source: String,
        /// When it was reported.
        pub at: Time,
    }
}

record! {
    /// A pick was published or graded.
    pub struct PickChange {
        /// `published`, or `graded`: for the first time or again.
        pub change: String,
        /// The pick after that.
        pub pick: Pick,
    }
}

/// The change of a pick that is new.
pub const PUBLISHED: &str = "published";
/// The change of a pick that was graded, for the first time or again.
pub const GRADED: &str = "graded";

impl Pick {
    /// The grading that counts; `None` of a pick that was never graded.
    #[must_use]
    pub fn grade(&self) -> Option<&PickGrade> {
        self.grades.last()
    }

    /// Whether it waits for a result.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.grade().is_none_or(|grade| grade.settlement == OPEN)
    }

    /// Whether a later offer is the published price or a better one.
    #[must_use]
    pub fn is_still_on_offer(&self, later: &LaterOffer) -> bool {
        later.price.is_some_and(|price| price >= self.price)
    }

    /// Closing-line value: the price times the fair probability at the close, minus 1; `None` without a closing price.
    #[must_use]
    pub fn closing_line_value(&self) -> Option<f64> {
        Some(self.price.decimal() * self.closing.as_ref()?.probability - 1.0)
    }
}

/// The settlement of a pick whose result was withdrawn.
pub const OPEN: &str = "open";
/// The settlement of a pick for which no result came.
pub const NO_RESULT: &str = "no_result";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn the_last_grading_counts() {
        let mut pick = fixtures::pick();
        assert!(!pick.is_open());
        pick.grades.push(PickGrade { version: 3, settlement: OPEN.into(), ..PickGrade::default() });
        assert!(pick.is_open());
        assert_eq!(pick.grade().map(|grade| grade.version), Some(3));
    }

    #[test]
    fn a_bet_is_still_on_offer_at_its_price_or_a_better_one() {
        let pick = fixtures::pick();
        let later = |millionths: Option<i64>| LaterOffer {
            price: millionths.map(fixtures::price),
            ..LaterOffer::default()
        };
        let prices = [None, Some(2_099_999), Some(2_100_000), Some(2_100_001)];
        assert_eq!(prices.map(|price| pick.is_still_on_offer(&later(price))), [false, false, true, true]);
    }

    #[test]
    fn closing_line_value_is_what_the_price_pays_of_the_closing_chance() {
        let pick = fixtures::pick();
        // 2.1 * 0.5 - 1.
        assert!((pick.closing_line_value().unwrap() - 0.05).abs() < 1e-12);
        assert_eq!(Pick { closing: None, ..pick }.closing_line_value(), None);
    }
}
