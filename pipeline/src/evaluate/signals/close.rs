//! The close: what the last poll before an event's start says of the chances, and what bets taken before were worth by it.
//!
//! It never uses a price from after the start.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_engine::catalogue::{Line, Market, Outcome};
use arb_engine::devig::{self, Method};
use arb_engine::odds::Price;
use arb_engine::signals::{Edge, Evidence, Kind};
use arb_engine::{Engine, Offered, value};
use arb_schemas::time::{Micros, SECOND};

use super::Counts;

/// How long before the start a poll says what the close is.
const LAST: Micros = 3_600 * SECOND;

/// A line of an event.
type Place = (Arc<str>, Market, Option<Line>);

/// Bets taken, and the closing chances of their lines as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Closes {
    taken: Vec<Taken>,
    chances: BTreeMap<Place, Option<BTreeMap<Outcome, f64>>>,
}

/// A bet at the moment at which a signal opened.
#[derive(Debug)]
pub(super) struct Taken {
    kind: Kind,
    place: Place,
    outcome: Outcome,
    price: Price,
    /// The best price of each outcome of the line at that moment.
    highest: BTreeMap<Outcome, Price>,
}

impl Taken {
    pub(super) fn new(edge: &Edge, bet: &Evidence, offers: &[Offered]) -> Self {
        let mut highest = BTreeMap::new();
        for offer in offers {
            let price = highest.entry(offer.outcome).or_insert(offer.effective_price);
            *price = offer.effective_price.max(*price);
        }
        let place = (Arc::clone(&edge.event.id), edge.market, bet.line);
        Self { kind: edge.kind, place, outcome: bet.outcome, price: bet.effective_price, highest }
    }
}

impl Closes {
    pub(super) fn add(&mut self, taken: Taken) {
        self.chances.entry(taken.place.clone()).or_insert(None);
        self.taken.push(taken);
    }

    /// Notes what a poll says of the lines that bets were taken on, of events that start soon.
    pub(super) fn look(&mut self, engine: &Engine, now: Micros, starts: &[(String, Micros)]) {
        for (event, _) in starts.iter().filter(|(_, start)| (0..LAST).contains(&(start - now))) {
            let places = self.chances.iter_mut().filter(|((of, ..), _)| **of == **event);
            for ((_, market, line), chances) in places {
                *chances = closing(&engine.offers(event, *market, *line)).or(chances.take());
            }
        }
    }

    /// Grades what was taken on lines that have a close.
    pub(super) fn settle(self, counts: &mut BTreeMap<(Kind, bool), Counts>) {
        for taken in &self.taken {
            let Some(Some(chances)) = self.chances.get(&taken.place) else { continue };
            let worth = |outcome, price| Some(value::closing_line(price, *chances.get(&outcome)?));
            let counts = counts.entry((taken.kind, false)).or_default();
            let Some(ours) = worth(taken.outcome, taken.price) else { continue };
            counts.value.add(ours);
            let all: Vec<_> =
                taken.highest.iter().filter_map(|(outcome, price)| worth(*outcome, *price)).collect();
            counts.value_by_chance.add(all.iter().sum::<f64>() / all.len() as f64);
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
