//! Whether the replica has everything that is committed: an instance that could not learn it for a second must not trust its keys.
//!
//! It is asked at a moment what the position must be; once the replica has reached that position, it was complete at that moment.
//! Pure: it never asks a clock.

use std::time::{Duration, Instant};

/// For how long an instance that was complete is trusted: a revocation is effective within this time.
pub const TRUSTED: Duration = Duration::from_secs(1);

/// What is known of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Currency {
    /// The newest moment at which the replica is known to have been complete.
    complete_at: Option<Instant>,
    /// A moment, and the position that the replica must reach to have been complete then.
    awaited: Option<(Instant, i64)>,
    /// Without Kafka there is nothing that could be missing.
    is_by_hand: bool,
}

impl Currency {
    /// Of a replica that is filled by hand, which is complete for ever.
    #[must_use]
    pub fn by_hand() -> Self {
        Self { is_by_hand: true, ..Self::default() }
    }

    /// Notes which position the replica had to have at a moment, and which it has.
    pub fn note_required(&mut self, asked_at: Instant, required: i64, next: i64) {
        self.awaited = Some((asked_at, required));
        self.note_position(next);
    }

    /// Notes which position the replica has.
    pub fn note_position(&mut self, next: i64) {
        if let Some((asked_at, required)) = self.awaited
            && next >= required
        {
            self.complete_at = Some(asked_at);
            self.awaited = None;
        }
    }

    /// Whether it has been complete at some moment.
    #[must_use]
    pub fn was_complete(&self) -> bool {
        self.is_by_hand || self.complete_at.is_some()
    }

    /// Whether it was complete within so long before a moment.
    #[must_use]
    pub fn was_complete_within(&self, time: Duration, now: Instant) -> bool {
        self.is_by_hand || self.complete_at.is_some_and(|at| now.saturating_duration_since(at) < time)
    }

    /// Whether it may be trusted at a moment.
    #[must_use]
    pub fn is_current(&self, now: Instant) -> bool {
        self.was_complete_within(TRUSTED, now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_replica_is_trusted_for_a_second_after_the_question_that_it_answers() {
        let (mut currency, start) = (Currency::default(), Instant::now());
        let after = |millis| start + Duration::from_millis(millis);
        assert!(!currency.is_current(start), "nothing has been asked");
        currency.note_required(start, 7, 5);
        assert!(!currency.is_current(start), "two records are missing");
        currency.note_position(6);
        assert!(!currency.is_current(after(1)));
        currency.note_position(7);
        assert!(currency.is_current(after(999)));
        assert!(!currency.is_current(after(1_000)), "since the question, not since the answer");
        currency.note_required(after(900), 7, 7);
        assert!(currency.is_current(after(1_899)));
    }

    #[test]
    fn it_is_known_for_how_long_a_replica_was_not_complete() {
        let (mut currency, start) = (Currency::default(), Instant::now());
        let within = Duration::from_secs(15);
        assert!(!currency.was_complete_within(within, start));
        currency.note_required(start, 7, 7);
        assert!(currency.was_complete_within(within, start + Duration::from_millis(14_999)));
        assert!(!currency.was_complete_within(within, start + within));
        assert!(Currency::by_hand().was_complete_within(within, start + 2 * within));
    }

    #[test]
    fn a_position_that_was_not_asked_for_proves_nothing() {
        let mut currency = Currency::default();
        currency.note_position(1_000);
        assert!(!currency.is_current(Instant::now()));
        assert!(Currency::by_hand().is_current(Instant::now()));
    }

    proptest! {
        /// Whatever is asked and read: it is trusted only within a second of a question whose position was reached.
        #[test]
        fn it_is_never_trusted_without_proof(steps in prop::collection::vec((0..300_u64, 0..4_i64, any::<bool>()), 1..60)) {
            let (mut currency, start) = (Currency::default(), Instant::now());
            let (mut millis, mut next, mut end, mut proven) = (0, 0, 0, None);
            let mut questions: Vec<(u64, i64)> = Vec::new();
            for (passed, records, asks) in steps {
                millis += passed;
                if asks {
                    end += records;
                    questions = vec![(millis, end)];
                    currency.note_required(start + Duration::from_millis(millis), end, next);
                } else {
                    next = (next + records).min(end);
                    currency.note_position(next);
                }
                if let Some((at, required)) = questions.first() && next >= *required {
                    proven = Some(*at);
                }
                let expected = proven.is_some_and(|at| millis - at < 1_000);
                prop_assert_eq!(currency.is_current(start + Duration::from_millis(millis)), expected);
            }
        }
    }
}
