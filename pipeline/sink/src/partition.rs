//! The life of a partition in the sink, without Kafka and without ClickHouse.
//!
//! One batch is collected while another, the flight, is inserted. Every step is a commit to the group, with
//! the intent beside it: rows are sent only after the group has accepted the intent, and are complete only
//! with the commit of what follows them. Beside every offset is the mark of the last record before it, so
//! that the next owner drops the same duplicates ([`arb_runtime::feed_mark`]) and builds the same rows of a
//! range. It executes nothing itself.

use std::mem;
use std::sync::Arc;
use std::time::Instant;

use arb_runtime::feed_mark::FeedMark;
use arb_schemas::topics::Topic;

use super::batch::{Batch, Limits};
use super::intent::Intent;
use super::record::Kept;
use super::recovery::{Answer, Doubt, Resume};
use super::retry;
use super::rows::{self, DecodedRecord};
use super::table::Table;

/// A partition that is read.
#[derive(Debug)]
pub struct Partition {
    topic: &'static Topic,
    limits: Limits,
    gathering: Batch,
    flight: Option<Flight>,
    /// The range of an intent that was left, which must be one batch.
    doubt: Option<Doubt>,
    /// So may rows of records before this, whatever the tables' newest is.
    unsure_below: i64,
    /// Rows of records before this may be there; not known before the tables were asked.
    checked: Option<i64>,
}

/// A batch whose rows are sent.
#[derive(Debug)]
struct Flight {
    batch: Arc<Batch>,
    /// The intent that it is to fulfil, where another has left it; its rows are this version's once no table has rows of
    /// another's.
    doubt: Option<Doubt>,
    /// Tables whose rows are not all there.
    left: Vec<Table>,
    /// The tables' answer of the first attempt, where it could not be acted upon.
    answer: Option<Answer>,
    /// Some rows may be there: the tables are asked first.
    is_in_doubt: bool,
    failures: u32,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The group must confirm the intent, not before this.
    Intend(Instant),
    /// Rows are on their way.
    Sending,
    /// All rows are there.
    Arrived,
}

/// A commit that is due, and what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// What was gathered is to be sent; what was sent before it has arrived.
    Begin,
    /// The same rows are to be sent again.
    Again,
    /// Nothing is under way any more.
    Settle,
}

/// One attempt to bring rows to their tables.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The rows' records.
    pub batch: Arc<Batch>,
    /// The intent that it is to fulfil, where another has left it: it may begin before the batch, where records are gone.
    pub doubt: Option<Doubt>,
    /// The tables whose rows are not all there.
    pub left: Vec<Table>,
    /// The tables' answer of the first attempt, which is not queried again.
    pub answer: Option<Answer>,
    /// Some rows may be there: the tables are to be asked first.
    pub is_in_doubt: bool,
}

impl Attempt {
    /// The intent to complete, where the version that left it built other rows from the records.
    #[must_use]
    pub fn otherwise(&self) -> Option<&Doubt> {
        self.doubt.as_ref().filter(|doubt| doubt.rows != *self.batch.rows())
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// All rows are there.
    Arrived,
    /// No table has rows of the other version whose intent was left: the intent of this version is committed.
    Clear,
    /// The group's confirmation was too old before all were sent; nothing was wrong.
    Expired {
        /// The tables whose rows are not all there.
        left: Vec<Table>,
        /// The tables' answer of the first attempt.
        answer: Option<Answer>,
    },
    /// It is to be tried again.
    Failed {
        /// The tables whose rows are not all there.
        left: Vec<Table>,
        /// Some of them may be there.
        is_in_doubt: bool,
        /// What was wrong.
        error: String,
    },
}

impl Partition {
    /// A partition that is read from the offset of [`super::recovery::resume`], once the tables have been
    /// queried.
    #[must_use]
    pub fn new(topic: &'static Topic, resume: &Resume, limits: Limits) -> Self {
        let (gathering, doubt) = (Batch::new(resume.at, resume.mark), resume.doubt);
        let unsure_below = resume.unsure_below;
        Self { topic, limits, gathering, flight: None, doubt, unsure_below, checked: None }
    }

