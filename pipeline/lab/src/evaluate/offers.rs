//! The picks of the bots over recordings, and how many of them were still on offer afterwards.
//!
//! Each recording has the board's engine, the bots and the settlement machine, in memory: the code that runs on live prices. Recordings have no
//! results, so that nothing is said of profits. It never publishes anything.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::Path;
use std::sync::Arc;

use arb_bots::watcher::{Asked, Settings, Watcher};
use arb_engine::Engine;
use arb_engine::effect::Effect;
use arb_engine::market::Policy;
use arb_engine::venues::Books;
use arb_ingest::recording;
use arb_ingest::source::{Poll, Source, SourceError};
use arb_ingest::the_odds_api::OddsFormat;
use arb_model::{Faults, FeedKind, LaterOffer, Pick};
use arb_picks::record::Mean;
use arb_process::codec::state::StateError;
use arb_process::codec::{outputs, state};
use arb_process::replica::ReplicaError;
use arb_runtime::machine::{InputPlace, Machine as _, Outbox};
use arb_schemas::records::StatePartition;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::{PICKS, SIGNALS};
use arb_schemas::wire::{WireError, decode, encode};
use arb_settle::codec::Task;
use arb_settle::counts::SettleCounts;
use arb_settle::machine::SettleMachine;
use thiserror::Error;

use super::{draft_poll, next_poll};

