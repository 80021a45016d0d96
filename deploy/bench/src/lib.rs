//! `arb-bench`: measurements that anyone can run, as rows of one table.
//!
//! Each part measures and returns rows; they are printed in one place, beside the machine that they were
//! measured on. A measurement and its baseline run in turn in one run. It asserts nothing: an expectation
//! that is not met is printed, and fails nothing.

mod accounts;
mod actor;
mod board;
mod changelog;
mod cli;
mod client;
mod engine;
mod event_stream;
mod growth;
mod holder;
mod machine;
mod meter;
mod peer_market;
mod picks;
mod pipeline;
mod print;
mod push_market;
mod report;
mod sink;
mod sse;
mod takeover;
mod turns;
mod webhooks;

use std::ffi::OsString;
use std::iter::once;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use arb::cli::{Child, Home, LogFormat};
use arb::system::{clock, logs, output, signals};
use arb_runtime::stop::Stop;
use arb_schemas::time::to_rfc3339;
use clap::Parser;
use cli::{AllOptions, Cli, KafkaOptions, Part, PipelineOptions};
use machine::Machine;
use report::{Failure, Measured, Report};

/// The first argument of the processes that a measurement starts: they run this program, and must behave as
/// `arb`.
const ROLE: [&str; 1] = ["arb"];

/// How often speeds and costs are measured, if nothing else is asked for; the throughput of the pipeline.
const ROUNDS: u32 = 5;
const PIPELINE_ROUNDS: u32 = 9;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Only so much that every row is there.
    is_quick: bool,
    rounds: u32,
    /// Of the throughput of the pipeline, which varies most.
    pipeline_rounds: u32,
}

impl Scale {
    fn of(config: &Cli) -> Self {
        let rounds = |usual: u32| if config.quick { 1 } else { config.rounds.unwrap_or(usual) };
        Self { is_quick: config.quick, rounds: rounds(ROUNDS), pipeline_rounds: rounds(PIPELINE_ROUNDS) }
    }

    /// How long it is looked who else uses the machine.
    fn look(self) -> Duration {
        if self.is_quick { Duration::from_millis(100) } else { Duration::from_secs(2) }
    }
}

/// Runs the program: parses the command line, measures, reports an error as one sentence.
#[must_use]
pub fn main() -> ExitCode {
    let config = Cli::parse();
    if let Part::Arb { arguments } = config.part {
        return arb::main_from(once(OsString::from("arb")).chain(arguments));
    }
    logs::begin("bench", config.log_format);
    match run(&config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => arb::report("arb-bench", &error, None),
    }
}

fn run(config: &Cli) -> anyhow::Result<()> {
    if let Part::Actor { role } = config.part {
        return actor::run(role);
    }
    let stop = signals::stop(Child { child: false })?;
    let scale = Scale::of(config);
    let mut report = Report {
        command: command(),
        at: to_rfc3339(clock::now()),
        is_quick: scale.is_quick,
        rounds: scale.rounds,
        pipeline_rounds: scale.pipeline_rounds,
        machine: Machine::here(scale.look()),
        rows: vec![],
        notes: vec![],
        failures: vec![],
    };
    for (name, part) in parts(&config.part, scale, config.log_format, &stop) {
        eprintln!("measuring {name}");
        match measured(name, &part, &stop) {
            Ok(Measured { rows, notes, failures }) => {
                report.rows.extend(rows);
                report.notes.extend(notes);
                report.failures.extend(failures);
            }
            Err(error) => report.failures.push(Failure::new(name, &error)),
        }
        keep(config, &report)?;
        if stop.is_stopped() {
            bail!("stopped");
        }
    }
    show(config, &report)
}

/// What measures a part.
type PartMeasure<'a> = Box<dyn Fn() -> anyhow::Result<Measured> + 'a>;

/// What measures a part on a Kafka alone.
type OnKafka = fn(&KafkaOptions, Scale, LogFormat, &Stop) -> anyhow::Result<Measured>;

/// A part's name, and what measures it.
type Measurement<'a> = (&'static str, PartMeasure<'a>);

/// Measures a part, and once more where that fails: a broker that stands still for some seconds ends a transaction, and so the part.
fn measured(name: &str, part: &PartMeasure<'_>, stop: &Stop) -> anyhow::Result<Measured> {
    match part() {
        Err(error) if !stop.is_stopped() => {
            eprintln!("measuring {name} again: {error:#}");
            part()
        }
        measured => measured,
    }
}

