//! Boards over recordings: those of own books against an engine that received no others, the evidence of each window against its
//! flags, and what is found by the lines that a frame touches against what is found by all.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arb_engine::effect::{BoardEntry, Effect, Verification};
use arb_engine::input::{Coordinate, Input};
use arb_engine::market::{Outcome, Policy};
use arb_engine::state::Saved;
use arb_engine::venues::{Book, Books, DatedFee, Fee};
use arb_engine::{Engine, UserBooks};
use arb_ingest::publish::records;
use arb_ingest::recording::open;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Poll;
use arb_ingest::the_odds_api::OddsFormat;
use arb_model::{Faults, Time};
use arb_process::books::shipped;
use arb_process::codec::as_input;

/// Polls of a recording that are played.
const POLLS: usize = 150;
/// Boards are compared after each of so many.
const EACH: usize = 10;

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/the-odds-api");
    let mut found: Vec<_> =
        std::fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    if found.is_empty() {
        println!("NOTE: {} is absent: only the simulated market is played", folder.display());
    }
    found
}

fn recorded(path: &Path) -> Vec<Poll> {
    let mut source = open(path, OddsFormat::American).unwrap();
    std::iter::from_fn(|| source.next_poll(&mut Faults::default()).unwrap()).take(POLLS).collect()
}

/// With an exchange, limits, and fees.
fn simulated() -> Vec<Poll> {
    let mut market =
        Simulator::new(Settings { events: 12, books: 10, seed: 3, exchange: true, ..Settings::default() });
    (0..i64::try_from(POLLS).unwrap()).map(|poll| market.poll_at(poll * 20_000_000)).collect()
}

/// All that is played: a name, and its polls.
fn markets() -> Vec<(String, Vec<Poll>)> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let recorded = recordings().into_iter().map(|path| (name(&path), recorded(&path)));
    recorded.chain([("simulated".to_owned(), simulated())]).collect()
}

/// An engine, and the board as its effects have it.
struct Played {
    engine: Engine,
    board: BTreeMap<String, BoardEntry>,
    offset: i64,
}

impl Played {
    fn new(books: &Arc<Books>) -> Self {
        let engine = Engine::with_books(Policy::Board, Arc::clone(books));
        Self { engine, board: BTreeMap::new(), offset: 0 }
    }

    fn poll(&mut self, poll: Poll) {
        let mut effects = Vec::new();
        for addressed in records("feed", poll, 1) {
            let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset: self.offset };
            let input = as_input(&addressed.record, &mut Faults::default());
            self.engine.step(at, &input, &mut effects);
            self.offset += 1;
        }
        self.engine.commit();
        for effect in effects {
            match effect {
                Effect::Transition(_, entry, _) | Effect::Refreshed(entry) => {
                    self.board.insert(entry.id.clone(), *entry);
                }
                Effect::Closed(closed) => drop(self.board.remove(&closed.id)),
                _ => {}
            }
        }
    }
}

fn books_of(polls: &[Poll]) -> BTreeSet<String> {
    let offers = polls.iter().flat_map(|poll| &poll.events).flat_map(|(_, offers)| offers);
    offers.map(|offer| offer.book.clone()).collect()
}

/// What a caller may ask for: some books, and commissions of some of them.
fn queries(books: &BTreeSet<String>) -> Vec<UserBooks> {
    let every = |step: usize, from: usize| books.iter().skip(from).step_by(step).cloned();
    let charged = |step, ppm| every(step, 1).map(move |book| (book, ppm)).collect();
    let none = BTreeMap::new();
    [
        (Some(every(2, 0).collect()), none.clone()),
        (Some(every(2, 1).collect()), charged(3, 20_000)),
        (Some(every(3, 0).chain(every(3, 1)).collect()), charged(2, 0)),
        (None, charged(4, 50_000)),
    ]
    .map(|(books, commissions)| UserBooks { books, commissions, ..UserBooks::default() })
    .into()
}

