//! All picks in memory, the newest first, and the records of bots, computed once for each state of the picks.
//!
//! A pick is about 1 KB. It never answers before the whole topic was read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use arb_model::Pick;
use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};

use super::bot_record::BotRecord;
use crate::lists::known_names::{KnownNames, NameKind};

/// A place among the picks: the newest first, then by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PickPlace {
    published_at: Reverse<Micros>,
    id: String,
}

impl PickPlace {
    /// Of a pick.
    pub(crate) fn of(pick: &Pick) -> Self {
        Self { published_at: Reverse(pick.published_at.0), id: pick.id.clone() }
    }
}

/// The picks, and how often they have changed.
#[derive(Debug, Default)]
struct HeldPicks {
    picks: BTreeMap<PickPlace, Arc<Pick>>,
    places: HashMap<String, PickPlace>,
    changes: u64,
}

/// Records of bots, and after how many changes of the picks they were computed.
type Computed = Option<(u64, Arc<Vec<BotRecord>>)>;

/// The picks of an instance.
#[derive(Debug)]
pub struct PickStore {
    names: Arc<KnownNames>,
    held: RwLock<HeldPicks>,
    records: Mutex<Computed>,
    is_ready: AtomicBool,
}

impl PickStore {
    /// None yet; the sports and leagues of those that come are noted.
    pub(crate) fn new(names: &Arc<KnownNames>) -> Self {
        let (held, records, is_ready) = Default::default();
        Self { names: Arc::clone(names), held, records, is_ready }
    }

    /// Takes in a pick as it is now.
    pub(crate) fn put(&self, pick: Pick) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let place = PickPlace::of(&pick);
        for name in [&pick.event.sport, &pick.event.league] {
            self.names.note(NameKind::Sport, name);
        }
        held.changes += 1;
        held.places.insert(pick.id.clone(), place.clone());
        held.picks.insert(place, Arc::new(pick));
    }

    /// Removes a pick that is not in the topic any more.
    pub(crate) fn remove(&self, id: &str) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = held.places.remove(id) {
            held.changes += 1;
            held.picks.remove(&place);
        }
    }

    /// Notes that the whole topic was read.
    pub(crate) fn ready(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Whether it was.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// The picks on an event.
    pub(crate) fn of_event(&self, event: &str) -> Vec<Arc<Pick>> {
        self.page(None, usize::MAX, |pick| &*pick.event.id == event)
    }

    /// The first picks after a place that are wanted, at most so many.
    pub(crate) fn page(
        &self,
        after: Option<&PickPlace>,
        most: usize,
        is_wanted: impl Fn(&Pick) -> bool,
    ) -> Vec<Arc<Pick>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        let wanted = |picks: &mut dyn Iterator<Item = (&PickPlace, &Arc<Pick>)>| {
            picks.map(|(_, pick)| pick).filter(|pick| is_wanted(pick)).take(most).map(Arc::clone).collect()
        };
        match after {
            None => wanted(&mut held.picks.iter()),
            Some(after) => wanted(&mut held.picks.range(after..).filter(|(place, _)| *place > after)),
        }
    }

    /// The pick with an id.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Pick>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.picks.get(held.places.get(id)?).map(Arc::clone)
    }

    /// The record of each bot, version and feed that has a pick.
    pub(crate) fn records(&self) -> Arc<Vec<BotRecord>> {
        // Held while they are computed: of many that ask, one computes.
        let mut computed = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let (changes, picks) = {
            let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
            if let Some((changes, records)) = &*computed
                && *changes == held.changes
            {
                return Arc::clone(records);
            }
            (held.changes, held.picks.values().map(Arc::clone).collect::<Vec<_>>())
        };
        let records = Arc::new(BotRecord::all(&picks));
        *computed = Some((changes, Arc::clone(&records)));
        records
    }
}

#[cfg(test)]
mod tests {
    use arb_model::{Time, fixtures};

    use super::*;

    fn pick(id: &str, published_at: Micros) -> Pick {
        Pick { id: id.to_owned(), published_at: Time(published_at), ..fixtures::pick() }
    }

    fn ids(picks: &[Arc<Pick>]) -> Vec<&str> {
        picks.iter().map(|pick| pick.id.as_str()).collect()
    }

    #[test]
    fn the_newest_pick_is_first_and_pages_meet() {
        let store = PickStore::new(&Arc::default());
        for (id, at) in [("a", 1), ("b", 3), ("c", 2), ("d", 3)] {
            store.put(pick(id, at));
        }
        let first = store.page(None, 2, |_| true);
        assert_eq!(ids(&first), ["b", "d"]);
        let after = PickPlace::of(&first[1]);
        assert_eq!(ids(&store.page(Some(&after), 9, |_| true)), ["c", "a"]);
        assert_eq!(ids(&store.page(None, 9, |pick| pick.id != "d")), ["b", "c", "a"]);
        store.remove("d");
        store.put(Pick { grades: vec![], ..pick("b", 3) });
        assert_eq!(ids(&store.page(None, 9, |_| true)), ["b", "c", "a"]);
        assert!(store.get("d").is_none() && store.get("b").is_some_and(|pick| pick.is_open()));
    }

    #[test]
    fn records_are_computed_again_when_a_pick_changes() {
        let store = PickStore::new(&Arc::default());
        store.put(pick("a", 1));
        let before = store.records();
        assert!(Arc::ptr_eq(&before, &store.records()));
        store.put(pick("b", 2));
        assert_eq!((before[0].picks, store.records()[0].picks), (1, 2));
    }
}
