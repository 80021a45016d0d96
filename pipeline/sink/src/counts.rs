//! What went through a sink, counted when it has happened.
//!
//! It decides nothing.

use std::fmt;

use arb_kafka::Source;

use super::partition::Ended;
use super::sources::named;
use super::table::{Table, Tally};

/// Counts since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records read.
    pub records: u64,
    /// Rows that the tables have acknowledged, those among them that were there already.
    pub rows: Tally,
    /// Batches whose rows are all there.
    pub batches: u64,
    /// Attempts that failed and are made again, and questions at the start.
    pub retries: u64,
    /// Attempts that stopped because the group's confirmation was too old, and went on with another.
    pub expired: u64,
    /// Batches of which rows could be there before they were sent.
    pub in_doubt: u64,
    /// Commits that the group did not take at once.
    pub refused: u64,
    /// Partitions taken.
    pub taken: u64,
    /// Offsets at most whose records were gone before they were inserted.
    pub lost: u64,
}

/// What is not 0, as `name=value`.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "records={} batches={}", self.records, self.batches)?;
        for table in Table::ALL.into_iter().filter(|table| self.rows.of(*table) > 0) {
            write!(f, " {}={}", table.name(), self.rows.of(table))?;
        }
        let rest = [
            ("retries", self.retries),
            ("expired", self.expired),
            ("in_doubt", self.in_doubt),
            ("refused", self.refused),
            ("taken", self.taken),
            ("lost", self.lost),
        ];
        rest.iter().filter(|(_, count)| *count > 0).try_for_each(|(name, count)| write!(f, " {name}={count}"))
    }
}

impl Counts {
    /// Counts the end of an attempt; returns the error, unless the end is no failure.
    pub(super) fn ended(&mut self, source: Source, ended: &Ended) -> Option<String> {
        match ended {
            Ended::Arrived => None,
            Ended::Clear => {
                let partition = named(source);
                tracing::warn!(partition, "no table has rows of a batch that another version had announced");
                None
            }
            Ended::Expired { left, answer } => {
                self.expired += 1;
                let (partition, tables, is_confirmed) = (named(source), left.len(), answer.is_some());
                tracing::warn!(
                    partition,
                    tables,
                    is_confirmed,
                    "the insert lease ended before all rows were sent"
                );
                None
            }
            Ended::Failed { error, .. } => {
                self.retries += 1;
                Some(error.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_read_as_names_and_values() {
        let mut counts = Counts { records: 7, batches: 2, lost: 1, ..Counts::default() };
        counts.rows.count(Table::Ticks, 40);
        assert_eq!(counts.to_string(), "records=7 batches=2 ticks=40 lost=1");
    }

    #[test]
    fn an_end_without_failure_has_a_separate_count() {
        let (mut counts, source) = (Counts::default(), Source { topic: 0, partition: 1 });
        let failed = Ended::Failed { left: Vec::new(), is_in_doubt: true, error: "away".to_owned() };
        assert_eq!(counts.ended(source, &failed), Some("away".to_owned()));
        for _ in 0..2 {
            assert_eq!(counts.ended(source, &Ended::Expired { left: Vec::new(), answer: None }), None);
        }
        assert_eq!((counts.retries, counts.expired), (1, 2));
        assert_eq!([Ended::Arrived, Ended::Clear].map(|ended| counts.ended(source, &ended)), [None, None]);
    }
}