/// The table as a caller's commissions make it.
fn charging(table: &Books, books: &BTreeSet<String>, user: &UserBooks) -> Arc<Books> {
    let keys = table.keys().into_iter().map(str::to_owned).chain(books.iter().cloned());
    let keys: BTreeSet<_> =
        keys.filter(|key| table.get(key).known || user.commissions.contains_key(key)).collect();
    let of = |key: String| {
        let book = table.get(&key).clone();
        let fee = user.commissions.get(&key).map(|ppm| Fee::Commission { ppm: *ppm });
        let fees = fee.map(|fee| vec![DatedFee::always(fee)]);
        (key.into(), Book { fees: fees.unwrap_or_else(|| book.fees.clone()), ..book })
    };
    Arc::new(Books::new(keys.into_iter().map(of)))
}

/// A poll of some books alone.
fn of_books(poll: &Poll, user: &UserBooks) -> Poll {
    let mut poll = poll.clone();
    for (_, offers) in &mut poll.events {
        offers.retain(|offer| user.books.as_ref().is_none_or(|books| books.contains(&offer.book)));
    }
    poll
}

/// What of an entry neither its age nor the evidence of other books decides.
fn summary(entry: &BoardEntry) -> impl PartialEq + std::fmt::Debug + use<> {
    let leg =
        |leg: &arb_model::Leg| (leg.book.to_string(), leg.price.millionths(), leg.stake.map(|stake| stake.0));
    (
        entry.event.id.to_string(),
        format!("{}/{}", entry.market, entry.period),
        entry.line.map(|line| line.0),
        entry.legs.iter().map(leg).collect::<Vec<_>>(),
        entry.margin.to_bits(),
        entry.margin_worst.to_bits(),
    )
}

/// The line of an entry, and the margin of its cheapest cover, whose bets need not be eligible: other books are evidence of that.
fn cheapest(entry: &BoardEntry) -> impl Ord + std::fmt::Debug + use<> {
    let margin = entry.passed_over.as_ref().map_or(entry.margin, |passed| passed.margin);
    (line_of(entry), margin.to_bits())
}

fn line_of(entry: &BoardEntry) -> (String, String, Option<i32>) {
    let line = entry.line.map(|line| line.0);
    (entry.event.id.to_string(), format!("{}/{}", entry.market, entry.period), line)
}

/// The lines whose bets are those of the cheapest cover.
fn lines_of_cheapest(entries: &[BoardEntry]) -> BTreeSet<(String, String, Option<i32>)> {
    entries.iter().filter(|entry| entry.passed_over.is_none()).map(line_of).collect()
}

/// Whether all books of an event leave its market as it is without some of them: a Draw of another book makes it one of three.
fn is_of_one_kind(entry: &BoardEntry, all: &Engine) -> bool {
    let (_, quotes) = all.odds_of(&entry.event.id, None).unwrap();
    let market = entry.market().unwrap();
    let has_draw = quotes.iter().any(|quote| quote.market == market && quote.outcome == Outcome::Draw);
    let is_three_way = entry.legs.iter().any(|leg| leg.outcome.known() == Some(Outcome::Draw));
    !has_draw || is_three_way
}

#[test]
fn a_board_of_own_books_is_that_of_an_engine_that_received_no_others() {
    let table = shipped().unwrap();
    for (name, polls) in markets() {
        let books = books_of(&polls);
        for user in queries(&books) {
            // Commissions of an unknown book make it known to no table: those of known ones alone are compared.
            let user = UserBooks {
                commissions: user.commissions.into_iter().filter(|(book, _)| table.get(book).known).collect(),
                ..user
            };
            let mut all = Played::new(&Arc::new(table.clone()));
            let mut alone = Played::new(&charging(&table, &books, &user));
            let mut compared = 0;
            for (index, poll) in polls.iter().enumerate() {
                alone.poll(of_books(poll, &user));
                all.poll(poll.clone());
                if index % EACH != 0 {
                    continue;
                }
                let found = all.engine.board_of(&user);
                let expected = alone.engine.board_of(&UserBooks::default());
                let both = &lines_of_cheapest(&found) & &lines_of_cheapest(&expected);
                let of = |entries: &[BoardEntry]| {
                    let kept = entries.iter().filter(|entry| is_of_one_kind(entry, &all.engine));
                    let mut cheapest: Vec<_> = kept.clone().map(cheapest).collect();
                    cheapest.sort();
                    let equal = kept.filter(|entry| both.contains(&line_of(entry)));
                    (cheapest, equal.map(summary).collect::<Vec<_>>())
                };
                assert_eq!(of(&found), of(&expected), "{name}, poll {index}, {user:?}");
                compared += found.len();
            }
            println!("{name}: {compared} arbs of {:?} books", user.books.map(|books| books.len()));
        }
    }
}

