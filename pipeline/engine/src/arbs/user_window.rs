//! The window of an arb that is not followed, as on the board of a user's own books.
//!
//! It never opens a window of the state.

use sha2::{Digest, Sha256};

use crate::context::MarketContext;
use crate::effect::{WindowHistory, WindowId, first_16};
use crate::quotes::Quote;

use super::best::Arb;
use super::judged::{Judged, KnownStakes};
use super::lifetime::Followed;
use super::window::Window;

/// An arb of a user's board, whose lifecycle is not tracked: the id and age of the open window with the same
/// bets, else an age from its youngest price.
pub(crate) fn user_window(
    arb: &Arb<'_>,
    judged: &Judged<'_>,
    open: &[Window],
    context: &MarketContext<'_>,
) -> Window {
    let bet = |leg: &Quote| (leg.key, leg.price);
    let legs: Vec<_> = arb.legs.iter().copied().copied().collect();
    let is_this = |window: &&Window| window.legs.iter().map(bet).eq(legs.iter().map(bet));
    let known = open.iter().find(is_this);
    let since = legs.iter().map(|leg| leg.span_start).max().unwrap_or(context.step.now);
    let (in_play, margin) = (context.in_play(), judged.margin);
    let life = || Followed { legs: &legs, in_play, margin }.begin(context);
    Window {
        line: legs.first().and_then(|leg| leg.key.line()),
        id: known.map_or_else(|| user_window_id(&legs, context), |window| window.id),
        opened_at: known.map_or(since, |window| window.opened_at),
        sequence: known.map_or(0, |window| window.sequence),
        pair: arb.pair,
        passed_over: arb.passed_bets(),
        verification: judged.verification,
        fresh_until: judged.fresh_until,
        history: known.map_or(WindowHistory::default(), |window| window.history).and(judged.verification),
        in_play,
        margin_open: known.map_or(margin, |window| window.margin_open),
        margin_peak: known.map_or(margin, |window| window.margin_peak.max(margin)),
        margin,
        stake_shown: judged.staked.total_max,
        life: known.map_or_else(life, |window| window.life),
        basis: Some(judged.basis.clone()),
        standing: [None, None],
        stakes: KnownStakes::default(),
        legs,
    }
}

/// The id of bets that no window was opened for: as long as they are the same, so is it.
fn user_window_id(legs: &[Quote], context: &MarketContext<'_>) -> WindowId {
    let mut hash = Sha256::new();
    hash.update(format!("standing/{}/{}/", context.step.event.id, context.market.key()));
    for Quote { key, .. } in legs {
        let (side, book) = (key.side().key(), context.step.pricing.names.name(key.book()));
        hash.update(format!("{:?}/{}/{side}/{book};", key.line(), key.outcome().key()));
    }
    WindowId(first_16(hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{self, START, World, context, price, quote};
    use crate::market::Outcome;
    use crate::venues::Books;

    const SECOND: i64 = 1_000_000;
    const NOW: i64 = START - 86_400 * SECOND;

    /// The window of a user's two bets at these prices where these windows are open.
    fn window_of(prices: [&str; 2], open: impl Fn(&[Quote]) -> Vec<Window>) -> Window {
        let world = World::new(Books::default(), 2);
        let leg = |(at, outcome): (usize, Outcome)| Quote {
            span_start: NOW - (10 - i64::try_from(at).unwrap()) * SECOND,
            span_end: NOW,
            ..quote(world.book(["a", "b"][at]), None, outcome, price(prices[at]))
        };
        let legs = [(0, Outcome::Home), (1, Outcome::Away)].map(leg);
        let implied_probability = legs.iter().map(|leg| leg.effective.implied_probability()).sum();
        let arb = Arb { legs: legs.iter().collect(), pair: None, implied_probability, passed_over: None };
        let step = world.step(0, NOW + SECOND);
        let context = context(&step, "h2h");
        let judged = Judged::of(&arb, &legs, &KnownStakes::default(), &context);
        user_window(&arb, &judged, &open(&legs), &context)
    }

    fn known(legs: &[Quote]) -> Window {
        let profile = crate::learning::survival::Profile {
            stage: crate::learning::survival::EventStage::Days,
            kind: crate::learning::survival::MarketKind::Winner,
            margin: 1,
            age: 0,
        };
        let life = crate::learning::survival::Life::begin(profile, None, 5);
        fixtures::window(legs.to_vec(), life)
    }

    #[test]
    fn bets_of_an_open_window_are_that_window() {
        let window = window_of(["2.1", "2.2"], |legs| vec![known(legs)]);
        assert_eq!((window.id, window.opened_at, window.sequence), (WindowId([7; 16]), 5, 1));
        // 1 / (1/2.1 + 1/2.2) - 1 = 0.074419, above the 0.03 of its life so far; it opened at 0.02.
        assert!((window.margin_peak - 0.074_419).abs() < 1e-6 && (window.margin_open - 0.02).abs() < 1e-12);
    }

    #[test]
    fn other_bets_are_as_old_as_their_youngest_price() {
        let none = window_of(["2.1", "2.2"], |_| Vec::new());
        assert_eq!((none.opened_at, none.sequence), (NOW - 9 * SECOND, 0));
        assert!((none.margin - 0.074_419).abs() < 1e-6);
        let dearer = |legs: &[Quote]| {
            let mut legs = legs.to_vec();
            legs[0].price = price("2.3");
            vec![known(&legs)]
        };
        let other = window_of(["2.1", "2.2"], dearer);
        assert_eq!((other.id, other.sequence), (none.id, 0), "at another price it is not that window");
    }

    #[test]
    fn its_id_depends_on_the_bets_only() {
        let id = |prices| window_of(prices, |_| Vec::new()).id;
        assert_eq!(id(["2.1", "2.2"]), id(["2.3", "2.4"]));
        assert_ne!(id(["2.1", "2.2"]), WindowId([7; 16]));
    }
}
