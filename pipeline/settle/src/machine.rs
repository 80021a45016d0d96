//! The settlement machine: publishes each pick once and before its event, and grades it, and the arb windows of the event, whenever its
//! result changes.
//!
//! Candidates, windows, results, closing prices, later offers and time are records of one topic. It never asks a clock, never changes what was
//! published of a pick, and never removes a grading.

mod results;
mod windows;

use std::sync::Arc;

use arb_model::pick::{GRADED, PUBLISHED};
use arb_model::{ClosingPrice, EventStatus, FeedKind, Pick, PickChange, PickGrade, Time};
use arb_runtime::dead_letters::Reason;
use arb_runtime::draft::Parts;
use arb_runtime::log::Output;
use arb_runtime::machine::{Change, Counts, Fingerprint, InputPlace, Machine, MachineTopics, Outbox};
use arb_runtime::telemetry::Role;
use arb_schemas::records::{PickCandidate, PickClosing, PickOffer, ResultReport, StatePick};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::{DEAD_PICK_TASKS, FEED_EVENTS, PICK_STATE, PICK_TASKS, PICKS};
use arb_schemas::wire::{self, WireError};

use crate::book::DraftBook;
use crate::clauses::Clauses;
use crate::codec::{self, Part, Task};
use crate::counts::{Held, SettleCounts};
use crate::{grading, offers, pick_id, telemetry};

pub use results::{FREE_CHANGES, PAUSE};
pub use windows::MAX_WINDOWS;

/// A closing price was last confirmed at most so long before the start.
pub const CLOSING_WITHIN: Micros = 15 * 60 * SECOND;
/// Gradings that a pick carries at most; each of them was published on the feed.
pub const MAX_GRADES: usize = 100;
/// The rules, recorded in the changelog.
const RULES: &str = "picks-2";

/// The machine.
#[derive(Debug, Default)]
pub struct SettleMachine {
    clauses: Clauses,
    book: DraftBook,
}

/// What a step works on.
struct Step<'a> {
    clauses: &'a Clauses,
    book: &'a mut DraftBook,
    out: &'a mut Outbox,
    tally: &'a mut SettleCounts,
    partition: i32,
}

