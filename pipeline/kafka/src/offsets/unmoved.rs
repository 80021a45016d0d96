//! How long partitions have been where they are, and which of them had more to read all that time: they are stalled.
//!
//! It is pure: whoever asks says what time it is and how far partitions are. It never asks a broker.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::client::Place;

/// A partition that had more to read for so long, and of which nothing came meanwhile, is stalled. A consumer that recovers by
/// itself does so within a few seconds after its broker answers. It is asked for its end after this time without a record, and
/// again after the same time.
pub(super) const STALLED: Duration = Duration::from_secs(15);

/// Since when partitions have been where they are.
#[derive(Debug)]
pub(super) struct Unmoved {
    /// How long is too long.
    limit: Duration,
    since: BTreeMap<Place, Still>,
}

/// A partition that has not moved.
#[derive(Debug, Clone, Copy)]
struct Still {
    at: i64,
    since: Instant,
    /// There was more to read at this time already.
    has_more: bool,
}

impl Unmoved {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, since: BTreeMap::new() }
    }

    /// Notes how far partitions have been read now; those that have not moved for too long.
    pub(super) fn note<'a>(
        &mut self,
        now: Instant,
        read: impl Iterator<Item = (&'a Place, i64)>,
    ) -> Vec<Place> {
        let mut before = std::mem::take(&mut self.since);
        let mut unmoved = Vec::new();
        for (place, at) in read {
            let was = before.remove(place).filter(|was| was.at == at);
            let still = was.unwrap_or(Still { at, since: now, has_more: false });
            if now.duration_since(still.since) >= self.limit {
                unmoved.push(place.clone());
            }
            self.since.insert(place.clone(), still);
        }
        unmoved
    }

    /// Whether a partition that did not move for too long had more to read all that time. A quiet one to which something was
    /// written a moment ago had not: its time begins now.
    pub(super) fn is_stalled(&mut self, place: &Place, now: Instant, has_more: bool) -> bool {
        let Some(still) = self.since.get_mut(place) else { return false };
        let is_stalled = has_more && still.has_more;
        *still = Still { since: now, has_more: has_more && !is_stalled, ..*still };
        is_stalled
    }

    /// Restarts the count.
    pub(super) fn remove(&mut self, place: &Place) {
        self.since.remove(place);
    }

    /// The same, of all.
    pub(super) fn forget_all(&mut self) {
        self.since.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_partition_with_a_new_record_is_not_stalled() {
        let (mut unmoved, begun, quiet) = (Unmoved::new(STALLED), Instant::now(), ("quiet".to_owned(), 0));
        let after = |seconds| begun + Duration::from_secs(seconds);
        let mut inspect = |seconds: u64, at: i64, end: i64| {
            let found = unmoved.note(after(seconds), [(&quiet, at)].into_iter());
            found.iter().any(|place| unmoved.is_stalled(place, after(seconds), end > at))
        };
        assert!(!inspect(0, 96, 96));
        assert!(!inspect(20, 96, 102), "written just now");
        assert!(!inspect(25, 102, 102), "and read");
        assert!(
            !inspect(60, 102, 102) && !inspect(80, 102, 110) && !inspect(90, 102, 110),
            "not for long enough"
        );
        assert!(inspect(95, 102, 110), "for 15 s");
        assert!(
            !inspect(100, 102, 110) && !inspect(110, 102, 110) && inspect(125, 102, 120),
            "and once more"
        );
    }

    #[test]
    fn a_stalled_partition_is_found_and_a_moving_one_is_not() {
        let places = ["still", "moves", "late"].map(|topic| (topic.to_owned(), 0));
        let [still, moves, late] = &places;
        let (mut unmoved, begun) = (Unmoved::new(STALLED), Instant::now());
        let mut note = |seconds: u64, read: &[(&Place, i64)]| {
            unmoved.note(begun + Duration::from_secs(seconds), read.iter().copied())
        };
        assert!(note(0, &[(still, 7), (moves, 1)]).is_empty());
        assert!(note(5, &[(still, 7), (moves, 1)]).is_empty());
        assert!(note(10, &[(still, 7), (moves, 2), (late, 0)]).is_empty());
        assert_eq!(note(15, &[(still, 7), (moves, 2), (late, 0)]), vec![still.clone()]);
        // A partition that is not named is removed.
        assert!(note(20, &[(moves, 2)]).is_empty());
        assert_eq!(note(25, &[(still, 7), (moves, 2)]), vec![moves.clone()]);
        // Back is a movement too: it was read again.
        assert!(note(30, &[(moves, 1)]).is_empty());
    }
}
