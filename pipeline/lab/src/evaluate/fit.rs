//! The prior of the survival estimate, from recordings: what `arb fit` writes.
//!
//! The engine that the processor runs counts, by the raw policy, up to a split; what comes after is left to judge the prior by. It
//! prints the whole file `pipeline/engine/src/learning/survival/prior.rs`: numbers, and where they are from; never a part of a recording.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::learning::survival::{Cell, EventStage, Hazard, MarketKind, fit};
use arb_engine::market::Policy;
use arb_engine::venues::Books;
use arb_ingest::recording::Recording;
use arb_ingest::source::{Poll, Source, SourceError};
use arb_ingest::the_odds_api::OddsFormat;
use arb_model::Faults;
use arb_schemas::time::{Micros, to_rfc3339};

use super::{Split, asked, step_poll};

/// A recording that a prior is from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    name: String,
    from: Micros,
    until: Micros,
    deaths: i64,
}

/// A prior, and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    prior: [[Hazard; 3]; 4],
    origins: Vec<Origin>,
}

/// Fits the prior to recordings up to a split.
///
/// # Errors
/// [`SourceError`] when one cannot be read to its end.
pub fn fitted<'a>(
    recordings: impl IntoIterator<Item = &'a Path>,
    format: OddsFormat,
    books: &Arc<Books>,
    split: Split,
) -> Result<Fitted, SourceError> {
    let (mut sums, mut origins) = ([[Cell::default(); 3]; 4], Vec::new());
    for path in recordings {
        let (mut first, mut last) = (None, Micros::MIN);
        each_poll(path, format, &mut |poll, _| {
            first.get_or_insert(poll.received_at);
            last = poll.received_at;
        })?;
        let Some(first) = first else { continue };
        let until = split.time(first, last);
        let mut engine = Engine::with_books(Policy::Raw, Arc::clone(books));
        let mut offset = 0;
        each_poll(path, format, &mut |poll, source| {
            if poll.received_at < until {
                step_poll(&mut engine, source, asked(poll), &mut offset, &mut Faults::default());
            }
        })?;
        let mut deaths = 0;
        for (sum, (stage, kind)) in sums.as_flattened_mut().iter_mut().zip(cells()) {
            let cell = engine.lived(stage, kind);
            deaths += cell.deaths();
            *sum = sum.plus(&cell);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        origins.push(Origin { name, from: first, until, deaths });
    }
    let prior = fit::prior(|stage, kind| sums[stage as usize][kind as usize]);
    Ok(Fitted { prior, origins })
}

/// All pairs, in the order of the table.
fn cells() -> impl Iterator<Item = (EventStage, MarketKind)> {
    EventStage::ALL.into_iter().flat_map(|stage| MarketKind::ALL.map(|kind| (stage, kind)))
}

fn each_poll(path: &Path, format: OddsFormat, each: &mut dyn FnMut(Poll, &str)) -> Result<(), SourceError> {
    let mut recording = Recording::open(path, format)?;
    while let Some(poll) = recording.next_poll(&mut Faults::default())? {
        each(poll, recording.name());
    }
    Ok(())
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "//! The hazards from which a partition that has seen nothing begins. Written by `arb fit`, never by hand."
        )?;
        writeln!(f, "//!\n//! Fitted to these recordings, each up to its split and no further:\n//!")?;
        for Origin { name, from, until, deaths } in &self.origins {
            let [from, until] = [from, until].map(|at| to_rfc3339(*at));
            writeln!(f, "//! * `{name}`, {from} to {until}: {deaths} windows that closed")?;
        }
        writeln!(f, "\nuse super::cell::Hazard;\nuse super::profile::{{EventStage, MarketKind}};\n")?;
        writeln!(f, "/// Deaths a second of age, by stage, kind and piece of age.")?;
        writeln!(f, "#[rustfmt::skip]\nstatic HAZARD: [[Hazard; 3]; 4] = [")?;
        for (stage, kinds) in EventStage::ALL.iter().zip(&self.prior) {
            writeln!(f, "    [ // {}", stage.key())?;
            for (kind, hazard) in MarketKind::ALL.iter().zip(kinds) {
                let numbers: Vec<_> = hazard.iter().map(|hazard| format!("{hazard:.2e}")).collect();
                writeln!(f, "        [{}], // {}", numbers.join(", "), kind.key())?;
            }
            writeln!(f, "    ],")?;
        }
        writeln!(f, "];\n\n/// Those of a stage and a kind.")?;
        writeln!(f, "pub(super) fn hazard(stage: EventStage, kind: MarketKind) -> &'static Hazard {{")?;
        writeln!(f, "    &HAZARD[stage as usize][kind as usize]\n}}")
    }
}
