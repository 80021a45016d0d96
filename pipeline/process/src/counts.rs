//! What the odds machine counts, added up once it is committed.
//!
//! It never counts what was aborted: the same records come again.

use std::fmt;

use arb_engine::effect::{
    AlertScope, BookState, CloseReason, Effect, MovementKind, SignalChange, SignalKind, StaleAlert,
    WindowChange,
};
use arb_engine::input::Input;
use arb_engine::time::Disposition;
use arb_engine::{Step, invariants};
use arb_model::Faults;
use arb_runtime::machine::Tally;

/// Counts since the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OddsCounts {
    /// Frames read.
    pub frames: u64,
    /// Ends of polls.
    pub poll_ends: u64,
    /// Suspensions of sources and books, and their ends.
    pub suspensions: u64,
    /// Heartbeats.
    pub heartbeats: u64,
    /// Markers of scans.
    pub scan_markers: u64,
    /// Ticks of the frames that could be inputs.
    pub ticks: u64,
    /// Records that came late.
    pub late: u64,
    /// Polls that lacked frames.
    pub incomplete: u64,
    /// Records from a future that no one else had reached.
    pub ahead: u64,
    /// Frames about events that were over.
    pub over: u64,
    /// Records that were refused whole for a cap.
    pub refused: u64,
    /// Updates of pushed sources that were not taken in: repeated, conflicting, forgotten, of an unknown event.
    pub pushes: [u64; 4],
    /// The effects of the engine.
    pub effects: EffectCounts,
    /// Entries that broke an invariant.
    pub violations: u64,
    /// Ticks that were left out.
    pub faults: Faults,
}

/// What is not 0, as `name=value`.
impl fmt::Display for OddsCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frames, poll_ends, heartbeats, ticks, effects, .. } = self;
        write!(f, "frames={frames} poll_ends={poll_ends} heartbeats={heartbeats} ticks={ticks}")?;
        let rest = [
            ("scan_markers", self.scan_markers),
            ("late", self.late),
            ("incomplete", self.incomplete),
            ("ahead", self.ahead),
            ("over", self.over),
            ("refused", self.refused),
            ("pushes_repeated", self.pushes[0]),
            ("pushes_refused", self.pushes[1..].iter().sum()),
            ("opened", effects.opened),
            ("updated", effects.updated),
            ("refreshed", effects.refreshed),
            ("closed", effects.closed.iter().sum()),
            ("signals", effects.signals.iter().flatten().sum()),
            ("line_movements", effects.price_moves + effects.main_line_moves),
            (
                "stale_alerts",
                effects.stale_arbs + effects.stale_books + effects.recovered_books + effects.gone_books,
            ),
            ("violations", self.violations),
        ];
        rest.iter()
            .filter(|(_, count)| *count > 0)
            .try_for_each(|(name, count)| write!(f, " {name}={count}"))?;
        if self.faults.is_empty() { Ok(()) } else { write!(f, " faults: {}", self.faults) }
    }
}

/// Effects of the engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EffectCounts {
    /// Windows that opened.
    pub opened: u64,
    /// Other transitions of open windows.
    pub updated: u64,
    /// Entries of which only the times changed.
    pub refreshed: u64,
    /// Windows that closed, by reason.
    pub closed: [u64; CloseReason::ALL.len()],
    /// Prices that moved.
    pub price_moves: u64,
    /// Main lines that moved.
    pub main_line_moves: u64,
    /// Arbs that went stale.
    pub stale_arbs: u64,
    /// Books that went stale for an event.
    pub stale_books: u64,
    /// Books that recovered.
    pub recovered_books: u64,
    /// Stale books that went.
    pub gone_books: u64,
    /// Signals by kind: opened, updated, refreshed, closed.
    pub signals: [[u64; 4]; SignalKind::ALL.len()],
}

impl EffectCounts {
    fn count(&mut self, effect: &Effect) {
        if let Some(counted) = self.counter_of(effect) {
            *counted += 1;
        }
    }

