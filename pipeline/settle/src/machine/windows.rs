//! Arb windows in the settlement machine: each is kept from its opening until its result cannot be corrected any more.
//!
//! It publishes a grading for each report that says something new, and never one for a window that has none.

use std::sync::Arc;

use arb_model::{OpenedWindow, Time, WindowGrade, WindowGrading};
use arb_runtime::log::Output;
use arb_schemas::records::{ResultReport, StateOpenedWindow};
use arb_schemas::topics::FEED_EVENTS;
use arb_schemas::wire::{self, WireError};

use super::Step;
use crate::codec::Part;
use crate::window_grade;

/// Windows of an event at most: all are graded by one record.
pub const MAX_WINDOWS: usize = 5_000;

impl Step<'_> {
    /// Keeps a window; grades it at once where the result of its event is known.
    pub(super) fn window(&mut self, window: &OpenedWindow) -> Result<(), WireError> {
        if self.book.window(&window.id).is_some() {
            self.tally.repeated += 1;
            return Ok(());
        }
        if self.book.window_count(&window.event.id) >= MAX_WINDOWS {
            self.refuse(format!("{} has {MAX_WINDOWS} windows", window.event.id));
            return Ok(());
        }
        self.tally.windows += 1;
        let known_start = self.book.result(&window.event.id).and_then(|result| result.report.starts_at);
        let starts_at = known_start.map_or(window.event.commence_time, Time);
        let taken_at = self.book.clock().max(window.opened_at.0);
        let mut saved = StateOpenedWindow { window: window.clone(), grade: None, starts_at, taken_at };
        let report = self.report_for(&window.event, starts_at);
        if let Some(grade) = report.and_then(|report| window_grade::grade(self.clauses, &saved, &report)) {
            self.grade_window(&mut saved, grade)?;
        }
        self.book.put(Part::Window(Arc::new(saved)));
        Ok(())
    }

    /// Takes a new start and a new result into a window of the event.
    pub(super) fn regrade_window(
        &mut self,
        saved: &StateOpenedWindow,
        report: &ResultReport,
    ) -> Result<(), WireError> {
        let starts_at = report.starts_at.map_or(saved.starts_at, Time);
        let mut next = StateOpenedWindow { starts_at, ..saved.clone() };
        let grade = window_grade::grade(self.clauses, &next, report);
        if grade.is_none() && starts_at == saved.starts_at {
            return Ok(());
        }
        if let Some(grade) = grade {
            self.grade_window(&mut next, grade)?;
        }
        self.book.put(Part::Window(Arc::new(next)));
        Ok(())
    }

    fn grade_window(&mut self, saved: &mut StateOpenedWindow, grade: WindowGrade) -> Result<(), WireError> {
        self.tally.window_gradings += 1;
        self.tally.window_corrections += u64::from(saved.grade.is_some());
        let grading = WindowGrading { window: saved.window.clone(), grade };
        let (key, value) = (grading.window.event.id.to_string(), wire::encode(&grading)?);
        self.out.send(Output::new(FEED_EVENTS.name, self.partition, key, Some(value)));
        saved.grade = Some(grading.grade);
        Ok(())
    }
}
