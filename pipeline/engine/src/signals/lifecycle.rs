//! The life of a market's signals: opened, updated, closed.
//!
//! Every pair of (was open, is found) is written out. It never opens a window.

use crate::Micros;
use crate::caps::{Cap, LeftOut, MARKET_SIGNALS};
use crate::context::MarketContext;
use crate::effect::{Effects, SignalChange, SignalCloseReason, SignalKind};
use crate::market::Policy;
use crate::movement::Hops;
use crate::quotes::{Quote, QuoteStatus};

use super::consensus;
use super::consensus_sample::ConsensusSample;
use super::found::Found;
use super::low_hold;
use super::publish::publish;
use super::signal::Signal;
use super::signal_id::signal_id;
use super::steam;
use super::value;
use super::view::{PassedMarket, TableView};

/// The signals of a market after its table has changed; `open` were open before. Sorted by subject, as `open` is.
pub(crate) fn update_signals(
    open: &[Signal],
    look: &TableView<'_>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Vec<Signal> {
    if context.step.pricing.policy == Policy::Raw {
        return Vec::new();
    }
    let mut found = Vec::new();
    value::find(look, open, context, &mut found);
    low_hold::find(look, open, context, &mut found, &mut effects.left_out);
    found.sort_by(|a: &Found, b| a.subject.cmp(&b.subject));
    let keeps = |signal: &Signal| {
        if signal.subject.kind.is_of_table() {
            return Err(why_faded(signal, look.quotes));
        }
        lost(signal, look.quotes, context).map_or(Ok(()), Err)
    };
    merge(open, found, keeps, context, effects)
}