    /// The tables have been asked: rows of records up to this offset are there.
    pub fn know(&mut self, highest: Option<i64>) {
        let left = self.doubt.map_or(i64::MIN, |doubt| doubt.last + 1);
        let known = highest.map_or(i64::MIN, |highest| highest + 1);
        self.checked = Some(known.max(left).max(self.unsure_below));
    }

    /// Takes a record; `false` when it is a double, of which no rows are made.
    pub fn take(&mut self, record: Kept<'_>, mark: Option<FeedMark>, now: Instant) -> bool {
        // A batch that has been taken is not taken again.
        if record.offset < self.gathering.next() {
            return true;
        }
        let is_new = self.gathering.admit(mark);
        let made = if is_new { rows::read(self.topic, record.value) } else { DecodedRecord::Nothing };
        self.gathering.take(record, &made, now);
        is_new
    }

    /// Whether it takes no more for now.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match self.doubt {
            _ if self.checked.is_none() => true,
            Some(doubt) => self.gathering.next() > doubt.last,
            None => self.gathering.is_full(&self.limits),
        }
    }

    /// The offset of the next record to be taken.
    #[must_use]
    pub fn next(&self) -> i64 {
        self.gathering.next()
    }

    /// Whether rows are under way, or may be.
    #[must_use]
    pub fn is_in_flight(&self) -> bool {
        self.flight.is_some()
    }

    /// The flight whose rows have all arrived and are not settled.
    #[must_use]
    pub fn arrived(&self) -> Option<Arc<Batch>> {
        let flight = self.flight.as_ref().filter(|flight| flight.stage == Stage::Arrived);
        flight.map(|flight| Arc::clone(&flight.batch))
    }

    /// What it holds in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.gathering.bytes() + self.flight.as_ref().map_or(0, |flight| flight.batch.bytes())
    }

    /// The commit that is due; `may_send` is whether rows may be sent now, `ends` that nothing new begins.
    #[must_use]
    pub fn due(&self, now: Instant, may_send: bool, ends: bool) -> Option<Step> {
        // What another has left is never settled without a look.
        let has_rows = self.gathering.rows().total() > 0 || self.doubt.is_some();
        let is_ready = self.checked.is_some()
            && !ends
            && (self.is_full() || self.doubt.is_none() && self.gathering.is_due(&self.limits, now));
        match self.flight.as_ref().map(|flight| flight.stage) {
            Some(Stage::Sending) => None,
            Some(Stage::Intend(not_before)) => (may_send && now >= not_before).then_some(Step::Again),
            _ if is_ready && has_rows && may_send => Some(Step::Begin),
            Some(Stage::Arrived) => Some(Step::Settle),
            None => (is_ready && !has_rows && self.gathering.last().is_some()).then_some(Step::Settle),
        }
    }

    /// What a step commits: the offset, and the intent beside it.
    #[must_use]
    pub fn mark(&self, step: Step) -> (i64, Option<Intent>) {
        match (step, &self.flight) {
            (Step::Begin, _) => intend(&self.gathering, self.doubt),
            (Step::Again, Some(flight)) => intend(&flight.batch, flight.doubt),
            (Step::Settle, Some(flight)) => (flight.batch.next(), None),
            (Step::Again | Step::Settle, None) => (self.gathering.next(), None),
        }
    }

    /// The mark of the last record before the offset that a step commits, which is committed beside it.
    #[must_use]
    pub fn mark_before(&self, step: Step) -> Option<FeedMark> {
        match (step, &self.flight) {
            (Step::Begin, _) => self.gathering.mark_before(),
            (Step::Again, Some(flight)) => flight.batch.mark_before(),
            (Step::Settle, Some(flight)) => flight.batch.mark(),
            (Step::Again | Step::Settle, None) => self.gathering.mark(),
        }
    }

    /// The group has taken a step's commit: what is to be sent now.
    pub fn marked(&mut self, step: Step) -> Option<Attempt> {
        match step {
            Step::Begin => self.begin(),
            Step::Again => {}
            Step::Settle => {
                if self.flight.take().is_none() {
                    self.gathering = Batch::new(self.gathering.next(), self.gathering.mark());
                }
                return None;
            }
        }
        let flight = self.flight.as_mut()?;
        flight.stage = Stage::Sending;
        let (batch, left, answer) = (Arc::clone(&flight.batch), flight.left.clone(), flight.answer.take());
        Some(Attempt { batch, doubt: flight.doubt, left, answer, is_in_doubt: flight.is_in_doubt })
    }

    fn begin(&mut self) {
        let batch = mem::replace(&mut self.gathering, Batch::new(0, None));
        self.gathering = Batch::new(batch.next(), batch.mark());
        let doubt = self.doubt.take();
        let is_in_doubt = self.checked.is_none_or(|checked| batch.first() < checked);
        // Another version may have put rows where this one puts none; these tables are asked at the end, too.
        let made = *batch.rows();
        let intended = doubt.iter().flat_map(|doubt| doubt.rows.tables().collect::<Vec<_>>());
        let left = made.tables().chain(intended.filter(|table| made.of(*table) == 0)).collect();
        let (batch, stage) = (Arc::new(batch), Stage::Sending);
        let (answer, failures) = (None, 0);
        self.flight = Some(Flight { batch, doubt, left, answer, is_in_doubt, failures, stage });
    }

    /// An attempt has ended; `random` is from 0 to 1. How often it has failed in a row.
    pub fn ended(&mut self, ended: Ended, now: Instant, random: f64) -> u32 {
        let Some(flight) = self.flight.as_mut() else { return 0 };
        match ended {
            Ended::Arrived => {
                flight.stage = Stage::Arrived;
                flight.failures = 0;
            }
            Ended::Clear => {
                let rows = *flight.batch.rows();
                flight.doubt = flight.doubt.map(|doubt| Doubt { rows, ..doubt });
                flight.stage = Stage::Intend(now);
            }
            Ended::Expired { left, answer } => {
                (flight.left, flight.answer) = (left, answer);
                flight.stage = Stage::Intend(now);
            }
            Ended::Failed { left, is_in_doubt, .. } => {
                flight.left = left;
                flight.is_in_doubt |= is_in_doubt;
                flight.failures += 1;
                flight.stage = Stage::Intend(now + retry::pause(flight.failures, random));
            }
        }
        flight.failures
    }
}