impl Step<'_> {
    fn candidate(&mut self, candidate: &PickCandidate) -> Result<(), WireError> {
        let slot = pick_id::slot(candidate);
        if self.book.pick(&slot).is_some() {
            self.tally.repeated += 1;
            return Ok(());
        }
        let known = self.book.result(&candidate.event.id).map(|saved| &saved.report);
        let announced = candidate.event.commence_time;
        let starts_at = known.and_then(|report| report.starts_at).map_or(announced, Time);
        // Nobody saw it before it was written. A recording has a time of its own, which no timer has.
        let published_at = match candidate.feed.known() {
            Some(FeedKind::Recorded) => candidate.at,
            _ => Time(candidate.at.0.max(self.book.clock())),
        };
        if known.is_some_and(is_decided) {
            self.refuse("the result of the event is known".to_owned());
            return Ok(());
        }
        if published_at.0 >= starts_at.0 {
            self.refuse("the event has started".to_owned());
            return Ok(());
        }
        self.tally.picks += 1;
        let id = pick_id::of(&slot, published_at);
        let pick = published(candidate, id, published_at, starts_at);
        let taken_at = self.book.clock().max(candidate.at.0);
        self.report(PUBLISHED, &pick)?;
        self.put(StatePick { pick, taken_at })
    }

    /// Takes a new start and a new result into a pick of the event.
    fn regrade(&mut self, saved: &StatePick, report: &ResultReport) -> Result<(), WireError> {
        let mut next = saved.clone();
        if let Some(start) = report.starts_at {
            next.pick.starts_at = Time(start);
            next.pick.closing.take_if(|closing| !is_closing(start, closing.last_seen_at.0));
        }
        if let Some(grade) = grading::grade(self.clauses, &next.pick, report) {
            self.add_grade(&mut next.pick, grade)?;
        }
        if next == *saved { Ok(()) } else { self.put(next) }
    }

    fn add_grade(&mut self, pick: &mut Pick, grade: PickGrade) -> Result<(), WireError> {
        self.tally.gradings += 1;
        self.tally.corrections += u64::from(!pick.grades.is_empty());
        // The first grading and the newest ones are kept: the last word is always among them.
        if pick.grades.len() >= MAX_GRADES {
            pick.grades.remove(1);
        }
        pick.grades.push(grade);
        self.report(GRADED, pick)
    }

    /// The last one before the start counts, whenever it comes.
    fn closing(&mut self, closing: &PickClosing) -> Result<(), WireError> {
        let Some(known) = self.known(&closing.pick) else {
            self.tally.repeated += 1;
            return Ok(());
        };
        let seen_at = closing.last_seen_at.0;
        let is_later = known.pick.closing.as_ref().is_none_or(|known| known.last_seen_at.0 < seen_at);
        if !is_later || !is_closing(known.pick.starts_at.0, seen_at) {
            self.tally.repeated += 1;
            return Ok(());
        }
        self.tally.closings += 1;
        let mut next = StatePick::clone(&known);
        next.pick.closing = Some(ClosingPrice::from(closing.clone()));
        self.put(next)
    }

    fn offer(&mut self, offer: &PickOffer) -> Result<(), WireError> {
        let next = self.known(&offer.pick).and_then(|known| {
            let mut next = StatePick::clone(&known);
            offers::take(&mut next.pick, offer).then_some(next)
        });
        let Some(next) = next else {
            self.tally.repeated += 1;
            return Ok(());
        };
        self.tally.offers += 1;
        self.put(next)
    }

    /// The pick with an id.
    fn known(&self, id: &str) -> Option<Arc<StatePick>> {
        self.book.pick(pick_id::slot_of(id)).filter(|saved| saved.pick.id == id).cloned()
    }

    /// It is so late.
    fn timer(&mut self, now: Micros) -> Result<(), WireError> {
        if now > self.book.clock() {
            self.book.put(Part::Clock(now));
        }
        self.held_results(now)?;
        while let Some(part) = self.book.next_end(now) {
            if let Part::Pick(saved) = &part
                && saved.pick.is_open()
            {
                let mut pick = saved.pick.clone();
                let grade = grading::without_result(&pick, now);
                self.add_grade(&mut pick, grade)?;
                self.publish(&pick)?;
            }
            self.book.remove(&part.key());
        }
        Ok(())
    }

    fn put(&mut self, saved: StatePick) -> Result<(), WireError> {
        self.publish(&saved.pick)?;
        self.book.put(Part::Pick(Arc::new(saved)));
        Ok(())
    }

    fn publish(&mut self, pick: &Pick) -> Result<(), WireError> {
        let value = wire::encode(pick)?;
        self.out.send(Output::new(PICKS.name, self.partition, pick.id.clone(), Some(value)));
        Ok(())
    }

    /// Publishes to the feed. Its records have no mark, which are the processor's.
    fn report(&mut self, change: &str, pick: &Pick) -> Result<(), WireError> {
        let value = wire::encode(&PickChange { change: change.to_owned(), pick: pick.clone() })?;
        let key = pick.event.id.to_string();
        self.out.send(Output::new(FEED_EVENTS.name, self.partition, key, Some(value)));
        Ok(())
    }

    fn refuse(&mut self, problem: String) {
        self.out.dead_letter(Reason::Refused, problem);
    }
}

/// Whether no more is to be bet on an event.
fn is_decided(report: &ResultReport) -> bool {
    let status = EventStatus::parse(&report.status);
    status.is_some_and(|status| !matches!(status, EventStatus::InProgress | EventStatus::Postponed))
}

