//! Where a client is in the feed: the id of every event.
//!
//! An id says the feed's epoch, which is the id of its topic, so that a topic that was made anew has another; and for
//! each partition the offset of the next record, so that any instance can go on from there. Offsets have gaps (markers
//! of transactions take some), so a position is never counted forward: it is the offset after a record that was seen.
//! Opaque to clients, and no secret.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The id of the feed's topic.
pub(crate) type Epoch = [u8; 16];

/// Of the bytes of an id.
const VERSION: u8 = 1;
/// Longest id: many hundred partitions.
const MAX_TEXT: usize = 8 * 1024;

/// The offset of the next record of each partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Positions(Vec<i64>);

/// An event's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventId {
    pub(crate) epoch: Epoch,
    pub(crate) positions: Positions,
}

impl Positions {
    pub(crate) fn new(positions: Vec<i64>) -> Self {
        Self(positions)
    }

    pub(crate) fn as_slice(&self) -> &[i64] {
        &self.0
    }

    /// Whether it is before a record, which then is still to come.
    pub(crate) fn is_before(&self, partition: i32, offset: i64) -> bool {
        index(partition).and_then(|index| self.0.get(index)).is_some_and(|next| *next <= offset)
    }

    /// Goes past a record; never back.
    pub(crate) fn pass(&mut self, partition: i32, offset: i64) {
        if let Some(next) = index(partition).and_then(|index| self.0.get_mut(index)) {
            *next = (*next).max(offset + 1);
        }
    }

    /// Goes as far as another in every partition; never back.
    pub(crate) fn reach(&mut self, other: &Self) {
        for (next, other) in self.0.iter_mut().zip(&other.0) {
            *next = (*next).max(*other);
        }
    }

    /// The partitions in which it is not as far as another, and how far it is there.
    pub(crate) fn behind(&self, other: &Self) -> BTreeMap<i32, i64> {
        let pairs = (0..).zip(self.0.iter().zip(&other.0));
        pairs
            .filter(|(_, (mine, other))| mine < other)
            .map(|(partition, (mine, _))| (partition, *mine))
            .collect()
    }

    /// Whether it is not as far as another in a partition.
    pub(crate) fn is_behind(&self, partition: i32, other: &Self) -> bool {
        index(partition).is_some_and(|index| self.0.get(index) < other.0.get(index))
    }

    /// Whether it is as far as another in every partition.
    pub(crate) fn reaches(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, other)| mine >= other)
    }
}

fn index(partition: i32) -> Option<usize> {
    usize::try_from(partition).ok()
}

/// The id of a position, as text.
pub(crate) fn encode(epoch: &Epoch, positions: &Positions) -> String {
    let mut bytes = vec![VERSION];
    bytes.extend(epoch);
    for next in &positions.0 {
        let mut rest = next.unsigned_abs();
        while rest >= 0x80 {
            bytes.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        bytes.push(rest.to_le_bytes()[0]);
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

/// An id from text; `None` for what was never given out.
pub(crate) fn decode(text: &str) -> Option<EventId> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let ([VERSION, epoch @ ..], mut rest) = bytes.split_first_chunk::<17>()? else { return None };
    let mut positions = Vec::new();
    while !rest.is_empty() {
        let (next, after) = offset(rest)?;
        positions.push(next);
        rest = after;
    }
    (!positions.is_empty()).then_some(EventId { epoch: *epoch, positions: Positions(positions) })
}

/// Seven bits a byte, least significant first.
fn offset(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let mut number = 0_i64;
    for (index, byte) in bytes.iter().enumerate().take(9) {
        number |= i64::from(byte & 0x7f) << (7 * index);
        if *byte < 0x80 {
            return Some((number, &bytes[index + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_never_given_out_is_no_id() {
        let good = encode(&[7; 16], &Positions(vec![1, 200]));
        assert!(decode(&good).is_some());
        let other_version = URL_SAFE_NO_PAD.encode([2; 20]);
        let endless = URL_SAFE_NO_PAD.encode([&[VERSION][..], &[7; 16], &[0xff; 10]].concat());
        let nowhere = URL_SAFE_NO_PAD.encode([&[VERSION][..], &[7; 16]].concat());
        let cut = &good[..good.len() - 1];
        let long = "A".repeat(MAX_TEXT + 1);
        for text in ["", "%%%", "12", cut, &other_version, &endless, &nowhere, &long] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    #[test]
    fn a_position_only_grows() {
        let mut positions = Positions(vec![5, 0]);
        assert!(positions.is_before(0, 5) && positions.is_before(0, 9) && !positions.is_before(0, 4));
        positions.pass(0, 8);
        positions.pass(0, 2);
        positions.reach(&Positions(vec![3, 7]));
        assert_eq!(positions, Positions(vec![9, 7]));
        assert!(!positions.is_before(2, 0), "there is no such partition");
        assert_eq!(positions.behind(&Positions(vec![9, 8])), BTreeMap::from([(1, 7)]));
        assert!(
            positions.is_behind(1, &Positions(vec![9, 8])) && !positions.is_behind(0, &Positions(vec![9, 8]))
        );
        assert!(positions.reaches(&Positions(vec![9, 7])) && !positions.reaches(&Positions(vec![0, 8])));
    }

    proptest! {
        #[test]
        fn an_id_survives_its_journey(
            epoch: [u8; 16],
            positions in prop::collection::vec(0..i64::MAX, 1..40),
        ) {
            let positions = Positions(positions);
            let back = decode(&encode(&epoch, &positions));
            prop_assert_eq!(back, Some(EventId { epoch, positions }));
        }
    }
}
