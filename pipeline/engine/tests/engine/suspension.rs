//! A source or a book that an operator shuts: its prices can be bet on no more, at once and whatever is published, until it is opened again.

use arb_engine::effect::Effect;
use arb_engine::input::{Input, Suspension};
use arb_engine::market::Policy;
use arb_engine::{QuoteStatus, UserBooks};

use crate::world::{SOURCE, World, tick, words};

fn shut(world: &mut World, name: &str, is_book: bool, is_suspended: bool) -> Vec<Effect> {
    world.step(&Input::Suspension(Suspension { name, is_book, is_suspended })).1
}

fn prices(second: i64) -> Vec<arb_engine::input::Tick<'static>> {
    vec![tick("a", "home", "2.1", second), tick("b", "away", "2.1", second), tick("c", "away", "2", second)]
}

fn open() -> World {
    let mut world = World::of_table(Policy::Board);
    world.send(100, prices(99));
    assert_eq!(world.board.len(), 1);
    world
}

fn statuses(world: &World) -> Vec<(String, bool)> {
    let (_, quotes) = world.engine.odds_of("e", None).unwrap();
    let status =
        |quote: &arb_engine::ListedQuote| (quote.book.to_string(), quote.status == QuoteStatus::Suspended);
    quotes.iter().map(status).collect()
}

fn of(suspended: [bool; 3]) -> Vec<(String, bool)> {
    ["a", "b", "c"].map(str::to_owned).into_iter().zip(suspended).collect()
}

#[test]
fn a_book_that_is_shut_closes_its_windows_and_the_next_best_one_takes_its_place() {
    let mut world = open();
    let effects = shut(&mut world, "b", true, true);
    assert!(
        words(&effects).iter().any(|word| word.starts_with("closed") || word == "updated"),
        "{effects:?}"
    );
    let legs: Vec<_> =
        world.board.values().flat_map(|entry| &entry.legs).map(|leg| leg.book.to_string()).collect();
    assert_eq!(legs, ["a", "c"]);
    assert_eq!(statuses(&world), of([false, true, false]));
    world.send(110, prices(109));
    assert_eq!(statuses(&world), of([false, true, false]), "what it publishes is suspended too");
    shut(&mut world, "b", true, false);
    world.send(120, prices(119));
    assert_eq!(statuses(&world), of([false; 3]));
}

#[test]
fn a_source_that_is_shut_has_no_price_until_it_is_opened() {
    let mut world = open();
    let effects = shut(&mut world, SOURCE, false, true);
    assert_eq!(words(&effects), ["closed suspended"]);
    world.send(110, prices(109));
    assert_eq!((world.board.len(), world.engine.board_of(&UserBooks::default()).len()), (0, 0));
    assert!(world.engine.listed_books(None).iter().all(|listed| listed.is_suspended));
    assert!(world.engine.is_suspended(SOURCE, false) && !world.engine.is_suspended(SOURCE, true));
    assert_eq!(shut(&mut world, SOURCE, false, true), [], "once more changes nothing");
    assert_eq!(shut(&mut world, SOURCE, false, false), []);
    assert_eq!(world.board.len(), 0, "its next poll is awaited");
    world.send(120, prices(119));
    assert_eq!(world.board.len(), 1);
    assert!(!world.engine.listed_books(None).iter().any(|listed| listed.is_suspended));
}

#[test]
fn what_was_never_heard_of_may_be_shut_before_it_comes() {
    let mut world = World::of_table(Policy::Board);
    shut(&mut world, "b", true, true);
    let listed: Vec<_> = world
        .engine
        .listed_books(None)
        .into_iter()
        .map(|listed| (listed.book, listed.is_suspended))
        .collect();
    assert_eq!(listed, [("b".into(), true)]);
    world.send(100, prices(99));
    assert_eq!(statuses(&world), of([false, true, false]));
}
