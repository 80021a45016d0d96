//! Where a row of the table of books is stated, and when somebody last compared it with that.
//!
//! It never reads a clock: whether a check is old is decided where one is.

use std::sync::Arc;

use crate::Micros;

/// The origin of a row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// From then on the row holds.
    pub from: Micros,
    /// Addresses, or what could not be looked up.
    pub source: Arc<str>,
    /// The first moment in UTC of the day of the last check; `None` is never.
    pub checked_at: Option<Micros>,
}

impl Default for Evidence {
    /// Of a row that nothing is stated about: it always holds.
    fn default() -> Self {
        Self { from: Micros::MIN, source: Arc::from(""), checked_at: None }
    }
}
