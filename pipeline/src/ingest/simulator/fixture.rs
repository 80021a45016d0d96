//! One match on offer: its story, the desks that watch it, and what the feed has of each book.
//!
//! It moves step by step, whoever asks and however often: a poll only looks. So polls of any cadence see one market.

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
const REMEMBERED: usize = 8;
/// The feed drops what has not been confirmed for so long.
const DROPPED_AFTER: Micros = 900_000_000;

/// A match, its desks and its books.
#[derive(Debug)]
pub(super) struct Fixture {
    pub(super) life: Life,
    /// The last step that is done.
    step: i64,
    story: Story,
    recent: [Fair; REMEMBERED],
    desks: Vec<Desk>,
    shelves: Vec<Shelf>,
}

/// What the feed has of one book.
#[derive(Debug)]
struct Shelf {
    desk: usize,
    faults: Faults,
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
                next_confirmed: book.confirms_after(life.listed_at),
                card: None,
            });
        }
        let recent = [story.fair(&life, life.listed_at); REMEMBERED];
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
        let in_play = at >= self.life.starts_at;
        let kicks_off = in_play && at - STEP < self.life.starts_at;
        let scored = self.story.step(&self.life, at, model);
        let place = |step: i64| step.rem_euclid(REMEMBERED as i64).unsigned_abs();
        #[allow(clippy::cast_possible_truncation)] // Below REMEMBERED.
        let place = |step: i64| place(step) as usize;
        self.recent[place(step)] = self.story.fair(&self.life, at);
        for desk in &mut self.desks {
            if kicks_off {
                desk.wake();
            }
            desk.step(step, &self.life, in_play, |ago| self.recent[place(step - ago as i64)], model);
        }
        for (shelf, book) in self.shelves.iter_mut().zip(books) {
            if kicks_off {
                shelf.faults.kick_off(step, book.in_play, model);
            }
            if scored {
                shelf.faults.score(step, model);
            }
            shelf.step(step, in_play, book, &self.desks[shelf.desk], model);
        }
    }

    /// What the feed has of each book at a time.
    pub(super) fn cards(&self, at: Micros) -> impl Iterator<Item = (usize, &Card)> {
        let cards =
            self.shelves.iter().enumerate().filter_map(|(book, shelf)| Some((book, shelf.card.as_ref()?)));
        cards.filter(move |(_, card)| at - card.seen_at <= DROPPED_AFTER)
    }
}

impl Shelf {
    fn step(&mut self, step: i64, in_play: bool, book: &Book, desk: &Desk, model: &Model) {
        let fault = self.faults.at(step, in_play, model);
        if fault == Fault::Withdrawn {
            self.card = None;
        }
        let mut confirmed = None;
        while self.next_confirmed <= step * STEP {
            confirmed = Some(self.next_confirmed);
            self.next_confirmed = book.confirms_after(self.next_confirmed);
        }
        let Some(seen_at) = confirmed else { return };
        let card = Card::new(desk.view(), book.keeps[usize::from(in_play)], seen_at);
        match fault {
            Fault::Withdrawn | Fault::Frozen => {}
            Fault::None => self.card = Some(card),
            Fault::WrongSign => self.card = Some(card.with_wrong_sign()),
            Fault::NoDraw => self.card = Some(card.without_draw()),
        }
    }
}
