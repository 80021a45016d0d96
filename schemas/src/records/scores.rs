//! The record of scores of events in play.
//!
//! It carries what a source reports, for display. Nothing that decides about a bet reads it.

use serde::{Deserialize, Serialize};

use crate::time::Micros;

/// The score of an event in play as one source reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct LiveScore {
    pub event: String,
    pub sport: String,
    pub league: String,
    /// The name of the side whose points are `home_points`.
    pub home: String,
    /// That of the other side.
    pub away: String,
    pub home_points: i32,
    pub away_points: i32,
    /// The part of the event that is played, where the source states it.
    pub period: Option<String>,
    pub source: String,
    /// When the source last confirmed it.
    pub reported_at: Micros,
}
