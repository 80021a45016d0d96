//! Only the lines that an update touches are evaluated, with the same result as if all were.
//!
//! A restored engine does not know what was evaluated before and evaluates all lines of a market: one that is restored after each
//! record is the model.

use std::collections::BTreeSet;

use arb_engine::effect::{Effect, SignalChange, SignalKind};
use arb_engine::input::{Coverage, Event, Frame, Input, Tick};
use arb_engine::market::{Bet, Market, Outcome, Policy, Side};
use arb_engine::odds::Price;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::random_log::{BOOKS, Cut, Run, logs, policies, some_books};
use crate::world::at;

const EVENTS: [&str; 2] = ["e", "f"];
const LINES: [i32; 5] = [1_500, 2_000, 2_500, 3_000, 3_500];
const SIDES: [Outcome; 2] = [Outcome::Over, Outcome::Under];
/// Seconds from one record to the next.
const GAPS: [i64; 6] = [0, 1, 1, 5, 40, 700];

/// (line, side, book, steps above its usual price).
type Move = (usize, usize, usize, i64);

/// The price of a total, which is the higher for over the higher the line is.
fn tick(second: i64, (line, side, book, steps): Move) -> Tick<'static> {
    let tilt = if side == 0 { line } else { LINES.len() - 1 - line };
    let hundredths = 168 + 9 * i64::try_from(tilt).unwrap() + i64::try_from(book).unwrap() + 2 * steps;
    let totals = Market::parse("totals").unwrap();
    Tick {
        book: BOOKS[book],
        bet: Bet::new(totals, SIDES[side], Side::Back, Some(LINES[line])).unwrap(),
        price: Price::from_millionths(hundredths * 10_000).unwrap(),
        odds_format: arb_engine::odds::OddsFormat::Unknown,
        limit: None,
        suspended: false,
        last_seen_at: at(second),
        price_moved_at: None,
    }
}

fn frame(event: usize, second: i64, moves: &[Move]) -> Input<'static> {
    let (id, commence_time) = (EVENTS[event], at(200_000));
    Input::Frame(Frame {
        source: "feed",
        received_at: at(second),
        poll_index: None,
        event: Event { id, sport: "soccer", league: "l", home: "H", away: "A", commence_time },
        coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
        ticks: moves.iter().map(|one| tick(second, *one)).collect(),
        links: vec![],
        push: None,
    })
}

/// All prices of two events, then a few ticks a record, most of which repeat a price.
fn quiet_logs() -> impl Strategy<Value = Vec<Input<'static>>> {
    let steps = prop_oneof![3 => Just(0_i64), 1 => 0..13_i64];
    let tick = (0..LINES.len(), 0..SIDES.len(), 0..BOOKS.len(), steps);
    let record = (0..EVENTS.len(), 0..GAPS.len(), prop::collection::vec(tick, 1..4));
    prop::collection::vec(record, 1..60).prop_map(|records| {
        let each = |line| {
            (0..SIDES.len()).flat_map(move |side| (0..BOOKS.len()).map(move |book| (line, side, book, 0)))
        };
        let all: Vec<_> = (0..LINES.len()).flat_map(each).collect();
        let mut second = 500;
        let mut log: Vec<_> = (0..EVENTS.len()).map(|event| frame(event, second, &all)).collect();
        for (event, gap, moves) in records {
            second += GAPS[gap];
            log.push(frame(event, second, &moves));
        }
        log
    })
}

/// The effects of a log, and those of an engine that evaluates all lines in each step.
fn both(policy: Policy, log: &[Input<'static>]) -> [Vec<Vec<Effect>>; 2] {
    let books = some_books();
    let whole = vec![Cut::Restore; log.len()];
    [Run::through(policy, &books, log), Run::cut(policy, &books, log, &whole)].map(|run| run.effects)
}

proptest! {
    #[test]
    fn what_is_not_touched_would_be_found_as_before(log in quiet_logs(), policy in policies()) {
        let [touched, whole] = both(policy, &log);
        prop_assert_eq!(touched, whole);
    }

    #[test]
    fn whatever_a_record_touches_is_evaluated(log in logs(), policy in policies()) {
        let [touched, whole] = both(policy, &log);
        prop_assert_eq!(touched, whole);
    }
}

#[test]
fn quiet_logs_open_windows_and_every_signal_of_a_table() {
    let mut runner = TestRunner::deterministic();
    let (mut windows, mut kinds) = (0, BTreeSet::new());
    for _ in 0..150 {
        let log = quiet_logs().new_tree(&mut runner).unwrap().current();
        let run = Run::through(Policy::Board, &some_books(), &log);
        for effect in run.all() {
            match effect {
                Effect::Transition(..) => windows += 1,
                Effect::Signal(SignalChange::Opened, edge) => kinds.extend(edge.kind.known()),
                _ => {}
            }
        }
    }
    assert!(windows > 100, "{windows}");
    assert!(
        [SignalKind::Value, SignalKind::LowHold, SignalKind::Middle].iter().all(|kind| kinds.contains(kind)),
        "{kinds:?}"
    );
}
