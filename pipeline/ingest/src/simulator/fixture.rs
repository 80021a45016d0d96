//! One match on offer: its story, the desks that watch it, and what the feed has of each book.
//!
//! It advances step by step, independently of polls: a poll only reads. So polls of any cadence see one
//! market.

use arb_schemas::time::Micros;

use super::book::Book;
use super::card::Card;
use super::desk::Desk;
use super::fair::{Fair, Story};
use super::faults::{Fault, Faults};
use super::maths::mix;
use super::model::Model;
use super::schedule::{Life, STEP};

/// So many of the last steps are remembered, for desks that are behind.
const REMEMBERED: u8 = 8;
/// The feed drops what has not been confirmed for so long.
const DROPPED_AFTER: Micros = 900_000_000;

/// A match, its desks and its books.
#[derive(Debug)]
pub(super) struct Fixture {
    pub(super) life: Life,
    /// The last step that is done.
    step: i64,
    story: Story,
    recent: [Fair; REMEMBERED as usize],
    desks: Vec<Desk>,
    shelves: Vec<Shelf>,
}

/// What the feed has of one book.
#[derive(Debug)]
struct Shelf {
    desk: usize,
    faults: Faults,
    /// What is wrong since the last step.
    fault: Fault,
    next_confirmed: Micros,
    card: Option<Card>,
}

impl Fixture {
    pub(super) fn new(life: Life, books: &[Book], model: &Model) -> Self {
        let story = Story::new(&life, model);
        let step = life.listed_at / STEP;
        let mut desks: Vec<Desk> = Vec::new();
        let mut shelves = Vec::with_capacity(books.len());
        for (index, book) in books.iter().enumerate() {
            let desk = desks.iter().position(|desk| desk.operator == book.operator);
            let desk = desk.unwrap_or_else(|| {
                desks.push(Desk::new(book, &life, model));
                desks.len() - 1
            });
            let faults = Faults::new(mix(mix(life.lot, 3), index as u64), step, model);
            shelves.push(Shelf {
                desk,
                faults,
                fault: Fault::None,
                next_confirmed: book.confirms_after(life.listed_at + STEP),
                card: None,
            });
        }
        let recent = [story.fair(&life, life.listed_at); REMEMBERED as usize];
        Self { life, step, story, recent, desks, shelves }
    }

    /// Lets it come to a step.
    pub(super) fn advance(&mut self, until: i64, books: &[Book], model: &Model) {
        while self.step < until {
            self.step += 1;
            self.advance_one(books, model);
        }
    }

    fn advance_one(&mut self, books: &[Book], model: &Model) {
        let (step, at) = (self.step, self.step * STEP);
        // A confirmation within a step confirms the prices before it: so a poll can read them without
        // advancing.
        for (shelf, book) in self.shelves.iter_mut().zip(books) {
            shelf.learn(at, self.life.starts_at, book, &self.desks[shelf.desk]);
        }
        let in_play = at >= self.life.starts_at;
        let kicks_off = in_play && at - STEP < self.life.starts_at;
        let scored = self.story.step(&self.life, at, model);
        self.recent[place(step)] = self.story.fair(&self.life, at);
        for desk in &mut self.desks {
            if kicks_off {
                desk.wake();
            }
            desk.step(step, &self.life, in_play, |ago| self.recent[place(step - ago)], model);
        }
        for (shelf, book) in self.shelves.iter_mut().zip(books) {
            if kicks_off {
                shelf.faults.kick_off(step, book.in_play, model);
            }
            if scored {
                shelf.faults.score(step, model);
            }
            shelf.fault = shelf.faults.at(step, in_play, model);
            if shelf.fault == Fault::Withdrawn {
                shelf.card = None;
            }
        }
    }

    /// Its points at the last step.
    pub(super) fn points(&self) -> [i32; 2] {
        self.story.points()
    }

    /// What the feed has of each book at a time between the last step and the next one.
    pub(super) fn cards<'a>(
        &'a self,
        at: Micros,
        books: &'a [Book],
    ) -> impl Iterator<Item = (&'a Book, Card)> {
        let cards = self.shelves.iter().zip(books).filter_map(move |(shelf, book)| {
            let news = shelf.news(at, self.life.starts_at, book, &self.desks[shelf.desk]);
            Some((book, news.or(shelf.card)?))
        });
        cards.filter(move |(_, card)| at - card.seen_at <= DROPPED_AFTER)
    }
}

/// Where a step is remembered.
fn place(step: i64) -> usize {
    usize::try_from(step.rem_euclid(REMEMBERED.into())).unwrap_or(0)
}

impl Shelf {
    /// What the feed has of the book at a time, if it has learnt anything since the last step.
    fn news(&self, at: Micros, starts_at: Micros, book: &Book, desk: &Desk) -> Option<Card> {
        let seen_at = self.confirmed(at, book)?;
        let keeps = book.keeps[usize::from(seen_at >= starts_at)];
        let card = Card::new(desk.view(), keeps, book.is_exchange, seen_at);
        match self.fault {
            Fault::Withdrawn | Fault::Frozen => None,
            Fault::None => Some(card),
            Fault::WrongSign => Some(card.with_wrong_sign()),
            Fault::NoDraw => Some(card.without_draw()),
        }
    }

    /// The last confirmation up to a time, of those since the last step.
    fn confirmed(&self, at: Micros, book: &Book) -> Option<Micros> {
        let all = std::iter::successors(Some(self.next_confirmed), |last| Some(book.confirms_after(*last)));
        all.take_while(|confirmed| *confirmed <= at).last()
    }

    /// The feed learns it.
    fn learn(&mut self, at: Micros, starts_at: Micros, book: &Book, desk: &Desk) {
        if let Some(confirmed) = self.confirmed(at, book) {
            self.card = self.news(at, starts_at, book, desk).or(self.card);
            self.next_confirmed = book.confirms_after(confirmed);
        }
    }
}
