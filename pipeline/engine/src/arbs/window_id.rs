//! The id of a window that opens.
//!
//! It depends on the window's key and the record that opens it, and on nothing else.

use sha2::{Digest, Sha256};

use crate::context::MarketContext;
use crate::effect::{WindowId, first_16};
use crate::input::Coordinate;
use crate::market::{Outcome, Side};
use crate::quotes::Quote;

use super::best::Arb;

/// The first 16 bytes of SHA-256 over the window's key and the coordinates of the record that opens it.
pub(super) fn window_id(arb: &Arb<'_>, context: &MarketContext<'_>) -> WindowId {
    let Coordinate { topic, partition, offset } = context.step.at;
    let market = context.market;
    let line =
        arb.legs.first().and_then(|leg| leg.key.line()).map(|line| line.to_string()).unwrap_or_default();
    let mut hash = Sha256::new();
    // One record can open a window by the time that it brings, and another of the same key by its content.
    if context.step.by_time {
        hash.update("time/");
    }
    hash.update(format!("surebet/{topic}/{partition}/{offset}/{}/", context.step.event.id));
    for leg in &arb.legs {
        let (family, period) = (market.family.key(), market.period.key());
        let outcome = match (arb.pair, leg.key.side()) {
            (Some(outcome), Side::Lay) => format!("not_{}", outcome.key()),
            _ => covered(leg).key().to_owned(),
        };
        hash.update(format!("{family}/{period}/{line}/{outcome};"));
    }
    WindowId(first_16(hash))
}

/// What a leg of a set that is no pair covers: laying one of two outcomes is backing the other.
fn covered(leg: &Quote) -> Outcome {
    match (leg.key.side(), leg.key.outcome()) {
        (Side::Lay, Outcome::Home) => Outcome::Away,
        (Side::Lay, Outcome::Away) => Outcome::Home,
        (Side::Lay, Outcome::Over) => Outcome::Under,
        (Side::Lay, Outcome::Under) => Outcome::Over,
        (_, outcome) => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StepContext;
    use crate::fixtures::{World, context, price, quote};
    use crate::market::Line;
    use crate::venues::Books;

    fn arb(legs: &[Quote], pair: Option<Outcome>) -> Arb<'_> {
        Arb { legs: legs.iter().collect(), pair, implied_probability: 0.9, passed_over: None }
    }

    fn legs(world: &World, line: Option<Line>) -> [Quote; 2] {
        let of = |name, outcome| quote(world.book(name), line, outcome, price("2.1"));
        [of("a", Outcome::Over), of("b", Outcome::Under)]
    }

    #[test]
    fn an_id_is_the_same_in_every_replay() {
        let world = World::new(Books::default(), 2);
        let step = world.step(7, 0);
        let id = window_id(&arb(&legs(&world, Some(2_500)), None), &context(&step, "totals_h1"));
        // "surebet/t/3/7/e/totals/h1/2500/over;totals/h1/2500/under;"
        assert_eq!(id.to_string(), "4afd2d36e70e0035c9b9a873431326b6");
    }

    #[test]
    fn every_part_of_the_key_counts() {
        let world = World::new(Books::default(), 2);
        let (step, later) = (world.step(7, 0), world.step(8, 0));
        let by_time = StepContext { by_time: true, ..step };
        let [low, high] = [Some(2_500), Some(3_500)].map(|line| legs(&world, line));
        let ids = [
            window_id(&arb(&low, None), &context(&step, "totals")),
            window_id(&arb(&high, None), &context(&step, "totals")),
            window_id(&arb(&low, None), &context(&later, "totals")),
            window_id(&arb(&low, None), &context(&by_time, "totals")),
            window_id(&arb(&low, None), &context(&step, "totals_q1")),
        ];
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
    }

    #[test]
    fn books_and_prices_do_not_count_and_a_lay_counts_as_what_it_covers() {
        let world = World::new(Books::default(), 3);
        let step = world.step(7, 0);
        let id = |legs: &[Quote], pair| window_id(&arb(legs, pair), &context(&step, "h2h"));
        let of = |name, outcome, side, decimal| {
            let mut quote = quote(world.book(name), None, outcome, price(decimal));
            quote.key = quote.key.with_side(side);
            quote
        };
        let home = of("a", Outcome::Home, Side::Back, "2.1");
        let away = of("b", Outcome::Away, Side::Back, "2.1");
        let other = of("c", Outcome::Away, Side::Back, "2.3");
        let lay = of("c", Outcome::Home, Side::Lay, "1.9");
        assert_eq!(id(&[home, away], None), id(&[home, other], None));
        assert_eq!(id(&[home, away], None), id(&[home, lay], None));
        assert_ne!(id(&[home, away], None), id(&[home, lay], Some(Outcome::Home)));
    }
}
