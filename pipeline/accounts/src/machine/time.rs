//! It is so late: what has ended is removed, and leases of a month that is over are recalled. It never asks a clock.

use arb_schemas::time::Micros;

use super::quota;
use super::timed_directory::Draft;
use crate::directory::Part;

/// What ended because of the time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ended {
    /// Sessions, keys and replies.
    pub(super) removed: u64,
    /// Requests of leases.
    pub(super) forfeited: u64,
}

/// Sets the time before the first timer has: to that of the first command.
pub(super) fn begin(draft: &mut Draft, at: Micros) {
    if draft.directory().clock() == 0 {
        advance(draft, at);
    }
}

/// Removes what has ended. An earlier time than the last changes nothing.
pub(super) fn advance(draft: &mut Draft, now: Micros) -> Ended {
    let (mut ended, before) = (Ended::default(), draft.directory().clock());
    if now <= before {
        return ended;
    }
    draft.put(Part::Clock(now));
    quota::turn(draft, before, now);
    while let Some(part) = draft.ended(now) {
        let key = part.key();
        let left = if let Part::Usage(ledger) = part {
            let (left, forfeited) = quota::end(ledger, draft.directory(), now);
            ended.forfeited += forfeited;
            left.map(Part::Usage)
        } else {
            ended.removed += 1;
            None
        };
        match left {
            Some(left) => draft.put(left),
            None => draft.remove(&key),
        }
    }
    ended
}