/// The signals of a market after time has passed, where they are not what they were, and the samples of its consensus.
pub(crate) fn pass_time(
    market: PassedMarket<'_>,
    open: &[Signal],
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> (Option<Vec<Signal>>, Option<Vec<ConsensusSample>>) {
    if context.step.pricing.policy == Policy::Raw {
        return (None, None);
    }
    let mut found = Vec::new();
    steam::find(market, hops, context, &mut found);
    let samples = consensus::pass_time(market, hops, context, &mut found);
    let now = context.step.moment.watermark;
    if found.is_empty() && due(open) > now {
        return (None, samples);
    }
    found.sort_by(|a: &Found, b| a.subject.cmp(&b.subject));
    let keeps = |signal: &Signal| {
        let is_over = signal.expires_at < now && !signal.subject.kind.is_of_table();
        if is_over { Err(SignalCloseReason::Expired) } else { Ok(()) }
    };
    let signals = merge(open, found, keeps, context, effects);
    let is_other = signals != *open;
    (is_other.then_some(signals), samples)
}

/// Closes all signals of an event that is over.
pub(crate) fn end(open: &[Signal], context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    for signal in open {
        close(signal, SignalCloseReason::EventEnded, context, effects);
    }
}

/// After which watermark time ends one of them; those that the table holds end with its quotes.
pub(crate) fn due(open: &[Signal]) -> Micros {
    let timed = open.iter().filter(|signal| !signal.subject.kind.is_of_table());
    timed.map(|signal| signal.expires_at.saturating_add(1)).min().unwrap_or(Micros::MAX)
}

/// Leaves out what is new for which there is no room; what is open stays. Both are sorted by subject.
fn admit(open: &[Signal], found: &mut Vec<Found>, left_out: &mut LeftOut) {
    let mut room = MARKET_SIGNALS.saturating_sub(open.len());
    if found.len() <= room {
        return;
    }
    let before = found.len();
    found.retain(|found| {
        let is_open = open.binary_search_by(|signal| signal.subject.cmp(&found.subject)).is_ok();
        let has_room = is_open || room > 0;
        room -= usize::from(has_room && !is_open);
        has_room
    });
    left_out.add(Cap::MarketSignals, before - found.len());
}

/// Open and found, side by side: every pair of (was open, is found) written out. Both are sorted by subject.
fn merge(
    open: &[Signal],
    mut found: Vec<Found>,
    keeps: impl Fn(&Signal) -> Result<(), SignalCloseReason>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Vec<Signal> {
    admit(open, &mut found, &mut effects.left_out);
    let mut signals = Vec::with_capacity(found.len());
    let mut open = open.iter().peekable();
    let keep = |signal: &Signal, signals: &mut Vec<Signal>, effects: &mut Effects<'_>| match keeps(signal) {
        Ok(()) => signals.push(signal.clone()),
        Err(reason) => close(signal, reason, context, effects),
    };
    for found in found {
        while let Some(other) = open.next_if(|signal| signal.subject < found.subject) {
            keep(other, &mut signals, effects);
        }
        match open.next_if(|signal| signal.subject == found.subject) {
            None => signals.push(begin(found, context, effects)),
            Some(was) => signals.push(go_on(was, found, context, effects)),
        }
    }
    for other in open {
        keep(other, &mut signals, effects);
    }
    signals
}

fn begin(found: Found, context: &MarketContext<'_>, effects: &mut Effects<'_>) -> Signal {
    let id = signal_id(&found.subject, context);
    let (signal, detail) = found.signal(id, context.step.now, effects.next());
    publish(SignalChange::Opened, &signal, Some(detail), context, effects);
    signal
}

fn go_on(was: &Signal, found: Found, context: &MarketContext<'_>, effects: &mut Effects<'_>) -> Signal {
    let change = change(was, &found, context);
    let sequence = if change == Some(SignalChange::Updated) { effects.next() } else { was.sequence };
    let (signal, detail) = found.signal(was.id, was.opened_at, sequence);
    if let Some(change) = change {
        publish(change, &signal, Some(detail), context, effects);
    }
    signal
}

/// How a signal that is found again has changed; `None` where nothing is to be published.
fn change(was: &Signal, found: &Found, context: &MarketContext<'_>) -> Option<SignalChange> {
    let bet = |bet: &Quote| (bet.key, bet.price);
    let times = |bet: &Quote| (bet.span_end, bet.price_moved_at);
    let same_bets = was.bets.iter().map(bet).eq(found.bets.iter().map(bet));
    // The evidence for one that the table holds changes with every price of the line: it is published with the bets' next change.
    let same_sayers = was.subject.kind.is_of_table() || was.expires_at == found.expires_at;
    let same_times = was.bets.iter().map(times).eq(found.bets.iter().map(times));
    match (same_bets && same_sayers, same_times && !context.step.event_changed) {
        (false, _) => Some(SignalChange::Updated),
        (true, false) => Some(SignalChange::Refreshed),
        (true, true) => None,
    }
}

fn close(signal: &Signal, reason: SignalCloseReason, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    let signal = Signal { sequence: effects.next(), ..signal.clone() };
    publish(SignalChange::Closed(reason), &signal, None, context, effects);
}

/// Why a signal that the table holds is not found any more.
fn why_faded(signal: &Signal, quotes: &[Quote]) -> SignalCloseReason {
    gone(signal, quotes).unwrap_or(SignalCloseReason::Faded)
}

/// Why a signal that holds for its time holds no longer; `None` while it does.
fn lost(signal: &Signal, quotes: &[Quote], context: &MarketContext<'_>) -> Option<SignalCloseReason> {
    if signal.subject.kind != SignalKind::StalePrice {
        // Its bet is the best of many books': another takes its place.
        let outcome = |quote: &Quote| (quote.key.line, quote.key.outcome, quote.key.side);
        let is_offered = |quote: &Quote| {
            quote.status == QuoteStatus::OnOffer
                && signal.bets.iter().any(|bet| outcome(bet) == outcome(quote))
        };
        return (!quotes.iter().any(is_offered)).then(|| why_faded(signal, quotes));
    }
    let is_over = signal.expires_at < context.step.moment.watermark;
    let bet = signal.bets.first()?;
    let now = quotes.iter().find(|quote| quote.key == bet.key);
    gone(signal, quotes).or(match now.map(|now| now.price.cmp(&bet.price)) {
        Some(std::cmp::Ordering::Less) => Some(SignalCloseReason::Followed),
        Some(std::cmp::Ordering::Greater) => Some(SignalCloseReason::Faded),
        _ => is_over.then_some(SignalCloseReason::Expired),
    })
}

/// Whether a bet is gone, and how.
fn gone(signal: &Signal, quotes: &[Quote]) -> Option<SignalCloseReason> {
    let status = |bet: &Quote| quotes.iter().find(|quote| quote.key == bet.key).map(|quote| quote.status);
    signal.bets.iter().find_map(|bet| match status(bet) {
        None | Some(QuoteStatus::Suspended) => Some(SignalCloseReason::Withdrawn),
        Some(QuoteStatus::Stale | QuoteStatus::Started) => Some(SignalCloseReason::Expired),
        Some(QuoteStatus::OnOffer) => None,
    })
}
