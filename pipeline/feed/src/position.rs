//! Where a client is in the feed: the id of every event.
//!
//! An id contains the feed's epoch, which is the id of its topic, so that a recreated topic has another one;
//! and for each partition the offset of the next record, so that any instance can continue from there.
//! Offsets have gaps (transaction markers take some), so a position is never counted forward: it is the
//! offset after a record that was read. Beside the offset is the mark of the last event, so that an event
//! that a broker delivers twice is never sent twice to a client, on whatever instance it resumes
//! ([`arb_runtime::feed_mark`]). Opaque to clients, and no secret.

use std::collections::BTreeMap;

use arb_runtime::feed_mark::{FeedMark, FeedMarks};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The id of the feed's topic.
pub type Epoch = [u8; 16];

/// Of the bytes of an id.
const VERSION: u8 = 3;
/// Longest id: two hundred partitions and more.
pub const MAX_TEXT: usize = 8 * 1024;

/// The offset of the next record of each partition, and the mark of the last one before it where that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positions {
    next: Vec<i64>,
    marks: Vec<Option<FeedMark>>,
}

/// An event's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventId {
    /// Of the topic.
    pub epoch: Epoch,
    /// After the event.
    pub positions: Positions,
}

impl Positions {
    /// Offsets, and nothing known of what was before them.
    #[must_use]
    pub fn new(next: Vec<i64>) -> Self {
        let marks = vec![None; next.len()];
        Self { next, marks }
    }

    /// The offsets.
    #[must_use]
    pub fn as_slice(&self) -> &[i64] {
        &self.next
    }

    /// The marks that are known, for a reader that continues from here.
    #[must_use]
    pub fn marks(&self) -> FeedMarks {
        (0..).zip(&self.marks).filter_map(|(partition, mark)| Some((partition, (*mark)?))).collect()
    }

    /// Whether it is before a record, which then is still to come.
    #[must_use]
    pub fn is_before(&self, partition: i32, offset: i64) -> bool {
        index(partition).and_then(|index| self.next.get(index)).is_some_and(|next| *next <= offset)
    }

    /// Whether it has had an event with this mark.
    #[must_use]
    pub fn has_had(&self, partition: i32, mark: Option<FeedMark>) -> bool {
        let last = index(partition).and_then(|index| self.marks.get(index)).copied().flatten();
        mark.is_some_and(|mark| mark.is_double(last))
    }

    /// Goes past a record; never back. The mark of a double changes nothing; that of the last record before is learnt.
    pub fn pass(&mut self, partition: i32, offset: i64, mark: Option<FeedMark>) {
        let Some(index) = index(partition) else { return };
        let (Some(next), Some(last)) = (self.next.get_mut(index), self.marks.get_mut(index)) else { return };
        if *next <= offset {
            *next = offset + 1;
            *last = mark.filter(|mark| !mark.is_double(*last)).or(*last);
        } else if *next == offset + 1 {
            *last = last.or(mark);
        }
    }

    /// Goes as far as another in every partition, where nothing lies between that it has not had; never back.
    pub fn reach(&mut self, other: &Self) {
        for (next, other) in self.next.iter_mut().zip(&other.next) {
            *next = (*next).max(*other);
        }
        self.learn(other);
    }

    /// Takes the marks of another position at the same offsets, where it has none: the last record before is
    /// the same.
    pub fn learn(&mut self, other: &Self) {
        let same = self.next.iter().zip(&other.next).map(|(mine, other)| mine == other);
        for ((mine, other), _) in self.marks.iter_mut().zip(&other.marks).zip(same).filter(|(_, same)| *same)
        {
            *mine = mine.or(*other);
        }
    }

    /// The partitions in which it is not as far as another, and how far it is there.
    #[must_use]
    pub fn behind(&self, other: &Self) -> BTreeMap<i32, i64> {
        let pairs = (0..).zip(self.next.iter().zip(&other.next));
        pairs
            .filter(|(_, (mine, other))| mine < other)
            .map(|(partition, (mine, _))| (partition, *mine))
            .collect()
    }

    /// Whether it is not as far as another in a partition.
    #[must_use]
    pub fn is_behind(&self, partition: i32, other: &Self) -> bool {
        index(partition).is_some_and(|index| self.next.get(index) < other.next.get(index))
    }

    /// Whether it is as far as another in every partition.
    #[must_use]
    pub fn reaches(&self, other: &Self) -> bool {
        self.next.iter().zip(&other.next).all(|(mine, other)| mine >= other)
    }
}

fn index(partition: i32) -> Option<usize> {
    usize::try_from(partition).ok()
}

/// The id of a position, as text.
#[must_use]
pub fn encode(epoch: &Epoch, positions: &Positions) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(epoch);
    for (next, mark) in positions.next.iter().zip(&positions.marks) {
        put_number(&mut bytes, *next);
        bytes.push(u8::from(mark.is_some()));
        if let Some(FeedMark { epoch, sequence }) = mark {
            put_number(&mut bytes, *epoch);
            put_number(&mut bytes, *sequence);
        }
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

/// An id from text; `None` for what was never given out.
#[must_use]
pub fn decode(text: &str) -> Option<EventId> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let ([VERSION, epoch @ ..], mut rest) = bytes.split_first_chunk::<17>()? else { return None };
    let mut positions = Positions::new(Vec::new());
    while !rest.is_empty() {
        positions.next.push(number(&mut rest)?);
        take_mark(&mut rest, &mut positions.marks)?;
    }
    (!positions.next.is_empty()).then_some(EventId { epoch: *epoch, positions })
}

