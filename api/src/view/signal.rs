//! An edge signal.

use arb_schemas::records::{EdgeSignal, FairChance, SignalQuote};
use arb_schemas::time::{Micros, Rfc3339};
use serde::Serialize;

use super::{SubjectView, age, line, odds};

/// A signal, as of a time.
#[derive(Debug, Serialize)]
pub(crate) struct SignalView<'a> {
    id: &'a str,
    kind: &'a str,
    #[serde(flatten)]
    subject: SubjectView<'a>,
    outcome: Option<&'a str>,
    strength: f64,
    confidence: f64,
    kelly: Option<f64>,
    bets: Vec<QuoteView<'a>>,
    evidence: Vec<QuoteView<'a>>,
    fair: &'a [FairChance],
    opened_at: Rfc3339,
    updated_at: Rfc3339,
    expires_at: Rfc3339,
    sequence: i64,
}

#[derive(Debug, Serialize)]
struct QuoteView<'a> {
    role: &'a str,
    book: &'a str,
    operator: &'a str,
    outcome: &'a str,
    side: &'a str,
    line: Option<f64>,
    price: f64,
    price_from: Option<f64>,
    effective_price: f64,
    price_moved_at: Rfc3339,
    last_seen_at: Rfc3339,
    age_seconds: f64,
}

impl<'a> SignalView<'a> {
    pub(crate) fn new(signal: &'a EdgeSignal, as_of: Micros) -> Self {
        let quotes =
            |quotes: &'a [SignalQuote]| quotes.iter().map(|quote| QuoteView::new(quote, as_of)).collect();
        Self {
            id: &signal.id,
            kind: &signal.kind,
            subject: SubjectView::new(
                (&signal.event, Some(signal.in_play)),
                (&signal.market, &signal.period),
                signal.line,
            ),
            outcome: signal.outcome.as_deref(),
            strength: signal.strength,
            confidence: signal.confidence,
            kelly: signal.kelly,
            bets: quotes(&signal.bets),
            evidence: quotes(&signal.evidence),
            fair: &signal.fair,
            opened_at: Rfc3339(signal.opened_at),
            updated_at: Rfc3339(signal.updated_at),
            expires_at: Rfc3339(signal.expires_at),
            sequence: signal.sequence,
        }
    }
}

impl<'a> QuoteView<'a> {
    fn new(quote: &'a SignalQuote, as_of: Micros) -> Self {
        Self {
            role: &quote.role,
            book: &quote.book,
            operator: &quote.operator,
            outcome: &quote.outcome,
            side: &quote.side,
            line: quote.line.map(line),
            price: odds(quote.price),
            price_from: quote.price_from.map(odds),
            effective_price: odds(quote.effective_price),
            price_moved_at: Rfc3339(quote.price_moved_at),
            last_seen_at: Rfc3339(quote.last_seen_at),
            age_seconds: age(quote.last_seen_at, as_of),
        }
    }
}
