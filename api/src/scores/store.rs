//! The newest score of each event in play, for as long as it is young. It never shows a score that is older than [`SHOWN_FOR`], whatever the topic has.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use arb_schemas::records::LiveScore;
use arb_schemas::time::{Micros, SECOND};

use crate::lists::known_names::{KnownNames, NameKind};

/// How long a score is shown after its source confirmed it last.
pub(crate) const SHOWN_FOR: Micros = 300 * SECOND;
/// Scores that are kept at the most; one is about 300 bytes.
const MOST: usize = 10_000;

/// The scores of an instance, by event.
#[derive(Debug)]
pub(crate) struct ScoreStore {
    names: Arc<KnownNames>,
    scores: RwLock<BTreeMap<String, Arc<LiveScore>>>,
    is_ready: AtomicBool,
}

/// Until when a score is shown.
pub(crate) fn expires_at(score: &LiveScore) -> Micros {
    score.reported_at.saturating_add(SHOWN_FOR)
}

/// Whether a score is shown at a time. One of a clock that is far ahead is not: nobody could tell how old it is.
fn is_shown(score: &LiveScore, now: Micros) -> bool {
    now < expires_at(score) && score.reported_at <= now.saturating_add(SHOWN_FOR)
}

impl ScoreStore {
    /// None yet; the sports and leagues of those that come are noted.
    pub(crate) fn new(names: &Arc<KnownNames>) -> Self {
        Self { names: Arc::clone(names), scores: RwLock::default(), is_ready: AtomicBool::default() }
    }

    /// Takes in the score of an event.
    pub(crate) fn put(&self, score: LiveScore) {
        for name in [&score.sport, &score.league] {
            self.names.note(NameKind::Sport, name);
        }
        let mut scores = self.scores.write().unwrap_or_else(PoisonError::into_inner);
        if scores.len() >= MOST {
            let newest = scores.values().map(|score| score.reported_at).max().unwrap_or_default();
            scores.retain(|_, score| newest < expires_at(score));
        }
        if scores.len() < MOST || scores.contains_key(&score.event) {
            scores.insert(score.event.clone(), Arc::new(score));
        }
    }

    /// Removes the score of an event that is over.
    pub(crate) fn remove(&self, event: &str) {
        self.scores.write().unwrap_or_else(PoisonError::into_inner).remove(event);
    }

    /// Forgets all: the topic is read again from its beginning.
    pub(crate) fn begin(&self) {
        self.scores.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.is_ready.store(false, Ordering::Release);
    }

    /// Notes that the whole topic was read.
    pub(crate) fn ready(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Whether it was.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// The scores that are wanted and shown at a time, by event.
    pub(crate) fn shown(&self, now: Micros, is_wanted: impl Fn(&LiveScore) -> bool) -> Vec<Arc<LiveScore>> {
        let scores = self.scores.read().unwrap_or_else(PoisonError::into_inner);
        scores.values().filter(|score| is_shown(score, now) && is_wanted(score)).map(Arc::clone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(event: &str, seconds: i64) -> LiveScore {
        LiveScore { event: event.to_owned(), reported_at: seconds * SECOND, ..LiveScore::default() }
    }

    fn shown(store: &ScoreStore, seconds: i64) -> Vec<String> {
        store.shown(seconds * SECOND, |_| true).iter().map(|score| score.event.clone()).collect()
    }

    #[test]
    fn a_score_is_shown_until_it_is_old_or_its_event_is_over() {
        let store = ScoreStore::new(&Arc::default());
        for (event, at) in [("b", 1_000), ("a", 1_100), ("ahead", 2_000)] {
            store.put(score(event, at));
        }
        assert_eq!(shown(&store, 1_100), ["a", "b"]);
        assert_eq!(shown(&store, 1_299), ["a", "b"]);
        assert_eq!(shown(&store, 1_300), ["a"], "not for the five minutes and longer");
        assert_eq!(shown(&store, 1_400), [""; 0]);
        assert_eq!(shown(&store, 1_700), ["ahead"], "a clock that is ahead by no more than that");
        store.put(score("b", 1_350));
        store.remove("a");
        assert_eq!(shown(&store, 1_350), ["b"]);
        store.begin();
        assert_eq!((shown(&store, 1_350).len(), store.is_ready()), (0, false));
    }

    #[test]
    fn there_is_room_for_so_many() {
        let store = ScoreStore::new(&Arc::default());
        let fill = |at: i64| (0..MOST).for_each(|event| store.put(score(&format!("{at}-{event}"), at)));
        fill(0);
        store.put(score("more", 1));
        assert_eq!(
            store.shown(SECOND, |_| true).len(),
            MOST,
            "none is given up for another that is as young"
        );
        store.put(score("0-7", 1_000));
        store.put(score("more", 1_000));
        assert_eq!(shown(&store, 1_000), ["0-7", "more"], "those that are not shown any more are");
    }
}
