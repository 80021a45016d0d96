//! The state that all parts of a run share: the broker, the seed, the faults that are left, and the pending
//! rebalances of each member.
//!
//! What a log promises is kept here as Kafka keeps it: offsets are taken only from the member that owns the partition, in
//! the generation that gave it the partition. A broker may lose the markers of a transaction: then its records stay open
//! until a marker of the same id comes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use arb_runtime::log::{Event, LogError, Output};

use crate::world::World;

/// What befalls a pump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Kind {
    Killed,
    WriteFails,
    CommitAborts,
    AbortLosesMarkers,
    InDoubtCommitted,
    InDoubtAborted,
    KilledAfterCommit,
    /// Killed, and the markers of its transaction are lost: the records stay open.
    KilledLeavesOpen,
    /// The outcome of the commit is unknown; it was aborted, and the markers are lost.
    InDoubtLeavesOpen,
    /// Committed, but for the group's offsets, whose marker is lost; and killed, or the outcome of the commit is unknown.
    LosesOffsets,
    /// The ids cannot be adopted at once.
    AdoptionWaits,
    /// The group's offset is about to be changed by a transaction.
    OffsetPending,
    /// The changelog returns no more for now, and the pump continues with its other partitions.
    RestoreWaits,
    /// A partition is revoked or lost before its restore is done.
    TakenBackInRestore,
    /// It learns while the outcome of a commit is unknown that the group has expelled it.
    Expelled,
    Revoked,
    Lost,
    FencedByGeneration,
    /// The client returns a record again that it has returned.
    Repeats,
    Idle,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::Killed,
        Self::WriteFails,
        Self::CommitAborts,
        Self::AbortLosesMarkers,
        Self::InDoubtCommitted,
        Self::InDoubtAborted,
        Self::KilledAfterCommit,
        Self::KilledLeavesOpen,
        Self::InDoubtLeavesOpen,
        Self::LosesOffsets,
        Self::AdoptionWaits,
        Self::OffsetPending,
        Self::RestoreWaits,
        Self::TakenBackInRestore,
        Self::Expelled,
        Self::Revoked,
        Self::Lost,
        Self::FencedByGeneration,
        Self::Repeats,
        Self::Idle,
    ];
}

/// What all parts of a run share.
pub(crate) struct Shared {
    pub(crate) world: World,
    pub(crate) random: fastrand::Rng,
    /// Faults that are left; after them the run continues undisturbed, so that it ends.
    pub(crate) left: u32,
    pub(crate) seen: BTreeSet<Kind>,
    /// Rebalances that a member has not received yet.
    pub(crate) pending: BTreeMap<usize, Vec<Event>>,
    /// Whether adoption and renewal abort what an id has left open.
    pub(crate) aborts_open: bool,
}

pub(crate) type Handle = Rc<RefCell<Shared>>;

impl Shared {
    /// Whether everything has been processed and can be read.
    pub(crate) fn is_done(&self) -> bool {
        self.world.is_done() && !self.is_held_back()
    }

    /// Whether an open transaction hides records, and members are there to end it.
    pub(crate) fn is_held_back(&self) -> bool {
        self.aborts_open && !self.world.partitions().all(|id| self.world.is_settled(id))
    }

    /// Whether a fault happens now, one in so many times.
    pub(crate) fn happens(&mut self, kind: Kind, one_in: u32) -> bool {
        let happens = self.left > 0 && self.random.u32(..one_in) == 0;
        if happens {
            self.left -= 1;
            self.seen.insert(kind);
        }
        happens
    }

    /// A transaction of an id ends without becoming visible; the broker may lose its markers.
    pub(crate) fn abort(&mut self, id: i32, written: &[Output]) {
        if self.happens(Kind::AbortLosesMarkers, 4) {
            self.world.leave_open(id, written, &BTreeMap::new());
        }
    }

    pub(crate) fn killed(&mut self, one_in: u32) -> Result<(), LogError> {
        if self.happens(Kind::Killed, one_in) { Err(end("killed")) } else { Ok(()) }
    }

    /// Whether a member's offsets of a partition are accepted: it owns it, and is of the generation in which
    /// it was assigned. A member that has not yet received the loss of the partition is of an older one, even
    /// if it was assigned again.
    pub(crate) fn may_commit(&self, member: usize, partition: i32) -> bool {
        let stale = |event: &Event| match event {
            Event::Lost(gone) | Event::Assigned(gone) => gone.contains(&partition),
            Event::Revoked(_) | Event::Record | Event::Idle => false,
        };
        let waits = self.pending.get(&member).is_some_and(|waits| waits.iter().any(stale));
        self.world.owners.get(&partition) == Some(&member) && !waits
    }

    /// Assigns unowned partitions to members.
    pub(crate) fn assign(&mut self, members: &[usize]) {
        for partition in self.world.free() {
            let member = members[self.random.usize(..members.len())];
            self.world.owners.insert(partition, member);
            let waits = self.pending.entry(member).or_default();
            // A rebalance may bring nothing new to a member; it must answer all the same.
            if self.random.u8(..4) == 0 {
                waits.push(Event::Assigned(Vec::new()));
            }
            waits.push(Event::Assigned(vec![partition]));
        }
    }

    /// Ends a member's session: all its partitions go to other members, and it receives the loss.
    pub(crate) fn expel(&mut self, member: usize) {
        let mut gone: BTreeSet<_> =
            self.world.owners.extract_if(.., |_, owner| *owner == member).map(|(id, _)| id).collect();
        let waits = self.pending.remove(&member).unwrap_or_default();
        let lost = waits
            .into_iter()
            .filter_map(|event| if let Event::Lost(gone) = event { Some(gone) } else { None });
        gone.extend(lost.flatten());
        self.pending.insert(member, vec![Event::Lost(gone.into_iter().collect())]);
        self.seen.insert(Kind::Expelled);
    }

    /// Takes a partition from its owner: in good order, or because its session has ended.
    pub(crate) fn disturb(&mut self) {
        let (Some(partition), lost) =
            (self.random.choice(self.world.partitions().collect::<Vec<_>>()), self.random.bool())
        else {
            return;
        };
        let Some(member) = self.world.owners.get(&partition).copied() else { return };
        let waits = self.pending.entry(member).or_default();
        // One rebalance at a time: a partition whose assignment is still pending cannot be revoked.
        if !waits.is_empty() {
            return;
        }
        if lost && self.happens(Kind::Lost, 2) {
            self.pending.entry(member).or_default().push(Event::Lost(vec![partition]));
            self.world.owners.remove(&partition);
        } else if self.happens(Kind::Revoked, 2) {
            self.pending.entry(member).or_default().push(Event::Revoked(vec![partition]));
        }
    }
}

pub(crate) fn end(what: &str) -> LogError {
    LogError::Fatal(what.to_owned().into())
}
