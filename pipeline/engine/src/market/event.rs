//! An event as the state keeps it.
//!
//! It never decides whether an event is over.

use std::sync::Arc;

use crate::Micros;

/// An event as the state keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct EventInfo {
    pub id: Arc<str>,
    pub sport: Arc<str>,
    pub league: Arc<str>,
    pub home: Arc<str>,
    pub away: Arc<str>,
    pub commence_time: Micros,
}
