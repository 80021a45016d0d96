//! A page of events, which are text already. It never reads one.

use arb_model::described::{Described, FieldShape, Presence, RecordShape, Shape};
use arb_model::view;

view! {
    /// What a page of events ends with.
    pub(crate) struct ChangesHead {
        /// The id to ask with the next time.
        next: String,
        /// There are more already.
        has_more: bool,
        /// Why the client must begin again, with the board; null: it need not.
        resync: Option<&'static str>,
    }
}

/// A page of events.
pub(crate) struct ChangesView;

impl Described for ChangesView {
    const SHAPE: Shape = Shape::Record(&RecordShape {
        name: "Changes",
        doc: &["A page of events of the stream."],
        fields: &[
            FieldShape::new(
                "events",
                &["Each with its type and its data, as the stream has it."],
                Shape::List(&Shape::Object),
            ),
            FieldShape { presence: Presence::Flattened, ..FieldShape::new("head", &[], ChangesHead::SHAPE) },
        ],
    });
}
