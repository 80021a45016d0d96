//! The records of a backup in the partitions of the topics that take them, which may be of another number.
//!
//! A record of an event goes to the partition of that event. It never changes a record but that of a partition itself: its state goes
//! on from the end of the input that is there now, which knows nothing of the offsets of then.

use anyhow::{Context, bail};
use arb_kafka::{Kept, partition_of};
use arb_runtime::pump::PARTITION_KEY;
use arb_schemas::records::{Pick, StateOpenedWindow, StatePartition, StatePick, StatePicks, StateResult};
use arb_schemas::wire::{RecordType, decode, encode};

use super::content::StoredTopic;

/// Where records go.
pub(super) struct Target {
    /// The end of each partition of the machine's input.
    pub(super) input_ends: Vec<i64>,
    /// The epoch of what the machine numbers from now on.
    pub(super) epoch: i64,
}

/// Where a record belongs.
enum Belongs {
    To(i32),
    /// Time, which is one for all partitions.
    Clock(StatePicks),
    Partition(StatePartition),
}

/// The records of a topic, by partition.
///
/// # Errors
/// For a record that cannot be read, or that has no other partition where the number is another.
pub(super) fn placed(topic: &StoredTopic, target: &Target) -> anyhow::Result<Vec<Kept>> {
    let same = topic.partitions.len() == target.input_ends.len();
    let mut all = if same { topic.partitions.clone() } else { spread(topic, target.input_ends.len())? };
    for (kept, end) in all.iter_mut().zip(&target.input_ends) {
        if let Some(value) = kept.get_mut(PARTITION_KEY.as_bytes()) {
            let state = StatePartition { next_offset: *end, epoch: target.epoch, ..decode(value)? };
            *value = encode(&state)?;
        }
    }
    Ok(all)
}

/// The records of a topic in another number of partitions.
fn spread(topic: &StoredTopic, partitions: usize) -> anyhow::Result<Vec<Kept>> {
    let count = i32::try_from(partitions)?;
    let mut all = vec![Kept::new(); partitions];
    let (mut state, mut clock) = (None::<StatePartition>, None::<(Vec<u8>, StatePicks)>);
    for (key, value) in topic.partitions.iter().flatten() {
        match belongs(value, count)
            .with_context(|| format!("{}: {}", topic.name, String::from_utf8_lossy(key)))?
        {
            Belongs::To(partition) => {
                let kept = usize::try_from(partition).ok().and_then(|place| all.get_mut(place));
                kept.context("no such partition")?.insert(key.clone(), value.clone());
            }
            Belongs::Clock(found) => {
                let latest = clock.as_ref().is_none_or(|(_, known)| known.clock < found.clock);
                clock = if latest { Some((key.clone(), found)) } else { clock };
            }
            Belongs::Partition(found) => {
                state = Some(state.map_or(found.clone(), |known| latest(known, found)));
            }
        }
    }
    for kept in &mut all {
        if let Some(state) = &state {
            kept.insert(PARTITION_KEY.as_bytes().to_vec(), encode(state)?);
        }
        if let Some((key, clock)) = &clock {
            kept.insert(key.clone(), encode(clock)?);
        }
    }
    Ok(all)
}

/// One state of two partitions: no time goes back, and no number is given twice.
fn latest(one: StatePartition, other: StatePartition) -> StatePartition {
    let sequence = one.sequence.max(other.sequence);
    let later = if one.timers.now >= other.timers.now { one } else { other };
    StatePartition { sequence, ..later }
}

