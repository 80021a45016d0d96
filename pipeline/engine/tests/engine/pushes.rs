//! What clients push: taken in once, in the order of its sequences, without an influence on what is learnt of others.

use std::collections::BTreeMap;

use arb_engine::caps::{MARKET_LINES, PUSHED_SHARE};
use arb_engine::effect::{BoardEntry, EdgeSignal, Effect, Flag};
use arb_engine::input::{Coverage, Event, Frame, Input, Push, Tick};
use arb_engine::market::Policy;
use arb_engine::state::Saved;
use arb_engine::time::{Disposition, REMEMBERED_PUSHES};

use proptest::prelude::*;

use crate::verification::{market, world};
use crate::world::{World, at, entry, event, frame, tick, words};

const SOURCE: &str = "feed/acme";

/// A pushed frame of the event `e`; a client that may name events gives its names.
fn pushed(second: i64, sequence: i64, names_event: bool, ticks: Vec<Tick<'static>>) -> Frame<'static> {
    let nameless = Event { id: "e", sport: "", league: "", home: "", away: "", commence_time: 0 };
    let event = if names_event { event("e") } else { nameless };
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let push = Some(Push { sequence, names_event });
    Frame { source: SOURCE, coverage, push, ..frame(second, None, event, ticks) }
}

fn push(
    world: &mut World,
    second: i64,
    sequence: i64,
    ticks: Vec<Tick<'static>>,
) -> (Disposition, Vec<Effect>) {
    let (step, effects) = world.step(&Input::Frame(pushed(second, sequence, false, ticks)));
    (step.disposition, effects)
}

fn price(world: &World, book: &str) -> Vec<f64> {
    let mut prices: Vec<_> = world
        .board
        .values()
        .flat_map(|entry| &entry.legs)
        .filter(|leg| &*leg.book == book)
        .map(|leg| leg.price.decimal())
        .collect();
    prices.dedup();
    prices
}

const BETS: [&str; 6] = ["home", "away", "over 2.5", "under 2.5", "over 3", "under 3"];
const BOOKS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

proptest! {
    /// Whatever a client pushes of a book that is not in the table, a draw too: what is verified stays verified, with its id and its bets, and so
    /// do signals.
    #[test]
    fn a_book_that_is_not_in_the_table_hides_nothing(
        prices in prop::collection::btree_map((0..BOOKS.len(), 0..BETS.len()), 180_u32..230, 10..36),
        pushed_bets in prop::collection::btree_map(0..=BETS.len(), prop::sample::select(&[100_000_u32, 900, 215, 195, 101][..]), 1..8),
    ) {
        let decimal = |hundredths: &u32| format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let mut world = world();
        let ticks = prices.iter().map(|((book, bet), price)| tick(BOOKS[*book], BETS[*bet], &decimal(price), 99));
        world.send(100, ticks.collect());
        let (before, signals) = (world.board.clone(), world.signals.clone());
        let bet = |bet: &usize| BETS.get(*bet).copied().unwrap_or("draw");
        let ticks = pushed_bets.iter().map(|(at, price)| tick("acme", bet(at), &decimal(price), 100));
        push(&mut world, 100, 1, ticks.collect());
        for entry in before.values().filter(|entry| entry.verified) {
            let after = &world.board[&entry.id];
            prop_assert_eq!((&after.legs, after.verified), (&entry.legs, true));
            prop_assert!(after.passed_over.as_ref().is_none_or(|passed| passed.margin > after.margin));
        }
        let kept = |signals: &BTreeMap<String, EdgeSignal>| {
            signals.values().map(|signal| (signal.id.clone(), signal.bets.clone(), signal.strength)).collect::<Vec<_>>()
        };
        prop_assert_eq!(kept(&world.signals), kept(&signals));
    }
}

/// A world whose source gives 1.95 on both sides at two books.
fn known() -> World {
    let mut world = World::new(Policy::Board);
    world.send(100, vec![tick("a", "home", "1.95", 99), tick("a", "away", "1.95", 99)]);
    world
}

#[test]
fn an_update_is_taken_in_once() {
    let mut world = known();
    let arb = || vec![tick("p", "home", "2.2", 0)];
    let (disposition, effects) = push(&mut world, 101, 7, arb());
    assert_eq!((disposition, words(&effects)), (Disposition::Applied, vec!["opened".to_owned()]));
    let (disposition, effects) = push(&mut world, 102, 7, arb());
    assert_eq!((disposition, effects), (Disposition::Repeated, vec![]));
    let (disposition, effects) = push(&mut world, 103, 7, vec![tick("p", "home", "2.3", 0)]);
    assert_eq!((disposition, effects), (Disposition::Conflicting, vec![]));
    assert_eq!(price(&world, "p"), [2.2]);
}

#[test]
fn the_order_of_the_ticks_of_an_update_is_nothing() {
    let mut world = known();
    let both = || vec![tick("p", "home", "2.2", 0), tick("p", "away", "1.7", 0)];
    assert_eq!(push(&mut world, 101, 1, both()).0, Disposition::Applied);
    let turned = both().into_iter().rev().collect();
    assert_eq!(push(&mut world, 101, 1, turned).0, Disposition::Repeated);
}

#[test]
fn of_each_price_the_highest_sequence_wins_in_whatever_order_they_arrive() {
    let mut world = known();
    push(&mut world, 102, 9, vec![tick("p", "home", "2.3", 0)]);
    // It was sent before, and another instance with a slower clock received it.
    let earlier = vec![tick("p", "home", "2.2", 0), tick("p", "away", "2.4", 0)];
    assert_eq!(push(&mut world, 101, 8, earlier).0, Disposition::Applied);
    assert_eq!(price(&world, "p"), [2.3, 2.4], "the away price of the earlier update is the latest");
    push(&mut world, 101, 10, vec![tick("p", "home", "2.5", 0)]);
    assert_eq!(price(&world, "p"), [2.5, 2.4]);
}

#[test]
fn what_is_below_all_that_are_remembered_is_not_taken_in() {
    let mut world = known();
    let most = i64::try_from(REMEMBERED_PUSHES).unwrap();
    for sequence in 1..=most + 1 {
        push(&mut world, 101, sequence, vec![tick("p", "home", "1.9", 0)]);
    }
    let (disposition, effects) = push(&mut world, 102, 1, vec![tick("p", "home", "2.9", 0)]);
    assert_eq!((disposition, effects), (Disposition::Forgotten, vec![]));
    assert!(world.board.is_empty());
}

#[test]
fn only_a_client_that_may_names_an_event() {
    let mut world = World::new(Policy::Board);
    world.beat(100);
    let arb = || vec![tick("p", "home", "2.2", 0), tick("q", "away", "2.2", 0)];
    assert_eq!(push(&mut world, 101, 1, arb()).0, Disposition::UnknownEvent);
    let named = Input::Frame(pushed(101, 1, true, arb()));
    let (step, effects) = world.step(&named);
    assert_eq!(step.disposition, Disposition::Applied, "a refused update is not remembered");
    let BoardEntry { event, .. } = entry(&effects);
    assert_eq!((&*event.home, event.commence_time.0), ("H", at(1_000_000)));
    // From now on it is known, and keeps its names.
    let (disposition, effects) = push(&mut world, 102, 2, vec![tick("p", "home", "2.3", 0)]);
    assert_eq!((disposition, &*entry(&effects).event.home), (Disposition::Applied, "H"));
}

#[test]
fn a_pushed_source_neither_holds_the_time_back_nor_drives_it() {
    let mut world = known();
    push(&mut world, 101, 1, vec![tick("p", "home", "1.9", 0)]);
    world.beat(110);
    assert_eq!(world.engine.watermark(), Some(at(105)), "not held back");
    push(&mut world, 150, 2, vec![tick("p", "home", "1.91", 0)]);
    assert_eq!(world.engine.watermark(), Some(at(105)), "not driven while another source is active");
    push(&mut world, 171, 3, vec![tick("p", "home", "1.92", 0)]);
    assert_eq!(world.engine.watermark(), Some(at(166)), "the only active source is the time");
}

/// The kinds of what an engine has learnt and writes down.
fn learnt(world: &mut World, inputs: &[Input<'_>]) -> Vec<&'static str> {
    world.commit_each = false;
    let mut kinds = Vec::new();
    for input in inputs {
        world.step(input);
        kinds.extend(world.engine.changes().iter().filter_map(|saved| match saved {
            Saved::Book { .. } => Some("book"),
            Saved::Margins(_) => Some("margins"),
            Saved::Survival { .. } => Some("survival"),
            _ => None,
        }));
        world.engine.commit();
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// An arb of the book `p` and another that is open for five minutes, is confirmed, and closes.
fn arb(of: impl Fn(i64, i64, Vec<Tick<'static>>) -> Frame<'static>) -> Vec<Input<'static>> {
    let frames = (0..20).map(|step| {
        let second = 101 + 15 * step;
        let decimal = if step == 19 { "1.5" } else { "2.2" };
        Input::Frame(of(
            second,
            step,
            vec![tick("p", "home", decimal, second), tick("q", "away", "2.2", second)],
        ))
    });
    frames.collect()
}

#[test]
fn nothing_is_learnt_from_what_clients_push() {
    let mut world = known();
    let pushes = arb(|second, step, ticks| pushed(second, step, false, ticks));
    assert_eq!(learnt(&mut world, &pushes), [""; 0]);
    // The same of a source that is not pushed to teaches all three.
    let messages = arb(|second, step, ticks| {
        let push = pushed(second, step, true, ticks);
        Frame { source: "feed", push: None, ..push }
    });
    assert_eq!(learnt(&mut known(), &messages), ["book", "margins", "survival"]);
}

#[test]
fn a_pushed_book_that_is_far_from_all_others_never_makes_a_verified_arb() {
    for decimal in ["2.9", "3.5", "5", "20", "900"] {
        let mut world = world();
        world.send(100, market(("a", "1.95"), ("b", "1.95"), 99));
        for sequence in 1..6 {
            let second = 100 + 10 * sequence;
            push(&mut world, second, sequence, vec![tick("x", "home", decimal, 0)]);
            world.send(second + 5, market(("a", "1.95"), ("b", "1.95"), second + 4));
            assert!(!world.board.is_empty(), "{decimal} is an arb");
            for entry in world.board.values() {
                let verification = entry.verification;
                assert!(!entry.verified && !verification.holds(Flag::PlausiblePrice), "{decimal}: {entry:?}");
            }
        }
    }
}

/// A source that clients push to fills an eighth of the lines of a market: those of others are never left out for it.
#[test]
fn a_pushed_source_leaves_room_for_others() {
    let total = |book: &'static str, line: usize| {
        let line: &'static str = format!("over {line}").leak();
        tick(book, line, "1.9", 0)
    };
    let mut world = known();
    let all = MARKET_LINES;
    let ticks = (0..all).map(|line| total("p", line)).collect();
    let (step, _) = world.step(&Input::Frame(pushed(101, 1, false, ticks)));
    assert_eq!(
        step.left_out.to_string(),
        format!("more than {all} lines in a market: {} ticks left out", all - all / PUSHED_SHARE)
    );
    let lines: Vec<_> = (1_000..1_000 + all - all / PUSHED_SHARE).map(|line| total("a", line)).collect();
    let both = [tick("a", "home", "1.95", 99), tick("a", "away", "1.95", 99)];
    let frame = frame(102, None, event("e"), both.into_iter().chain(lines).collect());
    assert!(world.step(&Input::Frame(frame)).0.left_out.is_empty());
}
