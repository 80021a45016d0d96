//! What became of edge signals, kind by kind, against chance.
//!
//! Each recording has an engine with the board's rules, which receives a heartbeat each [`BEAT`] between
//! polls, as the processor would. Three results are reported for a signal that opens; for its bets on an
//! outcome, not for those against one:
//! * how the signal ended;
//! * which way the price of the bet moved within [`FOLLOWED`], if it moved: chance is which way the other
//!   prices of the same line moved from the same moment;
//! * before the start, the closing-line value: the effective price taken times the probability that the last
//!   poll of the hour before the start gives the outcome, less 1. Chance is the value of the best price of
//!   any outcome of the same line, at the same moment.
//!
//! The probability at the close is the mean, over the books that offer every outcome, of theirs by the power
//! method. A result never uses data that was known when a signal opened.
//!
//! Source: closing-line value as in `arb_engine::odds::value`; Clarke, Kovalchik, Ingram 2017 found the power method best of five.

mod close;
mod follow;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::effect::{Effect, SignalChange, SignalCloseReason};
use arb_engine::input::{Coordinate, Heartbeat, Input};
use arb_engine::market::{Line, Policy, Side};
use arb_engine::venues::Books;
use arb_ingest::recording;
use arb_ingest::source::{Poll, Source, SourceError};
use arb_ingest::the_odds_api::OddsFormat;
use arb_model::{EdgeSignal, Faults, Points, SignalKind, SignalQuote};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::ODDS_TICKS;
use close::{Closes, Taken};
use follow::Following;

use super::{asked, next_poll, step_poll};

/// From one heartbeat to the next.
const BEAT: Micros = 10 * SECOND;
/// The most heartbeats between two polls: a gap of days needs no more.
const BEATS: i64 = 1_000;
/// How long a price is followed.
const FOLLOWED: Micros = 1_800 * SECOND;

/// What became of the signals of recordings.
#[derive(Debug, Default)]
pub struct Graded {
    counts: BTreeMap<(SignalKind, bool), Counts>,
    /// What was malformed.
    pub faults: Faults,
    /// Recordings that could not be read to their end.
    pub cut: Vec<SourceError>,
}

/// What became of the signals of a kind that opened before the start, or after it.
#[derive(Debug, Default)]
struct Counts {
    opened: u64,
    ended: BTreeMap<&'static str, u64>,
    lives: Vec<Micros>,
    moved: Moved,
    /// The other prices of the same lines.
    moved_by_chance: Moved,
    value: Value,
    value_by_chance: Value,
}

/// Which way prices went.
#[derive(Debug, Default)]
struct Moved {
    shorter: u64,
    longer: u64,
    still: u64,
    gone: u64,
}

/// Closing-line values.
#[derive(Debug, Default)]
struct Value {
    count: u64,
    positive: u64,
    sum: f64,
}

impl Value {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.positive += u64::from(value > 0.0);
        self.sum += value;
    }
}

/// Grades the signals of recordings, one after the other.
///
/// # Errors
/// [`SourceError`] when one cannot be opened; one that ends early is graded as far as it goes.
pub fn graded<'a>(
    recordings: impl IntoIterator<Item = &'a Path>,
    format: OddsFormat,
    books: &Arc<Books>,
) -> Result<Graded, SourceError> {
    let mut graded = Graded::default();
    for path in recordings {
        let mut recording = recording::open(path, format)?;
        graded.grade(recording.as_mut(), books);
    }
    Ok(graded)
}

impl Graded {
    /// Grades the signals of what a source gives, to its end.
    pub fn grade(&mut self, source: &mut dyn Source, books: &Arc<Books>) {
        let mut run = SignalRun {
            graded: self,
            engine: Engine::with_books(Policy::Board, Arc::clone(books)),
            offset: 0,
            now: None,
            open: BTreeMap::new(),
            following: Following::default(),
            closes: Closes::default(),
        };
        while let Some(poll) = next_poll(source, &mut run.graded.faults, &mut run.graded.cut) {
            run.poll(source.name(), asked(poll));
        }
        run.closes.settle(&mut self.counts);
    }

    /// How many signals of a kind opened, in both phases.
    #[must_use]
    pub fn opened(&self, kind: SignalKind) -> u64 {
        let of = |in_play| self.counts.get(&(kind, in_play)).map_or(0, |counts| counts.opened);
        of(false) + of(true)
    }
}

/// The bets of a signal on the outcomes of a line.
fn backs(edge: &EdgeSignal, line: Option<Line>) -> impl Iterator<Item = &SignalQuote> {
    edge.bets.iter().filter(move |bet| bet.line == line.map(Points) && bet.side == Side::Back)
}

/// One recording on its way through the engine.
struct SignalRun<'a> {
    graded: &'a mut Graded,
    engine: Engine,
    offset: i64,
    now: Option<Micros>,
    /// When open signals opened, and of what.
    open: BTreeMap<String, (SignalKind, bool, Micros)>,
    following: Following,
    closes: Closes,
}

