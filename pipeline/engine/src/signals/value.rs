//! Value: a price that pays more than the chance that the other operators see.
//!
//! `EV = p o - 1` with the effective price o and the fair probability p: the median by rank over the operators of each
//! one's probability without its margin, of an even number the lower one (`odds::rank`), which no single wrong price moves out of what the
//! others say. Sources are books of the table, of other operators, that offer every outcome of the
//! line; there are five methods to remove a margin, and the one with the lowest result decides. A book's
//! price is never evidence about itself, and only eligible bets (`arbs`) are taken.
//!
//! Source: `value` and `devig`.

use std::cmp::Ordering;

use crate::arbs::{BetsOf, better, better_first, is_eligible};
use crate::context::MarketContext;
use crate::effect::{Role, SignalKind};
use crate::odds::devig::Method;
use crate::odds::value::{self, QUARTER};
use crate::odds::{MiddleRank, is_held_by_most, median_of_operators};
use crate::quotes::Quote;

use super::found::{Detail, Found};
use super::rows::{self, Row};
use super::signal::Signal;
use super::view::TableView;

/// The expected return from which there is a signal, and below which there is none any more.
const OPENS: f64 = 0.02;
const CLOSES: f64 = 0.01;
/// Noise of the arithmetic.
const NOISE: f64 = 1e-9;
/// The least number of other operators.
pub(super) const OPERATORS: usize = 4;

/// The probabilities of each line's books for its best prices.
pub(super) fn find(
    view: &TableView<'_>,
    open: &[Signal],
    context: &MarketContext<'_>,
    found: &mut Vec<Found>,
) {
    let mut rows = Vec::new();
    for quotes in &view.lines {
        rows.clear();
        rows::rows_of(quotes, view.outcomes, &mut rows);
        rows.retain(|row| context.step.pricing.venues.is_known(row.book()));
        find_on_line(quotes, &mut rows, open, context, found);
    }
}

fn find_on_line(
    line: &[Quote],
    rows: &mut [Row<'_>],
    open: &[Signal],
    context: &MarketContext<'_>,
    found: &mut Vec<Found>,
) {
    // With fewer books there are not enough operators.
    let Some(first) = rows.first().filter(|_| rows.len() > OPERATORS) else { return };
    let candidates = (0..first.quotes().len()).filter_map(|at| {
        let offers = || rows.iter().map(|row| row.quotes()[at]);
        let highest = best_of(offers(), context)?;
        let is_open =
            open.iter().any(|signal| signal.subject.kind == SignalKind::Value && is_about(signal, highest));
        let least = if is_open { CLOSES } else { OPENS };
        // The least of the methods is at most this one: most lines end here.
        let may_pay = |bet: &&Quote| may_pay(rows, at, bet, least - NOISE, context);
        let highest = Some(highest).filter(may_pay)?;
        let bet =
            best_eligible(&offers(), line, context).filter(|it| it.key == highest.key || may_pay(it))?;
        Some((at, bet, least))
    });
    let candidates: Vec<_> = candidates.collect();
    if candidates.is_empty() {
        return;
    }
    let line = (&*context.step.event.id, context.market, first.quotes()[0].key.line());
    // By name: a restored engine numbers books in another order, and a sum depends on its order.
    rows.sort_unstable_by_key(|row| context.step.pricing.names.place(row.book()));
    let books: Vec<_> = rows.iter().map(Row::book_prices).collect();
    context.step.chances.look(line, &books, |mut known| {
        for (at, bet, least) in candidates {
            let is_source = |(_, row): &(usize, &Row<'_>)| {
                row.has_opinion() && !is_same_operator(row.quotes()[at], bet, context)
            };
            let sources: Vec<_> = rows.iter().enumerate().filter(is_source).collect();
            let quotes: Vec<_> = sources.iter().map(|(_, row)| row.quotes()[at]).collect();
            if !are_of_operators(OPERATORS, quotes.iter().copied(), context) {
                continue;
            }
            let chance = |method, source: usize| known.chance(sources[source].0, method, at);
            found.extend(judge(SignalKind::Value, (&quotes, chance), bet, least, context));
        }
    });
}

fn is_about(signal: &Signal, bet: &Quote) -> bool {
    signal
        .bets
        .first()
        .is_some_and(|was| (was.key.line(), was.key.outcome()) == (bet.key.line(), bet.key.outcome()))
}

/// The quote with the highest effective price, of equals the one of the smallest book.
pub(super) fn best_of<'a>(
    quotes: impl Iterator<Item = &'a Quote>,
    context: &MarketContext<'_>,
) -> Option<&'a Quote> {
    quotes.reduce(|best, quote| better(best, quote, context.step.pricing.names))
}

