//! The one binary of the arbitrage board: `arb <role>`, and `arb up` for all of them.
//!
//! Here programs are wired, and only here is the environment read, by one struct a role. Nothing here computes
//! anything about odds.

mod admin;
mod answer;
mod bench;
mod books;
mod children;
mod cli;
mod clock;
mod home;
mod limits;
mod local_clickhouse;
mod local_kafka;
mod logs;
mod progress;
mod restart;
mod roles;
mod signals;
mod tool;
mod up;

use std::process::ExitCode;

use clap::Parser;

use crate::answer::Unread;
use crate::cli::{Cli, Command, LogFormat};

/// Runs the program: parses the command line, does what it says, reports an error as one sentence.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    logs::begin(cli.command.name(), cli.log_format);
    let Cli { log_format, error_file, command } = cli;
    match run(command, log_format) {
        Ok(code) => code,
        Err(error) if error.is::<Unread>() => ExitCode::from(answer::UNREAD),
        Err(error) => {
            let sentence = sentence(&error);
            eprintln!("arb: {sentence}");
            if let Some(file) = error_file {
                let _ = std::fs::write(file, sentence);
            }
            error.downcast_ref().map_or(ExitCode::FAILURE, tool::Killed::code)
        }
    }
}

/// An error with its causes, each once: many errors name their cause themselves.
fn sentence(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| {
        let cause = cause.to_string();
        match said.as_str() {
            "" => cause,
            _ if said.contains(&cause) => said,
            _ => format!("{said}: {cause}"),
        }
    })
}

fn run(command: Command, log_format: LogFormat) -> anyhow::Result<ExitCode> {
    match command {
        Command::Up(config) => up::run(&config, log_format)?,
        Command::Ingest(config) => roles::ingest::run(&config)?,
        Command::Process(config) => roles::process::run(config)?,
        Command::Sink(config) => roles::sink::run(config)?,
        Command::Serve(config) => roles::serve::run(&config)?,
        Command::Kafka(config) => local_kafka::run(&config)?,
        Command::Clickhouse(config) => local_clickhouse::run(&config)?,
        Command::Migrate(config) => roles::migrate::run(&config)?,
        Command::Topics(config) => roles::topics::run(&config)?,
        Command::Dlq(config) => roles::dlq::run(&config)?,
        Command::Key(config) => roles::key::run(&config)?,
        Command::Evaluate(config) => return roles::evaluate::run(&config),
        Command::Fit(config) => return roles::evaluate::fit(&config),
        Command::Synth(config) => roles::synth::run(&config)?,
        Command::Bench(config) => bench::run(&config, log_format)?,
        Command::Clean(config) => home::clean(&config)?,
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
