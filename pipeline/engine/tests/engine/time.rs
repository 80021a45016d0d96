//! Time: the watermark, what starts, what ends, what comes too early or too late.

use arb_engine::effect::Effect;
use arb_engine::input::{Event, Frame, Heartbeat, Input, PollEnd, Tick};
use arb_engine::market::Policy;
use arb_engine::time::Disposition;
use arb_engine::{Engine, Size};

use crate::world::{World, at, closed, entry, event, frame, poll_end, tick, words};

const HOUR: i64 = 3_600;

fn arb(seen: i64) -> Vec<Tick<'static>> {
    vec![tick("a", "home", "2.1", seen), tick("b", "away", "2.2", seen)]
}

fn starts(second: i64) -> Event<'static> {
    Event { commence_time: at(second), ..event("e") }
}

#[test]
fn a_price_from_before_the_start_is_not_on_offer_in_play() {
    let mut world = World::new(Policy::Board);
    let opened = world.poll(100, &[(starts(120), arb(99))]);
    assert_eq!(words(&opened), ["opened"]);
    assert_eq!(words(&world.beat(124)), [""; 0], "the watermark is at 119 s");
    let effects = world.beat(125);
    assert_eq!(words(&effects), ["closed event_started"]);
    assert_eq!((&closed(&effects).id, closed(&effects).closed_at.0), (&entry(&opened).id, at(125)));
    assert_eq!(words(&world.poll(130, &[(starts(120), arb(119))])), [""; 0], "still from before the start");
    let in_play = world.poll(140, &[(starts(120), arb(120))]);
    assert_eq!(words(&in_play), ["opened"]);
    assert!(entry(&in_play).in_play && entry(&in_play).id != entry(&opened).id);
}

#[test]
fn a_window_of_prices_confirmed_since_the_start_goes_in_play() {
    let mut world = World::new(Policy::Board);
    world.poll(100, &[(starts(120), arb(99))]);
    let confirmed = world.poll(122, &[(starts(120), arb(121))]);
    assert_eq!((words(&confirmed), entry(&confirmed).in_play), (vec!["refreshed".to_owned()], false));
    let effects = world.beat(125);
    assert_eq!(words(&effects), ["updated"]);
    assert!(entry(&effects).in_play);
    let postponed = world.poll(130, &[(starts(9_000), arb(129))]);
    assert!(!entry(&postponed).in_play);
}

#[test]
fn an_event_that_is_moved_into_the_past_takes_all_its_prices_along() {
    let mut world = World::new(Policy::Board);
    world.poll(1_000, &[(starts(9_000), arb(999))]);
    let push = Frame { coverage: world_of_nothing(), ..frame(1_010, None, starts(1_004), vec![]) };
    assert_eq!(words(&world.step(&Input::Frame(push)).1), ["closed event_started"]);
}

fn world_of_nothing() -> arb_engine::input::Coverage<'static> {
    arb_engine::input::Coverage { books: Some(vec![]), markets: Some(vec![]) }
}

#[test]
fn an_event_is_over_so_long_after_its_start() {
    let mut world = World::new(Policy::Board);
    let soccer = |id| Event { sport: "soccer", commence_time: at(1_000), ..event(id) };
    let three = |seen| [arb(seen), vec![tick("c", "draw", "99", seen)]].concat();
    let end = 1_000 + 12 * HOUR;
    world.poll(end, &[(soccer("e"), three(end - 1)), (event("later"), vec![tick("a", "home", "2", end)])]);
    assert_eq!(world.board.len(), 1);
    assert_eq!(words(&world.beat(end + 5)), [""; 0]);
    let effects = world.beat(end + 6);
    assert_eq!(words(&effects), ["closed event_ended"]);
    assert_eq!(world.engine.size().events, 1);
    let again = frame(end + 10, Some(0), soccer("e"), three(end + 9));
    let (step, effects) = world.step(&Input::Frame(again));
    assert_eq!((step.disposition, effects), (Disposition::Over, vec![]));
    let (step, _) = world.step(&Input::PollEnd(poll_end(end + 10, 1)));
    assert_eq!(step.disposition, Disposition::Applied, "a frame of an event that is over is one of the poll");
}

#[test]
fn an_event_of_which_no_one_speaks_for_a_day_is_forgotten() {
    let mut world = World::new(Policy::Board);
    let far = Event { commence_time: at(99 * 24 * HOUR), ..event("far") };
    world.poll(100, &[(far, arb(99))]);
    for hour in 0..=24 {
        world.beat(100 + hour * HOUR);
    }
    assert_eq!(world.engine.size().events, 1);
    world.beat(100 + 24 * HOUR + 6);
    assert_eq!(world.engine.size(), Size::default());
    let back = world.poll(100 + 24 * HOUR + 10, &[(far, arb(100 + 24 * HOUR))]);
    assert_eq!(words(&back), ["opened"], "it is not over: it was silent");
}

