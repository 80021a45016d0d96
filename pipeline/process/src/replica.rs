//! The state of a partition as a reader of its changelog has it: the same engine, one transaction after another.
//!
//! A transaction ends with the record of the partition itself; what is read of it before is kept apart, so that a board is always
//! that of a whole transaction. What serves the processor alone (scans, digests of pushed updates, moves of prices) is left out. It never steps,
//! publishes or skips: a record that does not fit ends it with an error.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::market::Policy;
use arb_engine::state::{Misfit, Saved};
use arb_engine::venues::Books;
use arb_runtime::pump::PARTITION_KEY;
use arb_schemas::records::StatePartition;
use arb_schemas::wire::{WireError, decode};
use thiserror::Error;

use crate::codec::state::{self, StateError, StateRecord};

/// Why a replica ends.
#[derive(Debug, Error)]
pub enum ReplicaError {
    /// A record that is none of the changelog, or does not fit what was read before.
    #[error("key {key}: {error}")]
    Record {
        /// Its key.
        key: String,
        /// The error.
        error: StateError,
    },
    /// The processor works by another policy than its readers.
    #[error("the processor works by the policy {0}, and only the policy board is read")]
    OtherPolicy(String),
}

/// The value of each key at the end of what was read, and of a tombstone none.
type Records = BTreeMap<String, Option<Vec<u8>>>;

/// A partition as its changelog has it.
#[derive(Debug)]
pub struct StateReplica {
    engine: Engine,
    /// Of the transaction that is being read.
    open: Records,
    /// Of whole ones, which are not applied before the end of the changelog was met.
    pending: Records,
    /// Whether the changelog was read to its end.
    is_live: bool,
    /// Which state it is: equal ones have equal numbers at every reader.
    position: (i64, i64),
}

impl StateReplica {
    /// An empty one, with the table of books that the processor has.
    #[must_use]
    pub fn new(books: Arc<Books>) -> Self {
        let engine = Engine::with_books(Policy::Board, books);
        Self { engine, open: Records::new(), pending: Records::new(), is_live: false, position: (0, 0) }
    }

    /// Takes in a record of the changelog. Returns whether the state is another one than before.
    ///
    /// # Errors
    /// [`ReplicaError`].
    pub fn put(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<bool, ReplicaError> {
        let key = String::from_utf8_lossy(key).into_owned();
        if state::serves_processor_alone(&key) {
            return Ok(false);
        }
        let ends = key == PARTITION_KEY;
        // Most transactions write how far they have come, and no state.
        let is_other = !ends || !self.open.is_empty();
        self.open.insert(key, value.map(<[u8]>::to_vec));
        if ends {
            self.pending.append(&mut self.open);
        }
        if ends && is_other && self.is_live { self.apply().map(|()| true) } else { Ok(false) }
    }

    /// Notes that the changelog was read to its end: from now on it follows. The end of one partition is met while another one is in the
    /// middle of a transaction, which stays open.
    ///
    /// # Errors
    /// [`ReplicaError`].
    pub fn caught_up(&mut self) -> Result<(), ReplicaError> {
        self.is_live = true;
        self.apply()
    }

    /// The engine; its board is that of the last whole transaction.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The epoch of the partition and the offset up to which its input is in the state.
    #[must_use]
    pub fn position(&self) -> (i64, i64) {
        self.position
    }

    /// Puts what has come over the state, by key: heads come before lines, and what takes back before what puts.
    fn apply(&mut self) -> Result<(), ReplicaError> {
        let (gone, put): (Records, Records) =
            std::mem::take(&mut self.pending).into_iter().partition(|(_, value)| value.is_none());
        for (key, value) in gone.into_iter().chain(put) {
            let applied = match value {
                Some(value) => self.apply_value(&key, &value),
                None => self.take_back(&key),
            };
            applied.map_err(|error| match error {
                Applied::Record(error) => ReplicaError::Record { key, error },
                Applied::OtherPolicy(policy) => ReplicaError::OtherPolicy(policy),
            })?;
        }
        Ok(())
    }

    fn take_back(&mut self, key: &str) -> Result<(), Applied> {
        let gone = state::gone(key)?;
        Ok(gone.map_or(Ok(()), |gone| self.engine.restore(gone))?)
    }

    fn apply_value(&mut self, key: &str, value: &[u8]) -> Result<(), Applied> {
        if key == PARTITION_KEY {
            let StatePartition { next_offset, policy, sequence, epoch, cut, .. } = decode(value)?;
            if policy != Policy::Board.key() {
                return Err(Applied::OtherPolicy(policy));
            }
            let (next_offset, sequence) =
                cut.map_or((next_offset, sequence), |cut| (cut.next_offset, cut.sequence));
            self.position = (epoch, next_offset);
            return Ok(self.engine.restore(Saved::Sequence(sequence))?);
        }
        match state::parse(key, value)? {
            StateRecord::Saved(saved) => Ok(self.engine.restore(saved)?),
            StateRecord::Scan(_) | StateRecord::ScanRepeats(_) | StateRecord::Partition(_) => Ok(()),
        }
    }
}

/// What is wrong with a record.
enum Applied {
    Record(StateError),
    OtherPolicy(String),
}

impl From<StateError> for Applied {
    fn from(error: StateError) -> Self {
        Self::Record(error)
    }
}

impl From<WireError> for Applied {
    fn from(error: WireError) -> Self {
        Self::Record(StateError::Wire(error))
    }
}

impl From<Misfit> for Applied {
    fn from(misfit: Misfit) -> Self {
        Self::Record(StateError::Misfit(misfit))
    }
}

#[cfg(test)]
mod tests {
    use arb_engine::UserBooks;
    use arb_engine::effect::Effect;
    use arb_engine::input::{Coordinate, Coverage, Event, Frame, Heartbeat, Input, PollEnd, Tick};
    use arb_engine::market::{Bet, Market, Outcome, Side};
    use arb_engine::odds::Price;
    use arb_schemas::wire::encode;

