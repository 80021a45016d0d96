//! Whether what is owned makes progress: the decision behind `/readyz`.
//!
//! It is pure: the caller passes positions and the current time. It never decides whether a process is
//! restarted; that is `watchdog`.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// How far something has come, and how far it can come now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// How far it is.
    pub at: i64,
    /// How far it can come; `None` while that is not known.
    pub end: Option<i64>,
}

/// What is watched: a partition of a topic, for one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// What should move.
    pub what: &'static str,
    /// The topic.
    pub topic: &'static str,
    /// Which partition.
    pub partition: i32,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, topic, partition } = self;
        write!(f, "the {what} of {topic} partition {partition}")
    }
}

/// What does not move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck {
    /// What it is.
    pub subject: Subject,
    /// Whether it ever moved, or had nowhere to go.
    pub has_moved: bool,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, has_moved } = self;
        write!(f, "{subject} {}", if *has_moved { "does not move" } else { "has not moved yet" })
    }
}

/// Observes positions from time to time, and finds those that do not move though they could.
#[derive(Debug)]
pub struct ProgressWatch {
    limit: Duration,
    must_prove: bool,
    seen: BTreeMap<Subject, Seen>,
}

#[derive(Debug)]
struct Seen {
    at: i64,
    /// When it last moved, or had nowhere to go.
    since: Instant,
    /// Whether it ever did.
    is_proven: bool,
}

impl ProgressWatch {
    /// A position that does not move for so long is stuck.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self { limit, must_prove: false, seen: BTreeMap::new() }
    }

    /// The same; a new position counts as stuck until it has moved or has nothing to read: a process that
    /// crashes repeatedly before it processes anything never makes progress.
    #[must_use]
    pub fn proving(limit: Duration) -> Self {
        Self { must_prove: true, ..Self::new(limit) }
    }

    /// Takes in where everything is at a moment; what is not named is watched no longer.
    pub fn inspect(&mut self, now: Instant, positions: impl IntoIterator<Item = (Subject, Position)>) {
        let mut before = std::mem::take(&mut self.seen);
        for (subject, Position { at, end }) in positions {
            let is_at_end = end.is_some_and(|end| at >= end);
            let seen = match before.remove(&subject) {
                Some(seen) if seen.at == at && !is_at_end => seen,
                Some(_) => Seen { at, since: now, is_proven: true },
                None => Seen { at, since: now, is_proven: is_at_end || !self.must_prove },
            };
            self.seen.insert(subject, seen);
        }
    }

    /// Whether anything is watched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The first that is stuck at a moment.
    #[must_use]
    pub fn stuck(&self, now: Instant) -> Option<Stuck> {
        let is_stuck =
            |seen: &Seen| !seen.is_proven || now.saturating_duration_since(seen.since) >= self.limit;
        let (subject, seen) = self.seen.iter().find(|(_, seen)| is_stuck(seen))?;
        Some(Stuck { subject: *subject, has_moved: seen.is_proven })
    }
}

/// Whether a server answers, as of the last questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answering {
    silent_since: Option<Instant>,
}

/// What is new about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerChange {
    /// It does not answer any more.
    Silent,
    /// It answers again, after so long.
    Back(Duration),
}

impl Answering {
    /// Takes in whether a question was answered; the first of several that were not, and the next that was, are changes.
    pub fn asked(&mut self, is_answered: bool, now: Instant) -> Option<AnswerChange> {
        match (self.silent_since, is_answered) {
            (None, false) => {
                self.silent_since = Some(now);
                Some(AnswerChange::Silent)
            }
            (Some(since), true) => {
                self.silent_since = None;
                Some(AnswerChange::Back(now.saturating_duration_since(since)))
            }
            (None, true) | (Some(_), false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(15);

    fn subject(partition: i32) -> Subject {
        Subject { what: "position", topic: "t", partition }
    }

    fn position(at: i64, end: i64) -> Position {
        Position { at, end: Some(end) }
    }

    #[test]
    fn a_position_that_could_move_and_does_not_is_stuck_after_the_limit() {
        let (mut watch, start) = (ProgressWatch::new(LIMIT), Instant::now());
        let seconds = |seconds| start + Duration::from_secs(seconds);
        watch.inspect(start, [(subject(0), position(5, 9)), (subject(1), position(9, 9))]);
        watch.inspect(seconds(14), [(subject(0), position(5, 9)), (subject(1), position(9, 9))]);
        assert_eq!(watch.stuck(seconds(14)), None);
        watch.inspect(seconds(15), [(subject(0), position(5, 9)), (subject(1), position(9, 9))]);
        let stuck = watch.stuck(seconds(15)).unwrap();
        assert_eq!(stuck.to_string(), "the position of t partition 0 does not move");
        watch.inspect(seconds(16), [(subject(0), position(6, 99)), (subject(1), position(9, 9))]);
        assert_eq!(watch.stuck(seconds(16)), None, "it has moved");
        watch.inspect(seconds(40), [(subject(1), position(9, 9))]);
        assert_eq!(watch.stuck(seconds(40)), None, "it is another's");
    }

    #[test]
    fn a_position_without_input_is_never_stuck() {
        let (mut watch, start) = (ProgressWatch::proving(LIMIT), Instant::now());
        for minute in 0..60 {
            let now = start + Duration::from_secs(60 * minute);
            watch.inspect(now, [(subject(0), position(9, 9))]);
            assert_eq!(watch.stuck(now), None);
        }
    }

    #[test]
    fn a_new_position_is_stuck_until_it_has_moved() {
        let (mut watch, now) = (ProgressWatch::proving(LIMIT), Instant::now());
        watch.inspect(now, [(subject(0), Position { at: 5, end: None })]);
        // Whether there is input is not known yet; then there is some.
        for end in [None, Some(9)] {
            watch.inspect(now, [(subject(0), Position { at: 5, end })]);
            let stuck = watch.stuck(now).unwrap();
            assert_eq!(stuck.to_string(), "the position of t partition 0 has not moved yet");
        }
        watch.inspect(now, [(subject(0), position(6, 9))]);
        assert_eq!(watch.stuck(now), None);
        let mut trusting = ProgressWatch::new(LIMIT);
        trusting.inspect(now, [(subject(0), position(5, 9))]);
        assert_eq!(trusting.stuck(now), None);
    }

    #[test]
    fn a_server_that_falls_silent_is_reported_once_and_once_when_it_is_back() {
        let (mut answering, start) = (Answering::default(), Instant::now());
        let seconds = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(answering.asked(true, start), None);
        assert_eq!(answering.asked(false, seconds(1)), Some(AnswerChange::Silent));
        assert_eq!(answering.asked(false, seconds(9)), None);
        assert_eq!(answering.asked(true, seconds(31)), Some(AnswerChange::Back(Duration::from_secs(30))));
        assert_eq!(answering.asked(true, seconds(32)), None);
    }
}