/// The best of them that is eligible, among the quotes of their line.
pub(super) fn best_eligible<'a>(
    quotes: &(impl Iterator<Item = &'a Quote> + Clone),
    line: &[Quote],
    context: &MarketContext<'_>,
) -> Option<&'a Quote> {
    let bets = BetsOf::market(context.step.pricing, context.market, context.drawn);
    let names = context.step.pricing.names;
    let mut best = best_of(quotes.clone(), context)?;
    // Mostly the best one is: the others are then not judged at all.
    while !is_eligible(best, line, bets) {
        let is_behind = |quote: &&Quote| better_first(best, quote, names) == Ordering::Less;
        best = best_of(quotes.clone().filter(is_behind), context)?;
    }
    Some(best)
}

/// Whether the multiplicative method, which costs least, expects so much of a bet.
fn may_pay(rows: &[Row<'_>], at: usize, bet: &Quote, least: f64, context: &MarketContext<'_>) -> bool {
    let own = operator_of(bet, context);
    let chance = |row: &Row<'_>| row.quotes()[at].price.implied_probability() / row.booksum;
    let pays = |chance| value::expected(chance, bet.effective) >= least;
    let opinion = |row: &Row<'_>| {
        let operator = operator_of(row.quotes()[at], context);
        (operator != own).then(|| (operator, pays(chance(row))))
    };
    is_held_by_most(rows.iter().filter(|row| row.has_opinion()).filter_map(opinion), OPERATORS)
}

pub(super) fn is_same_operator(a: &Quote, b: &Quote, context: &MarketContext<'_>) -> bool {
    operator_of(a, context) == operator_of(b, context)
}

/// Equal of books of one operator.
pub(super) fn operator_of(quote: &Quote, context: &MarketContext<'_>) -> u32 {
    context.step.pricing.venues.operator_of(quote.key.book())
}

/// Whether a quote's book is in the table: of any other no opinion counts.
pub(super) fn is_of_table(quote: &Quote, context: &MarketContext<'_>) -> bool {
    context.step.pricing.venues.is_known(quote.key.book())
}

/// Whether quotes are of so many operators at least.
pub(super) fn are_of_operators<'a>(
    least: usize,
    quotes: impl Iterator<Item = &'a Quote>,
    context: &MarketContext<'_>,
) -> bool {
    let venues = context.step.pricing.venues;
    let mut operators = Vec::with_capacity(least);
    let mut quotes = quotes;
    quotes.any(|quote| {
        let operator = venues.operator_of(quote.key.book());
        if !operators.contains(&operator) {
            operators.push(operator);
        }
        operators.len() >= least
    })
}

/// How many operators the quotes are of.
pub(super) fn operators<'a>(quotes: impl Iterator<Item = &'a Quote>, context: &MarketContext<'_>) -> usize {
    let venues = context.step.pricing.venues;
    let mut operators: Vec<_> = quotes.map(|quote| venues.operator_of(quote.key.book())).collect();
    operators.sort_unstable();
    operators.dedup();
    operators.len()
}

