//! Verification: what is proven of an arb, flag by flag, and what is not with its reason.
//!
//! Each flag is an independent predicate over the current quotes. Unknown is false; the one exception is a
//! limit that no source reports, which counts as none. An arb is verified when all flags hold. It never
//! decides whether something is an arb.
//!
//! Source: the flags are those of the product's definition of a board entry. A price is an outlier when its implied
//! probability is [`OUTLIER`] or more off the median of the other operators' on the same bet: of the windows of four recordings
//! (polled every 5 to 15 minutes) that were ever proven, 88 to 96 % have a moment where all legs are closer than that.

use std::fmt;

use crate::Micros;
use crate::effect::{FailedCheck, Flag, Verification};
use crate::learning::Expected;
use crate::market::Side;
use crate::quotes::{Quote, QuoteStatus};
use crate::venues::Venues;

/// How far an implied probability may be from the consensus.
pub const OUTLIER: f64 = 0.15;
/// Least number of other operators that make a consensus.
const CONSENSUS: usize = 2;

/// Why a flag does not hold. Legs are named by their position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CheckFailure {
    /// The earliest end of the spans is so long before the latest start.
    Apart(Micros),
    Old {
        leg: usize,
        age: Micros,
        expected: Micros,
    },
    Suspended {
        leg: usize,
    },
    Lines,
    RulesUnknown {
        leg: usize,
    },
    RulesDiffer {
        leg: usize,
    },
    OneOperator {
        leg: usize,
    },
    NoConsensus {
        leg: usize,
        others: usize,
    },
    Outlier {
        leg: usize,
        off: f64,
    },
    TooGood {
        limit: f64,
    },
    NothingLeft,
}

/// An arb as it is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    /// One an outcome.
    pub(crate) legs: &'a [&'a Quote],
    /// All quotes of the line.
    pub(crate) line: &'a [Quote],
    pub(crate) now: Micros,
    pub(crate) margin: f64,
    /// The largest margin that is plausible.
    pub(crate) margin_limit: f64,
    /// The margin that stakes on the lattice leave, within limits; `None` when none can be placed.
    pub(crate) margin_rounded: Option<f64>,
    pub(crate) expected: &'a Expected,
    pub(crate) venues: &'a Venues,
}

impl Case<'_> {
    fn operator(&self, quote: &Quote) -> usize {
        self.venues.venue(quote.key.book).operator_number
    }
}

/// What a look at a case found: the flags that do not hold, each with its reason, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Findings(Vec<(Flag, CheckFailure)>);

/// Looks at each flag of a case, once.
pub(crate) fn judge(case: &Case<'_>) -> Findings {
    Findings(Flag::ALL.into_iter().filter_map(|flag| Some((flag, check(flag, case).err()?))).collect())
}

/// Whether a flag holds in a case; else why not.
fn check(flag: Flag, case: &Case<'_>) -> Result<(), CheckFailure> {
    match flag {
        Flag::Simultaneous => simultaneous(case),
        Flag::Fresh => fresh(case),
        Flag::Active => active(case),
        Flag::SameLine => same_line(case),
        Flag::SameRules => same_rules(case),
        Flag::IndependentOperators => independent_operators(case),
        Flag::PlausiblePrice => plausible_price(case),
        Flag::PlausibleMargin => plausible_margin(case),
        Flag::Stakeable => stakeable(case),
    }
}

impl Findings {
    /// Which flags hold.
    pub(crate) fn verification(&self) -> Verification {
        let is_held = |flag: &Flag| self.0.iter().all(|(broken, _)| broken != flag);
        let held = Flag::ALL.into_iter().filter(is_held);
        Verification::of(held)
    }

    /// Why the others do not, by the names of the legs' books.
    pub(crate) fn failed_checks(&self, books: &[&str]) -> Vec<FailedCheck> {
        let failed = |(flag, why): &(Flag, CheckFailure)| FailedCheck {
            flag: (*flag).into(),
            reason: Sentence { why: *why, books }.to_string(),
        };
        self.0.iter().map(failed).collect()
    }
}

