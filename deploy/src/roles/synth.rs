//! `arb synth`: a recording of the simulated market, to standard output.

use std::io::{BufWriter, Write};

use arb_ingest::simulator::{Settings, Simulator};

use crate::cli::{Market, Synth};

pub(crate) fn run(config: &Synth) -> anyhow::Result<()> {
    let Synth { seed, start, every, .. } = *config;
    let Market { events, books, exchange, short_events: short } = config.market;
    let settings = Settings { seed, start, every, events, books, exchange, short: short.unwrap_or(0) };
    let mut market = Simulator::new(settings);
    let mut out = BufWriter::new(std::io::stdout().lock());
    for _ in 0..config.polls {
        writeln!(out, "{}", market.next_line())?;
    }
    Ok(out.flush()?)
}
