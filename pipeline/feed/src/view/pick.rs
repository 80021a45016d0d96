//! A pick: its record, what became of it, and its closing-line value.

use arb_model::{Pick, PickGrade};
use arb_picks::dispute::Dispute;
use serde::Serialize;

use super::EventView;

/// A pick as it is now.
#[derive(Debug, Serialize)]
pub struct PickView<'a> {
    #[serde(flatten)]
    pick: &'a Pick,
    #[serde(flatten)]
    about: EventView<'a>,
    /// The last grading; none of a pick that waits for a result.
    result: Option<&'a PickGrade>,
    closing_line_value: Option<f64>,
    /// What refutes it.
    disputed: Option<DisputeView>,
}

/// Why a pick is disputed.
#[derive(Debug, Serialize)]
struct DisputeView {
    reason: &'static str,
    text: String,
}

impl<'a> PickView<'a> {
    /// With its last grading.
    #[must_use]
    pub fn new(pick: &'a Pick) -> Self {
        Self {
            pick,
            about: EventView::new(&pick.event, None),
            result: pick.grade().filter(|_| !pick.is_open()),
            closing_line_value: pick.closing_line_value(),
            disputed: Dispute::of(pick)
                .map(|dispute| DisputeView { reason: dispute.key(), text: dispute.to_string() }),
        }
    }
}
