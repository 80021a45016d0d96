//! `arb bench`: measurements that anyone can run.
//!
//! They print numbers and judge nothing: machines differ.

mod engine;
mod pipeline;
mod sink;

use crate::cli::{Bench, BenchPart, LogFormat};

pub(crate) fn run(config: &Bench, log_format: LogFormat) -> anyhow::Result<()> {
    match &config.part {
        BenchPart::Engine { recording, rounds } => engine::run(recording.as_deref(), *rounds),
        BenchPart::Sink(config) => sink::run(config, log_format),
        BenchPart::Pipeline(config) => pipeline::run(config, log_format),
    }
}
