//! Verification: what is proven of an arb, flag by flag, and what is not with its reason.
//!
//! Each flag is a predicate over the case as it stands, and knows nothing of the others. Unknown is false; the one
//! exception is a limit that no one states, which counts as none. An arb is verified when all flags hold. It never
//! decides whether something is an arb.
//!
//! Source: the flags are those of the product's definition of a board entry. A price is an outlier when its implied
//! probability is [`OUTLIER`] or more off the median of the other operators' on the same bet: of the windows of four recordings
//! (polled every 5 to 15 minutes) that were ever proven, 88 to 96 % have a moment where all legs are closer than that.

use std::fmt;

use crate::Micros;
use crate::catalogue::Side;
use crate::quotes::{Quote, QuoteStatus};
use crate::refresh::Expected;
use crate::venues::Venues;

/// How far an implied probability may be from the consensus.
pub const OUTLIER: f64 = 0.15;
/// Least number of other operators that make a consensus.
const CONSENSUS: usize = 2;

/// One thing that is proven, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// The legs' prices were on offer at one moment.
    Simultaneous,
    /// Every leg was confirmed within its book's own 95th percentile.
    Fresh,
    /// No leg is suspended.
    Active,
    /// All legs are on one line.
    SameLine,
    /// The books settle the bets by the same rules.
    SameRules,
    /// No two legs are at one operator.
    IndependentOperators,
    /// No leg is an outlier against the other books.
    PlausiblePrice,
    /// The margin is one that proven windows have.
    PlausibleMargin,
    /// Stakes that can be placed leave a profit.
    Stakeable,
}

impl Flag {
    /// All of them, in the order of the definition.
    pub const ALL: [Self; 9] = [
        Self::Simultaneous,
        Self::Fresh,
        Self::Active,
        Self::SameLine,
        Self::SameRules,
        Self::IndependentOperators,
        Self::PlausiblePrice,
        Self::PlausibleMargin,
        Self::Stakeable,
    ];

    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Simultaneous => "simultaneous",
            Self::Fresh => "fresh",
            Self::Active => "active",
            Self::SameLine => "same_line",
            Self::SameRules => "same_rules",
            Self::IndependentOperators => "independent_operators",
            Self::PlausiblePrice => "plausible_price",
            Self::PlausibleMargin => "plausible_margin",
            Self::Stakeable => "stakeable",
        }
    }

    /// Its bit of [`Verification::bits`].
    #[must_use]
    pub fn bit(self) -> u16 {
        1 << self as u16
    }

    fn holds(self, case: &Case<'_>) -> Result<(), CheckFailure> {
        match self {
            Self::Simultaneous => simultaneous(case),
            Self::Fresh => fresh(case),
            Self::Active => active(case),
            Self::SameLine => same_line(case),
            Self::SameRules => same_rules(case),
            Self::IndependentOperators => independent_operators(case),
            Self::PlausiblePrice => plausible_price(case),
            Self::PlausibleMargin => plausible_margin(case),
            Self::Stakeable => stakeable(case),
        }
    }
}

/// Which flags hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verification(u16);

impl Verification {
    /// Whether this one does.
    #[must_use]
    pub fn holds(self, flag: Flag) -> bool {
        self.0 & flag.bit() != 0
    }

    /// Whether all do.
    #[must_use]
    pub fn is_verified(self) -> bool {
        Flag::ALL.into_iter().all(|flag| self.holds(flag))
    }

    /// As a number: bit i is the i-th flag of [`Flag::ALL`].
    #[must_use]
    pub fn bits(self) -> u16 {
        self.0
    }

    /// From its number; `None` for what is none.
    #[must_use]
    pub fn from_bits(bits: u16) -> Option<Self> {
        (bits >> Flag::ALL.len() == 0).then_some(Self(bits))
    }
}

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

/// A flag that does not hold, and why, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// Which.
    pub flag: Flag,
    /// One sentence.
    pub reason: String,
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
    fn operator(&self, quote: &Quote) -> &str {
        self.venues.venue(quote.key.book).operator()
    }
}

/// What a look at a case found: the flags that do not hold, each with its reason, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Findings(Vec<(Flag, CheckFailure)>);

/// Looks at each flag of a case, once.
pub(crate) fn judge(case: &Case<'_>) -> Findings {
    Findings(Flag::ALL.into_iter().filter_map(|flag| Some((flag, flag.holds(case).err()?))).collect())
}

impl Findings {
    /// Which flags hold.
    pub(crate) fn verification(&self) -> Verification {
        let is_held = |flag: &Flag| self.0.iter().all(|(broken, _)| broken != flag);
        let held = Flag::ALL.into_iter().filter(is_held);
        Verification(held.fold(0, |bits, flag| bits | flag.bit()))
    }

    /// Why the others do not, by the names of the legs' books.
    pub(crate) fn doubts(&self, books: &[&str]) -> Vec<FailedCheck> {
        let doubt = |(flag, why): &(Flag, CheckFailure)| FailedCheck {
            flag: *flag,
            reason: Sentence { why: *why, books }.to_string(),
        };
        self.0.iter().map(doubt).collect()
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
    each(case, |leg, quote| (quote.standing == QuoteStatus::Suspended).then_some(CheckFailure::Suspended { leg }))
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
    let operator = case.venues.venue(leg.key.book).operator();
    let is_other = move |quote: &&Quote| {
        quote.key.outcome == outcome
            && quote.key.side == Side::Back
            && quote.standing == QuoteStatus::OnOffer
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
    if case.margin_rounded.is_some_and(|margin| margin > 0.0) { Ok(()) } else { Err(CheckFailure::NothingLeft) }
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
            CheckFailure::RulesDiffer { leg } => write!(f, "{} settles by other rules than {}", book(leg), book(0)),
            CheckFailure::OneOperator { leg } => write!(f, "{} is of the same operator as another leg", book(leg)),
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
