//! How far a partition has come, and what was published on the way: two that have come equally far along the same way are equal.
//!
//! It never looks into a record.

use std::hash::{BuildHasher, Hash, Hasher};

use arb_schemas::records::{StateCut, StatePartition};
use foldhash::quality::FixedState;

use crate::log::Record;
use crate::machine::Outbox;
use crate::timer_clock::TimerClock;

/// How far a partition has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// Offset of the next record; `None` before the first.
    pub(super) next: Option<i64>,
    /// The time of the machine.
    pub(super) clock: TimerClock,
    /// Of the last record that the machine numbered.
    pub(super) sequence: i64,
    /// Of the records since the state that is in the changelog, and of what was published for them.
    pub(super) digest: i64,
}

impl Reach {
    /// What a changelog's record of the partition says of what was committed; and of the state that the changelog has.
    pub(super) fn of(state: &StatePartition) -> (Self, Self) {
        let clock = TimerClock::of(state.timers);
        let digest = state.cut.map_or(0, |cut| cut.digest);
        let committed = Self { next: Some(state.next_offset), clock, sequence: state.sequence, digest };
        let saved = state.cut.map_or(committed, |cut| Self {
            next: Some(cut.next_offset),
            clock: TimerClock::of(cut.timers),
            sequence: cut.sequence,
            digest: 0,
        });
        (committed, saved)
    }

    /// As the changelog has it, where the state that it has is an older one.
    pub(super) fn cut(&self, digest: i64) -> StateCut {
        let (next_offset, timers) = (self.next.unwrap_or(0), self.clock.state());
        StateCut { next_offset, sequence: self.sequence, timers, digest }
    }

    /// A record was processed, and this is published for it.
    pub(super) fn add(&mut self, record: &Record, out: &Outbox) {
        // Another version of the library may have other numbers: to a restore that is another program.
        let mut hasher = FixedState::default().build_hasher();
        (self.digest, record.offset).hash(&mut hasher);
        for output in &out.outputs {
            (output.topic, &output.key, &output.value, &output.headers).hash(&mut hasher);
        }
        out.letters.iter().for_each(|(reason, _)| (*reason as usize).hash(&mut hasher));
        self.digest = hasher.finish().cast_signed();
        self.next = Some(record.offset + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dead_letters::Reason;
    use crate::log::Output;

    fn after(records: &[(i64, &[&str])]) -> Reach {
        let mut reach = Reach::default();
        for (offset, outputs) in records {
            let mut out = Outbox::default();
            outputs.iter().for_each(|key| out.send(Output::new("board", 0, (*key).to_owned(), None)));
            reach.add(&Record { offset: *offset, ..Record::default() }, &out);
        }
        reach
    }

    #[test]
    fn another_way_to_the_same_place_is_another_reach() {
        let reach = after(&[(3, &["a"]), (4, &[])]);
        assert_eq!((reach, reach.next), (after(&[(3, &["a"]), (4, &[])]), Some(5)));
        for other in [
            &[(3, &["b"][..]), (4, &[][..])][..],
            &[(2, &["a"]), (4, &[])],
            &[(4, &["a"])],
            &[(3, &[]), (4, &["a"])],
        ] {
            assert_ne!(after(other), reach, "{other:?}");
        }
        let mut letter = Outbox::default();
        letter.dead_letter(Reason::Unreadable, "no record".to_owned());
        let mut other = after(&[(3, &["a"])]);
        other.add(&Record { offset: 4, ..Record::default() }, &letter);
        assert_ne!(other, reach);
    }

    #[test]
    fn the_changelog_has_what_was_committed_and_the_state_from_which_it_follows() {
        let (saved, committed) = (after(&[(3, &["a"])]), after(&[(4, &["b"])]));
        let saved = Reach { digest: 0, sequence: 7, ..saved };
        let cut = Some(saved.cut(committed.digest));
        let state = StatePartition { next_offset: 5, cut, ..StatePartition::default() };
        assert_eq!(Reach::of(&state), (committed, saved));
        let whole = StatePartition { next_offset: 5, ..StatePartition::default() };
        let reach = Reach { digest: 0, ..committed };
        assert_eq!(Reach::of(&whole), (reach, reach));
    }
}