/// Why picks are not evaluated.
#[derive(Debug, Error)]
pub enum OffersError {
    /// A recording cannot be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A record does not fit its schema.
    #[error(transparent)]
    Record(#[from] WireError),
    /// A part of the engine's state does not.
    #[error(transparent)]
    State(#[from] StateError),
    /// The bots cannot read the engine's state.
    #[error(transparent)]
    Replica(#[from] ReplicaError),
}

/// The picks of recordings.
#[derive(Debug, Default)]
pub struct Offered {
    /// As the last record of each left it.
    pub picks: Vec<Pick>,
    /// What was malformed.
    pub faults: Faults,
    /// Recordings that could not be read to their end.
    pub cut: Vec<SourceError>,
}

/// Lets the bots pick over recordings, one after the other.
///
/// # Errors
/// [`OffersError`]; a recording that ends early is played as far as it goes.
pub fn offered<'a>(
    recordings: impl IntoIterator<Item = &'a Path>,
    format: OddsFormat,
    books: &Arc<Books>,
    sharp_books: &[String],
) -> Result<Offered, OffersError> {
    let mut offered = Offered::default();
    for path in recordings {
        let mut recording = recording::open(path, format)?;
        offered.play(recording.as_mut(), books, sharp_books)?;
    }
    Ok(offered)
}

impl Offered {
    /// Lets the bots pick over what a source gives, to its end.
    ///
    /// # Errors
    /// [`OffersError`].
    pub fn play(
        &mut self,
        source: &mut dyn Source,
        books: &Arc<Books>,
        sharp_books: &[String],
    ) -> Result<(), OffersError> {
        let mut run = PickRun::new(books, sharp_books)?;
        while let Some(poll) = next_poll(source, &mut self.faults, &mut self.cut) {
            run.poll(source.name(), poll, &mut self.faults)?;
        }
        self.picks.extend(run.settler.into_picks());
        Ok(())
    }
}

/// One recording on its way through the engine, the bots and the settlement machine.
struct PickRun {
    engine: Engine,
    offset: i64,
    watcher: Watcher,
    settler: Settler,
}

/// The settlement machine, and the picks as it has published them.
#[derive(Default)]
pub(super) struct Settler {
    machine: SettleMachine,
    outbox: Outbox,
    picks: BTreeMap<String, Pick>,
}

impl Settler {
    /// Takes in a task. Returns the picks that it has changed.
    pub(super) fn settle(&mut self, task: &Task) -> Result<Vec<Pick>, WireError> {
        let at = InputPlace { partition: 0, offset: 0, epoch: 0 };
        self.machine.step(at, task, &mut self.outbox, &mut SettleCounts::default())?;
        self.machine.apply();
        let published = self.outbox.outputs().iter().filter(|output| output.topic == PICKS.name);
        let values = published.filter_map(|output| output.value.as_deref());
        let changed = values.map(decode).collect::<Result<Vec<Pick>, _>>()?;
        self.outbox.clear();
        self.picks.extend(changed.iter().map(|pick| (pick.id.clone(), pick.clone())));
        Ok(changed)
    }

    /// All of them.
    pub(super) fn into_picks(self) -> impl Iterator<Item = Pick> {
        self.picks.into_values()
    }
}

impl PickRun {
    fn new(books: &Arc<Books>, sharp_books: &[String]) -> Result<Self, OffersError> {
        let settings = Settings { feed: FeedKind::Recorded, sharp_books: sharp_books.to_vec() };
        let mut watcher = Watcher::new(settings, 1, books);
        watcher.state_is_read()?;
        Ok(Self {
            engine: Engine::with_books(Policy::Board, Arc::clone(books)),
            offset: 0,
            watcher,
            settler: Settler::default(),
        })
    }

    fn poll(&mut self, source: &str, poll: Poll, faults: &mut Faults) -> Result<(), OffersError> {
        let (effects, _) = draft_poll(&mut self.engine, source, poll, &mut self.offset, faults);
        self.take_signals(&effects)?;
        self.commit()?;
        self.let_bots_look()
    }

    fn take_signals(&mut self, effects: &[Effect]) -> Result<(), OffersError> {
        for record in
            effects.iter().map(|effect| outputs(effect, 0, 1)).collect::<Result<Vec<_>, _>>()?.concat()
        {
            match (record.value, record.key) {
                _ if record.topic != SIGNALS.name => {}
                (Some(value), _) => self.watcher.put_signal(0, decode(&value)?),
                (None, Some(key)) => self.watcher.remove_signal(&String::from_utf8_lossy(&key)),
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Hands the bots what the poll has changed, as the processor's changelog does.
    fn commit(&mut self) -> Result<(), OffersError> {
        for saved in self.engine.changes() {
            if let Some(change) = state::change(&saved)? {
                self.watcher.put_state(0, change.key.as_bytes(), change.value.as_deref())?;
            }
        }
        let (next_offset, sequence) = (self.offset, self.engine.sequence());
        let partition = StatePartition {
            next_offset,
            policy: Policy::Board.key().into(),
            sequence,
            epoch: 1,
            ..StatePartition::default()
        };
        self.watcher.put_state(0, b"partition", Some(&encode(&partition)?))?;
        self.engine.commit();
        Ok(())
    }

    /// Looks until the bots ask for nothing more: they look again at an event of which a pick was published.
    fn let_bots_look(&mut self) -> Result<(), OffersError> {
        loop {
            let tasks = self.watcher.look();
            if tasks.is_empty() {
                return Ok(());
            }
            for task in tasks {
                let changed = self.settler.settle(&match task.what {
                    Asked::Candidate(_, candidate) => Task::Candidate(candidate),
                    Asked::Closing(closing) => Task::Closing(closing),
                    Asked::Offer(offer) => Task::Offer(offer),
                })?;
                for pick in changed {
                    self.watcher.put_pick(0, pick);
                }
            }
        }
    }
}

impl Display for Offered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.faults.is_empty() {
            writeln!(f, "malformed: {}\n", self.faults)?;
        }
        writeln!(f, "Feed: recorded. Recordings have no results: the returns of picks are not available.\n")?;
        writeln!(
            f,
            "| bot | picks | closing-line value, % (picks) | still on offer at the next poll, % (picks) | seconds to it, median \
             | still on offer after a minute, % (picks) |\n|---|---|---|---|---|---|"
        )?;
        let mut bots = BTreeMap::<_, Vec<&Pick>>::new();
        for pick in &self.picks {
            bots.entry((&pick.bot, pick.version)).or_default().push(pick);
        }
        bots.into_iter().try_for_each(|((bot, version), picks)| {
            let closing: Vec<_> = picks.iter().filter_map(|pick| pick.closing_line_value()).collect();
            let poll = part(&picks, |pick| pick.offer_after_poll.as_ref());
            let minute = part(&picks, |pick| pick.offer_after_minute.as_ref());
            let (count, closing, waited) = (picks.len(), percent(&Mean::of(&closing)), waited(&picks));
            writeln!(f, "| {bot} {version} | {count} | {closing} | {poll} | {waited} | {minute} |")
        })
    }
}

/// Of the picks for which it was observed, the part that was still on offer.
fn part(picks: &[&Pick], later: impl Fn(&Pick) -> Option<&LaterOffer>) -> String {
    let stood = |pick: &&Pick| Some(f64::from(u8::from(pick.is_still_on_offer(later(pick)?))));
    percent(&Mean::of(&picks.iter().filter_map(stood).collect::<Vec<_>>()))
}

fn percent(mean: &Mean) -> String {
    let Mean { count, mean, standard_error } = mean;
    match count {
        0 => "not available".to_owned(),
        1 => format!("{:.1} (1)", 100.0 * mean),
        _ => format!("{:.1} ± {:.1} ({count})", 100.0 * mean, 100.0 * standard_error),
    }
}

/// How long after publishing the next poll confirmed the prices.
fn waited(picks: &[&Pick]) -> String {
    let seconds = |pick: &&Pick| {
        let after: Micros = pick.offer_after_poll.as_ref()?.last_seen_at.0 - pick.published_at.0;
        Some(after / SECOND)
    };
    let mut all: Vec<_> = picks.iter().filter_map(seconds).collect();
    all.sort_unstable();
    all.get(all.len() / 2).map_or_else(|| "not available".to_owned(), i64::to_string)
}

#[cfg(test)]
mod tests;