/// Until when every leg is fresh, should none be confirmed again.
pub(crate) fn fresh_until(legs: &[&Quote], expected: &Expected) -> Micros {
    let until = |leg: &&Quote| leg.span_end.saturating_add(expected.interval(leg.key.book.index()));
    legs.iter().map(until).min().unwrap_or(Micros::MIN)
}

/// The legs' spans share a moment: the latest start is not after the earliest end.
fn simultaneous(case: &Case<'_>) -> Result<(), CheckFailure> {
    let latest_start = case.legs.iter().map(|leg| leg.span_start).max().unwrap_or(Micros::MIN);
    let earliest_end = case.legs.iter().map(|leg| leg.span_end).min().unwrap_or(Micros::MAX);
    if latest_start <= earliest_end { Ok(()) } else { Err(CheckFailure::Apart(latest_start - earliest_end)) }
}

fn fresh(case: &Case<'_>) -> Result<(), CheckFailure> {
    each(case, |leg, quote| {
        let (age, expected) = (case.now - quote.span_end, case.expected.interval(quote.key.book.index()));
        (age > expected).then_some(CheckFailure::Old { leg, age, expected })
    })
}

fn active(case: &Case<'_>) -> Result<(), CheckFailure> {
    each(case, |leg, quote| {
        (quote.status == QuoteStatus::Suspended).then_some(CheckFailure::Suspended { leg })
    })
}

fn same_line(case: &Case<'_>) -> Result<(), CheckFailure> {
    let is_one = case.legs.windows(2).all(|pair| pair[0].key.line == pair[1].key.line);
    if is_one { Ok(()) } else { Err(CheckFailure::Lines) }
}

fn same_rules(case: &Case<'_>) -> Result<(), CheckFailure> {
    let rules =
        |quote: &Quote| case.venues.venue(quote.key.book).book.rules.as_ref().map(|rules| &rules.group);
    let first = case.legs.first().and_then(|quote| rules(quote));
    each(case, |leg, quote| match rules(quote) {
        None => Some(CheckFailure::RulesUnknown { leg }),
        Some(rules) if Some(rules) != first => Some(CheckFailure::RulesDiffer { leg }),
        Some(_) => None,
    })
}

fn independent_operators(case: &Case<'_>) -> Result<(), CheckFailure> {
    each(case, |leg, quote| {
        let is_met = case.legs[..leg].iter().any(|other| case.operator(other) == case.operator(quote));
        is_met.then_some(CheckFailure::OneOperator { leg })
    })
}

fn plausible_price(case: &Case<'_>) -> Result<(), CheckFailure> {
    each(case, |leg, quote| {
        let others: Vec<_> = others(case, quote).collect();
        let mut operators: Vec<_> = others.iter().map(|other| case.operator(other)).collect();
        operators.sort_unstable();
        operators.dedup();
        if operators.len() < CONSENSUS {
            return Some(CheckFailure::NoConsensus { leg, others: operators.len() });
        }
        let prices = others.iter().map(|other| other.price.implied_probability()).collect();
        let off = match (quote.price.implied_probability(), median(prices)) {
            (price, consensus) if quote.key.side == Side::Back => consensus - price,
            (price, consensus) => price - consensus,
        };
        (off >= OUTLIER).then_some(CheckFailure::Outlier { leg, off })
    })
}

/// The other operators' back prices on a leg's outcome.
fn others<'a>(case: &Case<'a>, leg: &Quote) -> impl Iterator<Item = &'a Quote> {
    let (case, outcome) = (*case, leg.key.outcome);
    let operator = case.operator(leg);
    let is_other = move |quote: &&Quote| {
        quote.key.outcome == outcome
            && quote.key.side == Side::Back
            && quote.status == QuoteStatus::OnOffer
            && case.operator(quote) != operator
    };
    case.line.iter().filter(is_other)
}

