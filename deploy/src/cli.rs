//! The command line: one subcommand a role, one struct of settings each.
//!
//! These structs are the only readers of the environment. They decide nothing.

use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use arb_api::plan::Plan;
use arb_engine::catalogue::Policy;
use arb_pipeline::fail_point::Passage;
use arb_pipeline::ingest::replay::Speed;
use arb_pipeline::ingest::the_odds_api::OddsFormat;
use arb_schemas::time::{Micros, parse_rfc3339};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Finds arbitrage across betting markets, and shows how much of it is real.
#[derive(Debug, Parser)]
#[command(name = "arb", version, propagate_version = true)]
pub(crate) struct Cli {
    /// How logs are written
    #[arg(long, global = true, env = "ARB_LOG_FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl LogFormat {
    /// As the option spells it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start everything: a local Kafka, all roles, and a market to look at
    Up(Up),
    /// Publish what a source says to Kafka
    Ingest(Ingest),
    /// Compute windows from what sources said
    Process(Process),
    /// Serve the board over HTTP
    Serve(Serve),
    /// Run the local Kafka alone
    Kafka(Kafka),
    /// List or create the topics
    Topics(Topics),
    /// List what could not be taken in, or send it again
    Dlq(Dlq),
    /// Make an API key
    Key(Key),
    /// Say what the windows of recordings were, without Kafka
    Evaluate(Evaluate),
    /// Write a recording of the synthetic market
    Synth(Synth),
    /// Measure
    Bench(Bench),
    /// Remove downloads and data
    Clean(Clean),
}

/// Where Kafka is.
#[derive(Debug, Clone, Args)]
pub(crate) struct Brokers {
    /// Kafka's addresses
    #[arg(long = "brokers", env = "KAFKA_BOOTSTRAP_SERVERS", default_value = "127.0.0.1:19092")]
    pub(crate) brokers: String,
}

/// Where downloads and data lie.
#[derive(Debug, Clone, Args)]
pub(crate) struct Home {
    /// Folder of downloads and data
    #[arg(long, env = "ARB_HOME", default_value = ".arb")]
    pub(crate) home: PathBuf,
}

/// A role that is another process's child ends with it.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Child {
    /// End when standard input is closed, as it is when the parent ends
    #[arg(long, hide = true)]
    pub(crate) child: bool,
}

/// What is played.
#[derive(Debug, Clone, Args)]
pub(crate) struct Play {
    /// Play a recording (.jsonl or .jsonl.zst); without it a synthetic market plays
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// How many times as fast as it was, or max [default: 60 for a recording, 1 for the synthetic market]
    #[arg(long, value_name = "N|max")]
    pub(crate) speed: Option<Speed>,
    /// Stop after the last poll up to this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) until: Option<Micros>,
    /// Begin with the first poll after this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) after: Option<Micros>,
    /// How the recording writes its prices
    #[arg(long, default_value = "american")]
    pub(crate) odds_format: Format,
    /// Seed of the synthetic market
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// How prices are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    American,
    Decimal,
}

impl From<Format> for OddsFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::American => Self::American,
            Format::Decimal => Self::Decimal,
        }
    }
}

/// By which rules windows are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rules {
    /// What a person can bet on
    Board,
    /// The plain best-price rule of the evaluation
    Raw,
}

impl Rules {
    /// As the option spells it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Raw => "raw",
        }
    }
}

