//! `arb-bench sink`: the way of a batch from Kafka's bytes into ClickHouse, beside bare posts of the same rows.
//!
//! The alternatives run in turn in one process against one dedicated server, so that other load on the
//! machine affects all. The sink decodes the records, builds the rows, and sends them with the `clickhouse`
//! crate with LZ4 and validation. The bare POST sends bytes that were prepared before, as the server itself
//! wrote them. Reading from Kafka is in neither: `arb-bench pipeline` measures that.

mod crate_insert;
mod ground;
mod input;
mod post;

use std::collections::HashSet;

use arb::cli::{Home, LogFormat};
use arb::local::children::Children;
use arb_runtime::stop::Stop;
use arb_schemas::topics::ODDS_TICKS;
use arb_schemas::view;
use arb_sink::store::Range;
use arb_sink::table::Table;
use ground::ClickHouseGround;
use input::Input;
use post::Post;

use super::Scale;
use super::meter::Watch;
use super::report::{Expected, Measure, Measured, Row};
use super::turns::in_turns;

/// As the table calls it.
pub(super) const PART: &str = "sink";
/// Rows of a batch, how many of them a measurement inserts, and what is expected of the sink's speed.
const SIZES: [(u64, u32, Option<Expected>); 3] = [
    (1_000, 20, None),
    (10_000, 10, Some(Expected::AtLeast(0.7))),
    (100_000, 3, Some(Expected::AtLeast(0.9))),
];

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
            Self::Sink => "the sink",
            Self::Crate => "rows that are there, by the crate",
            Self::Packed => "bare, LZ4",
            Self::Plain => "bare, not compressed",
        }
    }
}

/// What a row took in one measurement.
#[derive(Debug, Clone, Copy)]
struct SinkSample {
    rows_per_second: f64,
    /// Of this process, all threads.
    cpu_micros: f64,
}

pub(super) fn run(home: &Home, scale: Scale, log_format: LogFormat, stop: &Stop) -> anyhow::Result<Measured> {
    let mut children = Children::new(&crate::ROLE, log_format)?;
    let measured = measure(home, scale, &mut children, stop);
    children.stop();
    measured
}

/// Measures every way with every size.
fn measure(home: &Home, scale: Scale, children: &mut Children, stop: &Stop) -> anyhow::Result<Measured> {
    let ground = ClickHouseGround::prepare(&home.home, children, stop)?;
    let mut measured = Measured::default();
    for (batch, inserts, expected) in SIZES {
        let input = Input::of(batch)?;
        let inserts = if scale.is_quick { 1 } else { inserts };
        let mut bench = Bench { ground: &ground, input: &input, inserts, names: 0, bodies: [vec![], vec![]] };
        bench.prepare()?;
        let samples = in_turns(scale.rounds, stop, |which| bench.sample(Way::ALL[which]))?;
        measured.rows.extend(rows(batch, &samples, expected));
    }
    measured.notes.push(NOTE.to_owned());
    Ok(measured)
}

const NOTE: &str = "sink: the baseline is a bare post of RowBinary bodies that the server itself wrote before, compressed; they are \
                    neither made nor compressed while it is measured. The sink's way begins with the records' bytes as Kafka's \
                    client has them: taking them into a batch, decoding them twice (to count, to send), rows, validation, LZ4. \
                    CPU is this process's alone; TCP_NODELAY on all connections; one ClickHouse.";

/// All ways of one size, each beside the compressed bare post of the same round.
fn rows(batch: u64, samples: &[Vec<SinkSample>; 4], expected: Option<Expected>) -> Vec<Row> {
    let [sink, of_crate, packed, plain] = samples;
    let mut rows = Vec::new();
    for (way, samples) in [(Way::Sink, sink), (Way::Crate, of_crate), (Way::Plain, plain)] {
        let of = |what, of: fn(&SinkSample) -> f64| {
            let pairs: Vec<_> = samples.iter().zip(packed).map(|(ours, bare)| (of(ours), of(bare))).collect();
            Row::beside(PART, format!("{batch} rows a batch, {}", way.name()), what, &pairs)
        };
        let speed = of(Measure("throughput", "rows/s"), |sample| sample.rows_per_second);
        rows.push(match expected.filter(|_| way == Way::Sink) {
            Some(expected) => speed.expect(expected),
            None => speed,
        });
        rows.push(of(Measure("CPU a row", "us"), |sample| sample.cpu_micros));
    }
    rows
}

/// One size of batch.
struct Bench<'a> {
    ground: &'a ClickHouseGround,
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

    fn sample(&mut self, way: Way) -> anyhow::Result<SinkSample> {
        self.ground.empty()?;
        // A connection that is there, as it is to a sink that works.
        let mut post = Post::connect(self.ground.address)?;
        let views: Vec<_> = self.input.messages.iter().filter_map(|message| view::frame(message)).collect();
        let rows = crate_insert::rows(ODDS_TICKS.name, "bench", &views);
        let watch = Watch::start();
        for _ in 0..self.inserts {
            match way {
                Way::Sink => self.sink()?,
                Way::Crate => {
                    let token = self.name();
                    self.ground.runtime.block_on(self.ground.crate_insert.insert(&rows, &token))?;
                }
                Way::Packed => self.post(&mut post, true)?,
                Way::Plain => self.post(&mut post, false)?,
            }
        }
        let (wall, cpu) = watch.elapsed();
        let rows = self.input.rows * u64::from(self.inserts);
        self.ground.check(rows)?;
        let rows = rows as f64;
        Ok(SinkSample {
            rows_per_second: rows / wall.as_secs_f64(),
            cpu_micros: cpu.as_secs_f64() * 1e6 / rows,
        })
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
