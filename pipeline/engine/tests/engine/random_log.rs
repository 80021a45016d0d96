//! Random logs of a partition, and an engine that goes through one with commits, aborts and restores.
//!
//! A log has whatever records may be in it: polls that lack frames or repeat them, push messages, heartbeats, records that
//! come late, prices from the future, suspensions, lays, limits, and events that move. It never checks anything.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::effect::Effect;
use arb_engine::input::{
    Coordinate, Coverage, Event, Frame, Heartbeat, Input, PollEnd, Push, StatedLink, Suspension, Tick,
};
use arb_engine::market::{Bet, Limit, Market, Outcome, Policy, Side};
use arb_engine::odds::Price;
use arb_engine::state::Saved;
use arb_engine::venues::{Book, Books, Clauses, DatedFee, Evidence, Fee, Level, VenueKind};
use proptest::prelude::*;

use crate::properties::key;
use crate::world::{LEAGUE, any_size, at};

/// Leagues whose matches go on until there is a winner, the second with draws of regulation, and one whose matches can end level; the third
pub(crate) const EVENTS: [(&str, &str); 3] = [("e", LEAGUE), ("f", "icehockey_other"), ("g", "boxing_x")];
pub(crate) const SOURCES: [&str; 3] = ["feed", "stream", "laggard"];
pub(crate) const BOOKS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// A private source, and its books.
pub(crate) const OWN: &str = "push/own";
pub(crate) const OWN_BOOKS: [&str; 2] = ["own:a", "own:z"];

/// (market, outcome, side, line).
const BETS: [(&str, Outcome, Side, Option<i32>); 10] = [
    ("h2h", Outcome::Home, Side::Back, None),
    ("h2h", Outcome::Away, Side::Back, None),
    ("h2h", Outcome::Draw, Side::Back, None),
    ("h2h", Outcome::Home, Side::Lay, None),
    ("totals", Outcome::Over, Side::Back, Some(2_500)),
    ("totals", Outcome::Under, Side::Back, Some(2_500)),
    ("totals", Outcome::Over, Side::Back, Some(3_000)),
    ("totals", Outcome::Under, Side::Back, Some(3_500)),
    ("spreads", Outcome::Home, Side::Back, Some(-1_500)),
    ("spreads", Outcome::Away, Side::Back, Some(-1_500)),
];
/// Seconds from one record to the next: of one second, of a refresh, of a silence, of a day.
const GAPS: [i64; 10] = [0, 0, 1, 2, 5, 10, 30, 61, 700, 40_000];
/// How many seconds ago a price was confirmed. Of the last it is in the future.
const AGES: [i64; 6] = [0, 1, 3, 40, 2_000, -10];

/// Every bet that a record may name.
pub(crate) fn bets() -> impl Iterator<Item = Bet> {
    BETS.into_iter()
        .map(|(key, outcome, side, line)| Bet::new(Market::parse(key).unwrap(), outcome, side, line).unwrap())
}

/// A book of an operator, with a currency and a commission.
fn book(operator: &str, currency: Option<&str>, ppm: u32) -> Book {
    let fee = DatedFee::always(Fee::Commission { ppm });
    Book {
        operator: Some(operator.into()),
        kind: VenueKind::Bookmaker,
        currency: currency.map(Into::into),
        fees: if ppm > 0 { vec![fee] } else { Vec::new() },
        clauses: Clauses::uniform("us", Level::Impossible),
        refresh: None,
        sizes: any_size(),
        native: None,
        link: None,
        known: true,
        evidence: Evidence::default(),
    }
}

/// All books but `g`: two of one operator, one with a commission, one in another currency, one of no known currency.
pub(crate) fn some_books() -> Arc<Books> {
    let known = [
        ("a", book("x", Some("USD"), 0)),
        ("b", book("y", Some("USD"), 20_000)),
        ("c", book("x", Some("USD"), 0)),
        ("d", book("z", Some("GBP"), 0)),
        ("e", book("e", None, 0)),
        ("f", book("w", Some("USD"), 0)),
    ];
    Arc::new(Books::new(known.map(|(key, book)| (key.into(), book))))
}