    /// The counter of an effect; `None` of what is not counted.
    fn counter_of(&mut self, effect: &Effect) -> Option<&mut u64> {
        Some(match effect {
            Effect::Transition(WindowChange::Opened, ..) => &mut self.opened,
            Effect::Transition(WindowChange::Updated, ..) => &mut self.updated,
            Effect::Refreshed(_) => &mut self.refreshed,
            Effect::Closed(closed) => &mut self.closed[closed.reason.known()? as usize],
            Effect::LineMovement(movement) => match movement.kind.known()? {
                MovementKind::Price => &mut self.price_moves,
                MovementKind::MainLine => &mut self.main_line_moves,
            },
            Effect::StaleAlert(alert) => self.counter_of_alert(alert)?,
            Effect::Signal(change, edge) => &mut self.signals[edge.kind.known()? as usize][place(*change)],
            Effect::Contains { .. } => return None,
        })
    }

    fn counter_of_alert(&mut self, alert: &StaleAlert) -> Option<&mut u64> {
        Some(match (alert.scope.known()?, alert.state.known()?) {
            (AlertScope::Arb, _) => &mut self.stale_arbs,
            (AlertScope::Book, BookState::Stale) => &mut self.stale_books,
            (AlertScope::Book, BookState::Recovered) => &mut self.recovered_books,
            (AlertScope::Book, BookState::Gone) => &mut self.gone_books,
        })
    }

    fn add(&mut self, other: &Self) {
        self.opened += other.opened;
        self.updated += other.updated;
        self.refreshed += other.refreshed;
        add_each(&mut self.closed, &other.closed);
        self.price_moves += other.price_moves;
        self.main_line_moves += other.main_line_moves;
        self.stale_arbs += other.stale_arbs;
        self.stale_books += other.stale_books;
        self.recovered_books += other.recovered_books;
        self.gone_books += other.gone_books;
        self.signals.iter_mut().zip(&other.signals).for_each(|(to, from)| add_each(to, from));
    }
}

/// Where a change of a signal is counted.
fn place(change: SignalChange) -> usize {
    match change {
        SignalChange::Opened => 0,
        SignalChange::Updated => 1,
        SignalChange::Refreshed => 2,
        SignalChange::Closed(_) => 3,
    }
}

fn add_each(to: &mut [u64], from: &[u64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}

impl Tally for OddsCounts {
    fn add(&mut self, other: &Self) {
        self.frames += other.frames;
        self.poll_ends += other.poll_ends;
        self.heartbeats += other.heartbeats;
        self.suspensions += other.suspensions;
        self.scan_markers += other.scan_markers;
        self.ticks += other.ticks;
        self.late += other.late;
        self.incomplete += other.incomplete;
        self.ahead += other.ahead;
        self.over += other.over;
        self.refused += other.refused;
        add_each(&mut self.pushes, &other.pushes);
        self.effects.add(&other.effects);
        self.violations += other.violations;
        self.faults.add(&other.faults);
    }
}

impl OddsCounts {
    /// Records that could be read.
    #[must_use]
    pub fn readable(&self) -> u64 {
        self.frames + self.poll_ends + self.heartbeats + self.suspensions + self.scan_markers
    }

    /// Counts a record that could be read, and what became of it.
    pub(super) fn step(&mut self, input: &Input<'_>, step: Step) {
        match input {
            Input::Frame(frame) => {
                self.frames += 1;
                self.ticks += frame.ticks.len() as u64;
            }
            Input::PollEnd(_) => self.poll_ends += 1,
            Input::Heartbeat(_) => self.heartbeats += 1,
            Input::Suspension(_) => self.suspensions += 1,
        }
        match step.disposition {
            Disposition::Applied => {}
            Disposition::Late => self.late += 1,
            Disposition::Incomplete => self.incomplete += 1,
            Disposition::Ahead => self.ahead += 1,
            Disposition::Over => self.over += 1,
            Disposition::Refused => self.refused += 1,
            Disposition::Repeated => self.pushes[0] += 1,
            Disposition::Conflicting => self.pushes[1] += 1,
            Disposition::Forgotten => self.pushes[2] += 1,
            Disposition::UnknownEvent => self.pushes[3] += 1,
        }
    }

    /// Counts what is about to be published, and checks it.
    pub(super) fn effect(&mut self, effect: &Effect) {
        self.effects.count(effect);
        let (Effect::Transition(_, entry, _) | Effect::Refreshed(entry)) = effect else { return };
        if let Err(violation) = invariants::check_entry(entry) {
            self.violations += 1;
            tracing::error!(%violation, id = %entry.id, "an entry breaks an invariant");
        }
    }
}
