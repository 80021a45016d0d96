//! How much of what the running feed showed was real. It never counts.

use arb_model::{Time, view};
use arb_store::history::{BookAges, ExecutionCounts, LifetimeCounts, StandingCounts, WindowCounts};

view! {
    /// How much of what the running feed showed was real.
    #[derive(Default)]
    pub(crate) struct Truth {
        hours: u16,
        /// Null, as the three after it, while there is no feed.
        feed: Option<String>,
        since: Option<Time>,
        /// The newest transition of the feed.
        until: Option<Time>,
        /// When it was written to ClickHouse.
        stored_at: Option<Time>,
        phases: Vec<PhaseTruth>,
        books: Vec<BookTruth>,
        standing: Vec<StandingView>,
        lifetimes: Vec<LifetimeView>,
        execution: Vec<ExecutionView>,
    }
}

view! {
    /// Windows that opened within the time.
    pub(crate) struct WindowsTruth {
        windows: u64,
        /// Windows that were never simultaneous.
        phantoms: u64,
        phantom_share: Option<f64>,
        /// Windows that were verified at some time.
        verified: u64,
        closed: u64,
        median_lifetime_seconds: Option<f64>,
    }
}

view! {
    /// Those of a phase.
    pub(crate) struct PhaseTruth {
        phase: String,
        #[serde(flatten)]
        windows: WindowsTruth,
    }
}

view! {
    /// Those with a leg of a book, and how old its prices were when they were received.
    pub(crate) struct BookTruth {
        book: String,
        #[serde(flatten)]
        windows: WindowsTruth,
        age_p50_seconds: Option<f64>,
        age_p95_seconds: Option<f64>,
        age_p99_seconds: Option<f64>,
    }
}

view! {
    /// Whether legs stood when they were next confirmed.
    pub(crate) struct StandingView {
        /// What windows are put together by, beside the phase.
        by: String [Keys(&["phase", "league", "gap", "book"])],
        /// Which of them: the key of a league or a book; of a gap the seconds to the deciding confirmation at most, 60, 300, 900, 3600
        /// or longer; null of a phase.
        of: Option<String>,
        phase: String,
        /// Since they opened, or since they were verified for the first time.
        verdict: &'static str [Keys(&["opened", "verified"])],
        /// Windows that are closed and whose legs were each confirmed after the verdict, or one of them was worse, suspended or gone.
        windows: u64,
        /// Those whose legs were all on offer at their prices or better at that confirmation.
        stood: u64,
        share: Option<f64>,
        /// The standard error of the share.
        error: Option<f64>,
    }
}

view! {
    /// Whether stated lifetimes came true.
    pub(crate) struct LifetimeView {
        phase: String,
        windows: u64,
        /// 0.1 where lifetimes are calibrated.
        closed_by_p10: Option<f64>,
        /// 0.5 where lifetimes are calibrated.
        closed_by_median: Option<f64>,
        /// 0.9 where lifetimes are calibrated.
        closed_by_p90: Option<f64>,
    }
}

view! {
    /// Whether windows lived as long as was stated, of probabilities within one tenth.
    pub(crate) struct ExecutionView {
        windows: u64,
        /// The mean of the probability that was stated.
        stated: f64,
        /// The part that lived so long.
        lived: f64,
    }
}

/// A part of a whole; null of nothing.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl WindowsTruth {
    fn new(counts: &WindowCounts) -> Self {
        Self {
            windows: counts.windows,
            phantoms: counts.phantoms,
            phantom_share: share(counts.phantoms, counts.windows),
            verified: counts.verified,
            closed: counts.closed,
            median_lifetime_seconds: counts.lifetime,
        }
    }
}

impl PhaseTruth {
    /// Of the windows of a phase.
    pub(crate) fn new(counts: WindowCounts) -> Self {
        Self { windows: WindowsTruth::new(&counts), phase: counts.of }
    }
}

impl BookTruth {
    /// Of the windows of a book, with its own of the ages.
    pub(crate) fn new(counts: WindowCounts, ages: &[BookAges]) -> Self {
        let ages = ages.iter().find(|ages| ages.of == counts.of);
        let age = |at: usize| ages.and_then(|ages| ages.ages.get(at)).copied();
        Self {
            windows: WindowsTruth::new(&counts),
            book: counts.of,
            age_p50_seconds: age(0),
            age_p95_seconds: age(1),
            age_p99_seconds: age(2),
        }
    }
}

impl StandingView {
    /// The share of windows whose legs stood, with its standard error.
    pub(crate) fn new(counts: StandingCounts) -> Self {
        let StandingCounts { by, of, phase, is_verified, windows, stood } = counts;
        let share = share(stood, windows);
        Self {
            by,
            of: Some(of).filter(|of| !of.is_empty()),
            phase,
            verdict: if is_verified { "verified" } else { "opened" },
            windows,
            stood,
            share,
            error: share.map(|share| (share * (1.0 - share) / windows as f64).sqrt()),
        }
    }
}

impl LifetimeView {
    /// Of lifetimes of a phase.
    pub(crate) fn new(counts: LifetimeCounts) -> Self {
        let LifetimeCounts { of, windows, by_p10, by_median, by_p90 } = counts;
        Self {
            phase: of,
            windows,
            closed_by_p10: share(by_p10, windows),
            closed_by_median: share(by_median, windows),
            closed_by_p90: share(by_p90, windows),
        }
    }
}

impl ExecutionView {
    /// Of probabilities.
    pub(crate) fn new(counts: &ExecutionCounts) -> Self {
        let ExecutionCounts { windows, stated, lived } = *counts;
        Self { windows, stated, lived }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_share_has_its_standard_error() {
        let counts = StandingCounts {
            by: "league".into(),
            of: "l".into(),
            windows: 100,
            stood: 20,
            ..StandingCounts::default()
        };
        let shown = json!(StandingView::new(counts.clone()));
        // sqrt(.2 * .8 / 100) = .04
        assert_eq!(
            (&shown["share"], &shown["verdict"], &shown["of"]),
            (&json!(0.2), &json!("opened"), &json!("l"))
        );
        assert!((shown["error"].as_f64().unwrap() - 0.04).abs() < 1e-12);
        assert_eq!(StandingView::new(StandingCounts { of: String::new(), ..counts }).of, None);
    }

    #[test]
    fn a_share_of_nothing_is_null_and_a_book_has_its_own_ages() {
        let counts = WindowCounts { of: "alpha".into(), windows: 4, phantoms: 1, ..WindowCounts::default() };
        let ages = [BookAges { of: "alpha".into(), ticks: 9, ages: vec![1.0, 2.0, 3.0] }];
        let shown = json!(BookTruth::new(counts.clone(), &ages));
        assert_eq!((&shown["book"], &shown["phantom_share"]), (&json!("alpha"), &json!(0.25)));
        assert_eq!(PhaseTruth::new(WindowCounts::default()).windows.phantom_share, None);
        assert_eq!((&shown["age_p50_seconds"], &shown["age_p99_seconds"]), (&json!(1.0), &json!(3.0)));
        assert_eq!(BookTruth::new(counts, &[]).age_p50_seconds, None);
    }
}
