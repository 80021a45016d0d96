//! Calibration of the TTL: of windows given a median of t, half are gone by t; and how sharp it is.
//!
//! **The time at which a window ended is not known**, only the two polls around it. Its end is spread evenly
//! over that gap, as the estimate itself does: of an end between `a` and `b` seconds, `(t - a)/(b - a)` is
//! gone by t. That is a convention and no fact: the report also has what is certain (gone at a poll before t)
//! and what is possible (not observed at t or later). Polls alone support no other spreading better;
//! `arb_engine::learning::survival` explains that windows really end early in their gaps.
//!
//! **Windows without an observed end** (open at the end, or when the recording has a hole of more than an
//! hour, whatever comes after it) are censored at the last poll that saw them: the share that is gone is the
//! product limit (Kaplan and Meier, 1958) over `lifetime / t`, in two hundred steps to 1.
//!
//! **Sharpness** is the Brier score of "alive after 5, 15, 60 minutes", a spread death counting with both its parts, beside that of a
//! constant: the share of the very windows of the phase that were alive then. The constant has seen the answers. Windows that
//! were lost sight of before then are left out of both.
//!
//! It never looks at a price, and nothing here is fed back.

use std::fmt;

use arb_engine::learning::survival::Ttl;
use arb_schemas::time::Micros;

use super::RawWindow;
use super::windows::PHASES;

/// Steps of the product limit.
const STEPS: u32 = 200;
/// Horizons of the Brier score, in seconds.
const HORIZONS: [(f64, &str); 3] = [(300.0, "5 min"), (900.0, "15 min"), (3_600.0, "60 min")];
/// Parts of the windows, by their medians.
const PARTS: usize = 10;

/// What was seen of a window's end, in seconds after its opening.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    /// Gone between two polls.
    Gone(f64, f64),
    /// Last seen then.
    Lost(f64),
}

impl Fate {
    fn of(window: &RawWindow) -> Self {
        let seconds = |at: Micros| (at - window.opened_at) as f64 / 1e6;
        match (window.lost_at, window.closed_at) {
            (Some(lost_at), _) => Self::Lost(seconds(lost_at)),
            (None, None) => Self::Lost(seconds(window.last_open_at)),
            (None, Some(closed_at)) => Self::Gone(seconds(window.last_open_at), seconds(closed_at)),
        }
    }

    /// The part of it that is gone by a time; `None` when it was censored before.
    fn gone_by(self, time: f64) -> Option<f64> {
        match self {
            Self::Gone(after, by) if time < by => Some(((time - after) / (by - after)).max(0.0)),
            Self::Gone(..) => Some(1.0),
            Self::Lost(after) => (after >= time).then_some(0.0),
        }
    }
}

/// The share of windows that are gone by a time that differs for each, by the product limit; `None` without
/// windows.
fn gone(windows: &[(Fate, f64)]) -> Option<f64> {
    let mut alive = 1.0;
    for step in 0..STEPS {
        let part = |step: u32| f64::from(step) / f64::from(STEPS);
        let (mut at_risk, mut deaths) = (0.0, 0.0);
        for (fate, time) in windows {
            let (from, to) = (time * part(step), time * part(step + 1));
            match (fate.gone_by(from), fate.gone_by(to)) {
                (Some(before), Some(after)) => {
                    at_risk += 1.0 - before;
                    deaths += after - before;
                }
                // Lost sight of within the step: there for half of it.
                (Some(_), None) => at_risk += 0.5,
                (None, _) => {}
            }
        }
        if at_risk > 0.0 {
            alive *= 1.0 - deaths / at_risk;
        }
    }
    (!windows.is_empty()).then_some(1.0 - alive)
}

/// Brier scores of a TTL and of its phase's constant, and of how many windows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Brier {
    ttl: f64,
    constant: f64,
    windows: u32,
}

impl Brier {
    fn plus(self, other: Self) -> Self {
        Self {
            ttl: self.ttl + other.ttl,
            constant: self.constant + other.constant,
            windows: self.windows + other.windows,
        }
    }

    /// The sums over windows of one phase.
    fn of(windows: &[&RawWindow], horizon: f64) -> Self {
        let fates: Vec<_> = windows.iter().map(|window| (Fate::of(window), horizon)).collect();
        let constant = 1.0 - gone(&fates).unwrap_or(0.0);
        let scored = windows.iter().filter_map(|window| {
            let gone = Fate::of(window).gone_by(horizon)?;
            let score = |alive: f64| (1.0 - gone) * (1.0 - alive).powi(2) + gone * alive.powi(2);
            let alive = window.ttl.survives(micros(horizon));
            Some(Self { ttl: score(alive), constant: score(constant), windows: 1 })
        });
        scored.fold(Self::default(), Self::plus)
    }
}

/// Horizons are whole seconds.
#[allow(clippy::cast_possible_truncation)]
fn micros(seconds: f64) -> Micros {
    (seconds * 1e6) as Micros
}

fn median(ttl: &Ttl) -> f64 {
    ttl.median as f64 / 1e6
}

/// How well the medians of some windows are calibrated.
struct Calibration {
    windows: usize,
    /// Gone by the median, deaths spread.
    gone: Option<f64>,
    /// Gone at a poll by then, and not seen alive then or later, of those whose end was seen.
    bounds: Option<(f64, f64)>,
}

