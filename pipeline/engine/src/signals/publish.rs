//! A signal put into words for whoever carries it out.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::caps::{Cap, EVIDENCE};
use crate::context::MarketContext;
use crate::effect::{Edge, Effect, Effects, Evidence, Role, SignalChange};
use crate::odds::Price;
use crate::quotes::Quote;
use crate::venues::PricingContext;

use super::found::Detail;
use super::signal::Signal;

/// Publishes what became of a signal; `detail` is the evidence for it, nothing of one that closes.
pub(super) fn publish(
    change: SignalChange,
    signal: &Signal,
    detail: Option<Detail>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) {
    let (step, detail) = (context.step, detail.unwrap_or_default());
    effects.left_out.add(Cap::Evidence, detail.quotes.len().saturating_sub(EVIDENCE));
    let evidence_of = detail.quotes.iter().take(EVIDENCE);
    let of = |role, quote: &Quote, from| evidence(role, quote, from, step.pricing);
    let edge = Edge {
        id: signal.id,
        kind: signal.subject.kind,
        event: Arc::clone(step.event),
        in_play: context.in_play(),
        market: context.market,
        line: signal.subject.line,
        outcome: signal.subject.outcome,
        strength: signal.strength,
        confidence: signal.confidence,
        bets: signal.bets.iter().map(|bet| of(Role::Bet, bet, None)).collect(),
        evidence: evidence_of.map(|(role, quote, from)| of(*role, quote, *from)).collect(),
        fair: detail.fair,
        kelly: detail.kelly,
        opened_at: signal.opened_at,
        updated_at: step.now,
        expires_at: signal.expires_at,
        sequence: signal.sequence,
    };
    effects.push(Effect::Signal(change, Box::new(edge)));
}

fn evidence(role: Role, quote: &Quote, price_from: Option<Price>, pricing: PricingContext<'_>) -> Evidence {
    let venue = pricing.venues.venue(quote.key.book);
    Evidence {
        role,
        outcome: quote.key.outcome,
        side: quote.key.side,
        line: quote.key.line,
        book: Arc::clone(&venue.key),
        operator: venue.operator().into(),
        price: quote.price,
        price_from,
        effective_price: quote.effective,
        price_moved_at: quote.price_moved_at,
        last_seen_at: quote.span_end,
    }
}
