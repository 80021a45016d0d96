//! What the bots have seen of markets: a market that looks as it did then has nothing new for a rule of prices.
//!
//! It keeps one number a market, of events that have not begun. It never says that a market which has changed is the same.

use std::collections::HashMap;

use arb_model::Market;
use foldhash::fast::RandomState;

/// The fingerprints of markets when the bots last looked, by event.
#[derive(Debug, Default)]
pub struct SeenMarkets {
    events: HashMap<String, Vec<(Market, u64)>, RandomState>,
}

impl SeenMarkets {
    /// Notes how a market looks. Returns whether it looked otherwise before, or was never seen.
    pub fn note(&mut self, event: &str, market: Market, fingerprint: u64) -> bool {
        let Some(markets) = self.events.get_mut(event) else {
            self.events.insert(event.to_owned(), vec![(market, fingerprint)]);
            return true;
        };
        if let Some((_, seen)) = markets.iter_mut().find(|(seen, _)| *seen == market) {
            return std::mem::replace(seen, fingerprint) != fingerprint;
        }
        markets.push((market, fingerprint));
        true
    }

    /// Has it looked at again, though no price changes.
    pub fn forget(&mut self, event: &str, market: Market) {
        if let Some(markets) = self.events.get_mut(event) {
            markets.retain(|(seen, _)| *seen != market);
        }
    }

    /// Forgets the markets of an event that nobody bets on now.
    pub fn forget_event(&mut self, event: &str) {
        self.events.remove(event);
    }
}

#[cfg(test)]
mod tests {
    use arb_model::{Family, Period};

    use super::*;

    const H2H: Market = Market { family: Family::H2h, period: Period::FullTime };
    const TOTALS: Market = Market { family: Family::Totals, period: Period::FullTime };

    #[test]
    fn a_market_is_new_once_a_fingerprint() {
        let mut seen = SeenMarkets::default();
        let given = [(H2H, 1), (H2H, 1), (TOTALS, 1), (H2H, 2), (H2H, 1), (TOTALS, 1)];
        let new = given.map(|(market, fingerprint)| seen.note("a", market, fingerprint));
        assert_eq!(new, [true, false, true, true, true, false]);
        assert!(seen.note("b", H2H, 1), "another event");
    }

    #[test]
    fn what_is_forgotten_is_new_again() {
        let mut seen = SeenMarkets::default();
        let both = |seen: &mut SeenMarkets| [H2H, TOTALS].map(|market| seen.note("a", market, 1));
        both(&mut seen);
        seen.forget("a", H2H);
        assert_eq!(both(&mut seen), [true, false]);
        seen.forget_event("a");
        assert_eq!(both(&mut seen), [true, true]);
    }
}
