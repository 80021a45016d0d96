//! What a book states about one bet, topic by topic.
//!
//! It never compares books.

use super::topic::Topic;

/// What a book states about one topic of a bet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Term<'a> {
    /// It makes no difference to such a bet.
    Immaterial,
    Unknown,
    Says(&'a str),
}

/// What a book states about a bet, by topic in the order of [`Topic::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terms<'a>(pub(super) [Term<'a>; Topic::ALL.len()]);

/// The terms of a match that is played.
pub(crate) type Played<'a> = [Term<'a>; Topic::PLAYED];

/// What a bet pays that is settled without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoidPays {
    /// The stake.
    Refund,
    /// Half of what it would win: a contract pays half a dollar.
    Half,
    /// Something between nothing and all: the last price, or nobody knows.
    Anything,
}

impl<'a> Terms<'a> {
    pub(super) fn of(&self, topic: Topic) -> Term<'a> {
        self.0[topic as usize]
    }

    /// What is stated about a topic, where it matters; `None` within is unknown.
    pub(crate) fn stated(&self) -> impl Iterator<Item = (Topic, Option<&'a str>)> + use<'a> {
        let terms = self.0;
        Topic::ALL.into_iter().filter_map(move |topic| match terms[topic as usize] {
            Term::Immaterial => None,
            Term::Unknown => Some((topic, None)),
            Term::Says(value) => Some((topic, Some(value))),
        })
    }

    /// The terms of a match that is played, where all that matter are known: equal for books that pay alike.
    pub(crate) fn played(&self) -> Option<Played<'a>> {
        let played = Topic::ALL.map(|topic| self.of(topic));
        let (played, _) = played.split_first_chunk::<{ Topic::PLAYED }>()?;
        (!played.contains(&Term::Unknown)).then_some(*played)
    }

    /// What a bet pays that is settled without a result.
    pub(crate) fn void(&self) -> VoidPays {
        match self.of(Topic::Void) {
            Term::Says("refund") => VoidPays::Refund,
            Term::Says("half") => VoidPays::Half,
            _ => VoidPays::Anything,
        }
    }
}
