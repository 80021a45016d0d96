//! What always holds, numbered once: checked in tests after every step, and on every entry in production.
//!
//! `ARCHITECTURE.md` lists the same numbers. It never repairs anything.

use crate::Micros;
use crate::arbs;
use crate::effect::BoardEntry;
use crate::odds;
use crate::quotes::{self, Moment};
use crate::state::{EventState, MarketState};
use crate::step::Engine;
use crate::time::{Clock, expiry};

/// An invariant that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// I1: a window is open exactly where the best prices of a complete set make an arb.
    OpenIffArb,
    /// I2: a window's legs are the best quotes on offer of its line, one an outcome.
    LegsAreBest,
    /// I3: stake shares are positive and sum to 1.
    SharesSumToOne,
    /// I4: the worst case is not above the margin, and the margin is positive.
    WorstIsLeast,
    /// I5: a span does not end before it starts.
    SpanRuns,
    /// I6: a market's quotes are sorted by key, each key once.
    TableSorted,
    /// I7: no quote is on offer that was stale, or from before the start, when time was last looked at.
    NothingStaleOnOffer,
    /// I8: the watermark is behind the latest word of every source that it was made of, and no event is over.
    TimeHolds,
}

/// Noise of the arithmetic.
const EPSILON: f64 = 1e-9;

/// Checks an entry that is about to be published (I3, I4).
///
/// # Errors
/// The first [`Violation`].
pub fn check_entry(entry: &BoardEntry) -> Result<(), Violation> {
    let sum: f64 = entry.legs.iter().map(|leg| leg.stake_share).sum();
    if (sum - 1.0).abs() > EPSILON || entry.legs.iter().any(|leg| leg.stake_share <= 0.0) {
        return Err(Violation::SharesSumToOne);
    }
    if entry.margin_worst > entry.margin || entry.margin <= 0.0 {
        return Err(Violation::WorstIsLeast);
    }
    Ok(())
}

/// Checks everything that is committed (I1, I2, I5, I6, I7, I8). Costs a look at every quote.
///
/// # Errors
/// The first [`Violation`].
pub fn check_state(engine: &Engine) -> Result<(), Violation> {
    let clock = engine.state().clock;
    if clock.watermark >= clock.now && clock.now != Micros::MIN {
        return Err(Violation::TimeHolds);
    }
    engine.state().events.values().try_for_each(|event| check_event(engine, event, &clock))
}

fn check_event(engine: &Engine, event: &EventState, clock: &Clock) -> Result<(), Violation> {
    // What happens with a whole second is looked at when it has passed.
    let (watermark, commence_time) = (clock.checked(), event.info.commence_time.0);
    if expiry::is_over(&event.info.sport, commence_time, watermark) {
        return Err(Violation::TimeHolds);
    }
    let moment = Moment { watermark, commence_time, expected: engine.expected() };
    for market in &event.markets {
        if market.quotes.iter().any(|quote| moment.status(quote) != quote.status) {
            return Err(Violation::NothingStaleOnOffer);
        }
        check_market(engine, event, market)?;
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
    let outcomes = quotes::outcomes(state.market, &event.info.sport, quotes, engine.policy());
    let mut open = state.windows.iter();
    for line in quotes.chunk_by(|a, b| a.key.line == b.key.line) {
        let pricing = engine.pricing(&event.info.league);
        let Some(arb) = arbs::find_arb(line, outcomes, pricing, odds::ARB_BELOW) else { continue };
        let window = open.next().filter(|window| window.line == line[0].key.line);
        let window = window.ok_or(Violation::OpenIffArb)?;
        if !window.legs.iter().eq(arb.legs.iter().copied()) {
            return Err(Violation::LegsAreBest);
        }
    }
    if open.next().is_some() { Err(Violation::OpenIffArb) } else { Ok(()) }
}
