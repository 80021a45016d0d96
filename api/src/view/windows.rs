//! Windows as they were stored: what they were, what became of them, and the prices of their legs. It never decides which are shown.

use arb_feed::view::{EntryView, GradeView};
use arb_model::{Side, Time, view};
use arb_schemas::time::Micros;
use arb_store::history::{PastGrading, PastWindow, PriceQuery, PriceSeries, Transition};

use super::evidence::EvidenceView;
use super::odds::SeriesView;
use super::settlement::SettlementView;

view! {
    /// A page of windows.
    pub(crate) struct WindowPage<'a> {
        windows: Vec<WindowView<'a>>,
        next_cursor: Option<String>,
    }
}

view! {
    /// A window from opening to close.
    pub(crate) struct WindowView<'a> => "Window" {
        id: &'a str,
        /// The feed that it was a window of.
        feed: &'a str,
        sport: &'a str,
        league: &'a str,
        /// Null is what the opening said, where only the end of a window is still stored.
        event: PastEvent<'a>,
        kind: Option<&'a str>,
        market: &'a str,
        period: &'a str,
        line: Option<f64>,
        opened_at: Time,
        closed_at: Option<Time>,
        lifetime_seconds: Option<f64>,
        /// Why it closed.
        reason: Option<&'a str>,
        margin_open: Option<f64>,
        margin_peak: Option<f64>,
        margin_close: Option<f64>,
        simultaneous_ever: bool,
        verified_ever: bool,
        /// Whether all legs were on offer at their prices or better when each was first confirmed after it opened; null while it is
        /// open, and where one was not confirmed before it closed.
        stood: Option<bool>,
        /// As stood, after it was verified for the first time.
        verified_stood: Option<bool>,
        in_play: Option<bool>,
        /// As it opened.
        legs: Vec<PastLeg<'a>>,
        updates: u64,
        /// What it came to; null while the result is not known.
        settlement: Option<SettlementView>,
    }
}

view! {
    /// The event of a window.
    pub(crate) struct PastEvent<'a> {
        id: &'a str,
        home: Option<&'a str>,
        away: Option<&'a str>,
        commence_time: Option<Time>,
    }
}

view! {
    /// A bet of a window.
    pub(crate) struct PastLeg<'a> {
        outcome: &'a str,
        side: &'a str [Keys(Side::KEYS)],
        book: &'a str,
        /// Decimal odds.
        price: f64,
        stake_share: f64,
    }
}

view! {
    /// One window, as the board has it while it is open, and from its opening on as it was stored.
    pub(crate) struct WindowHistory<'a> {
        open: Option<EntryView<'a>>,
        evidence: Option<EvidenceView<'a>>,
        window: Option<WindowView<'a>>,
        transitions: Vec<TransitionView<'a>>,
        /// All of them in their order, the last of which counts.
        gradings: Vec<GradeView<'a>>,
    }
}

view! {
    /// A transition of a window.
    pub(crate) struct TransitionView<'a> => "Transition" {
        sequence: i64,
        change: &'a str,
        at: Time,
        margin: f64,
        verified: bool,
        simultaneous: bool,
        reason: Option<&'a str>,
        legs: Vec<PastLeg<'a>>,
    }
}

view! {
    /// The prices of the legs of a window at all books.
    pub(crate) struct ArbPrices<'a> {
        id: &'a str,
        since: Time,
        until: Time,
        opened_at: Time,
        closed_at: Option<Time>,
        legs: Vec<LegPrices<'a>>,
    }
}

view! {
    /// The prices of a leg: its book first, and the books that had the most prices next.
    pub(crate) struct LegPrices<'a> {
        outcome: &'a str,
        side: &'a str [Keys(Side::KEYS)],
        /// The book of the leg as the window opened.
        book: &'a str,
        books: Vec<SeriesView<'a>>,
    }
}

impl<'a> WindowView<'a> {
    /// A window, with what it came to by its own of the gradings.
    pub(crate) fn new(window: &'a PastWindow, gradings: &[PastGrading]) -> Self {
        let is_own =
            |grading: &&PastGrading| (&grading.window, &grading.topic) == (&window.window, &window.topic);
        let own: Vec<_> = gradings.iter().filter(is_own).collect();
        let lifetime = |closed: Micros| (closed - window.opened_micros) as f64 / 1e6;
        Self {
            id: &window.window,
            feed: &window.topic,
            sport: &window.sport_key,
            league: &window.league_key,
            event: PastEvent {
                id: &window.event,
                home: window.home_name.as_deref(),
                away: window.away_name.as_deref(),
                commence_time: window.commence_micros.map(Time),
            },
            kind: window.kind_key.as_deref(),
            market: &window.market_key,
            period: &window.period_key,
            line: window.points,
            opened_at: Time(window.opened_micros),
            closed_at: window.closed_micros.map(Time),
            lifetime_seconds: window.closed_micros.map(lifetime),
            reason: window.why.as_deref(),
            margin_open: window.open_margin,
            margin_peak: window.peak_margin,
            margin_close: window.close_margin,
            simultaneous_ever: window.was_simultaneous,
            verified_ever: window.was_verified,
            stood: window.all_stood,
            verified_stood: window.all_stood_verified,
            in_play: window.was_in_play,
            legs: legs(&window.bets),
            updates: window.updates_count,
            settlement: SettlementView::new(&own),
        }
    }
}

impl<'a> TransitionView<'a> {
    /// Of a transition.
    pub(crate) fn new(transition: &'a Transition) -> Self {
        Self {
            sequence: transition.sequence_number,
            change: &transition.change,
            at: Time(transition.micros),
            margin: transition.margin_then,
            verified: transition.is_verified,
            simultaneous: transition.is_simultaneous,
            reason: transition.why.as_deref(),
            legs: legs(&transition.bets),
        }
    }
}

fn legs(bets: &[(String, String, String, f64, f64)]) -> Vec<PastLeg<'_>> {
    let bets = bets.iter().map(|(outcome, side, book, price, share)| PastLeg {
        outcome,
        side,
        book,
        price: *price,
        stake_share: *share,
    });
    bets.collect()
}

impl<'a> ArbPrices<'a> {
    /// Of a window, by its legs.
    pub(crate) fn new(window: &'a PastWindow, query: &PriceQuery, series: &'a [PriceSeries]) -> Self {
        let leg = |(outcome, side, book, ..): &'a (String, String, String, f64, f64)| {
            let is_of = |series: &&PriceSeries| series.outcome_key == *outcome && series.side_key == *side;
            let mut of: Vec<_> = series.iter().filter(is_of).collect();
            of.sort_by_key(|series| (series.book_key != *book, std::cmp::Reverse(series.points.len())));
            LegPrices { outcome, side, book, books: of.into_iter().map(SeriesView::new).collect() }
        };
        Self {
            id: &window.window,
            since: Time(query.since),
            until: Time(query.until),
            opened_at: Time(window.opened_micros),
            closed_at: window.closed_micros.map(Time),
            legs: window.bets.iter().map(leg).collect(),
        }
    }
}
