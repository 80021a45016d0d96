//! Prices that are followed from the moment at which a signal opened: which way each goes first.
//!
//! It never looks back.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_engine::catalogue::Side;
use arb_engine::input::Bet;
use arb_engine::odds::Price;
use arb_engine::signals::{Edge, Evidence, Kind};
use arb_engine::{Engine, Offered};
use arb_schemas::time::Micros;

use super::{Counts, FOLLOWED};

/// Prices that have not moved yet.
#[derive(Debug, Default)]
pub(super) struct Following(Vec<Followed>);

#[derive(Debug)]
struct Followed {
    of: (Kind, bool),
    event: Arc<str>,
    bet: Bet,
    book: Arc<str>,
    price: Price,
    since: Micros,
    /// It is another price of the line.
    by_chance: bool,
}

/// What became of a price.
enum Went {
    Shorter,
    Longer,
    Still,
    Gone,
}

impl Following {
    /// Follows a bet of a signal that has just opened, and all other prices of its line.
    pub(super) fn add(&mut self, edge: &Edge, bet: &Evidence, offers: &[Offered]) {
        let of = |offer: &Offered| {
            let is_bet = offer.outcome == bet.outcome && offer.book == bet.book;
            Some(Followed {
                of: (edge.kind, edge.in_play),
                event: Arc::clone(&edge.event.id),
                bet: Bet::new(edge.market, offer.outcome, Side::Back, bet.line)?,
                book: Arc::clone(&offer.book),
                price: offer.price,
                since: edge.opened_at,
                by_chance: !is_bet,
            })
        };
        self.0.extend(offers.iter().filter_map(of));
    }

    /// Counts what has moved by a poll, and what has not for so long that it is left.
    pub(super) fn look(&mut self, engine: &Engine, now: Micros, counts: &mut BTreeMap<(Kind, bool), Counts>) {
        self.0.retain(|followed| {
            let Some(went) = followed.went(engine, now) else { return true };
            let counts = counts.entry(followed.of).or_default();
            let moved = if followed.by_chance { &mut counts.moved_by_chance } else { &mut counts.moved };
            match went {
                Went::Shorter => moved.shorter += 1,
                Went::Longer => moved.longer += 1,
                Went::Still => moved.still += 1,
                Went::Gone => moved.gone += 1,
            }
            false
        });
    }
}

impl Followed {
    /// `None` while it is not known.
    fn went(&self, engine: &Engine, now: Micros) -> Option<Went> {
        if now - self.since > FOLLOWED {
            return Some(Went::Still);
        }
        let Some(quote) = engine.quote(&self.event, &self.bet, &self.book) else { return Some(Went::Gone) };
        match quote.price.cmp(&self.price) {
            std::cmp::Ordering::Less => Some(Went::Shorter),
            std::cmp::Ordering::Greater => Some(Went::Longer),
            std::cmp::Ordering::Equal => None,
        }
    }
}
