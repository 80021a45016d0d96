//! One attempt to bring a batch's rows to their tables.
//!
//! No insert is begun when the group's confirmation is older than its lease, so that an owner that was frozen
//! cannot continue after it wakes. Where rows may exist already, the tables are queried first, and again
//! afterwards. It never sends a row that a table has.

use std::collections::HashSet;

use arb_store::failure::Failure;
use sha2::{Digest, Sha256};

use super::insert_lease::InsertLease;
use super::partition::{Attempt, Ended};
use super::recovery::{Answer, Doubt, Place, Verdict, verdict};
use super::rows;
use super::store::{Range, Store};
use super::table::Table;

/// How often rows are sent that then are not in the table: from the second time on under another token.
const ROUNDS: usize = 3;

/// Why a table's rows are not all there.
enum Stopped {
    /// The lease has expired; with the tables' answer, if they were queried.
    Expired(Option<Answer>),
    /// The error of ClickHouse.
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Brings the rows to their tables; inserts are begun only while the lease holds.
///
/// # Errors
/// [`Failure::Lasting`]'s sentence.
pub(super) async fn run(
    store: &Store,
    attempt: &Attempt,
    range: &Range,
    lease: InsertLease,
) -> Result<Ended, String> {
    let job = Job { store, attempt, range, lease };
    let (mut left, mut answer) = (attempt.left.clone(), attempt.answer.clone());
    if let Some(other) = attempt.otherwise() {
        return job.inspect(other).await.map_or_else(|failure| failed(failure, left), |()| Ok(Ended::Clear));
    }
    while let Some(table) = left.first().copied() {
        let arrived = if attempt.is_in_doubt {
            job.repair(table, answer.take()).await
        } else {
            job.send_all(table).await
        };
        match arrived {
            Ok(()) => drop(left.remove(0)),
            Err(Stopped::Expired(answer)) => return Ok(Ended::Expired { left, answer }),
            Err(Stopped::Failed(failure)) => return failed(failure, left),
        }
    }
    Ok(Ended::Arrived)
}

fn failed(failure: Failure, left: Vec<Table>) -> Result<Ended, String> {
    match failure {
        Failure::Passing(error) => Ok(Ended::Failed { left, is_in_doubt: true, error }),
        Failure::Lasting(error) => Err(error),
    }
}

/// What is to be done, and with what.
struct Job<'a> {
    store: &'a Store,
    attempt: &'a Attempt,
    range: &'a Range,
    lease: InsertLease,
}

