//! Whether partitions have been read to where they ended when reading began.
//!
//! librdkafka reports an end when a fetch brings nothing for half a second. Of a topic to which somebody writes more often it may never
//! do so: whoever waited for that would never begin. It never decides what is read.

use std::collections::BTreeMap;

/// Partitions that have not been read to their ends yet.
#[derive(Debug)]
pub(super) struct FirstEnds {
    /// Where each ended when its first record came, once that is known.
    open: BTreeMap<i32, Option<i64>>,
}

impl FirstEnds {
    pub(super) fn of(partitions: impl IntoIterator<Item = i32>) -> Self {
        Self { open: partitions.into_iter().map(|partition| (partition, None)).collect() }
    }

    /// Whether all have been read to their ends.
    pub(super) fn are_read(&self) -> bool {
        self.open.is_empty()
    }

    /// Notes an end that was reported; whether the partition had not been read to one before.
    pub(super) fn ended(&mut self, partition: i32) -> bool {
        self.open.remove(&partition).is_some()
    }

    /// Notes a record; whether its partition has been read to its first end by it. `known` is where that partition ended when the client
    /// last heard of it. Markers of transactions at the end are no records: there the end is reported, or another record comes.
    pub(super) fn has_read(
        &mut self,
        (partition, offset): (i32, i64),
        known: impl FnOnce() -> Option<i64>,
    ) -> bool {
        let Some(end) = self.open.get_mut(&partition) else { return false };
        *end = end.or_else(known);
        end.is_some_and(|end| offset + 1 >= end) && self.ended(partition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_read_when_what_was_there_at_first_is() {
        let mut ends = FirstEnds::of([0, 1]);
        // Four records are there when the first is read; each that is read is followed by another one.
        let read: Vec<_> = (0..6).map(|offset| ends.has_read((0, offset), || Some(4 + offset))).collect();
        assert_eq!(read, [false, false, false, true, false, false]);
        assert!(!ends.are_read(), "the other one is not");
        assert!(ends.ended(1) && !ends.ended(1) && ends.are_read());
        assert!(!ends.has_read((1, 9), || unreachable!("it has been read")));
    }

    #[test]
    fn markers_at_the_end_are_passed_by_the_next_record_or_reported() {
        let mut ends = FirstEnds::of([0, 1]);
        for partition in [0, 1] {
            assert!(!ends.has_read((partition, 2), || Some(4)), "offset 3 is a marker");
        }
        assert!(ends.has_read((0, 4), || unreachable!("it is known")));
        assert!(ends.ended(1));
    }
}
