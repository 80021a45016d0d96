//! Records that were taken from the client in one call and are not given to the machine yet.
//!
//! Their memory is used again. It never reorders the records of a partition.

use arb_runtime::log::Record;

/// Records in the order in which they came.
#[derive(Default)]
pub(super) struct TakenRecords {
    /// Those from `next` to `end` are waiting; the others are memory.
    records: Vec<Record>,
    next: usize,
    end: usize,
}

impl TakenRecords {
    /// Adds a record behind the others.
    pub(super) fn push(&mut self, from: &arb_kafka_native::Record<'_>) {
        if self.is_empty() {
            (self.next, self.end) = (0, 0);
        }
        if self.end == self.records.len() {
            self.records.push(Record::default());
        }
        write(&mut self.records[self.end], from);
        self.end += 1;
    }

    /// Moves the first of them into this place; returns whether there was one.
    pub(super) fn pop(&mut self, record: &mut Record) -> bool {
        if self.is_empty() {
            return false;
        }
        std::mem::swap(record, &mut self.records[self.next]);
        self.next += 1;
        true
    }

    /// None is waiting.
    pub(super) fn is_empty(&self) -> bool {
        self.next == self.end
    }

    /// Drops those of a partition.
    pub(super) fn forget(&mut self, partition: i32) {
        let mut kept = self.next;
        for index in self.next..self.end {
            if self.records[index].partition != partition {
                self.records.swap(kept, index);
                kept += 1;
            }
        }
        self.end = kept;
    }
}

/// Writes a record into the memory that is there.
pub(super) fn write(to: &mut Record, from: &arb_kafka_native::Record<'_>) {
    (to.partition, to.offset) = (from.partition, from.offset);
    to.appended_at = from.appended_ms.map(|ms| ms.saturating_mul(1_000));
    put(&mut to.key, from.key);
    put(&mut to.value, from.value);
}

fn put(to: &mut Option<Vec<u8>>, from: Option<&[u8]>) {
    match (to.as_mut(), from) {
        (Some(to), Some(from)) => {
            to.clear();
            to.extend_from_slice(from);
        }
        (_, from) => *to = from.map(<[u8]>::to_vec),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(taken: &mut TakenRecords, partition: i32, offset: i64) {
        let value = offset.to_be_bytes();
        // One in three has no value, as a tombstone.
        let (key, value) = (Some(&b"key"[..]), (offset % 3 != 0).then_some(&value[..]));
        taken.push(&arb_kafka_native::Record { partition, offset, key, value, appended_ms: None });
    }

    /// All that wait; each has the value that was written with it.
    fn all(taken: &mut TakenRecords) -> Vec<(i32, i64)> {
        let mut record = Record::default();
        std::iter::from_fn(|| taken.pop(&mut record).then(|| record.clone()))
            .map(|record| {
                let value = record.offset.to_be_bytes();
                let expected = (record.offset % 3 != 0).then_some(&value[..]);
                assert_eq!((record.key.as_deref(), record.value.as_deref()), (Some(&b"key"[..]), expected));
                (record.partition, record.offset)
            })
            .collect()
    }

    #[test]
    fn they_come_in_their_order_and_their_memory_holds_no_older_record() {
        let mut taken = TakenRecords::default();
        for round in 0..3 {
            let offsets = || (10 * round)..(10 * round + 4 + round);
            offsets().for_each(|offset| push(&mut taken, 0, offset));
            assert_eq!(all(&mut taken), offsets().map(|offset| (0, offset)).collect::<Vec<_>>());
        }
        assert!(all(&mut taken).is_empty());
    }

    #[test]
    fn what_is_forgotten_is_of_one_partition() {
        let mut taken = TakenRecords::default();
        let places = [(0, 1), (1, 1), (0, 2), (2, 7), (1, 2), (0, 3)];
        for (partition, offset) in places {
            push(&mut taken, partition, offset);
        }
        let mut first = Record::default();
        assert!(taken.pop(&mut first));
        taken.forget(1);
        push(&mut taken, 1, 9);
        assert_eq!(all(&mut taken), [(0, 2), (2, 7), (0, 3), (1, 9)]);
    }
}
