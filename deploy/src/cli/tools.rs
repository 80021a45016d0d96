//! Settings of the commands that do one thing and end.
//!
//! They decide nothing.

use std::path::PathBuf;

use arb_lab::evaluate::Split;
use arb_schemas::time::Micros;
use clap::{Args, Subcommand, ValueEnum};

use super::{Brokers, Format, Home, Market, seconds, time};

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
pub(crate) struct Clean {
    #[command(flatten)]
    pub(crate) home: Home,
}
