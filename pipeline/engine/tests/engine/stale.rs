//! Staleness: the usual intervals of a book, what closes when it exceeds them, and the alerts about it.

use arb_engine::effect::{AlertScope, BookState, Effect, Flag};
use arb_engine::input::{Event, Tick};
use arb_engine::market::Policy;
use arb_model::{Seconds, Time};

use crate::world::{World, at, closed, event, tick, words};

/// Until a book is known, what is older than half an hour is stale.
const PRIOR: i64 = 1_800;

fn arb(a_seen: i64, b_seen: i64) -> Vec<Tick<'static>> {
    vec![tick("a", "home", "2.1", a_seen), tick("b", "away", "2.2", b_seen)]
}

/// A world whose books `a` and `b` confirm their prices every 20 s, so that 2^4.5 s are expected and 45.25 s allowed.
fn punctual() -> (World, i64) {
    let mut world = World::new(Policy::Board);
    let last = 20 * 101;
    for second in (0..=last).step_by(20) {
        world.send(1_000 + second, arb(1_000 + second, 1_000 + second));
    }
    (world, 1_000 + last)
}

#[test]
fn an_unknown_book_is_given_half_an_hour() {
    let mut world = World::new(Policy::Board);
    world.send(100, arb(99, 100));
    assert_eq!(words(&world.beat(99 + PRIOR + 5)), ["refreshed"], "it is fresh no longer, and on offer");
    assert!(!world.board.values().any(|entry| entry.verification.holds(Flag::Fresh)));
    let effects = world.beat(99 + PRIOR + 6);
    assert_eq!(words(&effects), ["closed stale", "alert arb a", "alert a stale"]);
    assert_eq!(closed(&effects).closed_at.0, at(99 + PRIOR + 6));
    assert_eq!(words(&world.beat(99 + PRIOR + 7)), ["alert b stale"]);
}

#[test]
fn a_known_book_is_given_twice_what_it_takes() {
    let (mut world, last) = punctual();
    assert_eq!(words(&world.beat(last + 50)), ["refreshed"], "45 s old, and fresh no longer");
    let effects = world.beat(last + 51);
    assert_eq!(words(&effects), ["closed stale", "alert arb a", "alert a stale", "alert b stale"]);
    let alerts = effects.iter().filter_map(|effect| match effect {
        Effect::StaleAlert(alert) => Some(alert),
        _ => None,
    });
    let alerts = alerts.collect::<Vec<_>>();
    assert_eq!(
        (&alerts[0].scope, &alerts[0].arb_id),
        (&AlertScope::Arb.into(), &Some(closed(&effects).id.clone()))
    );
    assert!(alerts[1].scope == AlertScope::Book && alerts[1].state == BookState::Stale);
    for alert in alerts {
        assert_eq!(
            (alert.last_seen_at, alert.expected_interval),
            (Some(Time(at(last))), Seconds(22_627_441))
        );
        assert_eq!(alert.at.0, at(last + 51));
    }
}

#[test]
fn a_book_recovers_with_its_next_confirmation_and_not_with_a_repetition() {
    let (mut world, last) = punctual();
    world.beat(last + 60);
    assert_eq!(words(&world.send(last + 61, arb(last, last))), [""; 0], "nothing is confirmed");
    let back = world.send(last + 62, arb(last + 61, last));
    assert_eq!(words(&back), ["alert a recovered"]);
    let both = world.send(last + 70, arb(last + 69, last + 69));
    assert_eq!(words(&both), ["opened", "alert b recovered"]);
}

#[test]
fn a_stale_book_that_leaves_is_gone() {
    let (mut world, last) = punctual();
    world.beat(last + 60);
    let left = world.send(last + 61, vec![tick("a", "home", "2.1", last + 60)]);
    assert_eq!(words(&left), ["alert b gone", "alert a recovered"]);
}

#[test]
fn an_event_that_ends_takes_its_stale_books_along() {
    let mut world = World::new(Policy::Board);
    let begun = Event { sport: "soccer", commence_time: at(1_000 - 12 * 3_600), ..event("e") };
    world.poll(990, &[(begun, arb(990 - 1_900, 990))]);
    assert_eq!(words(&world.beat(1_000)), ["alert a stale"]);
    assert_eq!(words(&world.beat(1_006)), ["alert a gone"]);
}

#[test]
fn the_next_best_price_opens_a_window_of_its_own() {
    let mut world = World::new(Policy::Board);
    let three =
        vec![tick("a", "home", "2.2", 50), tick("b", "away", "2.2", 99), tick("c", "home", "2.1", 99)];
    world.send(100, three);
    let effects = world.beat(50 + PRIOR + 6);
    assert_eq!(words(&effects), ["closed stale", "alert arb a", "opened", "alert a stale"]);
    assert_eq!(world.board.len(), 1);
    let entry = world.board.values().next().unwrap();
    assert_eq!((&*entry.legs[0].book, entry.id != closed(&effects).id), ("c", true));
}

#[test]
fn a_quote_that_arrives_stale_is_no_leg() {
    let mut world = World::new(Policy::Board);
    let effects = world.send(10_000, arb(10_000 - PRIOR - 6, 9_999));
    assert_eq!(words(&effects), [""; 0]);
    assert_eq!(words(&world.beat(10_001)), ["alert a stale"]);
}

#[test]
fn silence_ends_no_span() {
    let (mut world, last) = punctual();
    world.beat(last + 60);
    let effects = world.send(last + 70, arb(last + 69, last + 69));
    let opened = effects.iter().find_map(|effect| match effect {
        Effect::Transition(_, entry, _) => Some(entry),
        _ => None,
    });
    let opened = opened.expect("the arb is back");
    assert!(opened.simultaneous && opened.legs[0].price_moved_at.0 == at(1_000));
}

#[test]
fn a_suspended_book_without_updates_becomes_stale_too() {
    let (mut world, last) = punctual();
    let mut suspended = arb(last + 20, last + 20);
    suspended[0].suspended = true;
    assert_eq!(words(&world.send(last + 20, suspended)), ["closed suspended"]);
    assert_eq!(words(&world.beat(last + 80)), ["alert a stale", "alert b stale"]);
}
