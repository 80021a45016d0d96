//! Prices that are followed from the moment at which a signal opened: which way each goes first.
//!
//! It never looks back.

use std::collections::BTreeMap;

use arb_engine::{Engine, Offered};
use arb_model::{Bet, EdgeSignal, Line, Market, Name, Price, Side, SignalKind};
use arb_schemas::time::Micros;

use super::{Counts, FOLLOWED};

/// Prices that have not moved yet.
#[derive(Debug, Default)]
pub(super) struct Following(Vec<Followed>);

#[derive(Debug)]
struct Followed {
    of: (SignalKind, bool),
    event: Name,
    bet: Bet,
    book: Name,
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
    /// Follows the bets that a signal which has just opened has on a line, and all other prices of that.
    pub(super) fn add(
        &mut self,
        edge: &EdgeSignal,
        (kind, market, line): (SignalKind, Market, Option<Line>),
        offers: &[Offered],
    ) {
        let follow = |outcome, book: &Name, price, by_chance| {
            Some(Followed {
                of: (kind, edge.in_play),
                event: edge.event.id.clone(),
                bet: Bet::new(market, outcome, Side::Back, line)?,
                book: book.clone(),
                price,
                since: edge.opened_at.0,
                by_chance,
            })
        };
        let bets: Vec<_> = super::backs(edge, line).collect();
        self.0
            .extend(bets.iter().filter_map(|bet| follow(bet.outcome.known()?, &bet.book, bet.price, false)));
        let is_bet =
            |offer: &Offered| bets.iter().any(|bet| bet.outcome == offer.outcome && *bet.book == *offer.book);
        let others = offers.iter().filter(|offer| !is_bet(offer));
        self.0.extend(
            others.filter_map(|offer| follow(offer.outcome, &(&offer.book).into(), offer.price, true)),
        );
    }

    /// Counts what has moved by a poll, and what has not for so long that it is left.
    pub(super) fn inspect(
        &mut self,
        engine: &Engine,
        now: Micros,
        counts: &mut BTreeMap<(SignalKind, bool), Counts>,
    ) {
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