impl Job<'_> {
    /// Records before the batch are gone: nothing is known of their rows.
    fn asked(&self) -> Range {
        Range { first: self.attempt.batch.first(), ..self.range.clone() }
    }

    /// Fails if any table has rows by another version of the sink, of whose intent this is. It sends none: were rows of
    /// this version put beside them, no version could end what it began.
    async fn inspect(&self, other: &Doubt) -> Result<(), Failure> {
        let (asked, batch) = (self.asked(), &self.attempt.batch);
        for table in &self.attempt.left {
            let made = batch.rows().of(*table);
            // Where records are gone, fewer are made of the rest, and rows may well be there.
            let is_other = other.first == batch.first() || made == 0;
            if is_other && self.store.found(*table, &asked).await?.rows > 0 {
                return Err(other_version(*table, &asked, made, other.rows.of(*table)));
            }
        }
        Ok(())
    }

    async fn send_all(&self, table: Table) -> Result<(), Stopped> {
        if !self.lease.holds() {
            return Err(Stopped::Expired(None));
        }
        Ok(self.insert(table, &self.range.token(table), &HashSet::new()).await?)
    }

    async fn insert(&self, table: Table, token: &str, there: &HashSet<Place>) -> Result<(), Failure> {
        self.store.insert(table, self.range, &self.attempt.batch, token, there).await
    }

    /// Sends what is missing, until nothing is.
    ///
    /// Under the token of the whole insert, so that the server refuses rows of an earlier sender that are
    /// still on their way, part of the table by part, and ours where those have arrived. Rows that the server
    /// then refuses without having them (they were removed by hand) are sent under another token: it would
    /// refuse the first one from any sender.
    ///
    /// An answer may be older than the lease. A table may be slow, and its answer may arrive after the lease
    /// has expired; if it were queried again with each lease, nothing would ever be sent. Acting on the
    /// answer is still safe. It was received in this assignment of the partition, and the group has since
    /// accepted a commit of the same assignment: there was no other owner in between, so no other sender has
    /// begun. Rows that were already on their way, of an earlier owner or of this one, may arrive after any
    /// answer, however recent. The tokens protect against those, independent of the age of an answer, and so
    /// does the query after each insert, which is never reused.
    async fn repair(&self, table: Table, answer: Option<Answer>) -> Result<(), Stopped> {
        let (asked, made) = (self.asked(), self.attempt.batch.rows().of(table));
        let (mut sent, mut answer) =
            answer.map_or((Vec::new(), None), |Answer { sent, there }| (sent, Some(there)));
        loop {
            let there = match answer.take() {
                Some(there) => there,
                None => match self.ask(table, &asked, sent.len()).await? {
                    Some(there) => there,
                    None => return Ok(()),
                },
            };
            let missing = missing(self.attempt, self.range, table, &there);
            if missing.len() as u64 + there.len() as u64 != made {
                return Err(too_many(table, &asked, made, there.len() as u64).into());
            }
            if !self.lease.holds() {
                return Err(Stopped::Expired(Some(Answer { there, sent })));
            }
            self.note_missing(table, missing.len() as u64);
            let name = name(&missing);
            self.insert(table, &token(self.range, table, name, &sent), &there).await?;
            sent.push(name);
        }
    }

    /// That nothing has arrived is usual after an insert whose lease expired before it was sent; that a part is missing is not.
    fn note_missing(&self, table: Table, missing: u64) {
        let (first, last, made) = (self.range.first, self.range.last, self.attempt.batch.rows().of(table));
        if missing == made {
            tracing::info!(table = table.name(), first, last, rows = made, "no row is there yet: sending");
        } else {
            tracing::warn!(
                table = table.name(),
                first,
                last,
                made,
                missing,
                "rows are missing: sending them"
            );
        }
    }

    /// The places of rows that a table has, unless it has all; `sent` is how often rows were sent.
    async fn ask(&self, table: Table, asked: &Range, sent: usize) -> Result<Option<HashSet<Place>>, Failure> {
        let (found, made) = (self.store.found(table, asked).await?, self.attempt.batch.rows().of(table));
        match verdict(made, found) {
            Verdict::Complete => Ok(None),
            Verdict::TooMany => Err(too_many(table, asked, made, found.rows)),
            _ if sent == ROUNDS => Err(not_there(table, asked, made, found.rows)),
            Verdict::InsertAll => Ok(Some(HashSet::new())),
            Verdict::InsertMissing => self.store.places(table, asked).await.map(Some),
        }
    }
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

/// A number that is the same for every sender that finds the same rows missing.
fn name(missing: &[Place]) -> u64 {
    let mut hash = Sha256::new();
    for (offset, row) in missing {
        hash.update(offset.to_be_bytes());
        hash.update(row.to_be_bytes());
    }
    let hash: [u8; 32] = hash.finalize().into();
    hash[..8].iter().fold(0, |name, byte| name << 8 | u64::from(*byte))
}

/// The token of rows that are missing under this name, after these were sent: at first that of the whole
/// insert, then one that is the same for every sender that finds the same rows missing, and another when
/// these were sent under that in vain.
fn token(range: &Range, table: Table, name: u64, sent: &[u64]) -> String {
    let whole = range.token(table);
    let Some((_, after_whole)) = sent.split_first() else { return whole };
    match after_whole.iter().filter(|sent| **sent == name).count() {
        0 => format!("{whole}:missing-{name:016x}"),
        again => format!("{whole}:missing-{name:016x}-{again}"),
    }
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

#[cfg(test)]
mod tests {
    use arb_schemas::topics::ODDS_TICKS;

    use super::*;

    #[test]
    fn no_round_repeats_a_token_that_was_refused() {
        let range = Range { topic: &ODDS_TICKS, topic_id: "a".to_owned(), partition: 1, first: 2, last: 9 };
        let token = |name, sent: &[u64]| token(&range, Table::Ticks, name, sent);
        let whole = "ticks:odds.ticks.v1:a:1:2-9";
        assert_eq!(token(7, &[]), whole);
        assert_eq!(token(7, &[7]), format!("{whole}:missing-0000000000000007"));
        assert_eq!(token(7, &[7, 7]), format!("{whole}:missing-0000000000000007-1"));
        let others = token(8, &[7, 7]);
        assert_eq!(
            others,
            token(8, &[8]),
            "also for the next owner, which finds the same rows missing at once"
        );
    }

    #[test]
    fn missing_rows_have_one_name() {
        assert_eq!(name(&[(1, 2), (3, 4)]), name(&[(1, 2), (3, 4)]));
        assert_ne!(name(&[(1, 2), (3, 4)]), name(&[(1, 2)]));
    }
}
