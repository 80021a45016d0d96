//! A signal as it is published.
//!
//! It decides nothing.

use arb_model::{Points, Time};

use crate::caps::{Cap, EVIDENCE};
use crate::context::MarketContext;
use crate::effect::{EdgeSignal, Effect, Effects, FairChance, Role, SignalChange, SignalQuote};
use crate::odds::Price;
use crate::quotes::Quote;
use crate::venues::PricingContext;

use super::found::Detail;
use super::signal::Signal;

/// Publishes a transition of a signal; `detail` is its evidence, `None` for a close.
pub(super) fn publish(
    change: SignalChange,
    signal: &Signal,
    detail: Option<Detail>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) {
    let (step, detail) = (context.step, detail.unwrap_or_default());
    effects.left_out.add(Cap::Evidence, detail.quotes.len().saturating_sub(EVIDENCE));
    let evidence = detail.quotes.iter().take(EVIDENCE);
    let of = |role, quote: &Quote, from| signal_quote(role, quote, from, step.pricing);
    let fair = detail.fair.iter();
    let edge = EdgeSignal {
        id: signal.id.to_string(),
        kind: signal.subject.kind.into(),
        event: (**step.event).clone(),
        in_play: context.in_play(),
        market: context.market.family.into(),
        period: context.market.period.into(),
        line: signal.subject.line.map(Points),
        outcome: signal.subject.outcome.map(Into::into),
        strength: signal.strength,
        confidence: signal.confidence,
        bets: signal.bets.iter().map(|bet| of(Role::Bet, bet, None)).collect(),
        evidence: evidence.map(|(role, quote, from)| of(*role, quote, *from)).collect(),
        fair: fair
            .map(|(method, chance)| FairChance { method: (*method).into(), probability: *chance })
            .collect(),
        kelly: detail.kelly,
        opened_at: Time(signal.opened_at),
        updated_at: Time(step.now),
        expires_at: Time(signal.expires_at),
        sequence: signal.sequence,
    };
    effects.push(Effect::Signal(change, Box::new(edge)));
}

fn signal_quote(
    role: Role,
    quote: &Quote,
    price_from: Option<Price>,
    pricing: PricingContext<'_>,
) -> SignalQuote {
    let venue = pricing.venues.venue(quote.key.book());
    SignalQuote {
        role: role.into(),
        outcome: quote.key.outcome().into(),
        side: quote.key.side().into(),
        line: quote.key.line().map(Points),
        book: (&venue.key).into(),
        operator: venue.operator().into(),
        price: quote.price,
        price_from,
        effective_price: quote.effective,
        price_moved_at: Time(quote.price_moved_at),
        last_seen_at: Time(quote.span_end),
    }
}
