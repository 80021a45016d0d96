//! The events of a source's latest poll whose prices it repeated: the poll named them, and had no prices of them that could be
//! taken in, because they were too many or too long.
//!
//! Such prices carry the time of the poll, so that its end does not withdraw them, and were not asked for. It never lists more
//! than a record of the changelog can have.

use std::collections::{BTreeMap, BTreeSet};

use arb_engine::ScannedQuote;
use arb_runtime::machine::Change;
use arb_schemas::records::StateScanRepeats;
use arb_schemas::time::Micros;
use arb_schemas::wire::{WireError, encode};

/// Events of a poll that are listed; of one that has more no price counts.
const MOST_EVENTS: usize = 1_000;

/// By source; a draft replaces what is known.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    known: BTreeMap<String, Repeated>,
    draft: BTreeMap<String, Repeated>,
}

#[derive(Debug, Clone, Default)]
struct Repeated {
    received_at: Micros,
    events: BTreeSet<String>,
    is_all: bool,
}

impl Repeats {
    /// A poll of a source repeated its prices of an event.
    pub(super) fn note(&mut self, source: &str, received_at: Micros, event: &str) {
        let of_poll = self.get(source).filter(|repeated| repeated.received_at == received_at).cloned();
        let mut repeated = of_poll.unwrap_or(Repeated { received_at, ..Repeated::default() });
        if repeated.events.len() < MOST_EVENTS {
            repeated.events.insert(event.to_owned());
        } else {
            repeated.is_all = true;
        }
        self.draft.insert(source.to_owned(), repeated);
    }

    /// Whether a quote is one that its poll repeated.
    pub(super) fn has(&self, quote: &ScannedQuote<'_>) -> bool {
        let of_poll = self.get(quote.source).filter(|repeated| repeated.received_at == quote.received_at);
        of_poll.is_some_and(|repeated| repeated.is_all || repeated.events.contains(quote.event))
    }

    fn get(&self, source: &str) -> Option<&Repeated> {
        self.draft.get(source).or_else(|| self.known.get(source))
    }

    /// The drafts as changes of the changelog.
    pub(super) fn changes(&self) -> impl Iterator<Item = Result<Change, WireError>> {
        self.draft.iter().map(|(source, repeated)| {
            let Repeated { received_at, events, is_all } = repeated.clone();
            let events = events.into_iter().collect();
            let record = StateScanRepeats { source: source.clone(), received_at, events, is_all };
            Ok(Change { key: format!("repeats/{source}"), value: Some(encode(&record)?) })
        })
    }

    /// Makes the drafts the state.
    pub(super) fn apply(&mut self) {
        self.known.append(&mut self.draft);
    }

    /// Drops the drafts.
    pub(super) fn abort(&mut self) {
        self.draft.clear();
    }

    /// Puts what a source repeated back.
    pub(super) fn restore(&mut self, record: StateScanRepeats) {
        let StateScanRepeats { source, received_at, events, is_all } = record;
        self.known.insert(source, Repeated { received_at, events: events.into_iter().collect(), is_all });
    }
}
