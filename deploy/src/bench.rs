//! `arb bench`: measurements that anyone can run.
//!
//! They print numbers and judge nothing: machines differ.

mod engine;
mod pipeline;

use crate::cli::{Bench, BenchPart, LogFormat};

pub(crate) fn run(config: &Bench, log_format: LogFormat) -> anyhow::Result<()> {
    match &config.part {
        BenchPart::Engine { recording, rounds } => engine::run(recording.as_deref(), *rounds),
        BenchPart::Pipeline(config) => pipeline::run(config, log_format),
    }
}
