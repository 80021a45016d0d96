//! Which lines of a market have to be evaluated: those on which prices are others, and those where what is open may read otherwise.
//!
//! What can open on a line follows from its prices and their statuses alone. A line on which nothing is open was evaluated when those
//! changed last, and nothing was found: until they change again nothing will be. An open window is looked at with each update of its
//! market, because time changes its flags; an open signal that follows from the table is found again when its bets were confirmed.
//! It never looks at what a price is worth.

use crate::market::{Line, QuoteKey};
use crate::quotes::{Quote, by_line, find, on_line};
use crate::signals::Signal;
use crate::state::MarketState;

/// The quotes of a line that has to be evaluated.
pub(crate) struct TouchedLine<'a> {
    pub(crate) quotes: &'a [Quote],
    /// Its prices and their statuses are what they were when it was evaluated last.
    pub(crate) is_priced_as_before: bool,
    /// Signals are looked for on it.
    pub(crate) is_signalled: bool,
}

/// The lines of a market that have to be evaluated, in their order.
pub(crate) struct TouchedLines<'a> {
    /// All of them.
    pub(crate) lines: Vec<TouchedLine<'a>>,
    /// Those on which signals are looked for.
    pub(crate) with_signals: Vec<&'a [Quote]>,
    /// The other lines are as they were evaluated, and none of them is one that has lost its quotes.
    pub(crate) are_others_known: bool,
}

impl<'a> TouchedLines<'a> {
    /// `old` is the market as it was evaluated last, and `changed` are the lines whose prices are others since, in order: all lines are
    /// touched where there is none, or where that evaluation does not count any more. A quote is as it was unless `is_seen` says of its
    /// key that it may be another.
    pub(crate) fn of(
        old: Option<&MarketState>,
        quotes: &'a [Quote],
        changed: &[Option<Line>],
        is_seen: impl Fn(QuoteKey) -> bool,
    ) -> Self {
        let Some(old) = old.filter(|old| old.is_settled) else {
            let all = |quotes| TouchedLine { quotes, is_priced_as_before: false, is_signalled: true };
            let (lines, with_signals) = (by_line(quotes).map(all).collect(), by_line(quotes).collect());
            return Self { lines, with_signals, are_others_known: false };
        };
        let mut signalled = changed.to_vec();
        signalled.extend(unconfirmed(old, quotes, is_seen));
        sort(&mut signalled);
        let mut all = signalled.clone();
        all.extend(old.windows.iter().map(|window| window.line));
        sort(&mut all);
        let of = |line: &Option<Line>| Some(on_line(quotes, *line)).filter(|line| !line.is_empty());
        let touched = |line: &Option<Line>| {
            let is_priced_as_before = changed.binary_search(line).is_err();
            let is_signalled = signalled.binary_search(line).is_ok();
            Some(TouchedLine { quotes: of(line)?, is_priced_as_before, is_signalled })
        };
        let lines = all.iter().filter_map(touched).collect();
        let with_signals: Vec<_> = signalled.iter().filter_map(of).collect();
        let are_others_known = with_signals.len() == signalled.len();
        Self { lines, with_signals, are_others_known }
    }
}

fn sort(lines: &mut Vec<Option<Line>>) {
    lines.sort_unstable();
    lines.dedup();
}

/// The lines of bets that are not what they were when their signal was found, of signals that follow from the table.
fn unconfirmed(
    market: &MarketState,
    quotes: &[Quote],
    is_seen: impl Fn(QuoteKey) -> bool,
) -> impl Iterator<Item = Option<Line>> {
    let of_table = |signal: &&Signal| signal.subject.kind.is_of_table();
    let bets = market.signals.iter().filter(of_table).flat_map(|signal| &signal.bets);
    let is_other = |bet: &&Quote| find(quotes, bet.key) != Some(*bet);
    bets.filter(move |bet| is_seen(bet.key) && is_other(bet)).map(|bet| bet.key.line())
}
