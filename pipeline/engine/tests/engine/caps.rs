//! Caps: an event that grows past each of them over many frames, its engine thrown away and restored after every one; and what
//! becomes of a frame that is refused.

use std::collections::BTreeMap;

use arb_engine::caps::{
    EVENT_BOOKS, EVENT_QUOTES, EVIDENCE, FRAME_TICKS, LINE_BOOKS, LINE_MOVES, MARKET_LINES, MARKET_SIGNALS,
    NAME_BYTES,
};
use arb_engine::effect::Effect;
use arb_engine::input::{Coverage, Event, Frame, Heartbeat, Input, PollEnd, Tick};
use arb_engine::market::{Bet, Market, Outcome, Policy, Side};
use arb_engine::odds::Price;
use arb_engine::time::Disposition;
use arb_engine::{Engine, Step};

use crate::properties::{key, restored};
use crate::world::{World, at, event, frame, poll_end, tick, words};

/// Names of books.
fn names(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("book-{index:04}")).collect()
}

/// A price on a total, confirmed at a second.
fn total(book: &str, outcome: Outcome, line: i32, hundredths: i64, second: i64) -> Tick<'_> {
    Tick {
        book,
        bet: Bet::new(Market::parse("totals").unwrap(), outcome, Side::Back, Some(line)).unwrap(),
        price: Price::from_millionths(hundredths * 10_000).unwrap(),
        odds_format: arb_engine::odds::OddsFormat::Unknown,
        limit: None,
        suspended: false,
        last_seen_at: at(second),
        price_moved_at: None,
    }
}