/// What is asked for: one part, or all of them in the order of the table.
fn parts<'a>(part: &'a Part, scale: Scale, log_format: LogFormat, stop: &'a Stop) -> Vec<Measurement<'a>> {
    let engine = |recording: &'a Option<PathBuf>| -> Measurement<'a> {
        (engine::PART, Box::new(move || engine::run(recording.as_deref(), scale)))
    };
    let pipeline = |config: &'a PipelineOptions| -> Measurement<'a> {
        (pipeline::PART, Box::new(move || pipeline::run(config, scale, log_format, stop)))
    };
    let peers = |kafka: &'a KafkaOptions, folder: &'a Path| -> Measurement<'a> {
        (
            pipeline::peers::PART,
            Box::new(move || pipeline::peers::run(kafka, folder, scale, log_format, stop)),
        )
    };
    let board = || -> Measurement<'a> { (board::PART, Box::new(move || board::run(scale, stop))) };
    let sse = || -> Measurement<'a> { (sse::PART, Box::new(move || Ok(sse::run(scale, stop)))) };
    let sink = |home: &'a Home| -> Measurement<'a> {
        (sink::PART, Box::new(move || sink::run(home, scale, log_format, stop)))
    };
    let changelog = || -> Measurement<'a> { (changelog::PART, Box::new(move || changelog::run(scale))) };
    let takeover = || -> Measurement<'a> { (takeover::PART, Box::new(move || takeover::run(scale, stop))) };
    let growth = || -> Measurement<'a> { (growth::PART, Box::new(move || growth::run(scale, stop))) };
    let on_kafka = |part, run: OnKafka, config: &'a KafkaOptions| -> Measurement<'a> {
        (part, Box::new(move || run(config, scale, log_format, stop)))
    };
    let cuts = |config| on_kafka(pipeline::cuts::PART, pipeline::cuts::run, config);
    let accounts = |config| on_kafka(accounts::PART, accounts::run, config);
    let webhooks = |config| on_kafka(webhooks::PART, webhooks::run, config);
    let picks = |recording: &'a Option<PathBuf>| -> Measurement<'a> {
        (picks::PART, Box::new(move || picks::run(recording.as_deref(), scale, stop)))
    };
    match part {
        Part::All(AllOptions { pipeline: config, peers: folder }) => {
            let mut all = vec![
                engine(&config.recording),
                pipeline(config),
                sink(&config.kafka.home),
                board(),
                sse(),
                growth(),
                changelog(),
                cuts(&config.kafka),
                takeover(),
                accounts(&config.kafka),
                webhooks(&config.kafka),
                picks(&config.recording),
            ];
            // They take longest.
            all.extend(folder.iter().map(|folder| peers(&config.kafka, folder)));
            all
        }
        Part::Engine { recording } => vec![engine(recording)],
        Part::Pipeline(config) => vec![pipeline(config)],
        Part::Peers(config) => vec![peers(&config.kafka, &config.peers)],
        Part::Sink(home) => vec![sink(home)],
        Part::Board => vec![board()],
        Part::Sse => vec![sse()],
        Part::Growth => vec![growth()],
        Part::Changelog => vec![changelog()],
        Part::Cuts(config) => vec![cuts(config)],
        Part::Takeover => vec![takeover()],
        Part::Accounts(config) => vec![accounts(config)],
        Part::Webhooks(config) => vec![webhooks(config)],
        Part::Picks { recording } => vec![picks(recording)],
        Part::Arb { .. } | Part::Actor { .. } => vec![],
    }
}

/// Writes what is measured so far to the file, where one is named: a run that is stopped loses only the part that it is in.
fn keep(config: &Cli, report: &Report) -> anyhow::Result<()> {
    let Some(path) = &config.markdown else { return Ok(()) };
    std::fs::write(path, print::markdown(report)).with_context(|| path.display().to_string())
}

/// Prints it. A measurement that failed is an error, after the rest was printed.
fn show(config: &Cli, report: &Report) -> anyhow::Result<()> {
    if config.json {
        output::write(format_args!("{}\n", serde_json::to_string_pretty(report)?))?;
    } else {
        output::write(print::text(report))?;
    }
    if let Some(Failure { part, error }) = report.failures.first() {
        bail!("{part}: {error}");
    }
    Ok(())
}

/// As it was called, by its name alone.
fn command() -> String {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    format!("arb-bench {}", arguments.join(" "))
}