/// An engine that evaluates all lines of a market with each frame: it does so where the market's head was put back.
struct Whole {
    engine: Engine,
    heads: BTreeMap<String, Saved>,
}

impl Whole {
    fn step(&mut self, at: Coordinate<'_>, input: &Input<'_>, effects: &mut Vec<Effect>) {
        self.engine.step(at, input, effects);
        for saved in self.engine.changes() {
            match &saved {
                Saved::Head { event, market, .. } => {
                    let key = format!("{}/{}", event.id, market.key());
                    self.heads.insert(key, saved);
                }
                Saved::HeadGone { event, market, .. } => {
                    self.heads.remove(&format!("{event}/{}", market.key()));
                }
                _ => {}
            }
        }
        self.engine.commit();
        for head in self.heads.values() {
            self.engine.restore(head.clone()).unwrap();
        }
    }
}

#[test]
fn lines_that_a_frame_does_not_touch_need_no_evaluation() {
    let table = Arc::new(shipped().unwrap());
    for (name, polls) in markets() {
        let [mut touched, whole] = [(); 2].map(|()| Engine::with_books(Policy::Board, Arc::clone(&table)));
        let mut whole = Whole { engine: whole, heads: BTreeMap::new() };
        let (mut offset, mut published) = (0, 0);
        for addressed in polls.into_iter().flat_map(|poll| records("feed", poll, 1)) {
            let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset };
            let input = as_input(&addressed.record, &mut Faults::default());
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            touched.step(at, &input, &mut found);
            touched.commit();
            whole.step(at, &input, &mut expected);
            assert_eq!(found, expected, "{name}, record {offset}");
            (offset, published) = (offset + 1, published + found.len());
        }
        println!("{name}: {offset} records, {published} effects");
    }
}

#[test]
fn the_evidence_of_a_window_is_its_verdict() {
    let table = Arc::new(shipped().unwrap());
    let mut windows = 0;
    for (name, polls) in markets() {
        let (mut all, mut held, mut failed) = (Played::new(&table), 0_u64, 0_u64);
        for poll in polls {
            all.poll(poll);
            for entry in all.board.values() {
                let evidence = all.engine.evidence_of(&entry.event.id, &entry.id).unwrap();
                let holding = evidence.flags.iter().filter(|flag| flag.holds());
                let verification = Verification::of(holding.map(|flag| flag.flag));
                assert_eq!(verification, entry.verification, "{name}: {evidence:?}");
                assert_eq!(evidence.sequence, entry.sequence);
                for (leg, of) in entry.legs.iter().zip(&evidence.legs) {
                    assert_eq!((&*leg.book, leg.last_seen_at), (&*of.book, Time(of.on_offer_until)));
                    assert!(of.on_offer_from <= of.on_offer_until);
                    let is_leg = |quote: &&arb_engine::ListedQuote| {
                        quote.book == of.book && quote.outcome == of.outcome && quote.side == of.side
                    };
                    assert_eq!(evidence.quotes.iter().find(is_leg).unwrap().price, of.price);
                }
                let holds = evidence.flags.iter().filter(|flag| flag.holds()).count() as u64;
                (held, failed) = (held + holds, failed + evidence.flags.len() as u64 - holds);
            }
        }
        println!("{name}: {held} flags held, {failed} did not");
        windows += held;
    }
    assert!(windows > 0, "no market has a window");
}