impl From<Rules> for Policy {
    fn from(rules: Rules) -> Self {
        match rules {
            Rules::Board => Self::Board,
            Rules::Raw => Self::Raw,
        }
    }
}

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
pub(crate) struct Up {
    /// Kafka to use; without it a local one is started
    #[arg(long = "brokers", env = "KAFKA_BOOTSTRAP_SERVERS")]
    pub(crate) brokers: Option<String>,
    /// Port of the local Kafka; the next one is its controller's
    #[arg(long, default_value_t = 19092)]
    pub(crate) kafka_port: u16,
    /// Where the board is served
    #[arg(long, env = "ARB_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// By which rules windows are made
    #[arg(long, default_value = "board")]
    pub(crate) policy: Rules,
    /// Begin with empty topics, not with those of the last run
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Free disk space below which nothing is started, in MiB
    #[arg(long, env = "ARB_MIN_FREE_MIB", default_value_t = 1024)]
    pub(crate) min_free_mib: u64,
    #[command(flatten)]
    pub(crate) play: Play,
    #[command(flatten)]
    pub(crate) home: Home,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Ingest {
    #[command(flatten)]
    pub(crate) play: Play,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    #[command(flatten)]
    pub(crate) child: Child,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Process {
    /// By which rules windows are made
    #[arg(long, default_value = "board")]
    pub(crate) policy: Rules,
    /// Consumer group
    #[arg(long, env = "ARB_GROUP", default_value = "arb-process")]
    pub(crate) group: String,
    /// Slot of this instance: with the group it is its transactional id
    #[arg(long, env = "ARB_SLOT", default_value_t = 0)]
    pub(crate) slot: u32,
    /// Commit after so many records at the latest
    #[arg(long, env = "ARB_COMMIT_RECORDS", default_value_t = 10_000)]
    pub(crate) commit_records: usize,
    /// Commit after so many milliseconds at the latest
    #[arg(long = "commit-interval-ms", env = "ARB_COMMIT_INTERVAL_MS", default_value = "100", value_parser = millis)]
    pub(crate) commit_interval: Duration,
    /// End when nothing has moved for so many milliseconds
    #[arg(long = "watchdog-ms", env = "ARB_WATCHDOG_MS", default_value = "120000", value_parser = millis)]
    pub(crate) watchdog: Duration,
    /// Fail point: of so many transactions abort the last
    #[arg(long, hide = true)]
    pub(crate) abort_each: Option<NonZeroU64>,
    /// Fail point: kill this process with -9 at a passage of a point
    #[arg(long, hide = true, value_name = "POINT:COUNT")]
    pub(crate) kill_at: Option<Passage>,
    /// Fail point: stop this process (SIGSTOP) there
    #[arg(long, hide = true, value_name = "POINT:COUNT")]
    pub(crate) freeze_at: Option<Passage>,
    /// Fail point: let the pump hang there
    #[arg(long, hide = true, value_name = "POINT:COUNT")]
    pub(crate) stall_at: Option<Passage>,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    #[command(flatten)]
    pub(crate) child: Child,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Serve {
    /// Where the board is served
    #[arg(long, env = "ARB_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// File of API keys
    #[arg(long, env = "ARB_KEYS", default_value = ".arb/keys.json")]
    pub(crate) keys: PathBuf,
    /// File of what each plan may spend in a month, such as {"free": 500} [default: plans.json beside the keys]
    #[arg(long, env = "ARB_PLANS", value_name = "FILE")]
    pub(crate) plans: Option<PathBuf>,
    /// File of what each key has spent, this instance's own [default: usage.json beside the keys]
    #[arg(long, env = "ARB_USAGE", value_name = "FILE")]
    pub(crate) usage: Option<PathBuf>,
    /// Milliseconds of silence after which a stream says that it lives
    #[arg(long = "heartbeat-ms", hide = true, default_value = "15000", value_parser = millis)]
    pub(crate) heartbeat: Duration,
    /// Milliseconds for which a client may take nothing before it is let go
    #[arg(long = "stall-ms", hide = true, default_value = "10000", value_parser = millis)]
    pub(crate) stall: Duration,
    /// Events of the feed that are kept in memory
    #[arg(long, hide = true, default_value_t = 16_384)]
    pub(crate) stream_events: usize,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    #[command(flatten)]
    pub(crate) child: Child,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Kafka {
    /// Port of the broker; the next one is its controller's
    #[arg(long, default_value_t = 19092)]
    pub(crate) port: u16,
    /// Folder of its log, kept as it is
    #[arg(long)]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) home: Home,
    #[command(flatten)]
    pub(crate) child: Child,
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
    /// Write one JSON object a window
    #[arg(long, value_name = "FILE")]
    pub(crate) windows: Option<PathBuf>,
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
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) part: BenchPart,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum BenchPart {
    /// The engine alone, on one core, over polls decoded in memory
    Engine {
        /// A recording; without it the synthetic market
        #[arg(long, value_name = "FILE")]
        recording: Option<PathBuf>,
        /// How often it is run through, each time by a new engine
        #[arg(long, default_value_t = 5)]
        rounds: u32,
    },
    /// The whole way from tick to feed over a Kafka, beside a bare client that does the same work
    Pipeline(BenchPipeline),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct BenchPipeline {
    // Never from the environment: what it names there is in use.
    /// Kafka to use, which must have none of our topics; without it one is started and removed again
    #[arg(long)]
    pub(crate) brokers: Option<String>,
    /// Polls of a recording for the frames; without it the synthetic market's
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: Option<PathBuf>,
    /// How often each is measured; the table shows medians
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
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

fn time(text: &str) -> Result<Micros, String> {
    parse_rfc3339(text).ok_or_else(|| "give an RFC 3339 time, such as 2026-06-21T23:00:43Z".to_owned())
}

fn millis(text: &str) -> Result<Duration, String> {
    text.parse().map(Duration::from_millis).map_err(|error| format!("{error}"))
}
