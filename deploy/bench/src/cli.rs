//! The command line of the benchmarks.
//!
//! It decides nothing.

use std::ffi::OsString;
use std::path::PathBuf;

use arb::cli::{Home, LogFormat};
use clap::{Args, Parser, Subcommand};

use crate::actor::Role;

/// Measures the arbitrage board beside its yardsticks.
#[derive(Debug, Clone, Parser)]
#[command(name = "arb-bench", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) part: Part,
    /// As little as produces every row of the table; its figures have no meaning
    #[arg(long, global = true)]
    pub(crate) quick: bool,
    /// How often speeds and costs are measured; the table shows medians, and the least and the most. Memory, and where
    /// the engine's time goes, are measured once. Without it 5, for the throughput of the pipeline 9
    #[arg(long, global = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: Option<u32>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Write the table to a file too, in Markdown
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// How logs are written
    #[arg(long, global = true, env = "ARB_LOG_FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Part {
    /// All parts, in one table
    All(AllOptions),
    /// The engine alone, on one core, over polls decoded in memory
    Engine {
        /// A recording; without it the simulated market
        #[arg(long, value_name = "FILE")]
        recording: Option<PathBuf>,
    },
    /// Batches of rows into a ClickHouse, beside bare posts of the same rows
    Sink(Home),
    /// The whole way from tick to feed over a Kafka, beside a bare client that does the same work
    Pipeline(PipelineOptions),
    /// Other engines beside ours, where their programs are; in `all` with its `--peers`
    Peers(PeersOptions),
    /// A request for the board, beside a bare server that answers the same bytes
    Board,
    /// An event on streams, beside a bare server that writes the same bytes
    Sse,
    /// How cost grows, by quotes, books and streams
    Growth,
    /// Bytes that a processor writes for a tick, by kind of record
    Changelog,
    /// What it spares to write the state of a processor in cuts, on a Kafka
    Cuts(KafkaOptions),
    /// Taking a partition over, and how long the other partitions pause meanwhile
    Takeover,
    /// Leases of the quota, beside an API without them; sign-ins; the restore and the takeover of an owner of accounts
    Accounts(KafkaOptions),
    /// Webhooks from the feed to receivers, beside a bare client that posts the same bytes
    Webhooks(KafkaOptions),
    /// The looks of all bots beside the engine's step; picks that are published and graded
    Picks {
        /// A recording; without it the simulated market
        #[arg(long, value_name = "FILE")]
        recording: Option<PathBuf>,
    },
    /// Be a role of `arb`, which a measurement runs beside itself
    #[command(hide = true)]
    Arb {
        /// Its command line
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// A process of a measurement's own
    #[command(hide = true)]
    Actor {
        /// Which
        role: Role,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct AllOptions {
    #[command(flatten)]
    pub(crate) pipeline: PipelineOptions,
    /// Measure other engines too: the folder of their programs, built by its script `run`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) peers: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PipelineOptions {
    #[command(flatten)]
    pub(crate) kafka: KafkaOptions,
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
    /// How long latency is measured at each rate, at least; longer where fewer than 5,000 events would come
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seconds: u64,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PeersOptions {
    #[command(flatten)]
    pub(crate) kafka: KafkaOptions,
    /// The folder of the other engines' programs, built by its script `run`
    #[arg(long, env = "ARB_PEERS", value_name = "FOLDER", default_value = "../shared/peers")]
    pub(crate) peers: PathBuf,
}

/// A Kafka to measure on.
#[derive(Debug, Clone, Args)]
pub(crate) struct KafkaOptions {
    // Never from the environment: what it names there is in use.
    /// Kafka to use, which must have none of our topics; without it one is started and removed again
    #[arg(long)]
    pub(crate) brokers: Option<String>,
    #[command(flatten)]
    pub(crate) home: Home,
}
