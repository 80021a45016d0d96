//! Arb windows in the machine: every grading is that of an independent oracle, and what the oracle does not cover.

use arb_model::{OpenedLeg, OpenedWindow, WindowGrading};
use serde::Deserialize;
use serde_json::Value;

use super::*;
use crate::book::WINDOW_KEPT;

/// Written by `tests/oracle/window_gradings.py`: tasks in their order, and what is to be published.
const CASES: &str = include_str!("../../../tests/golden/window_gradings.txt");

/// The window of the fixtures: over and under 2.25, half of the stake on each.
pub(super) fn window(id: &str, event_id: &str, opened_at: Micros) -> OpenedWindow {
    let entry = arb_model::fixtures::entry();
    let event = Event { id: event_id.into(), ..event() };
    OpenedWindow { id: id.into(), event, opened_at: Time(opened_at), ..OpenedWindow::of(&entry) }
}

fn gradings(bench: &Bench) -> Vec<WindowGrading> {
    bench.of(FEED_EVENTS.name)
}

/// Versions of a window grow by one; one that was forgotten and opened again begins again.
pub(super) fn gradings_grow(bench: &Bench, seed: u64) {
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    for WindowGrading { window, grade } in gradings(bench) {
        let before = last.insert(window.id, grade.version).unwrap_or(0);
        assert!(grade.version == before + 1 || grade.version == 1, "seed {seed}");
        assert_eq!(grade.returned.is_some(), grade.is_settled(), "seed {seed}");
    }
}

fn opened(bench: &mut Bench, id: &str) {
    bench.step(&Task::Window(Box::new(window(id, &event().id, START - HOUR))));
}

/// Numbers and states of the gradings of one window.
fn versions(bench: &Bench, id: &str) -> Vec<(i64, String)> {
    let of = gradings(bench).into_iter().filter(|grading| grading.window.id == id);
    of.map(|grading| (grading.grade.version, grading.grade.state.as_str().to_owned())).collect()
}

