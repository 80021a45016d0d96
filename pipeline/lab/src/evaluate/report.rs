//! The report of an evaluation, for a person to read.
//!
//! It only counts; what this version does not compute it calls null.

use std::collections::BTreeSet;
use std::fmt;

use arb_engine::effect::Flag;
use arb_schemas::time::{Micros, SECOND};

use super::survival::{Cell, GAPS, gap_label, gap_of};
use super::ttl::Printed;
use super::windows::PHASES;
use super::{Evaluation, RawWindow};

/// The rule of rivals: margins above this are dropped.
const TOO_GOOD: f64 = 0.10;

/// An evaluation, printed.
pub struct Report<'a>(pub &'a Evaluation);

/// What a rule keeps of the windows.
type Rule = fn(&RawWindow) -> bool;

/// The conditions that may distinguish true windows.
const RULES: [(&str, Rule); 4] = [
    ("best price", |_| true),
    ("margin to 10 %", |window| window.margin_open <= TOO_GOOD),
    ("verified at once", |window| window.verified_at_open),
    ("verified", |window| window.verified_ever),
];

/// Counts over some windows.
#[derive(Default)]
struct ReportCounts {
    windows: u64,
    /// Proven at opening.
    at_open: u64,
    /// Proven at any time.
    ever: u64,
}

impl ReportCounts {
    fn of<'a>(windows: impl Iterator<Item = &'a RawWindow>) -> Self {
        windows.fold(Self::default(), |counts, window| Self {
            windows: counts.windows + 1,
            at_open: counts.at_open + u64::from(window.simultaneous_at_open),
            ever: counts.ever + u64::from(window.simultaneous_ever),
        })
    }
}

/// The time that it takes to place all legs.
const TWO_MINUTES: Micros = 120 * SECOND;

/// A share with its standard error, of so many.
fn share(part: f64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let share = part / whole as f64;
    let error = (share * (1.0 - share) / whole as f64).sqrt();
    format!("{:.1} ± {:.1} % of {whole}", 100.0 * share, 100.0 * error)
}

pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evaluation { polls, late, ticks, faults, transitions, .. } = self.0;
        writeln!(f, "{polls} polls, {ticks} ticks, {late} late polls, {transitions} transitions")?;
        if !faults.is_empty() {
            writeln!(f, "malformed: {faults}")?;
        }
        self.write_windows(f)?;
        self.write_doubts(f)?;
        self.write_survival(f)?;
        self.write_standing(f)?;
        self.write_execution(f)?;
        write!(f, "{}", Printed::of(&self.0.windows))
    }
}

impl Report<'_> {
    fn write_windows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n{:<10}{:<18}{:>9}{:>14}{:>11}{:>21}{:>12}",
            "phase", "rule", "windows", "simult. open", "ever", "phantom rate", "true kept"
        )?;
        for (name, phase) in PHASES {
            let in_phase = |window: &&RawWindow| phase.is_none_or(|in_play| window.in_play == in_play);
            let all = ReportCounts::of(self.0.windows.iter().filter(in_phase));
            for (rule, keeps) in RULES {
                let kept =
                    ReportCounts::of(self.0.windows.iter().filter(in_phase).filter(|window| keeps(window)));
                writeln!(
                    f,
                    "{name:<10}{rule:<18}{:>9}{:>14}{:>11}{:>21}{:>12}",
                    kept.windows,
                    kept.at_open,
                    kept.ever,
                    if rule.starts_with("verified") {
                        "none, by definition".to_owned()
                    } else {
                        percent(kept.windows - kept.ever, kept.windows)
                    },
                    percent(kept.ever, all.ever)
                )?;
            }
        }
        Ok(())
    }

    /// Which flags did not hold when windows opened, and what was learnt for them.
    fn write_doubts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nflags that did not hold at opening, of {} windows", self.0.windows.len())?;
        for flag in Flag::ALL {
            let count = self.0.windows.iter().filter(|window| window.failed_at_open.contains(&flag)).count();
            writeln!(f, "{:<24}{count:>9}", flag.key())?;
        }
        for [pre_match, in_play] in &self.0.margin_limits {
            let [pre_match, in_play] = [pre_match, in_play].map(|limit| 100.0 * limit);
            writeln!(f, "plausible margins at the end: to {pre_match:.2} %, in play {in_play:.2} %")?;
        }
        if !self.0.unknown_books.is_empty() {
            let books: Vec<_> = self.0.unknown_books.iter().map(|book| &**book).collect();
            writeln!(f, "books that are not in the table: {}", books.join(", "))?;
        }
        Ok(())
    }

    /// Of all windows and of verified ones the share whose legs all stood, by phase, gap and league.
    fn write_standing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\nclosed windows whose legs all stood at the first confirmation after the verdict, with the standard error"
        )?;
        writeln!(f, "{:<36}{:<10}{:>28}{:>28}", "", "phase", "verified, since then", "all, since opening")?;
        let gaps = (0..GAPS).map(|gap| (format!("gap up to {}", gap_label(gap)), Some(gap), None));
        let leagues: BTreeSet<_> = self.0.windows.iter().map(|window| &*window.league).collect();
        let leagues = leagues.into_iter().map(|league| (league.to_owned(), None, Some(league)));
        let rows: Vec<_> = [("all".to_owned(), None, None)].into_iter().chain(gaps).chain(leagues).collect();
        for (name, gap, league) in &rows {
            for (phase, in_play) in PHASES {
                let is_of = |window: &&RawWindow| {
                    in_play.is_none_or(|in_play| window.in_play == in_play)
                        && league.is_none_or(|league| window.league == league)
                };
                let cell = |verdict: usize| {
                    let answers =
                        self.0.windows.iter().filter(is_of).filter_map(|window| window.standing[verdict]);
                    let of_gap = answers.filter(|(_, after)| gap.is_none_or(|gap| gap_of(*after) == gap));
                    let (windows, stood) =
                        of_gap.fold((0, 0), |sum, (stood, _)| (sum.0 + 1, sum.1 + u64::from(stood)));
                    share(stood as f64, windows)
                };
                writeln!(f, "{name:<36}{phase:<10}{:>28}{:>28}", cell(1), cell(0))?;
            }
        }
        Ok(())
    }

    /// How well the probabilities of execution that windows stated at opening fit, by their tenths.
    fn write_execution(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nexecution_probability at opening, deaths spread over the gaps between polls")?;
        writeln!(f, "{:<14}{:>9}{:>12}{:>24}", "", "windows", "stated", "lived two minutes")?;
        let told = |window: &RawWindow| Some((window.execution_probability, window.lived(TWO_MINUTES)?));
        let told: Vec<_> = self.0.windows.iter().filter_map(told).collect();
        for tenth in 0..10_u8 {
            let (from, to) = (f64::from(tenth) / 10.0, f64::from(tenth + 1) / 10.0);
            let is_in = |stated: f64| from <= stated && (stated < to || tenth == 9);
            let bin: Vec<_> = told.iter().filter(|(stated, _)| is_in(*stated)).collect();
            let (stated, lived) = bin.iter().fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
            let stated =
                if bin.is_empty() { "-".to_owned() } else { format!("{:.3}", stated / bin.len() as f64) };
            let range = format!("{from:.1} to {to:.1}");
            writeln!(f, "{range:<14}{:>9}{stated:>12}{:>24}", bin.len(), share(lived, bin.len() as u64))?;
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
            for (gap, label) in (0..GAPS).map(|gap| (gap, gap_label(gap))) {
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