impl SignalRun<'_> {
    fn poll(&mut self, source: &str, poll: Poll) {
        let received_at = poll.received_at;
        // Time first, this poll's too: what time brings is taken at the prices before it.
        self.pass_time(source, received_at);
        let starts: Vec<_> =
            poll.events.iter().map(|(event, _)| (event.id.to_string(), event.commence_time.0)).collect();
        let (effects, _) =
            step_poll(&mut self.engine, source, poll, &mut self.offset, &mut self.graded.faults);
        self.now = Some(self.now.map_or(received_at, |now| now.max(received_at)));
        self.following.inspect(&self.engine, received_at, &mut self.graded.counts);
        self.closes.inspect(&self.engine, received_at, &starts);
        self.take(&effects);
    }

    /// Heartbeats from the last poll to this one.
    fn pass_time(&mut self, source: &str, until: Micros) {
        let Some(from) = self.now else { return };
        let beat = BEAT.max((until - from) / BEATS);
        let beats = (from + beat..until).step_by(usize::try_from(beat).unwrap_or(1));
        for at in beats.chain([until]) {
            let coordinate = Coordinate { topic: ODDS_TICKS.name, partition: 0, offset: self.offset };
            let mut effects = Vec::new();
            self.engine.step(coordinate, &Input::Heartbeat(Heartbeat { source, at }), &mut effects);
            self.offset += 1;
            // At once: by the next beat prices may be stale.
            self.take(&effects);
        }
        self.engine.commit();
    }

    fn take(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Signal(SignalChange::Opened, edge) => self.opened(edge),
                Effect::Signal(SignalChange::Closed(reason), edge) => self.closed(*reason, edge),
                _ => {}
            }
        }
    }

    fn opened(&mut self, edge: &EdgeSignal) {
        let Some((kind, market)) = edge.kind.known().zip(edge.market()) else { return };
        self.graded.counts.entry((kind, edge.in_play)).or_default().opened += 1;
        self.open.insert(edge.id.clone(), (kind, edge.in_play, edge.opened_at.0));
        let lines: BTreeSet<_> = edge.bets.iter().map(|bet| bet.line.map(|line| line.0)).collect();
        for line in lines {
            let offers = self.engine.offers(&edge.event.id, market, line);
            self.following.add(edge, (kind, market, line), &offers);
            if !edge.in_play {
                self.closes.add(Taken::new(edge, (kind, market, line), &offers));
            }
        }
    }

    fn closed(&mut self, reason: SignalCloseReason, edge: &EdgeSignal) {
        let Some((kind, in_play, opened_at)) = self.open.remove(&edge.id) else { return };
        let counts = self.graded.counts.entry((kind, in_play)).or_default();
        *counts.ended.entry(SignalChange::Closed(reason).key()).or_default() += 1;
        counts.lives.push(edge.updated_at.0 - opened_at);
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::records::{Offer, Outcome};

    use super::super::fixtures::{self, Polls};
    use super::*;

    const MINUTE: Micros = 60 * SECOND;

    fn offers(books: &[&str], home: i64, away: i64) -> Vec<Offer> {
        let prices = [(Outcome::Home, home), (Outcome::Away, away)];
        books.iter().map(|book| fixtures::offer(book, &prices)).collect()
    }

    /// Polls each five minutes, from two hours before the start of the one event.
    fn each_five_minutes(polls: Vec<Vec<Offer>>) -> Polls {
        let times = (1..).map(|number| number * 5 * MINUTE);
        Polls::new(times.zip(polls).map(|(at, offers)| fixtures::poll(at, "baseball", 120 * MINUTE, offers)))
    }

    /// Six books at 2.05 / 1.75; then three at 1.9 on both sides; from then on all of them.
    fn graded() -> Graded {
        let all = ["a", "b", "c", "d", "e", "f"];
        let mut polls = vec![offers(&all, 2_050, 1_750)];
        polls.push([offers(&all[..3], 1_900, 1_900), offers(&all[3..], 2_050, 1_750)].concat());
        polls.extend((0..21).map(|_| offers(&all, 1_900, 1_900)));
        let mut graded = Graded::default();
        graded.grade(&mut each_five_minutes(polls), &fixtures::books());
        graded
    }

    #[test]
    fn late_books_that_follow_are_counted_and_paid_by_the_close() {
        let graded = graded();
        assert_eq!((graded.opened(SignalKind::StalePrice), graded.opened(SignalKind::Steam)), (3, 1));
        let late = &graded.counts[&(SignalKind::StalePrice, false)];
        assert_eq!(late.ended, BTreeMap::from([("followed", 3)]));
        assert_eq!((late.moved.shorter, late.moved.longer, late.moved.still), (3, 0, 0));
        // Of the other prices of the line, each time: two late ones follow, all away prices of the late get longer.
        assert_eq!((late.moved_by_chance.shorter, late.moved_by_chance.longer), (6, 9));
        // All at 1.9 on both sides is a half: 2.05 was worth 2.5 % more than it cost, 1.9 on the other side 5 % less.
        assert_eq!((late.value.count, late.value.positive), (3, 3));
        assert!((late.value.sum / 3.0 - 0.025).abs() < 1e-9, "{late:?}");
        assert!((late.value_by_chance.sum - 3.0 * (0.025 - 0.05)).abs() < 1e-9, "{late:?}");
    }

    #[test]
    fn a_report_has_a_line_for_each_kind_in_each_part() {
        let report = graded().to_string();
        assert_eq!(
            report.lines().filter(|line| line.starts_with("stale_price pre-match")).count(),
            3,
            "{report}"
        );
        assert!(report.contains("followed 100.0 %") && report.contains("+2.50 %, 100.0 % of 3"), "{report}");
    }
}
