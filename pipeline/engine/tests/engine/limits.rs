//! Limits of books: how they bound stakes, the warnings about them, and when the board is updated.

use arb_engine::effect::{BoardEntry, Warning};
use arb_engine::input::{Coverage, Frame, Input, Tick};
use arb_engine::market::{Bet, Limit, Market, Outcome, Policy, Side};
use arb_model::Money;

use crate::world::{World, entry, event, frame, tick, words};

/// A tick whose book takes so much, in minor units.
fn takes(tick: Tick<'static>, minor: impl Into<Option<i64>>) -> Tick<'static> {
    Tick { limit: minor.into().and_then(Limit::from_minor), ..tick }
}

/// An arb at 2.1 and 2.2, shares 22/43 and 21/43, whose books take so much.
fn arb(home: impl Into<Option<i64>>, away: impl Into<Option<i64>>) -> Vec<Tick<'static>> {
    vec![takes(tick("a", "home", "2.1", 9), home), takes(tick("b", "away", "2.2", 9), away)]
}

/// A tick with a limit two times of three, another amount in each poll.
pub(crate) fn another(tick: Tick<'static>, second: i64) -> Tick<'static> {
    let amount = (second * 37 + i64::from(tick.price.millionths() / 10_000)) % 9_000;
    takes(tick, Some(amount).filter(|amount| amount % 3 != 0))
}

fn stakes(entry: &BoardEntry) -> Vec<Option<i64>> {
    entry.legs.iter().map(|leg| leg.stake.map(|stake| stake.0)).collect()
}

fn limits(entry: &BoardEntry) -> Vec<Option<i64>> {
    entry.legs.iter().map(|leg| leg.limit.map(|limit| limit.0)).collect()
}

#[test]
fn the_leg_that_takes_least_for_its_share_bounds_all() {
    let effects = World::new(Policy::Board).send(10, arb(10_000, 4_000));
    let entry = entry(&effects);
    assert_eq!(limits(entry), [Some(10_000), Some(4_000)]);
    assert_eq!(entry.total_stake_max, Some(Money(8_190)), "40.00 * 43/21; 100.00 would be 195.45");
    assert_eq!(stakes(entry), [Some(4_190), Some(4_000)], "41.91 would be more and return less of it");
    assert!((entry.margin_rounded.unwrap() - (4_190.0 * 2.1 / 8_190.0 - 1.0)).abs() < 1e-12);
    assert_eq!(entry.warnings, [Warning::LeastStakeUnknown]);
}

#[test]
fn limits_above_the_default_total_bound_only_the_largest_one() {
    let effects = World::new(Policy::Board).send(10, arb(1_000_000, 700_000));
    assert_eq!(entry(&effects).total_stake_max, Some(Money(1_433_333)), "7,000.00 * 43/21");
    let unbounded = World::new(Policy::Board).send(10, arb(None, None));
    assert_eq!(stakes(entry(&effects)), stakes(entry(&unbounded)));
    assert_eq!(entry(&unbounded).total_stake_max, None);
}

#[test]
fn an_unknown_limit_is_a_warning() {
    for (home, away, most) in
        [(None, None, None), (None, Some(4_000), Some(8_190)), (Some(4_400), None, Some(8_600))]
    {
        let effects = World::new(Policy::Board).send(10, arb(home, away));
        let entry = entry(&effects);
        assert_eq!(
            (entry.total_stake_max, &entry.warnings[..]),
            (most.map(Money), &[Warning::LimitUnknown.into(), Warning::LeastStakeUnknown.into()][..])
        );
        assert_eq!(limits(entry), [home, away]);
    }
}

#[test]
fn of_a_lay_it_is_the_backers_stake() {
    let bet = Bet::new(Market::parse("h2h").unwrap(), Outcome::Home, Side::Lay, None).unwrap();
    let lay = Tick { bet, ..tick("x", "home", "1.8", 9) };
    let effects = World::new(Policy::Board).send(10, vec![tick("a", "home", "2.0", 9), takes(lay, 1_000)]);
    let entry = entry(&effects);
    // Laid at 1.8 is "not home" at 2.25: 8/17 of the whole, and 10.00 risks 8.00.
    assert_eq!((limits(entry), entry.total_stake_max), (vec![None, Some(1_000)], Some(Money(1_700))));
    assert_eq!((stakes(entry), entry.legs[1].liability), (vec![Some(900), Some(1_000)], Some(Money(800))));
    assert!((entry.margin_rounded.unwrap() - 1.0 / 17.0).abs() < 1e-12, "either way 18.00 for 17.00");
}

#[test]
fn another_limit_alone_is_a_refresh_and_no_event() {
    let mut world = World::new(Policy::Board);
    let opened = world.send(10, arb(10_000, 4_000));
    assert_eq!(words(&opened), ["opened"]);
    let lower = world.send(20, arb(10_000, 2_000));
    assert_eq!(words(&lower), ["refreshed"]);
    let (first, now) = (entry(&opened), entry(&lower));
    assert_eq!((&now.id, now.sequence, now.opened_at), (&first.id, first.sequence, first.opened_at));
    assert_eq!((now.total_stake_max, limits(now)), (Some(Money(4_095)), vec![Some(10_000), Some(2_000)]));
    assert!(now.simultaneous, "no span has ended");
    assert_eq!(words(&world.send(30, arb(10_000, 2_000))), [""; 0]);
    let unknown = world.send(40, arb(10_000, None));
    assert_eq!(
        (words(&unknown), entry(&unknown).total_stake_max),
        (vec!["refreshed".into()], Some(Money(19_545)))
    );
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let push = Frame { coverage, ..frame(50, None, event("e"), arb(10_000, 3_000).split_off(1)) };
    let (_, sent) = world.step(&Input::Frame(push));
    assert_eq!((words(&sent), entry(&sent).total_stake_max), (vec!["refreshed".into()], Some(Money(6_142))));
}
