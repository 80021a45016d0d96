//! `arb-bench engine`: ticks a second of the engine alone, one thread, over polls decoded in memory.
//!
//! Only `step` and `commit` are timed; the stages are timed in separate rounds, because reading the clock
//! twice for each market costs time too. Memory is the growth of the allocator's count over a recording.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_engine::effect::Effect;
use arb_engine::input::{Coordinate, Input};
use arb_engine::market::Policy;
use arb_engine::venues::Books;
use arb_engine::{Engine, KnownArbs, Probe, Size, StepStage, UserBooks};
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_ingest::the_odds_api::OddsFormat;
use arb_ingest::{publish, recording};
use arb_model::Faults;
use arb_process::books;
use arb_process::codec::as_input;
use arb_schemas::TickRecord;

use super::Scale;
use super::meter::allocated;
use super::peer_market::{PeerMarket, Shape};
use super::pipeline::STEP;
use super::push_market::{MOVING, PushMarket};
use super::report::{Expected, Measure, Measured, Row};

/// Polls of the simulated market.
const SIMULATED: usize = 250;
/// Engines whose memory is measured together.
const ENGINES: usize = 32;
/// Records a transaction: a commit after each is the worst case, the second figure that of a busy processor.
const CUTS: [usize; 2] = [1, 1_000];

/// Ticks of a push feed.
const PUSHED: i64 = 120_000;
/// Ticks at random prices, as `peers` has them: they fill 60,000 quotes.
const RANDOM: i64 = 240_000;
/// When the first of either comes, in microseconds.
const PUSHES_BEGIN: i64 = 1_800_000_000_000_000;

/// The simulated market's name, and what a tick of its polls should cost at most with a commit each 1,000 records.
const SIMULATOR: &str = "simulated";
const EXPECTED_NS: Expected = Expected::AtMost(250.0);
/// What a quote of the state should take at most.
const EXPECTED_BYTES: Expected = Expected::AtMost(110.0);

/// As the table calls the ticks at random prices.
const PEERS: &str = "ticks of 40 books at random prices";
/// Records between two looks at a board that is watched.
const LOOKS: [usize; 2] = [1, 1_000];

/// As the table calls it.
pub(super) const PART: &str = "engine";
/// Polls of a quick run.
const QUICK: usize = 10;

pub(super) fn run(recording: Option<&Path>, scale: Scale) -> anyhow::Result<Measured> {
    let (name, records) = load(recording, if scale.is_quick { QUICK } else { SIMULATED })?;
    let mut faults = Faults::default();
    let inputs: Vec<_> = records.iter().map(|record| as_input(record, &mut faults)).collect();
    let ticks: usize = inputs.iter().map(ticks_of).sum();
    let books = Arc::new(books::shipped()?);
    let mut rows = costs(&name, &inputs, &books, scale);
    for moving in MOVING {
        let records = pushes(if scale.is_quick { PUSHED / 20 } else { PUSHED }, moving);
        let inputs: Vec<_> = records.iter().map(|record| as_input(record, &mut faults)).collect();
        rows.extend(costs(&format!("pushes, {moving} % of prices moving"), &inputs, &books, scale));
    }
    let records = random_prices(if scale.is_quick { RANDOM / 20 } else { RANDOM })?;
    let inputs_of_peers: Vec<_> = records.iter().map(|record| as_input(record, &mut faults)).collect();
    rows.extend(costs(PEERS, &inputs_of_peers, &books, scale));
    rows.extend(steps(&name, &inputs, &books));
    rows.extend(own_boards(&name, &inputs, &books));
    for (name, inputs) in [(&*name, &inputs), (PEERS, &inputs_of_peers)] {
        // A look after the first needs as many records again.
        let looks = LOOKS.iter().filter(|records| inputs.len() >= 2 * **records);
        rows.extend(looks.flat_map(|records| watched(name, inputs, *records, &books)));
    }
    let (bytes, Size { events, markets, quotes, windows }) = memory(&inputs, &books)?;
    let a_quote = bytes as f64 / quotes.max(1) as f64;
    rows.push(
        Row::alone(PART, name.clone(), Measure("memory a quote", "bytes"), &[a_quote]).expect(EXPECTED_BYTES),
    );
    let note = format!(
        "engine: {name}: {} records, {ticks} ticks; one thread, the shipped table of books; only `step` and `commit` are timed. Stages are timed in a \
         run of their own, clocks included. State when largest: {quotes} quotes, {events} events, {markets} markets, \
         {windows} windows, {bytes} bytes.",
        inputs.len()
    );
    Ok(Measured { rows, notes: vec![note], ..Measured::default() })
}

