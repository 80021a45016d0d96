//! Events and their odds: quotes as the processor holds them, and prices over time.
//!
//! It never changes a price, and never shows one that was suspended as a price.

use arb_engine::{ListedEvent, ListedQuote, QuoteStatus};
use arb_feed::view::{OddsFormat, ShownOdds};
use arb_model::{Money, Name, Open, Outcome, Points, Side, Time, view};
use arb_schemas::time::{Micros, SECOND, to_date};
use arb_store::history::PriceSeries;

view! {
    /// A page of events.
    pub(crate) struct EventPage<'a> {
        as_of: Option<Time>,
        events: Vec<EventItem<'a>>,
        next_cursor: Option<String>,
    }
}

view! {
    /// An event of which there are prices.
    pub(crate) struct EventItem<'a> => "ListedEvent" {
        id: &'a Name,
        sport: &'a Name,
        league: &'a Name,
        home: &'a Name,
        away: &'a Name,
        commence_time: Time,
        in_play: bool,
        /// The group that a scan names: the league and the UTC date of the start.
        group: String,
        /// Its markets, each with its period.
        markets: Vec<String>,
        books: usize,
        arbs: usize,
        last_seen_at: Time,
    }
}

view! {
    /// The odds of an event.
    pub(crate) struct OddsView<'a> => "Odds" {
        as_of: Option<Time>,
        event: EventItem<'a>,
        lines: Vec<LineView<'a>>,
    }
}

view! {
    /// The quotes of one line of a market.
    pub(crate) struct LineView<'a> => "OddsLine" {
        market: &'static str,
        period: &'static str,
        line: Option<Points>,
        quotes: Vec<QuoteView<'a>>,
    }
}

view! {
    /// A price of a book, as the processor holds it.
    pub(crate) struct QuoteView<'a> => "Quote" {
        outcome: Open<Outcome>,
        side: Open<Side>,
        book: &'a str,
        price: ShownOdds,
        effective_price: ShownOdds,
        limit: Option<Money>,
        status: &'static str [Keys(&["on_offer", "suspended", "stale", "started"])],
        price_moved_at: Time,
        last_seen_at: Time,
        age_seconds: Option<f64>,
        /// Of the odds of an event: the best of its bet after fees, among prices on offer at books of the table.
        #[serde(skip_serializing_if = "Option::is_none")]
        is_best: Option<bool>,
    }
}

view! {
    /// A page of events with the best price of each bet.
    pub(crate) struct BestOddsPage<'a> {
        as_of: Option<Time>,
        events: Vec<BestOdds<'a>>,
        next_cursor: Option<String>,
    }
}

view! {
    /// The best prices of an event.
    pub(crate) struct BestOdds<'a> {
        event: EventItem<'a>,
        /// Of each bet the best quote alone.
        lines: Vec<LineView<'a>>,
    }
}

view! {
    /// The prices of a line of an event at all books over time.
    pub(crate) struct OddsHistory<'a> {
        /// Its id.
        event: &'a str,
        market: &'static str,
        period: &'static str,
        line: Option<Points>,
        since: Time,
        until: Time,
        bets: Vec<BetHistory<'a>>,
    }
}

view! {
    /// The prices of a bet.
    pub(crate) struct BetHistory<'a> {
        outcome: &'a str [Keys(Outcome::KEYS)],
        side: &'a str [Keys(Side::KEYS)],
        books: Vec<SeriesView<'a>>,
    }
}

view! {
    /// The prices of a bet at a book over time.
    pub(crate) struct SeriesView<'a> => "PriceSeries" {
        book: &'a str,
        points: Vec<PointView>,
    }
}

view! {
    /// A price from a time on.
    pub(crate) struct PointView {
        at: Time,
        /// Decimal odds; null while they were suspended.
        price: Option<f64>,
    }
}

impl<'a> EventItem<'a> {
    /// Of an event.
    pub(crate) fn new(event: &'a ListedEvent) -> Self {
        let ListedEvent { info, in_play, markets, books, windows, last_seen_at } = event;
        Self {
            id: &info.id,
            sport: &info.sport,
            league: &info.league,
            home: &info.home,
            away: &info.away,
            commence_time: info.commence_time,
            in_play: *in_play,
            group: group(&info.league, info.commence_time),
            markets: markets.iter().map(|market| market.key()).collect(),
            books: *books,
            arbs: *windows,
            last_seen_at: Time(*last_seen_at),
        }
    }
}

fn group(league: &str, start: Time) -> String {
    format!("{league}/{}", to_date(start.0))
}

impl<'a> LineView<'a> {
    /// Of the quotes of one line, of which the first one names the line.
    pub(crate) fn new(
        (first, quotes): (&ListedQuote, &[&'a ListedQuote]),
        as_of: Option<Micros>,
        odds: OddsFormat,
    ) -> Self {
        Self {
            market: first.market.family.key(),
            period: first.market.period.key(),
            line: first.line.map(Points),
            quotes: quotes.iter().map(|quote| QuoteView::new(quote, as_of, odds)).collect(),
        }
    }
}

impl<'a> QuoteView<'a> {
    /// A quote, as of a time, its odds in a format.
    pub(crate) fn new(quote: &'a ListedQuote, as_of: Option<Micros>, odds: OddsFormat) -> Self {
        Self {
            outcome: quote.outcome.into(),
            side: quote.side.into(),
            book: &quote.book,
            price: odds.show(quote.price),
            effective_price: odds.show(quote.effective_price),
            limit: quote.limit.map(|limit| Money(limit.minor())),
            status: status(quote.status),
            price_moved_at: Time(quote.price_moved_at),
            last_seen_at: Time(quote.last_seen_at),
            age_seconds: as_of.map(|as_of| (as_of - quote.last_seen_at).max(0) as f64 / SECOND as f64),
            is_best: None,
        }
    }
}

/// The name of a status.
pub(super) fn status(status: QuoteStatus) -> &'static str {
    match status {
        QuoteStatus::OnOffer => "on_offer",
        QuoteStatus::Suspended => "suspended",
        QuoteStatus::Stale => "stale",
        QuoteStatus::Started => "started",
    }
}

impl<'a> SeriesView<'a> {
    /// Of a series.
    pub(crate) fn new(series: &'a PriceSeries) -> Self {
        let point = |(at, price): &(Micros, f64)| PointView {
            at: Time(*at),
            price: Some(*price).filter(|price| *price > 0.0),
        };
        Self { book: &series.book_key, points: series.points.iter().map(point).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Micros = 86_400 * SECOND;

    #[test]
    fn a_group_is_the_league_and_the_date_of_the_start() {
        assert_eq!(group("soccer_epl", Time(0)), "soccer_epl/1970-01-01");
        assert_eq!(group("soccer_epl", Time(DAY - 1)), "soccer_epl/1970-01-01");
        assert_eq!(group("soccer_epl", Time(31 * DAY)), "soccer_epl/1970-02-01");
    }
}