impl Calibration {
    fn of(windows: &[&RawWindow]) -> Self {
        let timed: Vec<_> = windows.iter().map(|window| (Fate::of(window), median(&window.ttl))).collect();
        let seen: Vec<_> = timed.iter().filter(|(fate, _)| matches!(fate, Fate::Gone(..))).collect();
        let share = |is: &dyn Fn(f64, f64, f64) -> bool| {
            let those = seen.iter().filter(|(fate, time)| match fate {
                Fate::Gone(after, by) => is(*after, *by, *time),
                Fate::Lost(_) => false,
            });
            those.count() as f64 / seen.len() as f64
        };
        let bounds = (share(&|_, by, time| by <= time), share(&|after, _, time| after < time));
        Self { windows: windows.len(), gone: gone(&timed), bounds: (!seen.is_empty()).then_some(bounds) }
    }
}

/// The calibration of evaluated windows, printed.
pub(super) struct Printed<'a> {
    windows: Vec<&'a RawWindow>,
}

impl<'a> Printed<'a> {
    /// Of those that are to be reported.
    pub(super) fn of(windows: &'a [RawWindow]) -> Self {
        Self { windows: windows.iter().filter(|window| window.is_reported).collect() }
    }

    fn phase(&self, phase: Option<bool>) -> Vec<&'a RawWindow> {
        let is_in = |window: &&&RawWindow| phase.is_none_or(|in_play| window.in_play == in_play);
        self.windows.iter().filter(is_in).copied().collect()
    }

    /// Each phase has a separate constant, also where both are reported together.
    fn brier(&self, phase: Option<bool>, horizon: f64) -> Brier {
        let phases = [false, true].into_iter().filter(|in_play| phase.is_none_or(|phase| phase == *in_play));
        let sums = phases.map(|in_play| Brier::of(&self.phase(Some(in_play)), horizon));
        sums.fold(Brier::default(), Brier::plus)
    }

    fn write_phases(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nTTL at opening: gone by the median, deaths spread over the gaps between polls")?;
        write!(f, "{:<10}{:>9}{:>11}{:>20}", "phase", "windows", "gone", "certain, possible")?;
        HORIZONS.iter().try_for_each(|(_, label)| write!(f, "{:>25}", format!("Brier {label} (const.)")))?;
        writeln!(f)?;
        for (name, phase) in PHASES {
            let Calibration { windows, gone, bounds } = Calibration::of(&self.phase(phase));
            let bounds =
                bounds.map_or("-".to_owned(), |(least, most)| format!("{}, {}", share(least), share(most)));
            write!(f, "{name:<10}{windows:>9}{:>11}{bounds:>20}", gone.map_or("-".to_owned(), share))?;
            for (horizon, _) in HORIZONS {
                let Brier { ttl, constant, windows } = self.brier(phase, horizon);
                let mean = |sum: f64| sum / f64::from(windows.max(1));
                write!(f, "{:>25}", format!("{:.4} ({:.4}) of {windows}", mean(ttl), mean(constant)))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    fn write_parts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut windows = self.windows.clone();
        windows.sort_by_key(|window| window.ttl.median);
        writeln!(f, "\nby decile of the median")?;
        writeln!(f, "{:<24}{:>9}{:>11}", "median, seconds", "windows", "gone")?;
        for part in 0..PARTS {
            let place = |part: usize| windows.len() * part / PARTS;
            let part = &windows[place(part)..place(part + 1)];
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let range = format!("{:.0} to {:.0}", median(&first.ttl), median(&last.ttl));
            let Calibration { windows, gone, .. } = Calibration::of(part);
            writeln!(f, "{range:<24}{windows:>9}{:>11}", gone.map_or("-".to_owned(), share))?;
        }
        Ok(())
    }
}

fn share(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_phases(f)?;
        self.write_parts(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_death_is_gone_by_parts() {
        let fate = Fate::Gone(100.0, 300.0);
        assert_eq!(
            [50.0, 100.0, 150.0, 300.0, 400.0].map(|time| fate.gone_by(time)),
            [0.0, 0.0, 0.25, 1.0, 1.0].map(Some)
        );
        assert_eq!(
            [50.0, 100.0, 150.0].map(|time| Fate::Lost(100.0).gone_by(time)),
            [Some(0.0), Some(0.0), None]
        );
    }

    #[test]
    fn the_product_limit_by_hand() {
        let near = |windows: &[(Fate, f64)], share: f64| {
            let gone = gone(windows).unwrap();
            assert!((gone - share).abs() < 2e-3, "{gone} {share}");
        };
        // Half of one ended, one still open.
        near(&[(Fate::Gone(0.0, 200.0), 100.0), (Fate::Gone(100.0, 200.0), 100.0)], 0.25);
        // A window censored at once has no weight, one censored at the end counts as open.
        near(&[(Fate::Gone(0.0, 100.0), 100.0), (Fate::Lost(0.0), 100.0), (Fate::Lost(100.0), 100.0)], 0.5);
        // Of two windows, one is censored before the other ends.
        near(&[(Fate::Gone(80.0, 90.0), 100.0), (Fate::Lost(50.0), 100.0)], 1.0);
        // Of four windows one ends first, then one is censored, then one of two ends: 1 - 3/4 * 1/2.
        let fates = [Fate::Gone(9.0, 11.0), Fate::Lost(50.0), Fate::Gone(79.0, 81.0), Fate::Lost(100.0)];
        near(&fates.map(|fate| (fate, 100.0)), 0.625);
        assert_eq!(gone(&[]), None);
    }
}
