//! The command line: one subcommand a role, one struct of settings each.
//!
//! These structs are the only readers of the environment. They decide nothing.

mod account;
mod backup;
mod clickhouse;
mod cluster;
pub(crate) mod live;
pub(crate) mod mcp;
mod roles;
pub mod secrets;
mod tools;
mod up;
pub(crate) mod watched_group;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use arb_engine::market::Policy;
use arb_ingest::replay::Speed;
use arb_ingest::the_odds_api::OddsFormat;
use arb_schemas::time::{Micros, SECOND, parse_rfc3339};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

pub(crate) use account::{Account, AccountAction, CreateAccount, PepperFile};
pub(crate) use backup::{Backup, BackupKey, BackupPart, Restore};
pub(crate) use clickhouse::{
    ClickHouse, HistorySource, Migrate, PORT as CLICKHOUSE_PORT, StoredHistory, Writer,
};
pub(crate) use cluster::{Brokers, KafkaOptions};
pub(crate) use live::Live;
pub(crate) use mcp::Mcp;
pub(crate) use roles::{
    Accounts, Bots, Deliver, Guard, Ingest, Kafka, LoopOptions, Process, Serve, Settle, SignUpMode, Sink,
    Webhooks,
};
pub(crate) use tools::{
    Backtest, Check, Clean, Dlq, DlqAction, Evaluate, Fit, Listen, Logs, PlanName, Results, Sources,
    SourcesAction, Suspended, Synth, Topics, TopicsAction, Upgrade, UpgradeAction,
};
pub(crate) use up::Up;

/// Where the admin listener of the first role is; those of the others follow.
pub(crate) const FIRST_ADMIN_PORT: u16 = 9101;

/// Finds arbitrage across betting markets, and shows how much of it is real.
#[derive(Debug, Parser)]
#[command(name = "arb", version, propagate_version = true)]
pub(crate) struct Cli {
    /// How logs are written
    #[arg(long, global = true, env = "ARB_LOG_FORMAT", default_value = "text")]
    pub(crate) log_format: LogFormat,
    /// Write the sentence of an error to this file too, for the parent
    #[arg(long, global = true, hide = true, value_name = "FILE")]
    pub(crate) error_file: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// An object a line.
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
    /// Start everything: a local Kafka and ClickHouse, all roles, and a source of odds
    Up(Box<Up>),
    /// Publish the updates of a source to Kafka
    Ingest(Ingest),
    /// Compute windows and edge signals from the published updates
    Process(Process),
    /// Decide about accounts, sessions and API keys: one instance does, the others stand by
    Accounts(Accounts),
    /// Write the records of the topics to ClickHouse
    Sink(Sink),
    /// Send webhooks
    Deliver(Deliver),
    /// Publish picks of bots before events, and grade them from results
    Settle(Settle),
    /// Let bots look at the current prices, and ask for picks
    Bots(Bots),
    /// Serve the board, edge signals, streams and usage over HTTP
    Serve(Serve),
    /// Run the local Kafka alone
    Kafka(Kafka),
    /// Run the local ClickHouse alone
    Clickhouse(ClickHouse),
    /// Migrate the schema of ClickHouse to the version of this program
    Migrate(Migrate),
    /// List or create the topics
    Topics(Topics),
    /// List dead-lettered records, or send them again
    Dlq(Dlq),
    /// Create and change accounts, print the audit
    Account(Account),
    /// Write accounts, keys, endpoints and picks to an encrypted file
    Backup(Box<Backup>),
    /// Write what a backup holds into empty topics
    Restore(Box<Restore>),
    /// Suspend a source or a book at once, or withdraw the prices that a client has pushed
    Sources(Sources),
    /// Print the windows and edge signals of recordings, without Kafka
    Evaluate(Evaluate),
    /// Print the record of a bot of your own, written as a rule file, over football-data, recordings or what ClickHouse has stored
    Backtest(Backtest),
    /// Write the results of a file for events that have picks, and end
    Results(Results),
    /// Print the prior of how long windows live, from recordings
    Fit(Fit),
    /// Write a recording of the simulated market
    Synth(Synth),
    /// Post the events of the stream to a server of a developer, signed as webhooks are
    Listen(Listen),
    /// Serve the API as tools of the Model Context Protocol, on standard input and output
    #[cfg_attr(not(feature = "mcp"), command(hide = true))]
    Mcp(Mcp),
    /// Say which role is upgraded next
    Upgrade(Upgrade),
    /// Ask a URL, such as that of a role's readiness, and end with 0 where it answers with 200, else with 1
    Check(Check),
    /// Print the log of a role that `arb up` runs, or list the logs
    Logs(Logs),
    /// Remove downloads and data
    Clean(Clean),
    /// Print the licences of this program and of what it contains
    Licences,
}

impl Command {
    /// Its name in logs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Up(_) => "up",
            Self::Ingest(_) => "ingest",
            Self::Process(_) => "process",
            Self::Accounts(_) => "accounts",
            Self::Sink(_) => "sink",
            Self::Deliver(_) => "deliver",
            Self::Settle(_) => "settle",
            Self::Bots(_) => "bots",
            Self::Serve(_) => "serve",
            Self::Kafka(_) => "kafka",
            Self::Clickhouse(_) => "clickhouse",
            Self::Migrate(_) => "migrate",
            Self::Topics(_) => "topics",
            Self::Dlq(_) => "dlq",
            Self::Account(_) => "account",
            Self::Backup(_) => "backup",
            Self::Restore(_) => "restore",
            Self::Sources(_) => "sources",
            Self::Evaluate(_) => "evaluate",
            Self::Backtest(_) => "backtest",
            Self::Results(_) => "results",
            Self::Fit(_) => "fit",
            Self::Synth(_) => "synth",
            Self::Listen(_) => "listen",
            Self::Mcp(_) => "mcp",
            Self::Upgrade(_) => "upgrade",
            Self::Check(_) => "check",
            Self::Logs(_) => "logs",
            Self::Clean(_) => "clean",
            Self::Licences => "licences",
        }
    }
}

