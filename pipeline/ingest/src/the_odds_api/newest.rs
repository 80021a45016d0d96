//! An event or a price that a poll gives twice: an event is one, of its prices the newest count.
//!
//! It never looks at what a price is.

use std::collections::HashMap;

use arb_model::{Faults, Market};
use arb_schemas::records::{Event, Offer};

use super::is_same_bet;

/// Leaves of the offers of an event one price for each bet at a book: that with the newest `last_seen_at`, of equal ones the last. A market that a
/// book has twice is counted.
pub(in super::super) fn keep_newest(offers: &mut [Offer], faults: &mut Faults) {
    let mut places: HashMap<(&str, &str), Vec<usize>> = HashMap::with_capacity(offers.len());
    for (place, offer) in offers.iter().enumerate() {
        places.entry((&offer.book, &offer.market)).or_default().push(place);
    }
    let mut repeated: Vec<_> = places.into_values().filter(|places| places.len() > 1).collect();
    repeated.sort_unstable();
    for places in repeated {
        let mut is_repeated = false;
        for (at, later) in places.iter().enumerate() {
            for earlier in &places[..at] {
                is_repeated |= keep_newer(offers, *earlier, *later);
            }
        }
        if is_repeated {
            faults.count("market", "listed twice");
        }
    }
}

/// Adds to an event what the same poll says of it again, by the sides under which it named it first.
pub(super) fn add_event(
    earlier: &mut (Event, Vec<Offer>),
    mut later: Event,
    offers: Vec<Offer>,
    faults: &mut Faults,
) {
    let (event, known) = earlier;
    let is_swapped = Event::are_swapped((&event.home, &event.away), (&later.home, &later.away));
    let by_names = |mut offer: Offer| {
        let market = Market::parse(&offer.market)?;
        offer.ticks = offer.ticks.iter().filter_map(|tick| tick.with_sides_swapped(market)).collect();
        Some(offer)
    };
    if is_swapped {
        let (field, problem) = Event::SIDES_SWAPPED;
        faults.count(field, problem);
        std::mem::swap(&mut later.home, &mut later.away);
        known.extend(offers.into_iter().filter_map(by_names));
    } else {
        known.extend(offers);
    }
    *event = later;
}

/// Removes the older price of each bet that two offers have; whether there is any.
fn keep_newer(offers: &mut [Offer], earlier: usize, later: usize) -> bool {
    let is_later_newer = offers[later].last_seen_at >= offers[earlier].last_seen_at;
    let (kept, dropped) = if is_later_newer { (later, earlier) } else { (earlier, later) };
    let of_kept = offers[kept].ticks.clone();
    let before = offers[dropped].ticks.len();
    offers[dropped].ticks.retain(|tick| !of_kept.iter().any(|newer| is_same_bet(newer, tick)));
    offers[dropped].ticks.len() < before
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use arb_schemas::records::{Outcome, Side, Status, Tick};
    use fastrand::Rng;

    use super::*;

    fn offer((book, at, home, lay): (usize, i64, bool, bool), price: i64) -> Offer {
        let outcome = if home { Outcome::Home } else { Outcome::Away };
        let side = if lay { Side::Lay } else { Side::Back };
        let tick = Tick { outcome, side, line: None, price, status: Status::Active, limit: None };
        let (book, market) = (format!("b{book}"), "h2h".to_owned());
        Offer { book, market, last_seen_at: at, price_moved_at: None, ticks: vec![tick], link: None }
    }

    /// However often and in whatever order: of each bet at a book the newest price is left, of equal ones the last.
    #[test]
    fn the_newest_of_each_bet_is_left() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..2_000 {
            let row = |rng: &mut Rng| (rng.usize(0..2), rng.i64(0..3), rng.bool(), rng.bool());
            let rows: Vec<_> = (0..rng.usize(0..12)).map(|_| row(&mut rng)).collect();
            let mut offers: Vec<_> = (1..).zip(&rows).map(|(price, row)| offer(*row, price)).collect();
            let mut newest = BTreeMap::new();
            for ((book, at, home, lay), price) in rows.iter().zip(1..) {
                let known = newest.entry((*book, *home, *lay)).or_insert((*at, price));
                if *at >= known.0 {
                    *known = (*at, price);
                }
            }
            let mut faults = Faults::default();
            keep_newest(&mut offers, &mut faults);
            let mut left: Vec<_> =
                offers.iter().flat_map(|offer| &offer.ticks).map(|tick| tick.price).collect();
            left.sort_unstable();
            let mut expected: Vec<i64> = newest.into_values().map(|(_, price)| price).collect();
            expected.sort_unstable();
            assert_eq!(faults.is_empty(), expected.len() == rows.len(), "{rows:?}");
            assert_eq!(left, expected, "{rows:?}");
        }
    }
}
