//! An open signal as the state keeps it, and what it is about.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::effect::{SignalId, SignalKind};
use crate::market::{Line, Names, Outcome};
use crate::quotes::Quote;

/// What a signal is about: of one subject there is one signal at a time. In the order in which they are published.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) kind: SignalKind,
    pub(super) line: Option<Line>,
    /// Of a middle, the second bet's line.
    pub(super) second: Option<Line>,
    pub(super) outcome: Option<Outcome>,
    /// Of a stale price, whose.
    pub(super) book: Option<Arc<str>>,
}

impl Subject {
    /// The line that it is about; of a middle that of the first bet.
    pub(crate) fn line(&self) -> Option<Line> {
        self.line
    }

    /// What these bets are about.
    pub(crate) fn of(kind: SignalKind, bets: &[Quote], names: &Names) -> Option<Self> {
        let first = bets.first()?;
        let one = matches!(
            kind,
            SignalKind::Value | SignalKind::Steam | SignalKind::StalePrice | SignalKind::OddsDrop
        );
        let second = bets.get(1).filter(|_| kind == SignalKind::Middle);
        Some(Self {
            kind,
            line: first.key.line(),
            second: second.and_then(|second| second.key.line()),
            outcome: one.then_some(first.key.outcome()),
            book: (kind == SignalKind::StalePrice).then(|| Arc::clone(names.name(first.key.book()))),
        })
    }
}

/// An open signal as the state keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signal {
    pub(crate) subject: Subject,
    pub(crate) id: SignalId,
    pub(crate) opened_at: Micros,
    pub(crate) expires_at: Micros,
    pub(crate) sequence: i64,
    pub(crate) strength: f64,
    pub(crate) confidence: f64,
    /// As they were when it was last published.
    pub(crate) bets: Vec<Quote>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{World, price, quote};
    use crate::venues::Books;

    #[test]
    fn the_subject_of_a_signal_depends_on_its_kind() {
        let world = World::new(Books::default(), 2);
        let bets = [
            quote(world.book("a"), Some(2_500), Outcome::Over, price("2")),
            quote(world.book("b"), Some(3_500), Outcome::Under, price("2")),
        ];
        let of = |kind| {
            let subject = Subject::of(kind, &bets, &world.names).unwrap();
            (subject.line, subject.second, subject.outcome, subject.book.map(|book| book.to_string()))
        };
        let one = (Some(2_500), None, Some(Outcome::Over), None);
        assert_eq!([of(SignalKind::Value), of(SignalKind::Steam)], [one.clone(), one.clone()]);
        assert_eq!(of(SignalKind::OddsDrop), one);
        assert_eq!(
            of(SignalKind::StalePrice),
            (Some(2_500), None, Some(Outcome::Over), Some("a".to_owned()))
        );
        assert_eq!(of(SignalKind::LowHold), (Some(2_500), None, None, None));
        assert_eq!(of(SignalKind::Middle), (Some(2_500), Some(3_500), None, None));
        assert_eq!(Subject::of(SignalKind::Value, &[], &world.names), None, "of no bets");
    }

    #[test]
    fn subjects_are_ordered_by_kind_then_line_then_outcome_then_book() {
        let world = World::new(Books::default(), 2);
        let of = |kind, line, outcome, book| {
            Subject::of(kind, &[quote(world.book(book), line, outcome, price("2"))], &world.names).unwrap()
        };
        let ordered = [
            of(SignalKind::Value, Some(1_000), Outcome::Over, "b"),
            of(SignalKind::Value, Some(2_000), Outcome::Over, "a"),
            of(SignalKind::Value, Some(2_000), Outcome::Under, "a"),
            of(SignalKind::StalePrice, Some(1_000), Outcome::Over, "a"),
            of(SignalKind::StalePrice, Some(1_000), Outcome::Over, "b"),
        ];
        let kinds: Vec<_> = ordered.iter().map(|subject| subject.kind).collect();
        let by_kind = SignalKind::Value < SignalKind::StalePrice;
        assert!(by_kind && ordered.is_sorted_by(|a, b| a < b), "{kinds:?}");
    }
}