#[test]
fn the_board_is_told_of_a_source_that_is_forgotten() {
    let mut world = World::new(Policy::Board);
    let progress = |effects: &[Effect]| -> Vec<_> {
        let of = |effect: &Effect| match effect {
            Effect::Contains { received_at, .. } => Some(*received_at),
            _ => None,
        };
        effects.iter().filter_map(of).collect()
    };
    assert_eq!(progress(&world.poll(100, &[])), [Some(at(100))]);
    let week = 7 * 24;
    let mut sent = |hours: std::ops::RangeInclusive<i64>| -> Vec<_> {
        hours.flat_map(|hour| progress(&world.beat_of("other", 100 + hour * HOUR))).collect()
    };
    assert_eq!(sent(0..=week), []);
    assert_eq!(sent(week + 1..=week + 3), [None], "once");
    assert_eq!(progress(&world.poll(100 + (week + 4) * HOUR, &[])), [Some(at(100 + (week + 4) * HOUR))]);
}

#[test]
fn the_slowest_active_source_holds_time_back() {
    let mut world = World::new(Policy::Board);
    world.beat_of("other", 100);
    world.poll(100, &[(starts(120), arb(99))]);
    assert_eq!(words(&world.beat(150)), [""; 0], "the other one is at 100 s");
    assert_eq!(words(&world.beat_of("other", 125)), ["closed event_started"]);
}

#[test]
fn an_idle_source_does_not() {
    let mut world = World::new(Policy::Board);
    world.beat_of("other", 100);
    world.poll(100, &[(starts(120), arb(99))]);
    assert_eq!(words(&world.beat(160)), [""; 0]);
    assert_eq!(words(&world.beat(161)), ["closed event_started"]);
}

#[test]
fn a_source_far_ahead_is_history_until_no_one_else_speaks_for_ten_seconds() {
    let mut world = World::new(Policy::Board);
    world.poll(100, &[(event("e"), arb(99))]);
    let year = 31_536_000;
    let mut ahead = |second: i64| {
        let heartbeat = Heartbeat { source: "wild", at: at(second) };
        world.step(&Input::Heartbeat(heartbeat)).0.disposition
    };
    assert_eq!((ahead(year), ahead(year + 9)), (Disposition::Ahead, Disposition::Ahead));
    world.beat(101);
    let wild = Frame { source: "wild", ..frame(year + 18, Some(0), event("f"), arb(year + 17)) };
    assert_eq!(world.step(&Input::Frame(wild)).0.disposition, Disposition::Ahead);
    let end = PollEnd { source: "wild", ..poll_end(year + 18, 1) };
    assert_eq!(world.step(&Input::PollEnd(end)).0.disposition, Disposition::Ahead);
    assert_eq!((world.engine.size().events, world.board.len()), (1, 1));
    // Then no other source sends: the recording continues a year later.
    let effects = world.beat_of("wild", year + 28);
    assert_eq!(words(&effects), ["closed event_ended"]);
}

#[test]
fn a_clock_far_ahead_is_restored_by_the_next_owner() {
    let mut world = World::new(Policy::Board);
    world.commit_each = false;
    let year = 31_536_000;
    let beat = |world: &mut World, second: i64| {
        let heartbeat = Heartbeat { source: "feed", at: at(second) };
        world.step(&Input::Heartbeat(heartbeat)).0.disposition
    };
    assert_eq!((beat(&mut world, 100), beat(&mut world, year)), (Disposition::Applied, Disposition::Ahead));
    let changes = world.engine.changes();
    world.engine = Engine::new(Policy::Board);
    for saved in changes {
        world.engine.restore(saved).unwrap();
    }
    assert_eq!(beat(&mut world, year + 10), Disposition::Applied);
}

#[test]
fn time_is_looked_at_once_a_second_and_before_the_record() {
    let mut world = World::new(Policy::Board);
    world.poll(100, &[(starts(120), arb(99))]);
    let effects = world.poll(125, &[(starts(120), arb(124))]);
    assert_eq!(words(&effects), ["closed event_started", "opened"]);
    let ids = effects.iter().filter_map(|effect| match effect {
        Effect::Closed(closed) => Some(&closed.id),
        Effect::Transition(_, entry, _) => Some(&entry.id),
        _ => None,
    });
    let ids = ids.collect::<Vec<_>>();
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn the_raw_policy_has_no_time() {
    let mut world = World::new(Policy::Raw);
    world.poll(100, &[(starts(120), arb(99))]);
    for second in [130, 5_000, 90 * HOUR] {
        assert_eq!(words(&world.beat(second)), [""; 0]);
    }
    assert_eq!(words(&world.poll(99 * 24 * HOUR, &[(starts(120), arb(99))])), ["updated"]);
}
