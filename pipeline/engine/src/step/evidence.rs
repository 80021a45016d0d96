//! Why the flags of a window are what they are: the values and thresholds by which they were decided, and the quotes of its line.
//!
//! It decides nothing: it asks what decides (`arbs`), by the basis that the window remembers, so that an explanation cannot differ
//! from the verdict. It never changes anything.

use std::sync::Arc;

use crate::Micros;
use crate::arbs::{self, Arb, BetsOf, Measure, Window};
use crate::context::StepContext;
use crate::effect::{Flag, Verification};
use crate::market::{Limit, Outcome, Side};
use crate::odds::Price;
use crate::quotes::{Quote, on_line};
use crate::state::{EventState, MarketState};
use crate::venues::Topic;

use super::engine::Engine;
use super::listing::ListedQuote;
use super::user_board::NOWHERE;

/// What the flags of an open window were decided by.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowEvidence {
    /// Number of its last transition.
    pub sequence: i64,
    /// When its flags were last decided.
    pub judged_at: Micros,
    /// The flags as they were decided.
    pub verification: Verification,
    /// Its bets, in their order.
    pub legs: Vec<LegEvidence>,
    /// What each flag depends on.
    pub flags: Vec<FlagEvidence>,
    /// All quotes of its line, by outcome, side and book.
    pub quotes: Vec<ListedQuote>,
}

/// A flag, and what it depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct FlagEvidence {
    /// The flag.
    pub flag: Flag,
    /// All of them have to hold.
    pub measures: Vec<Measure>,
}

impl FlagEvidence {
    /// Whether the flag holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.measures.iter().all(Measure::holds)
    }
}

/// A bet of a window: who takes it, and how long its price is proven to have been on offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegEvidence {
    /// What is bet on.
    pub outcome: Outcome,
    /// For it or against it.
    pub side: Side,
    /// The book.
    pub book: Arc<str>,
    /// Who runs it.
    pub operator: Arc<str>,
    /// What its clauses say of the bet, by the topics that matter; `None` of what no clause states.
    pub terms: Vec<(Topic, Option<Arc<str>>)>,
    /// The price.
    pub price: Price,
    /// The most that the book takes, where that is stated.
    pub limit: Option<Limit>,
    /// When the source first confirmed this price.
    pub on_offer_from: Micros,
    /// When it last did.
    pub on_offer_until: Micros,
}

impl Engine {
    /// What the flags of an open window were decided by, in the committed state; `None` of a window that is not open.
    #[must_use]
    pub fn evidence_of(&self, event: &str, window: &str) -> Option<WindowEvidence> {
        let event = self.state().events.get(event)?;
        let is_it = |of: &&Window| of.id.to_string() == window;
        let of = |state: &'_ Arc<MarketState>| {
            let window = state.windows.iter().find(is_it)?;
            Some(self.window_evidence(event, state, window))
        };
        event.markets.iter().find_map(of)
    }

    fn window_evidence(&self, event: &EventState, state: &MarketState, window: &Window) -> WindowEvidence {
        let pricing = self.pricing(&event.info.league);
        let step = StepContext { pricing, ..self.step_context(NOWHERE, Micros::MIN, &event.info, false) };
        let (context, line) = (state.context(&step), on_line(&state.quotes, window.line));
        let legs: Vec<_> = window.legs.iter().collect();
        let implied_probability = legs.iter().map(|leg| leg.effective.implied_probability()).sum();
        let arb = Arb { legs, pair: window.pair, implied_probability, passed_over: None };
        let basis = window.basis.clone().unwrap_or_else(|| arbs::basis(&arb, &context));
        let flags = arbs::explain(&arb, line, &basis, &context).into_iter();
        let bets = BetsOf::market(pricing, state.market, &state.drawn);
        let mut quotes: Vec<_> = line.iter().map(|quote| self.listed_quote(bets, line, quote)).collect();
        let order = |quote: &ListedQuote| (quote.outcome, quote.side);
        quotes.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.book.cmp(&b.book)));
        WindowEvidence {
            sequence: window.sequence,
            judged_at: basis.at,
            verification: window.verification,
            legs: terms_of(&window.legs, bets.of_cover(window.pair, window.legs.len()))
                .zip(&window.legs)
                .map(|(terms, leg)| self.leg_evidence(leg, terms))
                .collect(),
            flags: flags.map(|(flag, measures)| FlagEvidence { flag, measures }).collect(),
            quotes,
        }
    }

    fn leg_evidence(&self, leg: &Quote, terms: Vec<(Topic, Option<Arc<str>>)>) -> LegEvidence {
        let venue = self.venues.venue(leg.key.book());
        LegEvidence {
            outcome: leg.key.outcome(),
            side: leg.key.side(),
            book: Arc::clone(&venue.key),
            operator: venue.operator().into(),
            terms,
            price: leg.price,
            limit: leg.limit,
            on_offer_from: leg.span_start,
            on_offer_until: leg.span_end,
        }
    }
}

/// What the books of legs state about them, by the topics that matter.
fn terms_of<'a>(
    legs: &'a [Quote],
    bets: BetsOf<'a>,
) -> impl Iterator<Item = Vec<(Topic, Option<Arc<str>>)>> + 'a {
    let stated = |(topic, value): (Topic, Option<&str>)| (topic, value.map(Into::into));
    legs.iter().map(move |leg| bets.terms(leg).stated().map(stated).collect())
}