    use super::*;

    const SECOND: i64 = 1_000_000;

    /// An engine that writes a changelog, and how far it has come.
    struct Writer {
        engine: Engine,
        next: i64,
    }

    impl Writer {
        fn new() -> Self {
            Self { engine: Engine::new(Policy::Board), next: 0 }
        }

        /// The records of the transaction of an input, in their order.
        fn write(&mut self, inputs: &[Input<'_>]) -> Vec<(String, Option<Vec<u8>>)> {
            let mut effects: Vec<Effect> = Vec::new();
            for input in inputs {
                let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset: self.next };
                self.engine.step(at, input, &mut effects);
                self.next += 1;
            }
            let changes = self.engine.changes();
            let changes = changes.iter().filter_map(|saved| state::change(saved).unwrap());
            let mut records: Vec<_> = changes.map(|change| (change.key, change.value)).collect();
            records.push((PARTITION_KEY.to_owned(), Some(encode(&self.partition("board")).unwrap())));
            self.engine.commit();
            records
        }

        fn partition(&self, policy: &str) -> StatePartition {
            let (next_offset, sequence) = (self.next, self.engine.sequence());
            StatePartition {
                next_offset,
                policy: policy.into(),
                sequence,
                epoch: 3,
                ..StatePartition::default()
            }
        }

        fn board(&self) -> Vec<arb_engine::effect::BoardEntry> {
            self.engine.board_of(&UserBooks::default())
        }
    }

