//! Timers of wrong clocks, for the tests of machines: four minutes of them, of which both clocks are right in the first and the last.
//!
//! It never says what a machine makes of them.

use arb_schemas::time::{Micros, SECOND};

/// Which clock is ahead of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongClock {
    /// That of the instance which writes the timers, for two minutes.
    Instance,
    /// That of the broker, for two minutes.
    Broker,
    /// Both, for one minute.
    Both,
}

impl WrongClock {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Instance, Self::Broker, Self::Both];

    /// The times of the timers of four minutes from a moment on, a second apart: the instance's, and the broker's.
    #[must_use]
    pub fn timers(self, from: Micros, ahead: Micros) -> Vec<(Micros, Micros)> {
        let at = |second: i64| {
            let now = from + second * SECOND;
            let is_wrong = (60..if self == Self::Both { 120 } else { 180 }).contains(&second);
            let of = |is_ahead: bool| if is_wrong && is_ahead { now + ahead } else { now };
            (of(self != Self::Broker), of(self != Self::Instance))
        };
        (1..240).map(at).collect()
    }
}