/// The address of a role's metrics and health checks.
#[derive(Debug, Clone, Copy, Args)]
pub struct AdminOptions {
    /// Where metrics, /livez and /readyz are served, without a key; port 0 is any free one [default: 127.0.0.1, at 9101
    /// for ingest, 9102 for process, 9103 for serve, 9104 for sink, 9105 for accounts, 9106 for deliver, 9107 for settle, 9108 for bots]
    #[arg(long, env = "ARB_ADMIN_LISTEN", value_name = "ADDRESS|off")]
    pub admin_listen: Option<AdminListen>,
}

/// The address of the admin listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdminListen {
    /// No listener.
    Off,
    /// At an address.
    At(SocketAddr),
}

impl std::str::FromStr for AdminListen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            address => address
                .parse()
                .map(Self::At)
                .map_err(|_| "give an address and a port, such as 127.0.0.1:9102, or off".to_owned()),
        }
    }
}

/// The folder of downloads and data.
#[derive(Debug, Clone, Args)]
pub struct Home {
    /// Folder of downloads and data
    #[arg(long, env = "ARB_HOME", default_value = ".arb")]
    pub home: PathBuf,
}

/// A role that is another process's child ends with it.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Child {
    /// End when standard input is closed, as it is when the parent ends
    #[arg(long, hide = true)]
    pub child: bool,
}

/// The source of odds.
#[derive(Debug, Clone, Args)]
pub(crate) struct Play {
    /// Replay a recording (.jsonl or .csv, each also as .zst); without it the simulated market is published. Of several
    /// instances with the same file name, or with the simulated market, one publishes; the others stand by
    /// and continue at its position when it ends or fails. An interrupted run is continued by the next one
    /// with the same --after and --until; after a complete run the next one starts from the beginning, and
    /// its polls are late: they change nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// How many times as fast as it was, or max [default: 60 for a recording, 1 for the simulated market]
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
    /// Seed of the simulated market
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Seconds between polls of the simulated market
    #[arg(long, value_name = "SECONDS", default_value = "4", value_parser = seconds)]
    pub(crate) every: Micros,
    #[command(flatten)]
    pub(crate) market: Market,
    #[command(flatten)]
    pub(crate) live: Live,
}

/// How large the simulated market is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub(crate) struct Market {
    /// Events that the simulated market has on offer at a time
    #[arg(long, default_value = "60", value_parser = size)]
    pub(crate) events: usize,
    /// Bookmakers of the simulated market
    #[arg(long, default_value = "12", value_parser = size)]
    pub(crate) books: usize,
    /// An exchange besides them, with lays and limits
    #[arg(long, default_value_t = true, action = ArgAction::Set)]
    pub(crate) exchange: bool,
    /// Slots of short matches besides those events: over four minutes after they begin, so that results are seen soon
    /// [default: 12 with arb up, else 0]
    #[arg(long, value_parser = size_or_none)]
    pub(crate) short_events: Option<usize>,
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

/// The rules for windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rules {
    /// Bets that a person can place
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

fn time(text: &str) -> Result<Micros, String> {
    parse_rfc3339(text).ok_or_else(|| "give an RFC 3339 time, such as 2026-06-21T23:00:43Z".to_owned())
}

fn seconds(text: &str) -> Result<Micros, String> {
    let seconds = text.parse::<u32>().ok().filter(|seconds| *seconds > 0);
    seconds
        .map(|seconds| Micros::from(seconds) * SECOND)
        .ok_or_else(|| "give whole seconds, at least 1".to_owned())
}

/// How many events or books: as many as fit into memory on any machine.
fn size(text: &str) -> Result<usize, String> {
    let size = text.parse().ok().filter(|size| (1..=100_000).contains(size));
    size.ok_or_else(|| "give a number from 1 to 100000".to_owned())
}

fn size_or_none(text: &str) -> Result<usize, String> {
    if text == "0" { Ok(0) } else { size(text) }
}

fn millis(text: &str) -> Result<Duration, String> {
    text.parse().map(Duration::from_millis).map_err(|error| format!("{error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;

    /// Options of groups that a command flattens may not share a name: clap finds out only when it runs.
    #[test]
    fn every_command_can_be_parsed() {
        Cli::command().debug_assert();
    }

    /// What follows a group with a heading is listed under it too.
    #[test]
    fn only_the_options_of_live_polling_are_listed_as_such() {
        let live: BTreeSet<_> =
            Live::augment_args(clap::Command::new("live")).get_arguments().map(name).collect();
        for command in Cli::command().get_subcommands() {
            for option in command.get_arguments().filter(|option| option.get_help_heading().is_some()) {
                assert!(live.contains(&name(option)), "{} --{}", command.get_name(), name(option));
            }
        }
    }

    fn name(option: &clap::Arg) -> String {
        option.get_id().to_string()
    }
}
