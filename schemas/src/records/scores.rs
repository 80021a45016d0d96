//! The record of scores of events in play.
//!
//! It carries what a source reports, for display. Nothing that decides about a bet reads it.

use arb_model::record;

use crate::time::Micros;

record! {
    /// The score of an event in play as one source reports it: for display alone.
    #[derive(Eq)]
    pub struct LiveScore {
        /// Canonical id of the event.
        pub event: String,
        /// Sport, e.g. `soccer`.
        pub sport: String,
        /// League key, e.g. `soccer_epl`.
        pub league: String,
        /// The name of the side whose points are home_points.
        pub home: String,
        /// That of the other side.
        pub away: String,
        /// Points of the home side.
        pub home_points: i32,
        /// Points of the away side.
        pub away_points: i32,
        /// The part of the event that is played, as the source states it; `None` where it does not.
        pub period: Option<String>,
        /// Who reports it.
        pub source: String,
        /// When the source last confirmed it.
        pub reported_at: Micros,
    }
}
