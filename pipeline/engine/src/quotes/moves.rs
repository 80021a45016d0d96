//! The moves of a market in the order in which they came, in pieces that copies share.
//!
//! Each tick makes another copy of its market's state. Of thousands of moves such a copy takes the last piece and the addresses of the
//! others, and what asks for their times looks at pieces first. It never reorders anything, and where pieces end means nothing.

use std::sync::Arc;

use super::price_move::Move;
use crate::Micros;

/// Moves of a piece, at most: what is copied when one is added.
const PIECE: usize = 64;

/// A list of moves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moves(Vec<Arc<Piece>>);

/// Some of them; never none.
#[derive(Debug)]
struct Piece {
    moves: Vec<Move>,
    /// The least and the largest of their times.
    first: Micros,
    last: Micros,
}

impl Piece {
    /// Its moves and one more, in no more room than they take.
    fn with(&self, moved: Move) -> Self {
        let mut copies = Vec::with_capacity(self.moves.len() + 1);
        copies.extend_from_slice(&self.moves);
        let mut longer = Self { moves: copies, ..*self };
        longer.push(moved);
        longer
    }

    fn push(&mut self, moved: Move) {
        self.moves.push(moved);
        (self.first, self.last) = (self.first.min(moved.at), self.last.max(moved.at));
    }
}

impl Moves {
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|piece| piece.moves.len()).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Move> {
        self.0.iter().flat_map(|piece| &piece.moves)
    }

    /// The least and the largest of their times.
    pub(crate) fn span(&self) -> Option<(Micros, Micros)> {
        let first = self.0.iter().map(|piece| piece.first).min()?;
        Some((first, self.0.iter().map(|piece| piece.last).max()?))
    }

    /// Whether all of its pieces are another list's too: it is the same list then.
    pub(crate) fn shares_all_with(&self, other: &Self) -> bool {
        let is_one = |(piece, other): (&Arc<Piece>, &Arc<Piece>)| Arc::ptr_eq(piece, other);
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(is_one)
    }

    /// Those of pieces that are not another list's too.
    pub(crate) fn not_shared_with(&self, other: &Self) -> impl Iterator<Item = &Move> {
        let is_others = |piece: &&Arc<Piece>| !other.0.iter().any(|of| Arc::ptr_eq(of, piece));
        self.0.iter().filter(is_others).flat_map(|piece| &piece.moves)
    }

    /// Removes those that are older than this.
    pub(crate) fn forget_before(&mut self, least: Micros) {
        if self.0.iter().any(|piece| piece.first < least) {
            *self = self.since(least);
        }
    }

    fn since(&self, least: Micros) -> Self {
        let mut kept = Self(Vec::with_capacity(self.0.len()));
        for piece in self.0.iter().filter(|piece| piece.last >= least) {
            if piece.first >= least {
                kept.0.push(Arc::clone(piece));
            } else {
                kept.extend(piece.moves.iter().filter(|moved| moved.at >= least).copied());
            }
        }
        kept
    }

    /// Whether there is one from a time on and before another.
    pub(crate) fn any_within(&self, from: Micros, to: Micros) -> bool {
        let is_in = |moved: &Move| moved.at >= from && moved.at < to;
        let mut pieces = self.0.iter().filter(|piece| piece.last >= from && piece.first < to);
        pieces.any(|piece| piece.moves.iter().any(is_in))
    }

    fn push(&mut self, moved: Move) {
        match self.0.last_mut().filter(|piece| piece.moves.len() < PIECE) {
            Some(last) => match Arc::get_mut(last) {
                Some(own) => own.push(moved),
                None => *last = Arc::new(last.with(moved)),
            },
            None => self.0.push(Arc::new(Piece { moves: vec![moved], first: moved.at, last: moved.at })),
        }
    }
}

impl Extend<Move> for Moves {
    fn extend<I: IntoIterator<Item = Move>>(&mut self, moves: I) {
        moves.into_iter().for_each(|moved| self.push(moved));
    }
}

impl FromIterator<Move> for Moves {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        let mut all = Self::default();
        all.extend(moves);
        all
    }
}

impl PartialEq for Moves {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{price, symbols};
    use crate::market::{Names, Outcome, QuoteKey, Side};

    fn list(times: &[Micros]) -> Vec<Move> {
        let book = symbols(&mut Names::default(), 1)[0];
        let key = QuoteKey::new(None, Outcome::Home, Side::Back, book);
        let of = |at: &Micros| Move { key, at: *at, from: price("2"), to: price("2.1"), is_reported: false };
        times.iter().map(of).collect()
    }

    proptest! {
        /// It is a list: whatever was removed before, and whoever shares its pieces.
        #[test]
        fn it_answers_as_a_list_does(
            rounds in prop::collection::vec((prop::collection::vec(0..50_i64, 0..80), 0..50_i64), 1..6),
            from in 0..60_i64, to in 0..60_i64,
        ) {
            let (mut moves, mut expected) = (Moves::default(), Vec::new());
            for (times, least) in rounds {
                let shared = moves.clone();
                let before = expected.clone();
                moves.extend(list(&times));
                expected.extend(list(&times));
                prop_assert!(shared.iter().eq(&before), "a copy stays as it was");
                prop_assert!(moves.shares_all_with(&moves.clone()));
                prop_assert_eq!(moves.shares_all_with(&shared), times.is_empty());
                moves.forget_before(least);
                expected.retain(|moved| moved.at >= least);
                prop_assert!(moves.iter().eq(&expected));
                prop_assert_eq!(moves.len(), expected.len());
                let times = || expected.iter().map(|moved| moved.at);
                prop_assert_eq!(moves.span(), times().min().zip(times().max()));
                prop_assert_eq!(moves.any_within(from, to), times().any(|at| at >= from && at < to));
                prop_assert_eq!(&moves, &expected.iter().copied().collect::<Moves>());
            }
        }
    }
}
