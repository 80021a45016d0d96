//! Evaluation: what a recording's windows were, by the engine that the processor runs, without Kafka.
//!
//! Each recording has a separate engine with the `raw` policy, unless another is asked for, one partition, whole polls. The terms are
//! those of the independent oracle. It is no second engine: it only reads the effects of the first one.

mod fit;
#[cfg(test)]
mod fixtures;
mod hash;
mod offers;
mod report;
mod rules;
mod signals;
mod split;
mod survival;
mod ttl;
mod windows;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::effect::{Effect, WindowChange};
use arb_engine::input::Coordinate;
use arb_engine::market::Policy;
use arb_engine::time::Disposition;
use arb_engine::venues::Books;
use arb_ingest::source::{Poll, Source, SourceError};
use arb_ingest::the_odds_api::OddsFormat;
use arb_ingest::{publish, recording};
use arb_model::Faults;
use arb_process::codec::as_input;
use arb_process::faults::{count_left_out, count_step, count_swapped};
use arb_schemas::time::Micros;
use arb_schemas::topics::ODDS_TICKS;

pub use fit::{Fitted, fitted};
pub use hash::{HashError, Hashes, hashed};
pub use offers::{Offered, OffersError, offered};
pub use report::Report;
pub use rules::ruled;
pub use signals::{Graded, graded};
pub use split::Split;
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
    /// How often a window opened, or changed in what its takers act on.
    pub transitions: u64,
    /// What was malformed.
    pub faults: Faults,
    /// Polls that counted.
    pub polls: u64,
    /// Polls that came late.
    pub late: u64,
    /// Their ticks.
    pub ticks: u64,
    /// The largest margin that was plausible at each recording's end, pre-match and in play.
    pub margin_limits: Vec<[f64; 2]>,
    /// Books that are not in the table.
    pub unknown_books: BTreeSet<Arc<str>>,
    /// Recordings that could not be read to their end.
    pub cut: Vec<SourceError>,
}

/// Evaluates recordings by a policy, one after the other. Predictions of lifetimes are reported for windows that open
/// after the split.
///
/// ```
/// use std::sync::Arc;
///
/// use arb_engine::market::Policy;
/// use arb_ingest::simulator::{Settings, Simulator};
/// use arb_ingest::the_odds_api::OddsFormat;
/// use arb_lab::evaluate::evaluate;
///
/// let mut market = Simulator::new(Settings { events: 6, ..Settings::default() });
/// let lines: Vec<_> = (0..6).map(|_| market.next_line()).collect();
/// let path = std::env::temp_dir().join(format!("evaluate-{}.jsonl", std::process::id()));
/// std::fs::write(&path, lines.join("\n") + "\n")?;
/// let books = Arc::new(arb_process::books::shipped()?);
/// let evaluation = evaluate([path.as_path()], OddsFormat::American, &books, Policy::Raw, None)?;
/// std::fs::remove_file(&path)?;
/// assert_eq!((evaluation.polls, evaluation.late, evaluation.cut.len()), (6, 0, 0));
/// assert!(evaluation.ticks > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SourceError`] when one cannot be opened; one that ends early is evaluated as far as it goes.
pub fn evaluate<'a>(
    recordings: impl IntoIterator<Item = &'a Path>,
    format: OddsFormat,
    books: &Arc<Books>,
    policy: Policy,
    split: Option<Split>,
) -> Result<Evaluation, SourceError> {
    let mut evaluation = Evaluation::default();
    for path in recordings {
        let mut recording = recording::open(path, format)?;
        Run::new(&mut evaluation, books, policy).play(recording.as_mut(), split);
    }
    evaluation.windows.sort_by(RawWindow::order);
    Ok(evaluation)
}

/// Evaluates what a source gives, to its end.
pub fn evaluate_source(source: &mut dyn Source, books: &Arc<Books>) -> Evaluation {
    let mut evaluation = Evaluation::default();
    Run::new(&mut evaluation, books, Policy::Raw).play(source, None);
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
    /// First and last poll.
    span: Option<(Micros, Micros)>,
}

