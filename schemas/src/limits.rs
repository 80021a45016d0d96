//! How long records may be, from the input to the last reader: one table.
//!
//! `INPUT < VALUE < WRITTEN <= READ`: every possible input can be dead-lettered completely, everything that
//! is written can be read again. Writers check the length of a record when it is encoded, before it is part
//! of a transaction. All are in bytes, uncompressed. It never limits how many things a record contains: the
//! engine does.

/// What a record takes beside its value: key, headers, and Kafka's own framing of a batch of one record.
pub const ALLOWANCE: usize = 64 * 1024;

/// Longest value that is read from the input topic. It is the default limit of brokers, so that a producer
/// with default settings can write it. A few hostile bytes of Avro can demand far more memory than they take,
/// so the length is checked first.
pub const INPUT: usize = 1024 * 1024;

/// Longest record of the input topic: its `max.message.bytes`.
pub const INPUT_RECORD: usize = INPUT + ALLOWANCE;

/// Longest record that any producer of ours sends, and `max.message.bytes` of every topic but the input's. Twice the input: a dead
/// letter is an input record and its headers, and no record that is computed from the largest state comes to it.
pub const WRITTEN: usize = 2 * 1024 * 1024;

/// Longest value that is encoded for a topic of ours; longest key and value that a dead letter carries.
pub const VALUE: usize = WRITTEN - ALLOWANCE;

/// Longest record that readers fetch in one piece, and longest value that they decode, but for the input's.
pub const READ: usize = WRITTEN;

/// Longest body of a request that pushes odds, as it is received.
pub const PUSH_BODY: usize = 1024 * 1024;

/// Longest body of a request that pushes odds, decompressed.
pub const PUSH_TEXT: usize = 8 * 1024 * 1024;

/// Longest line of such a body.
pub const PUSH_LINE: usize = 4096;

/// Prices in a request that pushes odds.
pub const PUSH_TICKS: usize = 10_000;

/// Events in a request that pushes odds.
pub const PUSH_EVENTS: usize = 500;

/// Different books and markets in a request that pushes odds.
pub const PUSH_NAMES: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topics;

    #[test]
    fn whatever_may_be_written_can_be_read() {
        // Key and value of the record that it was, and headers.
        let dead_letter = VALUE + ALLOWANCE;
        assert!([PUSH_LINE, PUSH_BODY, PUSH_TEXT].is_sorted(), "a compressed body is not the longer one");
        let ascending = [INPUT, INPUT_RECORD, dead_letter, WRITTEN, READ];
        assert!(ascending.is_sorted(), "{ascending:?}");
        assert!([INPUT, VALUE, WRITTEN].is_sorted_by(|a, b| a < b));
        for topic in topics::ALL {
            let longest = if topic.name == topics::ODDS_TICKS.name { INPUT_RECORD } else { WRITTEN };
            let setting = ("max.message.bytes", longest.to_string());
            assert!(topic.config().contains(&setting), "{}", topic.name);
        }
    }
}
