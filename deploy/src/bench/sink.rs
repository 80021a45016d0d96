//! `arb bench sink`: the way of a batch from Kafka's bytes into ClickHouse, beside bare posts of the same rows.
//!
//! What is compared runs in turn in one process against one server of its own, so that whatever else the machine does
//! meets all. The sink's way is decoding the records, making the rows, and sending them by the crate with LZ4 and validation. The
//! bare post sends bytes that were made before, as the server itself wrote them. Reading from Kafka is in neither: `arb bench
//! pipeline` has that. It judges nothing.

mod ground;
mod input;
mod post;

use std::collections::HashSet;
use std::time::Duration;

use arb_pipeline::sink::bare;
use arb_pipeline::sink::store::Range;
use arb_pipeline::sink::table::Table;
use arb_schemas::topics::ODDS_TICKS;
use arb_schemas::view;

use crate::children::Children;
use crate::cli::{BenchSink, Child, LogFormat};
use crate::signals;

use super::pipeline::meter::{Watch, median};
use ground::Ground;
use input::Input;
use post::Post;

/// Rows of a batch, and how many of them a measurement inserts.
const SIZES: [(u64, u32); 3] = [(1_000, 20), (10_000, 10), (100_000, 3)];

/// How rows go to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// As `arb sink` sends them.
    Sink,
    /// Rows that are there, by the crate.
    Crate,
    /// Bytes that are there, compressed.
    Packed,
    /// Bytes that are there, plain.
    Plain,
}

impl Way {
    const ALL: [Self; 4] = [Self::Sink, Self::Crate, Self::Packed, Self::Plain];

    /// As a table names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sink => "the sink: bytes of records to rows",
            Self::Crate => "the crate: rows that are there",
            Self::Packed => "a bare post of RowBinary, LZ4",
            Self::Plain => "a bare post of RowBinary, plain",
        }
    }
}

/// What was measured of one way and size: medians over the rounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figure {
    pub(super) way: Way,
    /// Rows of a batch.
    pub(super) batch: u64,
    pub(super) rows_per_second: f64,
    /// Of this process, all threads.
    pub(super) cpu_micros_per_row: f64,
    /// Rows a second against the compressed bare post of the same round.
    pub(super) to_packed: f64,
}

/// One measurement.
#[derive(Debug, Clone, Copy)]
struct Sample {
    wall: Duration,
    cpu: Duration,
}

pub(super) fn run(config: &BenchSink, log_format: LogFormat) -> anyhow::Result<()> {
    let stop = signals::stop(Child { child: false })?;
    let mut children = Children::new(log_format);
    let figures = measure(config, &mut children, &stop);
    children.stop();
    print(&figures?, config.rounds);
    Ok(())
}

/// Measures every way with every size.
pub(super) fn measure(
    config: &BenchSink,
    children: &mut Children,
    stop: &arb_pipeline::stop::Stop,
) -> anyhow::Result<Vec<Figure>> {
    let ground = Ground::prepare(&config.home.home, children, stop)?;
    let mut figures = Vec::new();
    for (rows, inserts) in SIZES {
        let input = Input::of(rows)?;
        let mut bench = Bench { ground: &ground, input: &input, inserts, names: 0, bodies: [vec![], vec![]] };
        bench.prepare()?;
        let mut samples: [Vec<Sample>; 4] = Default::default();
        for round in 0..config.rounds {
            for turn in 0..Way::ALL.len() {
                // Who goes first changes from round to round.
                let which = (turn + round as usize) % Way::ALL.len();
                samples[which].push(bench.sample(Way::ALL[which])?);
                if stop.is_stopped() {
                    anyhow::bail!("stopped");
                }
            }
        }
        figures.extend(figures_of(&samples, input.rows, inserts));
    }
    Ok(figures)
}

