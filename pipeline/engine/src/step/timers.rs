//! The next time at which the passing of time can change an event: until then it is not checked.
//!
//! It is a bound: too early costs a look, too late would change what is published. Everything that a look can find has its
//! bound here: a price that goes stale, a window that is fresh no longer, the start, the end, a main line, a move, a signal that expires,
//! a sample of the consensus, a book that is stale. It never changes anything.
//!
//! A bound is valid while no book's limit becomes shorter than when it was computed; `Expected` tracks that.

use std::sync::Arc;

use crate::Micros;
use crate::arbs::Window;
use crate::context::StepContext;
use crate::movement;
use crate::quotes::{Moment, Quote, QuoteStatus};
use crate::signals;
use crate::state::MarketState;
use crate::time::expiry;

/// Longer than from a watermark to the one at which was looked last: what was due before that is done.
const SECOND: Micros = 1_000_000;

/// After a frame: by the summaries of the tables, since all but one may be unchanged.
pub(crate) fn after_frame(
    markets: &[Arc<MarketState>],
    has_stale_books: bool,
    step: &StepContext<'_>,
) -> Micros {
    let least_allowed = step.moment.expected.least_allowed();
    next(markets, has_stale_books, step, |state| state.summary.oldest.saturating_add(least_allowed))
}

/// After a look at an event: by each of its quotes.
pub(crate) fn after_inspection(
    markets: &[Arc<MarketState>],
    has_stale_books: bool,
    step: &StepContext<'_>,
) -> Micros {
    next(markets, has_stale_books, step, |state| fresh_until(&state.quotes, &step.moment))
}

fn fresh_until(quotes: &[Quote], moment: &Moment<'_>) -> Micros {
    let on_offer = quotes.iter().filter(|quote| quote.status == QuoteStatus::OnOffer);
    let until = on_offer.map(|quote| moment.fresh_until(quote.span_end, quote.key.book()));
    until.min().unwrap_or(Micros::MAX)
}

fn next(
    markets: &[Arc<MarketState>],
    has_stale_books: bool,
    step: &StepContext<'_>,
    fresh_until: impl Fn(&MarketState) -> Micros,
) -> Micros {
    let Moment { watermark, commence_time, .. } = step.moment;
    // Any quote: an event is removed with the last of them.
    let quote = markets.iter().flat_map(|market| &market.quotes).next();
    if quote.is_none() && !has_stale_books && markets.iter().any(|market| !market.drawn.is_empty()) {
        // It is kept for the draw that was listed.
        return expiry::over_after(&step.event.sport, commence_time);
    }
    let Some(quote) = quote.filter(|_| !has_stale_books) else { return Micros::MIN };
    let is_to_start = commence_time > watermark.saturating_sub(SECOND);
    let starts = if is_to_start { commence_time } else { Micros::MAX };
    let ends =
        expiry::over_after(&step.event.sport, commence_time).min(expiry::expires_after(quote.received_at));
    markets
        .iter()
        .map(|state| of_market(state, watermark, fresh_until(state)))
        .fold(starts.min(ends), Micros::min)
}

