//! The board of some books: equal to that of an engine that never received the others.

use std::collections::{BTreeMap, BTreeSet};

use arb_engine::effect::BoardEntry;
use arb_engine::input::Tick;
use arb_engine::market::{Outcome, Policy};
use arb_engine::{KnownArbs, UserBooks};
use proptest::prelude::*;

use crate::world::{World, at, of_league, tick};

fn only(books: &[&str]) -> UserBooks {
    let books: BTreeSet<_> = books.iter().map(|book| (*book).to_owned()).collect();
    UserBooks { books: Some(books), ..UserBooks::default() }
}

fn charged(commissions: &[(&str, u32)]) -> UserBooks {
    let commissions = commissions.iter().map(|(book, ppm)| ((*book).to_owned(), *ppm)).collect();
    UserBooks { commissions, ..UserBooks::default() }
}

fn legs(entry: &BoardEntry) -> Vec<(&str, Outcome, u32)> {
    entry.legs.iter().map(|leg| (&*leg.book, leg.outcome.known().unwrap(), leg.price.millionths())).collect()
}

/// `a` and `b` have the best prices, `c` and `d` the second best, which make an arb too.
fn world() -> World {
    let mut world = World::new(Policy::Board);
    let both = |book, home: &str, away: &str| [tick(book, "home", home, 99), tick(book, "away", away, 99)];
    let ticks =
        [both("a", "2.2", "1.7"), both("b", "1.7", "2.2"), both("c", "2.1", "1.8"), both("d", "1.8", "2.1")];
    world.send(100, ticks.concat());
    world
}

#[test]
fn all_books_are_the_board() {
    let world = world();
    let board: Vec<_> = world.board.values().cloned().collect();
    assert_eq!(world.engine.board_of(&UserBooks::default()), board);
}

#[test]
fn a_second_best_arb_shows_where_the_best_is_out_of_reach() {
    let world = world();
    let entries = world.engine.board_of(&only(&["c", "d", "nobody"]));
    let [entry] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!(legs(entry), [("c", Outcome::Home, 2_100_000), ("d", Outcome::Away, 2_100_000)]);
    assert!((entry.margin - 0.05).abs() < 1e-9);
    // It is no window of the board: as old as its prices, with an id that its bets have again.
    assert_eq!((entry.opened_at.0, entry.sequence), (at(99), 0));
    assert!(!world.board.contains_key(&entry.id));
    assert_eq!(world.engine.board_of(&only(&["c", "d"])), entries);
    assert_eq!(world.engine.board_of(&only(&["a"])), []);
    assert_eq!(world.engine.board_of(&only(&[])), []);
}

#[test]
fn a_users_commission_replaces_the_books_fees() {
    let world = world();
    // 1 + 1.2 * 0.9 is 2.08, less than 2.1 of `c`.
    let entries = world.engine.board_of(&charged(&[("a", 100_000)]));
    assert_eq!(legs(&entries[0])[0].0, "c");
    // 1 + 1.2 * 0.95 is 2.14.
    let entries = world.engine.board_of(&charged(&[("a", 50_000)]));
    assert_eq!((legs(&entries[0])[0].0, entries[0].legs[0].effective_price.millionths()), ("a", 2_140_000));
    assert!((entries[0].implied_probability - (1.0 / 2.14 + 1.0 / 2.2)).abs() < 1e-9);
    let all = [("a", 200_000), ("b", 200_000), ("c", 200_000), ("d", 200_000)];
    assert_eq!(world.engine.board_of(&charged(&all)), []);
}

#[test]
fn stakes_are_for_the_total_that_a_user_names() {
    let world = world();
    let staked = |total_stake| {
        let entries = world.engine.board_of(&UserBooks { total_stake, ..UserBooks::default() });
        let [entry] = &entries[..] else { panic!("{entries:?}") };
        entry.legs.iter().map(|leg| leg.stake.unwrap().0).collect::<Vec<_>>()
    };
    assert_eq!(staked(None), [5_000, 5_000]);
    assert_eq!((staked(Some(10_000)), staked(Some(77_701))), (vec![5_000, 5_000], vec![38_850, 38_850]));
}

#[test]
fn a_total_is_kept_within_the_limits() {
    let mut world = World::new(Policy::Board);
    let limited = |mut tick: Tick<'static>| {
        tick.limit = arb_engine::market::Limit::from_minor(12_000);
        tick
    };
    world.send(100, vec![tick("a", "home", "2.2", 99), limited(tick("b", "away", "2.2", 99))]);
    let entries = world.engine.board_of(&UserBooks { total_stake: Some(100_000), ..UserBooks::default() });
    let placed: Vec<_> = entries[0].legs.iter().map(|leg| leg.stake.unwrap().0).collect();
    assert_eq!((placed, entries[0].total_stake_max.unwrap().0), (vec![12_000, 12_000], 24_000));
}

