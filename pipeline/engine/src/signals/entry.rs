//! A signal put into words for whoever carries it out.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::caps::{Cap, EVIDENCE};
use crate::catalogue::{Line, Market, Outcome, Side};
use crate::devig::Method;
use crate::effect::{Effect, EventInfo};
use crate::odds::Price;
use crate::quotes::Quote;
use crate::signals::found::Detail;
use crate::signals::{SignalChange, SignalKind, Signal};
use crate::venues::PricingContext;
use crate::window::{self, MarketContext, Effects};

/// The id of a signal: 16 bytes, unique to its subject and the record that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignalId(pub [u8; 16]);

impl std::fmt::Display for SignalId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// A signal as it is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// One from open to close.
    pub id: SignalId,
    /// What it says.
    pub kind: SignalKind,
    /// The event.
    pub event: Arc<EventInfo>,
    /// It had begun.
    pub in_play: bool,
    /// Market.
    pub market: Market,
    /// Line; of a middle the first bet's.
    pub line: Option<Line>,
    /// What is bet on; `None` of bets on several outcomes.
    pub outcome: Option<Outcome>,
    /// A fraction: of `value` and `stale_price` the expected return, of `steam` and `odds_drop` the rise of the implied
    /// probability, of `middle` and `low_hold` the return on the total stake where one bet wins.
    pub strength: f64,
    /// 0 to 1: of `value` the share of opinions, each a book's by one method, that expect a profit; of `steam` and
    /// `stale_price` the share of operators that moved; of `odds_drop` the share of prices that are past half the way; of `middle` and
    /// `low_hold` the share of pairs of bets that are proven to have been on offer at one moment.
    pub confidence: f64,
    /// What to take.
    pub bets: Vec<Evidence>,
    /// What says so; nothing of a signal that closes.
    pub evidence: Vec<Evidence>,
    /// The fair chance by each method, the most cautious first.
    pub fair: Vec<(Method, f64)>,
    /// A quarter of the Kelly fraction of the bank.
    pub kelly: Option<f64>,
    /// When it opened.
    pub opened_at: Micros,
    /// When it last changed.
    pub updated_at: Micros,
    /// When it closes, unless it closes before or is confirmed.
    pub expires_at: Micros,
    /// Of its last transition.
    pub sequence: i64,
}

/// What a quote is to a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is to be taken.
    Bet,
    /// The fair chance is made of its book's prices.
    Source,
    /// Of those that moved, it moved first.
    Leader,
    /// It moved after that.
    Follower,
    /// It is offered.
    Other,
}

impl Role {
    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Bet => "bet",
            Self::Source => "source",
            Self::Leader => "leader",
            Self::Follower => "follower",
            Self::Other => "other",
        }
    }
}

/// A quote of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Evidence {
    pub role: Role,
    pub outcome: Outcome,
    pub side: Side,
    pub line: Option<Line>,
    pub book: Arc<str>,
    pub operator: Arc<str>,
    pub price: Price,
    /// Of what moved, before.
    pub price_from: Option<Price>,
    /// After fees, as the price of a back.
    pub effective_price: Price,
    pub price_moved_at: Micros,
    pub last_seen_at: Micros,
}

/// Tells what became of a signal; `detail` is what says so, nothing of one that closes.
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
        in_play: window::in_play(context),
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
