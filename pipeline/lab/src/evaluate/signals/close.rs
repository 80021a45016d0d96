//! The close: the probabilities from the last poll before an event's start, and the value of earlier bets by
//! them.
//!
//! It never uses a price from after the start.

use std::collections::BTreeMap;

use arb_engine::odds::devig::{self, Method};
use arb_engine::odds::{Price, value};
use arb_engine::{Engine, Offered};
use arb_model::{EdgeSignal, Line, Market, Name, Outcome, SignalKind, SignalQuote};
use arb_schemas::time::{Micros, SECOND};

use super::Counts;

/// The earliest time before the start at which a poll counts as the close.
const LAST: Micros = 3_600 * SECOND;

/// A line of an event.
type Place = (Name, Market, Option<Line>);

/// The probabilities of a line in a poll.
#[derive(Debug)]
struct Close {
    at: Micros,
    chances: BTreeMap<Outcome, f64>,
}

/// Bets taken, and the closes of their lines as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Closes {
    taken: Vec<Taken>,
    closes: BTreeMap<Place, Option<Close>>,
}

/// The bets of a signal on a line at the moment at which it opened.
#[derive(Debug)]
pub(super) struct Taken {
    kind: SignalKind,
    place: Place,
    at: Micros,
    bets: Vec<(Outcome, Price)>,
    /// The best price of each outcome of the line at that moment.
    highest: BTreeMap<Outcome, Price>,
}

impl Taken {
    pub(super) fn new(
        edge: &EdgeSignal,
        (kind, market, line): (SignalKind, Market, Option<Line>),
        offers: &[Offered],
    ) -> Self {
        let mut highest = BTreeMap::new();
        for offer in offers {
            let price = highest.entry(offer.outcome).or_insert(offer.effective_price);
            *price = offer.effective_price.max(*price);
        }
        let bet = |bet: &SignalQuote| Some((bet.outcome.known()?, bet.effective_price));
        let bets = super::backs(edge, line).filter_map(bet).collect();
        let place = (edge.event.id.clone(), market, line);
        Self { kind, place, at: edge.opened_at.0, bets, highest }
    }
}

impl Closes {
    pub(super) fn add(&mut self, taken: Taken) {
        self.closes.entry(taken.place.clone()).or_insert(None);
        self.taken.push(taken);
    }

    /// Records a poll's probabilities of the lines of bets, for events that start soon.
    pub(super) fn inspect(&mut self, engine: &Engine, now: Micros, starts: &[(String, Micros)]) {
        for (event, _) in starts.iter().filter(|(_, start)| (1..LAST).contains(&(start - now))) {
            let places = self.closes.iter_mut().filter(|((of, ..), _)| **of == **event);
            for ((_, market, line), close) in places {
                let chances = closing(&engine.offers(event, *market, *line));
                *close = chances.map(|chances| Close { at: now, chances }).or(close.take());
            }
        }
    }

    /// Grades what was taken before the close of its line.
    pub(super) fn settle(self, counts: &mut BTreeMap<(SignalKind, bool), Counts>) {
        for taken in &self.taken {
            let Some(Some(close)) = self.closes.get(&taken.place) else { continue };
            if close.at <= taken.at {
                continue;
            }
            let worth = |(outcome, price): (&Outcome, &Price)| {
                Some(value::closing_line(*price, *close.chances.get(outcome)?))
            };
            let counts = counts.entry((taken.kind, false)).or_default();
            let bets = taken.bets.iter().map(|(outcome, price)| (outcome, price));
            bets.filter_map(worth).for_each(|value| counts.value.add(value));
            taken.highest.iter().filter_map(worth).for_each(|value| counts.value_by_chance.add(value));
        }
    }
}

/// The mean chances of the books that offer every outcome of a line; `None` of none.
fn closing(offers: &[Offered]) -> Option<BTreeMap<Outcome, f64>> {
    let mut books: BTreeMap<&str, Vec<(Outcome, Price)>> = BTreeMap::new();
    for offer in offers {
        books.entry(&offer.book).or_default().push((offer.outcome, offer.price));
    }
    let most = books.values().map(Vec::len).max()?;
    let (mut sums, mut count) = (BTreeMap::new(), 0.0);
    for prices in books.into_values().filter(|prices| prices.len() == most) {
        let (outcomes, prices): (Vec<_>, Vec<_>) = prices.into_iter().unzip();
        let Some(fair) = devig::fair(&prices, Method::Power) else { continue };
        count += 1.0;
        for (outcome, chance) in outcomes.into_iter().zip(fair.probabilities) {
            *sums.entry(outcome).or_insert(0.0) += chance;
        }
    }
    for sum in sums.values_mut() {
        *sum /= count;
    }
    (count > 0.0).then_some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(book: &str, outcome: Outcome, decimal: &str) -> Offered {
        let price = Price::from_decimal(decimal).unwrap();
        Offered { outcome, book: book.into(), price, effective_price: price }
    }

    #[test]
    fn the_close_is_the_mean_of_whole_books() {
        let offers = [
            offer("a", Outcome::Home, "1.91"),
            offer("a", Outcome::Away, "1.91"),
            offer("b", Outcome::Home, "1.5"),
            offer("b", Outcome::Away, "3"),
            offer("c", Outcome::Home, "5"),
        ];
        let chances = closing(&offers).unwrap();
        // A half of the one, two thirds of the other, which keeps nothing; the third has one side alone.
        assert!((chances[&Outcome::Home] - f64::midpoint(0.5, 2.0 / 3.0)).abs() < 1e-9, "{chances:?}");
        assert_eq!(closing(&[]), None);
    }
}
