//! `POST /v1/arbs/{id}/hedge`: some legs of an arb are placed; what to stake on the others at present prices, and what each way of ending
//! returns.
//!
//! It never places a bet and keeps nothing.

use std::future::ready;
use std::sync::Arc;

use arb_engine::arbs::hedge::{Hedge, HedgedWay, PlacedBet, hedge};
use arb_engine::arbs::stakes::Stake;
use arb_engine::venues::Books;
use arb_model::{Leg, Money, Price, Side};
use arb_schemas::records::BoardEntry;

use crate::http::charge::Charge;
use crate::http::json_body::{JsonBody, Part};
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Started;
use crate::view::bodies::{BAD_BOOK, BAD_PLACED, BAD_PRICE, BAD_STAKE, HedgeRequest, MOST_STAKE, PlacedBody};
use crate::view::{HedgeResult, HedgeView, HedgedLeg};

/// Most bytes of a body.
pub(crate) const MAX_BODY: usize = 4_096;
const CLOSED: &str = "No window of this id is open: it has closed, or there never was one.";
const UNKNOWN: &str = "The entry is of a kind for which no hedge is computed.";

/// A bet that is placed, as the request states it.
struct PlacedLeg {
    book: String,
    outcome: Option<String>,
    stake: i64,
    price: Price,
}

impl PlacedLeg {
    /// Those of a request, at least one.
    fn parse_all(request: &Request<'_>) -> Result<Vec<Self>, Problem> {
        let placed = HedgeRequest::take(JsonBody::of(request)?)?.placed.unwrap_or_default();
        let placed: Vec<_> = placed.into_iter().map(Self::parse).collect::<Result<_, _>>()?;
        if placed.is_empty() { Err(Problem::invalid_param("placed", BAD_PLACED)) } else { Ok(placed) }
    }

    fn parse(part: Part<PlacedBody>) -> Result<Self, Problem> {
        let PlacedBody { book, outcome, stake, price } = PlacedBody::take(part.0)?;
        let stake = stake.filter(|stake| (0.01..=MOST_STAKE).contains(stake));
        #[allow(clippy::cast_possible_truncation)] // At most a thousand million.
        let stake = stake.map(|stake| (stake * 100.0).round() as i64);
        let price = price.and_then(|price| Price::from_decimal(&price.0.to_string()).ok());
        let missing = |name, expected| move || Problem::invalid_param(name, expected);
        Ok(Self {
            book: book.ok_or_else(missing("book", BAD_BOOK))?,
            outcome,
            stake: stake.ok_or_else(missing("stake", BAD_STAKE))?,
            price: price.ok_or_else(missing("price", BAD_PRICE))?,
        })
    }

    /// Which leg it is.
    fn of(&self, entry: &BoardEntry) -> Result<PlacedBet, Problem> {
        let is_it = |leg: &Leg| {
            *leg.book == *self.book
                && self.outcome.as_ref().is_none_or(|outcome| leg.outcome.as_str() == outcome)
        };
        let mut legs = entry.legs.iter().enumerate().filter(|(_, leg)| is_it(leg));
        let (Some((leg, _)), None) = (legs.next(), legs.next()) else {
            return Err(Problem::invalid_param("book", BAD_BOOK));
        };
        Ok(PlacedBet { leg, stake: self.stake, price: self.price })
    }
}

/// Answers it of an entry that is found by its id, by a table of books.
pub(crate) fn answer(
    find: impl FnOnce(&str) -> Result<Option<Arc<BoardEntry>>, Problem>,
    books: &Books,
    request: &Request<'_>,
    charge: &Charge<'_>,
) -> Started {
    let placed = PlacedLeg::parse_all(request)?;
    let entry = find(&request.parameter("id"))?.ok_or_else(|| Problem::unknown_id(CLOSED))?;
    let mut bets: Vec<PlacedBet> = Vec::new();
    for bet in placed.iter().map(|placed| placed.of(&entry)) {
        let bet = bet?;
        if bets.iter().any(|other| other.leg == bet.leg) {
            return Err(Problem::invalid_param("placed", BAD_PLACED));
        }
        bets.push(bet);
    }
    let found = hedge(&entry, books, &bets).ok_or_else(|| Problem::bad_request(UNKNOWN))?;
    let worst = found.ways.first().ok_or_else(|| Problem::bad_request(UNKNOWN))?;
    charge.charge()?;
    let view = view(&entry, &bets, (&found, cents(worst.profit)));
    Ok(Box::pin(ready(Ok(reply::view(&view)))))
}

fn view<'a>(
    entry: &'a BoardEntry,
    placed: &[PlacedBet],
    (hedge, worst_profit): (&Hedge, Money),
) -> HedgeView<'a> {
    let legs = entry.legs.iter().zip(&hedge.stakes).enumerate();
    let leg = |(at, (leg, stake)): (usize, (&'a Leg, &Stake))| {
        let bet = placed.iter().find(|bet| bet.leg == at);
        let risked = (leg.side.known() == Some(Side::Lay)).then(|| stake.liability()).flatten();
        HedgedLeg {
            outcome: leg.outcome.as_str(),
            side: &leg.side,
            book: &leg.book,
            price: bet.map_or(leg.price, |bet| bet.price),
            placed: bet.is_some(),
            stake: Money(stake.placed),
            liability: risked.map(Money),
        }
    };
    let way = |way: &HedgedWay| HedgeResult {
        legs: way.settlements.iter().map(|settlement| settlement.key()).collect(),
        profit: cents(way.profit),
    };
    HedgeView {
        id: &entry.id,
        sequence: entry.sequence,
        currency: entry.currency.as_ref(),
        legs: legs.map(leg).collect(),
        total_stake: cents(hedge.stakes.iter().map(Stake::risked).sum()),
        worst_profit,
        results: hedge.ways.iter().map(way).collect(),
    }
}

/// An amount, rounded down to a cent but for the noise of the arithmetic.
fn cents(minor: f64) -> Money {
    #[allow(clippy::cast_possible_truncation)] // Far below 2^53.
    Money((minor + 1e-6).floor() as i64)
}
