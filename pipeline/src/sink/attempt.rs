//! One attempt to bring a batch's rows to their tables.
//!
//! Nothing is sent when the group's confirmation is older than its permit, so that an owner that was frozen and wakes
//! finds that it may not go on. Where rows may be there, the tables are asked first, and asked again afterwards. It
//! never sends a row of which a table says that it is there.

use std::collections::HashSet;
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::failure::Failure;
use super::partition::{Attempt, Ended};
use super::recovery::{Verdict, verdict};
use super::rows;
use super::store::{Place, Range, Store};
use super::table::Table;

/// How often rows may be sent that then are not there: the second time their token is another.
const ROUNDS: u32 = 3;

/// Why a table's rows are not all there.
enum Stopped {
    /// The permit is over.
    Expired,
    /// What ClickHouse said.
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Brings the rows to their tables; rows are sent only until the permit ends.
///
/// # Errors
/// [`Failure::Lasting`]'s sentence.
pub(super) async fn run(
    store: &Store,
    attempt: &Attempt,
    range: &Range,
    permit: Instant,
) -> Result<Ended, String> {
    let mut left = attempt.left.clone();
    while let Some(table) = left.first().copied() {
        let arrived = if attempt.is_in_doubt {
            repair(store, attempt, range, table, permit).await
        } else {
            send_all(store, attempt, range, table, permit).await
        };
        match arrived {
            Ok(()) => drop(left.remove(0)),
            Err(Stopped::Expired) => {
                return Ok(Ended::Failed { left, is_in_doubt: attempt.is_in_doubt, error: None });
            }
            Err(Stopped::Failed(Failure::Passing(error))) => {
                return Ok(Ended::Failed { left, is_in_doubt: true, error: Some(error) });
            }
            Err(Stopped::Failed(Failure::Lasting(error))) => return Err(error),
        }
    }
    Ok(Ended::Arrived)
}

fn permitted(permit: Instant) -> Result<(), Stopped> {
    if Instant::now() < permit { Ok(()) } else { Err(Stopped::Expired) }
}

async fn send_all(
    store: &Store,
    attempt: &Attempt,
    range: &Range,
    table: Table,
    permit: Instant,
) -> Result<(), Stopped> {
    permitted(permit)?;
    Ok(store.insert(table, range, &attempt.batch, &range.token(table), &HashSet::new()).await?)
}

/// Sends what is missing, until nothing is.
///
/// Under the token of the whole, so that rows of an earlier sender that are still on their way are refused by the server,
/// part of the table by part, and ours where those have come. What the server then refuses without having it (rows that
/// somebody has removed) goes under a token of its own: its first one will be refused to anybody.
async fn repair(
    store: &Store,
    attempt: &Attempt,
    range: &Range,
    table: Table,
    permit: Instant,
) -> Result<(), Stopped> {
    // Records before the batch are gone: nothing is said of their rows.
    let asked = Range { first: attempt.batch.first(), ..range.clone() };
    let made = attempt.batch.rows().of(table);
    for round in 0..=ROUNDS {
        let found = store.found(table, &asked).await?;
        if let Some(doubt) = is_otherwise(attempt, table).filter(|_| found.rows > 0) {
            return Err(other_version(table, &asked, made, doubt).into());
        }
        let there = match verdict(made, found) {
            Verdict::Complete => return Ok(()),
            Verdict::TooMany => return Err(too_many(table, &asked, made, found.rows).into()),
            _ if round == ROUNDS => return Err(not_there(table, &asked, made, found.rows).into()),
            Verdict::InsertAll => HashSet::new(),
            Verdict::InsertMissing => store.places(table, &asked).await?,
        };
        let missing = missing(attempt, range, table, &there);
        if missing.len() as u64 + there.len() as u64 != made {
            return Err(too_many(table, &asked, made, there.len() as u64).into());
        }
        tracing::warn!(%table, first = range.first, last = range.last, made, missing = missing.len(), "rows are missing");
        permitted(permit)?;
        let token = if round == 0 { range.token(table) } else { second_token(range, table, &missing) };
        store.insert(table, range, &attempt.batch, &token, &there).await?;
    }
    Ok(())
}

/// How many rows the intent that another has left speaks of, where the records make others.
fn is_otherwise(attempt: &Attempt, table: Table) -> Option<u64> {
    // Where records are gone, fewer are made.
    let doubt = attempt.doubt.filter(|doubt| doubt.first == attempt.batch.first())?;
    (doubt.rows != *attempt.batch.rows()).then(|| doubt.rows.of(table))
}

/// The places of the rows that a batch makes for a table and that are not there, in order.
fn missing(attempt: &Attempt, range: &Range, table: Table, there: &HashSet<Place>) -> Vec<Place> {
    let records = attempt.batch.records(table);
    let places = records.flat_map(|record| {
        let rows = rows::read(range.topic, record.value).rows().map_or(0, |(_, rows)| rows);
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        (0..rows).map(move |row| (record.offset.cast_unsigned(), row))
    });
    places.filter(|place| !there.contains(place)).collect()
}

/// A token that is the same for whoever finds the same rows missing.
fn second_token(range: &Range, table: Table, missing: &[Place]) -> String {
    let mut hash = Sha256::new();
    for (offset, row) in missing {
        hash.update(offset.to_be_bytes());
        hash.update(row.to_be_bytes());
    }
    let hash: [u8; 32] = hash.finalize().into();
    let name = hash[..8].iter().fold(0_u64, |name, byte| name << 8 | u64::from(*byte));
    format!("{}:missing-{name:016x}", range.token(table))
}

fn too_many(table: Table, range: &Range, made: u64, rows: u64) -> Failure {
    let Range { topic, partition, first, last, .. } = range;
    Failure::Lasting(format!(
        "{table} has {rows} rows of {} partition {partition} from offset {first} to {last}, and the records make {made}: \
         some are there twice, or were made by another version of the sink; remove those of this range and start it again",
        topic.name
    ))
}

fn other_version(table: Table, range: &Range, made: u64, intended: u64) -> Failure {
    let Range { topic, partition, first, last, .. } = range;
    Failure::Lasting(format!(
        "{table} has rows of {} partition {partition} from offset {first} to {last} by a version of the sink that made \
         {intended} of these records, and this one makes {made}: start that version once more, it ends what it began",
        topic.name
    ))
}

fn not_there(table: Table, range: &Range, made: u64, rows: u64) -> Failure {
    let Range { topic, partition, first, last, .. } = range;
    Failure::Lasting(format!(
        "{table} has {rows} of {made} rows of {} partition {partition} from offset {first} to {last}, though it took them \
         {ROUNDS} times: something removes them",
        topic.name
    ))
}
