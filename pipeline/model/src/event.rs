//! A sporting event.
//!
//! It never decides whether an event is over.

use crate::{Name, Time};

// Copying one allocates nothing.
record! {
    /// A sporting event.
    #[derive(Eq)]
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
}

impl Event {
    /// What is counted where a source names home and away the other way round than before.
    pub const SIDES_SWAPPED: (&'static str, &'static str) =
        ("home_team", "and away_team are swapped: prices are put by names");
    /// Whether home and away are the same two names the other way round. By their order alone nobody knows which prices are whose.
    ///
    /// ```
    /// use arb_model::Event;
    ///
    /// assert!(Event::are_swapped(("Oak", "Elm"), ("Elm", "Oak")));
    /// assert!(!Event::are_swapped(("Oak", "Elm"), ("Elm", "Ash")));
    /// ```
    #[must_use]
    pub fn are_swapped(known: (&str, &str), stated: (&str, &str)) -> bool {
        known.0 != known.1 && known == (stated.1, stated.0)
    }
}
