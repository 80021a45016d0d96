//! Which updates a pushed source has sent: each is taken in once, and of each price the highest sequence wins, in whatever order
//! they arrive.
//!
//! So many updates are remembered of a source; one below them all is not taken in, because it may be a repeat. It never looks at
//! what a price is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Disposition;

/// Updates that are remembered of a source in a partition.
pub const REMEMBERED_PUSHES: usize = 1_024;

/// What is remembered of an update.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushedUpdate {
    /// Digest of what it contained, but for the time.
    pub digest: i64,
    /// Digests of the bets whose prices it gave.
    pub bets: Vec<i64>,
}

/// The updates of one source that are remembered, by sequence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PushedUpdates(BTreeMap<i64, Arc<PushedUpdate>>);

impl PushedUpdates {
    /// Whether an update is new; else what it is.
    pub(crate) fn judge(&self, sequence: i64, digest: i64) -> Disposition {
        let is_below = || self.0.keys().next().is_some_and(|lowest| sequence < *lowest);
        match self.0.get(&sequence) {
            Some(known) if known.digest == digest => Disposition::Repeated,
            Some(_) => Disposition::Conflicting,
            None if self.0.len() >= REMEMBERED_PUSHES && is_below() => Disposition::Forgotten,
            None => Disposition::Applied,
        }
    }

    /// The bets whose prices a later update gave.
    pub(crate) fn overtaken(&self, sequence: i64) -> BTreeSet<i64> {
        let later = self.0.range(sequence..).filter(|(at, _)| **at > sequence);
        later.flat_map(|(_, update)| update.bets.iter().copied()).collect()
    }

    /// Remembers an update; beyond so many the lowest is not remembered any more.
    pub(crate) fn put(&mut self, sequence: i64, update: PushedUpdate) {
        self.0.insert(sequence, Arc::new(update));
        while self.0.len() > REMEMBERED_PUSHES {
            self.0.pop_first();
        }
    }

    /// The updates that `other` does not remember in the same way.
    pub(crate) fn without<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (i64, &'a Arc<PushedUpdate>)> {
        let is_new = |(sequence, update): &(&i64, &Arc<PushedUpdate>)| {
            other.0.get(sequence).is_none_or(|known| !Arc::ptr_eq(known, update))
        };
        self.0.iter().filter(is_new).map(|(sequence, update)| (*sequence, update))
    }

    /// Whether it remembers this update.
    pub(crate) fn has(&self, sequence: i64) -> bool {
        self.0.contains_key(&sequence)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets an update.
    pub(crate) fn remove(&mut self, sequence: i64) {
        self.0.remove(&sequence);
    }
}

/// A digest of what an update contains: FNV-1a of 64 bits, the same on every machine and in every version.
///
/// Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", IETF draft.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self
    }

    /// A text with its length, so that two texts are not one.
    pub(crate) fn text(self, text: &str) -> Self {
        self.number(i64::try_from(text.len()).unwrap_or(i64::MAX)).bytes(text.as_bytes())
    }

    pub(crate) fn number(self, number: i64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    pub(crate) fn end(self) -> i64 {
        self.0.cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn update(digest: i64, bets: &[i64]) -> PushedUpdate {
        PushedUpdate { digest, bets: bets.to_vec() }
    }

    #[test]
    fn a_sequence_is_taken_in_once_and_other_contents_are_a_conflict() {
        let mut updates = PushedUpdates::default();
        assert_eq!(updates.judge(7, 1), Disposition::Applied);
        updates.put(7, update(1, &[]));
        assert_eq!(updates.judge(7, 1), Disposition::Repeated);
        assert_eq!(updates.judge(7, 2), Disposition::Conflicting);
        assert_eq!(updates.judge(6, 1), Disposition::Applied, "it may arrive later");
    }

    #[test]
    fn what_is_below_all_that_is_remembered_is_forgotten() {
        let mut updates = PushedUpdates::default();
        let most = i64::try_from(REMEMBERED_PUSHES).unwrap();
        (1..=most).for_each(|sequence| updates.put(sequence, update(0, &[])));
        assert_eq!(updates.judge(0, 0), Disposition::Forgotten);
        updates.put(most + 1, update(0, &[]));
        assert_eq!(updates.judge(1, 0), Disposition::Forgotten);
        assert_eq!(updates.judge(2, 0), Disposition::Repeated);
    }

    #[test]
    fn the_digest_is_that_of_the_published_algorithm() {
        assert_eq!(Digest::new().bytes(b"").end().cast_unsigned(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Digest::new().bytes(b"foobar").end().cast_unsigned(), 0x8594_4171_f739_67e8);
        assert_ne!(Digest::new().text("a").text("bc").end(), Digest::new().text("ab").text("c").end());
    }

    proptest! {
        /// Whatever the order and the repeats, each bet ends with the price of the highest sequence that gave it.
        #[test]
        fn the_highest_sequence_wins(
            sent in prop::collection::vec(0..12_usize, 1..60),
            bets in prop::collection::vec(prop::collection::btree_set(0..4_i64, 0..3), 12),
        ) {
            let (mut updates, mut prices) = (PushedUpdates::default(), BTreeMap::new());
            let mut highest = BTreeMap::new();
            for index in sent {
                let (sequence, bets) = (i64::try_from(index).unwrap(), &bets[index]);
                for bet in bets {
                    let known = highest.entry(*bet).or_insert(sequence);
                    *known = sequence.max(*known);
                }
                if updates.judge(sequence, 0) != Disposition::Applied {
                    continue;
                }
                let overtaken = updates.overtaken(sequence);
                for bet in bets.iter().filter(|bet| !overtaken.contains(bet)) {
                    prices.insert(*bet, sequence);
                }
                updates.put(sequence, update(0, &bets.iter().copied().collect::<Vec<_>>()));
            }
            prop_assert_eq!(prices, highest);
        }
    }
}
