//! The last resort where an output or a part of the state fits no record: its transaction is aborted, its records are taken again one by
//! one, and the one that does not fit is dead-lettered.
//!
//! Every machine refuses what would grow a part beyond its bound, so that this never happens: where it does, a bound is missing, and one
//! record is lost to the machine in place of all that come after it. It never touches the state.

use std::collections::BTreeMap;

/// The offset of a record of a partition.
type Place = (i32, i64);

/// What is taken one by one.
#[derive(Debug, Default)]
pub(super) struct LastResort {
    /// The offset of each partition before which a transaction has one record.
    singly: BTreeMap<i32, i64>,
    /// The record that does not fit, and why.
    refused: Option<(Place, String)>,
}

impl LastResort {
    /// Whether the next transaction is of one record.
    pub(super) fn is_single(&self) -> bool {
        !self.singly.is_empty()
    }

    /// Whether each transaction writes the state: nothing that was refused is ever processed again.
    pub(super) fn is_active(&self) -> bool {
        self.is_single() || self.refused.is_some()
    }

    /// Why a record is dead-lettered; `None` for one that is processed.
    pub(super) fn refusal(&self, partition: i32, offset: i64) -> Option<&str> {
        let (_, error) = self.refused.as_ref().filter(|(place, _)| *place == (partition, offset))?;
        Some(error)
    }

    /// A transaction of so many records does not fit; `next` has the next offset of each partition of it. Whether it is to be taken again:
    /// not where its one record had been refused.
    pub(super) fn begin(&mut self, records: usize, next: &BTreeMap<i32, i64>, error: &str) -> bool {
        if records > 1 {
            self.singly.extend(next);
            return true;
        }
        let place = next.iter().next().map(|(partition, next)| (*partition, next - 1));
        let Some(place) = place.filter(|(partition, offset)| self.refusal(*partition, *offset).is_none())
        else {
            return false;
        };
        self.refused = Some((place, error.to_owned()));
        true
    }

    /// The records of a partition up to an offset are taken one by one.
    pub(super) fn take_singly(&mut self, partition: i32, next: i64) {
        self.singly.insert(partition, next);
    }

    /// Everything before an offset of a partition is committed.
    pub(super) fn committed(&mut self, partition: i32, next: i64) {
        self.singly.retain(|id, until| *id != partition || next < *until);
        self.refused.take_if(|((id, offset), _)| *id == partition && *offset < next);
    }

    /// These partitions are others' now.
    pub(super) fn remove(&mut self, gone: &[i32]) {
        self.singly.retain(|id, _| !gone.contains(id));
        self.refused.take_if(|((id, _), _)| gone.contains(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_taken_one_by_one_until_all_of_the_transaction_are_committed() {
        let mut last = LastResort::default();
        assert!(last.begin(5, &[(0, 9), (1, 4)].into(), "too long") && last.is_single());
        assert_eq!(last.refusal(0, 8), None, "which of them it is is not known");
        assert!(last.begin(1, &[(0, 7)].into(), "too long"));
        assert_eq!((last.refusal(0, 6), last.refusal(1, 6)), (Some("too long"), None));
        assert!(!last.begin(1, &[(0, 7)].into(), "too long"), "a dead letter does not fit");
        last.committed(0, 7);
        assert_eq!((last.refusal(0, 6), last.is_single()), (None, true));
        last.committed(0, 9);
        assert!(last.is_single(), "of the other partition some are left");
        last.remove(&[1]);
        assert!(!last.is_single());
    }
}