fn tick(received_at: i64, raw: (usize, usize, u32, usize, u8)) -> Tick<'static> {
    let (book, bet, price, age, rest) = raw;
    let limit = (rest % 3 == 0).then(|| Limit::from_minor(i64::from(rest) * 500)).flatten();
    let last_seen_at = received_at - at(AGES[age]);
    Tick {
        book: BOOKS[book],
        bet: bets().nth(bet).unwrap(),
        price: Price::from_millionths(i64::from(price) * 10_000).unwrap(),
        odds_format: arb_engine::odds::OddsFormat::Unknown,
        limit,
        suspended: rest % 20 == 7,
        last_seen_at,
        price_moved_at: (rest % 5 == 0).then_some(last_seen_at - 1),
    }
}

/// The link that an offer may state with its price.
fn link(raw: &RawTick) -> Option<StatedLink<'static>> {
    let (book, bet, _, _, rest) = *raw;
    let link = ["https://b.example/1", "https://b.example/2"].get(usize::from(rest % 6))?;
    Some(StatedLink { book: BOOKS[book], market: bets().nth(bet)?.market(), link })
}

/// (book, bet, price in hundredths, age, everything else).
pub(crate) type RawTick = (usize, usize, u32, usize, u8);

fn ticks() -> impl Strategy<Value = Vec<RawTick>> {
    // Most prices are such that two of them are an arb as often as not.
    let price = prop_oneof![170_u32..240, 195_u32..215, 150_u32..900];
    let age = prop_oneof![4 => 0..3_usize, 1 => 0..AGES.len()];
    prop::collection::vec((0..BOOKS.len(), 0..BETS.len(), price, age, 0..40_u8), 0..14)
}

/// One step of a source, before its time is known.
#[derive(Debug, Clone)]
enum Act {
    Beat,
    /// An event, for what it is complete, and its ticks.
    Push(usize, u8, Vec<RawTick>),
    /// Frames, and what is wrong with the poll.
    Poll(Vec<(usize, Vec<RawTick>)>, u8),
    /// An event to which a private source pushes, a sequence, and ticks.
    Own(usize, i64, Vec<RawTick>),
    /// All that it has pushed is withdrawn.
    Withdraw,
    /// A source or a book is shut, or opened.
    Suspend {
        is_book: bool,
        which: usize,
        is_suspended: bool,
    },
}

/// What sources do, a private one among them or not.
fn acts(with_private: bool) -> impl Strategy<Value = Vec<(usize, usize, bool, Act)>> {
    let push = (0..EVENTS.len(), 0..4_u8, ticks())
        .prop_map(|(event, covers, ticks)| Act::Push(event, covers, ticks));
    let frames = prop::collection::vec((0..EVENTS.len(), ticks()), 0..4);
    let poll = (frames, 0..10_u8).prop_map(|(frames, fault)| Act::Poll(frames, fault));
    let own = (0..=EVENTS.len(), 0..20_i64, ticks())
        .prop_map(|(event, sequence, ticks)| Act::Own(event, sequence, ticks));
    let public = prop_oneof![2 => Just(Act::Beat), 3 => push, 3 => poll];
    let suspend = (any::<bool>(), 0..3_usize, any::<bool>())
        .prop_map(|(is_book, which, is_suspended)| Act::Suspend { is_book, which, is_suspended });
    let own = prop_oneof![10 => own, 1 => Just(Act::Withdraw), 3 => suspend];
    let act = if with_private { prop_oneof![3 => public, 1 => own].boxed() } else { public.boxed() };
    let is_late = prop::bool::weighted(0.05);
    prop::collection::vec((0..SOURCES.len(), 0..GAPS.len(), is_late, act), 1..25)
}

fn event(index: usize, second: i64) -> Event<'static> {
    let (id, league) = EVENTS[index];
    let sport = league.split('_').next().unwrap();
    let start = match index {
        0 => 1_000,
        1 => 300_000,
        // It is moved once an hour.
        _ => 5_000 + second / 3_600 * 600,
    };
    Event { id, sport, league, home: "H", away: "A", commence_time: at(start) }
}

fn coverage(covers: u8) -> Coverage<'static> {
    match covers {
        0 => Coverage::default(),
        1 => Coverage { books: Some(BOOKS[..3].to_vec()), markets: None },
        2 => Coverage { books: None, markets: Some(vec![Market::parse("h2h").unwrap()]) },
        _ => Coverage { books: Some(vec![]), markets: Some(vec![]) },
    }
}

