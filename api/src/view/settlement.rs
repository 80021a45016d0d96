//! What an arb window came to: a grading of the feed, and the same as it was stored.

use arb_model::{OpenedWindow, WindowGrade, WindowGrading};
use arb_schemas::time::to_rfc3339;
use arb_store::history::PastGrading;
use serde::Serialize;
use serde_json::{Value, json};

use super::EventView;

/// The state of a grading that says what each leg paid.
const SETTLED: &str = "settled";

/// A window as it opened, and its grading.
#[derive(Debug, Serialize)]
pub(crate) struct GradingView<'a> {
    #[serde(flatten)]
    window: &'a OpenedWindow,
    #[serde(flatten)]
    about: EventView<'a>,
    grade: GradeView<'a>,
}

#[derive(Debug, Serialize)]
struct GradeView<'a> {
    #[serde(flatten)]
    grade: &'a WindowGrade,
    profit: Option<f64>,
}

impl<'a> GradingView<'a> {
    pub(crate) fn new(WindowGrading { window, grade }: &'a WindowGrading) -> Self {
        let grade = GradeView { grade, profit: grade.returned.map(|returned| returned - 1.0) };
        Self { window, about: EventView::new(&window.event, Some(window.in_play)), grade }
    }
}

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
    use arb_model::fixtures;

    use super::*;
    use crate::fixtures::shown;

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
    fn a_grading_of_the_feed_is_a_window_as_it_opened_and_what_each_leg_paid() {
        let graded = fixtures::window_grading();
        let value = shown(GradingView::new(&graded));
        assert_eq!((&value["id"], &value["line"]), (&json!(graded.window.id), &json!(2.25)));
        assert_eq!((&value["event"]["in_play"], &value["verified"]), (&json!(true), &json!(false)));
        assert_eq!((&value["legs"][0]["price"], &value["legs"][1]["book"]), (&json!(2.1), &json!("beta")));
        let grade = &value["grade"];
        assert_eq!((&grade["version"], &grade["state"]), (&json!(2), &json!("settled")));
        assert_eq!((&grade["returned"], &grade["profit"]), (&json!(1.0), &json!(0.0)));
        assert_eq!(grade["legs"][1], json!({"settlement": "half_won", "returned": 0.75}));
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
