//! Properties over random polls: cuts, order and names change nothing; a plain model agrees.

use std::collections::BTreeMap;

use arb_engine::Engine;
use arb_engine::catalogue::Policy;
use arb_engine::effect::Effect;
use arb_engine::input::Tick;
use arb_engine::saved::Saved;
use proptest::prelude::*;

use crate::world::{World, event, tick};

const BOOKS: [&str; 4] = ["a", "b", "c", "d"];
/// The same order, other names.
const RENAMED: [&str; 4] = ["book-1", "book-2", "book-3", "book-4"];
const EVENTS: [&str; 3] = ["e", "f", "g"];
const BETS: [&str; 7] = ["home", "draw", "away", "over 2.5", "under 2.5", "over 3", "under 3"];

/// (event, book, bet, price in hundredths).
type RandomTick = (usize, usize, usize, u32);

fn polls() -> impl Strategy<Value = Vec<Vec<RandomTick>>> {
    let tick = (0..EVENTS.len(), 0..BOOKS.len(), 0..BETS.len(), 180_u32..420);
    prop::collection::vec(prop::collection::vec(tick, 0..30), 1..8)
}

/// A poll's ticks by event; of two for one bet the last, as a decoder gives them.
fn events(
    poll: &[RandomTick],
    books: [&'static str; 4],
    second: i64,
) -> Vec<(&'static str, Vec<Tick<'static>>)> {
    let mut ticks = BTreeMap::new();
    for (event, book, bet, price) in poll {
        ticks.insert((event, book, bet), price);
    }
    let mut events: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for ((event, book, bet), price) in ticks {
        let decimal = format!("{}.{:02}", price / 100, price % 100);
        let seen = second - i64::try_from(book % 3).unwrap();
        events.entry(EVENTS[*event]).or_default().push(tick(books[*book], BETS[*bet], &decimal, seen));
    }
    events.into_iter().collect()
}

/// All effects of the polls; `each` changes a frame's ticks, `cut` says after which polls to commit.
fn run(
    polls: &[Vec<RandomTick>],
    books: [&'static str; 4],
    each: impl Fn(&mut Vec<Tick<'static>>),
    cut: impl Fn(usize) -> bool,
) -> (World, Vec<Effect>) {
    let mut world = World::new(Policy::Raw);
    world.commit_each = false;
    let mut effects = Vec::new();
    for (index, poll) in polls.iter().enumerate() {
        let second = 10 * (1 + i64::try_from(index).unwrap());
        let mut frames = Vec::new();
        for (id, mut ticks) in events(poll, books, second) {
            each(&mut ticks);
            frames.push((event(id), ticks));
        }
        effects.extend(world.poll(second, &frames));
        if cut(index) {
            world.engine.commit();
        }
    }
    world.engine.commit();
    (world, effects)
}

/// What a key of the changelog is: a thing that changes alone.
fn key(saved: &Saved) -> String {
    match saved {
        Saved::Market(market) => format!("market/{}/{}", market.event.id, market.market.key()),
        Saved::MarketGone { event, market } => format!("market/{event}/{}", market.key()),
        Saved::Source { source, .. } => format!("source/{source}"),
        Saved::SourceGone { source } => format!("source/{source}"),
        Saved::Book { book, .. } | Saved::BookGone { book } => format!("book/{book}"),
        Saved::StaleBooks { event, .. } => format!("stale/{event}"),
        Saved::Clock(_) => "clock".to_owned(),
        Saved::Sequence(_) => "sequence".to_owned(),
    }
}

/// All effects of the polls, the engine thrown away and restored from its changes after some of them.
fn run_restored(polls: &[Vec<RandomTick>], every: usize) -> (World, Vec<Effect>) {
    let mut world = World::new(Policy::Raw);
    world.commit_each = false;
    let (mut changelog, mut effects) = (BTreeMap::new(), Vec::new());
    for (index, poll) in polls.iter().enumerate() {
        let second = 10 * (1 + i64::try_from(index).unwrap());
        let frames: Vec<_> =
            events(poll, BOOKS, second).into_iter().map(|(id, ticks)| (event(id), ticks)).collect();
        effects.extend(world.poll(second, &frames));
        changelog.extend(world.engine.changes().into_iter().map(|saved| (key(&saved), saved)));
        world.engine.commit();
        if index % every == 0 {
            world.engine = Engine::new(Policy::Raw);
            // Backwards, so that names get other numbers than they had.
            for saved in changelog.values().rev() {
                world.engine.restore(saved.clone()).unwrap();
            }
        }
    }
    (world, effects)
}

/// The open sets of a poll, from its definition: the best of each outcome of a line, if S < 1.
fn model(poll: &[RandomTick]) -> Vec<(&'static str, &'static str, u64)> {
    let sets: [(&str, &[&str]); 3] = [
        ("h2h", &["home", "draw", "away"]),
        ("2500", &["over 2.5", "under 2.5"]),
        ("3000", &["over 3", "under 3"]),
    ];
    let mut open = Vec::new();
    for (id, ticks) in events(poll, BOOKS, 10) {
        let best = |bet: &str| {
            let wanted = tick("a", bet, "2", 0).bet;
            ticks.iter().filter(|tick| tick.bet == wanted).map(|tick| tick.price.millionths()).max()
        };
        for (name, set) in sets {
            let is_two_way = name == "h2h" && best("draw").is_none();
            let prices: Option<Vec<_>> =
                set.iter().filter(|bet| !(is_two_way && **bet == "draw")).map(|bet| best(bet)).collect();
            let Some(prices) = prices else { continue };
            let s: f64 = prices.iter().map(|price| 1e6 / f64::from(*price)).sum();
            if s < 1.0 - 1e-9 {
                open.push((id, name, s.to_bits()));
            }
        }
    }
    open.sort_unstable();
    open
}

fn board(world: &World) -> Vec<(&'static str, &'static str, u64)> {
    let mut open: Vec<_> = world
        .board
        .values()
        .map(|entry| {
            let id = EVENTS.into_iter().find(|id| **id == *entry.event.id).unwrap();
            let name = match entry.line {
                None => "h2h",
                Some(2_500) => "2500",
                Some(_) => "3000",
            };
            (id, name, entry.implied_probability.to_bits())
        })
        .collect();
    open.sort_unstable();
    open
}

proptest! {
    #[test]
    fn the_board_is_what_the_definition_says(polls in polls()) {
        for end in 1..=polls.len() {
            let (world, _) = run(&polls[..end], BOOKS, |_| {}, |_| true);
            prop_assert_eq!(board(&world), model(&polls[end - 1]));
            prop_assert_eq!(world.engine.size().windows, world.board.len());
            prop_assert_eq!(arb_engine::invariants::check_state(&world.engine), Ok(()));
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_transactions_are_cut(polls in polls(), every in 1_usize..5) {
        let (_, each) = run(&polls, BOOKS, |_| {}, |_| true);
        let (_, some) = run(&polls, BOOKS, |_| {}, |index| index % every == 0);
        let (_, none) = run(&polls, BOOKS, |_| {}, |_| false);
        prop_assert_eq!(&each, &some);
        prop_assert_eq!(&each, &none);
    }

    #[test]
    fn a_restored_engine_goes_on_as_if_nothing_had_been(polls in polls(), every in 1_usize..4) {
        let (straight, expected) = run(&polls, BOOKS, |_| {}, |_| true);
        let (restored, effects) = run_restored(&polls, every);
        prop_assert_eq!(&effects, &expected);
        prop_assert_eq!(restored.engine.size(), straight.engine.size());
        prop_assert_eq!(arb_engine::invariants::check_state(&restored.engine), Ok(()));
    }

    #[test]
    fn the_order_of_a_frames_ticks_changes_nothing(polls in polls()) {
        let (_, forward) = run(&polls, BOOKS, |_| {}, |_| true);
        let (_, backward) = run(&polls, BOOKS, |ticks| ticks.reverse(), |_| true);
        prop_assert_eq!(forward, backward);
    }

    #[test]
    fn renaming_books_renames_the_legs_and_nothing_else(polls in polls()) {
        let (plain, _) = run(&polls, BOOKS, |_| {}, |_| true);
        let (renamed, _) = run(&polls, RENAMED, |_| {}, |_| true);
        let rename = |book: &str| RENAMED[BOOKS.iter().position(|name| *name == book).unwrap()];
        prop_assert_eq!(plain.board.len(), renamed.board.len());
        for (id, entry) in &plain.board {
            let other = &renamed.board[id];
            prop_assert_eq!(entry.margin.to_bits(), other.margin.to_bits());
            for (leg, other) in entry.legs.iter().zip(&other.legs) {
                prop_assert_eq!(rename(&leg.book), &*other.book);
            }
        }
    }

    #[test]
    fn sequences_grow_by_one(polls in polls()) {
        let (_, effects) = run(&polls, BOOKS, |_| {}, |_| true);
        let sequences = effects.iter().filter_map(|effect| match effect {
            Effect::Transition(_, entry) => Some(entry.sequence),
            Effect::Closed(closed) => Some(closed.sequence),
            Effect::LineMovement(moved) => Some(moved.sequence),
            Effect::StaleAlert(alert) => Some(alert.sequence),
            Effect::Refreshed(_) | Effect::Contains { .. } => None,
        });
        prop_assert!(sequences.eq(1..=world_sequence(&effects)));
    }
}

fn world_sequence(effects: &[Effect]) -> i64 {
    let counted = |effect: &&Effect| !matches!(effect, Effect::Refreshed(_) | Effect::Contains { .. });
    i64::try_from(effects.iter().filter(counted).count()).unwrap()
}
