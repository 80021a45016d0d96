//! When a role that has ended is started again: after pauses that grow up to a bound, for ever, unless the same error ends
//! it again and again.
//!
//! It is pure: it starts nothing and reads no clock. A death by a signal is never a lasting error.
//!
//! Source of the pauses: exponential backoff as systemd's `RestartSec=`, `RestartSteps=` and `RestartMaxDelaySec=` have it.

use std::time::Duration;

/// A life shorter than this is a failed start.
const SHORT: Duration = Duration::from_secs(10);
/// The pause before the first new start.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// No pause is longer than this.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The same error at so many failed starts in a row is a lasting one.
pub(crate) const LASTING: u32 = 5;

/// How a life of a role ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// By a signal, or in good order at the request of another process.
    FromOutside,
    /// By its error, with the message.
    Error(String),
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// It is started again after this pause.
    StartAfter(Duration),
    /// It is not: this error lasts.
    GiveUp(String),
}

/// The failed starts of a role, up to now.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// Failed starts in a row.
    failed: u32,
    /// The error of the last of them, and at how many in a row it was the same.
    error: Option<(String, u32)>,
}

impl History {
    /// Takes in that a life of this length has ended.
    pub(crate) fn ended(&mut self, end: End, lived: Duration) -> Next {
        if lived >= SHORT {
            *self = Self::default();
        }
        let pause = pause(self.failed);
        self.failed = self.failed.saturating_add(1);
        self.error = match end {
            End::Error(error) if lived < SHORT => {
                let before =
                    self.error.take().filter(|(last, _)| *last == error).map_or(0, |(_, count)| count);
                Some((error, before + 1))
            }
            End::Error(_) | End::FromOutside => None,
        };
        match &self.error {
            Some((error, count)) if *count >= LASTING => Next::GiveUp(error.clone()),
            _ => Next::StartAfter(pause),
        }
    }
}

/// The pause after so many failed starts in a row: it doubles.
fn pause(failed: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << failed.min(16)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(1);

    fn error(text: &str) -> End {
        End::Error(text.to_owned())
    }

    #[test]
    fn a_role_that_is_killed_is_started_again_for_ever_after_pauses_that_grow_to_a_bound() {
        let mut history = History::default();
        let pauses: Vec<_> = (0..1_000)
            .map(|_| match history.ended(End::FromOutside, SOON) {
                Next::StartAfter(pause) => pause,
                Next::GiveUp(error) => panic!("{error}"),
            })
            .collect();
        assert_eq!(pauses[..4], [200, 400, 800, 1_600].map(Duration::from_millis));
        assert!(pauses.is_sorted());
        assert_eq!(pauses.last(), Some(&LONGEST_PAUSE));
    }

    #[test]
    fn the_same_error_at_start_after_start_is_given_up() {
        let mut history = History::default();
        for _ in 1..LASTING {
            assert!(matches!(history.ended(error("no such topic"), SOON), Next::StartAfter(_)));
        }
        assert_eq!(history.ended(error("no such topic"), SOON), Next::GiveUp("no such topic".to_owned()));
    }

    #[test]
    fn a_signal_another_error_or_a_long_life_in_between_is_no_lasting_error() {
        for (end, lived) in
            [(End::FromOutside, SOON), (error("another"), SOON), (error("no such topic"), SHORT)]
        {
            let mut history = History::default();
            for _ in 0..3 {
                for _ in 1..LASTING {
                    assert!(matches!(history.ended(error("no such topic"), SOON), Next::StartAfter(_)));
                }
                assert!(matches!(history.ended(end.clone(), lived), Next::StartAfter(_)), "{end:?}");
            }
        }
    }

    #[test]
    fn after_a_long_run_the_pauses_begin_again() {
        let mut history = History::default();
        for _ in 0..5 {
            history.ended(End::FromOutside, SOON);
        }
        assert_eq!(history.ended(End::FromOutside, SHORT), Next::StartAfter(FIRST_PAUSE));
    }
}