/// What a tick costs, in all and by stage.
fn costs(name: &str, inputs: &[Input<'_>], books: &Arc<Books>, scale: Scale) -> Vec<Row> {
    let ticks: usize = inputs.iter().map(ticks_of).sum();
    let mut rows = Vec::new();
    for cut in CUTS {
        let rounds: Vec<_> =
            (0..scale.rounds).map(|_| time(inputs, cut, books, &mut ()).as_secs_f64()).collect();
        let case = format!("{name}, a commit each {cut} records");
        let row = |what, of: &dyn Fn(f64) -> f64| {
            Row::alone(PART, case.clone(), what, &rounds.iter().map(|took| of(*took)).collect::<Vec<_>>())
        };
        rows.push(row(Measure("throughput", "ticks/s"), &|took| ticks as f64 / took));
        let expected = (name == SIMULATOR && cut == CUTS[1]).then_some(EXPECTED_NS);
        rows.push(row(Measure("a tick", "ns"), &|took| took * 1e9 / ticks as f64).expect_if(expected));
    }
    rows.extend(stages(name, inputs, books));
    rows
}

/// Where the time goes.
fn stages(name: &str, inputs: &[Input<'_>], books: &Arc<Books>) -> Vec<Row> {
    let ticks: usize = inputs.iter().map(ticks_of).sum();
    let mut clock = Clock::default();
    time(inputs, CUTS[1], books, &mut clock);
    let row = |(stage, spent): (&str, Duration)| {
        let case = format!("{name}, {stage}");
        Row::alone(PART, case, Measure("a tick", "ns"), &[spent.as_nanos() as f64 / ticks as f64])
    };
    StepStage::ALL.map(part).into_iter().zip(clock.spent).map(row).collect()
}

/// A stage as the table calls it.
fn part(stage: StepStage) -> &'static str {
    match stage {
        StepStage::Time => "what time brings",
        StepStage::Read => "read and sort",
        StepStage::Merge => "merge",
        StepStage::Evaluate => "best prices",
        StepStage::Judge => "flags, stakes, lives, entries",
        StepStage::Signals => "signals",
        StepStage::Idle => "draft and commit",
    }
}

/// How long one step takes, with the commit after it.
fn steps(name: &str, inputs: &[Input<'_>], books: &Arc<Books>) -> Vec<Row> {
    let mut engine = engine(books);
    let mut took = Vec::with_capacity(inputs.len());
    let mut began = Instant::now();
    step_all(&mut engine, inputs, 1, &mut (), |_| {
        let now = Instant::now();
        took.push((now - began).as_nanos() as f64 / 1e3);
        began = now;
    });
    took.sort_by(f64::total_cmp);
    let at = |per_cent: usize| took[(took.len() - 1) * per_cent / 100];
    let row = |(what, value)| Row::alone(PART, format!("{name}, a step"), Measure(what, "us"), &[value]);
    [("p50", at(50)), ("p99", at(99)), ("max", at(100))].map(row).into()
}

/// The cost of a board with different books, where there are most quotes, at the books' fees and at a
/// commission.
fn own_boards(name: &str, inputs: &[Input<'_>], books: &Arc<Books>) -> [Row; 2] {
    let engine = stepped(&inputs[..fullest(inputs, books)], books, |_, _| {});
    let half = every_other_book(inputs);
    let commissions = half.iter().map(|book| (book.clone(), 20_000)).collect();
    let own = UserBooks { books: Some(half), ..UserBooks::default() };
    let charged = UserBooks { commissions, ..own.clone() };
    [("their own fees", own), ("a commission", charged)].map(|(at, mine)| {
        let rounds: Vec<_> = (0..ENGINES).map(|_| timed(|| engine.board_of(&mine))).collect();
        let case = format!("{name}, a board of every other book, at {at}");
        Row::alone(PART, case, Measure("a board", "us"), &rounds)
    })
}

fn every_other_book(inputs: &[Input<'_>]) -> BTreeSet<String> {
    let frames = inputs.iter().filter_map(|input| match input {
        Input::Frame(frame) => Some(frame),
        Input::PollEnd(_) | Input::Heartbeat(_) | Input::Suspension(_) => None,
    });
    let all: BTreeSet<_> = frames.flat_map(|frame| &frame.ticks).map(|tick| tick.book.to_owned()).collect();
    all.into_iter().step_by(2).collect()
}

/// The cost of a board that is watched beside that of the whole one, in the same state: after so many records, and where nothing has changed.
fn watched(name: &str, inputs: &[Input<'_>], records: usize, books: &Arc<Books>) -> [Row; 2] {
    let own = UserBooks { books: Some(every_other_book(inputs)), ..UserBooks::default() };
    let (mut known, mut rounds) = (KnownArbs::default(), [Vec::new(), Vec::new()]);
    stepped(inputs, books, |count, engine| {
        let is_among_last = count + records * ENGINES > inputs.len();
        if !is_among_last || !count.is_multiple_of(records) {
            return;
        }
        let whole = timed(|| engine.board_of(&own));
        for rounds in &mut rounds {
            rounds.push((timed(|| engine.board_again(&own, &mut known)), whole));
        }
    });
    // The first look is that of the whole board.
    let row = |case: String, rounds: &[(f64, f64)]| {
        let case = format!("{name}, a board of every other book again, {case}");
        Row::beside(PART, case, Measure("a board", "us"), rounds.get(1..).unwrap_or_default())
    };
    let [changed, same] = &rounds;
    [
        row(format!("after {records} records"), changed),
        row(format!("at once after that of {records} records"), same),
    ]
}

/// Microseconds of some work.
fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let started = Instant::now();
    std::hint::black_box(work());
    started.elapsed().as_nanos() as f64 / 1e3
}

/// One with everything on: the board's rules, and the table of books that ships.
fn engine(books: &Arc<Books>) -> Engine {
    Engine::with_books(Policy::Board, Arc::clone(books))
}

/// All records of a recording, as one partition has them.
pub(super) fn load(recording: Option<&Path>, simulated: usize) -> anyhow::Result<(String, Vec<TickRecord>)> {
    let (mut source, polls): (Box<dyn Source>, usize) = match recording {
        Some(path) => (recording::open(path, OddsFormat::American)?, usize::MAX),
        None => (Box::new(Simulator::new(Settings::default())), simulated),
    };
    let (mut records, mut faults) = (Vec::new(), Faults::default());
    let name = source.name().to_owned();
    for _ in 0..polls {
        let Some(poll) = source.next_poll(&mut faults)? else { break };
        records.extend(publish::records(&name, poll, 1).into_iter().map(|addressed| addressed.record));
    }
    Ok((name, records))
}

/// Ticks of a push feed, one a record, of which so many in a hundred have another price than before.
fn pushes(count: i64, moving: u64) -> Vec<TickRecord> {
    let mut market = PushMarket::new(PUSHES_BEGIN, moving);
    (0..count).map(|number| TickRecord::Frame(market.next(PUSHES_BEGIN + number * STEP))).collect()
}

/// Ticks of the job that is written for other engines.
fn random_prices(count: i64) -> anyhow::Result<Vec<TickRecord>> {
    let mut market = PeerMarket::new(Shape::Paced, PUSHES_BEGIN)?;
    Ok((0..count).map(|number| TickRecord::Frame(market.next(PUSHES_BEGIN + number * STEP))).collect())
}

pub(super) fn ticks_of(input: &Input<'_>) -> usize {
    match input {
        Input::Frame(frame) => frame.ticks.len(),
        Input::PollEnd(_) | Input::Heartbeat(_) | Input::Suspension(_) => 0,
    }
}

/// The time of one new engine over all inputs.
fn time(inputs: &[Input<'_>], cut: usize, books: &Arc<Books>, probe: &mut impl Probe) -> Duration {
    let mut engine = engine(books);
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
fn memory(inputs: &[Input<'_>], books: &Arc<Books>) -> anyhow::Result<(usize, Size)> {
    let until = &inputs[..fullest(inputs, books)];
    let before = allocated()?;
    let engines: Vec<_> = (0..ENGINES).map(|_| stepped(until, books, |_, _| {})).collect();
    let taken = allocated()?.saturating_sub(before) / ENGINES;
    Ok((taken, engines[0].size()))
}

/// After how many inputs there are most quotes; looked at now and then.
fn fullest(inputs: &[Input<'_>], books: &Arc<Books>) -> usize {
    let mut most = (0, 0);
    stepped(inputs, books, |inputs, engine| {
        if inputs.is_multiple_of(100) {
            most = most.max((engine.size().quotes, inputs));
        }
    });
    most.1
}

/// An engine after all inputs, a commit each; `each` sees it after every one.
fn stepped(inputs: &[Input<'_>], books: &Arc<Books>, mut each: impl FnMut(usize, &Engine)) -> Engine {
    let mut engine = engine(books);
    let mut count = 0;
    step_all(&mut engine, inputs, 1, &mut (), |engine| {
        count += 1;
        each(count, engine);
    });
    engine
}

/// Time by stage.
#[derive(Default)]
struct Clock {
    spent: [Duration; StepStage::ALL.len()],
    now: Option<(StepStage, Instant)>,
}

impl Probe for Clock {
    fn enter(&mut self, stage: StepStage) {
        let at = Instant::now();
        if let Some((stage, since)) = self.now.replace((stage, at)) {
            self.spent[stage as usize] += at - since;
        }
    }
}
