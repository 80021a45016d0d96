//! A line of a market as data: its quotes, window and signals, with names for symbols.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::arbs::{KnownStakes, Standing, Window};
use crate::effect::{Basis, Verification, WindowHistory, WindowId};
use crate::learning::survival::Life;
use crate::market::{Line, Market, Names, QuoteKey};
use crate::quotes::{Quote, QuoteSummary};
use crate::signals::Signal;

use super::market_state::MarketState;
use super::parts::LinePart;
use super::saved_quote::SavedQuote;
use super::saved_signal::{SavedConsensus, SavedSignal};

/// One line of one market of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedLine {
    /// The private source whose it is; `None` is public.
    pub private: Option<Arc<str>>,
    /// The event's id.
    pub event: Arc<str>,
    /// The market.
    pub market: Market,
    /// The line; `None` of a market without lines.
    pub line: Option<Line>,
    /// Its quotes, by outcome, side and book.
    pub quotes: Vec<SavedQuote>,
    /// Its open window.
    pub window: Option<SavedWindow>,
    /// The open signals about it, sorted by what they are about.
    pub signals: Vec<SavedSignal>,
    /// What its books agreed on of late, by outcome and time.
    pub consensus: Vec<SavedConsensus>,
}

/// An open window.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct SavedWindow {
    pub id: WindowId,
    pub opened_at: Micros,
    pub sequence: i64,
    /// Positions among the line's quotes.
    pub legs: Vec<usize>,
    /// Its legs are a back and a lay of one of three outcomes.
    pub is_pair: bool,
    pub verification: Verification,
    pub fresh_until: Micros,
    pub history: WindowHistory,
    /// Since it opened, and since it was verified; bets are positions among the line's quotes.
    pub standing: [Option<Standing<usize>>; 2],
    pub in_play: bool,
    pub margin_open: f64,
    pub margin_peak: f64,
    pub margin: f64,
    pub stake_shown: Option<i64>,
    pub life: Life,
    pub basis: Option<Basis>,
    /// Positions among the line's quotes of a cheaper cover's bets, which is not eligible.
    pub passed_over: Vec<usize>,
}

impl SavedLine {
    pub(crate) fn new(
        (private, event, market): (Option<&Arc<str>>, &Arc<str>, Market),
        part: &LinePart<'_>,
        names: &Names,
    ) -> Self {
        // By name, as all that is written down.
        let mut table: Vec<_> = part.quotes.iter().collect();
        table.sort_by_key(|quote| (quote.key.outcome(), quote.key.side(), names.place(quote.key.book())));
        Self {
            private: private.cloned(),
            event: Arc::clone(event),
            market,
            line: part.line,
            quotes: table.iter().map(|quote| SavedQuote::new(quote, names)).collect(),
            window: part.window.map(|window| SavedWindow::new(window, &table)),
            signals: part.signals.iter().map(|signal| SavedSignal::new(signal, names)).collect(),
            consensus: part.consensus.iter().map(SavedConsensus::new).collect(),
        }
    }

    /// Its quotes, not yet worth anything.
    pub(crate) fn to_quotes(&self, names: &mut Names) -> Vec<Quote> {
        self.quotes.iter().map(|saved| saved.to_quote(self.line, names)).collect()
    }

    /// Puts the line into its market, in which nothing of it is; `None` when a leg of its window is not among its quotes.
    pub(crate) fn put_into(
        &self,
        state: &mut MarketState,
        quotes: Vec<Quote>,
        signals: Vec<Signal>,
    ) -> Option<()> {
        let window = self.window.as_ref().map(|window| window.to_window(self.line, &quotes));
        if let Some(window) = window {
            state.windows.push(window?);
        }
        state.quotes.extend(quotes);
        let mut signals: Vec<_> = state.signals.iter().cloned().chain(signals).collect();
        signals.sort_by(|a, b| a.subject.cmp(&b.subject));
        state.signals = signals.into();
        state.consensus.extend(self.consensus.iter().map(|saved| saved.to_sample(self.line)));
        // By symbols, which are this engine's own.
        state.quotes.sort_by_key(|quote| quote.key);
        state.windows.sort_by_key(|window| window.line);
        state.consensus.sort_by_key(|sample| (sample.line, sample.outcome, sample.at));
        state.summary = QuoteSummary::of(&state.quotes, Micros::MAX);
        Some(())
    }
}

impl SavedWindow {
    fn new(window: &Window, quotes: &[&Quote]) -> Self {
        let place = |key: QuoteKey| quotes.iter().position(|quote| quote.key == key);
        Self {
            id: window.id,
            opened_at: window.opened_at,
            sequence: window.sequence,
            legs: window.legs.iter().filter_map(|leg| place(leg.key)).collect(),
            is_pair: window.pair.is_some(),
            verification: window.verification,
            fresh_until: window.fresh_until,
            history: window.history,
            standing: window
                .standing
                .each_ref()
                .map(|standing| standing.as_ref()?.with_bets(|key| place(*key))),
            in_play: window.in_play,
            margin_open: window.margin_open,
            margin_peak: window.margin_peak,
            margin: window.margin,
            stake_shown: window.stake_shown,
            life: window.life,
            basis: window.basis.clone(),
            passed_over: window.passed_over.iter().filter_map(|(key, _)| place(*key)).collect(),
        }
    }

