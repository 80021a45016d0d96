//! `arb sources`: what an operator does about sources: shuts one or a book at once, or withdraws what a client has pushed.
//!
//! It never withdraws prices of a source that no client pushes to.

use arb_kafka::{self as kafka, TickProducer};
use arb_model::source::pushed_source;
use arb_schemas::TickRecord;
use arb_schemas::records::{Coverage, PollEnd, Suspension};

use crate::cli::{Brokers, Sources, SourcesAction, Suspended};
use crate::roles::cluster;
use crate::system::{clock, output};

pub(crate) fn run(config: &Sources) -> anyhow::Result<()> {
    match &config.action {
        SourcesAction::Suspend(suspended) => suspend(suspended, true),
        SourcesAction::Resume(suspended) => suspend(suspended, false),
        SourcesAction::Withdraw { source, brokers } => {
            withdraw(brokers, source, &[true, false])?;
            output::write(format_args!("withdrawn: every price that was pushed to {source}\n"))
        }
    }
}

fn suspend(subject: &Suspended, is_suspended: bool) -> anyhow::Result<()> {
    let Suspended { name, book, brokers } = subject;
    let record = Suspension { name: name.clone(), is_book: *book, is_suspended, at: clock::now() };
    publish(brokers, [(name.clone(), TickRecord::Suspension(record))])?;
    let (what, done) =
        (if *book { "book" } else { "source" }, if is_suspended { "suspended" } else { "resumed" });
    output::write(format_args!("{done}: the {what} {name}\n"))
}

/// Withdraws what was pushed to a source while it was public, or private: in each partition after all that was pushed before.
pub(crate) fn withdraw(brokers: &Brokers, granted: &str, publicity: &[bool]) -> anyhow::Result<()> {
    let end = |is_public: &bool| {
        let source = pushed_source(granted, *is_public);
        let (received_at, coverage) = (clock::now(), Coverage { books: None, markets: None });
        let end = PollEnd { source: source.clone(), received_at, league: None, coverage, frames: 0 };
        (source, TickRecord::PollEnd(end))
    };
    publish(brokers, publicity.iter().map(end))
}

/// Publishes records under their keys to every partition of the ticks.
fn publish(brokers: &Brokers, records: impl IntoIterator<Item = (String, TickRecord)>) -> anyhow::Result<()> {
    let cluster = &cluster::open(brokers)?;
    let producer = TickProducer::new(cluster)?;
    let partitions = kafka::partitions(cluster)?;
    for (key, record) in records {
        let message = record.encode()?;
        (0..partitions).try_for_each(|partition| producer.send(partition, &key, &message))?;
    }
    Ok(producer.flush()?)
}
