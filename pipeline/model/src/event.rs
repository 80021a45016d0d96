//! A sporting event.
//!
//! It never decides whether an event is over.

use serde::{Deserialize, Serialize};

use crate::{Name, Time};

/// A sporting event. Copying one allocates nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Canonical event id.
    pub id: Name,
    /// Sport, e.g. `soccer`.
    pub sport: Name,
    /// League key, e.g. `soccer_fifa_world_cup`.
    pub league: Name,
    /// Home side.
    pub home: Name,
    /// Away side.
    pub away: Name,
    /// Announced start.
    pub commence_time: Time,
}
