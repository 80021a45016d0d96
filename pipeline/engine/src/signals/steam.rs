//! Steam: operators that shorten an outcome together, and the books that have not followed.
//!
//! Within a hopping window of `movement` three or more operators raise the implied probability of an outcome by [`LEAST`] or more,
//! and none lowers it so much. Who was first at its present price by its source's time leads, the others follow. A book lags when it confirmed,
//! after the first of them had moved, a price that has not moved within the window and that pays by the fair chance of those who did. It never
//! calls a book late whose last word is from before the move.

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::{Role, SignalKind};
use crate::market::{Line, Outcome};
use crate::movement::{self, Hops};
use crate::odds::Price;
use crate::quotes::{Move, Quote, on_line, on_offer};

use super::found::{Detail, Found};
use super::rows::{self, Row};
use super::value;
use super::view::PassedMarket;

/// The least change of implied probability that counts.
const LEAST: f64 = 0.01;
/// The least number of operators.
const OPERATORS: usize = 3;
/// The least number of them that must offer every outcome, where a book is found to lag.
const FAIR: usize = 2;
/// The least expected return of a price that lags.
const LAG: f64 = 0.01;
/// How long a steam stays open after its last move, and a lag after it was found.
const STEAM_LASTS: Micros = 600_000_000;
const LAG_LASTS: Micros = 1_800_000_000;

/// The steams of the windows that were passed, and who lags them.
pub(super) fn find(
    market: PassedMarket<'_>,
    hops: Hops,
    context: &MarketContext<'_>,
    found: &mut Vec<Found>,
) {
    for end in movement::ends(market.moves, hops) {
        let sums = movement::within(market.moves.iter(), end);
        for sums in sums.chunk_by(|a, b| bet(a) == bet(b)) {
            let Some(steam) = Steam::of(sums, market.quotes, context) else { continue };
            // A later window that holds the same finds it again.
            found.retain(|other: &Found| !steam.is_found_in(other));
            found.extend(steam.found(context));
            found.extend(steam.lags(market, context));
        }
    }
}

fn bet(moved: &Move) -> (Option<Line>, Outcome) {
    (moved.key.line, moved.key.outcome)
}

fn change(moved: &Move) -> f64 {
    moved.to.implied_probability() - moved.from.implied_probability()
}

/// An outcome that operators shorten.
struct Steam<'a> {
    line: Option<Line>,
    outcome: Outcome,
    /// Those that moved, with their quotes as they stand; the first that moved comes first.
    movers: Vec<(Move, &'a Quote)>,
    /// All quotes on offer of the outcome.
    offers: Vec<&'a Quote>,
    last_move: Micros,
    /// The share of the operators that moved.
    share: f64,
}

impl<'a> Steam<'a> {
    /// `None` where it is none. `sums` are the moves of one bet within a window.
    fn of(sums: &[Move], quotes: &'a [Quote], context: &MarketContext<'_>) -> Option<Self> {
        let (line, outcome) = bet(sums.first()?);
        let up = sums.iter().filter(|sum| change(sum) >= LEAST);
        if up.clone().count() < OPERATORS || sums.iter().any(|sum| change(sum) <= -LEAST) {
            return None;
        }
        let offers: Vec<_> = on_offer(on_line(quotes, line), outcome).collect();
        let mover = |sum: &Move| {
            let quote = offers.iter().find(|quote| quote.key == sum.key && quote.price == sum.to)?;
            Some((*sum, *quote))
        };
        let mut movers: Vec<_> = up.filter_map(mover).collect();
        let name = |quote: &Quote| context.step.pricing.names.name(quote.key.book);
        movers.sort_by(|(_, a), (_, b)| a.span_start.cmp(&b.span_start).then_with(|| name(a).cmp(name(b))));
        let who = value::operators(movers.iter().map(|(_, quote)| *quote), context);
        let all = value::operators(offers.iter().copied(), context);
        let last_move = movers.iter().map(|(sum, _)| sum.at).max()?;
        let share = who as f64 / all as f64;
        (who >= OPERATORS).then_some(Self { line, outcome, movers, offers, last_move, share })
    }

    fn is_found_in(&self, found: &Found) -> bool {
        let is_bet = |quote: &Quote| (quote.key.line, quote.key.outcome) == (self.line, self.outcome);
        found.bets.first().is_some_and(is_bet)
    }

    fn evidence(&self) -> Vec<(Role, Quote, Option<Price>)> {
        let first = self.movers.first().map(|(_, quote)| quote.span_start);
        let role =
            |quote: &Quote| if Some(quote.span_start) == first { Role::Leader } else { Role::Follower };
        self.movers.iter().map(|(sum, quote)| (role(quote), **quote, Some(sum.from))).collect()
    }

    fn found(&self, context: &MarketContext<'_>) -> Option<Found> {
        let best = value::best_of(self.offers.iter().copied(), context)?;
        let expires_at = self.last_move + STEAM_LASTS;
        let found = Found::new(SignalKind::Steam, vec![*best], expires_at, context.step.pricing.names)?;
        let rise: f64 = self.movers.iter().map(|(sum, _)| change(sum)).sum();
        Some(Found {
            strength: rise / self.movers.len() as f64,
            confidence: self.share,
            detail: Detail { quotes: self.evidence(), ..Detail::default() },
            ..found
        })
    }

    /// The books that still offer what they did, at a price that pays.
    fn lags(&self, market: PassedMarket<'a>, context: &MarketContext<'_>) -> Vec<Found> {
        let mut rows = Vec::new();
        rows::rows_of(on_line(market.quotes, self.line), market.outcomes, &mut rows);
        let Some(at) = market.outcomes.iter().position(|outcome| *outcome == self.outcome) else {
            return Vec::new();
        };
        let is_mover = |row: &&Row<'_>| {
            row.has_opinion() && self.movers.iter().any(|(_, quote)| quote.key == row.quotes()[at].key)
        };
        let moved: Vec<_> = rows.iter().filter(is_mover).collect();
        if value::operators(moved.iter().map(|row| row.quotes()[at]), context) < FAIR {
            return Vec::new();
        }
        let lags =
            rows.iter().map(|row| row.quotes()[at]).filter(|quote| self.is_behind(quote, market, context));
        lags.filter_map(|quote| self.lag(quote, &moved, at, context)).collect()
    }

    /// Whether a book confirmed its old price after others had moved.
    fn is_behind(&self, quote: &Quote, market: PassedMarket<'_>, context: &MarketContext<'_>) -> bool {
        let Some((_, first)) = self.movers.first() else { return false };
        let has_moved = market.moves.iter().any(|moved| moved.key == quote.key);
        let is_mover = |(_, mover): &(Move, &Quote)| value::is_same_operator(mover, quote, context);
        let is_confirmed = quote.span_end >= first.span_start && quote.span_start < first.span_start;
        is_confirmed && !has_moved && !self.movers.iter().any(is_mover)
    }

    fn lag(
        &self,
        quote: &Quote,
        moved: &[&Row<'_>],
        at: usize,
        context: &MarketContext<'_>,
    ) -> Option<Found> {
        let found = value::judge(SignalKind::StalePrice, moved, at, quote, context)?;
        if found.strength < LAG {
            return None;
        }
        let detail = Detail { quotes: self.evidence(), ..found.detail };
        // The same window is found again at each hop: its time is counted from the move.
        let expires_at = self.last_move + LAG_LASTS;
        Some(Found { confidence: self.share, expires_at, detail, ..found })
    }
}
