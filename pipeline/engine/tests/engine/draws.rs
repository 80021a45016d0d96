//! A draw does not go away, and regulation is not overtime.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_engine::effect::{BoardEntry, Effect, Leg};
use arb_engine::input::{Coverage, Event, Input, PollEnd, Tick};
use arb_engine::market::{Bet, Market, Outcome, Policy, Side};
use arb_engine::state::Saved;
use arb_engine::venues::{Book, Books, Clause, Clauses, EXTRA_TIME_COUNTS, Evidence, Level, Topic};
use arb_engine::{Engine, UserBooks, invariants};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::properties::key;
use crate::world::{World, at, frame, of_league, tick, words};

const REGULAR_TIME: &str = "regular_time";

/// The books of a table, and what each states of extra time and of a level result; of all else they state the same.
const BOOKS: [(&str, Option<&str>, Option<Level>); 8] = [
    ("r1", Some(EXTRA_TIME_COUNTS), Some(Level::Refunded)),
    ("r2", Some(EXTRA_TIME_COUNTS), Some(Level::Refunded)),
    ("l1", Some(EXTRA_TIME_COUNTS), Some(Level::Outcome)),
    ("l2", Some(EXTRA_TIME_COUNTS), Some(Level::Outcome)),
    ("h1", Some(EXTRA_TIME_COUNTS), Some(Level::DeadHeat)),
    ("h2", Some(REGULAR_TIME), Some(Level::DeadHeat)),
    ("u1", Some(EXTRA_TIME_COUNTS), None),
    ("u2", None, Some(Level::Refunded)),
];

fn table() -> Books {
    let of = |(name, periods, level): &(&str, Option<&str>, Option<Level>)| {
        let mut clauses = Clauses::uniform("same", Level::Refunded);
        clauses.0.retain(|clause| ![Topic::Periods, Topic::Level].contains(&clause.topic));
        let stated =
            [periods.map(|value| (Topic::Periods, value)), level.map(|level| (Topic::Level, level.key()))];
        let clause = |(topic, value): (Topic, &str)| Clause {
            topic,
            value: value.into(),
            league: None,
            families: vec![],
            says: "".into(),
            evidence: Evidence::default(),
        };
        clauses.0.extend(stated.into_iter().flatten().map(clause));
        let book = Book { operator: None, clauses, known: true, ..Books::default().get("a").clone() };
        ((*name).into(), book)
    };
    Books::new(BOOKS.iter().map(of))
}

/// A world, and its changelog.
struct Kept {
    world: World,
    saved: BTreeMap<String, Saved>,
}

impl Kept {
    fn new() -> Self {
        let engine = Engine::with_books(Policy::Board, Arc::new(table()));
        Self {
            world: World { engine, commit_each: false, ..World::new(Policy::Board) },
            saved: BTreeMap::new(),
        }
    }

    /// A poll of every league that has the event with these ticks, or has nothing.
    fn poll(&mut self, second: i64, seen: Option<(Event<'_>, Vec<Tick<'_>>)>) -> Vec<Effect> {
        let frames = u32::from(seen.is_some());
        let seen = seen.map(|(event, ticks)| Input::Frame(frame(second, Some(0), event, ticks)));
        let coverage = Coverage::default();
        let end = PollEnd { source: "feed", received_at: at(second), league: None, coverage, frames };
        seen.into_iter().chain([Input::PollEnd(end)]).flat_map(|input| self.step(&input)).collect()
    }

    fn step(&mut self, input: &Input<'_>) -> Vec<Effect> {
        let effects = self.world.step(input).1;
        let changes = self.world.engine.changes().into_iter();
        self.saved.extend(changes.map(|saved| (key(&saved), saved)));
        self.world.engine.commit();
        invariants::check_state(&self.world.engine).unwrap();
        effects
    }

    /// Another one, restored from what was written down.
    fn restored(&self) -> Self {
        let mut other = Self::new();
        let (heads, others): (Vec<_>, Vec<_>) =
            self.saved.values().partition(|saved| matches!(saved, Saved::Head { .. }));
        for saved in heads.into_iter().chain(others) {
            other.world.engine.restore(saved.clone()).unwrap();
        }
        (other.world.offset, other.world.board) = (self.world.offset, self.world.board.clone());
        other.world.signals.clone_from(&self.world.signals);
        other.saved.clone_from(&self.saved);
        invariants::check_state(&other.world.engine).unwrap();
        other
    }

    /// The books that have prices in each market of the event `e`.
    fn markets(&self) -> BTreeSet<String> {
        let quotes = self.world.engine.odds_of("e", None).map_or_else(Vec::new, |(_, quotes)| quotes);
        quotes.iter().map(|quote| format!("{} {}", quote.market.key(), quote.book)).collect()
    }
}

