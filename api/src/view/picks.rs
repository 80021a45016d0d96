//! A page of picks. It never decides which are on it.

use arb_feed::view::PickView;
use arb_model::{Time, view};

view! {
    /// A page of picks.
    pub(crate) struct PickPage<'a> {
        as_of: Option<Time>,
        picks: Vec<PickView<'a>>,
        next_cursor: Option<String>,
    }
}
