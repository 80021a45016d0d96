//! The records of `signals.v1`, and what became of them on the feed: edge signals.
//!
//! They decide nothing.

use crate::{Event, Family, Market, Name, Open, Outcome, Period, Points, Price, Side, Time};

keyed! {
    /// What kind of signal it is.
    pub enum SignalKind: closed {
        /// A price pays more than the fair chance.
        Value = "value",
        /// The best prices of a line give nearly everything back.
        LowHold = "low_hold",
        /// Two bets that can both win.
        Middle = "middle",
        /// Books shorten one outcome together.
        Steam = "steam",
        /// A book lags a steam.
        StalePrice = "stale_price",
        /// What books agree on has fallen.
        OddsDrop = "odds_drop",
    }
}

keyed! {
    /// What a quote is to a signal.
    pub enum Role {
        /// It is to be taken.
        Bet = "bet",
        /// The fair chance is made of its book's prices.
        Source = "source",
        /// Of those that moved, it moved first.
        Leader = "leader",
        /// It moved after that.
        Follower = "follower",
        /// It is offered.
        Other = "other",
    }
}

keyed! {
    /// How what the book keeps is spread over the outcomes.
    #[allow(missing_docs)]
    pub enum Method {
        Multiplicative = "multiplicative",
        Additive = "additive",
        Power = "power",
        Shin = "shin",
        OddsRatio = "odds_ratio",
    }
}

record! {
    /// An open edge signal as it is now: what to take, how much it is worth, how sure that is, and the quotes that are the evidence.
    pub struct EdgeSignal {
        /// One from open to close.
        pub id: String,
        /// Its kind.
        pub kind: Open<SignalKind>,
        /// The event.
        pub event: Event => _,
        /// The event had begun when the record was written.
        pub in_play: bool => _,
        /// Market family.
        pub market: Open<Family>,
        /// Period of the market.
        pub period: Open<Period>,
        /// Line; of a middle the first bet's.
        pub line: Option<Points>,
        /// What is bet on; `None` of bets on several outcomes.
        pub outcome: Option<Open<Outcome>>,
        /// A fraction: of `value` and `stale_price` the expected return, of `steam` and `odds_drop` the rise of the implied
        /// probability, of `middle` and `low_hold` the return on the total stake where exactly one bet wins.
        pub strength: f64,
        /// 0 to 1: of `value` the share of opinions, each a book's by one method, that expect a profit; of `steam` and
        /// `stale_price` the share of operators that moved; of `odds_drop` the share of prices that are past half the way; of
        /// `middle` and `low_hold` the share of pairs of bets that are proven to have been on offer at one moment.
        pub confidence: f64,
        /// What to take.
        pub bets: Vec<SignalQuote> => _,
        /// The evidence for it; nothing of a signal that closes.
        pub evidence: Vec<SignalQuote> => _,
        /// Of `value` and `stale_price`: the fair chance of the outcome by each method of devig, the most cautious first, which is that of `strength`.
        pub fair: Vec<FairChance>,
        /// Of `value` and `stale_price`: a quarter of the Kelly fraction of the bank.
        pub kelly: Option<f64>,
        /// When it opened.
        pub opened_at: Time,
        /// When anything of it last changed.
        pub updated_at: Time,
        /// When it closes, unless it closes before or is confirmed.
        pub expires_at: Time,
        /// Of its last transition on the feed.
        pub sequence: i64,
    }
}

record! {
    /// A quote of a signal.
    #[derive(Eq)]
    pub struct SignalQuote {
        /// What it is to the signal.
        pub role: Open<Role>,
        /// What is bet on.
        pub outcome: Open<Outcome>,
        /// For it, or against it.
        pub side: Open<Side>,
        /// Line.
        pub line: Option<Points>,
        /// The book.
        pub book: Name,
        /// The operator of the book.
        pub operator: Name,
        /// At what price.
        pub price: Price,
        /// Of a leader or follower: at the start of the move.
        pub price_from: Option<Price>,
        /// After fees, as the price of a back.
        pub effective_price: Price,
        /// When the price last changed.
        pub price_moved_at: Time,
        /// When the source last confirmed it.
        pub last_seen_at: Time,
    }
}

record! {
    /// A chance without what books keep.
    pub struct FairChance {
        /// The devig method.
        pub method: Open<Method>,
        /// Of the outcome.
        pub probability: f64,
    }
}

record! {
    /// An edge signal opened, changed or closed.
    pub struct SignalChange {
        /// `opened`, `updated`, or why it closed: `expired`, `faded`, `followed`, `withdrawn`, `event_ended` or `superseded`.
        pub change: String,
        /// The signal as it is, or was.
        pub signal: EdgeSignal,
    }
}

impl SignalKind {
    /// Whether it follows from the current table only.
    #[must_use]
    pub fn is_of_table(self) -> bool {
        matches!(self, Self::Value | Self::LowHold | Self::Middle)
    }
}

impl EdgeSignal {
    /// Its market; `None` when this program does not know it.
    #[must_use]
    pub fn market(&self) -> Option<Market> {
        Some(Market { family: self.market.known()?, period: self.period.known()? })
    }
}
