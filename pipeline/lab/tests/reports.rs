//! Inputs of public bug reports, played through decoder and engine: what each one comes to, by the table that ships.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss)]

#[path = "reports/limit.rs"]
mod limit;
#[path = "reports/overtime.rs"]
mod overtime;
#[path = "reports/twins.rs"]
mod twins;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::effect::{BoardEntry, Effect};
use arb_engine::input::Coordinate;
use arb_engine::market::Policy;
use arb_ingest::publish::records;
use arb_ingest::recording::open;
use arb_ingest::the_odds_api::OddsFormat;
use arb_model::Faults;
use arb_process::books::shipped;
use arb_process::codec::as_input;

/// What became of an input.
#[derive(Default)]
struct Played {
    polls: usize,
    ticks: usize,
    faults: Faults,
    /// Every state of every window, oldest first.
    entries: Vec<BoardEntry>,
    /// Kinds of signals.
    signals: BTreeSet<String>,
    movements: usize,
    /// Frames whose prices were put by names.
    swapped: usize,
    /// Ticks that were refused because they came from the future.
    future: u32,
}

impl Played {
    /// Events of which a window was ever open.
    fn events(&self) -> BTreeSet<&str> {
        self.entries.iter().map(|entry| &*entry.event.id).collect()
    }

    fn verified(&self) -> Vec<&BoardEntry> {
        self.entries.iter().filter(|entry| entry.verified).collect()
    }
}

/// Plays a twin of a report, and the report itself where its folder is there.
fn play(name: &str) -> Vec<Played> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/reports").join(name);
    let real = path.exists().then(|| play_file(&path));
    if real.is_none() {
        println!("NOTE: {} is absent: its twin alone is played", path.display());
    }
    let folder = std::env::temp_dir().join(format!("arb-twins-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let twin = folder.join(name);
    std::fs::write(&twin, twins::lines(name)).unwrap();
    let played = play_file(&twin);
    std::fs::remove_dir_all(&folder).unwrap();
    [played].into_iter().chain(real).collect()
}

fn play_file(path: &Path) -> Played {
    let mut source = open(path, OddsFormat::Decimal).unwrap();
    let mut engine = Engine::with_books(Policy::Board, Arc::new(shipped().unwrap()));
    let (mut played, mut offset, mut effects) = (Played::default(), 0, Vec::new());
    while let Some(poll) = source.next_poll(&mut played.faults).unwrap() {
        (played.polls, played.ticks) = (played.polls + 1, played.ticks + poll.ticks());
        for addressed in records("feed", poll, 1) {
            let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset };
            let input = as_input(&addressed.record, &mut Faults::default());
            let step = engine.step(at, &input, &mut effects);
            played.swapped += usize::from(step.are_sides_swapped);
            played.future += step.future_ticks;
            offset += 1;
        }
        engine.commit();
    }
    for effect in effects {
        match effect {
            Effect::Transition(_, entry, _) | Effect::Refreshed(entry) => played.entries.push(*entry),
            Effect::Signal(_, signal) => drop(played.signals.insert(signal.kind.as_str().to_owned())),
            Effect::LineMovement(_) => played.movements += 1,
            _ => {}
        }
    }
    played
}

#[test]
fn prices_that_are_even_but_for_their_digits_are_no_arb() {
    for played in play("rounded-decimals.jsonl") {
        assert!(played.ticks > 16, "{}", played.ticks);
        assert_eq!(played.events(), BTreeSet::new());
    }
}

/// Two books of the United States and a third and fourth for the second opinions, by American odds as decimals of two digits; the
/// first two make an arb by their exact prices where `is_arb`.
fn rounded_poll(second: i64, odds: i64, other: i64) -> String {
    let written = |odds: i64| {
        let exact = if odds > 0 { 1.0 + odds as f64 / 100.0 } else { 1.0 + 100.0 / -odds as f64 };
        format!("{:.2}", (exact * 100.0 + 0.5).floor() / 100.0)
    };
    let books = [
        ("draftkings", odds, -200),
        ("fanduel", -200, other),
        ("betmgm", odds, other),
        ("bovada", odds, other),
    ];
    let seen = format!("2026-11-20T12:00:{second:02}Z");
    let book = |(key, home, away): &(&str, i64, i64)| {
        let (home, away) = (written(*home), written(*away));
        format!(
            r#"{{"key":"{key}","markets":[{{"key":"h2h","last_update":"{seen}","outcomes":[{{"name":"A","price":{home}}},{{"name":"B","price":{away}}}]}}]}}"#
        )
    };
    let books = books.iter().map(book).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"polled_at":"{seen}","events":[{{"id":"e","sport_key":"basketball_nba","commence_time":"2026-11-20T14:00:00Z","home_team":"A","away_team":"B","bookmakers":[{books}]}}]}}"#
    ) + "\n"
}

