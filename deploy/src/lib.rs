//! The one binary of the arbitrage board: `arb <role>`, and `arb up` for all of them.
//!
//! Here programs are wired, and only here is the environment read, by one struct for each role. Nothing here
//! computes anything about odds. Modules, each of which uses only those before it:
//!
//! - [`cli`]: the command line, and the names of the variables that hold secrets.
//! - [`system`]: the clock, signals, limits, logs and standard output of this process.
//! - [`local`]: a Kafka and a ClickHouse on this machine, and child processes.
//! - [`roles`]: what each subcommand wires and runs; their admin listener.
//! - `up`: all of it at once.
//!
//! It is a library so that tests and benchmarks run what the binary runs.

pub mod cli;
pub mod local;
pub mod roles;
pub mod system;
mod up;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command, LogFormat};
use crate::local::tool::Killed;
use crate::system::{logs, output};

/// Runs the program: parses the command line, runs the command, reports an error as one sentence.
#[must_use]
pub fn main() -> ExitCode {
    main_from(std::env::args_os())
}

/// The same with another command line, the program's name first.
#[must_use]
pub fn main_from(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = Cli::parse_from(arguments);
    logs::begin(cli.command.name(), cli.log_format);
    let Cli { log_format, error_file, command } = cli;
    run(command, log_format).unwrap_or_else(|error| report("arb", &error, error_file.as_deref()))
}

/// The same within another program, which logs already.
///
/// # Errors
/// What ended the command.
pub fn run_within(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<ExitCode> {
    let Cli { log_format, command, .. } = Cli::parse_from(arguments);
    run(command, log_format)
}

/// Reports what ended a program as one sentence, also to a file where one is given: the exit code.
#[must_use]
pub fn report(program: &str, error: &anyhow::Error, file: Option<&Path>) -> ExitCode {
    if error.is::<output::Unread>() {
        return ExitCode::from(output::UNREAD);
    }
    let sentence = sentence(error);
    // Where standard error is on a disk that is full, the file is all that is left.
    let _ = writeln!(std::io::stderr(), "{program}: {sentence}");
    if let Some(file) = file {
        let _ = std::fs::write(file, sentence);
    }
    error.downcast_ref().map_or(ExitCode::FAILURE, Killed::code)
}

/// An error with its causes, each once: many errors name their cause themselves.
fn sentence(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |text, cause| {
        let cause = cause.to_string();
        match text.as_str() {
            "" => cause,
            _ if text.contains(&cause) => text,
            _ => format!("{text}: {cause}"),
        }
    })
}

fn run(command: Command, log_format: LogFormat) -> anyhow::Result<ExitCode> {
    match command {
        Command::Up(config) => up::run(&config, log_format)?,
        Command::Ingest(config) => roles::ingest::run(&config)?,
        Command::Process(config) => roles::process::run(config)?,
        Command::Accounts(config) => roles::accounts::run(config)?,
        Command::Sink(config) => roles::sink::run(config)?,
        Command::Deliver(config) => roles::deliver::run(config)?,
        Command::Settle(config) => roles::settle::run(config)?,
        Command::Bots(config) => roles::bots::run(config)?,
        Command::Serve(config) => roles::serve::run(&config)?,
        Command::Kafka(config) => local::kafka::run(&config)?,
        Command::Clickhouse(config) => local::clickhouse::run(&config)?,
        Command::Migrate(config) => roles::migrate::run(&config)?,
        Command::Topics(config) => roles::topics::run(&config)?,
        Command::Dlq(config) => roles::dlq::run(&config)?,
        Command::Account(config) => roles::account::run(&config)?,
        Command::Backup(config) => roles::backup::run(&config)?,
        Command::Restore(config) => roles::backup::restore(&config)?,
        Command::Sources(config) => roles::sources::run(&config)?,
        Command::Evaluate(config) => return roles::evaluate::run(&config),
        Command::Backtest(config) => return roles::evaluate::backtest(&config),
        Command::Results(config) => roles::results::run(&config)?,
        Command::Fit(config) => return roles::evaluate::fit(&config),
        Command::Synth(config) => roles::synth::run(&config)?,
        Command::Listen(config) => roles::listen::run(&config)?,
        Command::Mcp(config) => roles::mcp::run(&config)?,
        Command::Check(config) => roles::check::run(&config)?,
        Command::Upgrade(config) => roles::upgrade::run(&config)?,
        Command::Logs(config) => local::role_log::show(&config)?,
        Command::Clean(config) => local::home::clean(&config)?,
        Command::Licences => roles::licences::run()?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_cause_that_is_named_already_is_not_repeated() {
        let cause = || anyhow::Error::from(io::Error::other("no route"));
        assert_eq!(sentence(&cause().context("Kafka at host: no route")), "Kafka at host: no route");
        assert_eq!(sentence(&cause().context("Kafka at host")), "Kafka at host: no route");
    }
}
