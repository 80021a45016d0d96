//! The board of a user's own books: what the board would be if there were no others, at the commissions that the user pays.
//!
//! It is computed from the current quotes, and changes nothing: no window opens or closes by it. A set of
//! bets that is also a window of the board has that window's id and age; any other has an id from its bets,
//! and the age of its youngest price. Which bets are eligible is decided as on the board: other books still count as evidence for a price: a book at which a user
//! has no account is a witness all the same. It never knows limits of a user's account.

use std::collections::{BTreeMap, BTreeSet};

use crate::Micros;
use crate::arbs::stakes::DEFAULT_TOTAL;
use crate::arbs::{self, Judged, KnownStakes};
use crate::context::StepContext;
use crate::effect::BoardEntry;
use crate::input::Coordinate;
use crate::market::{Market, Symbol};
use crate::odds::ARB_BELOW;
use crate::quotes::{self, Quote, by_line};
use crate::state::{EventState, MarketState};
use crate::venues::{PricingContext, Venues};

use super::engine::Engine;
use super::viewer::Viewer;

/// Where no record brings something about.
pub(super) const NOWHERE: Coordinate<'static> = Coordinate { topic: "", partition: 0, offset: 0 };

/// Where a user bets, and what that costs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct UserBooks {
    /// The only books that count; `None` is all.
    pub books: Option<BTreeSet<String>>,
    /// A book's commission on winnings, in millionths, in place of the table's fees.
    pub commissions: BTreeMap<String, u32>,
    /// For what total the stakes are, in minor units; `None` is the total of the board.
    pub total_stake: Option<i64>,
    /// The user's private source, whose prices count besides the public ones.
    pub private: Option<String>,
}

impl Engine {
    /// The arbs of a user's books as of the last step, by event, market and line.
    #[must_use]
    pub fn board_of(&self, user: &UserBooks) -> Vec<BoardEntry> {
        let resolved = self.resolved(user);
        let mut entries = Vec::new();
        for seen in self.events_for(resolved.viewer) {
            self.for_each_arb(&seen.event, &resolved, |_| true, &mut |entry, _| entries.push(entry));
        }
        entries
    }

    /// A user's books as this engine knows them.
    pub(super) fn resolved(&self, user: &UserBooks) -> ResolvedBooks {
        let venues = self.venues.at_commissions(&self.names, &user.commissions);
        let books: Option<BTreeSet<Symbol>> =
            user.books.as_ref().map(|books| books.iter().filter_map(|book| self.names.known(book)).collect());
        let charged = user.commissions.keys().filter_map(|book| self.names.known(book)).collect();
        let viewer = self.viewer(user.private.as_deref());
        let (own_time, total_stake) = (self.own_time(viewer), user.total_stake.unwrap_or(DEFAULT_TOTAL));
        ResolvedBooks { books, charged, venues, total_stake, viewer, own_time }
    }

    /// Gives each arb of an event in these markets, with the quotes of its legs.
    pub(super) fn for_each_arb(
        &self,
        event: &EventState,
        resolved: &ResolvedBooks,
        is_wanted: impl Fn(Market) -> bool,
        take: &mut impl FnMut(BoardEntry, &[&Quote]),
    ) {
        let step = self.context_for(event, resolved);
        for state in event.markets.iter().filter(|state| is_wanted(state.market)) {
            resolved.for_each_arb_on(by_line(&state.quotes), state, &step, take);
        }
    }

    /// What is known of an event, priced for a user.
    pub(super) fn context_for<'a>(
        &'a self,
        event: &'a EventState,
        resolved: &'a ResolvedBooks,
    ) -> StepContext<'a> {
        let (venues, total_stake) = (&resolved.venues, resolved.total_stake);
        let pricing = PricingContext { venues, total_stake, ..self.pricing(&event.info.league) };
        StepContext { pricing, ..self.step_context(NOWHERE, resolved.own_time, &event.info, false) }
    }
}

/// A user's books by their symbols, and what they charge.
pub(super) struct ResolvedBooks {
    books: Option<BTreeSet<Symbol>>,
    /// Those that charge the user something else than others.
    charged: BTreeSet<Symbol>,
    venues: Venues,
    /// In minor units.
    total_stake: i64,
    pub(super) viewer: Viewer,
    /// The latest time of the user's private source.
    own_time: Micros,
}

impl ResolvedBooks {
    /// Whether a book counts.
    pub(super) fn includes(&self, book: Symbol) -> bool {
        self.books.as_ref().is_none_or(|books| books.contains(&book))
    }

    /// Gives each arb on these lines of a market, with the quotes of its legs.
    pub(super) fn for_each_arb_on<'a>(
        &self,
        lines: impl Iterator<Item = &'a [Quote]>,
        state: &'a MarketState,
        step: &StepContext<'_>,
        take: &mut impl FnMut(BoardEntry, &[&Quote]),
    ) {
        let (context, pricing) = (state.context(step), step.pricing);
        // Which outcomes there are does not depend on whose prices are taken.
        let outcomes = quotes::outcomes(state.market, (&state.quotes, &state.drawn), pricing);
        for line in lines {
            let offered = self.quotes(line, pricing);
            let covers = arbs::covers_of_line((&offered, line), outcomes, pricing, ARB_BELOW);
            let Some(arb) = covers.arb else { continue };
            let judged = Judged::of(&arb, line, &KnownStakes::default(), &context);
            let window = arbs::user_window(&arb, &judged, &state.windows, &context);
            take(*arbs::entry_of(&window, &judged, &context).0, &arb.legs);
        }
    }

    /// The quotes of a line that count, at what they are worth to the user.
    fn quotes(&self, line: &[Quote], pricing: PricingContext<'_>) -> Vec<Quote> {
        let counts = |quote: &&Quote| self.includes(quote.key.book());
        let worth = |quote: &Quote| {
            if !self.charged.contains(&quote.key.book()) {
                return *quote;
            }
            let Quote { key, price, odds_format, received_at, .. } = *quote;
            Quote { effective: pricing.effective(key, price, odds_format, received_at), ..*quote }
        };
        line.iter().filter(counts).map(worth).collect()
    }
}