fn of(league: &'static str) -> Event<'static> {
    of_league(league, "e")
}

/// An arb of two outcomes at two books.
fn two(books: [&'static str; 2], seen: i64) -> Vec<Tick<'static>> {
    vec![tick(books[0], "home", "2.1", seen), tick(books[1], "away", "2.2", seen)]
}

fn laid(book: &'static str, outcome: &str, decimal: &str, seen: i64) -> Tick<'static> {
    let back = tick(book, outcome, decimal, seen);
    let bet = Bet::new(back.bet.market(), back.bet.outcome(), Side::Lay, None).unwrap();
    Tick { bet, ..back }
}

/// The coverage of a message that withdraws nothing.
fn nothing() -> Coverage<'static> {
    Coverage { books: Some(vec![]), markets: Some(vec![]) }
}

fn none() -> Vec<String> {
    Vec::new()
}

#[test]
fn two_outcomes_are_covered_only_by_books_that_refund_a_level_result() {
    let opened =
        |league, books| words(&Kept::new().poll(10, Some((of(league), two(books, 9))))) == ["opened"];
    for league in ["handball_x", "boxing_x", "cricket_x", "lacrosse_x", "rugbyunion_x", "mma_x"] {
        for (books, opens) in [
            (["r1", "r2"], true),
            (["h1", "h2"], true),
            (["l1", "l2"], false),
            (["u1", "r1"], false),
            (["nobody", "r1"], false),
        ] {
            assert_eq!(opened(league, books), opens, "{league} {books:?}");
        }
    }
    for books in [["r1", "r2"], ["l1", "l2"], ["u1", "r1"]] {
        assert!(opened("tennis_x", books), "it has no draw");
        assert!(!opened("curling_x", books), "nobody knows");
        assert!(!opened("soccer_x", books), "the draw is sold everywhere");
    }
}

#[test]
fn a_draw_that_is_left_out_stays() {
    let league = "boxing_x";
    let without = |seen| Some((of(league), two(["r1", "r2"], seen)));
    let with = |draw: Tick<'static>, seen| Some((of(league), [two(["r1", "r2"], seen), vec![draw]].concat()));
    for draw in [tick("r1", "draw", "3.1", 9), laid("l1", "draw", "3.1", 9)] {
        let mut world = Kept::new();
        assert_eq!(words(&world.poll(10, with(draw, 9))), none());
        assert_eq!(words(&world.poll(20, without(19))), none(), "it is left out");
        assert_eq!(words(&world.poll(30, None)), none(), "the event is left out");
        assert!(world.markets().is_empty() && world.world.engine.listed_events(None).is_empty());
        assert_eq!(words(&world.poll(40, without(39))), none(), "and comes again");
        // In another engine that was restored, too.
        let mut other = world.restored();
        assert_eq!(words(&other.poll(50, without(49))), none());
        let cover = with(tick("l1", "draw", "30", 59), 59);
        assert_eq!(words(&other.poll(60, cover)), ["opened"], "a cover of three");
    }
    let mut world = Kept::new();
    world.poll(10, with(tick("nobody", "draw", "3.1", 9), 9));
    world.poll(20, without(19));
    assert_eq!(world.world.board.len(), 1, "a book that is not in the table takes nothing away");
}

/// The event is over twelve hours after its start, and what is remembered of it goes with it.
#[test]
fn a_draw_is_forgotten_with_its_event() {
    let mut world = Kept::new();
    let ends = 1_000_000 + 12 * 3_600;
    world.poll(10, Some((of("boxing_x"), vec![tick("r1", "draw", "3.1", 9)])));
    world.poll(20, None);
    for (second, is_kept) in [(ends, true), (ends + 10, false)] {
        world.poll(second, None);
        assert_eq!(world.world.engine.size().events == 1, is_kept);
    }
    assert_eq!(world.restored().world.engine.size().events, 0);
}

#[test]
fn regulation_and_overtime_never_meet() {
    let hockey = || of("icehockey_nhl");
    let overtime = |seen| {
        vec![
            tick("u1", "home", "2.0", seen),
            tick("u1", "away", "1.8", seen),
            laid("l2", "home", "2.1", seen),
        ]
    };
    let regulation = |seen, draw: bool| {
        let sides = ["home", "away"].map(|outcome| tick("r1", outcome, "2.6", seen));
        sides.into_iter().chain(draw.then(|| tick("r1", "draw", "4.3", seen)))
    };
    let poll = |seen, draw| Some((hockey(), regulation(seen, draw).chain(overtime(seen)).collect()));
    let parted = BTreeSet::from(["h2h u1", "h2h l2", "h2h_3_way r1"].map(str::to_owned));
    let mut world = Kept::new();
    assert_eq!(words(&world.poll(10, poll(9, true))), none(), "a back of the one and a lay of the other");
    assert_eq!(world.markets(), parted);
    for second in [20, 30] {
        assert_eq!(words(&world.poll(second, poll(second - 1, false))), none(), "the draw is left out");
        assert_eq!(world.markets(), parted);
    }
    let mut other = world.restored();
    assert_eq!(words(&other.poll(40, poll(39, false))), none());
    assert_eq!(other.markets(), parted);
    // They are withdrawn as prices of a winner are: by what covers `h2h` alone, and by the end of a poll.
    let mut part = frame(50, None, hockey(), overtime(49));
    part.coverage.markets = Some(vec![Market::parse("h2h").unwrap()]);
    other.step(&Input::Frame(part));
    assert_eq!(other.markets(), BTreeSet::from(["h2h u1", "h2h l2"].map(str::to_owned)));
    world.poll(60, None);
    assert!(world.markets().is_empty());
}

#[test]
fn the_first_draw_takes_a_books_prices_out_of_the_winner() {
    let mut world = Kept::new();
    let arb = |seen| vec![tick("r1", "home", "2.6", seen), tick("l1", "away", "1.9", seen)];
    assert_eq!(words(&world.poll(10, Some((of("icehockey_nhl"), arb(9))))), ["opened"]);
    // A message that names the draw alone, and covers nothing.
    let mut part = frame(20, None, of("icehockey_nhl"), vec![tick("r1", "draw", "4.3", 19)]);
    part.coverage = nothing();
    assert_eq!(words(&world.step(&Input::Frame(part))), ["closed withdrawn"]);
    assert_eq!(world.markets(), BTreeSet::from(["h2h l1", "h2h_3_way r1"].map(str::to_owned)));
}

#[test]
fn a_part_of_a_match_is_its_own() {
    let mut world = Kept::new();
    let part = |tick: Tick<'static>| {
        let bet = Bet::new(Market::parse("h2h_p1").unwrap(), tick.bet.outcome(), Side::Back, None).unwrap();
        Tick { bet, ..tick }
    };
    let of_part = |seen| two(["r1", "r2"], seen).into_iter().map(part);
    let draw = part(tick("r1", "draw", "3.1", 9));
    let first = of_part(9).chain([draw]).chain(two(["r1", "r2"], 9)).collect();
    world.poll(10, Some((of("icehockey_nhl"), first)));
    let board: Vec<_> = world.world.board.values().map(|entry| entry.period.to_string()).collect();
    assert_eq!(board, ["full_time"], "a first period can end level, and the match cannot");
    world.poll(20, Some((of("icehockey_nhl"), of_part(19).collect())));
    assert!(world.world.board.is_empty());
}

/// Leads of the home side after regulation and at the end.
type Leads = (i32, i32);

/// The results that a match of a league can have.
fn results(league: &str) -> Vec<Leads> {
    // After a regulation that is level.
    let ends: &[i32] = match league {
        "tennis_x" => &[],
        "icehockey_nhl" => &[-1, 1],
        _ => &[-1, 0, 1],
    };
    [(1, 1), (-1, -1)].into_iter().chain(ends.iter().map(|end| (0, *end))).collect()
}

/// What a leg returns per unit of stake, the least that may be: by what its book states, and whether it has listed a draw.
fn pays(leg: &Leg, lists_draw: bool, league: &str, (regulation, end): Leads) -> f64 {
    let (_, periods, level) = BOOKS.iter().find(|(name, ..)| leg.book == **name).unwrap();
    let of_regulation = [regulation].into();
    let leads: Vec<i32> = match periods {
        _ if lists_draw && league == "icehockey_nhl" => of_regulation,
        Some(EXTRA_TIME_COUNTS) => [end].into(),
        Some(_) => of_regulation,
        None => [regulation, end].into(),
    };
    let levels = match level {
        _ if lists_draw => vec![Level::Outcome],
        Some(level) => vec![*level],
        None => vec![Level::Outcome, Level::Refunded, Level::DeadHeat],
    };
    let price = leg.effective_price.decimal();
    let (is_lay, outcome) = (leg.side.as_str() == "lay", leg.outcome.as_str());
    let ways = leads.iter().flat_map(|lead| levels.iter().map(move |level| (*lead, *level)));
    let paid = ways.map(|(lead, level)| {
        let wins = match outcome {
            "home" => lead > 0,
            "away" => lead < 0,
            _ => lead == 0,
        };
        match level {
            Level::Refunded if lead == 0 && outcome != "draw" => 1.0,
            Level::DeadHeat if lead == 0 && outcome != "draw" => price / 2.0,
            _ if wins != is_lay => price,
            _ => 0.0,
        }
    });
    paid.fold(f64::INFINITY, f64::min)
}

/// The least that a unit of stakes on an entry returns over all results.
fn least(entry: &BoardEntry, drawn: &BTreeSet<&str>, league: &str) -> f64 {
    let returned = |result: Leads| {
        let legs = entry.legs.iter();
        let of_leg = |leg: &Leg| leg.stake_share * pays(leg, drawn.contains(&*leg.book), league, result);
        legs.map(of_leg).sum::<f64>()
    };
    results(league).into_iter().map(returned).fold(f64::INFINITY, f64::min)
}

/// (book, outcome or a lay of it, price).
type RawTick = (usize, usize, usize);

const BETS: [(&str, bool); 6] =
    [("home", false), ("away", false), ("draw", false), ("home", true), ("away", true), ("draw", true)];
const PRICES: [[&str; 4]; 3] =
    [["2.05", "2.15", "2.6", "2.9"], ["3.1", "3.6", "4.5", "6.5"], ["1.7", "1.9", "2.2", "2.6"]];

fn named(&(book, bet, price): &RawTick, seen: i64) -> Tick<'static> {
    let (outcome, is_lay) = BETS[bet];
    let row = if outcome == "draw" { 1 } else { usize::from(is_lay) * 2 };
    let make = if is_lay { laid } else { tick };
    make(BOOKS[book].0, outcome, PRICES[row][price], seen)
}

/// What a source does: a poll with these ticks of the event or without it, or a message that covers nothing.
fn acts() -> impl Strategy<Value = Vec<(u8, Vec<RawTick>)>> {
    let bet = prop_oneof![4 => 0..2_usize, 1 => Just(2_usize), 1 => 3..6_usize];
    let ticks = prop::collection::vec((0..BOOKS.len(), bet, 0..4_usize), 0..20);
    prop::collection::vec((0..6_u8, ticks), 1..10)
}

/// Whatever polls leave out or list: no verified window loses on a result that its sport can have, on the board and on that of a user's
/// books; where a match goes on until there is a winner no book has prices in both markets; and a restored engine says the same.
#[test]
fn no_verified_window_loses_on_a_result_that_its_sport_can_have() {
    const LEAGUES: [&str; 6] =
        ["icehockey_nhl", "handball_x", "boxing_x", "americanfootball_nfl", "curling_x", "tennis_x"];
    let (mut runner, mut verified) = (TestRunner::deterministic(), [0; LEAGUES.len()]);
    for _ in 0..150 {
        let log = acts().new_tree(&mut runner).unwrap().current();
        for (index, league) in LEAGUES.into_iter().enumerate() {
            let mut worlds = [Kept::new(), Kept::new()];
            let mut drawn = BTreeSet::new();
            for (second, (act, raw)) in (10..).step_by(10).zip(&log) {
                let ticks: Vec<_> = raw.iter().map(|raw| named(raw, second - 1)).collect();
                let listed = ticks.iter().filter(|tick| *act > 0 && tick.bet.outcome() == Outcome::Draw);
                drawn.extend(listed.map(|tick| tick.book));
                let said = worlds.each_mut().map(|world| match act {
                    0 => world.poll(second, None),
                    1 => {
                        let mut part = frame(second, None, of(league), ticks.clone());
                        part.coverage = nothing();
                        world.step(&Input::Frame(part))
                    }
                    _ => world.poll(second, Some((of(league), ticks.clone()))),
                });
                assert_eq!(said[0], said[1], "{league}");
                let engine = &worlds[0].world.engine;
                let own = engine.board_of(&UserBooks::default());
                let board: Vec<_> =
                    worlds[0].world.board.values().chain(&own).filter(|entry| entry.verified).collect();
                let held = board.iter().all(|entry| least(entry, &drawn, league) > 1.0 - 1e-9);
                assert!(held, "{league} {log:?} {board:?}");
                verified[index] += board.len();
                let markets = worlds[0].markets();
                let is_in = |market: &str, book: &str| markets.contains(&format!("{market} {book}"));
                let is_in_both = |book: &str| is_in("h2h", book) && is_in("h2h_3_way", book);
                assert!(!BOOKS.iter().any(|(book, ..)| is_in_both(book)), "{league} {markets:?}");
                worlds[1] = worlds[1].restored();
            }
        }
    }
    // Not of nothing.
    assert!(verified.iter().all(|count| *count > 0), "{verified:?}");
}
