//! What always holds, numbered once: checked in tests after every step, and on every entry in production.
//!
//! `ARCHITECTURE.md` lists the same numbers. It never repairs anything.

use crate::best;
use crate::effect::Entry;
use crate::engine::Engine;
use crate::market;
use crate::state::{EventState, MarketState};

/// An invariant that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// I1: a window is open exactly where the best prices of a complete set make an arb.
    OpenIffArb,
    /// I2: a window's legs are the best active quotes of its line, one an outcome.
    LegsAreBest,
    /// I3: stake shares are positive and sum to 1.
    SharesSumToOne,
    /// I4: the worst case is not above the margin, and the margin is positive.
    WorstIsLeast,
    /// I5: a span does not end before it starts.
    SpanRuns,
    /// I6: a market's quotes are sorted by key, each key once.
    TableSorted,
}

/// Noise of the arithmetic.
const EPSILON: f64 = 1e-9;

/// Checks an entry that is about to be published (I3, I4).
///
/// # Errors
/// The first [`Violation`].
pub fn check_entry(entry: &Entry) -> Result<(), Violation> {
    let sum: f64 = entry.legs.iter().map(|leg| leg.stake_share).sum();
    if (sum - 1.0).abs() > EPSILON || entry.legs.iter().any(|leg| leg.stake_share <= 0.0) {
        return Err(Violation::SharesSumToOne);
    }
    if entry.margin_worst > entry.margin || entry.margin <= 0.0 {
        return Err(Violation::WorstIsLeast);
    }
    Ok(())
}

/// Checks everything that is committed (I1, I2, I5, I6). Costs a look at every quote.
///
/// # Errors
/// The first [`Violation`].
pub fn check_state(engine: &Engine) -> Result<(), Violation> {
    for event in engine.state().events.values() {
        event.markets.iter().try_for_each(|market| check_market(engine, event, market))?;
    }
    Ok(())
}

fn check_market(engine: &Engine, event: &EventState, state: &MarketState) -> Result<(), Violation> {
    let quotes = &state.quotes;
    if !quotes.is_sorted_by(|a, b| a.key < b.key) {
        return Err(Violation::TableSorted);
    }
    if quotes.iter().any(|quote| quote.span_end < quote.span_start) {
        return Err(Violation::SpanRuns);
    }
    let outcomes = market::outcomes(state.market, &event.info.sport, quotes, engine.policy());
    let mut open = state.windows.iter();
    for line in quotes.chunk_by(|a, b| a.key.line == b.key.line) {
        let Some(arb) = best::find(line, outcomes, engine.names()) else { continue };
        let window = open.next().filter(|window| window.line == line[0].key.line);
        let window = window.ok_or(Violation::OpenIffArb)?;
        if !window.legs.iter().eq(arb.legs.iter().copied()) {
            return Err(Violation::LegsAreBest);
        }
    }
    if open.next().is_some() { Err(Violation::OpenIffArb) } else { Ok(()) }
}
