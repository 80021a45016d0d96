//! The events whose results picks on live prices wait for: a thread reads `picks.v1`, a worker looks at what is open now.
//!
//! It names nothing before the whole topic was read: of a compacted topic an earlier record may say that a pick is open which is graded.
//! It never looks at a bet.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arb_kafka::{Cluster, Table, TableEvent};
use arb_model::{FeedKind, Pick};
use arb_runtime::stop::Stop;
use arb_schemas::time::Micros;
use arb_schemas::topics::PICKS;
use arb_schemas::wire::decode;

/// How long the thread waits for a record before it looks at the shutdown signal.
const WAIT: Duration = Duration::from_millis(100);
/// The pause before the topic is opened again after an error.
const AGAIN: Duration = Duration::from_secs(5);

/// The starts of events without a result, by sport and event.
pub type Awaited = BTreeMap<String, BTreeMap<String, Micros>>;

/// The open picks, as far as they are read.
#[derive(Debug, Clone, Default)]
pub struct OpenPicks(Arc<Mutex<HeldPicks>>);

#[derive(Debug, Default)]
struct HeldPicks {
    /// The league, the event and its start, by pick.
    picks: HashMap<String, (String, String, Micros)>,
    is_read: bool,
    /// Picks have changed since the worker looked.
    is_changed: bool,
}

impl OpenPicks {
    /// Reads picks on a thread until the shutdown signal.
    ///
    /// # Errors
    /// That of the system when it gives no thread.
    pub fn start(cluster: &Cluster, partitions: i32, stop: &Stop) -> std::io::Result<Self> {
        let picks = Self::default();
        let (theirs, cluster, stop) = (picks.clone(), cluster.clone(), stop.clone());
        std::thread::Builder::new().name("picks".to_owned()).spawn(move || {
            while !stop.is_stopped() {
                match theirs.read(&cluster, partitions, &stop) {
                    Ok(()) => return,
                    Err(error) => tracing::warn!(%error, "picks cannot be read; trying again"),
                }
                if stop.wait(AGAIN) {
                    return;
                }
            }
        })?;
        Ok(picks)
    }

    /// Shows the events that wait for a result, by league, if that has changed since the last call.
    pub fn awaited(&self, show: impl FnOnce(&Awaited)) {
        let mut held = self.lock();
        if held.is_read && std::mem::take(&mut held.is_changed) {
            let mut awaited = Awaited::new();
            for (league, event, start) in held.picks.values() {
                awaited.entry(league.clone()).or_default().insert(event.clone(), *start);
            }
            show(&awaited);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HeldPicks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, cluster: &Cluster, partitions: i32, stop: &Stop) -> Result<(), arb_kafka::Error> {
        let mut table = Table::open(cluster, &PICKS, partitions)?;
        *self.lock() = HeldPicks::default();
        while !stop.is_stopped() {
            match table.next(WAIT)? {
                TableEvent::Put { value: Some(value), .. } => match decode::<Pick>(&value) {
                    Ok(pick) => self.lock().put(&pick),
                    Err(error) => tracing::warn!(%error, "a pick is left out"),
                },
                TableEvent::Put { key, .. } => self.lock().remove(&String::from_utf8_lossy(&key)),
                TableEvent::CaughtUp => {
                    let mut held = self.lock();
                    (held.is_read, held.is_changed) = (true, true);
                }
                TableEvent::Idle => {}
            }
        }
        Ok(())
    }
}

impl HeldPicks {
    fn put(&mut self, pick: &Pick) {
        if pick.feed != FeedKind::Live || !pick.is_open() {
            return self.remove(&pick.id);
        }
        let event = &pick.event;
        let place = (event.league.to_string(), event.id.to_string(), pick.starts_at.0);
        self.is_changed |= self.picks.insert(pick.id.clone(), place.clone()) != Some(place);
    }

    fn remove(&mut self, id: &str) {
        self.is_changed |= self.picks.remove(id).is_some();
    }
}

#[cfg(test)]
mod tests {
    use arb_model::{Event, PickGrade, Time};

    use super::*;

    fn pick(id: &str, feed: FeedKind, event: &str, start: Micros) -> Pick {
        let event = Event { id: event.into(), league: "soccer_epl".into(), ..Event::default() };
        Pick { id: id.to_owned(), feed: feed.into(), event, starts_at: Time(start), ..Pick::default() }
    }

    #[test]
    fn events_wait_while_a_pick_on_live_prices_is_open() {
        let picks = OpenPicks::default();
        let awaited = || {
            let mut shown = None;
            picks.awaited(|awaited| shown = awaited.get("soccer_epl").cloned().or(Some(BTreeMap::new())));
            shown
        };
        let put = |pick: &Pick| picks.lock().put(pick);
        let one = pick("one", FeedKind::Live, "a", 1);
        put(&one);
        assert_eq!(awaited(), None, "the topic is not read yet");
        picks.lock().is_read = true;
        let starts = |starts: &[(&str, Micros)]| {
            Some(
                starts.iter().map(|(event, start)| ((*event).to_owned(), *start)).collect::<BTreeMap<_, _>>(),
            )
        };
        put(&pick("two", FeedKind::Simulated, "b", 1));
        put(&pick("three", FeedKind::Live, "a", 1));
        assert_eq!(awaited(), starts(&[("a", 1)]));
        put(&one);
        assert_eq!(awaited(), None, "nothing has changed");
        put(&pick("three", FeedKind::Live, "a", 5));
        put(&Pick { grades: vec![PickGrade { settlement: "won".into(), ..PickGrade::default() }], ..one });
        assert_eq!(awaited(), starts(&[("a", 5)]), "a new start");
        picks.lock().remove("three");
        assert_eq!(awaited(), starts(&[]));
    }
}
