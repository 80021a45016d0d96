//! What becomes of a report of a result: it is refused where its event has not begun, held while the event cannot be over, else graded by.
//!
//! A held report is graded by once the event has lasted long enough, or when a second source says the same. The last report always counts; of one
//! that changes often only the gradings are fewer. It never settles a bet itself.

use std::sync::Arc;

use arb_model::{EventStatus, Time};
use arb_picks::results::least_length;
use arb_runtime::dead_letters::Reason;
use arb_schemas::records::{ResultReport, StateResult};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::wire::WireError;

use super::Step;
use crate::codec::Part;

/// After so many reports on an event that say something new, bets are graded by later ones once in [`PAUSE`].
pub const FREE_CHANGES: i64 = 20;
/// Between two gradings by reports of an event that changes often.
pub const PAUSE: Micros = 60 * SECOND;

/// When the bets on an event begin to count, as far as the machine knows.
#[derive(Debug, Clone, Copy)]
struct EventTimes {
    starts_at: Micros,
    /// It cannot be over before.
    ends_after: Micros,
}

impl Step<'_> {
    pub(super) fn result(&mut self, report: &ResultReport) -> Result<(), WireError> {
        let known = self.book.result(&report.event).cloned();
        let starts_at = report.starts_at.or_else(|| known.as_ref()?.report.starts_at);
        let report = ResultReport { starts_at, ..report.clone() };
        let times = self.times(&report);
        if is_played(&report) && times.is_some_and(|times| report.at < times.starts_at) {
            self.out.dead_letter(Reason::Refused, "the event has not begun".to_owned());
            return Ok(());
        }
        if let Some(known) = known.as_deref().filter(|known| is_confirmed(known, &report)) {
            let report = if report.at < known.report.at { known.report.clone() } else { report };
            return self.grade_by(&StateResult { report, ..known.clone() });
        }
        if known.as_ref().is_some_and(|known| report.at < known.report.at || report == known.report) {
            self.tally.repeated += 1;
            return Ok(());
        }
        self.tally.results += 1;
        self.take(known.as_deref(), report, times)
    }

    /// Takes a newer report, and grades by it now or later.
    fn take(
        &mut self,
        known: Option<&StateResult>,
        report: ResultReport,
        times: Option<EventTimes>,
    ) -> Result<(), WireError> {
        let now = self.book.clock().max(report.at);
        let is_new = known.is_none_or(|known| !says_same(&known.report, &report));
        let mut next = known.cloned().unwrap_or_default();
        next.changes += i64::from(is_new);
        let ends_after = times.filter(|_| is_played(&report)).map(|times| times.ends_after);
        let pause = next.graded_at.filter(|_| next.changes > FREE_CHANGES);
        let due_at = ends_after.max(pause.map(|last| last.saturating_add(PAUSE))).filter(|due| *due > now);
        // What bets are graded by stays so when it is said again.
        next.due_at = if is_new { due_at } else { next.due_at };
        (next.report, next.taken_at) = (report, now);
        if next.due_at.is_some() {
            self.book.put(Part::Result(Arc::new(next)));
            return Ok(());
        }
        self.grade_by(&next)
    }

    /// Grades by the reports that were held until now.
    pub(super) fn held_results(&mut self, now: Micros) -> Result<(), WireError> {
        while let Some(saved) = self.book.next_due(now) {
            self.grade_by(&saved)?;
        }
        Ok(())
    }

    fn grade_by(&mut self, saved: &StateResult) -> Result<(), WireError> {
        let graded_at = Some(self.book.clock().max(saved.report.at));
        let next = StateResult { due_at: None, graded_at, ..saved.clone() };
        let report = next.report.clone();
        self.book.put(Part::Result(Arc::new(next)));
        for saved in self.book.picks_of(&report.event) {
            self.regrade(&saved, &report)?;
        }
        let windows: Vec<_> = self.book.windows_of(&report.event).cloned().collect();
        for saved in windows {
            self.regrade_window(&saved, &report)?;
        }
        Ok(())
    }

    /// The report that grades a window that begins and ends at these times, where it is known by then; one that came too early is held.
    pub(super) fn report_for(&mut self, event: &arb_model::Event, starts_at: Time) -> Option<ResultReport> {
        let saved = self.book.result(&event.id).cloned().filter(|saved| saved.due_at.is_none())?;
        let report = saved.report.clone();
        if !is_played(&report) {
            return Some(report);
        }
        let ends_after = starts_at.0.saturating_add(least_length(event));
        if report.at < starts_at.0 {
            return None;
        }
        if self.book.clock().max(report.at) < ends_after {
            let held = StateResult { due_at: Some(ends_after), ..StateResult::clone(&saved) };
            self.book.put(Part::Result(Arc::new(held)));
            return None;
        }
        Some(report)
    }

    /// The newest known start of an event, and when it can be over at the earliest; `None` of an event that nothing was bet on.
    fn times(&self, report: &ResultReport) -> Option<EventTimes> {
        let picks = self.book.picks_of(&report.event);
        let of_picks = picks.iter().map(|saved| (saved.pick.starts_at, least_length(&saved.pick.event)));
        let windows = self.book.windows_of(&report.event);
        let of_windows = windows.map(|saved| (saved.starts_at, least_length(&saved.window.event)));
        let (start, length) = of_picks.chain(of_windows).max()?;
        let starts_at = report.starts_at.unwrap_or(start.0);
        Some(EventTimes { starts_at, ends_after: starts_at.saturating_add(length) })
    }
}

/// Whether a report says that its event was played.
fn is_played(report: &ResultReport) -> bool {
    EventStatus::parse(&report.status).is_some_and(EventStatus::was_played)
}

/// Whether a second source says what a held report says.
fn is_confirmed(held: &StateResult, report: &ResultReport) -> bool {
    held.due_at.is_some() && held.report.source != report.source && says_same(&held.report, report)
}

/// Whether two reports say the same of an event, whichever side they name first.
fn says_same(one: &ResultReport, other: &ResultReport) -> bool {
    let said = |report: &ResultReport| (report.status.clone(), report.ended.clone(), report.starts_at);
    let scores = |report: &ResultReport, is_turned: bool| {
        let sided = report.scores.iter().map(|score| if is_turned { score.turned() } else { score.clone() });
        let mut scores: Vec<_> = sided.map(|score| (score.period, score.home, score.away)).collect();
        scores.sort();
        scores
    };
    let is_turned = (&one.home, &one.away) == (&other.away, &other.home) && one.home != one.away;
    let has_names = is_turned || (&one.home, &one.away) == (&other.home, &other.away);
    said(one) == said(other) && has_names && scores(one, false) == scores(other, is_turned)
}
