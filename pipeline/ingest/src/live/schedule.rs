//! What is due: how often a sport is polled, by how near its nearest event is.
//!
//! An interval never grows as the start of an event comes closer. It never looks at credits or faults, and
//! never reads a clock.
//!
//! Source of the defaults: The Odds API, "Odds API Update Intervals"
//! (<https://the-odds-api.com/sports-odds-data/update-intervals.html>): a featured market is read every 60 s before its
//! event and every 40 s during it, the change beginning six hours before. Asking oftener than that pays for what is
//! known.

use arb_schemas::time::{Micros, SECOND};

/// One hour.
const HOUR: Micros = 3_600 * SECOND;

/// Time between two polls of a sport, by when its nearest event starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intervals {
    /// It has begun.
    pub in_play: Micros,
    /// Within an hour.
    pub hour: Micros,
    /// Within six hours.
    pub six_hours: Micros,
    /// Within a day.
    pub day: Micros,
    /// Later than that.
    pub later: Micros,
}

impl Default for Intervals {
    fn default() -> Self {
        let minutes = |minutes: i64| minutes * 60 * SECOND;
        Self {
            in_play: minutes(1),
            hour: minutes(2),
            six_hours: minutes(10),
            day: minutes(60),
            later: minutes(360),
        }
    }
}

/// When a sport is next to be polled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// From then on.
    pub at: Micros,
    /// The interval for that distance from the start.
    pub every: Micros,
}

impl Intervals {
    /// Whether they are positive, and none is longer than one of events that are farther away.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        let Self { in_play, hour, six_hours, day, later } = *self;
        0 < in_play && [in_play, hour, six_hours, day, later].is_sorted()
    }

    /// The interval of an event that starts in so long; it has begun when that is not positive.
    ///
    /// ```
    /// use arb_ingest::live::schedule::Intervals;
    /// use arb_model::time::SECOND;
    ///
    /// let intervals = Intervals::default();
    /// assert_eq!(intervals.of(0), 60 * SECOND, "in play");
    /// assert_eq!(intervals.of(30 * 60 * SECOND), 120 * SECOND, "half an hour before the start");
    /// ```
    #[must_use]
    pub fn of(&self, starts_in: Micros) -> Micros {
        match starts_in {
            ..=0 => self.in_play,
            _ if starts_in <= HOUR => self.hour,
            _ if starts_in <= 6 * HOUR => self.six_hours,
            _ if starts_in <= 24 * HOUR => self.day,
            _ => self.later,
        }
    }

    /// When a sport whose events start at these times, and are played within so long, is due, having been asked last at `asked_at`; never
    /// while it has no events.
    #[must_use]
    pub fn due(
        &self,
        starts: &[Micros],
        played: Micros,
        asked_at: Option<Micros>,
        now: Micros,
    ) -> Option<Due> {
        let every = starts.iter().map(|start| self.of_start(*start, played, now)).min()?;
        // A clock that was set back must not make it wait for the time that it has left.
        let at = asked_at.map_or(now, |asked| asked.min(now).saturating_add(every));
        Some(Due { at, every })
    }

    fn of_start(&self, start: Micros, played: Micros, now: Micros) -> Micros {
        let starts_in = start.saturating_sub(now);
        if starts_in < -played { self.later } else { self.of(starts_in) }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    const MINUTE: Micros = 60 * SECOND;

    #[test]
    fn each_nearness_has_its_interval() {
        let of = |starts_in| Intervals::default().of(starts_in) / MINUTE;
        assert_eq!([-HOUR, 0, 1, HOUR, HOUR + 1].map(of), [1, 1, 2, 2, 10]);
        assert_eq!([6 * HOUR, 6 * HOUR + 1, 24 * HOUR, 24 * HOUR + 1].map(of), [10, 60, 60, 360]);
    }

    #[test]
    fn the_nearest_event_decides() {
        let due = |starts: &[Micros], asked| Intervals::default().due(starts, 12 * HOUR, asked, 0);
        assert_eq!(due(&[], None), None, "without events nothing is due");
        assert_eq!(due(&[HOUR], None), Some(Due { at: 0, every: 2 * MINUTE }));
        let asked = Some(-MINUTE);
        assert_eq!(due(&[48 * HOUR, 5 * HOUR], asked), Some(Due { at: 9 * MINUTE, every: 10 * MINUTE }));
        assert_eq!(due(&[48 * HOUR, -HOUR], asked), Some(Due { at: 0, every: MINUTE }));
        assert_eq!(due(&[-13 * HOUR], asked).unwrap().every, 6 * HOUR, "a postponed one");
        let of_days = Intervals::default().due(&[-100 * HOUR], 168 * HOUR, asked, 0);
        assert_eq!(of_days.unwrap().every, MINUTE, "a match of five days is in play on the last one");
        assert_eq!(due(&[-HOUR], Some(HOUR)).unwrap().at, MINUTE, "a clock that was set back");
    }

    #[test]
    fn an_interval_never_grows_as_the_start_comes_closer() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..1_000 {
            let mut five = [(); 5].map(|()| rng.i64(1..100_000));
            five.sort_unstable();
            let [in_play, hour, six_hours, day, later] = five;
            let intervals = Intervals { in_play, hour, six_hours, day, later };
            assert!(intervals.is_ordered());
            let mut before = [(); 50].map(|()| rng.i64(-HOUR..60 * HOUR));
            before.sort_unstable();
            assert!(before.map(|starts_in| intervals.of(starts_in)).is_sorted());
            let more: Vec<_> = before.iter().copied().chain([rng.i64(-HOUR..60 * HOUR)]).collect();
            let every = |starts: &[Micros]| intervals.due(starts, 12 * HOUR, None, 0).unwrap().every;
            assert!(every(&more) <= every(&before), "one more event never slows it");
        }
        assert!(!Intervals { hour: 1, ..Intervals::default() }.is_ordered());
        assert!(!Intervals { in_play: 0, ..Intervals::default() }.is_ordered());
    }
}
