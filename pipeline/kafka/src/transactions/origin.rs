//! The name of a transaction on the first record that it writes to a partition, for whoever finds it open there.
//!
//! It never states how the transaction ended.

use rdkafka::Message;
use rdkafka::message::{BorrowedMessage, Headers};

/// The header of the first record that a transaction writes to a partition, of the last one of a large transaction, and of the changelog's
/// record of the partition: its `Origin` as text, `ID:FROM:TO`.
pub const ORIGIN: &str = "arb-transaction";

/// Which transaction wrote a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) transactional_id: String,
    /// The first offset that it read of the input partition with the number of the output's.
    pub(super) from: i64,
    /// The offset that it commits there; `None` on the first record of a large transaction, which is written before that is known.
    pub(super) to: Option<i64>,
}

impl Origin {
    /// As [`ORIGIN`] has it; `None` when it is none.
    fn parse(text: &str) -> Option<Self> {
        let (rest, to) = text.rsplit_once(':')?;
        let (id, from) = rest.rsplit_once(':')?;
        let to = if to.is_empty() { None } else { Some(to.parse().ok()?) };
        Some(Self { transactional_id: id.to_owned(), from: from.parse().ok()?, to })
    }

    /// Takes in what a record that follows in the partition names, or nothing; whether it is of the same transaction. The last record of a
    /// large one names its end, which the first does not.
    pub(super) fn goes_on(&mut self, named: Option<&Self>) -> bool {
        let Some(named) = named else { return true };
        let is_one = (&self.transactional_id, self.from) == (&named.transactional_id, named.from);
        match (self.to, named.to) {
            (None, Some(_)) if is_one => {
                self.to = named.to;
                true
            }
            (Some(to), Some(end)) => is_one && to == end,
            // The first record of another large one, though it be from the same offset.
            _ => false,
        }
    }

    /// Of a record that names it.
    pub(super) fn of(message: &BorrowedMessage<'_>) -> Option<Self> {
        let header = message.headers()?.iter().find(|header| header.key == ORIGIN)?;
        Self::parse(std::str::from_utf8(header.value?).ok()?)
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:", self.transactional_id, self.from)?;
        self.to.map_or(Ok(()), |to| write!(f, "{to}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_of_a_large_transaction_names_its_end() {
        let origin = |from, to| Origin { transactional_id: "group-0".to_owned(), from, to };
        let mut large = origin(100, None);
        assert!(large.goes_on(None));
        // An attempt before it was aborted, and its marker is lost too.
        assert!(!large.goes_on(Some(&origin(100, None))));
        assert!(!large.goes_on(Some(&origin(200, Some(300)))) && large.to.is_none());
        assert!(large.goes_on(Some(&origin(100, Some(200)))));
        assert_eq!(large, origin(100, Some(200)));
        assert!(large.goes_on(Some(&origin(100, Some(200)))));
        assert!(!large.goes_on(Some(&origin(100, Some(150)))) && !large.goes_on(Some(&origin(100, None))));
    }

    #[test]
    fn an_origin_is_read_as_it_is_written() {
        for (to, text) in [(Some(200), "a:group-0:100:200"), (None, "a:group-0:100:")] {
            let origin = Origin { transactional_id: "a:group-0".to_owned(), from: 100, to };
            assert_eq!(origin.to_string(), text);
            assert_eq!(Origin::parse(text), Some(origin));
        }
        for other in ["", "group-0", "group-0:", "group-0:x:1", "group-0:1:x", "group-0:1"] {
            assert_eq!(Origin::parse(other), None, "{other}");
        }
    }
}
