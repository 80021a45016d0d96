//! `arb-bench picks`: what the looks of all bots cost beside the engine's step over the same polls, how fast picks are published and
//! graded, and arb windows graded.
//!
//! Bots are a process of their own, so their looks delay no tick; the ratio says what they would cost a processor. The log is in memory.
//! It claims nothing about Kafka.

mod windows;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use arb_bots::watcher::{Settings, Watcher};
use arb_engine::Engine;
use arb_engine::effect::Effect;
use arb_engine::input::Coordinate;
use arb_engine::market::Policy;
use arb_engine::venues::Books;
use arb_model::{Event, Faults, FeedKind, Time, fixtures};
use arb_process::books;
use arb_process::codec::{as_input, outputs, state};
use arb_runtime::machine::{InputPlace, Machine, Outbox};
use arb_runtime::stop::Stop;
use arb_schemas::TickRecord;
use arb_schemas::records::{PeriodScore, PickCandidate, ResultReport, StatePartition};
use arb_schemas::time::SECOND;
use arb_schemas::topics::SIGNALS;
use arb_schemas::wire::{decode, encode};
use arb_settle::clauses::Clauses;
use arb_settle::counts::SettleCounts;
use arb_settle::machine::SettleMachine;

use super::Scale;
use super::engine;
use super::report::{Expected, Measure, Measured, Row};
use super::turns::in_turns;

/// As the table calls it.
pub(super) const PART: &str = "picks";
/// Polls of the simulated market; of a quick run.
const POLLS: (usize, usize) = (120, 6);
/// The engine's steps and the bots' looks to the steps alone.
const EXPECTED: Expected = Expected::AtMost(1.10);
/// Picks that are settled; in a quick run.
const PICKS: (usize, usize) = (100_000, 1_000);
/// Picks of an event: one of each bot.
const OF_EVENT: usize = 5;
/// Tasks of a transaction.
const TRANSACTION: usize = 1_000;
/// The time of the first candidate, and the start of every event.
const BEGIN: i64 = 1_782_000_000 * SECOND;
const START: i64 = BEGIN + 3_600 * SECOND;

pub(super) fn run(recording: Option<&Path>, scale: Scale, stop: &Stop) -> anyhow::Result<Measured> {
    let mut rows = looks(recording, scale, stop)?;
    rows.extend(settlement(scale, stop)?);
    rows.extend(windows::windows(scale, stop)?);
    let notes = vec![format!(
        "picks: all bots look once after each poll at the events that it changed; the baseline is `step` and `commit` of the same run. \
         Reading the changelog is a bots' process's own work, and shown beside. Settlement: {OF_EVENT} picks or 50 windows an event, {TRANSACTION} \
         tasks a transaction, records and changelog encoded, over a log in memory."
    )];
    Ok(Measured { rows, notes, ..Measured::default() })
}

/// Where the time of one run over all polls went.
#[derive(Debug, Default, Clone, Copy)]
struct LookTimes {
    engine: Duration,
    changelog: Duration,
    looks: Duration,
    ticks: usize,
}

fn looks(recording: Option<&Path>, scale: Scale, stop: &Stop) -> anyhow::Result<Vec<Row>> {
    let (name, records) = engine::load(recording, if scale.is_quick { POLLS.1 } else { POLLS.0 })?;
    let books = Arc::new(books::shipped()?);
    let [runs] = in_turns(scale.rounds, stop, |_| watched(&records, &books))?;
    let a_tick = |time: Duration, spent: &LookTimes| time.as_nanos() as f64 / spent.ticks.max(1) as f64;
    let pairs: Vec<_> = runs
        .iter()
        .map(|spent| (a_tick(spent.engine + spent.looks, spent), a_tick(spent.engine, spent)))
        .collect();
    let changelog: Vec<_> = runs.iter().map(|spent| a_tick(spent.changelog, spent)).collect();
    Ok(vec![
        Row::beside(PART, format!("{name}, all bots on"), Measure("a tick", "ns"), &pairs).expect(EXPECTED),
        Row::alone(PART, format!("{name}, reading the changelog"), Measure("a tick", "ns"), &changelog),
    ])
}

/// An engine over all records, and bots that look after each poll.
fn watched(records: &[TickRecord], books: &Arc<Books>) -> anyhow::Result<LookTimes> {
    let settings = Settings {
        feed: FeedKind::Simulated,
        sharp_books: vec!["alderbet".to_owned(), "pinnacle".to_owned()],
    };
    let mut watcher = Watcher::new(settings, 1, books);
    watcher.state_is_read()?;
    let mut engine = Engine::with_books(Policy::Board, Arc::clone(books));
    let (mut spent, mut faults) = (LookTimes::default(), Faults::default());
    for (record, offset) in records.iter().zip(0_i64..) {
        let input = as_input(record, &mut faults);
        spent.ticks += engine::ticks_of(&input);
        let mut effects: Vec<Effect> = Vec::new();
        let begun = Instant::now();
        engine.step(Coordinate { topic: "odds.ticks.v1", partition: 0, offset }, &input, &mut effects);
        spent.engine += begun.elapsed();
        let begun = Instant::now();
        take_in(&mut watcher, &engine, &effects, offset)?;
        spent.changelog += begun.elapsed();
        let begun = Instant::now();
        engine.commit();
        spent.engine += begun.elapsed();
        if matches!(record, TickRecord::PollEnd(_)) {
            let begun = Instant::now();
            std::hint::black_box(watcher.look());
            spent.looks += begun.elapsed();
        }
    }
    Ok(spent)
}