#[test]
fn events_odds_and_books_are_listed_by_name() {
    let world = world();
    let [event] = &world.engine.listed_events(None)[..] else { panic!("one event") };
    assert_eq!((&*event.info.id, event.books, event.windows, event.in_play), ("e", 4, 1, false));
    assert_eq!(event.last_seen_at, at(99));
    let (same, quotes) = world.engine.odds_of("e", None).unwrap();
    assert_eq!((&same, quotes.len()), (event, 8));
    let of_a: Vec<_> = quotes.iter().filter(|quote| &*quote.book == "a").collect();
    assert_eq!(of_a.iter().map(|quote| quote.price.millionths()).collect::<Vec<_>>(), [2_200_000, 1_700_000]);
    assert!(world.engine.odds_of("f", None).is_none());
    let books = world.engine.listed_books(None);
    assert_eq!(books.iter().map(|book| &*book.book).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    assert!(books.iter().all(|book| book.on_offer == 2 && book.last_seen_at == Some(at(99))));
}

#[test]
fn which_outcomes_there_are_is_said_by_all_books() {
    let mut world = crate::verification::world();
    let ticks = vec![tick("a", "home", "2.2", 99), tick("b", "away", "2.2", 99), tick("c", "draw", "9", 99)];
    let two = ticks[..2].to_vec();
    world.poll(100, &[(of_league("boxing_x", "e"), ticks)]);
    assert_eq!(world.engine.board_of(&only(&["a", "b"])), [], "without the draw it is no whole set");
    world.poll(110, &[(of_league("boxing_x", "e"), two.clone())]);
    assert_eq!(world.engine.board_of(&only(&["a", "b"])), [], "nor is it where the draw is left out");
    world.poll(120, &[(of_league("boxing_x", "f"), two)]);
    assert_eq!(world.engine.board_of(&only(&["a", "b"])).len(), 1, "of another one nobody has listed it");
}

#[test]
fn only_lines_that_have_changed_are_searched_again() {
    let (mut world, user, mut known) = (world(), only(&["c", "d"]), KnownArbs::default());
    let (first, over) = (world.engine.board_again(&user, &mut known), known.searched());
    assert_eq!((first.len(), over), (1, 1));
    let lines = [("over 2.5", "1.9"), ("under 2.5", "1.9"), ("over 3", "1.8"), ("under 3", "1.8")];
    world.send(101, lines.iter().map(|(bet, price)| tick("c", bet, price, 100)).collect());
    assert_eq!(world.engine.board_again(&user, &mut known), world.engine.board_of(&user));
    let _ = world.engine.board_again(&user, &mut known);
    assert_eq!(known.searched(), world.engine.board_of(&user).len(), "nothing has changed");
}

const BOOKS: [&str; 5] = ["a", "b", "c", "d", "e"];
const BETS: [&str; 6] = ["home", "away", "over 2.5", "under 2.5", "over 3", "under 3"];

type Prices = BTreeMap<(usize, usize), u32>;

fn sent(prices: &Prices, books: &BTreeSet<usize>) -> World {
    let mut world = World::new(Policy::Board);
    let offered = prices.iter().filter(|((book, _), _)| books.contains(book));
    let tick = |((book, bet), price): (&(usize, usize), &u32)| -> Tick<'static> {
        tick(BOOKS[*book], BETS[*bet], &format!("{}.{:02}", price / 100, price % 100), 99)
    };
    world.send(100, offered.map(tick).collect());
    world
}

proptest! {
    #[test]
    fn it_equals_the_board_of_an_engine_without_the_other_books(
        prices in prop::collection::btree_map((0..BOOKS.len(), 0..BETS.len()), 170_u32..240, 5..30),
        books in prop::collection::btree_set(0..BOOKS.len(), 1..5),
    ) {
        let (all, alone) = (sent(&prices, &(0..BOOKS.len()).collect()), sent(&prices, &books));
        let user = only(&books.iter().map(|book| BOOKS[*book]).collect::<Vec<_>>());
        // The bets and their returns; the evidence of other books differs, and so do its age and its name.
        let summary = |entry: &BoardEntry| {
            let legs: Vec<_> = entry.legs.iter().map(|leg| (leg.book.clone(), leg.price, leg.stake)).collect();
            (entry.market(), entry.line, legs, entry.margin.to_bits(), entry.margin_worst.to_bits())
        };
        let found = all.engine.board_of(&user);
        let expected = alone.engine.board_of(&UserBooks::default());
        prop_assert_eq!(found.iter().map(summary).collect::<Vec<_>>(), expected.iter().map(summary).collect::<Vec<_>>());
        prop_assert_eq!(expected.len(), alone.board.len());
    }
}
