//! `GET /odds/best`: of each bet the best price at which it can be placed, a page of events at a time.
//!
//! Best is what pays most after the fees of its book: the highest effective price of a back, the lowest of a lay. It never takes a price that cannot be
//! bet on, nor one of a book that is not in the table of books: what that book keeps is not known.

use std::cmp::Reverse;

use arb_engine::{ListedEvent, ListedQuote, QuoteStatus};
use arb_feed::filter::sport::{LEAGUE, SPORT};
use arb_feed::filter::window::{EVENT_ID, IN_PLAY, MARKET};
use arb_feed::view::OddsFormat;
use arb_model::Side;
use serde::{Deserialize, Serialize};
use tokio::task::block_in_place;

use super::{EventListFilter, EventPlace, EventsResource, lines, page_of};
use crate::http::charge::Charge;
use crate::http::paging::{self, Cursor, PageAsk};
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, row};
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::lists::known_names::Named;
use crate::resources::parameters::ODDS_FORMAT;
use crate::resources::tagged;
use crate::view::{BestOdds, BestOddsPage, EventItem};

/// The filters of a request; a filter applies where it is given.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BestFilter {
    events: EventListFilter,
    event: Option<String>,
    market: Option<String>,
    /// No filter: a page may continue in another format than the one before.
    #[serde(skip)]
    odds_format: OddsFormat,
}

impl PartialEq for BestFilter {
    fn eq(&self, other: &Self) -> bool {
        (&self.events, &self.event, &self.market) == (&other.events, &other.event, &other.market)
    }
}

impl Query for BestFilter {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(SPORT => events.sport),
        row!(LEAGUE => events.league),
        row!(EVENT_ID => event),
        row!(MARKET => market),
        row!(IN_PLAY => events.in_play),
        row!(ODDS_FORMAT => odds_format),
    ];
}

/// What is asked for.
#[derive(Debug)]
struct BestQuery {
    filter: BestFilter,
    limit: usize,
    after: Option<EventPlace>,
}

impl BestQuery {
    fn parse(query: &str) -> Result<Self, Problem> {
        let (filter, limit, after) = PageAsk::of(query, BestFilter::default(), paging::LIMIT)?.begin()?;
        Ok(Self { filter, limit, after })
    }

    /// The names in it, each with its parameter.
    fn names(&self) -> impl Iterator<Item = Named<'_>> {
        self.filter.events.names().chain(Named::market(self.filter.market.as_ref()))
    }
}

impl EventsResource {
    /// What the best prices are asked for by.
    pub(crate) const OF_BEST: ParameterList = paging::parameters_of_page::<BestFilter>;

    /// Answers `GET /odds/best`.
    pub(crate) fn best(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let query = BestQuery::parse(request.query())?;
        self.lists.names.check(query.names())?;
        self.check_ready()?;
        charge.refuse_if_spent()?;
        let private = charge.caller.private_source.as_deref();
        let (events, last) = block_in_place(|| self.quotes_of(&query, private));
        let odds = query.filter.odds_format;
        let next = last.map(|after| Cursor { after, filter: query.filter }.encode());
        let events = events.iter().map(|(event, quotes)| BestOdds {
            event: EventItem::new(event),
            lines: lines(&best(quotes), self.lists.polls.as_of(), odds),
        });
        let body = BestOddsPage { as_of: self.as_of(), events: events.collect(), next_cursor: next };
        tagged::answer(&body, request, charge)
    }

