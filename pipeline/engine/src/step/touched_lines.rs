//! Which lines of a market an update has to evaluate: those that it touched, and those where what is open may read otherwise.
//!
//! What can open on a line follows from its prices and their statuses alone. A line on which nothing is open was evaluated when those
//! changed last, and nothing was found: until they change again nothing will be. An open window is judged with each update of its
//! market, because time changes its flags; an open signal that follows from the table is found again when its bets were confirmed.
//! It never looks at what a price is worth.

use crate::market::Line;
use crate::quotes::Quote;
use crate::state::MarketState;

/// The quotes of the lines of a market that have to be evaluated, in the order of the lines.
pub(crate) struct TouchedLines<'a> {
    /// All of them.
    pub(crate) lines: Vec<&'a [Quote]>,
    /// Those on which signals are looked for.
    pub(crate) with_signals: Vec<&'a [Quote]>,
}

impl<'a> TouchedLines<'a> {
    /// `old` is the market as it was evaluated last: all lines are touched where there is none, or where that evaluation does not
    /// count any more.
    pub(crate) fn of(old: Option<&MarketState>, quotes: &'a [Quote]) -> Self {
        let all = quotes.chunk_by(is_on_one_line);
        let Some(old) = old.filter(|old| old.is_settled) else {
            let lines: Vec<_> = all.collect();
            return Self { with_signals: lines.clone(), lines };
        };
        let mut were = old.quotes.chunk_by(is_on_one_line).peekable();
        let mut touched = Self { lines: Vec::new(), with_signals: Vec::new() };
        for line in all {
            let key = line[0].key.line;
            while were.next_if(|was| was[0].key.line < key).is_some() {}
            let was = were.next_if(|was| was[0].key.line == key);
            let is_touched = !was.is_some_and(|was| is_priced_as(was, line));
            let has_signals = is_touched || is_confirmed(old, line);
            if has_signals || has_window(old, key) {
                touched.lines.push(line);
            }
            if has_signals {
                touched.with_signals.push(line);
            }
        }
        touched
    }
}

fn is_on_one_line(a: &Quote, b: &Quote) -> bool {
    a.key.line == b.key.line
}

/// Whether two tables of a line differ in nothing that decides what opens on it.
fn is_priced_as(was: &[Quote], now: &[Quote]) -> bool {
    let decides = |quote: &Quote| (quote.key, quote.price, quote.effective, quote.status);
    was.len() == now.len() && was.iter().zip(now).all(|(was, now)| decides(was) == decides(now))
}

/// Whether a bet of a signal that follows from the table is not what it was when the signal was found.
fn is_confirmed(market: &MarketState, line: &[Quote]) -> bool {
    let of_table = market.signals.iter().filter(|signal| signal.subject.kind.is_of_table());
    let mut bets = of_table.flat_map(|signal| &signal.bets).filter(|bet| bet.key.line == line[0].key.line);
    bets.any(|bet| !line.contains(bet))
}

fn has_window(market: &MarketState, line: Option<Line>) -> bool {
    market.windows.iter().any(|window| window.line == line)
}