fn frame(
    source: &'static str,
    second: i64,
    poll_index: Option<u32>,
    (event_at, covers, raw): (usize, u8, &[RawTick]),
) -> Input<'static> {
    let received_at = at(second);
    Input::Frame(Frame {
        source,
        received_at,
        poll_index,
        event: event(event_at, second),
        coverage: coverage(covers),
        ticks: raw.iter().map(|raw| tick(received_at, *raw)).collect(),
        links: raw.iter().filter_map(link).collect(),
        push: None,
    })
}

/// A push of the private source: to an event of others by its id, and to one that it names itself.
pub(crate) fn own(second: i64, event_at: usize, sequence: i64, raw: &[RawTick]) -> Input<'static> {
    let nameless = |id| Event { id, sport: "", league: "", home: "", away: "", commence_time: 0 };
    let named = Event { id: "own:1", ..event(0, second) };
    let received_at = at(second);
    let ticks = raw.iter().map(|raw| Tick { book: OWN_BOOKS[raw.0 % 2], ..tick(received_at, *raw) });
    Input::Frame(Frame {
        source: OWN,
        received_at,
        poll_index: None,
        event: EVENTS.get(event_at).map_or(named, |(id, _)| nameless(*id)),
        coverage: coverage(3),
        ticks: ticks.collect(),
        links: vec![],
        push: Some(Push { sequence, names_event: event_at == EVENTS.len() }),
    })
}

/// The records of a poll: of ten one lacks a frame, one repeats one, one has no end, and one is of one league alone.
fn poll(
    source: &'static str,
    second: i64,
    frames: &[(usize, Vec<RawTick>)],
    fault: u8,
    log: &mut Vec<Input<'static>>,
) {
    for (index, (event, ticks)) in frames.iter().enumerate() {
        let index = u32::try_from(index).unwrap();
        // What a poll has of an event is all that it has: or nothing, where the frame was too long.
        let covers = if ticks.is_empty() { 3 } else { 0 };
        let frame = frame(source, second, Some(index), (*event, covers, ticks));
        if fault == 1 && index == 0 {
            continue;
        }
        if fault == 2 {
            log.push(frame.clone());
        }
        log.push(frame);
    }
    if fault != 3 {
        log.push(Input::PollEnd(PollEnd {
            source,
            received_at: at(second),
            league: (fault == 4).then_some(LEAGUE),
            coverage: coverage(u8::from(fault == 5)),
            frames: u32::try_from(frames.len()).unwrap(),
        }));
    }
}

/// Forty-five messages, two seconds apart, after which five books are known to confirm their prices that often: a hundred
/// samples and more of each, three a message.
pub(crate) fn punctual_books(until: i64) -> Vec<Input<'static>> {
    let names = |book| [0, 4, 8].map(|bet| (book, bet, 190 + u32::try_from(bet).unwrap(), 0, 1));
    let ticks: Vec<_> = (0..5).flat_map(names).collect();
    (0..45).rev().map(|before| frame(SOURCES[0], until - 2 * before, None, (0, 3, &ticks))).collect()
}

/// A log of a partition; before every second one its books become known.
pub(crate) fn logs() -> impl Strategy<Value = Vec<Input<'static>>> {
    logs_of(acts(false))
}

/// The same with a private source.
pub(crate) fn logs_with_private() -> impl Strategy<Value = Vec<Input<'static>>> {
    logs_of(acts(true))
}

fn logs_of(
    acts: impl Strategy<Value = Vec<(usize, usize, bool, Act)>>,
) -> impl Strategy<Value = Vec<Input<'static>>> {
    (acts, any::<bool>()).prop_map(|(acts, are_known)| {
        let mut second = 500;
        let mut log = if are_known { punctual_books(second) } else { Vec::new() };
        for (source, gap, is_late, act) in acts {
            second += GAPS[gap];
            // One source lags by three seconds; a record that is late is so by far.
            let when = second - if is_late { 120 } else { 0 } - if source == 2 { 3 } else { 0 };
            let name = SOURCES[source];
            match act {
                Act::Beat => log.push(Input::Heartbeat(Heartbeat { source: name, at: at(when) })),
                Act::Push(event, covers, ticks) => log.push(frame(name, when, None, (event, covers, &ticks))),
                Act::Poll(frames, fault) => poll(name, when, &frames, fault, &mut log),
                Act::Own(event, sequence, ticks) => log.push(own(when, event, sequence, &ticks)),
                Act::Suspend { is_book, which, is_suspended } => {
                    let name = if is_book { BOOKS[which] } else { [SOURCES[0], SOURCES[1], OWN][which] };
                    log.push(Input::Suspension(Suspension { name, is_book, is_suspended }));
                }
                Act::Withdraw => {
                    let (received_at, coverage) = (at(when), Coverage::default());
                    let end = PollEnd { source: OWN, received_at, league: None, coverage, frames: 0 };
                    log.push(Input::PollEnd(end));
                }
            }
        }
        log
    })
}

