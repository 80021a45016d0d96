//! The figures of a market: those of real feeds from domain.md and the recordings, beside those of the
//! simulator.
//!
//! A window's life is counted as in domain.md: to the poll that did not see it any more, so at the polls' cadence it is an
//! upper bound; those still open at the end are censored (Kaplan and Meier 1958).

use std::sync::Arc;

use arb_ingest::simulator::Model;
use arb_lab::evaluate::{RawWindow, evaluate_source};
use arb_process::books;
use arb_schemas::time::SECOND;

use crate::watch::{Seen, Watched, key};

/// What a figure should be, and what it may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// As domain.md or the recordings have it.
    pub(crate) real: &'static str,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// A figure as it came out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) target: Target,
    pub(crate) value: f64,
}

impl Figure {
    pub(crate) fn holds(&self) -> bool {
        (self.target.from..=self.target.to).contains(&self.value)
    }
}

/// All that was measured over some markets.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    pub(crate) seen: Vec<Seen>,
    /// Windows, each with the age in seconds of its oldest leg when it opened.
    windows: Vec<(RawWindow, f64)>,
    pub(crate) ticks: u64,
}

impl Measured {
    pub(crate) fn of(seeds: &[u64], model: &Model, polls: u32) -> Self {
        let mut measured = Self::default();
        let one = |seed: u64| {
            let mut watched = Watched::new(seed, model.clone(), polls);
            let evaluation = evaluate_source(&mut watched, &Arc::new(books::shipped().unwrap()));
            assert!(evaluation.faults.is_empty() && evaluation.late == 0, "{}", evaluation.faults);
            (evaluation.windows, watched.seen)
        };
        let found: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = seeds.iter().map(|seed| scope.spawn(move || one(*seed))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (windows, mut seen) in found {
            let oldest = |window: &RawWindow| {
                let age = |(_, book, _): &(_, String, _)| {
                    let key = key(window.opened_at, &window.event, book);
                    (window.opened_at - seen.confirmed_at[&key]) as f64 / SECOND as f64
                };
                window.legs.iter().map(age).fold(0.0, f64::max)
            };
            let aged: Vec<_> = windows.into_iter().map(|window| (oldest(&window), window)).collect();
            measured.windows.extend(aged.into_iter().map(|(age, window)| (window, age)));
            seen.confirmed_at.clear();
            measured.ticks += seen.ticks;
            measured.seen.push(seen);
        }
        measured
    }

    fn windows(&self, in_play: bool) -> impl Iterator<Item = &(RawWindow, f64)> {
        self.windows.iter().filter(move |(window, _)| window.in_play == in_play)
    }

    fn margins(&self, in_play: bool) -> Vec<f64> {
        self.windows(in_play).map(|(window, _)| window.margin_open).collect()
    }

    fn share(&self, in_play: bool, of: impl Fn(&RawWindow) -> bool) -> f64 {
        let found = self.windows(in_play).filter(|(window, _)| of(window)).count();
        found as f64 / self.windows(in_play).count() as f64
    }

    fn oldest(&self, margins: std::ops::Range<f64>) -> f64 {
        let within = self.windows(true).filter(|(window, _)| margins.contains(&window.margin_open));
        quantile(within.map(|(_, age)| *age).collect(), 0.5)
    }

    fn ages(&self, phases: std::ops::Range<usize>) -> Vec<f64> {
        self.seen.iter().flat_map(|seen| seen.ages[phases.clone()].iter().flatten().copied()).collect()
    }

    fn ratio(&self, of: impl Fn(&Seen) -> (u64, u64)) -> f64 {
        let add = |(a, b): (u64, u64), (c, d)| (a + c, b + d);
        let (part, all) = self.seen.iter().map(of).fold((0, 0), add);
        part as f64 / all as f64
    }

    /// Kaplan and Meier's share of windows that live longer than some minutes.
    fn survival(&self, in_play: bool, minutes: f64) -> f64 {
        let mut lives: Vec<_> = self.windows(in_play).map(|(window, _)| life(window)).collect();
        lives.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut share = 1.0;
        for (at, (seconds, ended)) in lives.iter().enumerate() {
            if *ended && *seconds <= minutes * 60.0 {
                share *= 1.0 - 1.0 / (lives.len() - at) as f64;
            }
        }
        share
    }
}

/// Seconds from opening to the poll that saw it closed, or to the last one.
fn life(window: &RawWindow) -> (f64, bool) {
    let end = window.closed_at.unwrap_or(window.last_open_at);
    ((end - window.opened_at) as f64 / SECOND as f64, window.closed_at.is_some())
}

fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // An index.
    let index = (values.len() as f64 * share) as usize;
    values.get(index.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

const fn target(name: &'static str, real: &'static str, from: f64, to: f64) -> Target {
    Target { name, real, from, to }
}

/// All figures, in the order of domain.md.
pub(crate) fn figures(measured: &Measured) -> Vec<Figure> {
    let m = measured;
    let ages = m.ages(0..2);
    let (before, in_play) = (m.margins(false), m.margins(true));
    let moves = |pair: usize| m.ratio(|seen| (seen.moves[pair].1, seen.moves[pair].0));
    let withdrawn = |seen: &Seen| {
        let [(gone, all), (gone_in_play, all_in_play)] = seen.withdrawn;
        (gone + gone_in_play, all + all_in_play)
    };
    let phantom = |window: &RawWindow| !window.simultaneous_ever;
    let found = [
        (target("age p50, s", "32-37", 30.0, 40.0), quantile(ages.clone(), 0.5)),
        (target("age p90, s", "98-148", 95.0, 150.0), quantile(ages.clone(), 0.9)),
        (target("age p99, s", "296-423", 290.0, 430.0), quantile(ages, 0.99)),
        (target("withdrawn", ".005-.05", 0.005, 0.05), m.ratio(withdrawn)),
        (target("withdrawn before", ".0023-.032", 0.0023, 0.032), m.ratio(|seen| seen.withdrawn[0])),
        (target("withdrawn in play", ".22-.65", 0.2, 0.65), m.ratio(|seen| seen.withdrawn[1])),
        (target("S(15 min) before", ".76", 0.66, 0.86), m.survival(false, 15.0)),
        (target("S(30 min) before", ".45", 0.35, 0.55), m.survival(false, 30.0)),
        (target("S(60 min) before", ".23", 0.15, 0.31), m.survival(false, 60.0)),
        (target("S(15 min) in play", ".61", 0.51, 0.71), m.survival(true, 15.0)),
        (target("S(30 min) in play", ".23", 0.13, 0.33), m.survival(true, 30.0)),
        (target("S(60 min) in play", ".08", 0.03, 0.13), m.survival(true, 60.0)),
        (target("in play to before", "5", 3.5, 6.5), in_play.len() as f64 / before.len() as f64),
        (target("margin before p50", ".0086", 0.006, 0.011), quantile(before.clone(), 0.5)),
        (target("margin before p90", ".0406", 0.03, 0.052), quantile(before.clone(), 0.9)),
        (target("margin before p99", ".0995", 0.06, 0.16), quantile(before.clone(), 0.99)),
        (target("over 10 % before", ".009", 0.003, 0.018), m.share(false, |w| w.margin_open > 0.1)),
        (target("over 10 % in play", ".18", 0.13, 0.23), m.share(true, |w| w.margin_open > 0.1)),
        (target("oldest leg to .5 %, s", "76", 55.0, 100.0), m.oldest(0.0..0.005)),
        (target("oldest leg over 10 %, s", "170", 130.0, 220.0), m.oldest(0.1..f64::INFINITY)),
        (target("phantoms before", ".41", 0.33, 0.49), m.share(false, phantom)),
        (target("phantoms in play", ".94", 0.9, 0.98), m.share(true, phantom)),
        (target("largest margin before", "2.43", 1.0, 8.0), quantile(before, 1.0)),
        (target("age in play p99, s", "778-868", 680.0, 900.0), quantile(m.ages(1..2), 0.99)),
        (
            target("without their draw", ".00004", 0.000_01, 0.001),
            m.ratio(|s| (s.three_way.1, s.three_way.0)),
        ),
        (target("lowline, beechonline", ".97", 0.92, 1.0), moves(0)),
        (target("nettlebet, laurelbet", "as one", 0.92, 1.0), moves(1)),
        (target("two operators", "not so", 0.0, 0.7), moves(2)),
    ];
    found.map(|(target, value)| Figure { target, value }).to_vec()
}

/// The figures as a table.
pub(crate) fn print(title: &str, measured: &Measured, figures: &[Figure]) {
    let (before, in_play) = (measured.windows(false).count(), measured.windows(true).count());
    println!("\n{title}: {} ticks, {before} windows before, {in_play} in play", measured.ticks);
    println!("{:<26}{:>12}{:>12}{:>20}", "", "real", "simulated", "may be");
    for Figure { target: Target { name, real, from, to }, value } in figures {
        let verdict = if (*from..=*to).contains(value) { "" } else { "  <-" };
        println!("{name:<26}{real:>12}{value:>12.5}{:>20}{verdict}", format!("{from} to {to}"));
    }
}