/// Over American prices about even: a window is shown only where the exact prices are an arb, and its effective prices are no better than
/// the exact ones.
#[test]
fn no_window_is_made_by_digits() {
    let folder = std::env::temp_dir().join(format!("arb-reports-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("rounded.jsonl");
    let exact = |odds: i64| if odds > 0 { 1.0 + odds as f64 / 100.0 } else { 1.0 + 100.0 / -odds as f64 };
    let (mut arbs, mut even, mut rounded) = (0, 0, 0);
    for odds in (101..140).step_by(3) {
        for other in [-odds - 4, -odds, -odds + 1, -odds + 6] {
            let lines = [0, 10, 20].map(|second| rounded_poll(second, odds, other)).concat();
            std::fs::write(&path, lines).unwrap();
            let played = play_file(&path);
            let is_arb = 1.0 / exact(odds) + 1.0 / exact(other) < 1.0 - 1e-9;
            assert!(is_arb || played.entries.is_empty(), "{odds} {other}");
            (arbs, even) = (arbs + usize::from(!played.entries.is_empty()), even + usize::from(!is_arb));
            for leg in played.entries.iter().flat_map(|entry| &entry.legs) {
                let effective = leg.effective_price;
                assert!(effective <= leg.price && leg.rounded == (effective < leg.price), "{leg:?}");
                assert!(
                    effective.decimal()
                        <= exact(if leg.outcome.as_str() == "home" { odds } else { other }) + 1e-9
                );
                rounded += usize::from(leg.rounded);
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(arbs > 5 && even > 20 && rounded > 5, "{arbs} {even} {rounded}");
}

/// A book sells the result of regulation, an exchange lays the winner after overtime: away in overtime loses both.
#[test]
fn a_back_in_regulation_and_a_lay_that_counts_overtime_are_no_cover() {
    for played in play("hockey-regulation-and-overtime.jsonl") {
        assert!(played.polls >= 3 && played.ticks > 20, "{} {}", played.polls, played.ticks);
        assert_eq!(played.events(), BTreeSet::new());
    }
}

#[test]
fn of_a_book_that_comes_twice_the_newer_prices_count() {
    for played in play("book-twice.jsonl") {
        assert_eq!(played.events(), BTreeSet::new());
        assert!(played.faults.of("market", "listed twice") > 0, "{}", played.faults);
    }
}

/// A fault in the second event leaves the window of the first one, `ok1`.
fn costs_the_second_event(name: &str, fault: &'static str) {
    for played in play(name) {
        assert_eq!(played.events(), BTreeSet::from(["ok1"]), "{name}");
        assert!(!played.verified().is_empty(), "{name}");
        assert!(played.faults.of("event", fault) > 0, "{name}: {}", played.faults);
    }
}

#[test]
fn a_nan_costs_its_event_and_is_named() {
    costs_the_second_event("nan-price.jsonl", "has a NaN");
}

#[test]
fn a_number_for_an_array_costs_its_event() {
    costs_the_second_event("number-for-array.jsonl", "has a number out of range");
}

#[test]
fn a_byte_order_mark_costs_nothing() {
    for played in play("bom.jsonl") {
        assert_eq!((played.polls, played.faults.is_empty()), (1, true), "{}", played.faults);
    }
}

#[test]
fn sides_that_swap_move_no_price() {
    for played in play("swap-of-sides.jsonl") {
        assert_eq!((played.polls, played.swapped, played.movements), (6, 3, 0));
        assert_eq!((played.events(), &played.signals), (BTreeSet::new(), &BTreeSet::new()));
    }
}

#[test]
fn prices_of_a_clock_that_is_ahead_are_taken() {
    for played in play("clock-behind.jsonl") {
        assert_eq!((played.polls, played.future), (4, 0));
        assert_eq!(played.events(), BTreeSet::from(["ok1"]));
        assert!(!played.verified().is_empty());
    }
}
