//! What an arb window came to, as it was stored, in the fields of the feed. It never grades.

use arb_schemas::time::to_rfc3339;
use arb_store::history::PastGrading;
use serde_json::{Value, json};

/// The state of a grading that says what each leg paid.
const SETTLED: &str = "settled";

/// A grading as it was stored, in the fields of the feed.
pub(crate) fn grading_json(grading: &PastGrading) -> Value {
    let leg = |(settlement, returned): &(Option<String>, Option<f64>)| {
        let settlement = settlement.as_ref()?;
        Some(json!({"settlement": settlement, "returned": returned}))
    };
    json!({
        "version": grading.number,
        "state": grading.state_key,
        "returned": grading.total_returned,
        "profit": grading.total_returned.map(|returned| returned - 1.0),
        "legs": grading.paid.iter().filter_map(leg).collect::<Vec<_>>(),
        "home": grading.home,
        "away": grading.away,
        "source": grading.reporter,
        "at": to_rfc3339(grading.reported_micros),
    })
}

/// The last of the gradings of a window; null where there is none, or its result was withdrawn.
pub(crate) fn settlement_json(gradings: &[&PastGrading]) -> Value {
    let last = gradings.last().filter(|last| last.state_key == SETTLED);
    last.map_or(Value::Null, |last| grading_json(last))
}

#[cfg(test)]
mod tests {
    use arb_feed::fixtures::shown;
    use arb_feed::view::GradingView;
    use arb_model::{WindowGrade, WindowGrading, fixtures};

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
            assert_eq!(grading_json(&stored(graded)), shown(GradingView::new(graded))["grade"]);
        }
        let (settled, withdrawn) = (stored(&first), stored(&open));
        assert_eq!(settlement_json(&[&settled])["version"], 2);
        assert_eq!(settlement_json(&[&settled, &withdrawn]), Value::Null);
        assert_eq!(settlement_json(&[]), Value::Null);
    }
}
