//! What an arb window came to, as it was stored, in the fields of the feed. It never grades.

use arb_model::{GradeState, LegReturn, Time, WindowGrade, view};
use arb_store::history::PastGrading;

view! {
    /// The last grading of a window that is settled.
    pub(crate) struct SettlementView => "WindowSettlement" {
        /// The number of the grading, from 1: a correction is another one.
        version: i64,
        /// A window whose result was withdrawn has none of this.
        state: &'static str [Keys(&["settled"])],
        /// What all legs returned together, per unit of the total stake.
        returned: f64,
        /// Per unit of the total stake.
        profit: f64,
        /// What each leg paid, in the order of the legs.
        legs: Vec<LegReturn>,
        /// Points of the home side in the period; null where the bets were decided without them.
        home: Option<i32>,
        /// Of the away side.
        away: Option<i32>,
        /// Who reported the result.
        source: String,
        /// When it was reported.
        at: Time,
    }
}

impl SettlementView {
    /// The last of the gradings of a window; `None` where there is none, or its result was withdrawn.
    pub(crate) fn new(gradings: &[&PastGrading]) -> Option<Self> {
        let WindowGrade { version, state, returned, legs, home, away, source, at } = grade(gradings.last()?);
        let (Some(returned), Some(GradeState::Settled)) = (returned, state.known()) else { return None };
        let state = GradeState::Settled.key();
        Some(Self { version, state, returned, profit: returned - 1.0, legs, home, away, source, at })
    }
}

/// A grading as the feed had it.
pub(crate) fn grade(stored: &PastGrading) -> WindowGrade {
    let leg = |(settlement, returned): &(Option<String>, Option<f64>)| {
        Some(LegReturn { settlement: settlement.clone()?, returned: (*returned)? })
    };
    WindowGrade {
        version: stored.number,
        state: stored.state_key.as_str().into(),
        returned: stored.total_returned,
        legs: stored.paid.iter().filter_map(leg).collect(),
        home: stored.home,
        away: stored.away,
        source: stored.reporter.clone(),
        at: Time(stored.reported_micros),
    }
}

#[cfg(test)]
mod tests {
    use arb_model::{WindowGrading, fixtures};

    use super::*;

    fn stored(WindowGrading { window, grade }: &WindowGrading) -> PastGrading {
        let mut paid: Vec<_> =
            grade.legs.iter().map(|leg| (Some(leg.settlement.clone()), Some(leg.returned))).collect();
        paid.resize(window.legs.len(), (None, None));
        PastGrading {
            window: window.id.clone(),
            topic: "t".into(),
            number: grade.version,
            state_key: grade.state.as_str().into(),
            paid,
            total_returned: grade.returned,
            home: grade.home,
            away: grade.away,
            reporter: grade.source.clone(),
            reported_micros: grade.at.0,
        }
    }

    #[test]
    fn a_stored_grading_reads_as_on_the_feed_and_the_last_one_counts() {
        let first = fixtures::window_grading();
        let mut open = first.clone();
        open.grade = WindowGrade {
            version: 3,
            state: "open".into(),
            returned: None,
            legs: vec![],
            home: None,
            away: None,
            ..open.grade
        };
        for graded in [&first, &open] {
            assert_eq!(grade(&stored(graded)), graded.grade);
        }
        let (settled, withdrawn) = (stored(&first), stored(&open));
        assert_eq!(SettlementView::new(&[&settled]).map(|shown| shown.version), Some(2));
        assert!(SettlementView::new(&[&settled, &withdrawn]).is_none() && SettlementView::new(&[]).is_none());
    }
}
