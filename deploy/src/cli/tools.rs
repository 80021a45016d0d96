//! Settings of the commands that do one thing and end.
//!
//! They decide nothing.

use std::path::PathBuf;
use std::time::Duration;

use arb_lab::evaluate::Split;
use arb_schemas::time::Micros;
use clap::{Args, Subcommand, ValueEnum};

use super::secrets::API_KEY;
use super::{Brokers, Format, Home, Market, Rules, StoredHistory, millis, seconds, time};

/// What a key may spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanName {
    Free,
    Pro,
    Enterprise,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Topics {
    #[command(subcommand)]
    pub(crate) action: TopicsAction,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum TopicsAction {
    /// Print the catalogue
    List {
        /// As JSON, with the settings of each topic
        #[arg(long)]
        json: bool,
    },
    /// Print what each role may do in Kafka: topics, groups and transactional ids
    Rights {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the ids, subjects and versions of the records' schemas
    Schemas {
        /// As JSON, with the schemas
        #[arg(long)]
        json: bool,
    },
    /// Add the schemas to a Confluent Schema Registry that exists, with the ids that messages carry
    Register {
        /// Its URL, such as <http://localhost:8081> or <http://localhost:8081/contexts/.arb>
        #[arg(long, value_name = "URL")]
        registry: String,
    },
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
    /// Print the dead-lettered records, with the reason of each
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
pub(crate) struct Evaluate {
    /// Recordings, each evaluated with a separate state
    #[arg(required_unless_present_any = ["bots", "hash"])]
    pub(crate) recordings: Vec<PathBuf>,
    /// Evaluate the bots over the table of football-data instead (.csv, also as .csv.zst), and print their record
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recordings", "windows", "signals", "picks", "split"])]
    pub(crate) bots: Option<PathBuf>,
    /// Write the raw windows to a file too, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) windows: Option<PathBuf>,
    /// Print the outcome of edge signals instead, kind by kind, compared with chance
    #[arg(long, conflicts_with_all = ["windows", "split"])]
    pub(crate) signals: bool,
    /// Print the picks of the bots instead, and how many of them were still on offer at the next poll and after a minute
    #[arg(long, conflicts_with_all = ["windows", "signals", "split"])]
    pub(crate) picks: bool,
    /// Print hashes of what is published and of the changelog instead, also of simulated markets: by both policies, as polls and
    /// tick by tick, commits after 1, 7 and 300 records
    #[arg(long, conflicts_with_all = ["bots", "windows", "signals", "picks", "split", "policy"])]
    pub(crate) hash: bool,
    /// The rules for windows
    #[arg(long, default_value = "raw", conflicts_with_all = ["bots", "signals", "picks"])]
    pub(crate) policy: Rules,
    /// Books whose prices the bot sharp takes for fair, with --picks; the first one that has all outcomes
    #[arg(long, value_delimiter = ',', default_value = "pinnacle", requires = "picks")]
    pub(crate) sharp_books: Vec<String>,
    /// Print how well lifetimes are predicted, only for windows that open after this: a date, a time, or a
    /// part of each recording's time, such as 0.5
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
pub(crate) struct Backtest {
    /// The rule file of a bot (TOML)
    #[arg(long, value_name = "FILE")]
    pub(crate) bot: PathBuf,
    /// The table of football-data (.csv, also as .csv.zst)
    #[arg(required_unless_present_any = ["recordings", "is_asked"])]
    pub(crate) table: Option<PathBuf>,
    /// A recording instead; several are played one after the other
    #[arg(long = "recording", value_name = "FILE", conflicts_with = "table")]
    pub(crate) recordings: Vec<PathBuf>,
    /// How the recordings write their prices
    #[arg(long, default_value = "american")]
    pub(crate) odds_format: Format,
    /// File of books (TOML) for recordings; without one the table that this program ships with
    #[arg(long, env = "ARB_BOOKS_FILE")]
    pub(crate) books_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) stored: StoredHistory,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Results {
    /// A file of football-data.co.uk, of one league and season (.csv, also as .csv.zst)
    #[arg(long, value_name = "FILE")]
    pub(crate) football_data: PathBuf,
    /// Names of teams where their words differ: lines of `our name = name in the file`
    #[arg(long, value_name = "FILE")]
    pub(crate) names: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Sources {
    #[command(subcommand)]
    pub(crate) action: SourcesAction,
}

/// What an operator does about sources.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum SourcesAction {
    /// Suspend every price of a source, or of a book, at once and until it is resumed
    Suspend(Suspended),
    /// Let the prices of a source, or of a book, count again, from its next poll or push on
    Resume(Suspended),
    /// Withdraw every price that a client has pushed to a source so far
    Withdraw {
        /// As it was granted
        source: String,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
}

/// A source or a book.
#[derive(Debug, Clone, Args)]
pub(crate) struct Suspended {
    /// A source as records name it (the-odds-api, push/acme, feed/acme), or with --book the key of a book
    pub(crate) name: String,
    /// It is a book
    #[arg(long)]
    pub(crate) book: bool,
    #[command(flatten)]
    pub(crate) brokers: Box<Brokers>,
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
pub(crate) struct Listen {
    /// Where events are posted, as a deployed receiver would be sent them
    #[arg(long, value_name = "URL")]
    pub(crate) forward: String,
    /// Address of the API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) site: String,
    /// Parameters of the stream, as a query
    #[arg(long, value_name = "QUERY", default_value = "")]
    pub(crate) query: String,
    /// A key with the scope stream:read
    #[arg(long, env = API_KEY, hide_env_values = true)]
    pub(crate) key: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Check {
    /// Such as <http://127.0.0.1:9102/readyz>
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Milliseconds that the answer may take
    #[arg(long = "timeout-ms", default_value = "5000", value_parser = millis)]
    pub(crate) timeout: Duration,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Upgrade {
    #[command(subcommand)]
    pub(crate) action: UpgradeAction,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum UpgradeAction {
    /// Say which role is upgraded next to the version of this program, and why not yet: then it ends with 1
    Check {
        /// Admin listeners of all instances, such as 10.0.0.1:9102
        #[arg(required = true, value_name = "ADDRESS")]
        instances: Vec<String>,
        /// Roles of which no instance runs here; of each other role at least one must be named
        #[arg(long, value_name = "ROLE", value_delimiter = ',')]
        without: Vec<String>,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Logs {
    /// Such as process; without it the logs that there are are listed
    pub(crate) role: Option<String>,
    #[command(flatten)]
    pub(crate) home: Home,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Clean {
    #[command(flatten)]
    pub(crate) home: Home,
}
