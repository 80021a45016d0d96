//! The price of a bet shortly before its event, and what the other books agree on then.
//!
//! The operator of the book that is bet at is never part of the reference, nor is a book that is not in the table. It never estimates: with fewer
//! than three other operators there is none.

use arb_engine::odds::FairCache;
use arb_model::{Pick, Price};
use arb_schemas::records::PickClosing;

use crate::line::{BookRow, LineView};

/// The reference is made of so many operators at least.
const OPERATORS: usize = 3;

/// The closing price of a pick at one of the lines of its event; `None` where none is known.
#[must_use]
pub fn closing(pick: &Pick, lines: &[LineView<'_>], chances: &FairCache) -> Option<PickClosing> {
    let line = pick.line.map(|line| line.0);
    let is_meant = |view: &&LineView<'_>| {
        let market = (view.market.family, view.market.period);
        view.line == line && (pick.market == market.0 && pick.period == market.1)
    };
    let view = lines.iter().find(is_meant)?;
    let outcome = pick.outcome.known()?;
    let place = view.outcomes.iter().position(|other| *other == outcome)?;
    let own = view.operator_of(&pick.book);
    let is_source =
        |row: &BookRow<'_>| *row.book != *pick.book && own.is_none_or(|own| *row.quotes[0].operator != *own);
    let probability = *view.fair(OPERATORS, chances, is_source)?.get(place)?;
    let sources = view.rows().filter(|row| row.is_of_table() && is_source(row));
    let last_seen_at = sources.flat_map(|row| row.quotes).map(|quote| quote.last_seen_at).max()?;
    let price: Option<Price> = view.offer(&pick.book, outcome).map(|quote| quote.price);
    Some(PickClosing {
        pick: pick.id.clone(),
        price,
        probability,
        last_seen_at: arb_model::Time(last_seen_at),
    })
}
