//! The records of the board: open windows.
//!
//! They decide nothing.

use crate::{
    Event, FailedCheck, Family, Market, Micros, Money, Name, Open, Outcome, Period, Points, Price, Seconds,
    Side, Time, Verification,
};

keyed! {
    /// What kind of window it is.
    pub enum WindowKind {
        /// Every outcome is bet on, and every outcome pays.
        Surebet = "surebet",
    }
}

keyed! {
    /// What a taker must know.
    pub enum Warning {
        /// In some state of the score nothing is won: stakes come back.
        PushPossible = "push_possible",
        /// The line is a quarter line: in some state of the score half of a stake comes back.
        HalfPushPossible = "half_push_possible",
        /// It is not stated how much a leg's book takes.
        LimitUnknown = "limit_unknown",
        /// The least stake of a leg's book is not known: one unit of the currency is taken.
        LeastStakeUnknown = "least_stake_unknown",
        /// When the match is not played as planned, one leg may be void and another not.
        VoidRulesDiffer = "void_rules_differ",
    }
}

record! {
    /// An open arb window as it is now.
    pub struct BoardEntry {
        /// Window id, one from open to close; the key of the record.
        pub id: String,
        /// The event.
        pub event: Event => _,
        /// The event had begun when the entry was written.
        pub in_play: bool => _,
        /// What kind of window it is.
        pub kind: Open<WindowKind>,
        /// Market family.
        pub market: Open<Family>,
        /// Period of the market.
        pub period: Open<Period>,
        /// Line.
        pub line: Option<Points>,
        /// `S`, the sum of 1/effective price over the legs.
        pub implied_probability: f64,
        /// `1/S - 1`, the return on the total stake: 0.02 is 2 %.
        pub margin: f64,
        /// Least return over settlement states.
        pub margin_worst: f64,
        /// The bets, in the order of the outcome set.
        pub legs: Vec<Leg> => _,
        /// The legs' prices are proven to have been on offer at one moment.
        pub simultaneous: bool => _,
        /// What a taker must know.
        pub warnings: Vec<Open<Warning>>,
        /// What the rank is made of, beside the verification: the rounded margin times the probability of execution.
        pub score: f64,
        /// When the window opened.
        pub opened_at: Time,
        /// When anything of the entry last changed.
        pub updated_at: Time,
        /// Of the last transition; grows within a partition.
        pub sequence: i64,
        /// Least return of the legs' stakes, without pushes; `None` when none can be placed.
        pub margin_rounded: Option<f64>,
        /// The largest total stake within limits; `None` when no limit is known.
        pub total_stake_max: Option<Money>,
        /// Of all stakes, ISO 4217; `None` when a leg's is not known.
        pub currency: Option<Name>,
        /// All flags hold.
        pub verified: bool,
        /// The flags.
        pub verification: Verification,
        /// Why a flag does not hold, one for each.
        pub failed_checks: Vec<FailedCheck>,
        /// Remaining life when the entry was written.
        pub ttl: Ttl => _,
        /// The probability that the window stays open long enough to be placed.
        pub execution_probability: f64,
        /// A cheaper cover that is not eligible, which the legs were chosen over; `None`: there is none.
        pub passed_over: Option<PassedOver> => _,
        /// By what topic of their clauses the legs may be paid otherwise when the match is not played as planned:
        /// `postponed`, `moved`, `starters`, `abandoned` or `void`; `None` where their books state the same of all, or do not pay a played match alike.
        pub void_clause: Option<Name>,
        /// The most of the total stake that is lost then: some legs void, each as its book states (nothing, where it does not), and the others settled in
        /// the worst way. 0.5 is half of it.
        pub void_loss_max: Option<f64>,
    }
}

record! {
    /// A cover of the line that is cheaper than the legs and not eligible.
    pub struct PassedOver {
        /// `1/S - 1` by its effective prices.
        pub margin: f64,
        /// Its bets, in the order of the outcome set.
        pub legs: Vec<PassedLeg> => _,
        /// The first reason why it is not eligible.
        pub failed_check: FailedCheck,
    }
}

record! {
    /// One bet of a cover that was passed over.
    pub struct PassedLeg {
        /// What is bet on.
        pub outcome: Open<Outcome>,
        /// For it, or against it.
        pub side: Open<Side>,
        /// The book.
        pub book: Name,
        /// At what price.
        pub price: Price => _,
    }
}

record! {
    /// One bet of an arb.
    pub struct Leg {
        /// What is bet on.
        pub outcome: Open<Outcome>,
        /// For it, or against it.
        pub side: Open<Side>,
        /// The book.
        pub book: Name,
        /// At what price.
        pub price: Price => _,
        /// 1/effective price.
        pub implied_probability: f64,
        /// Share of the total stake; of a lay, of its liability.
        pub stake_share: f64,
        /// When the price last changed.
        pub price_moved_at: Time,
        /// When the source last confirmed it.
        pub last_seen_at: Time,
        /// The operator of the book.
        pub operator: Name,
        /// After fees, as the price of a back; of a lay, per unit of liability.
        pub effective_price: Price => _,
        /// To ask of the book, for the default total or less: of a lay the backer's stake.
        pub stake: Option<Money>,
        /// What a lay risks for it.
        pub liability: Option<Money>,
        /// The most that the book takes at this price: of a lay the backer's stake. `None`: not stated.
        pub limit: Option<Money>,
        /// Within which the book confirms 95 of 100 prices.
        pub expected_interval: Seconds => "expected_interval_seconds",
        /// Where the bet can be placed, an address of http or https, of the source or of the table of books; `None`: not known.
        pub link: Option<Name>,
        /// `effective_price` is of the worst price in the book's own form that is written as `price`.
        pub rounded: bool,
    }
}

record! {
    /// What filters of a stream compare of a window, as it was shown until a transition.
    pub struct FilterValues {
        /// The margin.
        pub margin: f64,
        /// Whether all flags held.
        pub verified: bool,
        /// Whether the event had begun.
        pub in_play: bool,
        /// The largest total within limits that was shown since the transition before; `None`: no limit was known at a time.
        pub total_stake_max: Option<Money>,
        /// The books of its legs.
        pub books: Vec<Name>,
    }
}

impl BoardEntry {
    /// What filters of a stream compare of it.
    #[must_use]
    pub fn filter_values(&self) -> FilterValues {
        FilterValues {
            margin: self.margin,
            verified: self.verified,
            in_play: self.in_play,
            total_stake_max: self.total_stake_max,
            books: self.legs.iter().map(|leg| leg.book.clone()).collect(),
        }
    }

    /// Its market; `None` when this program does not know it.
    #[must_use]
    pub fn market(&self) -> Option<Market> {
        Some(Market { family: self.market.known()?, period: self.period.known()? })
    }
}

record! {
    /// Remaining life in seconds.
    #[derive(Copy)]
    pub struct Ttl {
        /// One in ten is gone by then.
        pub p10: f64,
        /// Half are gone by then.
        pub median: f64,
        /// Nine in ten are gone by then.
        pub p90: f64,
    }
}

record! {
    /// The last whole poll of a source that this partition of the board contains.
    #[derive(Eq)]
    pub struct BoardProgress {
        /// Which source; the key of the record is `progress/` and this.
        pub source: String,
        /// The poll's time.
        pub received_at: Micros,
    }
}

record! {
    /// A window opened or changed.
    pub struct ArbWindow {
        /// `opened` or `updated`.
        pub change: String,
        /// The board's entry.
        pub entry: BoardEntry,
        /// What it replaces, as it was shown; `None` for a window that opened.
        pub replaced: Option<FilterValues>,
    }
}
