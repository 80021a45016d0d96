//! What becomes of a record: applied, late, incomplete, ahead, over or refused; and what each of them may publish.

use arb_engine::effect::Effect;
use arb_engine::input::{Coordinate, Coverage, Event, Frame, Heartbeat, Input, PollEnd, Tick};
use arb_engine::market::Policy;
use arb_engine::time::Disposition::{self, Ahead, Applied, Incomplete, Late, Over, Refused};
use arb_model::time::{EVENT_TIMES, RECORD_TIMES};
use proptest::prelude::*;

use crate::random_log::{Run, logs, policies, some_books};
use crate::world::{World, at, event, frame, poll_end, tick};

fn disposition(world: &mut World, input: &Input<'_>) -> Disposition {
    world.step(input).0.disposition
}

fn of_poll(second: i64, index: u32) -> Input<'static> {
    Input::Frame(frame(second, Some(index), event("e"), vec![tick("a", "home", "2", second)]))
}

fn push(second: i64) -> Input<'static> {
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let ticks = vec![tick("a", "home", "2", second)];
    Input::Frame(Frame { coverage, ..frame(second, None, event("e"), ticks) })
}

fn end(second: i64, frames: usize) -> Input<'static> {
    Input::PollEnd(poll_end(second, frames))
}

#[test]
fn the_frames_of_a_poll_come_once_and_in_order() {
    let mut world = World::new(Policy::Board);
    let mut of = |input: Input<'_>| disposition(&mut world, &input);
    assert_eq!((of(of_poll(10, 0)), of(of_poll(10, 1)), of(of_poll(10, 1))), (Applied, Applied, Late));
    assert_eq!((of(end(10, 2)), of(end(10, 2)), of(of_poll(10, 2))), (Applied, Late, Late));
    assert_eq!((of(of_poll(20, 1)), of(of_poll(20, 0)), of(end(20, 2))), (Applied, Late, Incomplete));
    assert_eq!((of(end(30, 0)), of(end(40, 1))), (Applied, Incomplete), "no frame of the second has come");
    assert_eq!((of(of_poll(39, 0)), of(push(39))), (Late, Late));
}

#[test]
fn a_push_ends_the_poll_that_is_under_way() {
    let mut world = World::new(Policy::Board);
    let mut of = |input: Input<'_>| disposition(&mut world, &input);
    assert_eq!(
        (of(of_poll(10, 0)), of(push(10)), of(of_poll(10, 1)), of(end(10, 1))),
        (Applied, Applied, Late, Late)
    );
    assert_eq!((of(push(10)), of(push(11)), of(push(10))), (Applied, Applied, Late));
}

#[test]
fn a_record_from_far_ahead_is_history_and_so_is_one_of_an_event_that_is_over() {
    let mut world = World::new(Policy::Board);
    assert_eq!(disposition(&mut world, &push(1_000)), Applied);
    assert_eq!(disposition(&mut world, &push(1_000 + 3_601)), Ahead);
    assert_eq!(disposition(&mut world, &end(1_000 + 3_602, 0)), Ahead);
    let beat = Heartbeat { source: "feed", at: at(1_000 + 3_603) };
    assert_eq!(disposition(&mut world, &Input::Heartbeat(beat)), Ahead);
    let long_ago = Event { commence_time: at(-36 * 3_600), ..event("old") };
    let old = Input::Frame(frame(1_010, Some(0), long_ago, vec![tick("a", "home", "2", 1_010)]));
    assert_eq!(disposition(&mut world, &old), Over);
    assert_eq!(disposition(&mut world, &end(1_010, 1)), Applied, "it counts as a frame of its poll");
}

#[test]
fn what_clickhouse_cannot_store_is_refused_by_name() {
    let mut world = World::new(Policy::Board);
    let mut refused = |input: Input<'_>| {
        let (step, effects) = world.step(&input);
        (step.disposition == Refused && effects.is_empty(), step.left_out.to_string())
    };
    let start = |start, index| {
        let event = Event { commence_time: start, ..event("e") };
        Input::Frame(frame(100, Some(index), event, vec![tick("a", "home", "2", 100)]))
    };
    let outside = "a start that is not in the years 1900 to 2299: refused".to_owned();
    assert_eq!(refused(start(EVENT_TIMES.end, 0)), (true, outside.clone()));
    assert_eq!(refused(start(EVENT_TIMES.end - 1, 1)), (false, String::new()));
    assert_eq!(refused(start(i64::MIN, 2)), (true, outside));
    let outside = (true, "a time of receipt that is not in the years 1970 to 2099: refused".to_owned());
    for second in [-1, RECORD_TIMES.end / 1_000_000] {
        assert_eq!(refused(of_poll(second, 0)), outside);
        assert_eq!(refused(push(second)), outside);
        assert_eq!(refused(end(second, 1)), outside);
        assert_eq!(refused(Input::Heartbeat(Heartbeat { source: "feed", at: at(second) })), outside);
    }
}

#[test]
fn a_tick_from_the_future_is_left_out_and_counted() {
    let mut world = World::new(Policy::Board);
    let ticks =
        vec![tick("a", "home", "2.1", 105), tick("b", "away", "2.2", 106), tick("c", "away", "2.2", 900)];
    let step = world.step(&Input::Frame(frame(100, None, event("e"), ticks))).0;
    assert_eq!((step.disposition, step.future_ticks), (Applied, 2), "five seconds are the skew of a clock");
    assert_eq!(world.engine.size().quotes, 1);
}