#[derive(Deserialize)]
struct Case {
    tasks: Vec<Value>,
    gradings: Vec<Value>,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number<T: TryFrom<i64>>(value: &Value) -> Option<T> {
    value.as_i64().and_then(|number| T::try_from(number).ok())
}

fn leg_of(leg: &Value) -> OpenedLeg {
    OpenedLeg {
        outcome: text(&leg["outcome"]).into(),
        side: text(&leg["side"]).into(),
        book: "alpha".into(),
        price: price(2_000_000),
        implied_probability: leg["implied_probability"].as_f64().unwrap(),
        stake_share: leg["stake_share"].as_f64().unwrap(),
    }
}

/// A task of the oracle as the record of the topic.
fn task_of(task: &Value) -> Vec<u8> {
    if let Some(at) = task["timer"].as_i64() {
        return wire::encode(&PickTimer { at }).unwrap();
    }
    let result = &task["result"];
    if result.is_null() {
        let of = &task["window"];
        let commence_time = Time(number(&of["commence_time"]).unwrap());
        return wire::encode(&OpenedWindow {
            market: text(&of["market"]).into(),
            period: text(&of["period"]).into(),
            line: number(&of["line"]).map(Points),
            legs: of["legs"].as_array().unwrap().iter().map(leg_of).collect(),
            event: Event { id: text(&of["event"]).into(), commence_time, ..event() },
            ..window(text(&of["id"]), "", number(&of["opened_at"]).unwrap())
        })
        .unwrap();
    }
    let score = |score: &Value| PeriodScore {
        period: text(&score["period"]).to_owned(),
        home: number(&score["home"]).unwrap(),
        away: number(&score["away"]).unwrap(),
    };
    wire::encode(&ResultReport {
        event: text(&result["event"]).to_owned(),
        status: text(&result["status"]).to_owned(),
        scores: result["scores"].as_array().unwrap().iter().map(score).collect(),
        starts_at: number(&result["starts_at"]),
        source: text(&result["source"]).to_owned(),
        at: number(&result["at"]).unwrap(),
        home: text(&result["home"]).to_owned(),
        away: text(&result["away"]).to_owned(),
        ended: result["ended"].as_str().map(str::to_owned),
    })
    .unwrap()
}

fn assert_is(found: &WindowGrading, expected: &Value) {
    let WindowGrading { window, grade } = found;
    assert_eq!(
        (&*window.id, grade.version),
        (text(&expected["window"]), expected["version"].as_i64().unwrap())
    );
    assert_eq!((grade.state.as_str(), &*grade.source), (text(&expected["state"]), text(&expected["source"])));
    assert_eq!(
        (grade.home, grade.away),
        (number(&expected["home"]), number(&expected["away"])),
        "{expected}"
    );
    assert_eq!(Some(grade.at.0), expected["at"].as_i64());
    let near = |found: f64, expected: &Value| (found - expected.as_f64().unwrap()).abs() < 1e-9;
    let returned =
        grade.returned.map_or(expected["returned"].is_null(), |it| near(it, &expected["returned"]));
    assert!(returned, "{expected}: {found:?}");
    let legs = expected["legs"].as_array().unwrap();
    assert_eq!(grade.legs.len(), legs.len(), "{expected}");
    for (leg, expected) in grade.legs.iter().zip(legs) {
        assert_eq!(leg.settlement, text(&expected["settlement"]));
        assert!(near(leg.returned, &expected["returned"]), "{leg:?} {expected}");
    }
}

#[test]
fn every_grading_is_the_oracles() {
    let mut compared = 0;
    for (number, line) in CASES.lines().enumerate() {
        let case: Case = serde_json::from_str(line).unwrap();
        let machine = SettleMachine::new(&Clauses::default());
        let mut bench = Bench { machine, out: Outbox::default(), tally: SettleCounts::default() };
        for task in &case.tasks {
            bench.step(&codec::decode_task(&task_of(task)).unwrap());
        }
        let found = gradings(&bench);
        assert_eq!(found.len(), case.gradings.len(), "case {number}");
        assert_eq!(bench.tally.window_gradings, found.len() as u64);
        found.iter().zip(&case.gradings).for_each(|(found, expected)| assert_is(found, expected));
        compared += found.len();
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn a_window_is_graded_by_each_result_that_says_something_new() {
    let mut bench = Bench::new(3);
    opened(&mut bench, "a");
    opened(&mut bench, "a");
    assert_eq!((bench.tally.windows, bench.tally.repeated), (1, 1), "it is read twice");
    bench.result("in_progress", None, START + HOUR);
    bench.result("finished", Some((2, 0)), START + 2 * HOUR);
    bench.result("finished", Some((2, 0)), START + 2 * HOUR);
    bench.result("finished", Some((3, 0)), START + 3 * HOUR);
    let key = |(version, state): (i64, &str)| (version, state.to_owned());
    assert_eq!(versions(&bench, "a"), [(1, "settled"), (2, "settled")].map(key));
    opened(&mut bench, "late");
    assert_eq!(versions(&bench, "late"), [(1, "settled")].map(key), "by the result that is known");
    bench.result("in_progress", None, START + 4 * HOUR);
    assert_eq!(versions(&bench, "a").pop(), Some(key((3, "open"))));
    assert_eq!((bench.tally.window_gradings, bench.tally.window_corrections), (5, 3));
    assert!(bench.published().is_empty(), "windows are no picks");
}

#[test]
fn what_was_published_of_a_window_never_changes() {
    let mut bench = Bench::new(3);
    opened(&mut bench, "a");
    bench.result("finished", Some((2, 0)), START + 2 * HOUR);
    let other = OpenedWindow { margin: 0.5, ..window("a", &event().id, START) };
    bench.step(&Task::Window(Box::new(other)));
    bench.result("finished", Some((1, 0)), START + 3 * HOUR);
    let gradings = gradings(&bench);
    assert_eq!((gradings.len(), gradings[0].window == gradings[1].window), (2, true));
}

#[test]
fn a_window_that_was_restored_goes_on_with_its_last_grading() {
    let mut bench = Bench::new(3);
    opened(&mut bench, "a");
    bench.result("finished", Some((2, 0)), START + 2 * HOUR);
    let saved = bench.machine.book.window("a").map(Arc::clone).unwrap();
    let mut restored = Bench::new(3);
    restored.machine.restore(b"window/a", &codec::encode_part(&Part::Window(saved)).unwrap()).unwrap();
    opened(&mut restored, "a");
    restored.result("finished", Some((2, 0)), START + 2 * HOUR);
    assert!(gradings(&restored).is_empty(), "it says nothing new");
    restored.result("finished", Some((3, 0)), START + 3 * HOUR);
    assert_eq!(versions(&restored, "a"), [(2, "settled".to_owned())]);
}

#[test]
fn a_window_is_kept_for_two_weeks_after_the_newest_start() {
    let mut bench = Bench::new(3);
    opened(&mut bench, "a");
    let late = ResultReport { starts_at: Some(START + 24 * HOUR), ..report("postponed", None, START) };
    bench.step(&Task::Result(late));
    bench.step(&Task::Timer(START + 24 * HOUR + WINDOW_KEPT - 1));
    assert_eq!(bench.machine.size().windows, 1);
    bench.step(&Task::Timer(START + 24 * HOUR + WINDOW_KEPT));
    assert_eq!(bench.machine.size().windows, 0);
    bench.result("finished", Some((1, 0)), START + 24 * HOUR + WINDOW_KEPT);
    assert!(gradings(&bench).is_empty(), "it is too late");
}

#[test]
fn an_event_has_so_many_windows() {
    let mut bench = Bench::new(3);
    (0..=MAX_WINDOWS).for_each(|number| opened(&mut bench, &number.to_string()));
    let refused = format!("{} has {MAX_WINDOWS} windows", event().id);
    assert_eq!(bench.out.letters(), [(Reason::Refused, refused)]);
    assert_eq!(bench.machine.size().windows, MAX_WINDOWS);
}
