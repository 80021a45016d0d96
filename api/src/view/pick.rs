//! A pick: its record, what became of it, and its closing-line value.

use arb_model::{Pick, PickGrade};
use serde::Serialize;

use super::EventView;

/// A pick as it is now.
#[derive(Debug, Serialize)]
pub(crate) struct PickView<'a> {
    #[serde(flatten)]
    pick: &'a Pick,
    #[serde(flatten)]
    about: EventView<'a>,
    /// The last grading; none of a pick that waits for a result.
    result: Option<&'a PickGrade>,
    closing_line_value: Option<f64>,
}

impl<'a> PickView<'a> {
    pub(crate) fn new(pick: &'a Pick) -> Self {
        Self {
            pick,
            about: EventView::new(&pick.event, None),
            result: pick.grade().filter(|_| !pick.is_open()),
            closing_line_value: pick.closing_line_value(),
        }
    }
}
