//! A small world to write scenarios in: one source, whole polls, seconds for times.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_engine::effect::{
    AlertScope, BoardEntry, CloseSignal, EdgeSignal, Effect, LineMovement, SignalChange, StaleAlert,
};
use arb_engine::input::{Coordinate, Coverage, Event, Frame, Heartbeat, Input, PollEnd, Tick};
use arb_engine::market::{Bet, Market, Outcome, Policy, Side};
use arb_engine::odds::Price;
use arb_engine::venues::{Book, Books, Clauses, Least, Level, Sizes};
use arb_engine::{Engine, Step, invariants};

pub(crate) const LEAGUE: &str = "baseball_mlb";
pub(crate) const SOURCE: &str = "feed";

/// Seconds as the engine's microseconds.
pub(crate) fn at(seconds: i64) -> i64 {
    seconds * 1_000_000
}

/// Of a venue that takes any whole number of minor units.
pub(crate) fn any_size() -> Sizes {
    Sizes { least: Some(Least { stake: 1, liability: 0, contracts: 0 }), ..Sizes::default() }
}

/// A tick on a winner (`home`), a total (`over 2.5`) or a handicap (`home -1.5`, by the home side's line).
pub(crate) fn tick(book: &'static str, bet: &str, decimal: &str, last_seen: i64) -> Tick<'static> {
    let (outcome, line) = bet.split_once(' ').map_or((bet, None), |(outcome, line)| (outcome, Some(line)));
    let outcome = match outcome {
        "home" => Outcome::Home,
        "draw" => Outcome::Draw,
        "away" => Outcome::Away,
        "over" => Outcome::Over,
        _ => Outcome::Under,
    };
    let key = match (line, outcome) {
        (None, _) => "h2h",
        (_, Outcome::Over | Outcome::Under) => "totals",
        _ => "spreads",
    };
    let line = line.map(|line| i32::try_from(arb_engine::odds::fixed_point(line, 3).unwrap()).unwrap());
    Tick {
        book,
        bet: Bet::new(Market::parse(key).unwrap(), outcome, Side::Back, line).unwrap(),
        price: Price::from_decimal(decimal).unwrap(),
        odds_format: arb_engine::odds::OddsFormat::Unknown,
        limit: None,
        suspended: false,
        last_seen_at: at(last_seen),
        price_moved_at: None,
    }
}

/// A table of books that settle alike, each of an operator of its own: `a` to `f`, and those of tests with other names.
pub(crate) fn table() -> Arc<Books> {
    let clauses = Clauses::uniform("us", Level::Impossible);
    let book =
        Book { operator: None, clauses, sizes: any_size(), known: true, ..Books::default().get("a").clone() };
    let letters = ["a", "b", "c", "d", "e", "f", "pays"].map(str::to_owned).into_iter();
    let numbered = (1..7).map(|number| format!("book-{number}"));
    let names = letters.chain(numbered).chain((0..300).map(|index| format!("book-{index:04}")));
    Arc::new(Books::new(names.map(|name| (name.as_str().into(), book.clone()))))
}

pub(crate) fn event(id: &str) -> Event<'_> {
    Event { id, sport: "baseball", league: LEAGUE, home: "H", away: "A", commence_time: at(1_000_000) }
}

/// An event of another league.
pub(crate) fn of_league<'a>(league: &'a str, id: &'a str) -> Event<'a> {
    Event { sport: league.split('_').next().unwrap(), league, ..event(id) }
}

/// An engine, the offset it has come to, and the board that its effects make.
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) offset: i64,
    pub(crate) board: BTreeMap<String, BoardEntry>,
    pub(crate) signals: BTreeMap<String, EdgeSignal>,
    pub(crate) commit_each: bool,
    /// Before each step an abort of nothing: an engine does not know then what it need not look at.
    pub(crate) looks_at_all: bool,
}

impl World {
    pub(crate) fn new(policy: Policy) -> Self {
        let (engine, board, signals) = (Engine::new(policy), BTreeMap::new(), BTreeMap::new());
        Self { engine, offset: 0, board, signals, commit_each: true, looks_at_all: false }
    }

    /// With the books of a table.
    pub(crate) fn of_table(policy: Policy) -> Self {
        Self { engine: Engine::with_books(policy, table()), ..Self::new(policy) }
    }

    pub(crate) fn step(&mut self, input: &Input<'_>) -> (Step, Vec<Effect>) {
        if self.looks_at_all {
            self.engine.commit();
            self.engine.abort();
        }
        let mut effects = Vec::new();
        let coordinate = Coordinate { topic: "odds.ticks.v1", partition: 0, offset: self.offset };
        let step = self.engine.step(coordinate, input, &mut effects);
        self.offset += 1;
        if self.commit_each {
            self.engine.commit();
            invariants::check_state(&self.engine).unwrap();
        }
        for effect in &effects {
            self.publish(effect);
        }
        (step, effects)
    }

    fn publish(&mut self, effect: &Effect) {
        match effect {
            Effect::Transition(_, entry, _) | Effect::Refreshed(entry) => {
                invariants::check_entry(entry).unwrap();
                self.board.insert(entry.id.clone(), (**entry).clone());
            }
            Effect::Closed(closed) => assert!(self.board.remove(&closed.id).is_some()),
            Effect::Signal(change, edge) => self.signal(*change, edge),
            Effect::LineMovement(_) | Effect::StaleAlert(_) | Effect::Contains { .. } => {}
        }
    }

