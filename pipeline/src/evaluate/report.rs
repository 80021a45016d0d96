//! The report of an evaluation, for a person to read.
//!
//! It only counts; what this version does not compute it calls null.

use std::fmt;

use super::survival::{Cell, GAPS};
use super::{Evaluation, RawWindow};

/// The rule of rivals: margins above this are dropped.
const TOO_GOOD: f64 = 0.10;

/// An evaluation, printed.
pub struct Report<'a>(pub &'a Evaluation);

/// Windows by whether the event had begun; `None` is all.
const PHASES: [(&str, Option<bool>); 3] =
    [("pre-match", Some(false)), ("in-play", Some(true)), ("all", None)];

/// Counts over some windows.
#[derive(Default)]
struct Counts {
    windows: usize,
    at_open: usize,
    ever: usize,
}

impl Counts {
    fn of<'a>(windows: impl Iterator<Item = &'a RawWindow>) -> Self {
        windows.fold(Self::default(), |counts, window| Self {
            windows: counts.windows + 1,
            at_open: counts.at_open + usize::from(window.simultaneous_at_open),
            ever: counts.ever + usize::from(window.simultaneous_ever),
        })
    }

    fn phantom_rate(&self) -> String {
        percent((self.windows - self.ever) as u64, self.windows as u64)
    }
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evaluation { polls, late, ticks, faults, .. } = self.0;
        writeln!(f, "{polls} polls, {ticks} ticks, {late} late polls")?;
        if !faults.is_empty() {
            writeln!(f, "malformed: {faults}")?;
        }
        self.write_windows(f)?;
        self.write_survival(f)?;
        writeln!(f, "\nverified, TTL calibration: null (not computed by this version)")
    }
}

impl Report<'_> {
    fn write_windows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{:<10}{:>9}{:>14}{:>11}{:>14}{:>16}{:>15}",
            "phase", "windows", "simult. open", "ever", "phantom rate", "under 10 % rule", "true kept"
        )?;
        for (name, phase) in PHASES {
            let in_phase = |window: &&RawWindow| phase.is_none_or(|in_play| window.in_play == in_play);
            let all = Counts::of(self.0.windows.iter().filter(in_phase));
            let believable = |window: &&RawWindow| window.margin_open <= TOO_GOOD;
            let kept = Counts::of(self.0.windows.iter().filter(in_phase).filter(believable));
            writeln!(
                f,
                "{name:<10}{:>9}{:>14}{:>11}{:>14}{:>16}{:>15}",
                all.windows,
                all.at_open,
                all.ever,
                all.phantom_rate(),
                kept.phantom_rate(),
                percent(kept.ever as u64, all.ever as u64)
            )?;
        }
        Ok(())
    }

    fn write_survival(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\nlegs whose price stood at their first refresh after the window opened, by the gap to it"
        )?;
        writeln!(f, "{:<10}{:<12}{:>20}{:>20}", "phase", "gap up to", "simultaneous", "not")?;
        for (name, phase) in PHASES {
            for (gap, (_, label)) in GAPS.iter().enumerate() {
                let cell = |simultaneous| {
                    let wanted = |cell: &Cell| {
                        cell.gap == gap
                            && cell.simultaneous == simultaneous
                            && phase.is_none_or(|in_play| cell.in_play == in_play)
                    };
                    let (legs, standing) = self.0.survival.sum(wanted);
                    format!("{} of {legs}", percent(standing, legs))
                };
                writeln!(f, "{name:<10}{label:<12}{:>20}{:>20}", cell(true), cell(false))?;
            }
        }
        Ok(())
    }
}