fn of_market(state: &MarketState, watermark: Micros, fresh_until: Micros) -> Micros {
    if !state.summary.all_on_offer {
        // The alerts of its books are checked each second.
        return Micros::MIN;
    }
    let has_line = state.market.family.has_line();
    let main_line =
        if has_line { movement::main_line_due(state.summary.made_at, watermark) } else { Micros::MAX };
    let verified = state.windows.iter().filter_map(Window::ages_after).min().unwrap_or(Micros::MAX);
    let signalled = signals::due(&state.signals).min(signals::sample_due(state.summary.made_at, watermark));
    fresh_until.min(main_line).min(verified).min(signalled).min(movement::due(&state.moves, watermark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Flag, SignalId, SignalKind, Verification};
    use crate::fixtures::{self, START, World, market, price, quote};
    use crate::learning::survival::{EventStage, Life, MarketKind, Profile};
    use crate::market::Outcome;
    use crate::quotes::{Move, QuoteSummary};
    use crate::signals::{Signal, Subject};
    use crate::venues::Books;

    /// One price of `a`, confirmed at 100 s, in a table that was made at the watermark of 105 s.
    fn state(world: &World, key: &str) -> MarketState {
        let mut state = MarketState::empty(market(key), None);
        let (line, outcome) =
            if key == "totals" { (Some(2_500), Outcome::Over) } else { (None, Outcome::Home) };
        let at = 100 * SECOND;
        let quote =
            Quote { span_end: at, received_at: at, ..quote(world.book("a"), line, outcome, price("2")) };
        state.quotes = vec![quote];
        state.summary = QuoteSummary::of(&state.quotes, 105 * SECOND);
        state
    }

    /// When time can change something of an event of this one market next, in seconds, after a frame and after a look.
    fn due(key: &str, watermark: i64, change: impl Fn(&World, &mut MarketState)) -> [i64; 2] {
        let world = World::new(Books::default(), 1);
        let mut state = state(&world, key);
        change(&world, &mut state);
        let (markets, step) = ([Arc::new(state)], world.step(0, watermark * SECOND));
        [after_frame(&markets, false, &step), after_inspection(&markets, false, &step)]
            .map(|due| due / SECOND)
    }

    fn unchanged(_: &World, _: &mut MarketState) {}

    #[test]
    fn the_next_sample_of_the_consensus_or_the_price_that_goes_stale() {
        assert_eq!(due("h2h", 105, unchanged), [300, 300], "the next five minutes");
        assert_eq!(
            due("h2h", 300, unchanged),
            [1_900, 1_900],
            "100 s and twice the 900 s of an unknown book"
        );
    }

    #[test]
    fn the_main_line_of_a_market_with_lines_at_the_next_hop() {
        assert_eq!(due("totals", 105, unchanged), [110, 110]);
        assert_eq!(due("totals", 110, unchanged), [300, 300], "it has been looked at");
    }

    #[test]
    fn a_move_is_due_at_each_hop_of_its_minute() {
        let moved = |world: &World, state: &mut MarketState| {
            let key = quote(world.book("a"), None, Outcome::Home, price("2")).key;
            let at = 107 * SECOND;
            let (from, to) = (price("2"), price("2.1"));
            state.moves.extend([Move { key, at, from, to, is_reported: false }]);
        };
        assert_eq!(due("h2h", 105, moved), [110, 110]);
        assert_eq!(due("h2h", 110, moved), [120, 120]);
        assert_eq!(due("h2h", 150, moved), [160, 160]);
        assert_eq!(due("h2h", 160, moved), [300, 300], "no window holds it any more");
    }

    #[test]
    fn a_window_that_is_fresh_until_then() {
        let open = |world: &World, state: &mut MarketState| {
            let profile = Profile { stage: EventStage::Days, kind: MarketKind::Winner, margin: 0, age: 0 };
            let legs = vec![quote(world.book("a"), None, Outcome::Home, price("2"))];
            let verification = Verification::of([Flag::Fresh]);
            let window = fixtures::window(legs, Life::begin(profile, None, 0));
            state.windows = vec![Window { verification, fresh_until: 200 * SECOND, ..window }];
        };
        assert_eq!(due("h2h", 105, open), [200, 200]);
    }

    #[test]
    fn a_signal_that_holds_for_a_time() {
        let signal = |kind, world: &World| {
            let bets = vec![quote(world.book("a"), None, Outcome::Home, price("2"))];
            let subject = Subject::of(kind, &bets, &world.names).unwrap();
            let (id, expires_at) = (SignalId([1; 16]), 200 * SECOND - 1);
            Signal {
                subject,
                id,
                opened_at: 0,
                expires_at,
                sequence: 1,
                strength: 0.1,
                confidence: 1.0,
                bets,
            }
        };
        assert_eq!(
            due("h2h", 105, |world, state| state.signals = [signal(SignalKind::Steam, world)].into()),
            [200, 200]
        );
        assert_eq!(
            due("h2h", 105, |world, state| state.signals = [signal(SignalKind::Value, world)].into()),
            [300, 300]
        );
    }

    #[test]
    fn the_start_until_it_has_passed() {
        let confirmed = |watermark: i64| {
            move |_: &World, state: &mut MarketState| {
                (state.quotes[0].span_end, state.quotes[0].received_at) =
                    (watermark * SECOND, watermark * SECOND);
                state.summary = QuoteSummary::of(&state.quotes, watermark * SECOND);
            }
        };
        let start = START / SECOND;
        assert_eq!(due("h2h", start - 50, confirmed(start - 50)), [start, start]);
        // The next sample of the consensus, at a multiple of 300 s: 1,000,200.
        assert_eq!(due("h2h", start + 5, confirmed(start + 5)), [start + 200, start + 200]);
    }

    #[test]
    fn the_end_of_an_event_or_a_day_of_silence() {
        let silent = |_: &World, state: &mut MarketState| state.quotes[0].span_end = Micros::MAX;
        // The check of a price that never becomes stale: the sample is complete, and 24 hours after 100 s it
        // is removed.
        let [_, looked] = due("h2h", 300, silent);
        assert_eq!(looked, 100 + 86_400);
    }

    #[test]
    fn a_table_with_quotes_off_offer_is_checked_each_second() {
        let world = World::new(Books::default(), 1);
        let step = world.step(0, 105 * SECOND);
        let mut suspended = state(&world, "h2h");
        suspended.quotes[0].status = QuoteStatus::Suspended;
        suspended.summary = QuoteSummary::of(&suspended.quotes, 105 * SECOND);
        assert_eq!(after_frame(&[Arc::new(suspended)], false, &step), Micros::MIN);
        assert_eq!(
            after_frame(&[Arc::new(state(&world, "h2h"))], true, &step),
            Micros::MIN,
            "a book is stale"
        );
        assert_eq!(after_frame(&[], false, &step), Micros::MIN, "nothing is left of it");
    }
}