    /// A page of events with the quotes of each, and the place of the last one where more follow.
    fn quotes_of(
        &self,
        query: &BestQuery,
        private: Option<&str>,
    ) -> (Vec<(ListedEvent, Vec<ListedQuote>)>, Option<EventPlace>) {
        let BestFilter { events: wanted, event, market, .. } = &query.filter;
        let events = self.quotes.events(private);
        let of = events.iter().filter(|seen| {
            wanted.includes(seen)
                && event.as_deref().is_none_or(|event| *event == *seen.info.id)
                && market
                    .as_deref()
                    .is_none_or(|family| seen.markets.iter().any(|of| of.family.key() == family))
        });
        let (found, last) = page_of(of, query.limit, query.after.as_ref());
        let shown = found.into_iter().map(|event| {
            // Gone since the list was made: it has no prices.
            let (_, mut quotes) =
                self.quotes.odds_of(&event.info.id, private).unwrap_or_else(|| (event.clone(), Vec::new()));
            quotes.retain(|quote| market.as_deref().is_none_or(|family| family == quote.market.family.key()));
            (event.clone(), quotes)
        });
        (shown.collect(), last)
    }
}

/// The best quote of each bet, in the order of the quotes, which are by market, line, outcome and side; of equal ones the first book's.
pub(super) fn best(quotes: &[ListedQuote]) -> Vec<&ListedQuote> {
    let bet = |quote: &ListedQuote| (quote.market, quote.line, quote.outcome, quote.side);
    let bets = quotes.chunk_by(|a, b| bet(a) == bet(b));
    let takes_bets = |quote: &&ListedQuote| quote.is_of_table && quote.status == QuoteStatus::OnOffer;
    bets.filter_map(|of| {
        let of = of.iter().filter(takes_bets);
        match of.clone().next()?.side {
            // `max_by_key` gives the last of equal ones.
            Side::Back => of.min_by_key(|quote| Reverse(quote.effective_price)),
            Side::Lay => of.min_by_key(|quote| quote.effective_price),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use arb_engine::market::{Market, Outcome};
    use arb_engine::odds::Price;

    use super::*;

    fn quote(outcome: Outcome, side: Side, book: &str, effective: &str) -> ListedQuote {
        let price = Price::from_decimal(effective).unwrap();
        ListedQuote {
            market: Market::parse("h2h").unwrap(),
            line: None,
            outcome,
            side,
            book: book.into(),
            price,
            effective_price: price,
            limit: None,
            status: QuoteStatus::OnOffer,
            price_moved_at: 0,
            last_seen_at: 0,
            operator: book.into(),
            is_of_table: true,
            is_draw_sold: false,
            is_eligible: true,
            is_fresh: true,
        }
    }

    #[test]
    fn the_best_is_what_pays_most_after_fees_and_can_be_bet_on() {
        use Outcome::{Away, Home};
        let back = |book, effective| quote(Home, Side::Back, book, effective);
        let quotes = [
            back("a", "2.1"),
            back("b", "2.3"),
            back("c", "2.3"),
            ListedQuote { status: QuoteStatus::Suspended, ..back("d", "9") },
            ListedQuote { is_of_table: false, ..back("e", "9") },
            // The higher price is worth less after its fees.
            ListedQuote { price: Price::from_decimal("2.5").unwrap(), ..back("f", "2.2") },
            quote(Home, Side::Lay, "x", "2.4"),
            quote(Home, Side::Lay, "y", "2.35"),
            ListedQuote { status: QuoteStatus::Stale, ..quote(Away, Side::Back, "a", "1.9") },
        ];
        let found: Vec<_> = best(&quotes).iter().map(|quote| (quote.side, &*quote.book)).collect();
        assert_eq!(found, [(Side::Back, "b"), (Side::Lay, "y")]);
    }

    #[test]
    fn a_cursor_belongs_to_its_filters() {
        let after = EventPlace { commence_time: 7, id: "e".into() };
        let filter = BestFilter { market: Some("h2h".into()), ..BestFilter::default() };
        let cursor = Cursor { after: after.clone(), filter }.encode();
        let parsed = BestQuery::parse(&format!("market=h2h&limit=3&odds_format=american&cursor={cursor}"));
        let parsed = parsed.ok().unwrap();
        assert_eq!((parsed.limit, parsed.after), (3, Some(after)));
        for wrong in [&*format!("market=totals&cursor={cursor}"), "limit=0", "in_play=1", "book=a", "event=e"]
        {
            assert!(BestQuery::parse(wrong).is_err(), "{wrong}");
        }
    }
}
