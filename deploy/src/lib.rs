//! The one binary of the arbitrage board: `arb <role>`, and `arb up` for all of them.
//!
//! Here programs are wired, and only here is the environment read, by one struct a role. Nothing here computes
//! anything about odds.

mod bench;
mod children;
mod cli;
mod clock;
mod home;
mod local_kafka;
mod progress;
mod roles;
mod signals;
mod up;

use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, Command, LogFormat};

/// Runs the program: parses the command line, does what it says, reports an error as one sentence.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    log_to_stderr(cli.log_format);
    match run(cli.command, cli.log_format) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("arb: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, log_format: LogFormat) -> anyhow::Result<ExitCode> {
    match command {
        Command::Up(config) => up::run(&config, log_format)?,
        Command::Ingest(config) => roles::ingest::run(&config)?,
        Command::Process(config) => roles::process::run(config)?,
        Command::Serve(config) => roles::serve::run(&config)?,
        Command::Kafka(config) => local_kafka::run(&config)?,
        Command::Topics(config) => roles::topics::run(&config)?,
        Command::Dlq(config) => roles::dlq::run(&config)?,
        Command::Key(config) => roles::key::run(&config)?,
        Command::Evaluate(config) => return roles::evaluate::run(&config),
        Command::Synth(config) => roles::synth::run(&config)?,
        Command::Bench(config) => bench::run(&config, log_format)?,
        Command::Clean(config) => home::clean(&config)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Logs go to standard error, in text or JSON; `RUST_LOG` filters them.
fn log_to_stderr(format: LogFormat) {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,librdkafka=error"));
    let logs = tracing_subscriber::fmt().with_env_filter(without_urls(filter)).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => logs.with_ansi(false).init(),
        LogFormat::Json => logs.json().init(),
    }
}

/// The HTTP client writes URLs and bytes to its log, and a URL of The Odds API holds the key: none of it, whatever
/// `RUST_LOG` asks for.
fn without_urls(filter: EnvFilter) -> EnvFilter {
    const CLIENT: &str = "ureq";
    let filter = if filter.to_string().contains(CLIENT) { EnvFilter::new("info") } else { filter };
    ["ureq=off", "ureq_proto=off"]
        .iter()
        .filter_map(|off| off.parse().ok())
        .fold(filter, EnvFilter::add_directive)
}
