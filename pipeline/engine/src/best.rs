//! The best prices of one line, and whether they make an arb.
//!
//! Of equal prices the smallest book key is taken, so that the answer depends on nothing else. It never
//! remembers anything.

use crate::Micros;
use crate::catalogue::{Outcome, Side};
use crate::names::Names;
use crate::odds::{self, Price};
use crate::quotes::{Quote, Standing};

/// The best back quotes of a complete outcome set whose implied probability is below 1.
#[derive(Debug, Clone)]
pub(crate) struct Arb<'a> {
    /// One quote an outcome, in the order of the set.
    pub(crate) legs: Vec<&'a Quote>,
    /// `S`.
    pub(crate) implied_probability: f64,
    /// The prices are proven to have been on offer at one moment.
    pub(crate) simultaneous: bool,
}

/// The arb on a line, if there is one; `line` holds the quotes of that line only.
pub(crate) fn find<'a>(line: &'a [Quote], outcomes: &[Outcome], names: &Names) -> Option<Arb<'a>> {
    let mut prices = [0.0; 3];
    for (price, outcome) in prices.iter_mut().zip(outcomes) {
        *price = highest(line, *outcome)?.implied_probability();
    }
    let implied_probability = prices.iter().sum();
    if implied_probability >= odds::ARB_BELOW {
        return None;
    }
    // Books are looked at only here: most lines are no arb.
    let legs: Vec<_> = outcomes.iter().filter_map(|outcome| best(line, *outcome, names)).collect();
    let simultaneous = simultaneous(&legs);
    Some(Arb { legs, implied_probability, simultaneous })
}

fn offers(line: &[Quote], outcome: Outcome) -> impl Iterator<Item = &Quote> {
    let on_offer = move |quote: &&Quote| {
        quote.key.outcome == outcome && quote.key.side == Side::Back && quote.standing == Standing::OnOffer
    };
    line.iter().filter(on_offer)
}

fn highest(line: &[Quote], outcome: Outcome) -> Option<Price> {
    offers(line, outcome).map(|quote| quote.price).max()
}

fn best<'a>(line: &'a [Quote], outcome: Outcome, names: &Names) -> Option<&'a Quote> {
    let book = |quote: &Quote| names.name(quote.key.book);
    offers(line, outcome).reduce(|best, quote| match quote.price.cmp(&best.price) {
        std::cmp::Ordering::Greater => quote,
        std::cmp::Ordering::Equal if book(quote) < book(best) => quote,
        _ => best,
    })
}

/// Whether the spans of all legs share a moment: the latest start is not after the earliest end.
fn simultaneous(legs: &[&Quote]) -> bool {
    let latest_start = legs.iter().map(|quote| quote.span_start).max().unwrap_or(Micros::MIN);
    let earliest_end = legs.iter().map(|quote| quote.span_end).min().unwrap_or(Micros::MAX);
    latest_start <= earliest_end
}