/// A push message that covers nothing but what it names.
fn push(second: i64, ticks: Vec<Tick<'_>>) -> Frame<'_> {
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    Frame { coverage, ..frame(second, None, event("e"), ticks) }
}

/// An engine, and a second one that is restored after every record.
struct Twins {
    straight: World,
    restored: World,
    changelog: BTreeMap<String, arb_engine::state::Saved>,
}

impl Twins {
    fn new() -> Self {
        let [mut straight, mut restored] = [World::of_table(Policy::Board), World::of_table(Policy::Board)];
        (straight.commit_each, restored.commit_each) = (false, false);
        Self { straight, restored, changelog: BTreeMap::new() }
    }

    /// What becomes of a record, which is the same for both.
    fn step(&mut self, input: &Input<'_>) -> (Step, Vec<Effect>) {
        let (step, effects) = self.straight.step(input);
        self.straight.engine.commit();
        let again = self.restored.step(input);
        assert_eq!(again, (step, effects.clone()));
        let changes = self.restored.engine.changes();
        self.changelog.extend(changes.into_iter().map(|saved| (key(&saved), saved)));
        self.restored.engine = restored(Policy::Board, &self.changelog);
        assert_eq!(self.restored.engine.size(), self.straight.engine.size());
        assert_eq!(arb_engine::invariants::check_state(&self.restored.engine), Ok(()));
        (step, effects)
    }

    fn push(&mut self, second: i64, ticks: Vec<Tick<'_>>) -> (Step, Vec<Effect>) {
        self.step(&Input::Frame(push(second, ticks)))
    }

    fn quotes(&self) -> usize {
        self.straight.engine.size().quotes
    }
}

/// Pushes ticks in frames of so many; what was left out of each.
fn grow(twins: &mut Twins, ticks: &[Tick<'_>], each: usize) -> Vec<String> {
    let frames = (10..).zip(ticks.chunks(each));
    frames.map(|(second, ticks)| twins.push(second, ticks.to_vec()).0.left_out.to_string()).collect()
}

#[test]
fn books_on_a_line_are_bounded_in_the_order_of_the_frame() {
    let (mut twins, books) = (Twins::new(), names(300));
    let ticks: Vec<_> = books.iter().map(|book| total(book, Outcome::Over, 2_500, 150, 9)).collect();
    let left_out = "more than 256 books on a line: 44 ticks left out";
    assert_eq!(grow(&mut twins, &ticks, 100), ["", "", left_out]);
    assert_eq!(twins.quotes(), LINE_BOOKS);
    // The other side of a book that is there has room, and so has another line.
    let more = vec![
        total(&books[299], Outcome::Over, 3_000, 150, 20),
        total(&books[299], Outcome::Under, 2_500, 150, 20),
        total(&books[255], Outcome::Under, 2_500, 150, 20),
    ];
    let (step, _) = twins.push(20, more);
    assert_eq!(step.left_out.to_string(), "more than 256 books on a line: 1 ticks left out");
    let quote = |book: &str, outcome| {
        let bet = total(book, outcome, 2_500, 150, 0).bet;
        twins.straight.engine.quote("e", &bet, book).is_some()
    };
    assert!(quote(&books[255], Outcome::Under) && !quote(&books[299], Outcome::Under));
    assert_eq!(step.disposition, Disposition::Applied);
}

fn on_line(books: &[String], second: i64) -> Vec<Tick<'_>> {
    books.iter().map(|book| total(book, Outcome::Over, 2_500, 150, second)).collect()
}

#[test]
fn withdrawn_quotes_make_room() {
    let (mut twins, books) = (Twins::new(), names(400));
    twins.push(10, on_line(&books[..256], 9));
    let all = frame(20, None, event("e"), on_line(&books[144..], 19));
    let (step, _) = twins.step(&Input::Frame(all));
    assert!(step.left_out.is_empty(), "{}", step.left_out);
    assert_eq!(twins.quotes(), 256);
}

#[test]
fn lines_of_a_market_are_bounded() {
    let mut twins = Twins::new();
    let lines = (0..300).map(|line| total("a", Outcome::Over, 500 * line, 150, 9)).collect::<Vec<_>>();
    let left_out = "more than 256 lines in a market: 44 ticks left out";
    assert_eq!(grow(&mut twins, &lines, 100), ["", "", left_out]);
    assert_eq!(twins.quotes(), MARKET_LINES);
}

#[test]
fn books_of_an_event_are_bounded() {
    let (mut twins, books) = (Twins::new(), names(1_100));
    let line = |index: usize| i32::try_from(index / 100).unwrap() * 500;
    let ticks: Vec<_> = books
        .iter()
        .enumerate()
        .map(|(index, book)| total(book, Outcome::Over, line(index), 150, 9))
        .collect();
    let reported = grow(&mut twins, &ticks, 550);
    assert_eq!(reported, ["", "more than 1024 books in an event: 76 ticks left out"]);
    assert_eq!(twins.quotes(), EVENT_BOOKS);
}

#[test]
fn quotes_of_an_event_are_bounded() {
    let (mut twins, books) = (Twins::new(), names(250));
    let on = |line, outcome| books.iter().map(move |book| total(book, outcome, line * 500, 150, 9));
    let lines = (0..41).flat_map(|line| on(line, Outcome::Over).chain(on(line, Outcome::Under)));
    let ticks: Vec<_> = lines.collect();
    let reported = grow(&mut twins, &ticks, 5_000);
    assert_eq!(reported[4], "more than 20000 quotes in an event: 500 ticks left out");
    assert!(reported[..4].iter().all(String::is_empty) && twins.quotes() == EVENT_QUOTES);
}

#[test]
fn moves_of_a_line_are_bounded() {
    let (mut twins, books) = (Twins::new(), names(256));
    let sides = [Outcome::Over, Outcome::Under];
    let at_price = |price: i64| -> Vec<_> {
        let of = |outcome| books.iter().map(move |book| total(book, outcome, 2_500, price, 9));
        sides.into_iter().flat_map(of).collect()
    };
    twins.push(10, at_price(150));
    let frames = LINE_MOVES / 512;
    for index in 0..frames {
        let (step, _) = twins.push(10, at_price(if index % 2 == 0 { 151 } else { 150 }));
        assert!(step.left_out.is_empty(), "frame {index}: {}", step.left_out);
    }
    let (step, _) = twins.push(10, at_price(if frames.is_multiple_of(2) { 151 } else { 150 }));
    let reported = "more than 8192 moves, or movers, on a line: 512 moves left out";
    assert_eq!(step.left_out.to_string(), reported);
    // The prices themselves are taken, and when time has passed there is room again.
    let late = twins.push(300, at_price(150));
    assert!(late.0.left_out.is_empty(), "{}", late.0.left_out);
}

#[test]
fn books_that_moved_and_left_are_bounded() {
    let (mut twins, books) = (Twins::new(), names(768));
    let mut reported = Vec::new();
    for (index, books) in books.chunks(256).enumerate() {
        for (after, price) in [(0, 150), (1, 160)] {
            let second = 10 + 2 * i64::try_from(index).unwrap() + after;
            let ticks = books.iter().map(|book| total(book, Outcome::Over, 2_500, price, second));
            let all = frame(second, None, event("e"), ticks.collect());
            reported.push(twins.step(&Input::Frame(all)).0.left_out.to_string());
        }
    }
    assert!(reported[..5].iter().all(String::is_empty), "{reported:?}");
    assert_eq!(reported[5], "more than 8192 moves, or movers, on a line: 256 moves left out");
}

#[test]
fn signals_of_a_market_are_bounded_and_those_that_are_open_stay() {
    let mut twins = Twins::new();
    let line = |line: i32, second| {
        let at = |book, outcome, price| total(book, outcome, 1_000 * line + 500, price, second);
        let others = |outcome| ["c", "d"].map(|book| at(book, outcome, 180));
        let bets = [at("a", Outcome::Over, 200), at("b", Outcome::Under, 200)];
        bets.into_iter().chain(others(Outcome::Over)).chain(others(Outcome::Under))
    };
    let (step, effects) = twins.push(10, (0..30).flat_map(|at| line(at, 9)).collect());
    assert!(step.left_out.is_empty());
    // 435 pairs of lines, and 30 lines that give everything back.
    assert_eq!(effects.len(), 435 + 30);
    let (step, effects) = twins.push(20, (30..60).flat_map(|at| line(at, 19)).collect());
    assert_eq!(effects.len(), MARKET_SIGNALS - 465);
    let left_out = 60 * 59 / 2 + 60 - MARKET_SIGNALS;
    let reported = format!("more than 1024 signals in a market: {left_out} signals left out");
    assert_eq!(step.left_out.to_string(), reported);
    assert_eq!(twins.straight.signals.len(), MARKET_SIGNALS);
    let (_, effects) = twins.push(30, (60..62).flat_map(|at| line(at, 29)).collect());
    assert!(effects.is_empty() && twins.straight.signals.len() == MARKET_SIGNALS);
}

#[test]
fn evidence_of_a_signal_is_bounded() {
    let (mut twins, books) = (Twins::new(), names(140));
    let sides = [(Outcome::Over, 190), (Outcome::Under, 190)];
    let agree = books.iter().flat_map(|book| sides.map(|(side, price)| total(book, side, 2_500, price, 9)));
    let pays = [total("pays", Outcome::Over, 2_500, 205, 9), total("pays", Outcome::Under, 2_500, 170, 9)];
    let (step, effects) = twins.push(10, agree.chain(pays).collect());
    let evidence = effects.iter().find_map(|effect| match effect {
        Effect::Signal(_, edge) if !edge.evidence.is_empty() => Some(edge.evidence.len()),
        _ => None,
    });
    assert_eq!(evidence, Some(EVIDENCE));
    let reported = "more than 128 quotes of evidence for a signal: 12 quotes left out";
    assert_eq!(step.left_out.to_string(), reported);
}

/// A poll of two events at 10 s, and one at 70 s whose frame of `e` is this one.
fn poll_with(second_frame: &Frame<'_>) -> (Twins, Step, Step, Vec<Effect>) {
    let arb = |second| vec![tick("a", "home", "2.1", second), tick("b", "away", "2.2", second)];
    let mut twins = Twins::new();
    for (index, id) in [(0, "e"), (1, "f")] {
        twins.step(&Input::Frame(frame(10, Some(index), event(id), arb(9))));
    }
    twins.step(&Input::PollEnd(poll_end(10, 2)));
    let (refused, effects) = twins.step(&Input::Frame(second_frame.clone()));
    assert!(words(&effects).is_empty(), "{:?}", words(&effects));
    let (end, effects) = twins.step(&Input::PollEnd(poll_end(70, 1)));
    (twins, refused, end, effects)
}

#[test]
fn a_refused_frame_counts_as_come_and_its_event_as_named() {
    let too_many = vec![tick("a", "home", "2.1", 69); FRAME_TICKS + 1];
    let long = "x".repeat(NAME_BYTES + 1);
    let long_book = vec![Tick { book: &long, ..tick("a", "home", "9", 69) }];
    let nothing = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    for (sent, reported) in [
        (frame(70, Some(0), event("e"), too_many), "more than 10000 ticks in a frame: refused"),
        (frame(70, Some(0), event("e"), long_book), "a name of more than 256 bytes: refused"),
        (
            frame(70, Some(0), Event { home: &long, ..event("e") }, vec![]),
            "a name of more than 256 bytes: refused",
        ),
        // What is published of a frame that is too long for its topic.
        (Frame { coverage: nothing, ..frame(70, Some(0), event("e"), vec![]) }, ""),
    ] {
        let (mut twins, step, end, effects) = poll_with(&sent);
        assert_eq!(step.left_out.to_string(), reported);
        let refused = if reported.is_empty() { Disposition::Applied } else { Disposition::Refused };
        assert_eq!((step.disposition, end.disposition), (refused, Disposition::Applied));
        // Of `f`, which the poll does not name, all is withdrawn; of `e` nothing.
        assert_eq!(words(&effects), ["closed withdrawn"]);
        let board: Vec<_> = twins.straight.board.values().map(|entry| &*entry.event.id).collect();
        assert_eq!((board, twins.quotes()), (vec!["e"], 2));
        // The next poll withdraws it as any.
        let (_, effects) = twins.step(&Input::PollEnd(poll_end(80, 0)));
        assert_eq!((words(&effects), twins.quotes()), (vec!["closed withdrawn".to_owned()], 0));
    }
}

#[test]
fn a_refused_frame_changes_no_price_and_no_span() {
    let long = "x".repeat(NAME_BYTES + 1);
    let refused = vec![Tick { book: &long, ..tick("a", "home", "9", 69) }, tick("a", "home", "3", 69)];
    let (twins, ..) = poll_with(&frame(70, Some(0), event("e"), refused));
    let quote = twins.straight.engine.quote("e", &tick("a", "home", "2", 0).bet, "a").unwrap();
    assert_eq!((quote.price.millionths(), quote.last_seen_at), (2_100_000, at(9)));
}

#[test]
fn a_frame_at_the_cap_is_taken_in() {
    let book = "x".repeat(NAME_BYTES);
    let ticks = vec![Tick { book: &book, ..tick("a", "home", "2.1", 9) }; FRAME_TICKS];
    let (step, _) = Twins::new().push(10, ticks);
    assert_eq!((step.disposition, step.left_out.is_empty()), (Disposition::Applied, true));
}

#[test]
fn a_source_with_too_long_a_name_is_refused() {
    let (long, mut engine) = ("x".repeat(NAME_BYTES + 1), Engine::new(Policy::Board));
    let records = [
        Input::Heartbeat(Heartbeat { source: &long, at: at(9) }),
        Input::PollEnd(PollEnd { source: &long, ..poll_end(10, 0) }),
        Input::Frame(Frame { source: &long, ..push(10, vec![]) }),
    ];
    for record in &records {
        let coordinate = arb_engine::input::Coordinate { topic: "t", partition: 0, offset: 0 };
        let step = engine.step(coordinate, record, &mut Vec::new());
        assert_eq!(step.disposition, Disposition::Refused);
        assert_eq!(step.left_out.to_string(), "a name of more than 256 bytes: refused");
    }
    assert_eq!(engine.changes(), []);
}
