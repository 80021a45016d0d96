//! Which lines of a market an update has to evaluate: those that it touched, and those of which anything is open.
//!
//! What can open on a line follows from its prices and their statuses alone. A line on which nothing is open was evaluated when those
//! changed last, and nothing was found: until they change again nothing will be. It never looks at what a price is worth.

use crate::market::Line;
use crate::quotes::Quote;
use crate::state::MarketState;

/// The quotes of each line that has to be evaluated, in the order of the lines. `old` is the market as it was evaluated last: all lines
/// are touched where there is none, or where that evaluation does not count any more.
pub(crate) fn touched_lines<'a>(old: Option<&MarketState>, quotes: &'a [Quote]) -> Vec<&'a [Quote]> {
    let lines = quotes.chunk_by(is_on_one_line);
    let Some(old) = old.filter(|old| old.is_settled) else { return lines.collect() };
    let mut were = old.quotes.chunk_by(is_on_one_line).peekable();
    let is_touched = |line: &&[Quote]| {
        while were.next_if(|was| was[0].key.line < line[0].key.line).is_some() {}
        let was = were.next_if(|was| was[0].key.line == line[0].key.line);
        !was.is_some_and(|was| is_priced_as(was, line)) || has_open(old, line[0].key.line)
    };
    lines.filter(is_touched).collect()
}

fn is_on_one_line(a: &Quote, b: &Quote) -> bool {
    a.key.line == b.key.line
}

/// Whether two tables of a line differ in nothing that decides what opens on it.
fn is_priced_as(was: &[Quote], now: &[Quote]) -> bool {
    let decides = |quote: &Quote| (quote.key, quote.price, quote.effective, quote.status);
    was.len() == now.len() && was.iter().zip(now).all(|(was, now)| decides(was) == decides(now))
}

fn has_open(market: &MarketState, line: Option<Line>) -> bool {
    market.windows.iter().any(|window| window.line == line)
        || market.signals.iter().any(|signal| signal.subject.is_on(line))
}
