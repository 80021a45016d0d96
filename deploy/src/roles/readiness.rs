//! Whether a role that owns partitions is ready: what it owns moves, and no open transaction holds its topics back.
//!
//! It looks from outside, at positions that the loop has noted and at the ends of the topics; it never looks into the
//! loop. A change is logged once. What "moves" means is decided in `arb_runtime::readiness`.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use arb_kafka::Ends;
use arb_runtime::progress::{ProgressMap, Span};
use arb_runtime::readiness::{Position, ProgressWatch, Subject};

/// A position that could move and does not for so long is stuck.
pub(super) const STUCK: Duration = Duration::from_secs(15);
/// What is said where Kafka does not answer for so long: positions that nobody can compare prove nothing.
pub(super) const SILENT: &str = "Kafka has not answered for 15 s";
/// A last stable offset may stay unchanged for as long as a transaction of a dead processor stays open (10 s)
/// and the end offsets are not fetched (5 s), twice.
const HELD_BACK: Duration = Duration::from_secs(30);
/// For so long a role without partitions is not ready: it may be assigned some soon, and has processed
/// nothing yet.
const JOINING: Duration = Duration::from_secs(10);

/// A topic that a role reads or writes.
pub(super) struct Topic<'a> {
    pub(super) name: &'static str,
    /// Where the role is in it, if it reads it.
    pub(super) places: Option<&'a ProgressMap>,
    /// Where it ends.
    pub(super) ends: &'a Ends,
}

/// What was seen of a role, looked at every second.
pub(super) struct Readiness(Mutex<State>);

struct State {
    begun: Instant,
    positions: ProgressWatch,
    stable: ProgressWatch,
    /// What the role waits for; empty when it is ready.
    problem: String,
}

impl Readiness {
    /// Of a role that has just begun, which is not ready.
    pub(super) fn new() -> Self {
        Self(Mutex::new(State {
            begun: Instant::now(),
            positions: ProgressWatch::proving(STUCK),
            stable: ProgressWatch::new(HELD_BACK),
            problem: "it has just begun".to_owned(),
        }))
    }

    /// What did not move when it was last looked at.
    pub(super) fn problem(&self) -> Option<String> {
        let problem = self.0.lock().unwrap_or_else(PoisonError::into_inner).problem.clone();
        Some(problem).filter(|problem| !problem.is_empty())
    }

    /// Looks at the topics.
    pub(super) fn inspect(&self, topics: &[Topic<'_>]) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        state.positions.inspect(now, topics.iter().flat_map(positions));
        state.stable.inspect(now, topics.iter().flat_map(stable));
        let is_silent = topics.iter().any(|topic| topic.ends.silence() >= STUCK);
        let problem = if is_silent { SILENT.to_owned() } else { problem(&state, now) };
        if problem != state.problem {
            if problem.is_empty() {
                tracing::info!("ready");
            } else if now.duration_since(state.begun) < JOINING {
                tracing::info!(problem, "not ready yet");
            } else {
                tracing::warn!(problem, "not ready");
            }
            state.problem = problem;
        }
    }
}

fn problem(state: &State, now: Instant) -> String {
    match state.positions.stuck(now).or_else(|| state.stable.stuck(now)) {
        Some(stuck) => stuck.to_string(),
        None if state.positions.is_empty() && now.duration_since(state.begun) < JOINING => {
            "it owns no partition yet".to_owned()
        }
        None => String::new(),
    }
}

/// How far the role is in each partition that it owns; one that it is still taking over counts as not proven yet.
fn positions(topic: &Topic<'_>) -> Vec<(Subject, Position)> {
    let Some(places) = topic.places else { return Vec::new() };
    let ends = topic.ends.get();
    let position = |(partition, next): (i32, Option<i64>)| {
        let end: Option<&Span> = ends.get(&partition);
        let first = end.map_or(0, |end| end.first);
        let position = Position { at: next.unwrap_or(first).max(first), end: end.map(|end| end.next) };
        (Subject { what: "position", topic: topic.name, partition }, position)
    };
    let coming = places.assigned().into_iter().map(|partition| {
        let subject = Subject { what: "takeover", topic: topic.name, partition };
        (subject, Position { at: 0, end: None })
    });
    let owned = places.get().into_iter().map(|(partition, place)| position((partition, place.next)));
    coming.chain(owned).collect()
}

/// How far what is committed reaches in each partition, and what is written.
fn stable(topic: &Topic<'_>) -> Vec<(Subject, Position)> {
    let written = topic.ends.written();
    let stable = |(partition, span): (i32, Span)| {
        let position = Position { at: span.next, end: written.get(&partition).copied() };
        (Subject { what: "last stable offset", topic: topic.name, partition }, position)
    };
    topic.ends.stable().into_iter().map(stable).collect()
}
