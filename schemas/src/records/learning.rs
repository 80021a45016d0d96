//! The records of `process.state.v1` of what a partition has learnt: of books, of margins, of the life of windows.
//!
//! They carry data and decide nothing.

use arb_model::record;

use crate::time::Micros;

record! {
    /// How long a book takes to confirm its prices, as this partition has learnt it.
    #[derive(Eq)]
    pub struct StateBook {
        /// The book.
        pub book: String,
        /// Samples by how long it took: below a second, then four buckets for each doubling; without the empty ones at
        /// the end.
        pub counts: Vec<i32>,
        /// When the latest was taken.
        pub sampled_at: Micros,
        /// Microseconds within which 95 of 100 prices were confirmed when it was last looked at.
        pub interval: Option<i64>,
    }
}

record! {
    /// The margins of windows when they were proven, as this partition has learnt them.
    #[derive(Eq)]
    pub struct StateMargins {
        /// Samples by margin, of windows that were proven before the start: below 0.01 %, then four buckets for each
        /// doubling; without the empty ones at the end.
        pub pre_match: Vec<i32>,
        /// As `pre_match`, of windows that were proven after the start.
        pub in_play: Vec<i32>,
    }
}

record! {
    /// How long windows of one sport and profile live, as this partition has learnt it.
    #[derive(Eq)]
    pub struct StateSurvival {
        /// Sport.
        pub sport: String,
        /// Stage of the event: `in_play`, or before the start by how much: `hours` (up to 12), `days` (up to 4), `later`.
        pub stage: String,
        /// Kind of the market: `winner`, `handicap` or `total`.
        pub kind: String,
        /// Band of the margin: 0 below 1 %, 1 below 5 %, 2 above.
        pub margin: i32,
        /// Band of the oldest leg's age: 0 below 60 s, 1 below 180 s, 2 above.
        pub age: i32,
        /// Millionths of a window, by age: up to 15, 60, 150, 300, 600, 900, 1800, 3600, 7200, 14400 s, above; without
        /// the empty ones at the end.
        pub deaths: Vec<i64>,
        /// Microseconds, by age as `deaths`.
        pub lived: Vec<i64>,
    }
}
