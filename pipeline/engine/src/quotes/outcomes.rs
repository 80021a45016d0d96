//! Which outcomes exhaust a market, by what its quotes offer.
//!
//! It never looks at a price.

use crate::market::{self, Family, Market, Outcome, Policy, Side};

use super::quote::Quote;

/// The outcomes that exhaust a market, by what its quotes offer.
pub(crate) fn outcomes(market: Market, sport: &str, quotes: &[Quote], policy: Policy) -> &'static [Outcome] {
    // Who lays the draw offers it too; the raw policy knows no lays.
    let counts = |side| side == Side::Back || policy == Policy::Board;
    let is_draw = |quote: &Quote| quote.key.outcome == Outcome::Draw && counts(quote.key.side);
    let draw_offered = market.family == Family::H2h && quotes.iter().any(is_draw);
    market::outcome_set(market, sport, draw_offered, policy)
}