fn figures_of(samples: &[Vec<Sample>; 4], rows: u64, inserts: u32) -> impl Iterator<Item = Figure> {
    let all = (rows * u64::from(inserts)) as f64;
    let packed: Vec<f64> = samples[2].iter().map(|sample| sample.wall.as_secs_f64()).collect();
    Way::ALL.into_iter().zip(samples).map(move |(way, samples)| {
        let of = |value: &dyn Fn(&Sample) -> f64| median(samples.iter().map(value).collect());
        let ratios = samples.iter().zip(&packed).map(|(sample, packed)| packed / sample.wall.as_secs_f64());
        Figure {
            way,
            batch: rows,
            rows_per_second: of(&|sample| all / sample.wall.as_secs_f64()),
            cpu_micros_per_row: of(&|sample| sample.cpu.as_secs_f64() * 1e6 / all),
            to_packed: median(ratios.collect()),
        }
    })
}

/// One size of batch.
struct Bench<'a> {
    ground: &'a Ground,
    input: &'a Input,
    inserts: u32,
    /// No two inserts have the same name, or the server would refuse the second.
    names: u64,
    /// The rows as the server writes them, compressed and plain.
    bodies: [Vec<u8>; 2],
}

impl Bench<'_> {
    /// Lets the sink insert once, and the server write what it got.
    fn prepare(&mut self) -> anyhow::Result<()> {
        self.ground.empty()?;
        self.sink()?;
        self.bodies = [self.ground.body(true)?, self.ground.body(false)?];
        self.ground.empty()
    }

    fn sample(&mut self, way: Way) -> anyhow::Result<Sample> {
        self.ground.empty()?;
        // A connection that is there, as it is to a sink that works.
        let mut post = Post::connect(self.ground.address)?;
        let views: Vec<_> = self.input.messages.iter().filter_map(|message| view::frame(message)).collect();
        let rows = bare::rows(ODDS_TICKS.name, "bench", &views);
        let watch = Watch::start();
        for _ in 0..self.inserts {
            match way {
                Way::Sink => self.sink()?,
                Way::Crate => {
                    let token = self.name();
                    self.ground.runtime.block_on(self.ground.bare.insert(&rows, &token))?;
                }
                Way::Packed => self.post(&mut post, true)?,
                Way::Plain => self.post(&mut post, false)?,
            }
        }
        let (wall, cpu) = watch.elapsed();
        self.ground.check(self.input.rows * u64::from(self.inserts))?;
        Ok(Sample { wall, cpu })
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("bench-{}", self.names)
    }

    /// From the bytes of records on, as they lie in Kafka's client.
    fn sink(&mut self) -> anyhow::Result<()> {
        let batch = self.input.batch();
        let (first, last) = (batch.first(), batch.next() - 1);
        let range = Range { topic: &ODDS_TICKS, topic_id: "bench".to_owned(), partition: 0, first, last };
        let (token, nothing) = (self.name(), HashSet::new());
        let insert = self.ground.store.insert(Table::Ticks, &range, &batch, &token, &nothing);
        Ok(self.ground.runtime.block_on(insert)?)
    }

    fn post(&mut self, post: &mut Post, is_packed: bool) -> anyhow::Result<()> {
        let token = self.name();
        let body = &self.bodies[usize::from(!is_packed)];
        self.ground.insert(post, body, is_packed, &token)
    }
}

fn print(figures: &[Figure], rounds: u32) {
    println!("medians of {rounds} rounds, each way in turn over one ClickHouse; CPU is this process's alone");
    println!("{:<38}{:>10}{:>12}{:>13}{:>14}", "", "rows", "rows/s", "CPU us/row", "to bare, LZ4");
    for Figure { way, batch, rows_per_second, cpu_micros_per_row, to_packed } in figures {
        println!(
            "{:<38}{batch:>10}{rows_per_second:>12.0}{cpu_micros_per_row:>13.3}{to_packed:>14.2}",
            way.name()
        );
    }
    println!(
        "\nthe sink's way begins with the records' bytes as Kafka's client has them: taking them into a batch, decoding them\n\
         twice (to count, to send), rows, validation, LZ4. The bodies of bare posts were written by the server itself\n\
         and are neither made nor compressed while it is measured; TCP_NODELAY on all connections."
    );
}
