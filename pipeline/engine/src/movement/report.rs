//! Line movements as they are published, once each.
//!
//! It never looks at a window of arbs.

use arb_model::{Points, Time};

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::{Effect, Effects, LineMovement, MovementKind};
use crate::market::Line;
use crate::odds::Price;
use crate::quotes::{Move, Moves};

use super::hops::{Hops, SIZE, ends, within};

/// The least change of implied probability that is a movement: 1 in so many, so 0.02.
const ONE_IN: u64 = 50;

/// Reports the moves of the windows that were passed; all of them afterwards, `None` where none was reported.
pub(crate) fn report(
    all: &Moves,
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Option<Moves> {
    let mut now: Option<Moves> = None;
    for end in ends(all, hops) {
        let moves = now.as_ref().unwrap_or(all);
        let mut sums = within(moves.iter().filter(|moved| !moved.is_reported), end);
        sums.retain(|sum| is_movement(sum.from, sum.to));
        if sums.is_empty() {
            continue;
        }
        // By name: a restored engine numbers books in another order.
        let order = |moved: &Move| (moved.key.line(), moved.key.outcome());
        sums.sort_by_key(|sum| (order(sum), context.step.pricing.names.place(sum.key.book())));
        let is_in_report = |moved: &Move| moved.at < end && sums.iter().any(|sum| sum.key == moved.key);
        now = Some(moves.with_reported(is_in_report));
        for Move { key, from, to, .. } in sums {
            let of_price = LineMovement {
                line: key.line().map(Points),
                outcome: Some(key.outcome().into()),
                book: Some(context.step.pricing.names.name(key.book()).into()),
                price_from: Some(from),
                price_to: Some(to),
                probability_change: Some(to.implied_probability() - from.implied_probability()),
                ..movement(MovementKind::Price, end, context, effects)
            };
            effects.push(Effect::LineMovement(Box::new(of_price)));
        }
    }
    now
}

/// Whether implied probabilities are 0.02 or more apart, in integers.
fn is_movement(from: Price, to: Price) -> bool {
    let (from, to) = (u64::from(from.millionths()), u64::from(to.millionths()));
    from.abs_diff(to) * 1_000_000 * ONE_IN >= from * to
}

/// Reports another main line.
pub(crate) fn report_main_line(
    was: Option<Line>,
    now: Option<Line>,
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) {
    if let (Some(from), Some(line), Some(end)) = (was, now, hops.last())
        && from != line
    {
        let of_line = LineMovement {
            line: Some(Points(line)),
            line_from: Some(Points(from)),
            ..movement(MovementKind::MainLine, end, context, effects)
        };
        effects.push(Effect::LineMovement(Box::new(of_line)));
    }
}

/// What movements of both kinds have in common.
fn movement(
    kind: MovementKind,
    end: Micros,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> LineMovement {
    LineMovement {
        kind: kind.into(),
        event: (**context.step.event).clone(),
        market: context.market.family.into(),
        period: context.market.period.into(),
        window_start: Time(end - SIZE),
        window_end: Time(end),
        sequence: effects.next(),
        ..LineMovement::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::LeftOut;
    use crate::fixtures::{World, context};
    use crate::learning::Samples;
    use crate::market::{Outcome, QuoteKey, Side};
    use crate::venues::Books;
    use proptest::prelude::*;

    #[test]
    fn a_movement_is_a_fiftieth_of_probability() {
        let price = |decimal: &str| Price::from_decimal(decimal).unwrap();
        // 1/2 - 1/2.083333... is 0.02.
        assert!(is_movement(price("2"), price("2.083334")) && !is_movement(price("2"), price("2.08333")));
        assert!(is_movement(price("2.083334"), price("2")));
        assert!(!is_movement(price("1000"), price("50.1")) && is_movement(price("1000"), price("47.6")));
        assert!(!is_movement(price("3"), price("3")));
    }

    const SECOND: Micros = 1_000_000;

    /// Book, from, to, end of the window.
    type Reported = (String, u32, u32, i64);

    /// What is reported of moves when the watermark passes from one second to another, and the moves.
    fn reported(world: &World, moves: &[Move], from: i64, to: i64) -> (Vec<Reported>, Vec<Move>) {
        let step = world.step(0, to * SECOND);
        let mut out = Vec::new();
        let (samples, left_out) = (Samples::default(), LeftOut::default());
        let mut effects = Effects { sequence: 0, out: &mut out, samples, left_out };
        let hops = Hops::passed(from * SECOND, to * SECOND);
        let moves: Moves = moves.iter().copied().collect();
        let now = report(&moves, hops, &context(&step, "h2h"), &mut effects);
        let movements = out.into_iter().map(|effect| match effect {
            Effect::LineMovement(movement) if movement.kind == MovementKind::Price => {
                let [from, to] =
                    [movement.price_from, movement.price_to].map(|price| price.unwrap().millionths());
                (movement.book.unwrap().to_string(), from, to, movement.window_end.0 / SECOND)
            }
            other => unreachable!("{other:?}"),
        });
        (movements.collect(), now.unwrap_or(moves).iter().copied().collect())
    }

    fn moved(world: &World, book: &str, second: i64, from: i64, to: i64) -> Move {
        let key = QuoteKey::new(None, Outcome::Home, Side::Back, world.book(book));
        let [from, to] = [from, to].map(|price| Price::from_millionths(price * 10_000).unwrap());
        Move { key, at: second * SECOND, from, to, is_reported: false }
    }

    /// From 2.00 over 2.04 to 2.10: 0.0098 of probability, then 0.0140, together 0.0238.
    #[test]
    fn small_moves_of_one_window_are_one_movement() {
        let world = World::new(Books::default(), 2);
        let moves = [moved(&world, "b", 12, 200, 204), moved(&world, "b", 31, 204, 210)];
        assert_eq!(reported(&world, &moves, 10, 30).0, []);
        let (movements, now) = reported(&world, &moves, 30, 40);
        assert_eq!(movements, [("b".to_owned(), 2_000_000, 2_100_000, 40)]);
        assert!(now.iter().all(|moved| moved.is_reported));
        assert_eq!(reported(&world, &now, 40, 50).0, [], "it is reported once");
    }

    #[test]
    fn books_are_reported_in_the_order_of_their_names() {
        let world = World::new(Books::default(), 3);
        let moves = ["c", "a", "b"].map(|book| moved(&world, book, 12, 200, 250));
        let books: Vec<_> = reported(&world, &moves, 10, 20).0.into_iter().map(|(book, ..)| book).collect();
        assert_eq!(books, ["a", "b", "c"]);
    }

    proptest! {
        /// However the watermark comes to the end, hop by hop or at once, the same movements are reported, each move in one at most.
        #[test]
        fn one_long_step_reports_the_same_as_many_short_ones(
            walk in prop::collection::vec((0..2_usize, 0..25_i64, 180..230_i64), 1..12), step in 1..35_i64,
        ) {
            let world = World::new(Books::default(), 2);
            let (mut moves, mut second, mut prices) = (Vec::new(), 5, [200, 200]);
            for (book, gap, price) in walk {
                second += gap;
                if price != prices[book] {
                    moves.push(moved(&world, ["a", "b"][book], second, prices[book], price));
                    prices[book] = price;
                }
            }
            let end = second + 100;
            let (at_once, _) = reported(&world, &moves, 1, end);
            let (mut in_steps, mut at, mut now) = (Vec::new(), 1, moves);
            while at < end {
                let to = (at + step).min(end);
                let (movements, after) = reported(&world, &now, at, to);
                in_steps.extend(movements);
                (now, at) = (after, to);
            }
            prop_assert_eq!(&in_steps, &at_once);
            for (_, from, to, _) in at_once {
                prop_assert!((1e6 / f64::from(from) - 1e6 / f64::from(to)).abs() >= 0.02 - 1e-9);
            }
        }
    }
}
