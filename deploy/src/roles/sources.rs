//! `arb sources`: what an operator does about the sources that clients push to.
//!
//! It never withdraws prices of a source that no client pushes to.

use arb_kafka::{self as kafka, TickProducer};
use arb_model::source::pushed_source;
use arb_schemas::TickRecord;
use arb_schemas::records::{Coverage, PollEnd};

use crate::cli::{Brokers, Sources, SourcesAction};
use crate::roles::cluster;
use crate::system::{clock, output};

pub(crate) fn run(config: &Sources) -> anyhow::Result<()> {
    match &config.action {
        SourcesAction::Withdraw { source, brokers } => {
            withdraw(brokers, source, &[true, false])?;
            output::write(format_args!("withdrawn: every price that was pushed to {source}\n"))
        }
    }
}

/// Withdraws what was pushed to a source while it was public, or private: in each partition after all that was pushed before.
pub(crate) fn withdraw(brokers: &Brokers, granted: &str, publicity: &[bool]) -> anyhow::Result<()> {
    let cluster = &cluster::open(brokers)?;
    let producer = TickProducer::new(cluster)?;
    let partitions = kafka::partitions(cluster)?;
    for source in publicity.iter().map(|is_public| pushed_source(granted, *is_public)) {
        let coverage = Coverage { books: None, markets: None };
        let end =
            PollEnd { source: source.clone(), received_at: clock::now(), league: None, coverage, frames: 0 };
        let end = TickRecord::PollEnd(end).encode()?;
        (0..partitions).try_for_each(|partition| producer.send(partition, &source, &end))?;
    }
    Ok(producer.flush()?)
}