    /// A signal opens once, changes while it is open, and closes once.
    fn signal(&mut self, change: SignalChange, edge: &EdgeSignal) {
        let was_open = match change {
            SignalChange::Closed(_) => self.signals.remove(&edge.id).is_some(),
            _ => self.signals.insert(edge.id.clone(), edge.clone()).is_some(),
        };
        assert_eq!(was_open, change != SignalChange::Opened, "{edge:?}");
        assert!((0.0..=1.0).contains(&edge.confidence) && !edge.bets.is_empty(), "{edge:?}");
    }

    /// A heartbeat of the source at a second.
    pub(crate) fn beat(&mut self, second: i64) -> Vec<Effect> {
        self.beat_of(SOURCE, second)
    }

    pub(crate) fn beat_of(&mut self, source: &str, second: i64) -> Vec<Effect> {
        self.step(&Input::Heartbeat(Heartbeat { source, at: at(second) })).1
    }

    /// A whole poll of events and their ticks at a second.
    pub(crate) fn poll(&mut self, second: i64, events: &[(Event<'_>, Vec<Tick<'_>>)]) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (index, (event, ticks)) in events.iter().enumerate() {
            let poll_index = Some(u32::try_from(index).unwrap());
            let frame = frame(second, poll_index, *event, ticks.clone());
            effects.extend(self.step(&Input::Frame(frame)).1);
        }
        effects.extend(self.step(&Input::PollEnd(poll_end(second, events.len()))).1);
        effects
    }

    /// A poll of the one event `e`.
    pub(crate) fn send(&mut self, second: i64, ticks: Vec<Tick<'_>>) -> Vec<Effect> {
        self.poll(second, &[(event("e"), ticks)])
    }
}

pub(crate) fn frame<'a>(
    second: i64,
    poll_index: Option<u32>,
    event: Event<'a>,
    ticks: Vec<Tick<'a>>,
) -> Frame<'a> {
    let coverage = Coverage::default();
    Frame {
        source: SOURCE,
        received_at: at(second),
        poll_index,
        event,
        coverage,
        ticks,
        links: vec![],
        push: None,
    }
}

pub(crate) fn poll_end(second: i64, frames: usize) -> PollEnd<'static> {
    PollEnd {
        source: SOURCE,
        received_at: at(second),
        league: Some(LEAGUE),
        coverage: Coverage::default(),
        frames: u32::try_from(frames).unwrap(),
    }
}

/// What happened, in a word each.
pub(crate) fn words(effects: &[Effect]) -> Vec<String> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Transition(change, _, _) => Some(format!("{change:?}").to_lowercase()),
            Effect::Refreshed(_) => Some("refreshed".into()),
            Effect::Closed(closed) => Some(format!("closed {}", closed.reason)),
            Effect::LineMovement(moved) => Some(moved_words(moved)),
            Effect::StaleAlert(alert) => Some(alert_words(alert)),
            // These texts are compared separately.
            Effect::Signal(..) | Effect::Contains { .. } => None,
        })
        .collect()
}

/// What became of signals, in a few words each: what, of what kind, and the first bet.
pub(crate) fn edges(effects: &[Effect]) -> Vec<(String, EdgeSignal)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Signal(change, edge) => {
                let bet = &edge.bets[0];
                let what = format!("{} {} {} {}", change.key(), edge.kind, bet.book, bet.outcome);
                Some((what, (**edge).clone()))
            }
            _ => None,
        })
        .collect()
}

fn moved_words(moved: &LineMovement) -> String {
    let (start, end) = (moved.window_start.0 / at(1), moved.window_end.0 / at(1));
    let what = match (&moved.book, &moved.outcome, moved.line_from) {
        (Some(book), Some(outcome), None) => {
            let [from, to] = [moved.price_from, moved.price_to].map(|price| price.unwrap().decimal());
            format!("{book} {outcome} {from} to {to}")
        }
        (None, None, Some(from)) => format!("main line {} to {}", from.0, moved.line.unwrap().0),
        _ => panic!("{moved:?}"),
    };
    format!("moved {what} in {start}-{end}")
}

fn alert_words(alert: &StaleAlert) -> String {
    if alert.scope == AlertScope::Arb {
        return format!("alert arb {}", alert.book);
    }
    format!("alert {} {}", alert.book, alert.state)
}

/// The only entry among effects.
pub(crate) fn entry(effects: &[Effect]) -> &BoardEntry {
    let mut entries = effects.iter().filter_map(|effect| match effect {
        Effect::Transition(_, entry, _) | Effect::Refreshed(entry) => Some(&**entry),
        _ => None,
    });
    let entry = entries.next().expect("an entry");
    assert!(entries.next().is_none(), "more than one entry");
    entry
}

/// The only close among effects.
pub(crate) fn closed(effects: &[Effect]) -> &CloseSignal {
    let find = |effect: &'_ Effect| matches!(effect, Effect::Closed(_));
    match effects.iter().find(|effect| find(effect)) {
        Some(Effect::Closed(closed)) => closed,
        _ => panic!("nothing closed"),
    }
}
