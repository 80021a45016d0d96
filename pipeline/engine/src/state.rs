//! What the engine remembers of a partition, and the draft of what it is about to remember.
//!
//! A [`Draft`] lies over a [`State`] until the transaction that publishes its effects has committed: applying it
//! is `commit`, dropping it `abort`. The unit of copying is a market. It never decides anything about odds.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::catalogue::Market;
use crate::effect::EventInfo;
use crate::names::Symbol;
use crate::quotes::Quote;
use crate::source::SourceClock;
use crate::window::Window;

/// One market of one event: its quotes, sorted by key, and its open windows, sorted by line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MarketState {
    pub(crate) market: Market,
    pub(crate) quotes: Vec<Quote>,
    pub(crate) windows: Vec<Window>,
}

/// One event. Markets without a quote or a window are not kept, nor events without a market.
#[derive(Debug, Clone)]
pub(crate) struct EventState {
    pub(crate) info: Arc<EventInfo>,
    pub(crate) markets: Vec<Arc<MarketState>>,
}

/// Everything that is remembered of a partition.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) events: BTreeMap<Arc<str>, EventState>,
    pub(crate) sources: BTreeMap<Symbol, SourceClock>,
    pub(crate) sequence: i64,
}

/// What has changed since the last commit.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) events: BTreeMap<Arc<str>, EventState>,
    pub(crate) sources: BTreeMap<Symbol, SourceClock>,
    pub(crate) sequence: Option<i64>,
}

/// A state with a draft over it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overlay<'a> {
    state: &'a State,
    draft: &'a Draft,
}

impl Draft {
    /// The state as this draft would make it.
    pub(crate) fn over<'a>(&'a self, state: &'a State) -> Overlay<'a> {
        Overlay { state, draft: self }
    }

    pub(crate) fn put_event(&mut self, event: EventState) {
        self.events.insert(Arc::clone(&event.info.id), event);
    }

    pub(crate) fn put_source(&mut self, source: Symbol, clock: SourceClock) {
        self.sources.insert(source, clock);
    }

    pub(crate) fn put_sequence(&mut self, sequence: i64) {
        self.sequence = Some(sequence);
    }

    /// Makes the draft the state.
    pub(crate) fn apply(self, state: &mut State) {
        for (id, event) in self.events {
            if event.markets.is_empty() {
                state.events.remove(&id);
            } else {
                state.events.insert(id, event);
            }
        }
        state.sources.extend(self.sources);
        state.sequence = self.sequence.unwrap_or(state.sequence);
    }
}

impl<'a> Overlay<'a> {
    pub(crate) fn event(&self, id: &str) -> Option<&'a EventState> {
        self.draft.events.get(id).or_else(|| self.state.events.get(id))
    }

    /// The ids of all events, in order, each once.
    pub(crate) fn event_ids(&self) -> Vec<Arc<str>> {
        let mut ids: Vec<_> = self.state.events.keys().chain(self.draft.events.keys()).cloned().collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    pub(crate) fn source(&self, source: Symbol) -> SourceClock {
        let drafted = self.draft.sources.get(&source);
        drafted.or_else(|| self.state.sources.get(&source)).copied().unwrap_or_default()
    }

    pub(crate) fn sequence(&self) -> i64 {
        self.draft.sequence.unwrap_or(self.state.sequence)
    }
}

impl EventState {
    pub(crate) fn market(&self, market: Market) -> Option<&Arc<MarketState>> {
        self.markets.iter().find(|state| state.market == market)
    }
}
