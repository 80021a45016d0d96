//! What the bots have seen of markets: a market that looks as it did then has nothing new for a rule of prices.
//!
//! It keeps one number a market, of events that have not begun. It never says that a market which has changed is the same.

use std::collections::{BTreeSet, HashMap};

use arb_model::Market;
use foldhash::fast::RandomState;

/// The fingerprints of markets when the bots last looked, by event.
#[derive(Debug, Default)]
pub struct SeenMarkets {
    events: HashMap<String, Vec<(Market, u64)>, RandomState>,
}

impl SeenMarkets {
    /// Notes how markets of an event look. Returns those that looked otherwise before, or were never seen.
    pub fn changed(
        &mut self,
        event: &str,
        looks: impl IntoIterator<Item = (Market, u64)>,
    ) -> BTreeSet<Market> {
        let mut looks = looks.into_iter().peekable();
        if looks.peek().is_none() {
            return BTreeSet::new();
        }
        let markets = match self.events.get_mut(event) {
            Some(markets) => markets,
            None => self.events.entry(event.to_owned()).or_default(),
        };
        let is_new = |(market, fingerprint): &(Market, u64)| {
            if let Some((_, seen)) = markets.iter_mut().find(|(seen, _)| seen == market) {
                return std::mem::replace(seen, *fingerprint) != *fingerprint;
            }
            markets.push((*market, *fingerprint));
            true
        };
        looks.filter(is_new).map(|(market, _)| market).collect()
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
        let new = given.map(|look| !seen.changed("a", [look]).is_empty());
        assert_eq!(new, [true, false, true, true, true, false]);
        assert_eq!(seen.changed("b", [(H2H, 1)]), BTreeSet::from([H2H]), "another event");
        assert!(seen.changed("c", []).is_empty() && seen.events.len() == 2);
    }

    #[test]
    fn what_is_forgotten_is_new_again() {
        let mut seen = SeenMarkets::default();
        let both = |seen: &mut SeenMarkets| seen.changed("a", [(H2H, 1), (TOTALS, 1)]);
        both(&mut seen);
        seen.forget("a", H2H);
        assert_eq!(both(&mut seen), BTreeSet::from([H2H]));
        seen.forget_event("a");
        assert_eq!(both(&mut seen), BTreeSet::from([H2H, TOTALS]));
    }
}