    fn to_window(&self, line: Option<Line>, quotes: &[Quote]) -> Option<Window> {
        let legs = self.legs.iter().map(|place| quotes.get(*place).copied()).collect::<Option<Vec<_>>>()?;
        let passed = |place: &usize| quotes.get(*place).map(|quote| (quote.key, quote.price));
        let key = |place: &usize| quotes.get(*place).map(|quote| quote.key);
        let standing = |verdict: usize| match &self.standing[verdict] {
            Some(standing) => standing.with_bets(key).map(Some),
            None => Some(None),
        };
        // What does not fit is decided again.
        let basis = self.basis.clone().filter(|basis| basis.expected.len() == legs.len());
        Some(Window {
            id: self.id,
            line,
            opened_at: self.opened_at,
            sequence: self.sequence,
            pair: legs.first().filter(|_| self.is_pair).map(|leg| leg.key.outcome()),
            legs,
            passed_over: self.passed_over.iter().map(passed).collect::<Option<_>>()?,
            verification: self.verification,
            fresh_until: self.fresh_until,
            history: self.history,
            standing: [standing(0)?, standing(1)?],
            in_play: self.in_play,
            margin_open: self.margin_open,
            margin_peak: self.margin_peak,
            margin: self.margin,
            stake_shown: self.stake_shown,
            life: self.life,
            basis,
            stakes: KnownStakes::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{self, market, price, quote, symbols};
    use crate::learning::survival::{EventStage, MarketKind, Profile};
    use crate::market::Outcome;
    use crate::signals::ConsensusSample;
    use crate::state::Parts;

    const LINE: Option<Line> = Some(2_500);
    const BOTH: [Outcome; 2] = [Outcome::Over, Outcome::Under];

    fn window(legs: Vec<Quote>) -> Window {
        let profile = Profile { stage: EventStage::Hours, kind: MarketKind::Total, margin: 1, age: 2 };
        let life = Life { profile, pace: 1_000, since: 3, confirmed_at: 5, taught_to: 4 };
        let verification = Verification::from_bits(5).unwrap();
        let history = WindowHistory { simultaneous: true, verified: false };
        let basis = Some(Basis { at: 8, margin_limit: 0.1, expected: vec![40; legs.len()] });
        Window {
            verification,
            history,
            in_play: true,
            fresh_until: 11,
            standing: [Some(Standing::new(7, &legs)), None],
            basis,
            passed_over: legs.iter().rev().map(|leg| (leg.key, leg.price)).collect(),
            ..fixtures::window(legs, life)
        }
    }

    /// A market of one line: quotes by (book, outcome), and a window of the first two if there are two.
    fn state(names: &mut Names, rows: &[(usize, usize)]) -> MarketState {
        let books = symbols(names, 5);
        let mut state = MarketState::empty(market("totals"), None);
        state.quotes = rows
            .iter()
            .map(|(book, outcome)| quote(books[*book], LINE, BOTH[*outcome], price("2")))
            .collect();
        state.quotes.sort_by_key(|quote| quote.key);
        state.quotes.dedup_by_key(|quote| quote.key);
        if let [first, second, ..] = state.quotes[..] {
            state.windows.push(window(vec![second, first]));
        }
        state.consensus.push(ConsensusSample {
            line: LINE,
            outcome: Outcome::Over,
            at: 8,
            probability: 500_000,
        });
        state
    }

    fn saved(state: &MarketState, names: &Names) -> SavedLine {
        let parts = Parts::of(state);
        SavedLine::new((None, &"e".into(), state.market), &parts.on(LINE), names)
    }

    proptest! {
        /// What is put back is what was written, though the new engine numbers names in another order.
        #[test]
        fn a_line_that_is_put_back_is_written_as_it_was(
            rows in prop::collection::vec((0..5_usize, 0..2_usize), 1..10),
        ) {
            let mut names = Names::default();
            let before = state(&mut names, &rows);
            let written = saved(&before, &names);
            let mut others = Names::default();
            for name in ["z", "e", "c", "a"] {
                others.symbol(name);
            }
            let mut after = MarketState::empty(market("totals"), None);
            let quotes = written.to_quotes(&mut others);
            prop_assert!(written.put_into(&mut after, quotes, Vec::new()).is_some());
            prop_assert!(after.quotes.is_sorted_by_key(|quote| quote.key));
            prop_assert_eq!(saved(&after, &others), written);
        }
    }

    #[test]
    fn a_window_whose_leg_is_not_among_the_quotes_is_not_put_back() {
        let mut names = Names::default();
        let before = state(&mut names, &[(0, 0), (1, 1)]);
        let mut written = saved(&before, &names);
        written.quotes.pop();
        let quotes = written.to_quotes(&mut names);
        let mut after = MarketState::empty(market("totals"), None);
        assert_eq!(written.put_into(&mut after, quotes, Vec::new()), None);
    }
}
