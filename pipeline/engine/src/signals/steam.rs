//! Steam: operators that shorten an outcome together, and the books that have not followed.
//!
//! Within a hopping window of `movement` three or more operators, by books of the table, raise the implied probability of an outcome
//! by [`LEAST`] or more, and none lowers it so much. By how much is the median by rank of the operators' rises. The first at its present price by its source's time
//! leads, the others follow. A book lags when it confirmed, after the first of them had moved, a price that
//! has not moved within the window and that pays by the fair probability of those that did. A book whose last
//! confirmation is from before the move never counts as late.

use crate::Micros;
use crate::arbs::{self, BetsOf};
use crate::context::MarketContext;
use crate::effect::{Role, SignalKind};
use crate::market::{Line, Outcome};
use crate::movement::{self, Hops};
use crate::odds::{MiddleRank, Price, median_of_operators};
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

/// The steams of the windows that were passed, and the lagging books.
pub(super) fn find(
    market: PassedMarket<'_>,
    hops: Hops,
    context: &MarketContext<'_>,
    found: &mut Vec<Found>,
) {
    for end in movement::ends(market.moves, hops) {
        let sums = movement::within(market.moves.iter(), end);
        for sums in sums.chunk_by(|a, b| bet(a) == bet(b)) {
            let is_known = |sum: &&Move| context.step.pricing.venues.is_known(sum.key.book());
            let sums: Vec<_> = sums.iter().filter(is_known).copied().collect();
            let Some(steam) = Steam::of(&sums, market.quotes, context) else { continue };
            // A later window that holds the same finds it again.
            found.retain(|other: &Found| !steam.is_found_in(other));
            found.extend(steam.found(market.quotes, context));
            found.extend(steam.lags(market, context));
        }
    }
}

fn bet(moved: &Move) -> (Option<Line>, Outcome) {
    (moved.key.line(), moved.key.outcome())
}

fn change(moved: &Move) -> f64 {
    moved.to.implied_probability() - moved.from.implied_probability()
}

