//! A grading of an arb window: the window as it opened, and what each leg paid.

use arb_model::{OpenedWindow, WindowGrade, WindowGrading, view};

use super::EventView;

view! {
    /// A window as it opened, and its grading.
    pub struct GradingView<'a> {
        #[serde(flatten)]
        window: &'a OpenedWindow,
        #[serde(flatten)]
        about: EventView<'a>,
        grade: GradeView<'a>,
    }
}

view! {
    /// A grading of a window by the result of its event: what its legs paid, all placed as it opened.
    pub struct GradeView<'a> => "WindowGrade" {
        #[serde(flatten)]
        grade: &'a WindowGrade,
        /// Per unit of the total stake; null unless it is settled.
        profit: Option<f64>,
    }
}

impl<'a> GradeView<'a> {
    /// Of a grading.
    #[must_use]
    pub fn new(grade: &'a WindowGrade) -> Self {
        Self { grade, profit: grade.returned.map(|returned| returned - 1.0) }
    }
}

impl<'a> GradingView<'a> {
    /// Of a grading.
    #[must_use]
    pub fn new(WindowGrading { window, grade }: &'a WindowGrading) -> Self {
        let about = EventView::new(&window.event, Some(window.in_play));
        Self { window, about, grade: GradeView::new(grade) }
    }
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures;
    use serde_json::json;

    use super::*;
    use crate::fixtures::shown;

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
}
