//! What always holds, numbered once: checked in tests after every step, and on every entry in production.
//!
//! `ARCHITECTURE.md` lists the same numbers. It never repairs anything.

use std::fmt;

use crate::Micros;
use crate::arbs;
use crate::effect::BoardEntry;
use crate::market::{REGULATION, WINNER};
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
    /// I2: a window's legs are the cheapest cover of its line by eligible bets on offer, where that is an arb, else the cheapest of all.
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
    /// I9: where a match goes on to a winner, no book that has listed a draw has a price of `h2h`.
    RegulationApart,
}

/// As ARCHITECTURE.md numbers it.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "I{}", *self as u8 + 1)
    }
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

/// Checks everything that is committed (I1, I2, I5 to I9). Costs a look at every quote.
///
/// # Errors
/// The first [`Violation`].
pub fn check_state(engine: &Engine) -> Result<(), Violation> {
    let clock = engine.state().clock;
    if clock.watermark >= clock.now && clock.now != Micros::MIN {
        return Err(Violation::TimeHolds);
    }
    engine.state().events.sorted().into_iter().try_for_each(|(_, event)| check_event(engine, event, &clock))
}

fn check_event(engine: &Engine, event: &EventState, clock: &Clock) -> Result<(), Violation> {
    // What happens with a whole second is looked at when it has passed.
    let (watermark, commence_time) = (clock.checked(), event.info.commence_time.0);
    if expiry::is_over(&event.info.sport, commence_time, watermark) {
        return Err(Violation::TimeHolds);
    }
    if let (Some(winner), Some(regulation)) = (event.market(WINNER), event.market(REGULATION))
        && winner.quotes.iter().any(|quote| regulation.drawn.contains(&quote.key.book()))
    {
        return Err(Violation::RegulationApart);
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
    let pricing = engine.pricing(&event.info.league);
    let outcomes = quotes::outcomes(state.market, (quotes, &state.drawn), pricing);
    let mut open = state.windows.iter();
    for line in quotes::by_line(quotes) {
        let covers = arbs::covers_of_line((line, line), outcomes, pricing, odds::ARB_BELOW);
        let Some(arb) = covers.arb else { continue };
        let window = open.next().filter(|window| window.line == line[0].key.line());
        let window = window.ok_or(Violation::OpenIffArb)?;
        if !window.legs.iter().eq(arb.legs.iter().copied()) {
            return Err(Violation::LegsAreBest);
        }
    }
    if open.next().is_some() { Err(Violation::OpenIffArb) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::effect::{Effect, WindowId};
    use crate::input::{Coordinate, Coverage, Event, Frame, Input, Tick};
    use crate::market::{Bet, Market, Outcome, Policy, Side};
    use crate::odds::{OddsFormat, Price};
    use crate::quotes::QuoteStatus;
    use crate::state::State;

    const SECOND: Micros = 1_000_000;

    fn tick(book: &'static str, outcome: Outcome, hundredths: i64) -> Tick<'static> {
        let bet = Bet::new(Market::parse("h2h").unwrap(), outcome, Side::Back, None).unwrap();
        let price = Price::from_millionths(hundredths * 10_000).unwrap();
        let (odds_format, limit, suspended, price_moved_at) = (OddsFormat::Unknown, None, false, None);
        Tick { book, bet, price, odds_format, limit, suspended, last_seen_at: 99 * SECOND, price_moved_at }
    }

    /// An engine with one open window at 2.1 on both sides, beside two worse prices, and what it published.
    fn engine() -> (Engine, Vec<Effect>) {
        let mut engine = Engine::new(Policy::Board);
        let commence_time = 1_000_000 * SECOND;
        let event =
            Event { id: "e", sport: "baseball", league: "baseball_mlb", home: "h", away: "a", commence_time };
        let ticks = vec![
            tick("a", Outcome::Home, 210),
            tick("a", Outcome::Away, 170),
            tick("b", Outcome::Home, 170),
            tick("b", Outcome::Away, 210),
        ];
        let coverage = Coverage::default();
        let frame = Frame {
            source: "s",
            received_at: 100 * SECOND,
            poll_index: None,
            event,
            coverage,
            ticks,
            links: vec![],
            push: None,
        };
        let mut effects = Vec::new();
        engine.step(Coordinate { topic: "t", partition: 0, offset: 1 }, &Input::Frame(frame), &mut effects);
        engine.commit();
        (engine, effects)
    }

    /// What is found of an engine whose state was changed.
    fn after(change: impl Fn(&mut State)) -> Result<(), Violation> {
        let (mut engine, _) = engine();
        change(engine.parts().0);
        check_state(&engine)
    }

    fn market(state: &mut State) -> &mut MarketState {
        Arc::make_mut(&mut state.events.get_mut("e").unwrap().markets[0])
    }

    #[test]
    fn a_violation_is_named_by_its_number() {
        let numbers = [Violation::OpenIffArb, Violation::SharesSumToOne, Violation::RegulationApart];
        assert_eq!(numbers.map(|violation| violation.to_string()), ["I1", "I3", "I9"]);
    }

    #[test]
    fn a_state_that_a_step_made_has_no_violation() {
        assert_eq!(after(|_| ()), Ok(()));
        assert_eq!(check_state(&Engine::new(Policy::Board)), Ok(()), "nor has one of which nothing is known");
    }

    #[test]
    fn windows_are_open_exactly_where_there_is_an_arb() {
        assert_eq!(after(|state| market(state).windows.clear()), Err(Violation::OpenIffArb));
        let twice = |state: &mut State| {
            let mut other = market(state).windows[0].clone();
            (other.id, other.line) = (WindowId([9; 16]), Some(500));
            market(state).windows.push(other);
        };
        assert_eq!(after(twice), Err(Violation::OpenIffArb), "one of a line that has no quote");
        let dearer = |state: &mut State| {
            market(state)
                .quotes
                .iter_mut()
                .for_each(|quote| quote.effective = Price::from_millionths(1_700_000).unwrap());
        };
        assert_eq!(after(dearer), Err(Violation::OpenIffArb), "one of prices that are no arb");
    }

    #[test]
    fn the_legs_are_the_best_quotes_as_they_stand() {
        let worse = |state: &mut State| {
            let other = market(state).quotes[1];
            market(state).windows[0].legs[0] = other;
        };
        assert_eq!(after(worse), Err(Violation::LegsAreBest));
        let old = |state: &mut State| market(state).windows[0].legs[1].span_end -= 1;
        assert_eq!(after(old), Err(Violation::LegsAreBest), "an earlier state of the quote");
        let turned = |state: &mut State| market(state).windows[0].legs.reverse();
        assert_eq!(after(turned), Err(Violation::LegsAreBest), "one an outcome, in their order");
    }

    #[test]
    fn a_span_and_a_table_run_forwards() {
        let back = |state: &mut State| market(state).quotes[0].span_start += 500 * SECOND;
        assert_eq!(after(back), Err(Violation::SpanRuns));
        let swapped = |state: &mut State| market(state).quotes.swap(0, 1);
        assert_eq!(after(swapped), Err(Violation::TableSorted));
        let twice = |state: &mut State| {
            let first = market(state).quotes[0];
            market(state).quotes.insert(0, first);
        };
        assert_eq!(after(twice), Err(Violation::TableSorted), "a key stands once");
    }

    #[test]
    fn an_expired_quote_is_not_on_offer() {
        let later = |state: &mut State| {
            (state.clock.now, state.clock.watermark) = (9_000 * SECOND, 8_000 * SECOND);
        };
        assert_eq!(after(later), Err(Violation::NothingStaleOnOffer));
        let suspended = |state: &mut State| {
            later(state);
            market(state).quotes.iter_mut().for_each(|quote| quote.status = QuoteStatus::Suspended);
            market(state).windows.clear();
        };
        assert_eq!(after(suspended), Ok(()), "a suspended price does not grow old");
    }

    #[test]
    fn time_is_behind_the_latest_word_and_ends_events() {
        let ahead = |state: &mut State| state.clock.watermark = state.clock.now;
        assert_eq!(after(ahead), Err(Violation::TimeHolds));
        let over = |state: &mut State| {
            (state.clock.now, state.clock.watermark) = (9_000_000 * SECOND, 8_000_000 * SECOND);
        };
        assert_eq!(after(over), Err(Violation::TimeHolds));
    }

    #[test]
    fn an_entry_adds_up_and_pays() {
        let (_, effects) = engine();
        let entry = effects.iter().find_map(|effect| match effect {
            Effect::Transition(_, entry, _) => Some((**entry).clone()),
            _ => None,
        });
        let entry = entry.unwrap();
        assert_eq!(check_entry(&entry), Ok(()));
        let after = |change: fn(&mut BoardEntry)| {
            let mut entry = entry.clone();
            change(&mut entry);
            check_entry(&entry)
        };
        assert_eq!(after(|entry| entry.legs[0].stake_share += 1e-6), Err(Violation::SharesSumToOne));
        let negative = |entry: &mut BoardEntry| {
            (entry.legs[0].stake_share, entry.legs[1].stake_share) = (1.5, -0.5);
        };
        assert_eq!(after(negative), Err(Violation::SharesSumToOne), "a sum of 1 is not enough");
        assert_eq!(after(|entry| entry.margin_worst = entry.margin + 1e-6), Err(Violation::WorstIsLeast));
        let nothing = |entry: &mut BoardEntry| (entry.margin, entry.margin_worst) = (0.0, -1.0);
        assert_eq!(after(nothing), Err(Violation::WorstIsLeast));
    }
}
