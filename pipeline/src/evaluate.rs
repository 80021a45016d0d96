//! Evaluation: what a recording's windows were, by the engine that the processor runs, without Kafka.
//!
//! Each recording has its own engine with the `raw` policy, one partition, whole polls. The words are those of the
//! independent oracle. It is no second engine: it only listens to what the first one says.

mod report;
mod survival;
mod windows;

use std::path::Path;

use arb_engine::Engine;
use arb_engine::catalogue::Policy;
use arb_engine::effect::Effect;
use arb_engine::input::Coordinate;
use arb_engine::source::Disposition;
use arb_schemas::topics::ODDS_TICKS;

use crate::faults::Faults;
use crate::ingest::publish;
use crate::ingest::recording;
use crate::ingest::source::{Poll, Source, SourceError};
use crate::ingest::the_odds_api::OddsFormat;

pub use report::Report;
pub use survival::Survival;
pub use windows::RawWindow;

use survival::Verdicts;
use windows::Windows;

/// The markets of the evaluation.
const MARKETS: [&str; 3] = ["h2h", "spreads", "totals"];

/// What recordings came to.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// All windows, in the order of `--windows`.
    pub windows: Vec<RawWindow>,
    /// What became of their legs' prices.
    pub survival: Survival,
    /// What was malformed.
    pub faults: Faults,
    /// Polls that counted.
    pub polls: u64,
    /// Polls that came late.
    pub late: u64,
    /// Their ticks.
    pub ticks: u64,
    /// Recordings that could not be read to their end.
    pub cut: Vec<SourceError>,
}

/// Evaluates recordings, one after the other.
///
/// # Errors
/// [`SourceError`] when one cannot be opened; one that breaks off is evaluated as far as it goes.
pub fn evaluate<'a>(
    recordings: impl IntoIterator<Item = &'a Path>,
    format: OddsFormat,
) -> Result<Evaluation, SourceError> {
    let mut evaluation = Evaluation::default();
    for path in recordings {
        let mut recording = recording::open(path, format)?;
        Run::new(&mut evaluation).play(recording.as_mut());
    }
    evaluation.windows.sort_by(RawWindow::order);
    Ok(evaluation)
}

/// Evaluates what a source gives, to its end.
pub fn evaluate_source(source: &mut dyn Source) -> Evaluation {
    let mut evaluation = Evaluation::default();
    Run::new(&mut evaluation).play(source);
    evaluation.windows.sort_by(RawWindow::order);
    evaluation
}

/// One recording on its way through the engine.
struct Run<'a> {
    evaluation: &'a mut Evaluation,
    engine: Engine,
    offset: i64,
    windows: Windows,
    verdicts: Verdicts,
}

impl<'a> Run<'a> {
    fn new(evaluation: &'a mut Evaluation) -> Self {
        let (windows, verdicts) = (Windows::default(), Verdicts::default());
        Self { evaluation, engine: Engine::new(Policy::Raw), offset: 0, windows, verdicts }
    }

    fn play(mut self, source: &mut dyn Source) {
        loop {
            match source.next_poll(&mut self.evaluation.faults) {
                Ok(Some(poll)) => self.poll(source.name(), poll),
                Ok(None) => break,
                Err(error) => {
                    self.evaluation.cut.push(error);
                    break;
                }
            }
        }
        self.evaluation.windows.extend(self.windows.finish());
    }

    fn poll(&mut self, source: &str, mut poll: Poll) {
        for (_, offers) in &mut poll.events {
            offers.retain(|offer| MARKETS.contains(&&*offer.market));
        }
        let received_at = poll.received_at;
        self.evaluation.ticks += poll.ticks() as u64;
        let mut effects = Vec::new();
        let mut last = Disposition::Late;
        for addressed in publish::records(source, poll, 1) {
            let input = addressed.record.as_input(&mut self.evaluation.faults);
            let at = Coordinate { topic: ODDS_TICKS.name, partition: 0, offset: self.offset };
            let step = self.engine.step(at, &input, &mut effects);
            self.evaluation.faults.count_step(step);
            last = step.disposition;
            self.offset += 1;
        }
        self.engine.commit();
        if last != Disposition::Applied {
            self.evaluation.late += 1;
            return;
        }
        self.evaluation.polls += 1;
        self.verdicts.look(&self.engine, received_at, &mut self.evaluation.survival);
        for effect in &effects {
            self.windows.apply(effect);
            if let Effect::Transition(arb_engine::effect::Change::Opened, entry) = effect {
                self.verdicts.add(entry);
            }
        }
        self.windows.end_of_poll(received_at);
    }
}
