//! Attempts that are written together: one record for several of a partition. It sends nothing.

use std::collections::BTreeMap;

use arb_schemas::records::{WebhookAttempt, WebhookAttempts};

/// Attempts of one record at most. Each has 4 KiB of an answer, or 12 KiB where all of it is replaced, so that a record is well below
/// the longest one; and a transaction of a thousand records stays one that commits within its time.
pub const ATTEMPTS: usize = 32;

/// Attempts that are to be written, by partition, each partition's in the order in which they were added.
#[derive(Debug, Default)]
pub struct AttemptBatches(BTreeMap<i32, Vec<WebhookAttempt>>);

impl AttemptBatches {
    /// Adds an attempt; returns the record of its partition when it is full.
    pub fn add(&mut self, partition: i32, attempt: WebhookAttempt) -> Option<WebhookAttempts> {
        let attempts = self.0.entry(partition).or_default();
        attempts.push(attempt);
        (attempts.len() >= ATTEMPTS).then(|| WebhookAttempts { attempts: std::mem::take(attempts) })
    }

    /// What is left: the partition of each record, and the record.
    pub fn into_rest(self) -> impl Iterator<Item = (i32, WebhookAttempts)> {
        let rest = self.0.into_iter().filter(|(_, attempts)| !attempts.is_empty());
        rest.map(|(partition, attempts)| (partition, WebhookAttempts { attempts }))
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::{limits, wire};

    use super::*;
    use crate::codec::{self, Task};

    fn attempt(number: i64, answer: String) -> WebhookAttempt {
        WebhookAttempt {
            delivery: format!("msg_{number:032x}"),
            number: 1,
            outcome: "delivered".to_owned(),
            status: Some(200),
            latency: 1,
            answer,
            retry_at: None,
            at: number,
        }
    }

    #[test]
    fn each_attempt_is_in_one_record_of_its_partition_in_order() {
        let (mut batches, mut written) = (AttemptBatches::default(), Vec::new());
        for number in 0..100 {
            let partition = i32::from(number % 4 == 0);
            let full = batches.add(partition, attempt(number, String::new()));
            written.extend(full.map(|record| (partition, record)));
        }
        written.extend(batches.into_rest());
        let lengths: Vec<_> = written.iter().map(|(of, record)| (*of, record.attempts.len())).collect();
        assert_eq!(lengths, [(0, 32), (0, 32), (0, 11), (1, 25)]);
        for partition in [0, 1] {
            let of = written.iter().filter(|(of, _)| *of == partition);
            let numbers: Vec<_> = of.flat_map(|(_, record)| record.attempts.iter().map(|it| it.at)).collect();
            let expected = (0..100).filter(|number| i32::from(number % 4 == 0) == partition);
            assert_eq!(numbers, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_longest_answers_fit_and_are_read_again() {
        let (mut batches, mut full) = (AttemptBatches::default(), None);
        let answer = String::from_utf8_lossy(&[0xff; 4_096]).into_owned();
        assert_eq!(answer.len(), 3 * 4_096);
        for number in 0..32 {
            full = batches.add(0, attempt(number, answer.clone()));
        }
        let full = full.unwrap();
        let value = wire::encode(&full).unwrap();
        assert!(value.len() < limits::VALUE / 4, "{}", value.len());
        assert_eq!(codec::decode_task(&value).unwrap(), Task::Attempts(full.attempts));
    }
}
