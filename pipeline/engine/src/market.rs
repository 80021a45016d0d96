//! One market of one event, restated: its quotes merged, then its lines evaluated.
//!
//! It never looks at another market, and never at a line before the whole frame is merged.

use std::sync::Arc;

use crate::best;
use crate::catalogue::{self, Family, Market, Outcome, Policy, Side};
use crate::probe::{Probe, Stage};
use crate::quotes::{self, Observation, Quote, Statement};
use crate::state::MarketState;
use crate::window::{self, Context, Outbox, Window};

/// The markets that were or are seen, in order, each once.
pub(crate) fn markets_of(was: &[Arc<MarketState>], seen: &[Observation]) -> Vec<Market> {
    let seen = seen.chunk_by(|a, b| a.market == b.market).map(|seen| seen[0].market);
    let mut markets: Vec<_> = was.iter().map(|state| state.market).chain(seen).collect();
    markets.sort_unstable();
    markets.dedup();
    markets
}

/// A market after a statement; `None` when nothing of it is left.
pub(crate) fn restate(
    old: Option<&Arc<MarketState>>,
    seen: &[Observation],
    statement: &Statement,
    context: &Context<'_>,
    outbox: &mut Outbox<'_>,
    probe: &mut impl Probe,
) -> Option<Arc<MarketState>> {
    let market = context.market;
    let (table, open) = old.map_or((&[][..], &[][..]), |old| (&old.quotes, &old.windows));
    if seen.is_empty() && !context.event_changed && !quotes::any_withdrawn(market, table, statement) {
        return old.cloned();
    }
    probe.enter(Stage::Merge);
    let quotes = quotes::merge(market, table, seen, statement);
    probe.enter(Stage::Evaluate);
    let windows = evaluate(open, &quotes, context, outbox);
    let is_empty = quotes.is_empty() && windows.is_empty();
    (!is_empty).then(|| Arc::new(MarketState { market, quotes, windows }))
}

/// The windows of a market after a frame; `open` were open before it. Both are sorted by line.
fn evaluate(
    open: &[Window],
    quotes: &[Quote],
    context: &Context<'_>,
    outbox: &mut Outbox<'_>,
) -> Vec<Window> {
    let outcomes = outcomes(context.market, &context.event.sport, quotes, context.policy);
    let mut windows = Vec::new();
    let mut open = open.iter().peekable();
    for quotes in quotes.chunk_by(|a, b| a.key.line == b.key.line) {
        let line = quotes[0].key.line;
        while let Some(gone) = open.next_if(|window| window.line < line) {
            window::advance(Some(gone.clone()), None, &[], context, outbox);
        }
        let was = open.next_if(|window| window.line == line).cloned();
        let arb = best::find(quotes, outcomes, context.names);
        windows.extend(window::advance(was, arb.as_ref(), quotes, context, outbox));
    }
    for gone in open {
        window::advance(Some(gone.clone()), None, &[], context, outbox);
    }
    windows
}

/// The outcomes that exhaust a market, by what its quotes offer.
pub(crate) fn outcomes(market: Market, sport: &str, quotes: &[Quote], policy: Policy) -> &'static [Outcome] {
    let is_draw = |quote: &Quote| quote.key.outcome == Outcome::Draw && quote.key.side == Side::Back;
    let draw_offered = market.family == Family::H2h && quotes.iter().any(is_draw);
    catalogue::outcome_set(market, sport, draw_offered, policy)
}
