//! An edge signal.

use arb_model::{EdgeSignal, SignalQuote};
use arb_schemas::time::Micros;
use serde::Serialize;

use super::{Aged, EventView};

/// A signal, as of a time.
#[derive(Debug, Serialize)]
pub struct SignalView<'a> {
    #[serde(flatten)]
    signal: &'a EdgeSignal,
    #[serde(flatten)]
    about: EventView<'a>,
    bets: Vec<Aged<'a, SignalQuote>>,
    evidence: Vec<Aged<'a, SignalQuote>>,
}

impl<'a> SignalView<'a> {
    /// Its ages as of a time.
    #[must_use]
    pub fn new(signal: &'a EdgeSignal, as_of: Micros) -> Self {
        let aged = |quotes: &'a [SignalQuote]| {
            quotes.iter().map(|quote| Aged::new(quote, quote.last_seen_at, as_of)).collect()
        };
        Self {
            signal,
            about: EventView::new(&signal.event, Some(signal.in_play)),
            bets: aged(&signal.bets),
            evidence: aged(&signal.evidence),
        }
    }
}
