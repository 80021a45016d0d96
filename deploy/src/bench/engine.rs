//! `arb bench engine`: ticks a second of the engine alone, one thread, over polls decoded in memory.
//!
//! What is timed is `step` and `commit`, and nothing else; the stages are timed in rounds of their own, because a
//! clock read twice a market costs time too. Memory is what the allocator holds more after a recording than before.

use std::path::Path;
use std::time::{Duration, Instant};

use arb_engine::catalogue::Policy;
use arb_engine::effect::Effect;
use arb_engine::input::{Coordinate, Input};
use arb_engine::probe::{Probe, Stage};
use arb_engine::{Engine, Size};
use arb_pipeline::faults::Faults;
use arb_pipeline::ingest::publish;
use arb_pipeline::ingest::recording::Recording;
use arb_pipeline::ingest::simulator::{Settings, Simulator};
use arb_pipeline::ingest::source::Source;
use arb_pipeline::ingest::the_odds_api::OddsFormat;
use arb_pipeline::records::TickRecord;
use tikv_jemalloc_ctl::{epoch, stats};

/// Polls of the simulated market.
const SIMULATED: usize = 250;
/// Engines whose memory is measured together.
const ENGINES: usize = 32;
/// Records a transaction: a commit after each is the worst case, the second figure that of a busy processor.
const CUTS: [usize; 2] = [1, 1_000];

pub(super) fn run(recording: Option<&Path>, rounds: u32) -> anyhow::Result<()> {
    let (name, records) = load(recording)?;
    let mut faults = Faults::default();
    let inputs: Vec<_> = records.iter().map(|record| record.as_input(&mut faults)).collect();
    let ticks: usize = inputs.iter().map(ticks_of).sum();
    println!("{name}: {} records, {ticks} ticks, {rounds} rounds, one thread", inputs.len());
    let (bytes, size) = memory(&inputs)?;
    println!("\n{:<26}{:>14}{:>12}{:>14}", "", "ticks/s", "ns a tick", "records/s");
    for cut in CUTS {
        let times = (0..rounds).map(|_| time(&inputs, cut, &mut ()));
        let best = times.min().unwrap_or_default();
        let per_second = |count: usize| count as f64 / best.as_secs_f64();
        let label = format!("a commit each {cut} records");
        let ns = best.as_nanos() as f64 / ticks as f64;
        println!("{label:<26}{:>14.0}{ns:>12.1}{:>14.0}", per_second(ticks), per_second(inputs.len()));
    }
    println!("\nwhere the time goes, a commit each {} records, clocks included:", CUTS[1]);
    let mut clock = Clock::default();
    time(&inputs, CUTS[1], &mut clock);
    let all: Duration = clock.spent.iter().sum();
    for (stage, spent) in ["read and sort", "merge", "evaluate", "draft and commit"].iter().zip(clock.spent) {
        let share = 100.0 * spent.as_secs_f64() / all.as_secs_f64();
        println!("{stage:<26}{share:>12.1} %{:>12.1}", spent.as_nanos() as f64 / ticks as f64);
    }
    let Size { events, markets, quotes, windows } = size;
    println!("\nstate when largest: {quotes} quotes, {events} events, {markets} markets, {windows} windows");
    println!("memory: {bytes} bytes, {:.0} a quote", bytes as f64 / quotes.max(1) as f64);
    Ok(())
}

/// All records of a recording, as one partition has them.
fn load(recording: Option<&Path>) -> anyhow::Result<(String, Vec<TickRecord>)> {
    let (mut source, polls): (Box<dyn Source>, usize) = match recording {
        Some(path) => (Box::new(Recording::open(path, OddsFormat::American)?), usize::MAX),
        None => (Box::new(Simulator::new(Settings::default())), SIMULATED),
    };
    let (mut records, mut faults) = (Vec::new(), Faults::default());
    let name = source.name().to_owned();
    for _ in 0..polls {
        let Some(poll) = source.next_poll(&mut faults)? else { break };
        records.extend(publish::records(&name, poll, 1).into_iter().map(|addressed| addressed.record));
    }
    Ok((name, records))
}

fn ticks_of(input: &Input<'_>) -> usize {
    match input {
        Input::Frame(frame) => frame.ticks.len(),
        Input::PollEnd(_) | Input::Heartbeat(_) => 0,
    }
}

/// The time of one new engine over all inputs.
fn time(inputs: &[Input<'_>], cut: usize, probe: &mut impl Probe) -> Duration {
    let mut engine = Engine::new(Policy::Board);
    let started = Instant::now();
    step_all(&mut engine, inputs, cut, probe, |_| {});
    started.elapsed()
}

fn step_all(
    engine: &mut Engine,
    inputs: &[Input<'_>],
    cut: usize,
    probe: &mut impl Probe,
    mut each: impl FnMut(&Engine),
) {
    let mut effects: Vec<Effect> = Vec::new();
    for (input, offset) in inputs.iter().zip(0_i64..) {
        let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset };
        effects.clear();
        std::hint::black_box(engine.step_probed(at, input, &mut effects, probe));
        if (usize::try_from(offset).unwrap_or(0) + 1).is_multiple_of(cut) {
            engine.commit();
            each(engine);
        }
    }
}

/// What the state takes where it holds most quotes, and what it holds there: the mean of many engines, because the
/// allocator's counters lag by its thread's cache.
fn memory(inputs: &[Input<'_>]) -> anyhow::Result<(usize, Size)> {
    let until = &inputs[..fullest(inputs)];
    let before = allocated()?;
    let engines: Vec<_> = (0..ENGINES).map(|_| stepped(until, |_, _| {})).collect();
    let taken = allocated()?.saturating_sub(before) / ENGINES;
    Ok((taken, engines[0].size()))
}

/// After how many inputs there are most quotes; looked at now and then.
fn fullest(inputs: &[Input<'_>]) -> usize {
    let mut most = (0, 0);
    stepped(inputs, |inputs, engine| {
        if inputs.is_multiple_of(100) {
            most = most.max((engine.size().quotes, inputs));
        }
    });
    most.1
}

/// An engine after all inputs, a commit each; `each` sees it after every one.
fn stepped(inputs: &[Input<'_>], mut each: impl FnMut(usize, &Engine)) -> Engine {
    let mut engine = Engine::new(Policy::Board);
    let mut count = 0;
    step_all(&mut engine, inputs, 1, &mut (), |engine| {
        count += 1;
        each(count, engine);
    });
    engine
}

fn allocated() -> anyhow::Result<usize> {
    epoch::advance().map_err(|error| anyhow::anyhow!("jemalloc: {error}"))?;
    stats::allocated::read().map_err(|error| anyhow::anyhow!("jemalloc: {error}"))
}

/// Time by stage.
#[derive(Default)]
struct Clock {
    spent: [Duration; 4],
    now: Option<(Stage, Instant)>,
}

impl Probe for Clock {
    fn enter(&mut self, stage: Stage) {
        let at = Instant::now();
        if let Some((stage, since)) = self.now.replace((stage, at)) {
            let index = match stage {
                Stage::Read => 0,
                Stage::Merge => 1,
                Stage::Evaluate => 2,
                Stage::Idle => 3,
            };
            self.spent[index] += at - since;
        }
    }
}