/// Removes the mark at the beginning of these bytes, or the byte for no mark, and leaves the rest. `None` for
/// bytes that are neither.
fn take_mark(bytes: &mut &[u8], marks: &mut Vec<Option<FeedMark>>) -> Option<()> {
    let (has_mark, rest) = bytes.split_first()?;
    *bytes = rest;
    marks.push(match has_mark {
        0 => None,
        1 => Some(FeedMark { epoch: number(bytes)?, sequence: number(bytes)? }),
        _ => return None,
    });
    Some(())
}

/// Seven bits a byte, least significant first.
fn put_number(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = number.unsigned_abs();
    while rest >= 0x80 {
        bytes.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    bytes.push(rest.to_le_bytes()[0]);
}

/// The number at the beginning of these bytes; the bytes after it are left.
fn number(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0_i64;
    for (index, byte) in bytes.iter().enumerate().take(9) {
        number |= i64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(next: &[i64]) -> Positions {
        Positions::new(next.to_vec())
    }

    #[expect(clippy::unnecessary_wraps, reason = "as it is compared with")]
    fn mark(sequence: i64) -> Option<FeedMark> {
        Some(FeedMark { epoch: 1, sequence })
    }

    #[test]
    fn an_id_that_was_never_issued_is_invalid() {
        let mut positions = at(&[1, 200]);
        positions.pass(1, 200, mark(7));
        let good = encode(&[7; 16], &positions);
        assert!(decode(&good).is_some());
        let other_version = URL_SAFE_NO_PAD.encode([2; 20]);
        let of = |rest: &[u8]| URL_SAFE_NO_PAD.encode([&[VERSION][..], &[7; 16], rest].concat());
        let (endless, nowhere, strange) = (of(&[0xff; 10]), of(&[]), of(&[5, 2, 1, 1]));
        let cut = &good[..good.len() - 1];
        let long = "A".repeat(MAX_TEXT + 1);
        for text in ["", "%%%", "12", cut, &other_version, &endless, &nowhere, &strange, &long] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    #[test]
    fn a_position_only_grows() {
        let mut positions = at(&[5, 0]);
        assert!(positions.is_before(0, 5) && positions.is_before(0, 9) && !positions.is_before(0, 4));
        positions.pass(0, 8, None);
        positions.pass(0, 2, None);
        positions.reach(&at(&[3, 7]));
        assert_eq!(positions, at(&[9, 7]));
        assert!(!positions.is_before(2, 0), "there is no such partition");
        assert_eq!(positions.behind(&at(&[9, 8])), BTreeMap::from([(1, 7)]));
        assert!(positions.is_behind(1, &at(&[9, 8])) && !positions.is_behind(0, &at(&[9, 8])));
        assert!(positions.reaches(&at(&[9, 7])) && !positions.reaches(&at(&[0, 8])));
    }

    #[test]
    fn a_double_moves_the_position_and_not_the_mark() {
        let mut positions = at(&[5, 0]);
        positions.pass(0, 5, mark(3));
        assert_eq!([2, 3, 4].map(|n| positions.has_had(0, mark(n))), [true, true, false]);
        assert!(!positions.has_had(1, mark(1)) && !positions.has_had(0, None));
        positions.pass(0, 6, mark(1));
        positions.pass(0, 7, None);
        assert_eq!((positions.as_slice(), positions.marks().get(0)), (&[8, 0][..], mark(3)));
        // Another epoch starts from the beginning.
        positions.pass(0, 8, Some(FeedMark { epoch: 2, sequence: 1 }));
        assert_eq!(positions.marks().get(0), Some(FeedMark { epoch: 2, sequence: 1 }));
    }

    #[test]
    fn a_position_without_a_mark_takes_that_of_the_same_offset() {
        let mut reader = at(&[4, 4]);
        reader.pass(0, 4, mark(9));
        reader.pass(1, 4, mark(8));
        let mut old = at(&[5, 4]);
        old.learn(&reader);
        assert_eq!(
            [0, 1].map(|partition| old.marks().get(partition)),
            [mark(9), None],
            "one place is another"
        );
        let mut ahead = at(&[4, 4]);
        ahead.pass(0, 4, mark(10));
        ahead.reach(&reader);
        old.pass(1, 3, mark(7));
        assert_eq!(old.marks().get(1), mark(7), "the record right before it has the mark");
        assert_eq!([0, 1].map(|partition| ahead.marks().get(partition)), [mark(10), mark(8)]);
    }

    proptest! {
        #[test]
        fn an_id_survives_its_journey(
            epoch: [u8; 16],
            places in prop::collection::vec((0..i64::MAX, prop::option::of((0..i64::MAX, 0..i64::MAX))), 1..40),
        ) {
            let (next, marks): (_, Vec<_>) = places.into_iter().unzip();
            let marks = marks.into_iter().map(|mark| mark.map(|(epoch, sequence)| FeedMark { epoch, sequence }));
            let positions = Positions { next, marks: marks.collect() };
            let back = decode(&encode(&epoch, &positions));
            prop_assert_eq!(back, Some(EventId { epoch, positions }));
        }
    }
}
