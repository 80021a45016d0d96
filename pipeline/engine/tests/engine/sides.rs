//! A source that names home and away the other way round: prices follow names, and nothing moves.

use arb_engine::Engine;
use arb_engine::input::{Coverage, Event, Frame, Input, Push, Tick};
use arb_engine::market::Policy;
use arb_engine::state::Saved;
use arb_engine::time::Disposition;
use proptest::prelude::*;

use crate::world::{World, event, frame, tick, words};

/// The event `e` with its sides the other way round.
fn swapped_event() -> Event<'static> {
    Event { home: "A", away: "H", ..event("e") }
}

/// The same price by the other order of sides.
fn swapped(tick: &Tick<'static>) -> Tick<'static> {
    Tick { bet: tick.bet.with_sides_swapped().unwrap(), ..*tick }
}

const BETS: [&str; 8] = ["home", "draw", "away", "home -1.5", "away -1.5", "home 2", "over 2.5", "under 2.5"];
const BOOKS: [&str; 3] = ["a", "b", "c"];

/// Ticks of a poll at a second, by bet, book and hundredths.
fn ticks(rows: &[(usize, usize, u32)], second: i64) -> Vec<Tick<'static>> {
    let of = |(bet, book, price): &(usize, usize, u32)| {
        tick(BOOKS[*book], BETS[*bet], &format!("{}.{:02}", price / 100, price % 100), second - 1)
    };
    rows.iter().map(of).collect()
}

type Rows = Vec<(usize, usize, u32)>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whichever polls after the first name the sides the other way round, all effects are those of polls that never do: also where the
    /// engine is restored in between.
    #[test]
    fn the_order_of_sides_changes_nothing(
        polls in prop::collection::vec(
            (prop::collection::vec((0..BETS.len(), 0..BOOKS.len(), 150_u32..350), 1..24), any::<bool>(), any::<bool>()), 2..6),
    ) {
        let polls: Vec<(Rows, bool, bool)> = polls;
        let mut plain = World::of_table(Policy::Board);
        let mut mixed = World { commit_each: false, ..World::of_table(Policy::Board) };
        let mut log = Vec::new();
        for (index, (rows, is_swapped, is_restored)) in polls.iter().enumerate() {
            let second = 100 + 10 * i64::try_from(index).unwrap();
            let ticks = ticks(rows, second);
            let expected = plain.poll(second, &[(event("e"), ticks.clone())]);
            let is_swapped = *is_swapped && index > 0;
            let sent = if is_swapped { (swapped_event(), ticks.iter().map(swapped).collect()) } else { (event("e"), ticks) };
            if *is_restored {
                mixed.engine = restored(&log);
            }
            prop_assert_eq!(mixed.poll(second, &[sent]), expected);
            log.extend(mixed.engine.changes());
            mixed.engine.commit();
        }
    }
}

/// An engine that has only what another one wrote.
fn restored(log: &[Saved]) -> Engine {
    let mut engine = World::of_table(Policy::Board).engine;
    for saved in log {
        engine.restore(saved.clone()).unwrap();
    }
    engine
}

fn step(world: &mut World, frame: Frame<'_>) -> (Disposition, bool, Vec<String>) {
    let (step, effects) = world.step(&Input::Frame(frame));
    (step.disposition, step.are_sides_swapped, words(&effects))
}

#[test]
fn it_is_reported() {
    let mut world = World::of_table(Policy::Board);
    let first = frame(100, Some(0), event("e"), vec![tick("a", "home", "1.50", 99)]);
    assert_eq!(step(&mut world, first), (Disposition::Applied, false, vec![]));
    let second = frame(110, Some(0), swapped_event(), vec![tick("a", "away", "1.50", 109)]);
    assert_eq!(step(&mut world, second), (Disposition::Applied, true, vec![]));
    let other = Event { home: "A", away: "B", ..event("e") };
    let third = frame(120, Some(0), other, vec![tick("a", "home", "1.50", 119)]);
    assert!(!step(&mut world, third).1, "other names are another pair of sides");
}

/// A client that may name events names the sides of one that a source gave the other way round.
#[test]
fn what_is_pushed_follows_names_too() {
    let mut world = World::of_table(Policy::Board);
    let both = |second| vec![tick("a", "home", "1.50", second), tick("a", "away", "2.60", second)];
    world.send(100, both(99));
    let push = |second, sequence, event, ticks| Frame {
        source: "feed/acme",
        coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
        push: Some(Push { sequence, names_event: true }),
        ..frame(second, None, event, ticks)
    };
    let by_other = vec![tick("pays", "away", "1.52", 110), tick("pays", "home", "2.70", 110)];
    let (disposition, is_swapped, _) = step(&mut world, push(110, 2, swapped_event(), by_other));
    assert_eq!((disposition, is_swapped), (Disposition::Applied, true));
    let later = push(111, 1, event("e"), vec![tick("pays", "home", "1.40", 111)]);
    assert_eq!(step(&mut world, later).0, Disposition::Applied, "a later arrival of an earlier sequence");
    let (listed, quotes) = world.engine.odds_of("e", None).unwrap();
    assert_eq!((&*listed.info.home, &*listed.info.away), ("H", "A"));
    let prices: Vec<_> = quotes
        .iter()
        .filter(|quote| &*quote.book == "pays")
        .map(|quote| (quote.outcome.key(), quote.price.decimal()))
        .collect();
    assert_eq!(prices, [("home", 1.52), ("away", 2.7)]);
}
