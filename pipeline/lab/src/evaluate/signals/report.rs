//! The grades for a person to read.
//!
//! It only counts.

use std::fmt;

use arb_engine::effect::SignalKind;
use arb_schemas::time::{Micros, SECOND};

use super::{Counts, Graded, Moved, Value};
use crate::evaluate::report::percent;

impl fmt::Display for Graded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.faults.is_empty() {
            writeln!(f, "malformed: {}", self.faults)?;
        }
        writeln!(f, "signals: how many, how long, how they ended")?;
        writeln!(f, "{:<12}{:<10}{:>9}{:>14}  ended", "kind", "phase", "opened", "life, median")?;
        self.each(f, |f, counts| {
            write!(f, "{:>9}{:>14}  ", counts.opened, minutes(median(&counts.lives)))?;
            let ended: u64 = counts.ended.values().sum();
            let share = |(what, count): (&&str, &u64)| format!("{what} {}", percent(*count, ended));
            write!(f, "{}", counts.ended.iter().map(share).collect::<Vec<_>>().join(", "))
        })?;
        writeln!(f, "\nof prices that moved within 30 minutes, those that got shorter")?;
        writeln!(f, "{:<12}{:<10}{:>30}{:>34}", "kind", "phase", "the bets", "chance: the line's others")?;
        self.each(f, |f, counts| {
            write!(f, "{:>30}{:>34}", shorter(&counts.moved), shorter(&counts.moved_by_chance))
        })?;
        writeln!(f, "\nclosing-line value of what opened before the start: mean, and how many were above 0")?;
        writeln!(f, "{:<12}{:<10}{:>28}{:>28}", "kind", "phase", "the bets", "chance: any outcome's best")?;
        self.each(f, |f, counts| {
            write!(f, "{:>28}{:>28}", worth(&counts.value), worth(&counts.value_by_chance))
        })
    }
}

impl Graded {
    /// A line for each kind and phase that has any.
    fn each(
        &self,
        f: &mut fmt::Formatter<'_>,
        row: impl Fn(&mut fmt::Formatter<'_>, &Counts) -> fmt::Result,
    ) -> fmt::Result {
        for kind in SignalKind::ALL {
            for (in_play, phase) in [(false, "pre-match"), (true, "in-play")] {
                let Some(counts) = self.counts.get(&(kind, in_play)) else { continue };
                write!(f, "{:<12}{phase:<10}", kind.key())?;
                row(f, counts)?;
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

fn shorter(moved: &Moved) -> String {
    let Moved { shorter, longer, still, gone } = moved;
    let moved = shorter + longer;
    format!("{} of {moved} (of {})", percent(*shorter, moved), moved + still + gone)
}

fn worth(value: &Value) -> String {
    if value.count == 0 {
        return "-".to_owned();
    }
    let mean = 100.0 * value.sum / value.count as f64;
    format!("{mean:+.2} %, {} of {}", percent(value.positive, value.count), value.count)
}

fn median(lives: &[Micros]) -> Option<Micros> {
    let mut lives = lives.to_vec();
    lives.sort_unstable();
    lives.get(lives.len() / 2).copied()
}

fn minutes(life: Option<Micros>) -> String {
    life.map_or("-".to_owned(), |life| format!("{:.1} min", life as f64 / SECOND as f64 / 60.0))
}
