//! The bots over a simulated market, fed by an engine that writes a changelog as the processor does.

use arb_engine::Engine;
use arb_engine::effect::Effect;
use arb_engine::input::Coordinate;
use arb_engine::market::Policy;
use arb_ingest::publish;
use arb_ingest::simulator::{Settings as MarketSettings, Simulator};
use arb_ingest::source::Poll;
use arb_model::{Faults, fixtures};
use arb_process::books;
use arb_process::codec::{as_input, outputs, state};
use arb_schemas::records::StatePartition;
use arb_schemas::topics::SIGNALS;
use arb_schemas::wire::{decode, encode};
use arb_settle::machine::CLOSING_WITHIN;
use arb_settle::pick_id;

use super::*;

mod changed;

const BEGIN: Micros = 9_000_000 * SECOND;
const EVERY: Micros = 30 * SECOND;

/// An engine over a simulated market, and the bots that watch it.
struct Market {
    source: Simulator,
    engine: Engine,
    next: i64,
    watcher: Watcher,
}

impl Market {
    fn new() -> Self {
        Self::of(FeedKind::Simulated, 1)
    }

    fn of(feed: FeedKind, seed: u64) -> Self {
        let settings =
            MarketSettings { seed, events: 4, short: 8, every: EVERY, ..MarketSettings::default() };
        let settings_of_bots = Settings { feed, sharp_books: vec!["alderbet".to_owned()] };
        let books = Arc::new(books::shipped().unwrap());
        let watcher = Watcher::new(settings_of_bots, 1, &books);
        let engine = Engine::with_books(Policy::Board, books);
        let mut market = Self { source: Simulator::new(settings), engine, next: 0, watcher };
        market.watcher.state_is_read().unwrap();
        market
    }

    /// A poll, and what the bots ask for after it.
    fn poll(&mut self, at: Micros) -> Vec<BotTask> {
        let poll = self.source.poll_at(at);
        self.receive(poll);
        self.watcher.look()
    }

    /// Takes a poll through the engine, to the bots.
    fn receive(&mut self, poll: Poll) {
        for addressed in publish::records("simulated", poll, 1) {
            let mut effects: Vec<Effect> = Vec::new();
            let place = Coordinate { topic: "odds.ticks.v1", partition: 0, offset: self.next };
            let input = as_input(&addressed.record, &mut Faults::default());
            self.engine.step(place, &input, &mut effects);
            self.next += 1;
            for effect in &effects {
                self.publish(effect);
            }
        }
        self.commit();
    }

    fn publish(&mut self, effect: &Effect) {
        let records = outputs(effect, 0, 3).unwrap();
        for record in records.into_iter().filter(|record| record.topic == SIGNALS.name) {
            match record.value {
                Some(value) => self.watcher.put_signal(0, decode(&value).unwrap()),
                None => self.watcher.remove_signal(&String::from_utf8(record.key.unwrap()).unwrap()),
            }
        }
    }

    /// What the bots ask for at each of so many polls, every 30 s.
    fn polls(&mut self, count: i64) -> Vec<Vec<BotTask>> {
        (0..count).map(|number| self.poll(BEGIN + number * EVERY)).collect()
    }

    fn commit(&mut self) {
        for saved in self.engine.changes() {
            if let Some(change) = state::change(&saved).unwrap() {
                self.watcher.put_state(0, change.key.as_bytes(), change.value.as_deref()).unwrap();
            }
        }
        let (next_offset, sequence) = (self.next, self.engine.sequence());
        let partition = StatePartition {
            next_offset,
            policy: "board".into(),
            sequence,
            epoch: 3,
            ..StatePartition::default()
        };
        self.watcher.put_state(0, b"partition", Some(&encode(&partition).unwrap())).unwrap();
        self.engine.commit();
    }
}

fn candidates(tasks: &[BotTask]) -> Vec<&PickCandidate> {
    let of = |task: &'_ BotTask| matches!(task.what, Asked::Candidate(..));
    tasks
        .iter()
        .filter(|task| of(task))
        .filter_map(
            |task| if let Asked::Candidate(_, candidate) = &task.what { Some(&**candidate) } else { None },
        )
        .collect()
}

fn closings(tasks: &[BotTask]) -> Vec<&PickClosing> {
    tasks
        .iter()
        .filter_map(|task| if let Asked::Closing(closing) = &task.what { Some(closing) } else { None })
        .collect()
}

/// What the settlement machine publishes of a candidate.
fn published(candidate: &PickCandidate) -> Pick {
    let id = pick_id::of(&pick_id::slot(candidate), candidate.at);
    Pick {
        id,
        bot: candidate.bot.clone(),
        version: candidate.version,
        feed: candidate.feed.clone(),
        event: candidate.event.clone(),
        market: candidate.market.clone(),
        period: candidate.period.clone(),
        line: candidate.line,
        outcome: candidate.outcome.clone(),
        book: candidate.book.clone(),
        starts_at: candidate.event.commence_time,
        published_at: candidate.at,
        grades: vec![],
        ..fixtures::pick()
    }
}

#[test]
fn a_bot_bets_once_a_market_before_the_start_and_never_looks_ahead() {
    let whole = Market::new().polls(80);
    let all: Vec<_> = whole.iter().flat_map(|tasks| candidates(tasks)).collect();
    let slots: BTreeSet<_> = all.iter().map(|candidate| pick_id::slot(candidate)).collect();
    assert!(all.len() > 5 && slots.len() == all.len(), "{} candidates", all.len());
    for candidate in &all {
        assert!(candidate.at < candidate.event.commence_time && candidate.feed == FeedKind::Simulated);
        assert!(candidate.probability * candidate.price.decimal() > 1.0);
        assert!((0.0..=0.05).contains(&candidate.stake) && candidate.stake > 0.0);
    }
    for cut in [1, 13, 40] {
        assert_eq!(Market::new().polls(cut)[..], whole[..usize::try_from(cut).unwrap()]);
    }
}

#[test]
fn what_was_asked_for_is_not_asked_again_after_a_restart() {
    let mut market = Market::new();
    let asked: Vec<_> = market.polls(40).into_iter().flatten().collect();
    let picks: Vec<_> = candidates(&asked).into_iter().map(published).collect();
    let mut again = Market::new();
    for pick in picks {
        again.watcher.put_pick(0, pick);
    }
    let repeated = again.polls(40);
    assert!(!asked.is_empty() && repeated.iter().all(|tasks| candidates(tasks).is_empty()));
}

#[test]
fn the_last_price_before_the_start_is_written() {
    let (mut market, mut last, mut picks) = (Market::new(), BTreeMap::new(), vec![]);
    for number in 0..80 {
        let tasks = market.poll(BEGIN + number * EVERY);
        for pick in candidates(&tasks).into_iter().map(published) {
            market.watcher.put_pick(0, pick.clone());
            picks.push(pick);
        }
        for closing in closings(&tasks) {
            let before = last.insert(closing.pick.clone(), closing.last_seen_at);
            assert!(before.is_none_or(|before| before < closing.last_seen_at), "never an older one");
        }
    }
    let begun = picks.iter().filter(|pick| pick.starts_at.0 < BEGIN + 70 * EVERY);
    let (mut count, mut close) = (0, 0);
    for (pick, seen) in begun.filter_map(|pick| Some((pick, last.get(&pick.id)?))) {
        count += 1;
        let left = pick.starts_at.0 - seen.0;
        assert!(0 < left && left <= CLOSING_WITHIN);
        close += usize::from(left <= 3 * EVERY);
    }
    assert!(count > 3 && close == count, "{close} of {count} are of the last minute and a half");
}