    fn poll(second: i64, prices: &[(&'static str, &str, &str)]) -> Vec<Input<'static>> {
        let tick = |book, outcome, price: &str| Tick {
            book,
            bet: Bet::new(Market::parse("h2h").unwrap(), outcome, Side::Back, None).unwrap(),
            price: Price::from_decimal(price).unwrap(),
            odds_format: arb_engine::odds::OddsFormat::Unknown,
            limit: None,
            suspended: false,
            last_seen_at: (second - 1) * SECOND,
            price_moved_at: None,
        };
        let both = |(book, home, away): &(&'static str, &str, &str)| {
            [tick(*book, Outcome::Home, home), tick(*book, Outcome::Away, away)]
        };
        let event = Event {
            id: "a/b",
            sport: "tennis",
            league: "tennis_atp",
            home: "H",
            away: "A",
            commence_time: 9_000 * SECOND,
        };
        let (source, received_at, coverage) = ("feed", second * SECOND, Coverage::default());
        let ticks = prices.iter().flat_map(both).collect();
        let frame = Frame {
            source,
            received_at,
            poll_index: Some(0),
            event,
            coverage,
            ticks,
            links: vec![],
            push: None,
        };
        let end = PollEnd { source, received_at, league: None, coverage: Coverage::default(), frames: 1 };
        vec![Input::Frame(frame), Input::PollEnd(end)]
    }

    fn read(replica: &mut StateReplica, records: &[(String, Option<Vec<u8>>)]) -> Vec<bool> {
        let put =
            |(key, value): &(String, Option<Vec<u8>>)| replica.put(key.as_bytes(), value.as_deref()).unwrap();
        records.iter().map(put).collect()
    }

    #[test]
    fn a_replica_has_the_board_of_each_whole_transaction() {
        let (mut writer, mut replica) = (Writer::new(), StateReplica::new(Arc::default()));
        let first = writer.write(&poll(100, &[("a", "2.2", "1.7"), ("b", "1.7", "2.2")]));
        read(&mut replica, &first);
        assert_eq!(replica.engine().size(), arb_engine::Size::default(), "its end was not met yet");
        replica.caught_up().unwrap();
        assert_eq!(
            (replica.engine().board_of(&UserBooks::default()), replica.position()),
            (writer.board(), (3, 2))
        );
        let before = writer.board();
        let second = writer.write(&poll(110, &[("a", "2.3", "1.7"), ("b", "1.7", "2.2")]));
        let (last, others) = second.split_last().unwrap();
        assert!(read(&mut replica, others).iter().all(|is_other| !is_other));
        assert_eq!(replica.engine().board_of(&UserBooks::default()), before, "a part is not shown");
        assert_eq!(read(&mut replica, std::slice::from_ref(last)), [true]);
        assert_eq!(replica.engine().board_of(&UserBooks::default()), writer.board());
        assert_ne!(writer.board(), before);
        let gone = writer.write(&poll(120, &[]));
        assert!(gone.iter().any(|(_, value)| value.is_none()), "what is withdrawn leaves tombstones");
        read(&mut replica, &gone);
        assert_eq!((replica.engine().size().events, replica.position()), (0, (3, 6)));
    }

    #[test]
    fn the_end_of_the_changelog_is_met_in_the_middle_of_a_transaction() {
        let (mut writer, mut replica) = (Writer::new(), StateReplica::new(Arc::default()));
        read(&mut replica, &writer.write(&poll(100, &[("a", "2.2", "1.7"), ("b", "1.7", "2.2")])));
        let before = writer.board();
        let gone = writer.write(&poll(110, &[]));
        let heads: Vec<_> = gone.iter().filter(|(key, _)| key.starts_with("head/")).cloned().collect();
        assert!(!heads.is_empty(), "{gone:?}");
        read(&mut replica, &heads);
        replica.caught_up().unwrap();
        assert_eq!(replica.engine().board_of(&UserBooks::default()), before, "its lines have their heads");
        let rest: Vec<_> = gone.into_iter().filter(|(key, _)| !key.starts_with("head/")).collect();
        read(&mut replica, &rest);
        assert_eq!(replica.engine().size().events, 0);
    }

    #[test]
    fn a_compacted_changelog_in_which_lines_come_before_heads_is_read() {
        let (mut writer, mut replica) = (Writer::new(), StateReplica::new(Arc::default()));
        let mut records = writer.write(&poll(100, &[("a", "2.2", "1.7"), ("b", "1.7", "2.2")]));
        records.extend(writer.write(&[Input::Heartbeat(Heartbeat { source: "feed", at: 101 * SECOND })]));
        records.reverse();
        // Of two records of a key the later is left.
        records.sort_by(|a, b| b.0.cmp(&a.0));
        records.dedup_by(|a, b| a.0 == b.0);
        // The last record of the log is that of the partition: each transaction ends with it.
        records.sort_by_key(|(key, _)| key == PARTITION_KEY);
        read(&mut replica, &records);
        replica.caught_up().unwrap();
        assert_eq!(replica.engine().board_of(&UserBooks::default()), writer.board());
    }

    #[test]
    fn another_policy_and_an_unreadable_record_end_it() {
        let (writer, mut replica) = (Writer::new(), StateReplica::new(Arc::default()));
        let raw = encode(&writer.partition("raw")).unwrap();
        replica.put(PARTITION_KEY.as_bytes(), Some(&raw)).unwrap();
        let error = replica.caught_up().unwrap_err().to_string();
        assert_eq!(error, "the processor works by the policy raw, and only the policy board is read");
        let mut replica = StateReplica::new(Arc::default());
        replica.put(b"line/e/h2h/none", Some(b"x")).unwrap();
        replica.put(PARTITION_KEY.as_bytes(), Some(&encode(&writer.partition("board")).unwrap())).unwrap();
        assert!(replica.caught_up().unwrap_err().to_string().starts_with("key line/e/h2h/none: "));
        assert!(!replica.put(b"push/push/acme/7", Some(b"not read")).unwrap(), "it is left out");
    }
}