/// The commit of a batch's intent. An intent that was left stays as it is until its outcome is known: only
/// the version that wrote it can complete it.
fn intend(batch: &Batch, doubt: Option<Doubt>) -> (i64, Option<Intent>) {
    let own = batch.intent();
    let intent = match doubt {
        Some(Doubt { first, rows, .. }) => Intent { first, rows, ..own },
        None => own,
    };
    (intent.first, Some(intent))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use arb_schemas::records::Heartbeat;
    use arb_schemas::topics::ODDS_TICKS;
    use arb_schemas::wire::encode;

    use super::super::table::Tally;
    use super::*;

    const LIMITS: Limits = Limits { rows: 2, bytes: 1_000_000, interval: Duration::from_secs(1) };
    const PLAIN: Resume =
        Resume { at: 10, mark: None, doubt: None, unsure_below: i64::MIN, lost: 0, is_new_topic: false };

    fn partition(resume: &Resume) -> Partition {
        let mut partition = Partition::new(&ODDS_TICKS, resume, LIMITS);
        assert!(partition.is_full(), "nothing is taken before the tables were asked");
        partition.know(None);
        partition
    }

    /// Takes records that are none, each a row.
    fn take(partition: &mut Partition, offsets: std::ops::Range<i64>, now: Instant) {
        for offset in offsets {
            assert!(partition.take(Kept { offset, key: b"", value: b"none" }, None, now));
        }
    }

    #[test]
    fn rows_are_sent_after_the_intent_and_settled_with_the_next() {
        let (mut partition, now) = (partition(&PLAIN), Instant::now());
        assert_eq!(partition.due(now, true, false), None);
        take(&mut partition, 11..13, now);
        assert!(partition.is_full());
        assert_eq!(partition.due(now, false, false), None, "as many inserts as there may be are under way");
        assert_eq!(partition.due(now, true, true), None, "nothing new begins at the end");
        assert_eq!(partition.due(now, true, false), Some(Step::Begin));
        let (offset, intent) = partition.mark(Step::Begin);
        let intent = intent.unwrap();
        assert_eq!((offset, intent.first, intent.last, intent.rows.total()), (10, 10, 12, 2));
        let attempt = partition.marked(Step::Begin).unwrap();
        assert_eq!((attempt.doubt, attempt.is_in_doubt, attempt.left), (None, false, vec![Table::Rejected]));
        take(&mut partition, 13..15, now);
        assert!(partition.is_full());
        assert_eq!(partition.due(now, true, false), None, "one flight at a time");
        partition.ended(Ended::Arrived, now, 0.0);
        assert_eq!(partition.due(now, true, false), Some(Step::Begin));
        assert_eq!(partition.mark(Step::Begin).0, 13, "the end of the one is the beginning of the other");
        assert_eq!(partition.due(now, false, false), Some(Step::Settle));
        assert_eq!(partition.mark(Step::Settle), (13, None));
    }

    #[test]
    fn an_idle_intent_is_committed_too() {
        let (mut partition, now) = (partition(&PLAIN), Instant::now());
        take(&mut partition, 10..11, now);
        let later = now + LIMITS.interval;
        assert_eq!(
            (partition.due(now, true, false), partition.due(later, true, false)),
            (None, Some(Step::Begin))
        );
        partition.marked(Step::Begin);
        partition.ended(Ended::Arrived, now, 0.0);
        assert_eq!(partition.due(now, true, false), Some(Step::Settle));
        assert_eq!(
            (partition.mark(Step::Settle), partition.marked(Step::Settle).is_none()),
            ((11, None), true)
        );
        assert!(!partition.is_in_flight() && partition.due(later, true, false).is_none());
    }

    #[test]
    fn a_failure_is_tried_again_once_the_group_has_confirmed_it() {
        let (mut partition, now) = (partition(&PLAIN), Instant::now());
        take(&mut partition, 10..12, now);
        partition.marked(Step::Begin);
        let left = vec![Table::Rejected];
        let failed = Ended::Failed { left: left.clone(), is_in_doubt: true, error: "away".to_owned() };
        assert_eq!(partition.ended(failed, now, 1.0), 1);
        assert_eq!(partition.due(now, true, false), None);
        let later = now + Duration::from_millis(100);
        assert_eq!(partition.due(later, true, true), Some(Step::Again), "what began is ended");
        assert_eq!(partition.mark(Step::Again).1.unwrap().last, 11);
        let attempt = partition.marked(Step::Again).unwrap();
        assert!(attempt.is_in_doubt && attempt.answer.is_none());

        let answer = Some(Answer { there: [(10, 0)].into(), sent: vec![7] });
        let expired = Ended::Expired { left: left.clone(), answer: answer.clone() };
        assert_eq!(partition.ended(expired, now, 1.0), 1, "an old confirmation is no failure");
        assert_eq!(partition.due(now, true, false), Some(Step::Again));
        assert_eq!(partition.marked(Step::Again).unwrap().answer, answer, "the tables are not queried again");
        let failed = Ended::Failed { left, is_in_doubt: true, error: "away".to_owned() };
        assert_eq!(partition.ended(failed, now, 1.0), 2);
        assert_eq!(partition.marked(Step::Again).unwrap().answer, None, "rows may have come since");
    }

    fn doubt(rows: &[(Table, u64)]) -> Doubt {
        let mut tally = Tally::default();
        for (table, rows) in rows {
            tally.count(*table, *rows);
        }
        Doubt { first: 10, last: 11, rows: tally }
    }

    /// One version rejected a record that another accepts, or the other way round.
    #[test]
    fn an_intent_of_another_version_stays_until_no_table_has_any_of_its_rows() {
        let (other, now) = (doubt(&[(Table::Ticks, 2)]), Instant::now());
        let mut partition = partition(&Resume { doubt: Some(other), ..PLAIN });
        take(&mut partition, 10..12, now);
        assert_eq!(partition.due(now, true, false), Some(Step::Begin));
        let intent = partition.mark(Step::Begin).1.unwrap();
        assert_eq!((intent.first, intent.last, intent.rows), (10, 11, other.rows));
        let attempt = partition.marked(Step::Begin).unwrap();
        assert_eq!(attempt.left, [Table::Rejected, Table::Ticks]);
        assert_eq!(attempt.otherwise(), Some(&other));
        assert_eq!(partition.mark(Step::Again).1.unwrap().rows, other.rows);
        partition.ended(Ended::Clear, now, 0.0);
        assert_eq!(partition.due(now, true, true), Some(Step::Again));
        let own = doubt(&[(Table::Rejected, 2)]);
        assert_eq!(partition.mark(Step::Again).1.unwrap().rows, own.rows, "before any of them is sent");
        let attempt = partition.marked(Step::Again).unwrap();
        assert_eq!((attempt.otherwise(), attempt.is_in_doubt), (None, true));
        assert_eq!(attempt.left, [Table::Rejected, Table::Ticks], "a late one is noticed");
    }

    #[test]
    fn a_doubt_is_not_settled_without_a_look_though_its_records_make_nothing() {
        let (other, now) = (doubt(&[(Table::Ticks, 2)]), Instant::now());
        let mut partition = partition(&Resume { doubt: Some(other), ..PLAIN });
        let end = encode(&Heartbeat { source: "s".to_owned(), at: 0 }).unwrap();
        for offset in 10..12 {
            partition.take(Kept { offset, key: b"", value: &end }, None, now);
        }
        assert_eq!(partition.due(now, true, false), Some(Step::Begin));
        let attempt = partition.marked(Step::Begin).unwrap();
        assert_eq!((attempt.left.as_slice(), attempt.otherwise()), ([Table::Ticks].as_slice(), Some(&other)));
        assert_eq!(attempt.batch.rows().total(), 0);
    }

    #[test]
    fn a_range_in_doubt_is_one_batch_whatever_the_limits_are() {
        let doubt = Some(Doubt { first: 8, last: 15, rows: Tally::default() });
        let (mut partition, now) = (partition(&Resume { doubt, ..PLAIN }), Instant::now());
        take(&mut partition, 10..15, now);
        let later = now + LIMITS.interval;
        assert_eq!((partition.is_full(), partition.due(later, true, false)), (false, None));
        take(&mut partition, 15..16, now);
        assert_eq!((partition.is_full(), partition.due(now, true, false)), (true, Some(Step::Begin)));
        let (offset, intent) = partition.mark(Step::Begin);
        assert_eq!((offset, intent.unwrap().first), (8, 8));
        let attempt = partition.marked(Step::Begin).unwrap();
        assert_eq!((attempt.doubt, attempt.batch.first(), attempt.is_in_doubt), (doubt, 10, true));
        assert_eq!(partition.mark(Step::Again).0, 8);
        take(&mut partition, 16..18, now);
        partition.ended(Ended::Arrived, now, 0.0);
        assert!(!partition.marked(Step::Begin).unwrap().is_in_doubt, "what follows is new");
    }

    #[test]
    fn records_that_the_tables_know_are_asked_for() {
        let (mut partition, now) = (Partition::new(&ODDS_TICKS, &PLAIN, LIMITS), Instant::now());
        partition.know(Some(11));
        let mut begin = |offsets| {
            take(&mut partition, offsets, now);
            let attempt = partition.marked(Step::Begin).unwrap();
            partition.ended(Ended::Arrived, now, 0.0);
            attempt.is_in_doubt
        };
        assert_eq!([begin(10..12), begin(12..14)], [true, false]);
    }

    /// The offsets were set back by hand, and the newest rows removed: the server still knows their names.
    #[test]
    fn records_that_no_note_calls_new_are_asked_for_though_no_table_has_them() {
        let resume = Resume { unsure_below: 12, ..PLAIN };
        let (mut partition, now) = (Partition::new(&ODDS_TICKS, &resume, LIMITS), Instant::now());
        partition.know(None);
        let mut begin = |offsets| {
            take(&mut partition, offsets, now);
            let attempt = partition.marked(Step::Begin).unwrap();
            partition.ended(Ended::Arrived, now, 0.0);
            attempt.is_in_doubt
        };
        assert_eq!([begin(10..12), begin(12..14)], [true, false]);
    }

    #[expect(clippy::unnecessary_wraps, reason = "as it is compared with")]
    fn mark(sequence: i64) -> Option<FeedMark> {
        Some(FeedMark { epoch: 1, sequence })
    }

    /// Takes records with these numbers; which of them are new.
    fn numbered(partition: &mut Partition, from: i64, numbers: &[i64], now: Instant) -> Vec<bool> {
        let one = |(offset, number): (i64, &i64)| {
            partition.take(Kept { offset, key: b"", value: b"none" }, mark(*number), now)
        };
        (from..).zip(numbers).map(one).collect()
    }

    #[test]
    fn doubles_make_no_rows_and_what_is_committed_says_from_which_mark_they_are_known() {
        let limits = Limits { rows: 100, ..LIMITS };
        let (mut partition, now) = (Partition::new(&ODDS_TICKS, &PLAIN, limits), Instant::now());
        partition.know(None);
        let is_new = numbered(&mut partition, 10, &[1, 2, 3, 1, 2], now);
        assert_eq!(is_new, [true, true, true, false, false]);
        let later = now + limits.interval;
        assert_eq!(partition.due(later, true, false), Some(Step::Begin));
        let intent = partition.mark(Step::Begin).1.unwrap();
        assert_eq!((intent.first, intent.last, intent.rows.total()), (10, 14, 3));
        assert_eq!(partition.mark_before(Step::Begin), None);
        partition.marked(Step::Begin);
        assert_eq!(
            (partition.mark_before(Step::Again), partition.mark_before(Step::Settle)),
            (None, mark(3))
        );
        // The rest of what was written again comes in the next batch.
        assert_eq!(numbered(&mut partition, 15, &[3, 4], now), [false, true]);
        partition.ended(Ended::Arrived, now, 0.0);
        assert_eq!(partition.due(later, true, false), Some(Step::Begin));
        assert_eq!((partition.mark(Step::Begin).0, partition.mark_before(Step::Begin)), (15, mark(3)));
        assert_eq!(partition.marked(Step::Begin).unwrap().batch.rows().total(), 1);
        partition.ended(Ended::Arrived, now, 0.0);
        partition.marked(Step::Settle);
        // Doubles alone are settled without rows, and change no mark.
        assert_eq!(numbered(&mut partition, 17, &[2, 3], now), [false, false]);
        assert_eq!(partition.due(later, true, false), Some(Step::Settle));
        assert_eq!(
            (partition.mark(Step::Settle), partition.mark_before(Step::Settle)),
            ((19, None), mark(4))
        );
        partition.marked(Step::Settle);
        assert_eq!(numbered(&mut partition, 19, &[4, 5], now), [false, true]);
    }

    /// Wherever a sink dies, the next owner builds the intended rows from the intent's range.
    #[test]
    fn a_range_in_doubt_has_the_same_rows_by_the_mark_beside_it() {
        let numbers = [1, 2, 3, 1, 2, 3, 4, 4, 5];
        let limits = Limits { rows: 100, ..LIMITS };
        for cut in 0..numbers.len() {
            let (mut partition, now) = (Partition::new(&ODDS_TICKS, &PLAIN, limits), Instant::now());
            partition.know(None);
            numbered(&mut partition, 10, &numbers[..cut], now);
            let (at, before) = (10 + i64::try_from(cut).unwrap(), partition.mark_before(Step::Settle));
            partition.marked(Step::Begin);
            partition.ended(Ended::Arrived, now, 0.0);
            numbered(&mut partition, at, &numbers[cut..], now);
            assert_eq!(partition.mark_before(Step::Begin), before);
            let intent = partition.mark(Step::Begin).1.unwrap();
            let doubt = Some(Doubt { first: intent.first, last: intent.last, rows: intent.rows });
            let mut next = Partition::new(&ODDS_TICKS, &Resume { at, mark: before, doubt, ..PLAIN }, LIMITS);
            next.know(None);
            numbered(&mut next, at, &numbers[cut..], now);
            let attempt = next.marked(Step::Begin).unwrap();
            assert_eq!((attempt.batch.rows(), attempt.otherwise()), (&intent.rows, None), "{cut}");
            assert_eq!(next.mark_before(Step::Settle), mark(5), "{cut}");
        }
    }
}
