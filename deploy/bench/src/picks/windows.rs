//! Arb windows in the settlement machine: how fast they are taken in and graded, and how much memory one takes.
//!
//! The log is in memory. It claims nothing about Kafka.

use anyhow::bail;
use arb_model::{Event, OpenedWindow, Time, fixtures};
use arb_runtime::machine::Machine;
use arb_runtime::stop::Stop;
use arb_schemas::wire::encode;
use arb_settle::clauses::Clauses;
use arb_settle::counts::SettleCounts;
use arb_settle::machine::SettleMachine;

use super::{BEGIN, PART, event, result, take};
use crate::Scale;
use crate::meter::allocated;
use crate::report::{Measure, Row};
use crate::turns::in_turns;

/// Windows that are graded; in a quick run.
const WINDOWS: (usize, usize) = (100_000, 1_000);
/// Windows of an event.
const OF_EVENT: usize = 50;

/// How long windows take to be taken in and to be graded, in seconds, and bytes of memory of one.
#[derive(Debug, Clone, Copy)]
struct WindowRun {
    taken: f64,
    graded: f64,
    bytes: f64,
}

pub(super) fn windows(scale: Scale, stop: &Stop) -> anyhow::Result<Vec<Row>> {
    let count = if scale.is_quick { WINDOWS.1 } else { WINDOWS.0 };
    let windows: Vec<_> = (0..count).map(|number| encode(&window(number))).collect::<Result<_, _>>()?;
    let results: Vec<_> =
        (0..count / OF_EVENT).map(|number| encode(&result(number))).collect::<Result<_, _>>()?;
    let [runs] = in_turns(scale.rounds, stop, |_| graded(&windows, &results))?;
    let row = |what: &str, measure, of: &dyn Fn(&WindowRun) -> f64| {
        Row::alone(
            PART,
            format!("{count} windows, {what}"),
            measure,
            &runs.iter().map(of).collect::<Vec<_>>(),
        )
    };
    let rate = Measure("throughput", "windows/s");
    Ok(vec![
        row("taken in", rate, &|run| count as f64 / run.taken),
        row("graded", rate, &|run| count as f64 / run.graded),
        row("kept", Measure("a window", "bytes"), &|run| run.bytes),
    ])
}

fn graded(windows: &[Vec<u8>], results: &[Vec<u8>]) -> anyhow::Result<WindowRun> {
    let before = allocated()?;
    let (mut machine, mut counts) = (SettleMachine::new(&Clauses::default()), SettleCounts::default());
    let taken = take(&mut machine, windows, &mut counts)?;
    let graded = take(&mut machine, results, &mut counts)?;
    let bytes = allocated()?.saturating_sub(before) as f64 / windows.len() as f64;
    let SettleCounts { windows: kept, window_gradings: gradings, .. } = counts;
    if kept != windows.len() as u64 || gradings != kept {
        bail!("of {} windows {kept} were taken in and {gradings} graded", windows.len());
    }
    Ok(WindowRun { taken, graded, bytes })
}

fn window(number: usize) -> OpenedWindow {
    let event: Event = event(number / OF_EVENT);
    let opened_at = Time(BEGIN);
    OpenedWindow { id: format!("{number:032x}"), event, opened_at, ..OpenedWindow::of(&fixtures::entry()) }
}
