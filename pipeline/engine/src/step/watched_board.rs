//! The board of a user's books, computed again and again: only lines that have changed since are searched for arbs.
//!
//! Whether a line has an arb follows from its quotes, from the draws that books have listed, from the league, and from the user's books and fees: neither from
//! the time nor from what is learnt. So a line that reads as it did has an arb where it had one. Each arb is judged each time: its flags, its stakes and its
//! lifetime do depend on both. It never shows anything but what [`Engine::board_of`] shows.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::context::StepContext;
use crate::effect::BoardEntry;
use crate::market::{EventInfo, Line};
use crate::quotes::{self, Quote, by_line, on_line};
use crate::state::{EventState, MarketState};

use super::engine::Engine;
use super::user_board::{ResolvedBooks, UserBooks};

/// Which lines of an engine have an arb at a user's books; of nothing it knows at first. It is of one engine and one user.
#[derive(Debug, Default)]
pub struct KnownArbs {
    events: HashMap<Arc<str>, KnownEvent, RandomState>,
    searched: usize,
}

impl KnownArbs {
    /// How many lines were searched the last time.
    #[must_use]
    pub fn searched(&self) -> usize {
        self.searched
    }
}

/// An event as it was.
#[derive(Debug)]
struct KnownEvent {
    info: Arc<EventInfo>,
    markets: Vec<KnownMarket>,
}

/// A market as it was. As long as this holds its state, whoever changes that makes another one: the same allocation reads the same.
#[derive(Debug)]
struct KnownMarket {
    state: Arc<MarketState>,
    /// The lines with an arb.
    arbs: Vec<Option<Line>>,
}

impl Engine {
    /// [`Self::board_of`] once more, for the user of the last time: what is known then is known afterwards.
    #[must_use]
    pub fn board_again(&self, user: &UserBooks, known: &mut KnownArbs) -> Vec<BoardEntry> {
        let (resolved, mut entries) = (self.resolved(user), Vec::new());
        let mut former = std::mem::take(&mut known.events);
        known.searched = 0;
        for seen in self.events_for(resolved.viewer) {
            let info = &seen.event.info;
            let was = former.remove(&**info.id.shared());
            // Fees and draws are those of a league.
            let was = was.filter(|was| was.info.league == info.league);
            let markets = was.map(|was| was.markets).unwrap_or_default();
            let mut look = Look { resolved: &resolved, entries: &mut entries, searched: &mut known.searched };
            let markets = self.look_at(&seen.event, markets, &mut look);
            let event = KnownEvent { info: Arc::clone(info), markets };
            known.events.insert(Arc::clone(info.id.shared()), event);
        }
        entries
    }

    fn look_at(
        &self,
        event: &EventState,
        mut former: Vec<KnownMarket>,
        look: &mut Look<'_>,
    ) -> Vec<KnownMarket> {
        let step = self.context_for(event, look.resolved);
        let mut market = |state: &Arc<MarketState>| {
            let at = former.iter().position(|was| was.state.market == state.market);
            look.at(state, at.map(|at| former.swap_remove(at)), &step)
        };
        event.markets.iter().map(&mut market).collect()
    }
}

/// For whom markets are looked at, and what was found.
struct Look<'a> {
    resolved: &'a ResolvedBooks,
    entries: &'a mut Vec<BoardEntry>,
    searched: &'a mut usize,
}

impl Look<'_> {
    /// Looks at a market which was another one the last time, or none.
    fn at(
        &mut self,
        state: &Arc<MarketState>,
        was: Option<KnownMarket>,
        step: &StepContext<'_>,
    ) -> KnownMarket {
        match was {
            Some(was) if Arc::ptr_eq(&was.state, state) => {
                let arbs =
                    self.search(was.arbs.iter().map(|line| on_line(&state.quotes, *line)), state, step);
                KnownMarket { arbs, ..was }
            }
            was => {
                let was = was.filter(|was| has_outcomes_of(&was.state, state, step));
                let may_be = |line: &&[Quote]| was.as_ref().is_none_or(|was| was.may_be_arb(line));
                let arbs = self.search(by_line(&state.quotes).filter(may_be), state, step);
                KnownMarket { state: Arc::clone(state), arbs }
            }
        }
    }

    /// Those of the lines that have an arb.
    fn search<'a>(
        &mut self,
        lines: impl Iterator<Item = &'a [Quote]>,
        state: &'a MarketState,
        step: &StepContext<'_>,
    ) -> Vec<Option<Line>> {
        let (mut arbs, searched) = (Vec::new(), &mut *self.searched);
        let lines = lines.inspect(|_| *searched += 1);
        self.resolved.for_each_arb_on(lines, state, step, &mut |entry, legs| {
            arbs.extend(legs.first().map(|leg| leg.key.line()));
            self.entries.push(entry);
        });
        arbs
    }
}

impl KnownMarket {
    /// Whether a line of the market as it is now may have an arb: it had one, or reads otherwise than then.
    fn may_be_arb(&self, line: &[Quote]) -> bool {
        let key = line.first().and_then(|quote| quote.key.line());
        self.arbs.contains(&key) || on_line(&self.state.quotes, key) != line
    }
}

/// Whether a market has the outcomes that it had: all of its lines hang on them.
fn has_outcomes_of(was: &MarketState, is: &MarketState, step: &StepContext<'_>) -> bool {
    let of = |state: &'_ MarketState| {
        let set = quotes::outcomes(state.market, (&state.quotes, &state.drawn), step.pricing);
        (set.outcomes, set.is_refunding)
    };
    of(was) == of(is) && was.drawn == is.drawn
}