/// A bet by the chances that these books' quotes of its outcome stand for, and how many of their opinions expect a profit; `None` where
/// no method has an answer, and where a method expects less than `least`: what counts is the method that expects the least, and those
/// that must be solved step by step are then spared. The sources are in the order of their names; `chance_of` is that of one of them by a method.
pub(super) fn judge(
    kind: SignalKind,
    (sources, mut chance_of): (&[&Quote], impl FnMut(Method, usize) -> Option<f64>),
    bet: &Quote,
    least: f64,
    context: &MarketContext<'_>,
) -> Option<Found> {
    let (mut fair, mut opinions, mut for_it) = (Vec::with_capacity(Method::ALL.len()), 0, 0);
    let mut answers = Vec::with_capacity(sources.len());
    for method in Method::ALL {
        let answer =
            |source: usize| Some((operator_of(sources[source], context), chance_of(method, source)?));
        answers.clear();
        answers.extend((0..sources.len()).map_while(answer));
        // A method that has no answer for some would be the median of others than the rest.
        if answers.len() < sources.len() {
            continue;
        }
        let expecting =
            answers.iter().filter(|(_, chance)| value::expected(*chance, bet.effective) > 0.0).count();
        let Some((chance, _)) = median_of_operators(&mut answers, MiddleRank::Lower) else { continue };
        if value::expected(chance, bet.effective) < least {
            return None;
        }
        fair.push((method, chance));
        opinions += sources.len();
        for_it += expecting;
    }
    // Stable: of equal ones the first method.
    fair.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let &(_, chance) = fair.first()?;
    let step = context.step;
    let expires_at = step.moment.fresh_until(bet.span_end, bet.key.book());
    let found = Found::new(kind, vec![*bet], expires_at, step.pricing.names)?;
    let quotes = sources.iter().map(|quote| (Role::Source, **quote, None)).collect();
    Some(Found {
        strength: value::expected(chance, bet.effective),
        confidence: for_it as f64 / opinions as f64,
        detail: Detail { quotes, fair, kelly: Some(value::kelly(chance, bet.effective, QUARTER)) },
        ..found
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fixtures::{World, book, context, price, quote};
    use crate::market::Outcome;
    use crate::venues::{Book, Books};

    const BOTH: [Outcome; 2] = [Outcome::Home, Outcome::Away];

    /// Six books, of which `e` and `f` have one operator.
    fn world() -> World {
        let of = |name: &str, operator| -> (Arc<str>, Book) { (name.into(), book(operator, "us")) };
        let books = ["a", "b", "c", "d"].map(|name| of(name, name)).into_iter();
        World::new(Books::new(books.chain([of("e", "x"), of("f", "x")])), 6)
    }

    /// A table of books at their prices of both outcomes, sorted.
    fn table(world: &World, prices: &[(&str, &str, &str)]) -> Vec<Quote> {
        let of = |(name, home, away): &(&str, &str, &str)| {
            [(BOTH[0], *home), (BOTH[1], *away)]
                .map(|(outcome, decimal)| quote(world.book(name), None, outcome, price(decimal)))
        };
        let mut table: Vec<_> = prices.iter().flat_map(of).collect();
        table.sort_by_key(|quote| quote.key);
        table
    }

    #[test]
    fn an_operator_counts_once() {
        let world = world();
        let step = world.step(0, 0);
        let of = |names: &[&str]| {
            let quotes: Vec<_> =
                names.iter().map(|name| quote(world.book(name), None, BOTH[0], price("2"))).collect();
            operators(quotes.iter(), &context(&step, "h2h"))
        };
        assert_eq!((of(&["a", "b", "a"]), of(&["e", "f"]), of(&["d", "e", "f"]), of(&[])), (2, 1, 2, 0));
    }

    #[test]
    fn of_books_that_agree_every_method_sees_the_same_chance() {
        let world = world();
        let step = world.step(0, 0);
        let table = table(&world, &[("a", "1.9", "1.9"), ("b", "1.95", "1.95"), ("c", "2.2", "1.7")]);
        let mut rows = Vec::new();
        rows::rows_of(&table, &BOTH, &mut rows);
        let sources: Vec<_> = rows[..2].iter().map(|row| row.quotes()[0]).collect();
        let found = |least| {
            let chance = |method, source: usize| rows[source].chance(&step.chances.of_prices, method, 0);
            let sources = (&sources[..], chance);
            judge(SignalKind::Value, sources, rows[2].quotes()[0], least, &context(&step, "h2h"))
        };
        assert!(found(0.11).is_none(), "a method expects less");
        let found = found(0.09).unwrap();
        // A chance of one half at 2.2: a tenth is won on average.
        assert!((found.strength - 0.1).abs() < 1e-9, "{}", found.strength);
        assert_eq!(found.detail.fair.len(), Method::ALL.len());
        assert!(found.detail.fair.iter().all(|(_, chance)| (chance - 0.5).abs() < 1e-9));
        assert!((found.confidence - 1.0).abs() < 1e-12, "ten opinions of ten");
        // A quarter of 0.1 / 1.2.
        assert!((found.detail.kelly.unwrap() - 0.025 / 1.2).abs() < 1e-9);
    }

    #[test]
    fn a_book_below_a_booksum_of_one_does_not_count() {
        let world = world();
        let step = world.step(0, 0);
        let fair = ["a", "b", "c", "d"].map(|name| (name, "1.9", "1.9"));
        let found = |others: &[(&str, &str, &str)]| {
            let table = table(&world, &[&[("f", "2.2", "1.7")][..], others].concat());
            let view = TableView {
                quotes: &table,
                outcomes: &BOTH,
                lines: vec![&table[..]],
                is_known_beside_lines: false,
                covers: Vec::new(),
            };
            let mut found = Vec::new();
            find(&view, &[], &context(&step, "h2h"), &mut found);
            found.len()
        };
        assert_eq!(found(&fair), 1);
        let mut error = fair;
        error[3] = ("d", "2.15", "1.9");
        assert_eq!(found(&error), 0, "three opinions of other operators are too few");
        error[3] = ("e", "1.9", "1.9");
        assert_eq!(found(&error), 0, "a book of the same operator is no other opinion");
    }
}
