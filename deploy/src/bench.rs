//! `arb bench`: measurements that anyone can run, as rows of one table.
//!
//! Each part measures and gives rows; they are printed in one place, beside the machine that they are of. What is compared runs in
//! turn with its baseline in one run. It asserts nothing: an expectation that is not met is said, and fails nothing.

mod actor;
mod board;
mod client;
mod engine;
mod growth;
mod machine;
mod meter;
mod pipeline;
mod print;
mod report;
mod sink;
mod sse;
mod turns;

pub(crate) use actor::Role as Actor;

use std::path::PathBuf;

use anyhow::{Context, bail};
use arb_pipeline::stop::Stop;
use arb_schemas::time::to_rfc3339;

use crate::answer::say;
use crate::cli::{Bench, BenchPart, Child, Home, LogFormat};
use crate::{clock, signals};

use machine::Machine;
use report::{Failure, Measured, Report};

/// How much is measured.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Only so much that every row is there.
    is_quick: bool,
    rounds: u32,
}

pub(crate) fn run(config: &Bench, log_format: LogFormat) -> anyhow::Result<()> {
    if let BenchPart::Actor { role } = config.part {
        return actor::run(role);
    }
    let stop = signals::stop(Child { child: false })?;
    let scale = Scale { is_quick: config.quick, rounds: if config.quick { 1 } else { config.rounds } };
    let mut report = Report {
        command: command(),
        at: to_rfc3339(clock::now()),
        is_quick: scale.is_quick,
        rounds: scale.rounds,
        machine: Machine::here(),
        rows: vec![],
        notes: vec![],
        failures: vec![],
    };
    for (name, part) in parts(&config.part, scale, log_format, &stop) {
        eprintln!("measuring {name}");
        match part() {
            Ok(Measured { rows, notes }) => {
                report.rows.extend(rows);
                report.notes.extend(notes);
            }
            Err(error) => report.failures.push(Failure { part: name, error: format!("{error:#}") }),
        }
        if stop.is_stopped() {
            bail!("stopped");
        }
    }
    show(config, &report)
}

/// A part's name, and what measures it.
type Part<'a> = (&'static str, Box<dyn FnOnce() -> anyhow::Result<Measured> + 'a>);

/// What is asked for: one part, or all of them in the order of the table.
fn parts<'a>(part: &'a BenchPart, scale: Scale, log_format: LogFormat, stop: &'a Stop) -> Vec<Part<'a>> {
    let engine = |recording: &'a Option<PathBuf>| -> Part<'a> {
        (engine::PART, Box::new(move || engine::run(recording.as_deref(), scale)))
    };
    let pipeline = |config| -> Part<'a> {
        (pipeline::PART, Box::new(move || pipeline::run(config, scale, log_format, stop)))
    };
    let board = || -> Part<'a> { (board::PART, Box::new(move || board::run(scale, stop))) };
    let sse = || -> Part<'a> { (sse::PART, Box::new(move || sse::run(scale, stop))) };
    let sink = |home: &'a Home| -> Part<'a> {
        (sink::PART, Box::new(move || sink::run(home, scale, log_format, stop)))
    };
    let growth = || -> Part<'a> { (growth::PART, Box::new(move || growth::run(scale, stop))) };
    match part {
        BenchPart::All(config) => {
            vec![engine(&config.recording), pipeline(config), sink(&config.home), board(), sse(), growth()]
        }
        BenchPart::Engine { recording } => vec![engine(recording)],
        BenchPart::Pipeline(config) => vec![pipeline(config)],
        BenchPart::Sink(home) => vec![sink(home)],
        BenchPart::Board => vec![board()],
        BenchPart::Sse => vec![sse()],
        BenchPart::Growth => vec![growth()],
        BenchPart::Actor { .. } => vec![],
    }
}

/// Writes it where that is wished, and prints it. What could not be measured is an error, but the rest is told first.
fn show(config: &Bench, report: &Report) -> anyhow::Result<()> {
    if let Some(path) = &config.markdown {
        std::fs::write(path, print::markdown(report)).with_context(|| path.display().to_string())?;
    }
    if config.json {
        say(format_args!("{}\n", serde_json::to_string_pretty(report)?))?;
    } else {
        say(print::text(report))?;
    }
    if let Some(Failure { part, error }) = report.failures.first() {
        bail!("{part}: {error}");
    }
    Ok(())
}

/// As it was called, by its name alone.
fn command() -> String {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    format!("arb {}", arguments.join(" "))
}