/// Whether a price that was confirmed at a time is a closing price of a start.
fn is_closing(starts_at: Micros, seen_at: Micros) -> bool {
    seen_at < starts_at && starts_at.saturating_sub(seen_at) <= CLOSING_WITHIN
}

/// A candidate as it is published.
fn published(candidate: &PickCandidate, id: String, published_at: Time, starts_at: Time) -> Pick {
    let candidate = candidate.clone();
    Pick {
        id,
        bot: candidate.bot,
        version: candidate.version,
        feed: candidate.feed,
        event: candidate.event,
        market: candidate.market,
        period: candidate.period,
        line: candidate.line,
        outcome: candidate.outcome,
        draw_refunds: candidate.draw_refunds,
        book: candidate.book,
        price: candidate.price,
        probability: candidate.probability,
        method: candidate.method,
        stake: candidate.stake,
        reasons: candidate.reasons,
        published_at,
        starts_at,
        closing: None,
        offer_after_poll: None,
        offer_after_minute: None,
        grades: Vec::new(),
    }
}

impl Machine for SettleMachine {
    type Config = Clauses;
    type Input<'a> = Task;
    type Tally = SettleCounts;
    type Size = Held;
    type RestoreError = WireError;

    const TOPICS: MachineTopics = MachineTopics {
        input: &PICK_TASKS,
        changelog: &PICK_STATE,
        dead_letters: &DEAD_PICK_TASKS,
        outputs: &[&PICKS, &FEED_EVENTS],
    };
    const ROLE: Option<Role> = Some(Role::Settle);

    fn new(clauses: &Clauses) -> Self {
        Self { clauses: clauses.clone(), book: DraftBook::default() }
    }

    fn fingerprint(_: &Clauses) -> Fingerprint {
        Fingerprint { rules: RULES.to_owned(), setting: "the version of arb", tables: 0 }
    }

    fn decode(message: &[u8]) -> Result<Task, WireError> {
        codec::decode_task(message)
    }

    fn timer(task: &mut Task) -> Option<&mut Micros> {
        if let Task::Timer(at) = task { Some(at) } else { None }
    }

    fn step(
        &mut self,
        at: InputPlace,
        input: &Task,
        out: &mut Outbox,
        tally: &mut SettleCounts,
    ) -> Result<(), WireError> {
        let mut step =
            Step { clauses: &self.clauses, book: &mut self.book, out, tally, partition: at.partition };
        match input {
            Task::Candidate(candidate) => step.candidate(candidate),
            Task::Window(window) => step.window(window),
            Task::Result(report) => step.result(report),
            Task::Closing(closing) => step.closing(closing),
            Task::Offer(offer) => step.offer(offer),
            Task::Timer(now) => step.timer(*now),
        }
    }

    fn changes<E: From<WireError>>(&self, mut put: impl FnMut(Change) -> Result<(), E>) -> Result<(), E> {
        for (key, _) in self.book.changed() {
            let value = self.book.part(key).map(|part| codec::encode_part(&part)).transpose()?;
            put(Change { key: key.to_owned(), value })?;
        }
        Ok(())
    }

    fn apply(&mut self) {
        self.book.apply();
    }

    fn abort(&mut self) {
        self.book.abort();
    }

    fn restore(&mut self, _: &[u8], value: &[u8]) -> Result<(), WireError> {
        self.book.restore(codec::decode_part(value)?);
        Ok(())
    }

    fn size(&self) -> Held {
        let open = self.book.picks().filter(|saved| saved.pick.is_open()).count();
        let (graded, windows) = (self.book.picks().len() - open, self.book.windows());
        Held { open, graded, windows, results: self.book.results() }
    }

    fn report(counts: &Counts<SettleCounts>) {
        telemetry::committed(counts);
    }

    fn report_state(_worker: usize, machines: &[&Self]) {
        telemetry::sizes(machines.iter().map(|machine| machine.size()));
    }
}

#[cfg(test)]
mod tests;
