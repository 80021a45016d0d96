//! Lifetimes of windows in entries: learnt from the observed ends of windows, and from nothing else.

use arb_engine::effect::{BoardEntry, Effect};
use arb_engine::input::{Event, Input, Tick};
use arb_engine::learning::survival::{EventStage, MarketKind};
use arb_engine::market::Policy;

use crate::world::{World, at, closed, entry, event, frame, tick};

/// An arb, or the same bets without one.
fn bets(away: &'static str, seen: i64) -> Vec<Tick<'static>> {
    vec![tick("a", "home", "2.1", seen), tick("b", "away", away, seen)]
}

/// An event of a sport, which begins long after everything here.
fn of_sport<'a>(id: &'a str, sport: &'a str) -> Event<'a> {
    Event { sport, commence_time: at(10_000_000), ..event(id) }
}

/// Polls of an event, 300 s apart, in each of which its arb opens or closes; the second of the last.
fn flicker(world: &mut World, sport: &str, polls: i64) -> i64 {
    for poll in 0..polls {
        let away = if poll % 2 == 0 { "2.2" } else { "1.7" };
        world.poll(300 * poll, &[(of_sport("e", sport), bets(away, 300 * poll))]);
    }
    300 * (polls - 1)
}

fn opened(world: &mut World, second: i64, sport: &str) -> BoardEntry {
    world.poll(second, &[(of_sport("f", sport), bets("1.7", second))]);
    let effects = world.poll(second + 300, &[(of_sport("f", sport), bets("2.2", second + 300))]);
    entry(&effects).clone()
}

fn deaths(world: &World) -> i64 {
    let cells = EventStage::ALL.into_iter().flat_map(|stage| MarketKind::ALL.map(|kind| (stage, kind)));
    cells.map(|(stage, kind)| world.engine.lived(stage, kind).deaths()).sum()
}

#[test]
fn windows_that_die_soon_shorten_what_is_foretold_of_their_like() {
    let untaught = opened(&mut World::new(Policy::Raw), 0, "baseball").ttl;
    let mut world = World::new(Policy::Raw);
    let last = flicker(&mut world, "baseball", 200);
    assert_eq!(deaths(&world), 100);
    let same = opened(&mut world, last + 300, "baseball").ttl;
    let other = opened(&mut world, last + 1_200, "soccer").ttl;
    assert!(same.median < other.median && other.median < untaught.median, "{same:?} {other:?} {untaught:?}");
    // Every one was gone by the next poll, 300 s later: spread over it, half by its middle.
    assert!((120.0..200.0).contains(&same.median) && same.p90 < 400.0, "{same:?}");
    assert!(untaught.p10 < untaught.median && untaught.median < untaught.p90);
}

#[test]
fn a_window_that_goes_on_is_foretold_anew_and_learnt_from() {
    let mut world = World::new(Policy::Raw);
    flicker(&mut world, "baseball", 200);
    let first = opened(&mut world, 60_000, "baseball").ttl;
    let effects = world.poll(60_600, &[(of_sport("f", "baseball"), bets("2.2", 60_600))]);
    let older = entry(&effects).ttl;
    assert!(
        older.median > 2.0 * first.median,
        "a window that survives the first seconds has a longer estimate: {first:?} {older:?}"
    );
}

#[test]
fn a_death_is_where_the_source_says_it_and_between_polls_where_none_does() {
    let early = |world: &World| {
        let cell = world.engine.lived(EventStage::Later, MarketKind::Winner);
        (cell.deaths(), cell.counts().0.first().copied().unwrap_or_default())
    };
    let mut polled = World::new(Policy::Raw);
    polled.poll(0, &[(of_sport("e", "baseball"), bets("2.2", 0))]);
    polled.poll(900, &[(of_sport("e", "baseball"), bets("1.7", 900))]);
    let mut pushed = World::new(Policy::Raw);
    let push = |world: &mut World, second, away| {
        let frame = frame(second, None, of_sport("e", "baseball"), bets(away, second));
        world.step(&Input::Frame(frame)).1
    };
    push(&mut pushed, 0, "2.2");
    closed(&push(&mut pushed, 900, "1.7"));
    // The first piece of age is 15 s of the 900.
    assert_eq!((early(&polled), early(&pushed)), ((1, 16_666), (1, 0)));
}

#[test]
fn the_start_of_the_event_is_no_death() {
    let mut world = World::new(Policy::Board);
    let starts = Event { commence_time: at(500), ..event("e") };
    world.poll(100, &[(starts, bets("2.2", 100))]);
    let effects = world.beat(600);
    assert_eq!(closed(&effects).reason.as_str(), "event_started");
    assert_eq!(deaths(&world), 0);
    let mut withdrawn = World::new(Policy::Board);
    withdrawn.poll(100, &[(starts, bets("2.2", 100))]);
    withdrawn.poll(200, &[]);
    assert_eq!(deaths(&withdrawn), 1);
}

#[test]
fn an_entry_that_goes_in_play_is_judged_as_such() {
    let mut world = World::new(Policy::Raw);
    let starts = Event { commence_time: at(500), ..event("e") };
    world.poll(100, &[(starts, bets("2.2", 100))]);
    world.poll(1_000, &[(starts, bets("2.2", 1_000))]);
    let effects = world.poll(1_900, &[(starts, bets("1.7", 1_900))]);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Closed(_))));
    let lived = |stage| world.engine.lived(stage, MarketKind::Winner).counts().1.iter().sum::<i64>();
    // Found after an unknown gap, it was observed before the start for 900 s, then ended in the next gap.
    assert_eq!(lived(EventStage::Hours), at(900));
    assert!((lived(EventStage::InPlay) - at(450)).abs() < 20, "{}", lived(EventStage::InPlay));
    assert_eq!(world.engine.lived(EventStage::InPlay, MarketKind::Winner).deaths(), 1);
}