#[test]
fn a_frame_beyond_a_cap_is_refused() {
    let mut world = World::new(Policy::Board);
    let name: &'static str = Box::leak("n".repeat(257).into_boxed_str());
    let refused = |world: &mut World, input: Input<'_>| {
        let step = world.step(&input).0;
        (step.disposition, step.left_out.iter().count())
    };
    let of_event = |event| Input::Frame(frame(10, None, event, vec![]));
    assert_eq!(refused(&mut world, of_event(Event { home: name, ..event("e") })), (Refused, 1));
    assert_eq!(refused(&mut world, of_event(Event { id: name, ..event("e") })), (Refused, 1));
    assert_eq!(
        refused(&mut world, Input::PollEnd(PollEnd { source: name, ..poll_end(10, 0) })),
        (Refused, 1)
    );
    assert_eq!(refused(&mut world, Input::Heartbeat(Heartbeat { source: name, at: at(10) })), (Refused, 1));
    let ticks: Vec<Tick<'_>> = vec![tick("a", "home", "2", 9); 10_001];
    assert_eq!(refused(&mut world, Input::Frame(frame(20, None, event("e"), ticks))), (Refused, 1));
    assert_eq!(world.engine.size(), arb_engine::Size::default());
}

/// The steps of a log: what became of each record, what it published, and whether time passed.
fn steps(policy: Policy, log: &[Input<'static>]) -> Vec<(Disposition, Vec<Effect>, bool)> {
    let mut run = Run::new(policy, &some_books());
    let mut steps = Vec::new();
    for (offset, input) in log.iter().enumerate() {
        let was = run.engine.watermark();
        let coordinate = Coordinate { topic: "t", partition: 0, offset: i64::try_from(offset).unwrap() };
        let mut effects = Vec::new();
        let step = run.engine.step(coordinate, input, &mut effects);
        run.engine.commit();
        steps.push((step.disposition, effects, run.engine.watermark() != was));
    }
    steps
}

proptest! {
    /// What does not count changes nothing by itself: where no time passes it publishes nothing.
    #[test]
    fn a_record_that_does_not_count_publishes_nothing(log in logs(), policy in policies()) {
        for (disposition, effects, time_passed) in steps(policy, &log) {
            let counts = disposition == Applied;
            prop_assert!(counts || time_passed || effects.is_empty(), "{:?} {:?}", disposition, effects);
        }
    }

    /// The board contains a source up to each whole poll of it, and the effect with that time comes after all
    /// effects of the poll.
    #[test]
    fn each_whole_poll_is_contained_once_and_last(log in logs(), policy in policies()) {
        for (input, (disposition, effects, _)) in log.iter().zip(steps(policy, &log)) {
            let contains: Vec<_> = effects
                .iter()
                .enumerate()
                .filter_map(|(index, effect)| match effect {
                    Effect::Contains { source, received_at: Some(received_at) } => {
                        Some((index, source.to_string(), *received_at))
                    }
                    _ => None,
                })
                .collect();
            let expected: Vec<_> = match input {
                Input::PollEnd(end) if disposition == Applied => {
                    vec![(effects.len() - 1, end.source.to_owned(), end.received_at)]
                }
                _ => Vec::new(),
            };
            prop_assert_eq!(contains, expected);
        }
    }

    /// Under the raw policy time holds nothing back: no record is ahead and no event is over.
    #[test]
    fn the_raw_policy_takes_whatever_is_in_order(log in logs()) {
        for (disposition, ..) in steps(Policy::Raw, &log) {
            prop_assert!(matches!(disposition, Applied | Late | Incomplete));
        }
    }

    /// Under the raw policy events do not touch each other: without the ticks of the others an event has the same windows.
    #[test]
    fn events_do_not_touch_each_other(log in logs()) {
        let pushes: Vec<_> = log
            .into_iter()
            .filter(|input| matches!(input, Input::Frame(frame) if frame.poll_index.is_none()))
            .collect();
        let of_event = |effects: &[Effect], id: &str| {
            let of = |effect: &Effect| match effect {
                Effect::Transition(change, entry, _) if *entry.event.id == *id => {
                    let legs: Vec<_> = entry.legs.iter().map(|leg| (leg.book.clone(), leg.price)).collect();
                    Some(format!("{change:?} {} {legs:?}", entry.id))
                }
                Effect::Closed(closed) if *closed.event_id == *id => {
                    Some(format!("{} {}", closed.reason.as_str(), closed.id))
                }
                _ => None,
            };
            effects.iter().filter_map(of).collect::<Vec<_>>()
        };
        let all: Vec<_> = steps(Policy::Raw, &pushes).into_iter().flat_map(|(_, effects, _)| effects).collect();
        for id in ["e", "f", "g"] {
            let alone: Vec<_> = pushes
                .iter()
                .map(|input| match input {
                    Input::Frame(frame) if frame.event.id != id => {
                        let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
                        Input::Frame(Frame { ticks: vec![], coverage, ..frame.clone() })
                    }
                    other => other.clone(),
                })
                .collect();
            let alone: Vec<_> = steps(Policy::Raw, &alone).into_iter().flat_map(|(_, effects, _)| effects).collect();
            prop_assert_eq!(of_event(&all, id), of_event(&alone, id));
        }
    }
}
