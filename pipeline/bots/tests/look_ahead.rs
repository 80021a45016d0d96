//! No look-ahead, as a property: bots over a recording that ends at any record ask for what they ask for over the whole of it, up to that
//! record. Real recordings are read in place; where they are absent the simulated market alone is played.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arb_bots::watcher::{Asked, BotTask, Settings, Watcher};
use arb_engine::Engine;
use arb_engine::effect::Effect;
use arb_engine::input::Coordinate;
use arb_engine::market::Policy;
use arb_ingest::publish;
use arb_ingest::recording::open;
use arb_ingest::simulator::{Settings as MarketSettings, Simulator};
use arb_ingest::source::{Poll, Source};
use arb_ingest::the_odds_api::OddsFormat;
use arb_model::{Faults, FeedKind};
use arb_picks::bots::Bot;
use arb_process::books;
use arb_process::codec::{as_input, outputs, state};
use arb_schemas::TickRecord;
use arb_schemas::records::{Outcome, StatePartition};
use arb_schemas::time::SECOND;
use arb_schemas::topics::SIGNALS;
use arb_schemas::wire::{decode, encode};

/// Polls that are played of a recording, and of the simulated market.
const POLLS: [usize; 2] = [25, 120];
/// Where a recording is cut: after so many thousandths of its records, which is mostly within a poll.
const CUTS: [usize; 4] = [37, 333, 618, 901];

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

/// The records of a source, as one partition has them.
fn records(source: &mut dyn Source, polls: usize, change: fn(&mut Poll)) -> Vec<TickRecord> {
    let (name, mut faults) = (source.name().to_owned(), Faults::default());
    let polls = std::iter::from_fn(|| source.next_poll(&mut faults).unwrap()).take(polls);
    let changed = polls.map(|mut poll| {
        change(&mut poll);
        poll
    });
    changed.flat_map(|poll| publish::records(&name, poll, 1)).map(|addressed| addressed.record).collect()
}

/// One book pays a quarter more than it would on home sides, which `consensus` waits for.
fn with_outlier(poll: &mut Poll) {
    let offers = poll.events.iter_mut().flat_map(|(_, offers)| offers);
    for offer in offers.filter(|offer| offer.book == "alderbet" && offer.market == "h2h") {
        for tick in offer.ticks.iter_mut().filter(|tick| tick.outcome == Outcome::Home) {
            tick.price = tick.price * 5 / 4;
        }
    }
}

fn simulated() -> Simulator {
    Simulator::new(MarketSettings {
        events: 6,
        short: 6,
        start: 9_000_000 * SECOND,
        every: 30 * SECOND,
        ..MarketSettings::default()
    })
}

fn markets() -> Vec<(String, Vec<TickRecord>)> {
    let recorded = recordings().into_iter().map(|path| {
        let mut source = open(&path, OddsFormat::American).unwrap();
        (path.file_name().unwrap().to_string_lossy().into_owned(), records(source.as_mut(), POLLS[0], |_| {}))
    });
    recorded
        .chain([
            ("simulated".to_owned(), records(&mut simulated(), POLLS[1], |_| {})),
            ("simulated with an outlier".to_owned(), records(&mut simulated(), POLLS[0], with_outlier)),
        ])
        .collect()
}

/// An engine that writes a changelog as the processor does, and the bots that read it.
struct Player {
    engine: Engine,
    watcher: Watcher,
    next: i64,
}

impl Player {
    fn new() -> Self {
        let books = Arc::new(books::shipped().unwrap());
        let sharp_books = ["pinnacle", "lowvig", "betonlineag", "alderbet"].map(str::to_owned).into();
        let mut watcher = Watcher::new(Settings { feed: FeedKind::Recorded, sharp_books }, 1, &books);
        watcher.state_is_read().unwrap();
        Self { engine: Engine::with_books(Policy::Board, books), watcher, next: 0 }
    }

    /// What the bots ask for after a record.
    fn play(&mut self, record: &TickRecord) -> Vec<BotTask> {
        let mut effects: Vec<Effect> = Vec::new();
        let place = Coordinate { topic: "odds.ticks.v1", partition: 0, offset: self.next };
        self.engine.step(place, &as_input(record, &mut Faults::default()), &mut effects);
        self.next += 1;
        for record in effects.iter().flat_map(|effect| outputs(effect, 0, 3).unwrap()) {
            match record.value {
                _ if record.topic != SIGNALS.name => {}
                Some(value) => self.watcher.put_signal(0, decode(&value).unwrap()),
                None => self.watcher.remove_signal(&String::from_utf8(record.key.unwrap()).unwrap()),
            }
        }
        for change in self.engine.changes().into_iter().filter_map(|saved| state::change(&saved).unwrap()) {
            self.watcher.put_state(0, change.key.as_bytes(), change.value.as_deref()).unwrap();
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
        self.watcher.look()
    }

    /// What they ask for after each record of a recording.
    fn play_all(records: &[TickRecord]) -> Vec<Vec<BotTask>> {
        let mut player = Self::new();
        records.iter().map(|record| player.play(record)).collect()
    }
}

/// Bets by bot.
fn bets(tasks: &[Vec<BotTask>]) -> BTreeMap<&'static str, usize> {
    let mut bets = BTreeMap::new();
    for task in tasks.iter().flatten() {
        if let Asked::Candidate(bot, candidate) = &task.what {
            assert!(candidate.at < candidate.event.commence_time, "before the event");
            *bets.entry(bot.key()).or_default() += 1;
        }
    }
    bets
}

#[test]
fn a_recording_that_is_cut_at_any_record_has_the_same_bets_up_to_there() {
    let mut of_all = BTreeMap::<_, usize>::new();
    for (name, records) in markets() {
        let whole = Player::play_all(&records);
        let found = bets(&whole);
        println!("{name}: {} records, bets {found:?}", records.len());
        for (bot, count) in found {
            *of_all.entry(bot).or_default() += count;
        }
        for cut in CUTS.map(|part| records.len() * part / 1_000) {
            let until = Player::play_all(&records[..cut]);
            assert!(until == whole[..cut], "{name}: other bets when it is cut after {cut} records");
        }
    }
    let silent: Vec<_> =
        Bot::ALL.iter().map(|bot| bot.key()).filter(|bot| !of_all.contains_key(bot)).collect();
    assert!(silent.is_empty(), "of these nothing is shown: {silent:?}; {of_all:?}");
}