/// Of an even number the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (lower, upper) = ((values.len() - 1) / 2, values.len() / 2);
    f64::midpoint(values[lower], values[upper])
}

fn plausible_margin(case: &Case<'_>) -> Result<(), CheckFailure> {
    let limit = case.margin_limit;
    if case.margin <= limit { Ok(()) } else { Err(CheckFailure::TooGood { limit }) }
}

fn stakeable(case: &Case<'_>) -> Result<(), CheckFailure> {
    if case.margin_rounded.is_some_and(|margin| margin > 0.0) {
        Ok(())
    } else {
        Err(CheckFailure::NothingLeft)
    }
}

/// The first leg of which something is wrong.
fn each(case: &Case<'_>, wrong: impl Fn(usize, &Quote) -> Option<CheckFailure>) -> Result<(), CheckFailure> {
    case.legs.iter().enumerate().find_map(|(leg, quote)| wrong(leg, quote)).map_or(Ok(()), Err)
}

/// A reason with the names of the legs' books.
struct Sentence<'a> {
    why: CheckFailure,
    books: &'a [&'a str],
}

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let book = |leg: usize| self.books.get(leg).copied().unwrap_or_default();
        let seconds = |micros: Micros| micros / 1_000_000;
        match self.why {
            CheckFailure::Apart(gap) => write!(
                f,
                "one price was last confirmed {} s before another was first seen",
                seconds(gap).max(1)
            ),
            CheckFailure::Old { leg, age, expected } => write!(
                f,
                "{} was last confirmed {} s ago; 95 of 100 of its prices are within {} s",
                book(leg),
                seconds(age),
                seconds(expected)
            ),
            CheckFailure::Suspended { leg } => write!(f, "{} takes no bets", book(leg)),
            CheckFailure::Lines => write!(f, "the legs are on different lines"),
            CheckFailure::RulesUnknown { leg } => write!(f, "the rules of {} are not known", book(leg)),
            CheckFailure::RulesDiffer { leg } => {
                write!(f, "{} settles by other rules than {}", book(leg), book(0))
            }
            CheckFailure::OneOperator { leg } => {
                write!(f, "{} is of the same operator as another leg", book(leg))
            }
            CheckFailure::NoConsensus { leg, others } => {
                write!(f, "{others} other operators price the bet: too few to judge {}", book(leg))
            }
            CheckFailure::Outlier { leg, off } => write!(
                f,
                "{} is {:.1} points of probability off the median of the others",
                book(leg),
                off * 100.0
            ),
            CheckFailure::TooGood { limit } => {
                write!(f, "99 of 100 proven margins are at most {:.2} %", limit * 100.0)
            }
            CheckFailure::NothingLeft => write!(f, "no stakes that can be placed leave any profit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{World, book, price, quote};
    use crate::market::Outcome;
    use crate::venues::Books;

    const SECOND: Micros = 1_000_000;

    /// Four books of four operators under one set of rules; `e` is of the operator of `a`, `f` has other
    /// rules, and `g` is not in the table.
    fn world() -> World {
        let known = ["a", "b", "c", "d"].map(|name| (name.into(), book(name, "us")));
        let others = [("e".into(), book("a", "us")), ("f".into(), book("f", "uk"))];
        World::new(Books::new(known.into_iter().chain(others)), 7)
    }

    /// What does not hold of two legs at even-money prices among the prices of others, after a change of the case.
    fn failed(legs: [&str; 2], change: impl Fn(&mut [Quote; 2], &mut Case<'_>)) -> Vec<String> {
        let world = world();
        let outcomes = [Outcome::Home, Outcome::Away];
        let of = |at: usize, name: &str| quote(world.book(name), None, outcomes[at], price("2.1"));
        let line: Vec<_> =
            ["a", "b", "c", "d"].into_iter().flat_map(|name| [of(0, name), of(1, name)]).collect();
        let mut chosen = [of(0, legs[0]), of(1, legs[1])];
        let mut case = Case {
            legs: &[],
            line: &line,
            now: 0,
            margin: 0.05,
            margin_limit: 0.10,
            margin_rounded: Some(0.04),
            expected: &world.expected,
            venues: &world.venues,
        };
        change(&mut chosen, &mut case);
        let found = judge(&Case { legs: &[&chosen[0], &chosen[1]], ..case });
        let failed = found.failed_checks(&legs);
        let held = Flag::ALL.into_iter().filter(|flag| found.verification().holds(*flag)).count();
        assert_eq!(held + failed.len(), Flag::ALL.len());
        failed.iter().map(|failed| format!("{}: {}", failed.flag, failed.reason)).collect()
    }

    #[test]
    fn an_arb_of_two_fresh_prices_has_every_flag() {
        assert_eq!(failed(["a", "b"], |_, _| ()), [""; 0]);
    }

    #[test]
    fn each_flag_fails_for_its_own_reason() {
        let of = |change: fn(&mut [Quote; 2], &mut Case<'_>)| failed(["a", "b"], change);
        let apart = of(|legs, _| legs[1].span_start = 7 * SECOND);
        assert_eq!(apart, ["simultaneous: one price was last confirmed 7 s before another was first seen"]);
        let old = of(|_, case| case.now = 901 * SECOND);
        assert_eq!(old, ["fresh: a was last confirmed 901 s ago; 95 of 100 of its prices are within 900 s"]);
        let suspended = of(|legs, _| legs[1].status = QuoteStatus::Suspended);
        assert_eq!(suspended, ["active: b takes no bets"]);
        let lines = of(|legs, _| legs[1].key.line = Some(500));
        assert_eq!(lines, ["same_line: the legs are on different lines"]);
        let outlier = of(|legs, _| legs[0].price = price("4"));
        assert_eq!(
            outlier,
            ["plausible_price: a is 22.6 points of probability off the median of the others"]
        );
        let too_good = of(|_, case| case.margin = 0.11);
        assert_eq!(too_good, ["plausible_margin: 99 of 100 proven margins are at most 10.00 %"]);
        for none in [None, Some(0.0), Some(-0.01)] {
            let unstakeable = failed(["a", "b"], |_, case| case.margin_rounded = none);
            assert_eq!(unstakeable, ["stakeable: no stakes that can be placed leave any profit"]);
        }
    }

    #[test]
    fn books_that_are_not_independent_or_not_known_fail() {
        assert_eq!(
            failed(["a", "e"], |_, _| ()),
            ["independent_operators: e is of the same operator as another leg"]
        );
        assert_eq!(failed(["a", "f"], |_, _| ()), ["same_rules: f settles by other rules than a"]);
        assert_eq!(failed(["a", "g"], |_, _| ()), ["same_rules: the rules of g are not known"]);
    }

    #[test]
    fn two_other_operators_make_a_consensus() {
        let among = |books: &[&str]| {
            failed(["a", "b"], |_, case| {
                let world = world();
                let is_among = |quote: &&Quote| books.iter().any(|name| world.book(name) == quote.key.book);
                let kept: Vec<_> = case.line.iter().filter(is_among).copied().collect();
                case.line = kept.leak();
            })
        };
        assert_eq!(among(&["a", "b", "c"]), [""; 0]);
        let reason = "plausible_price: 1 other operators price the bet: too few to judge a";
        assert_eq!(among(&["a", "b"]), [reason]);
    }

    #[test]
    fn legs_are_fresh_until_the_first_of_them_is_not() {
        let mut world = world();
        world.expected.set(world.book("b").index(), Some(60 * SECOND));
        let of = |name: &str, seen: Micros| Quote {
            span_end: seen,
            ..quote(world.book(name), None, Outcome::Home, price("2"))
        };
        let (a, b) = (of("a", 0), of("b", 800 * SECOND));
        assert_eq!(fresh_until(&[&a, &b], &world.expected), 860 * SECOND);
        assert_eq!(fresh_until(&[&a], &world.expected), 900 * SECOND);
    }
}