/// An outcome that operators shorten.
struct Steam<'a> {
    line: Option<Line>,
    outcome: Outcome,
    /// The operators that moved, with their current quotes; the first that moved comes first.
    movers: Vec<(Move, &'a Quote)>,
    /// All quotes on offer of the outcome, at books of the table.
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
        let offers = on_offer(on_line(quotes, line), outcome);
        let offers: Vec<_> = offers.filter(|quote| value::is_of_table(quote, context)).collect();
        let mover = |sum: &Move| {
            let quote = offers.iter().find(|quote| quote.key == sum.key && quote.price == sum.to)?;
            Some((*sum, *quote))
        };
        let mut movers: Vec<_> = up.filter_map(mover).collect();
        movers
            .sort_by_key(|(_, quote)| (quote.span_start, context.step.pricing.names.place(quote.key.book())));
        let moving = value::operators(movers.iter().map(|(_, quote)| *quote), context);
        let all = value::operators(offers.iter().copied(), context);
        let last_move = movers.iter().map(|(sum, _)| sum.at).max()?;
        let share = moving as f64 / all as f64;
        (moving >= OPERATORS).then_some(Self { line, outcome, movers, offers, last_move, share })
    }

    fn is_found_in(&self, found: &Found) -> bool {
        let is_bet = |quote: &Quote| (quote.key.line(), quote.key.outcome()) == (self.line, self.outcome);
        found.bets.first().is_some_and(is_bet)
    }

    fn evidence(&self) -> Vec<(Role, Quote, Option<Price>)> {
        let first = self.movers.first().map(|(_, quote)| quote.span_start);
        let role =
            |quote: &Quote| if Some(quote.span_start) == first { Role::Leader } else { Role::Follower };
        self.movers.iter().map(|(sum, quote)| (role(quote), **quote, Some(sum.from))).collect()
    }

    fn found(&self, quotes: &[Quote], context: &MarketContext<'_>) -> Option<Found> {
        let line = on_line(quotes, self.line);
        let best = value::best_eligible(&self.offers.iter().copied(), line, context)?;
        let expires_at = self.last_move + STEAM_LASTS;
        let found = Found::new(SignalKind::Steam, vec![*best], expires_at, context.step.pricing.names)?;
        let rise = |(sum, quote): &(Move, &Quote)| (value::operator_of(quote, context), change(sum));
        let mut rises: Vec<_> = self.movers.iter().map(rise).collect();
        let (strength, _) = median_of_operators(&mut rises, MiddleRank::Lower)?;
        Some(Found {
            strength,
            confidence: self.share,
            detail: Detail { quotes: self.evidence(), ..Detail::default() },
            ..found
        })
    }

    /// The books that still offer what they did, at a price that pays.
    fn lags(&self, market: PassedMarket<'a>, context: &MarketContext<'_>) -> Vec<Found> {
        let (mut rows, line) = (Vec::new(), on_line(market.quotes, self.line));
        rows::rows_of(line, market.outcomes, &mut rows);
        let Some(at) = market.outcomes.iter().position(|outcome| *outcome == self.outcome) else {
            return Vec::new();
        };
        let is_mover = |row: &&Row<'_>| {
            row.has_opinion() && self.movers.iter().any(|(_, quote)| quote.key == row.quotes()[at].key)
        };
        let mut moved: Vec<_> = rows.iter().filter(is_mover).collect();
        moved.sort_by_key(|row| context.step.pricing.names.place(row.book()));
        if !value::are_of_operators(FAIR, moved.iter().map(|row| row.quotes()[at]), context) {
            return Vec::new();
        }
        let bets = BetsOf::market(context.step.pricing, context.market, context.drawn);
        let is_eligible = |quote: &&Quote| arbs::is_eligible(quote, line, bets);
        let lags =
            rows.iter().map(|row| row.quotes()[at]).filter(|quote| self.is_behind(quote, market, context));
        lags.filter(is_eligible).filter_map(|quote| self.lag(quote, &moved, at, context)).collect()
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
        let sources: Vec<_> = moved.iter().map(|row| row.quotes()[at]).collect();
        let known = &context.step.chances.of_prices;
        let chance = |method, source: usize| moved[source].chance(known, method, at);
        let found = value::judge(SignalKind::StalePrice, (&sources, chance), quote, LAG, context)?;
        let detail = Detail { quotes: self.evidence(), ..found.detail };
        // The same window is found again at each hop: its time is counted from the move.
        let expires_at = self.last_move + LAG_LASTS;
        Some(Found { confidence: self.share, expires_at, detail, ..found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{World, book, context, price, quote};
    use crate::market::{QuoteKey, Side};
    use crate::venues::{Book, Books};

    const SECOND: Micros = 1_000_000;
    const BOTH: [Outcome; 2] = [Outcome::Home, Outcome::Away];

    /// Six books; `e` and `f` are of one operator.
    fn world() -> World {
        let of = |name: &str, operator: &str| -> (std::sync::Arc<str>, Book) {
            (name.into(), book(operator, "us"))
        };
        let books = ["a", "b", "c", "d"].map(|name| of(name, name)).into_iter();
        World::new(Books::new(books.chain([of("e", "x"), of("f", "x")])), 6)
    }

    /// Both sides of a winner at a book, offered since a second and confirmed at another.
    fn offer(world: &World, name: &str, home: &str, away: &str, span: [i64; 2]) -> [Quote; 2] {
        let of = |(outcome, decimal)| Quote {
            span_start: span[0] * SECOND,
            span_end: span[1] * SECOND,
            ..quote(world.book(name), None, outcome, price(decimal))
        };
        [(BOTH[0], home), (BOTH[1], away)].map(of)
    }

    fn moved(world: &World, name: &str, second: i64, from: &str, to: &str) -> Move {
        let key = QuoteKey::new(None, BOTH[0], Side::Back, world.book(name));
        Move { key, at: second * SECOND, from: price(from), to: price(to), is_reported: false }
    }

    /// What is found when the watermark passes 40 s: kind, book of the bet, strength, share of the operators, expiry in seconds.
    fn find_at_40(
        world: &World,
        offers: &[[Quote; 2]],
        moves: &[Move],
    ) -> Vec<(SignalKind, String, f64, f64, i64)> {
        let mut quotes: Vec<_> = offers.concat();
        quotes.sort_by_key(|quote| quote.key);
        let step = world.step(0, 40 * SECOND);
        let context = context(&step, "h2h");
        let market = PassedMarket {
            quotes: &quotes,
            moves: &moves.iter().copied().collect(),
            consensus: &[],
            made_at: 35 * SECOND,
            outcomes: &BOTH,
            main_line: None,
        };
        let mut found = Vec::new();
        find(market, Hops::passed(30 * SECOND, 40 * SECOND), &context, &mut found);
        let book = |found: &Found| world.names.name(found.bets[0].key.book()).to_string();
        let of = |found: &Found| {
            (found.subject.kind, book(found), found.strength, found.confidence, found.expires_at / SECOND)
        };
        found.iter().map(of).collect()
    }

    /// Three of four operators go from 2.00 to 1.90: 1/1.9 - 1/2 = 0.026316 each. `d` still offers 2.00, confirmed at 38 s.
    fn shortened(world: &World) -> (Vec<[Quote; 2]>, Vec<Move>) {
        let movers = [("a", 32), ("b", 34), ("c", 36)];
        let mut offers: Vec<_> = movers
            .iter()
            .map(|(name, second)| offer(world, name, "1.9", "1.98", [*second, *second]))
            .collect();
        offers.push(offer(world, "d", "2.2", "1.9", [1, 38]));
        (offers, movers.iter().map(|(name, second)| moved(world, name, *second, "2", "1.9")).collect())
    }

    /// The chance of three books at 1.9 and 1.98, whose booksum is 0.526316 + 0.505051 = 1.031366: the least of the methods is about
    /// 0.5103, so 2.2 pays 12 % and more.
    #[test]
    fn three_operators_and_a_book_that_lags() {
        let world = world();
        let (offers, moves) = shortened(&world);
        let found = find_at_40(&world, &offers, &moves);
        let [steam, lag] = &found[..] else { panic!("{found:?}") };
        assert_eq!((steam.0, lag.0), (SignalKind::Steam, SignalKind::StalePrice));
        assert_eq!(
            (steam.1.as_str(), lag.1.as_str()),
            ("d", "d"),
            "the best price is that of the one moved lags"
        );
        assert!((steam.2 - 0.026_316).abs() < 1e-6, "{}", steam.2);
        assert!((steam.3 - 0.75).abs() < 1e-12 && (lag.3 - 0.75).abs() < 1e-12, "three operators of four");
        assert!(lag.2 > 0.12 && lag.2 < 0.13, "{}", lag.2);
        assert_eq!((steam.4, lag.4), (36 + 600, 36 + 1_800), "from the last move");
    }

    #[test]
    fn two_books_of_one_operator_are_one() {
        let world = world();
        let of = |names: [&str; 3]| {
            let offers = names.map(|name| offer(&world, name, "1.9", "1.98", [32, 32]));
            let moves = names.map(|name| moved(&world, name, 32, "2", "1.9"));
            find_at_40(&world, &offers, &moves).len()
        };
        assert_eq!((of(["a", "e", "f"]), of(["a", "b", "f"])), (0, 1));
    }

    #[test]
    fn a_book_that_lengthens_as_much_stops_a_steam() {
        let world = world();
        let (offers, mut moves) = shortened(&world);
        moves.push(moved(&world, "d", 33, "2.1", "2.2"));
        assert_eq!(find_at_40(&world, &offers, &moves).len(), 0, "1/2.1 - 1/2.2 is 0.0216");
        moves[3] = moved(&world, "d", 33, "2.19", "2.2");
        // 1/2.19 - 1/2.2 is 0.0021, which is nothing; but a book that has moved does not lag.
        let kinds: Vec<_> = find_at_40(&world, &offers, &moves).into_iter().map(|found| found.0).collect();
        assert_eq!(kinds, [SignalKind::Steam]);
    }

    #[test]
    fn a_book_that_moved_back_or_is_suspended_is_no_mover() {
        let world = world();
        let (offers, moves) = shortened(&world);
        let mut back = offers.clone();
        back[0] = offer(&world, "a", "2", "1.9", [37, 37]);
        assert_eq!(find_at_40(&world, &back, &moves).len(), 0, "two are left");
        let mut suspended = offers;
        suspended[0].iter_mut().for_each(|quote| quote.status = crate::quotes::QuoteStatus::Suspended);
        assert_eq!(find_at_40(&world, &suspended, &moves).len(), 0);
    }

    #[test]
    fn a_book_lags_only_after_it_confirmed_its_old_price() {
        let world = world();
        let (mut offers, moves) = shortened(&world);
        let kinds = |offers: &[[Quote; 2]]| {
            find_at_40(&world, offers, &moves).into_iter().map(|found| found.0).collect::<Vec<_>>()
        };
        offers[3] = offer(&world, "d", "2.2", "1.9", [1, 31]);
        assert_eq!(kinds(&offers), [SignalKind::Steam], "its last word is from before the first move");
        offers[3] = offer(&world, "d", "2.2", "1.9", [1, 32]);
        assert_eq!(kinds(&offers).len(), 2, "confirmed when the first moved");
        offers[3] = offer(&world, "d", "2.2", "1.9", [33, 38]);
        assert_eq!(kinds(&offers), [SignalKind::Steam], "it is new itself");
        offers[3] = offer(&world, "d", "1.97", "1.9", [1, 38]);
        assert_eq!(kinds(&offers), [SignalKind::Steam], "0.5103 * 1.97 - 1 is 0.0053: too little");
    }

    #[test]
    fn a_move_outside_the_window_is_none() {
        let world = world();
        let (offers, mut moves) = shortened(&world);
        moves[0].at = 40 * SECOND;
        assert_eq!(find_at_40(&world, &offers, &moves).len(), 0, "the window ends before it");
    }
}
