//! Where a leg can be placed: as its source states it, else by the table of books, and what a change of it publishes.

use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::input::{Coverage, Frame, Input, Push, StatedLink};
use arb_engine::market::{Market, Policy};
use arb_engine::venues::{Book, Books, LinkTemplate};

use crate::world::{World, event, frame, tick, words};

/// `a` has a template, `b` has none.
fn world() -> World {
    let templated = Book {
        link: LinkTemplate::parse("https://a.example/{league}/{event}?m={market}").ok(),
        ..Books::default().get("a").clone()
    };
    let books = Arc::new(Books::new([("a".into(), templated)]));
    World { engine: Engine::with_books(Policy::Board, books), ..World::new(Policy::Board) }
}

fn stated(book: &'static str, link: &'static str) -> StatedLink<'static> {
    StatedLink { book, market: Market::parse("h2h").unwrap(), link }
}

/// Prices of both books with the links that their source states.
fn offered(second: i64, links: &[StatedLink<'static>]) -> Frame<'static> {
    let ticks = vec![tick("a", "home", "2.2", 99), tick("b", "away", "2.2", 99)];
    Frame { links: links.to_vec(), coverage: Coverage::default(), ..frame(second, None, event("e"), ticks) }
}

impl World {
    fn offer(&mut self, second: i64, links: &[StatedLink<'static>]) -> Vec<String> {
        words(&self.step(&Input::Frame(offered(second, links))).1)
    }

    /// The links of the one entry's legs.
    fn links(&self) -> Vec<&str> {
        let legs = self.board.values().flat_map(|entry| &entry.legs);
        legs.map(|leg| leg.link.as_deref().unwrap_or_default()).collect()
    }
}

#[test]
fn a_link_is_that_of_the_source_else_of_the_table() {
    let mut world = world();
    world.offer(100, &[]);
    assert_eq!(world.links()[1], "");
    assert!(world.links()[0].starts_with("https://a.example/") && world.links()[0].ends_with("/e?m=h2h"));
    // Nothing of the prices has changed: the entry is written again, and no event is sent.
    let [one, two] = ["https://b.example/1", "https://a.example/own"];
    assert_eq!(world.offer(101, &[stated("b", one), stated("a", two)]), ["refreshed"]);
    assert_eq!(world.links(), [two, one]);
    assert_eq!(world.offer(102, &[]), [""; 0], "a link stays until another one is stated");
    assert_eq!(world.links(), [two, one]);
    assert_eq!(world.offer(103, &[stated("b", "https://b.example/2"), stated("nobody", one)]), ["refreshed"]);
    assert_eq!(world.links(), [two, "https://b.example/2"]);
    assert_eq!(world.offer(104, &[stated("b", "https://b.example/2")]), [""; 0], "the same again");
}

#[test]
fn a_book_without_a_price_loses_its_link() {
    let mut world = world();
    world.offer(100, &[stated("b", "https://b.example/1")]);
    assert_eq!(world.links()[1], "https://b.example/1");
    world.send(110, vec![tick("a", "home", "2.2", 109)]);
    world.send(120, vec![tick("a", "home", "2.2", 119), tick("b", "away", "2.2", 119)]);
    assert_eq!(world.links()[1], "");
}

#[test]
fn what_a_client_pushes_states_no_link() {
    let mut world = world();
    let push = Some(Push { sequence: 1, names_event: true });
    let source = "feed/acme";
    let frame = Frame { source, push, ..offered(100, &[stated("b", "https://b.example/1")]) };
    world.step(&Input::Frame(frame));
    assert_eq!(world.links().len(), 2);
    assert_eq!(world.links()[1], "");
}