/// What happens after a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The transaction continues.
    None,
    Commit,
    /// The transaction is aborted, and its records are read again.
    Abort,
    /// It is committed, and another engine continues from the changelog.
    Restore,
}

pub(crate) fn cuts() -> impl Strategy<Value = Vec<Cut>> {
    let cut = prop_oneof![
        4 => Just(Cut::None),
        3 => Just(Cut::Commit),
        1 => Just(Cut::Abort),
        1 => Just(Cut::Restore),
    ];
    prop::collection::vec(cut, 160)
}

pub(crate) fn policies() -> impl Strategy<Value = Policy> {
    prop_oneof![1 => Just(Policy::Raw), 3 => Just(Policy::Board)]
}

/// An engine on its way through a log.
pub(crate) struct Run {
    pub(crate) engine: Engine,
    /// Of each record.
    pub(crate) effects: Vec<Vec<Effect>>,
    policy: Policy,
    books: Arc<Books>,
    changelog: BTreeMap<String, Saved>,
}

impl Run {
    pub(crate) fn new(policy: Policy, books: &Arc<Books>) -> Self {
        let engine = Engine::with_books(policy, Arc::clone(books));
        let (effects, changelog) = (Vec::new(), BTreeMap::new());
        Self { engine, effects, policy, books: Arc::clone(books), changelog }
    }

    /// Takes in a record at the offset that it has in the log.
    pub(crate) fn step(&mut self, offset: usize, input: &Input<'_>) {
        let mut effects = Vec::new();
        let offset = i64::try_from(offset).unwrap();
        self.engine.step(Coordinate { topic: "odds.ticks.v1", partition: 0, offset }, input, &mut effects);
        self.effects.push(effects);
    }

    pub(crate) fn commit(&mut self) {
        let changes = self.engine.changes();
        self.changelog.extend(changes.into_iter().map(|saved| (key(&saved), saved)));
        self.engine.commit();
    }

    /// Another engine, of what is written down: heads first, the rest backwards, so that names get other numbers.
    pub(crate) fn restore(&mut self) {
        self.engine = Engine::with_books(self.policy, Arc::clone(&self.books));
        let (heads, others): (Vec<_>, Vec<_>) =
            self.changelog.values().rev().partition(|saved| matches!(saved, Saved::Head { .. }));
        for saved in heads.into_iter().chain(others) {
            self.engine.restore(saved.clone()).unwrap();
        }
    }

    /// Steps through a log, each record in a separate transaction.
    pub(crate) fn through(policy: Policy, books: &Arc<Books>, log: &[Input<'_>]) -> Self {
        Self::cut(policy, books, log, &[])
    }

    /// Goes through a log with these cuts; a commit after each record beyond them.
    pub(crate) fn cut(policy: Policy, books: &Arc<Books>, log: &[Input<'_>], cuts: &[Cut]) -> Self {
        let mut run = Self::new(policy, books);
        // Where the open transaction begins.
        let mut from = 0;
        for (offset, input) in log.iter().enumerate() {
            run.step(offset, input);
            match cuts.get(offset).copied().unwrap_or(Cut::Commit) {
                Cut::None => continue,
                Cut::Commit => run.commit(),
                Cut::Abort => {
                    run.engine.abort();
                    run.effects.truncate(from);
                    (from..=offset).for_each(|again| run.step(again, &log[again]));
                    run.commit();
                }
                Cut::Restore => {
                    run.commit();
                    run.restore();
                }
            }
            from = offset + 1;
        }
        run.commit();
        run
    }

    /// All effects, in their order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Effect> {
        self.effects.iter().flatten()
    }
}
