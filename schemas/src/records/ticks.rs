//! The records of `odds.ticks.v1`: the prices of sources, and their heartbeats.
//!
//! They carry data and decide nothing.

use arb_model::{self as model, Bet, Market, OddsFormat, record, symbols};

use super::Event;
use crate::time::Micros;

record! {
    /// The prices of one source for one event at one moment.
    #[derive(Eq)]
    pub struct Frame {
        /// The source, e.g. `the-odds-api/soccer_fifa_world_cup`.
        pub source: String,
        /// When ingest took it; with the source it identifies a poll.
        pub received_at: Micros,
        /// Position among the frames that its poll sends to this partition, from 0; `None` for a push message.
        pub poll_index: Option<i32>,
        /// The event as the source describes it; its id is the key of the record.
        pub event: Event,
        /// Books x markets for which the frame is complete.
        pub coverage: Coverage,
        /// The ticks, grouped by what they share.
        pub offers: Vec<Offer>,
        /// Of a frame that a client pushed; `None` of one that ingest took.
        pub push: Option<Push>,
    }
}

record! {
    /// What only a frame has that a client pushed.
    #[derive(Copy, Eq)]
    pub struct Push {
        /// Number of the update, given by the client: with the source it is taken in once.
        pub sequence: i64,
        /// The client may set the event's names and start; else only its id is given.
        pub names_event: bool,
    }
}

record! {
    /// Books x markets; `None` is all of the source's, an empty list is none.
    #[derive(Eq)]
    pub struct Coverage {
        /// Book keys; `None`: every book of the source; empty: none.
        pub books: Option<Vec<String>>,
        /// Market keys; `None`: every market of the source; empty: none.
        pub markets: Option<Vec<String>>,
    }
}

impl Coverage {
    /// Everything that the source can cover.
    pub const ALL: Self = Self { books: None, markets: None };
}

record! {
    /// Ticks of one book in one market that share their times.
    #[derive(Eq)]
    pub struct Offer {
        /// Book key, e.g. `pinnacle`.
        pub book: String,
        /// Market key as The Odds API writes it, e.g. `totals` or `h2h_h1`.
        pub market: String,
        /// When the source last confirmed these prices.
        pub last_seen_at: Micros,
        /// When the price last changed, where the source reports it.
        pub price_moved_at: Option<Micros>,
        /// The prices.
        pub ticks: Vec<Tick>,
        /// Where these bets can be placed, an address of http or https; `None`: not reported.
        pub link: Option<String>,
        /// How the source writes these prices.
        pub odds_format: OddsFormat,
    }
}

record! {
    /// One observation of one price.
    #[derive(Copy, Eq)]
    pub struct Tick {
        /// What is bet on.
        pub outcome: Outcome,
        /// Back or lay.
        pub side: Side,
        /// Line in thousandths; for spreads the home side's handicap.
        pub line: Option<i32>,
        /// Decimal odds in millionths, rounded down.
        pub price: i64,
        /// Whether bets are taken.
        pub status: Status,
        /// The most that can be staked at this price, in minor units of the book's currency, not below 0; of a lay the
        /// backer's stake. `None`: not reported.
        pub limit: Option<i64>,
    }
}

symbols! {
    /// What a tick is about. `unknown` stands for a symbol that a later writer added.
    #[allow(missing_docs)]
    pub enum Outcome {
        Unknown = "unknown",
        Home = "home",
        Draw = "draw",
        Away = "away",
        Over = "over",
        Under = "under",
    }
}

symbols! {
    /// Side of a bet. `unknown` stands for a symbol that a later writer added.
    #[allow(missing_docs)]
    pub enum Side {
        Unknown = "unknown",
        Back = "back",
        Lay = "lay",
    }
}

symbols! {
    /// Whether a price can be taken. `unknown` stands for a symbol that a later writer added.
    #[allow(missing_docs)]
    pub enum Status {
        Unknown = "unknown",
        Active = "active",
        Suspended = "suspended",
    }
}

record! {
    /// The end of a poll, sent to every partition after the poll's frames.
    #[derive(Eq)]
    pub struct PollEnd {
        /// The source of the poll.
        pub source: String,
        /// That of the poll's frames.
        pub received_at: Micros,
        /// League that the poll asked for: events of others are not withdrawn; `None`: every league of the source.
        pub league: Option<String>,
        /// Books x markets that the poll asked for.
        pub coverage: Coverage,
        /// Frames of this poll in this partition.
        pub frames: i32,
    }
}

record! {
    /// A source was alive at this time, sent to every partition.
    #[derive(Eq)]
    pub struct Heartbeat {
        /// Which source.
        pub source: String,
        /// The time.
        pub at: Micros,
    }
}

record! {
    /// An operator shuts a source or a book, or opens it again: in every partition.
    #[derive(Eq)]
    pub struct Suspension {
        /// A source, or the key of a book.
        pub name: String,
        /// It is a book.
        pub is_book: bool,
        /// It is shut from now on; else it is opened.
        pub is_suspended: bool,
        /// By the operator's clock.
        pub at: Micros,
    }
}

impl Outcome {
    /// The outcome; `None` of a symbol that this program does not know.
    #[must_use]
    pub fn known(self) -> Option<model::Outcome> {
        Some(match self {
            Self::Home => model::Outcome::Home,
            Self::Draw => model::Outcome::Draw,
            Self::Away => model::Outcome::Away,
            Self::Over => model::Outcome::Over,
            Self::Under => model::Outcome::Under,
            Self::Unknown => return None,
        })
    }
}

impl From<model::Outcome> for Outcome {
    fn from(outcome: model::Outcome) -> Self {
        match outcome {
            model::Outcome::Home => Self::Home,
            model::Outcome::Draw => Self::Draw,
            model::Outcome::Away => Self::Away,
            model::Outcome::Over => Self::Over,
            model::Outcome::Under => Self::Under,
        }
    }
}

impl Side {
    /// The side; `None` of a symbol that this program does not know.
    #[must_use]
    pub fn known(self) -> Option<model::Side> {
        match self {
            Self::Back => Some(model::Side::Back),
            Self::Lay => Some(model::Side::Lay),
            Self::Unknown => None,
        }
    }
}

impl From<model::Side> for Side {
    fn from(side: model::Side) -> Self {
        match side {
            model::Side::Back => Self::Back,
            model::Side::Lay => Self::Lay,
        }
    }
}

impl Tick {
    /// The bet that it is about; `None` when the market has no such bet.
    #[must_use]
    pub fn bet(&self, market: Market) -> Option<Bet> {
        Bet::new(market, self.outcome.known()?, self.side.known()?, self.line)
    }

    /// The same price where home and away are named the other way round; `None` where it is about no bet of the market.
    #[must_use]
    pub fn with_sides_swapped(&self, market: Market) -> Option<Self> {
        let bet = self.bet(market)?.with_sides_swapped()?;
        Some(Self { outcome: bet.outcome().into(), line: bet.line(), ..*self })
    }
}
