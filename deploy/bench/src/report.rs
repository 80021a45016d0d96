//! The result of a measurement as data: every part returns the same rows, and one place prints them.
//!
//! It computes medians, spreads and ratios, measures nothing, and reports each expectation that is not met.

use serde::Serialize;

use super::machine::Machine;
use super::meter::median;

/// The middle of some rounds, and how far they lie apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// Of at least one round.
    fn of(rounds: &[f64]) -> Self {
        let least = rounds.iter().copied().min_by(f64::total_cmp).unwrap_or_default();
        let most = rounds.iter().copied().max_by(f64::total_cmp).unwrap_or_default();
        Self { median: median(rounds.to_vec()), least, most }
    }
}

/// What is measured, and in which unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measure(pub(crate) &'static str, pub(crate) &'static str);

/// What the ratio to the baseline should be; where there is no baseline, the value itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expected {
    /// Of costs, sizes and times.
    AtMost(f64),
    /// Of speeds.
    AtLeast(f64),
}

impl Expected {
    fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    pub(crate) part: &'static str,
    pub(crate) case: String,
    pub(crate) measure: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) ours: Spread,
    /// The baseline is a program that is not on this machine.
    pub(crate) is_without_baseline: bool,
    pub(crate) baseline: Option<Spread>,
    /// Ours to the baseline, round by round.
    pub(crate) ratio: Option<Spread>,
    pub(crate) expected: Option<Expected>,
    pub(crate) is_met: Option<bool>,
}

impl Row {
    /// Of rounds that have nothing beside them.
    pub(crate) fn alone(part: &'static str, case: impl Into<String>, what: Measure, rounds: &[f64]) -> Self {
        let (Measure(measure, unit), ours) = (what, Spread::of(rounds));
        let (baseline, ratio, expected, is_met, is_without_baseline) = (None, None, None, None, false);
        let case = case.into();
        Self { part, case, measure, unit, ours, is_without_baseline, baseline, ratio, expected, is_met }
    }

    /// Of rounds of ours, each with its baseline's of the same round.
    pub(crate) fn beside(
        part: &'static str,
        case: impl Into<String>,
        what: Measure,
        rounds: &[(f64, f64)],
    ) -> Self {
        let spread = |of: fn(&(f64, f64)) -> f64| Spread::of(&rounds.iter().map(of).collect::<Vec<_>>());
        let (baseline, ratio) = (spread(|pair| pair.1), spread(|pair| pair.0 / pair.1));
        let ours: Vec<_> = rounds.iter().map(|pair| pair.0).collect();
        Self { baseline: Some(baseline), ratio: Some(ratio), ..Self::alone(part, case, what, &ours) }
    }

    /// Without the baseline that it should have.
    pub(crate) fn without_baseline(self) -> Self {
        Self { is_without_baseline: true, ..self }
    }

    /// With what is expected of the ratio's median, or of the median where there is no baseline.
    pub(crate) fn expect(self, expected: Expected) -> Self {
        let value = self.ratio.unwrap_or(self.ours).median;
        let is_met = (!self.is_without_baseline).then(|| expected.is_met_by(value));
        Self { expected: Some(expected), is_met, ..self }
    }

    /// The same, where anything is expected.
    pub(crate) fn expect_if(self, expected: Option<Expected>) -> Self {
        match expected {
            Some(expected) => self.expect(expected),
            None => self,
        }
    }
}

/// A part, or a case of it, that could not be measured.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Failure {
    pub(crate) part: &'static str,
    pub(crate) error: String,
}

impl Failure {
    pub(crate) fn new(part: &'static str, error: &anyhow::Error) -> Self {
        Self { part, error: format!("{error:#}") }
    }
}

/// What one part gives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measured {
    pub(crate) rows: Vec<Row>,
    /// What the rows mean and what they leave out; sentences.
    pub(crate) notes: Vec<String>,
    /// Cases that could not be measured.
    pub(crate) failures: Vec<Failure>,
}

/// A whole run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// As it was called.
    pub(crate) command: String,
    /// RFC 3339, of its start.
    pub(crate) at: String,
    /// As little as produces every row: the figures have no meaning.
    pub(crate) is_quick: bool,
    pub(crate) rounds: u32,
    /// Of the throughput of the pipeline.
    pub(crate) pipeline_rounds: u32,
    pub(crate) machine: Machine,
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
    pub(crate) failures: Vec<Failure>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Measure = Measure("time", "s");

    fn beside() -> Row {
        Row::beside("part", "case", TIME, &[(2.0, 1.0), (9.0, 3.0), (1.0, 4.0)])
    }

    #[test]
    fn a_row_has_the_middle_and_the_ends_of_its_rounds() {
        let row = beside();
        assert_eq!(row.ours, Spread { median: 2.0, least: 1.0, most: 9.0 });
        assert_eq!(row.baseline, Some(Spread { median: 3.0, least: 1.0, most: 4.0 }));
        assert_eq!(row.ratio, Some(Spread { median: 2.0, least: 0.25, most: 3.0 }), "round by round");
        let alone = Row::alone("part", "case", TIME, &[5.0]);
        assert_eq!((alone.baseline, alone.ratio), (None, None));
    }

    #[test]
    fn an_expectation_is_of_the_middle_and_may_not_be_met() {
        for (expected, is_met) in [
            (Expected::AtMost(2.0), true),
            (Expected::AtMost(1.9), false),
            (Expected::AtLeast(2.0), true),
            (Expected::AtLeast(2.1), false),
        ] {
            assert_eq!(beside().expect(expected).is_met, Some(is_met), "{expected:?}");
        }
        let alone = Row::alone("part", "case", TIME, &[5.0]);
        assert_eq!(alone.clone().expect(Expected::AtMost(5.0)).is_met, Some(true));
        assert_eq!(alone.without_baseline().expect(Expected::AtMost(5.0)).is_met, None);
        let row = serde_json::to_value(beside().expect(Expected::AtMost(1.25))).unwrap();
        assert_eq!(row["expected"], serde_json::json!({"at_most": 1.25}));
        assert_eq!((&row["is_met"], &row["ratio"]["median"]), (&false.into(), &2.0.into()));
    }
}