/// Writes what the engine has changed, as the processor does, and reads it as the bots do.
fn take_in(watcher: &mut Watcher, engine: &Engine, effects: &[Effect], offset: i64) -> anyhow::Result<()> {
    for effect in effects {
        for record in outputs(effect, 0, 1)?.into_iter().filter(|record| record.topic == SIGNALS.name) {
            match (record.value, record.key) {
                (Some(value), _) => watcher.put_signal(0, decode(&value)?),
                (None, Some(key)) => watcher.remove_signal(&String::from_utf8_lossy(&key)),
                (None, None) => {}
            }
        }
    }
    for saved in engine.changes() {
        if let Some(change) = state::change(&saved)? {
            watcher.put_state(0, change.key.as_bytes(), change.value.as_deref())?;
        }
    }
    let (next_offset, sequence) = (offset + 1, engine.sequence());
    let partition = StatePartition {
        next_offset,
        policy: "board".into(),
        sequence,
        epoch: 1,
        ..StatePartition::default()
    };
    Ok(watcher.put_state(0, b"partition", Some(&encode(&partition)?))?)
}

/// How long picks take to be published, and to be graded, in seconds.
#[derive(Debug, Clone, Copy)]
struct Settled {
    published: f64,
    graded: f64,
}

fn settlement(scale: Scale, stop: &Stop) -> anyhow::Result<Vec<Row>> {
    let count = if scale.is_quick { PICKS.1 } else { PICKS.0 };
    let candidates: Vec<_> = (0..count).map(|number| encode(&candidate(number))).collect::<Result<_, _>>()?;
    let results: Vec<_> =
        (0..count / OF_EVENT).map(|number| encode(&result(number))).collect::<Result<_, _>>()?;
    let [runs] = in_turns(scale.rounds, stop, |_| settled(&candidates, &results))?;
    let case = |what: &str| format!("{count} picks, {what}");
    let row = |what: &str, measure, of: &dyn Fn(&Settled) -> f64| {
        Row::alone(PART, case(what), measure, &runs.iter().map(of).collect::<Vec<_>>())
    };
    let (time, rate) = (Measure("time", "s"), Measure("throughput", "picks/s"));
    Ok(vec![
        row("published", time, &|run| run.published),
        row("published", rate, &|run| count as f64 / run.published),
        row("graded", time, &|run| run.graded),
        row("graded", rate, &|run| count as f64 / run.graded),
    ])
}

fn settled(candidates: &[Vec<u8>], results: &[Vec<u8>]) -> anyhow::Result<Settled> {
    let mut machine = SettleMachine::new(&Clauses::default());
    let mut counts = SettleCounts::default();
    let published = take(&mut machine, candidates, &mut counts)?;
    let graded = take(&mut machine, results, &mut counts)?;
    let (picks, gradings) = (counts.picks, counts.gradings);
    if picks != candidates.len() as u64 || gradings != picks {
        bail!("of {} candidates {picks} were published and {gradings} graded", candidates.len());
    }
    Ok(Settled { published, graded })
}

/// Takes tasks in, in transactions; how long that took.
fn take(machine: &mut SettleMachine, tasks: &[Vec<u8>], counts: &mut SettleCounts) -> anyhow::Result<f64> {
    let mut out = Outbox::default();
    let begun = Instant::now();
    for (transaction, offset) in tasks.chunks(TRANSACTION).zip(0_i64..) {
        for task in transaction {
            let task = SettleMachine::decode(task)?;
            machine.step(InputPlace { partition: 0, offset, epoch: 0 }, &task, &mut out, counts)?;
        }
        machine.changes(|change| {
            std::hint::black_box(&change);
            anyhow::Ok(())
        })?;
        std::hint::black_box(out.outputs());
        machine.apply();
        out.clear();
    }
    Ok(begun.elapsed().as_secs_f64())
}

fn event(number: usize) -> Event {
    Event { id: format!("event{number:06}").as_str().into(), commence_time: Time(START), ..fixtures::event() }
}

fn candidate(number: usize) -> PickCandidate {
    let pick = fixtures::pick();
    PickCandidate {
        bot: format!("bot{}", number % OF_EVENT),
        version: 1,
        feed: FeedKind::Simulated.into(),
        event: event(number / OF_EVENT),
        market: "h2h".into(),
        period: "full_time".into(),
        line: None,
        outcome: if number.is_multiple_of(2) { "home" } else { "away" }.into(),
        draw_refunds: false,
        book: pick.book,
        price: pick.price,
        probability: pick.probability,
        method: pick.method,
        stake: pick.stake,
        reasons: pick.reasons,
        at: Time(BEGIN),
    }
}

fn result(number: usize) -> ResultReport {
    let goals = |divisor: usize| i32::try_from(number / divisor % 4).unwrap_or(0);
    ResultReport {
        event: event(number).id.to_string(),
        status: "finished".to_owned(),
        scores: vec![PeriodScore { period: "full_time".to_owned(), home: goals(1), away: goals(4) }],
        starts_at: None,
        source: "arb-bench".to_owned(),
        at: START + 7_200 * SECOND,
        home: event(number).home.to_string(),
        away: event(number).away.to_string(),
        ended: Some("regulation".to_owned()),
    }
}
