//! Settings of the commands that do one thing and end.
//!
//! They decide nothing.

use std::path::PathBuf;

use arb_api::access::plan::Plan;
use arb_pipeline::evaluate::Split;
use arb_schemas::time::Micros;
use clap::{Args, Subcommand, ValueEnum};

use crate::bench::Actor;

use super::{Brokers, Format, Home, Market, seconds, time};

/// What a key may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanName {
    Free,
    Pro,
    Enterprise,
}

impl From<PlanName> for Plan {
    fn from(name: PlanName) -> Self {
        match name {
            PlanName::Free => Self::Free,
            PlanName::Pro => Self::Pro,
            PlanName::Enterprise => Self::Enterprise,
        }
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Topics {
    #[command(subcommand)]
    pub(crate) action: TopicsAction,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum TopicsAction {
    /// Print the catalogue
    List,
    /// Create what is missing
    Create {
        /// Partitions of each, instead of the catalogue's
        #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
        partitions: Option<i32>,
        #[command(flatten)]
        brokers: Brokers,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Dlq {
    #[command(subcommand)]
    pub(crate) action: DlqAction,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum DlqAction {
    /// Print the records that were put aside, with the reason of each
    List {
        /// Also those that have been sent again
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        brokers: Brokers,
    },
    /// Send those that have not been sent again to where they came from, as they came
    Replay {
        /// Only the one of this partition and offset
        #[arg(long, requires = "offset")]
        partition: Option<i32>,
        /// Only the one of this partition and offset
        #[arg(long, requires = "partition")]
        offset: Option<i64>,
        #[command(flatten)]
        brokers: Brokers,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Key {
    /// File of API keys
    #[arg(long, env = "ARB_KEYS", default_value = ".arb/keys.json")]
    pub(crate) keys: PathBuf,
    /// What it is called
    #[arg(long, default_value = "unnamed")]
    pub(crate) name: String,
    /// What it may spend
    #[arg(long, default_value = "free")]
    pub(crate) plan: PlanName,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Evaluate {
    /// Recordings, each with a state of its own
    #[arg(required = true)]
    pub(crate) recordings: Vec<PathBuf>,
    /// Write the raw windows to a file too, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) windows: Option<PathBuf>,
    /// Say what became of edge signals instead, kind by kind, against chance
    #[arg(long, conflicts_with_all = ["windows", "split"])]
    pub(crate) signals: bool,
    /// Say how well lives are foretold of the windows that open after it alone: a date, a time, or a part of each
    /// recording's time, such as 0.5
    #[arg(long, value_name = "DATE|PART")]
    pub(crate) split: Option<Split>,
    /// How the recordings write their prices
    #[arg(long, default_value = "american")]
    pub(crate) odds_format: Format,
    /// File of books (TOML); without one the table that this program ships with
    #[arg(long, env = "ARB_BOOKS_FILE")]
    pub(crate) books_file: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Fit {
    /// Recordings
    #[arg(required = true)]
    pub(crate) recordings: Vec<PathBuf>,
    /// Learn up to here alone: a date, a time, or a part of each recording's time
    #[arg(long, value_name = "DATE|PART", default_value = "0.7")]
    pub(crate) split: Split,
    /// How the recordings write their prices
    #[arg(long, default_value = "american")]
    pub(crate) odds_format: Format,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Synth {
    /// How many polls
    #[arg(long, default_value_t = 500)]
    pub(crate) polls: u64,
    /// Seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Time of the first poll
    #[arg(long, default_value = "2026-01-01T00:00:00Z", value_parser = time)]
    pub(crate) start: Micros,
    /// Seconds between polls
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) every: Micros,
    #[command(flatten)]
    pub(crate) market: Market,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) part: BenchPart,
    /// As little as gives every row of the table; its figures say nothing
    #[arg(long, global = true)]
    pub(crate) quick: bool,
    /// How often speeds and costs are measured; the table shows medians, and the least and the most. Memory, and where
    /// the engine's time goes, are measured once
    #[arg(long, global = true, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Write the table to a file too, in Markdown
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum BenchPart {
    /// All parts, in one table
    All(BenchPipeline),
    /// The engine alone, on one core, over polls decoded in memory
    Engine {
        /// A recording; without it the simulated market
        #[arg(long, value_name = "FILE")]
        recording: Option<PathBuf>,
    },
    /// Batches of rows into a ClickHouse, beside bare posts of the same rows
    Sink(Home),
    /// The whole way from tick to feed over a Kafka, beside a bare client that does the same work
    Pipeline(BenchPipeline),
    /// A request for the board, beside a bare server that answers the same bytes
    Board,
    /// An event on streams, beside a bare server that writes the same bytes
    Sse,
    /// How cost grows, by quotes, books and streams
    Growth,
    /// A process of a measurement's own
    #[command(hide = true)]
    Actor {
        /// Which
        role: Actor,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct BenchPipeline {
    // Never from the environment: what it names there is in use.
    /// Kafka to use, which must have none of our topics; without it one is started and removed again
    #[arg(long)]
    pub(crate) brokers: Option<String>,
    /// Polls of a recording for the engine and the frames; without it the simulated market's
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: Option<PathBuf>,
    /// How many ticks of a push feed are processed for throughput; of polls four times as many
    #[arg(long, default_value_t = 400_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) ticks: u64,
    /// Most records a transaction
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) commit_records: u64,
    /// Ticks a second for latency
    #[arg(long, value_delimiter = ',', default_value = "5000,20000")]
    pub(crate) rates: Vec<u32>,
    /// How long latency is measured at each rate
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seconds: u64,
    #[command(flatten)]
    pub(crate) home: Home,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Clean {
    #[command(flatten)]
    pub(crate) home: Home,
}
