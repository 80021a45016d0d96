//! `arb bench`: measurements that anyone can run.
//!
//! They print numbers and judge nothing: machines differ.

mod engine;

use crate::cli::{Bench, BenchPart};

pub(crate) fn run(config: &Bench) -> anyhow::Result<()> {
    match &config.part {
        BenchPart::Engine { recording, rounds } => engine::run(recording.as_deref(), *rounds),
    }
}
