//! The time of a machine, from the timer records of its input: no clock that is wrong decides anything that cannot be taken back.
//!
//! A timer counts with the lesser of its own time and of the time at which the broker has appended it, which is in the log, so that a replay
//! finds the same. A step of more than five minutes counts only after ten minutes of timers that went on from there; meanwhile time goes
//! on from where it was. It never reads a clock, and never goes back.

use arb_schemas::records::StateTimers;
use arb_schemas::time::{Micros, SECOND};

/// Two times of a timer that are further apart are reported.
pub const APART: Micros = 5 * SECOND;
/// A longer step does not count at once.
pub const STEP: Micros = 300 * SECOND;
/// It counts after timers that went on from there for so long.
pub const CONFIRMED: Micros = 600 * SECOND;

/// The time of a machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimerClock {
    /// The time that counts; `None` before the first timer.
    now: Option<Micros>,
    /// A step that does not count yet.
    step: Option<Step>,
}

/// Timers that go on from a time to which time has not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    from: Micros,
    at: Micros,
}

/// What a timer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// How late it is.
    pub now: Micros,
    /// How far the timer's own time is ahead of the broker's, or behind it.
    pub apart: Micros,
    /// Its time is a step that does not count yet.
    pub is_step: bool,
}

impl Tick {
    /// Whether its two times are too far apart.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.apart.saturating_abs() > APART
    }
}

impl TimerClock {
    /// Takes in a timer: its own time, and when the broker appended it, where the broker says so.
    pub fn tick(&mut self, timer: Micros, appended_at: Option<Micros>) -> Tick {
        let appended_at = appended_at.unwrap_or(timer);
        let (at, apart) = (timer.min(appended_at), timer.saturating_sub(appended_at));
        let now = self.now.unwrap_or(at);
        let is_step = at.saturating_sub(now) > STEP;
        let (now, step) = if is_step { self.step(now, at) } else { (now.max(at), None) };
        *self = Self { now: Some(now), step };
        Tick { now, apart, is_step: step.is_some() }
    }

    /// Time and the step after a timer that is far ahead.
    fn step(&self, now: Micros, at: Micros) -> (Micros, Option<Step>) {
        let goes_on = |step: &Step| (step.at..=step.at.saturating_add(STEP)).contains(&at);
        let Some(Step { from, at: before }) = self.step.filter(goes_on) else {
            return (now, Some(Step { from: at, at }));
        };
        if at - from >= CONFIRMED {
            return (at, None);
        }
        (now.saturating_add(at - before), Some(Step { from, at }))
    }

    /// As the changelog has it.
    #[must_use]
    pub fn of(state: StateTimers) -> Self {
        let step = state.step_from.zip(state.step_at).map(|(from, at)| Step { from, at });
        Self { now: state.now, step }
    }

    /// For the changelog.
    #[must_use]
    pub fn state(self) -> StateTimers {
        let (step_from, step_at) = (self.step.map(|step| step.from), self.step.map(|step| step.at));
        StateTimers { now: self.now, step_from, step_at }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: Micros = 1_800_000_000 * SECOND;

    /// The time after timers of these seconds, a broker being right with each.
    fn after(clock: &mut TimerClock, seconds: impl IntoIterator<Item = i64>) -> i64 {
        seconds
            .into_iter()
            .map(|second| clock.tick(START + second * SECOND, None))
            .last()
            .map_or(0, |tick| tick.now - START)
            / SECOND
    }

    #[test]
    fn the_lesser_of_the_two_times_counts_and_what_lies_between_them_is_reported() {
        let mut clock = TimerClock::default();
        for (timer, appended, now, is_apart) in
            [(0, 0, 0, false), (86_400, 1, 1, true), (2, 86_400, 2, true), (8, 3, 3, false), (1, 1, 3, false)]
        {
            let tick = clock.tick(START + timer * SECOND, Some(START + appended * SECOND));
            assert_eq!((tick.now - START, tick.is_apart()), (now * SECOND, is_apart), "{timer} {appended}");
        }
        assert_eq!(clock.tick(START + 4 * SECOND, None).now, START + 4 * SECOND, "the broker does not say");
    }

    #[test]
    fn a_step_counts_after_ten_minutes_of_timers_that_went_on_from_there() {
        let mut clock = TimerClock::default();
        assert_eq!(after(&mut clock, [0, 300]), 300, "no step");
        let day = 86_400;
        assert_eq!(after(&mut clock, day..day + 600), 300 + 599, "time goes on from where it was");
        assert_eq!(after(&mut clock, [day + 600]), day + 600);
    }

    #[test]
    fn a_step_that_is_taken_back_leaves_nothing() {
        let mut clock = TimerClock::default();
        assert_eq!(after(&mut clock, 0..=60), 60);
        assert_eq!(after(&mut clock, (61..=120).map(|second| second + 30 * 86_400)), 119);
        assert_eq!(after(&mut clock, 121..=180), 180, "both clocks are right again");
        // Another step does not go on from the one before.
        assert_eq!(after(&mut clock, [10_000, 20_000, 20_001, 10_600]), 181);
    }

    #[test]
    fn an_instance_that_is_ahead_beside_one_that_is_not_counts_for_nothing() {
        let mut clock = TimerClock::default();
        let both = (0..2_000).flat_map(|second| [second, second + 86_400]);
        assert_eq!(after(&mut clock, both), 1_999);
    }

    proptest! {
        /// Whatever comes, time does not go back, and does not go on by more than five minutes but to where ten minutes of timers were.
        #[test]
        fn time_goes_on(times in proptest::collection::vec((0..3_u8, 0..1_000_i64), 1..200)) {
            let (mut clock, mut at, mut before) = (TimerClock::default(), START, None);
            for (kind, seconds) in times {
                at += [1, seconds, -seconds][usize::from(kind)] * SECOND;
                let held = clock.step;
                let now = clock.tick(at, None).now;
                let confirmed = held.is_some_and(|step| at - step.from >= CONFIRMED);
                if let Some(before) = before {
                    prop_assert!(now >= before && (now - before <= STEP || confirmed));
                }
                before = Some(now);
            }
        }

        /// What the changelog keeps of it is all of it.
        #[test]
        fn it_is_restored(times in proptest::collection::vec(0..100_000_i64, 0..10)) {
            let mut clock = TimerClock::default();
            after(&mut clock, times);
            prop_assert_eq!(TimerClock::of(clock.state()), clock);
        }
    }
}
