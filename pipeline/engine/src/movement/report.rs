//! Line movements as they are published, once each.
//!
//! It never looks at a window of arbs.

use arb_model::{Points, Time};

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::{Effect, Effects, LineMovement, MovementKind};
use crate::market::Line;
use crate::odds::Price;
use crate::quotes::Move;

use super::hops::{Hops, SIZE, ends, within};

/// The least change of implied probability that is a movement: 1 in so many, so 0.02.
const ONE_IN: u64 = 50;

/// Reports the moves of the windows that were passed; all of them afterwards, `None` where none was reported.
pub(crate) fn report(
    all: &[Move],
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Option<Vec<Move>> {
    let mut now: Option<Vec<Move>> = None;
    for end in ends(all, hops) {
        let moves = now.as_deref().unwrap_or(all);
        let mut sums = within(moves.iter().filter(|moved| !moved.is_reported), end);
        sums.retain(|sum| is_movement(sum.from, sum.to));
        if sums.is_empty() {
            continue;
        }
        // By name: a restored engine numbers books in another order.
        let order = |moved: &Move| (moved.key.line, moved.key.outcome);
        let book = |moved: &Move| context.step.pricing.names.name(moved.key.book);
        sums.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| book(a).cmp(book(b))));
        let is_in_report = |moved: &Move| moved.at < end && sums.iter().any(|sum| sum.key == moved.key);
        let mark = |moved: &Move| Move { is_reported: moved.is_reported || is_in_report(moved), ..*moved };
        now = Some(moves.iter().map(mark).collect());
        for Move { key, from, to, .. } in sums {
            let of_price = LineMovement {
                line: key.line.map(Points),
                outcome: Some(key.outcome.into()),
                book: Some(context.step.pricing.names.name(key.book).into()),
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

    #[test]
    fn a_movement_is_a_fiftieth_of_probability() {
        let price = |decimal: &str| Price::from_decimal(decimal).unwrap();
        // 1/2 - 1/2.083333... is 0.02.
        assert!(is_movement(price("2"), price("2.083334")) && !is_movement(price("2"), price("2.08333")));
        assert!(is_movement(price("2.083334"), price("2")));
        assert!(!is_movement(price("1000"), price("50.1")) && is_movement(price("1000"), price("47.6")));
        assert!(!is_movement(price("3"), price("3")));
    }
}
