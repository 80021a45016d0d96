//! Line movements: hopping windows of 60 s each 10 s, a threshold of 0.02, main lines.

use arb_engine::effect::Effect;
use arb_engine::input::{Frame, Input, Tick};
use arb_engine::market::Policy;

use crate::world::{World, at, event, frame, tick, words};

/// A push message of one home price at a second.
fn push(world: &mut World, second: i64, decimal: &str) -> Vec<String> {
    let coverage = arb_engine::input::Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let ticks = vec![tick("a", "home", decimal, second)];
    let message = Frame { coverage, ..frame(second, None, event("e"), ticks) };
    words(&world.step(&Input::Frame(message)).1)
}

#[test]
fn a_move_is_reported_when_the_watermark_passes_the_next_hop() {
    let mut world = World::new(Policy::Board);
    push(&mut world, 1_000, "2");
    push(&mut world, 1_003, "2.1");
    assert_eq!(words(&world.beat(1_014)), [""; 0]);
    let effects = world.beat(1_015);
    assert_eq!(words(&effects), ["moved a home 2 to 2.1 in 950-1010"]);
    let Effect::LineMovement(moved) = &effects[0] else { panic!("{effects:?}") };
    assert_eq!((moved.line, moved.sequence, moved.window_end.0), (None, 1, at(1_010)));
    for second in (1_016..1_100).step_by(5) {
        assert_eq!(words(&world.beat(second)), [""; 0], "once");
    }
}

#[test]
fn small_moves_add_up_within_a_window_only() {
    let mut world = World::new(Policy::Board);
    // 1/2 = .5, 1/2.05 = .488, 1/2.09 = .478.
    push(&mut world, 1_000, "2");
    push(&mut world, 1_005, "2.05");
    push(&mut world, 1_055, "2.09");
    assert_eq!(words(&world.beat(1_064)), [""; 0]);
    assert_eq!(words(&world.beat(1_065)), ["moved a home 2 to 2.09 in 1000-1060"]);
    let mut apart = World::new(Policy::Board);
    push(&mut apart, 1_000, "2");
    push(&mut apart, 1_005, "2.05");
    push(&mut apart, 1_065, "2.09");
    assert_eq!(words(&apart.beat(1_200)), [""; 0]);
}

#[test]
fn a_continued_move_is_reported_from_its_last_report() {
    let mut world = World::new(Policy::Board);
    push(&mut world, 1_000, "2");
    push(&mut world, 1_003, "2.1");
    assert_eq!(push(&mut world, 1_016, "2.12"), ["moved a home 2 to 2.1 in 950-1010"]);
    push(&mut world, 1_018, "2.2");
    assert_eq!(words(&world.beat(1_025)), ["moved a home 2.1 to 2.2 in 960-1020"]);
}

#[test]
fn a_price_that_returns_has_not_moved_until_its_first_half_leaves_the_window() {
    let mut world = World::new(Policy::Board);
    push(&mut world, 1_000, "2");
    push(&mut world, 1_005, "2.2");
    push(&mut world, 1_008, "2");
    assert_eq!(words(&world.beat(1_200)), [""; 0], "both leave by the same hop");
    push(&mut world, 1_300, "2.2");
    push(&mut world, 1_301, "2");
    push(&mut world, 1_311, "2.2");
    assert_eq!(words(&world.beat(1_325)), ["moved a home 2 to 2.2 in 1260-1320"]);
}

#[test]
fn however_far_the_watermark_jumps_each_window_is_looked_at() {
    let steps = |seconds: &[i64]| {
        let mut world = World::new(Policy::Board);
        push(&mut world, 1_000, "2");
        push(&mut world, 1_005, "2.2");
        push(&mut world, 1_012, "2");
        seconds.iter().flat_map(|second| words(&world.beat(*second))).collect::<Vec<_>>()
    };
    // In [1010, 1070) only the way back is left, but the way there was reported at 1010, so it moved from there.
    let expected = ["moved a home 2 to 2.2 in 950-1010", "moved a home 2.2 to 2 in 960-1020"];
    assert_eq!(steps(&[1_500]), expected);
    assert_eq!(steps(&(1_013..1_200).collect::<Vec<_>>()), expected);
    assert_eq!(steps(&[1_015, 1_300]), expected);
}

/// Totals of two books on each of some lines, at even odds or away from them.
fn totals(lines: &[(&'static str, &'static str, &'static str)], seen: i64) -> Vec<Tick<'static>> {
    lines
        .iter()
        .flat_map(|(book, over, under)| [(book, "over", over), (book, "under", under)])
        .map(|(book, side, line)| tick(book, &format!("{side} {line}"), "1.9", seen))
        .collect()
}

#[test]
fn the_main_line_is_the_one_that_most_books_quote_on_both_sides() {
    let mut world = World::new(Policy::Board);
    world.send(1_000, totals(&[("a", "2.5", "2.5"), ("b", "2.5", "2.5"), ("c", "3.5", "3.5")], 1_000));
    assert_eq!(words(&world.beat(1_015)), [""; 0], "the first is no change");
    // Only one book has both sides of 3.5: `c` and `b` have one each.
    world.send(1_016, totals(&[("a", "2.5", "2.5"), ("b", "3.5", "2.5"), ("c", "3.5", "3.5")], 1_016));
    assert_eq!(words(&world.beat(1_030)), [""; 0], "a tie leaves it where it was");
    world.send(1_031, totals(&[("a", "2.5", "2.5"), ("b", "3.5", "3.5"), ("c", "3.5", "3.5")], 1_031));
    assert_eq!(words(&world.beat(1_034)), [""; 0]);
    assert_eq!(words(&world.beat(1_035)), ["moved main line 2500 to 3500 in 970-1030"]);
    world.send(1_046, totals(&[("a", "2.5", "3.5")], 1_046));
    assert_eq!(words(&world.beat(1_060)), [""; 0], "no line is none to report");
    world.send(1_061, totals(&[("a", "2.5", "2.5")], 1_061));
    assert_eq!(words(&world.beat(1_080)), ["moved main line 3500 to 2500 in 1010-1070"]);
}

#[test]
fn of_equal_lines_the_one_closest_to_even_is_the_first() {
    let mut world = World::new(Policy::Board);
    let line = |line: &str, over, under| {
        [("over", over), ("under", under)]
            .map(|(side, odds)| tick("a", &format!("{side} {line}"), odds, 1_000))
    };
    world.send(1_000, [line("2.5", "1.5", "2.5"), line("3.5", "1.9", "1.9")].concat());
    world.beat(1_015);
    world.send(1_016, totals(&[("a", "2.5", "2.5")], 1_016));
    let effects = words(&world.beat(1_045));
    assert_eq!(effects.last().unwrap(), "moved main line 3500 to 2500 in 980-1040");
}
