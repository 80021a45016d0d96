//! `arb synth`: a recording of the synthetic market, to standard output.

use std::io::{BufWriter, Write};

use arb_pipeline::ingest::synthetic::Synthetic;
use arb_schemas::time::SECOND;

use crate::cli::Synth;

/// Recording time between polls.
const EVERY: i64 = 300 * SECOND;

pub(crate) fn run(config: &Synth) -> anyhow::Result<()> {
    let mut market = Synthetic::new(config.seed, config.start, EVERY);
    let mut out = BufWriter::new(std::io::stdout().lock());
    for _ in 0..config.polls {
        writeln!(out, "{}", market.next_line())?;
    }
    Ok(out.flush()?)
}
