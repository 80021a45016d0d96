//! Whose a book is that is to be granted to a source for everybody: two sources of one book would overwrite each other's prices. It never changes
//! anything, and where it cannot tell it refuses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb_engine::venues::Books;
use arb_kafka::{self as kafka, Table, TableEvent};
use arb_model::source::pushed_source;
use arb_process::replica::StateReplica;
use arb_schemas::topics::PROCESS_STATE;

use crate::cli::Brokers;
use crate::roles::{books, cluster};

/// How long to wait for a record before looking at the time.
const WAIT: Duration = Duration::from_millis(100);
/// How long the changelog may take.
const PATIENCE: Duration = Duration::from_mins(5);

/// Refuses books of the table, and those that another source has a price of.
pub(super) fn refuse_those_of_others(
    brokers: &Brokers,
    source: Option<&str>,
    granted: &[String],
) -> anyhow::Result<()> {
    let table = books::read(None)?;
    if let Some(book) = granted.iter().find(|book| table.get(book).known) {
        bail!(
            "{book} is a book of the table, whose prices come of other sources: grant it without --public, or another book"
        );
    }
    let own = source.map(|source| pushed_source(source, true));
    let replicas =
        replicas(brokers, &table).context("which sources have a price of the books cannot be read")?;
    let listed = replicas.iter().flat_map(|replica| replica.engine().listed_books(None));
    for book in listed.filter(|listed| granted.iter().any(|book| **book == *listed.book)) {
        if let Some(other) = book.sources.iter().find(|other| own.as_deref() != Some(&***other)) {
            bail!(
                "{} has prices of the source {other}: grant it without --public, or another book",
                book.book
            );
        }
    }
    Ok(())
}

/// What the processor holds of every partition.
fn replicas(brokers: &Brokers, table: &Arc<Books>) -> anyhow::Result<Vec<StateReplica>> {
    let cluster = &cluster::open(brokers)?;
    let partitions = kafka::partitions(cluster)?;
    let mut replicas: Vec<_> = (0..partitions).map(|_| StateReplica::new(Arc::clone(table))).collect();
    let (mut changelog, begun) = (Table::open(cluster, &PROCESS_STATE, partitions)?, Instant::now());
    loop {
        match changelog.next(WAIT)? {
            TableEvent::Put { partition, key, value, .. } => {
                let replica = usize::try_from(partition).ok().and_then(|at| replicas.get_mut(at));
                replica.map_or(Ok(false), |replica| replica.put(&key, value.as_deref()))?;
            }
            TableEvent::CaughtUp => break,
            TableEvent::Idle if begun.elapsed() > PATIENCE => bail!("{} has no end", PROCESS_STATE.name),
            TableEvent::Idle => {}
        }
    }
    for replica in &mut replicas {
        replica.caught_up()?;
    }
    Ok(replicas)
}
