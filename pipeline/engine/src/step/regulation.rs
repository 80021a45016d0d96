//! A winner that is sold with a draw and without one: of which market a book's prices are.
//!
//! Of ice hockey some books sell the result of regulation as `h2h`, with a draw, and others the winner after overtime. Of a match that goes on
//! until there is a winner a book's prices are those of `h2h_3_way` from the first draw on that it lists; before it, and of all other books,
//! they are of `h2h`. The two never meet: a back of the one and a lay of the other both lose when the match is decided in overtime. Which
//! books have listed a draw is kept with the market that has their prices. It never looks at a price, and does nothing under the policy
//! `raw`.

use std::sync::Arc;

use crate::market::{Market, Outcome, Policy, REGULATION, Symbol, WINNER};
use crate::quotes::{Observation, SourceUpdate};
use crate::state::MarketState;
use crate::venues::{Draws, PricingContext};

/// Gives what is seen of an event, and what an update states of it, to the markets that they are of. The markets are the event's before.
pub(super) fn assign(
    markets: &[Arc<MarketState>],
    pricing: PricingContext<'_>,
    seen: &mut [Observation],
    update: &mut SourceUpdate,
) {
    let goes_on = pricing.draws == Draws::Never;
    if pricing.policy == Policy::Raw || !goes_on {
        return;
    }
    let is_draw = |seen: &&Observation| seen.market == WINNER && seen.key.outcome() == Outcome::Draw;
    let mut drawn = known(markets).to_vec();
    drawn.extend(seen.iter().filter(is_draw).map(|seen| seen.key.book()));
    let assign = |market: &mut Market, book: Symbol| {
        if *market == WINNER && drawn.contains(&book) {
            *market = REGULATION;
        }
    };
    for seen in seen {
        assign(&mut seen.market, seen.key.book());
    }
    for (market, link) in &mut update.links {
        assign(market, link.book);
    }
    update.drawn = drawn;
}

/// An update that names nothing of an event, as it is of the event's markets; `None` where that is as it is.
pub(super) fn of_event(markets: &[Arc<MarketState>], update: &SourceUpdate) -> Option<SourceUpdate> {
    let drawn = known(markets);
    (!drawn.is_empty()).then(|| SourceUpdate { drawn: drawn.to_vec(), ..update.clone() })
}

/// The books that have listed a draw of the winner of a match that goes on until there is one.
fn known(markets: &[Arc<MarketState>]) -> &[Symbol] {
    markets.iter().find(|state| state.market == REGULATION).map_or(&[], |state| &state.drawn)
}
