//! An edge signal.

use arb_model::{EdgeSignal, SignalQuote, view};
use arb_schemas::time::Micros;

use super::{EventView, age};

view! {
    /// An open edge signal as it is now: what to take, how much it is worth, how sure that is, and the quotes that are the evidence.
    pub struct SignalView<'a> => "Signal" {
        #[serde(flatten)]
        signal: &'a EdgeSignal,
        #[serde(flatten)]
        about: EventView<'a>,
        bets: Vec<SignalQuoteView<'a>>,
        evidence: Vec<SignalQuoteView<'a>>,
    }
}

view! {
    /// A quote of a signal.
    pub struct SignalQuoteView<'a> => "SignalQuote" {
        #[serde(flatten)]
        quote: &'a SignalQuote,
        /// How long ago it was confirmed.
        age_seconds: f64,
    }
}

impl<'a> SignalView<'a> {
    /// Its ages as of a time.
    #[must_use]
    pub fn new(signal: &'a EdgeSignal, as_of: Micros) -> Self {
        let aged = |quotes: &'a [SignalQuote]| {
            let of = |quote: &'a SignalQuote| age(quote.last_seen_at, as_of);
            quotes.iter().map(|quote| SignalQuoteView { quote, age_seconds: of(quote) }).collect()
        };
        Self {
            signal,
            about: EventView::new(&signal.event, Some(signal.in_play)),
            bets: aged(&signal.bets),
            evidence: aged(&signal.evidence),
        }
    }
}
