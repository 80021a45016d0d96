//! What an operator granted to whoever pushes: a source and its books. It never looks at a line.

use arb_model::source::{private_book, pushed_source};

/// What an operator granted to whoever pushes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PushGrant {
    /// The name of the source that was granted.
    pub(crate) name: String,
    /// What is pushed is for everybody; else for the account alone.
    pub(crate) is_public: bool,
    pub(crate) books: Vec<String>,
    /// The key has the scope for names and starts of events.
    pub(crate) may_name_events: bool,
}

impl PushGrant {
    /// Whether the id of an event says that it is the source's own: nobody names another's.
    pub(crate) fn is_own_event(&self, id: &str) -> bool {
        let rest = id.strip_prefix(&self.name).and_then(|rest| rest.strip_prefix(':'));
        rest.is_some_and(|rest| !rest.is_empty())
    }

    /// The source, as records name it.
    pub(crate) fn source(&self) -> String {
        pushed_source(&self.name, self.is_public)
    }

    /// A book of it, as records name it.
    pub(super) fn book(&self, book: String) -> String {
        if self.is_public { book } else { private_book(&self.name, &book) }
    }
}
