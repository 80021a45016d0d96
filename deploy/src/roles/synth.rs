//! `arb synth`: a recording of the simulated market, to standard output.

use std::io::{BufWriter, Write};

use arb_ingest::simulator::{Settings, Simulator};

use crate::cli::Synth;

pub(crate) fn run(config: &Synth) -> anyhow::Result<()> {
    let Synth { seed, start, every, .. } = *config;
    let market = &config.market;
    let (events, books, exchange) = (market.events, market.books, market.exchange);
    let settings = Settings { seed, start, every, events, books, exchange };
    let mut market = Simulator::new(settings);
    let mut out = BufWriter::new(std::io::stdout().lock());
    for _ in 0..config.polls {
        writeln!(out, "{}", market.next_line())?;
    }
    Ok(out.flush()?)
}
