//! `arb process`: the pump, on a thread of its own.

use anyhow::anyhow;
use arb_pipeline::process::batch::BatchLimits;
use arb_pipeline::process::pump::{self, Config, Counts};

use crate::cli::Process;
use crate::signals;

pub(crate) fn run(config: Process) -> anyhow::Result<()> {
    let stop = signals::stop(config.child)?;
    let limits = BatchLimits { records: config.commit_records.max(1), interval: config.commit_interval };
    let transactional_id = format!("{}-{}", config.group, config.slot);
    let pump_config = Config {
        brokers: config.brokers.brokers,
        group: config.group,
        transactional_id,
        policy: config.policy.into(),
        limits,
        abort_each: config.abort_each,
    };
    let pump = std::thread::Builder::new().name("pump".to_owned());
    let pump = pump.spawn(move || pump::run(pump_config, &stop))?;
    let counts = pump.join().map_err(|_| anyhow!("the pump panicked"))??;
    let Counts { records, commits, aborts, late, incomplete, violations, faults } = counts;
    tracing::info!(records, commits, aborts, late, incomplete, violations, %faults, "processed");
    Ok(())
}
