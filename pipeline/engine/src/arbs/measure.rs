//! One comparison that a verification flag depends on, with the value and the threshold that decide it, and in words what does not
//! hold.
//!
//! A flag holds when all of its measures do: `checks` asks for the first that does not, the evidence of a window for all. It never
//! looks at a quote.

use std::fmt;

use crate::Micros;
use crate::quotes::QuoteStatus;
use crate::venues::{Topic, Verdict};

/// How far an implied probability may be from the consensus.
pub const OUTLIER: f64 = 0.15;
/// Least number of other operators that make a consensus.
pub const CONSENSUS: usize = 2;

/// What a flag depends on. Legs are named by their position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// `simultaneous`: the latest start of the legs' spans is not after the earliest end.
    Spans {
        /// The latest start.
        latest_start: Micros,
        /// The earliest end.
        earliest_end: Micros,
    },
    /// `fresh`: a leg is not older than its book's interval.
    Age {
        /// The leg.
        leg: usize,
        /// Since it was last confirmed.
        age: Micros,
        /// Within which its book confirms 95 of 100 prices.
        expected: Micros,
    },
    /// `active`: a leg is not suspended.
    Status {
        /// The leg.
        leg: usize,
        /// Its status.
        status: QuoteStatus,
    },
    /// `same_line`: a leg is on the line of the first.
    OnLine {
        /// The leg.
        leg: usize,
        /// Whether it is.
        is_of_first: bool,
    },
    /// `same_rules`: a leg's book pays as the first leg's does, of a match that is played.
    Rules {
        /// The leg.
        leg: usize,
        /// By the clauses of both books.
        verdict: Verdict,
    },
    /// `independent_operators`: no leg before is at the same operator.
    Operator {
        /// The leg.
        leg: usize,
        /// The first of those that are.
        shared_with: Option<usize>,
    },
    /// `plausible_price`: enough other operators price the bet, and the leg is no outlier against them.
    Consensus {
        /// The leg.
        leg: usize,
        /// How many other operators price its bet.
        operators: usize,
        /// The median of their implied probabilities; `None` where there is none.
        median: Option<f64>,
        /// How much better the leg is, in implied probability; 0 where there is no median.
        off: f64,
    },
    /// `plausible_margin`: the margin is not above the quantile of proven ones.
    Margin {
        /// The margin.
        margin: f64,
        /// The quantile.
        limit: f64,
    },
    /// `stakeable`: stakes that can be placed leave a profit.
    Stakes {
        /// The margin that they leave; `None` when none can be placed.
        margin: Option<f64>,
    },
}

impl Measure {
    /// Whether it lets its flag hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        match *self {
            Self::Spans { latest_start, earliest_end } => latest_start <= earliest_end,
            Self::Age { age, expected, .. } => age <= expected,
            Self::Status { status, .. } => status != QuoteStatus::Suspended,
            Self::OnLine { is_of_first, .. } => is_of_first,
            Self::Rules { verdict, .. } => verdict.is_same(),
            Self::Operator { shared_with, .. } => shared_with.is_none(),
            // A number that is none is no outlier: it never occurs.
            Self::Consensus { operators, off, .. } => operators >= CONSENSUS && off < OUTLIER,
            Self::Margin { margin, limit } => margin <= limit,
            Self::Stakes { margin } => margin.is_some_and(|margin| margin > 0.0),
        }
    }

    /// The leg that it is about; `None` of one about all.
    #[must_use]
    pub fn leg(&self) -> Option<usize> {
        match *self {
            Self::Age { leg, .. }
            | Self::Status { leg, .. }
            | Self::OnLine { leg, .. }
            | Self::Rules { leg, .. }
            | Self::Operator { leg, .. }
            | Self::Consensus { leg, .. } => Some(leg),
            Self::Spans { .. } | Self::Margin { .. } | Self::Stakes { .. } => None,
        }
    }
}

/// Why a measure does not hold, with the names of the legs' books.
pub(crate) struct Sentence<'a> {
    pub(crate) measure: Measure,
    pub(crate) books: &'a [&'a str],
}

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |micros: Micros| micros / 1_000_000;
        let book = self.measure.leg().and_then(|leg| self.books.get(leg)).copied().unwrap_or_default();
        match self.measure {
            Measure::Spans { latest_start, earliest_end } => write!(
                f,
                "one price was last confirmed {} s before another was first seen",
                seconds(latest_start - earliest_end).max(1)
            ),
            Measure::Age { age, expected, .. } => write!(
                f,
                "{book} was last confirmed {} s ago; 95 of 100 of its prices are within {} s",
                seconds(age),
                seconds(expected)
            ),
            Measure::Status { .. } => write!(f, "{book} takes no bets"),
            Measure::OnLine { .. } => write!(f, "the legs are on different lines"),
            Measure::Rules { verdict: Verdict::Unknown(topic), .. } => {
                write!(f, "no clause of {book} on {} is known", topic.says())
            }
            Measure::Rules { verdict, .. } => {
                let first = self.books.first().copied().unwrap_or_default();
                let what = verdict.topic().map_or("nothing", Topic::says);
                write!(f, "{book} and {first} differ in their clauses on {what}")
            }
            Measure::Operator { .. } => write!(f, "{book} is of the same operator as another leg"),
            Measure::Consensus { operators, .. } if operators < CONSENSUS => {
                write!(f, "{operators} other operators price the bet: too few to judge {book}")
            }
            Measure::Consensus { off, .. } => {
                write!(f, "{book} is {:.1} points of probability off the median of the others", off * 100.0)
            }
            Measure::Margin { limit, .. } => {
                write!(f, "99 of 100 proven margins are at most {:.2} %", limit * 100.0)
            }
            Measure::Stakes { .. } => write!(f, "no stakes that can be placed leave any profit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_within_what_holds() {
        let consensus =
            |operators, off| Measure::Consensus { leg: 0, operators, median: Some(0.5), off }.holds();
        assert!(consensus(CONSENSUS, 0.149) && !consensus(CONSENSUS, OUTLIER) && !consensus(1, 0.0));
        assert!(Measure::Spans { latest_start: 5, earliest_end: 5 }.holds());
        assert!(!Measure::Spans { latest_start: 6, earliest_end: 5 }.holds());
        let age = |age| Measure::Age { leg: 1, age, expected: 40 }.holds();
        assert!(age(40) && !age(41));
        assert!(Measure::Margin { margin: 0.1, limit: 0.1 }.holds());
        assert!(!Measure::Margin { margin: 0.11, limit: 0.1 }.holds());
        assert!(
            Measure::Status { leg: 0, status: QuoteStatus::Stale }.holds(),
            "that is what `fresh` is for"
        );
        assert!(!Measure::Stakes { margin: Some(0.0) }.holds() && !Measure::Stakes { margin: None }.holds());
    }
}