impl<'a> Run<'a> {
    fn new(evaluation: &'a mut Evaluation, books: &Arc<Books>, policy: Policy) -> Self {
        let (windows, verdicts) = Default::default();
        let engine = Engine::with_books(policy, Arc::clone(books));
        Self { evaluation, engine, offset: 0, windows, verdicts, span: None }
    }

    fn play(mut self, source: &mut dyn Source, split: Option<Split>) {
        while let Some(poll) = next_poll(source, &mut self.evaluation.faults, &mut self.evaluation.cut) {
            self.poll(source.name(), poll);
        }
        let from = self.span.zip(split).map_or(Micros::MIN, |((first, last), split)| split.time(first, last));
        let reported = |window: RawWindow| RawWindow { is_reported: window.opened_at >= from, ..window };
        self.evaluation.margin_limits.push([false, true].map(|in_play| self.engine.margin_limit(in_play)));
        self.evaluation.unknown_books.extend(self.engine.unknown_books());
        self.evaluation.windows.extend(self.windows.finish().map(reported));
    }

    fn poll(&mut self, source: &str, poll: Poll) {
        let received_at = poll.received_at;
        let poll = asked(poll);
        self.evaluation.ticks += poll.ticks() as u64;
        let (effects, poll) =
            step_poll(&mut self.engine, source, poll, &mut self.offset, &mut self.evaluation.faults);
        if poll != Disposition::Applied {
            self.evaluation.late += 1;
            return;
        }
        self.evaluation.polls += 1;
        self.span = Some((self.span.map_or(received_at, |(first, _)| first), received_at));
        self.verdicts.inspect(&self.engine, received_at, &mut self.evaluation.survival);
        for effect in &effects {
            self.windows.apply(effect);
            if let Effect::Transition(change, entry, _) = effect {
                self.evaluation.transitions += 1;
                if *change == WindowChange::Opened {
                    self.verdicts.add(entry);
                }
            }
        }
        self.windows.end_of_poll(received_at);
    }
}

/// What of a poll is evaluated.
fn asked(mut poll: Poll) -> Poll {
    for (_, offers) in &mut poll.events {
        offers.retain(|offer| MARKETS.contains(&&*offer.market));
    }
    poll
}

/// The next poll of a source; `None` at its end, and where it cannot be read further, which is noted in `cut`.
fn next_poll(source: &mut dyn Source, faults: &mut Faults, cut: &mut Vec<SourceError>) -> Option<Poll> {
    source.next_poll(faults).unwrap_or_else(|error| {
        cut.push(error);
        None
    })
}

/// Passes a poll to an engine, its first record at this offset, and commits it; returns the effects and the outcome of the
/// poll.
fn step_poll(
    engine: &mut Engine,
    source: &str,
    poll: Poll,
    offset: &mut i64,
    faults: &mut Faults,
) -> (Vec<Effect>, Disposition) {
    let done = draft_poll(engine, source, poll, offset, faults);
    engine.commit();
    done
}

/// The same without the commit.
fn draft_poll(
    engine: &mut Engine,
    source: &str,
    poll: Poll,
    offset: &mut i64,
    faults: &mut Faults,
) -> (Vec<Effect>, Disposition) {
    let (mut effects, mut last) = (Vec::new(), Disposition::Late);
    for addressed in publish::records(source, poll, 1) {
        let input = as_input(&addressed.record, faults);
        let at = Coordinate { topic: ODDS_TICKS.name, partition: 0, offset: *offset };
        let step = engine.step(at, &input, &mut effects);
        count_step(faults, step);
        count_swapped(faults, step);
        count_left_out(faults, &step.left_out);
        last = step.disposition;
        *offset += 1;
    }
    (effects, last)
}