fn belongs(value: &[u8], partitions: i32) -> anyhow::Result<Belongs> {
    let of = |event: &str| Ok(Belongs::To(partition_of(event, partitions)));
    match RecordType::of(value)? {
        RecordType::Pick => of(&decode::<Pick>(value)?.event.id),
        RecordType::StatePick => of(&decode::<StatePick>(value)?.pick.event.id),
        RecordType::StateOpenedWindow => of(&decode::<StateOpenedWindow>(value)?.window.event.id),
        RecordType::StateResult => of(&decode::<StateResult>(value)?.report.event),
        RecordType::StatePicks => Ok(Belongs::Clock(decode(value)?)),
        RecordType::StatePartition => Ok(Belongs::Partition(decode(value)?)),
        other => bail!("{other:?} has one partition, and the number of partitions is another"),
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::records::StateTimers;
    use arb_schemas::wire::Record;

    use super::*;

    fn kept(records: Vec<(&str, Vec<u8>)>) -> Kept {
        records.into_iter().map(|(key, value)| (key.as_bytes().to_vec(), value)).collect()
    }

    fn result(event: &str) -> Vec<u8> {
        let mut state = StateResult::default();
        event.clone_into(&mut state.report.event);
        encode(&state).unwrap()
    }

    fn partition(next_offset: i64, now: i64, sequence: i64) -> Vec<u8> {
        let policy = "rules".to_owned();
        encode(&StatePartition {
            next_offset,
            policy,
            sequence,
            epoch: 1,
            timers: StateTimers { now: Some(now), ..StateTimers::default() },
            ..Default::default()
        })
        .unwrap()
    }

    fn target(input_ends: &[i64]) -> Target {
        Target { input_ends: input_ends.to_vec(), epoch: 9 }
    }

    fn of<T: Record>(kept: &Kept, key: &str) -> T {
        decode(&kept[key.as_bytes()]).unwrap()
    }

    #[test]
    fn in_the_same_number_all_stays_but_the_place_of_the_input() {
        let partitions = vec![
            kept(vec![("result/a", result("a")), ("partition", partition(70, 5, 3))]),
            kept(vec![("result/b", result("b"))]),
        ];
        let topic = StoredTopic { name: "t".to_owned(), partitions };
        let placed = placed(&topic, &target(&[4, 6])).unwrap();
        let state: StatePartition = of(&placed[0], "partition");
        assert_eq!((state.next_offset, state.epoch, state.sequence, state.timers.now), (4, 9, 3, Some(5)));
        assert_eq!(placed[0][&b"result/a"[..]], result("a"));
        assert_eq!(placed[1], topic.partitions[1]);
    }

    #[test]
    fn in_another_number_an_event_is_in_its_partition_and_no_time_goes_back() {
        let events: Vec<_> = (0..40).map(|event| format!("event-{event}")).collect();
        let mut from = vec![Kept::new(), Kept::new()];
        for event in &events {
            let place = usize::try_from(partition_of(event, 2)).unwrap();
            from[place].insert(format!("result/{event}").into_bytes(), result(event));
        }
        for (place, now) in [(0, 5), (1, 8)] {
            from[place].extend(kept(vec![
                ("partition", partition(70, now, 10 - now)),
                ("clock", encode(&StatePicks { clock: now }).unwrap()),
            ]));
        }
        let topic = StoredTopic { name: "t".to_owned(), partitions: from };
        let placed = placed(&topic, &target(&[1, 2, 3, 4, 5])).unwrap();
        for event in &events {
            let place = usize::try_from(partition_of(event, 5)).unwrap();
            assert!(placed[place].contains_key(format!("result/{event}").as_bytes()), "{event}");
        }
        assert_eq!(placed.iter().map(Kept::len).sum::<usize>(), events.len() + 2 * 5);
        for (place, kept) in placed.iter().enumerate() {
            let state: StatePartition = of(kept, "partition");
            assert_eq!(state.next_offset, i64::try_from(place).unwrap() + 1);
            assert_eq!((state.timers.now, state.sequence), (Some(8), 5));
            assert_eq!(of::<StatePicks>(kept, "clock").clock, 8);
        }
    }

    #[test]
    fn what_is_of_one_partition_stays_in_it() {
        let clock = encode(&arb_schemas::records::AccountClock { at: 1 }).unwrap();
        let topic =
            StoredTopic { name: "accounts".to_owned(), partitions: vec![kept(vec![("clock", clock)])] };
        assert!(placed(&topic, &target(&[0])).is_ok());
        let refused = placed(&topic, &target(&[0, 0])).unwrap_err();
        assert!(format!("{refused:#}").contains("has one partition"), "{refused:#}");
    }
}
