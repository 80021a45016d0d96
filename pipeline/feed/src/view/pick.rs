//! A pick: its record, what became of it, and its closing-line value.

use arb_model::{Pick, PickGrade, view};
use arb_picks::dispute::Dispute;

use super::EventView;

view! {
    /// A bet that a bot published before its event, and what became of it: one of a bot, a version, a feed, an event and a market.
    pub struct PickView<'a> => "Pick" {
        #[serde(flatten)]
        pick: &'a Pick,
        #[serde(flatten)]
        about: EventView<'a>,
        /// The last grading; null of a pick that waits for a result.
        result: Option<&'a PickGrade>,
        closing_line_value: Option<f64>,
        /// What refuted the pick after it was published: its price was an error of its book, or its result was withdrawn. Null where
        /// nothing does.
        disputed: Option<DisputeView>,
    }
}

view! {
    /// Why a pick is disputed.
    pub(crate) struct DisputeView {
        /// book_error or result_withdrawn; there may be more.
        reason: &'static str,
        text: String,
    }
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
