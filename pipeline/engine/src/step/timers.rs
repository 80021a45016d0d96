//! When time can change something of an event next: until then nobody looks at it.
//!
//! It is a bound: too early costs a look, too late would change what is published. Everything that a look can find has its
//! bound here: a price that goes stale, a window that is fresh no longer, the start, the end, a main line, a move, a signal that expires,
//! a sample of the consensus, a book that is stale. It never changes anything.
//!
//! A bound holds while no book is allowed less than when it was made; `Expected` knows.

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

/// After a frame: by what the tables say at a glance, since all but one may be as they were.
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
    let until = on_offer.map(|quote| moment.fresh_until(quote.span_end, quote.key.book));
    until.min().unwrap_or(Micros::MAX)
}

fn next(
    markets: &[Arc<MarketState>],
    has_stale_books: bool,
    step: &StepContext<'_>,
    fresh_until: impl Fn(&MarketState) -> Micros,
) -> Micros {
    let Moment { watermark, commence_time, .. } = step.moment;
    // Any quote: an event is forgotten when the last of them is.
    let quote = markets.iter().flat_map(|market| &market.quotes).next();
    let Some(quote) = quote.filter(|_| !has_stale_books) else { return Micros::MIN };
    let is_to_start = commence_time > watermark.saturating_sub(SECOND);
    let starts = if is_to_start { commence_time } else { Micros::MAX };
    let ends =
        expiry::over_after(&step.event.sport, commence_time).min(expiry::forgotten_after(quote.received_at));
    markets
        .iter()
        .map(|state| of_market(state, watermark, fresh_until(state)))
        .fold(starts.min(ends), Micros::min)
}

fn of_market(state: &MarketState, watermark: Micros, fresh_until: Micros) -> Micros {
    if !state.summary.all_on_offer {
        // What its books have to say is looked at each second.
        return Micros::MIN;
    }
    let has_line = state.market.family.has_line();
    let main_line =
        if has_line { movement::main_line_due(state.summary.made_at, watermark) } else { Micros::MAX };
    let verified = state.windows.iter().filter_map(Window::ages_after).min().unwrap_or(Micros::MAX);
    let signalled = signals::due(&state.signals).min(signals::sample_due(state.summary.made_at, watermark));
    fresh_until.min(main_line).min(verified).min(signalled).min(movement::due(&state.moves, watermark))
}
