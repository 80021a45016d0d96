//! Names, quotes and contexts for the tests of rooms: small, and the same everywhere.
//!
//! It is compiled for tests alone.

use std::sync::Arc;

use arb_model::{Name, Time};

use crate::Micros;
use crate::arbs::{KnownStakes, Window};
use crate::context::{Arrival, MarketContext, StepContext};
use crate::effect::{Verification, WindowHistory, WindowId};
use crate::input::Coordinate;
use crate::learning::survival::{Cells, Life, Survival};
use crate::learning::{Expected, Margins};
use crate::market::{EventInfo, Limit, Line, Market, Names, Outcome, Period, Policy, QuoteKey, Side, Symbol};
use crate::odds::{LineChances, OddsFormat, Price};
use crate::quotes::{Moment, Quote, QuoteStatus};
use crate::venues::{
    Book, Books, Clauses, Draws, Evidence, Least, Level, PricingContext, Sizes, VenueKind, Venues,
};

/// When the event of a [`World`] begins.
pub(crate) const START: Micros = 1_000_000_000_000;

/// A price by its decimal odds.
pub(crate) fn price(decimal: &str) -> Price {
    Price::from_decimal(decimal).unwrap()
}

/// A market by its key.
pub(crate) fn market(key: &str) -> Market {
    Market::parse(key).unwrap()
}

/// Names `a`, `b`, ... as the symbols of a table, in that order.
pub(crate) fn symbols(names: &mut Names, count: u8) -> Vec<Symbol> {
    (0..count).map(|index| names.symbol(&char::from(b'a' + index).to_string())).collect()
}

/// A back quote on offer, first seen and last confirmed at 0.
pub(crate) fn quote(book: Symbol, line: Option<Line>, outcome: Outcome, price: Price) -> Quote {
    Quote {
        key: QuoteKey::new(line, outcome, Side::Back, book),
        price,
        effective: price,
        limit: Limit::from_minor(100_000),
        status: QuoteStatus::OnOffer,
        odds_format: OddsFormat::Unknown,
        source: book,
        span_start: 0,
        span_end: 0,
        price_moved_at: 0,
        received_at: 0,
    }
}

/// An open window of these legs, of which nothing is proven.
pub(crate) fn window(legs: Vec<Quote>, life: Life) -> Window {
    Window {
        line: legs.first().and_then(|leg| leg.key.line()),
        id: WindowId([7; 16]),
        opened_at: life.since,
        sequence: 1,
        legs,
        pair: None,
        passed_over: Vec::new(),
        verification: Verification::default(),
        fresh_until: 0,
        history: WindowHistory::default(),
        standing: [None, None],
        in_play: false,
        margin_open: 0.02,
        margin_peak: 0.03,
        margin: 0.02,
        stake_shown: None,
        life,
        basis: None,
        stakes: KnownStakes::default(),
    }
}

/// A bookmaker of an operator that keeps nothing and settles by the clauses of a group, in dollars.
pub(crate) fn book(operator: &str, group: &str) -> Book {
    Book {
        operator: Some(operator.into()),
        kind: VenueKind::Bookmaker,
        currency: Some("USD".into()),
        fees: Vec::new(),
        clauses: Clauses::uniform(group, Level::Impossible),
        refresh: None,
        sizes: Sizes { least: Some(Least { stake: 1, liability: 0, contracts: 0 }), ..Sizes::default() },
        native: None,
        link: None,
        known: true,
        evidence: Evidence::default(),
    }
}

/// All that a context borrows.
pub(crate) struct World {
    pub(crate) names: Names,
    pub(crate) venues: Venues,
    pub(crate) expected: Expected,
    pub(crate) policy: Policy,
    event: Arc<EventInfo>,
    margins: Margins,
    cells: Cells,
    chances: LineChances,
}

impl World {
    /// Books `a`, `b`, ... of a table, under the policy `board`.
    pub(crate) fn new(books: Books, count: u8) -> Self {
        let (mut names, mut venues) = (Names::default(), Venues::new(Arc::new(books)));
        symbols(&mut names, count);
        venues.follow(&names);
        let [id, sport, league, home, away] = ["e", "baseball", "baseball_test", "H", "A"].map(Name::from);
        let event = Arc::new(EventInfo { id, sport, league, home, away, commence_time: Time(START) });
        let (expected, margins, cells) = (Expected::default(), Margins::default(), Cells::new());
        let chances = LineChances::default();
        Self { names, venues, expected, policy: Policy::Board, event, margins, cells, chances }
    }

    /// The symbol of a book that it has.
    pub(crate) fn book(&self, name: &str) -> Symbol {
        self.names.known(name).unwrap()
    }

    pub(crate) fn pricing(&self) -> PricingContext<'_> {
        let Self { names, venues, policy, event, .. } = self;
        PricingContext {
            policy: *policy,
            league: &event.league,
            draws: Draws::of(&event.league, Period::FullTime),
            names,
            venues,
            total_stake: crate::arbs::stakes::DEFAULT_TOTAL,
        }
    }

    pub(crate) fn moment(&self, watermark: Micros) -> Moment<'_> {
        Moment { watermark, commence_time: START, expected: &self.expected }
    }

    /// A step at an offset of the partition, which publishes nothing by itself.
    pub(crate) fn step(&self, offset: i64, now: Micros) -> StepContext<'_> {
        StepContext {
            at: Coordinate { topic: "t", partition: 3, offset },
            now,
            by_time: false,
            arrival: Arrival::Polled,
            moment: self.moment(now),
            event: &self.event,
            event_changed: false,
            margins: &self.margins,
            pricing: self.pricing(),
            survival: Survival { drafted: &self.cells, known: &self.cells },
            chances: &self.chances,
        }
    }
}

/// A market of a step, of which nothing was known before.
pub(crate) fn context<'a>(step: &'a StepContext<'a>, key: &str) -> MarketContext<'a> {
    MarketContext {
        step,
        market: market(key),
        last_received: None,
        links: &[],
        has_new_links: false,
        drawn: &[],
    }
}
