//! The moves of a market in the order in which they came, in pieces that copies share.
//!
//! Each tick makes another copy of its market's state. Of thousands of moves such a copy takes the last piece and the addresses of the
//! others, and what asks for their times looks at pieces first. A piece is a record of the changelog: it has a number that it keeps as
//! long as it has moves, and which moves it has follows from the moves alone, never from where a transaction was cut. It never reorders
//! anything.

use std::sync::Arc;

use super::price_move::Move;
use crate::Micros;
use crate::caps::PIECE_MOVES;

/// A list of moves, by the numbers of their pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moves(Vec<Arc<MovePiece>>);

/// Some of them; never none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MovePiece {
    /// One more than that of the piece before it was when this piece was begun; 0 where there was none.
    number: i64,
    /// Moves that it has had; those that were forgotten leave no room for others.
    added: usize,
    moves: Vec<Move>,
    /// The least and the largest of their times.
    first: Micros,
    last: Micros,
}

impl MovePiece {
    /// A piece of these moves; `None` of none.
    pub(crate) fn new(number: i64, added: usize, moves: Vec<Move>) -> Option<Self> {
        let first = moves.iter().map(|moved| moved.at).min()?;
        let last = moves.iter().map(|moved| moved.at).max()?;
        Some(Self { number, added, moves, first, last })
    }

    pub(crate) fn number(&self) -> i64 {
        self.number
    }

    pub(crate) fn added(&self) -> usize {
        self.added
    }

    pub(crate) fn moves(&self) -> &[Move] {
        &self.moves
    }

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
        self.added += 1;
        (self.first, self.last) = (self.first.min(moved.at), self.last.max(moved.at));
    }

    /// The same without the moves that are older than this; `None` where none is left.
    fn since(&self, least: Micros) -> Option<Self> {
        let kept = self.moves.iter().filter(|moved| moved.at >= least).copied();
        Self::new(self.number, self.added, kept.collect())
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

    /// The pieces that another list does not have as they are here.
    pub(crate) fn changed_since<'a>(&'a self, was: &'a Self) -> impl Iterator<Item = &'a MovePiece> {
        let is_other = move |piece: &&Arc<MovePiece>| {
            let known = was.find(piece.number).map(|at| &was.0[at]);
            !known.is_some_and(|known| Arc::ptr_eq(known, piece) || known == *piece)
        };
        self.0.iter().filter(is_other).map(|piece| &**piece)
    }

    /// The numbers of the pieces that another list does not have.
    pub(crate) fn gone_in(&self, now: &Self) -> impl Iterator<Item = i64> {
        self.0.iter().map(|piece| piece.number).filter(move |number| now.find(*number).is_none())
    }

    /// Where the piece of a number is.
    fn find(&self, number: i64) -> Option<usize> {
        self.0.binary_search_by_key(&number, |piece| piece.number).ok()
    }

    /// Puts a piece in the place of the one of its number.
    pub(crate) fn put(&mut self, piece: MovePiece) {
        match self.0.binary_search_by_key(&piece.number, |known| known.number) {
            Ok(at) => self.0[at] = Arc::new(piece),
            Err(at) => self.0.insert(at, Arc::new(piece)),
        }
    }

    /// Removes the piece of a number.
    pub(crate) fn remove(&mut self, number: i64) {
        self.0.retain(|piece| piece.number != number);
    }

    /// Removes those that are older than this.
    pub(crate) fn forget_before(&mut self, least: Micros) {
        if self.0.iter().all(|piece| piece.first >= least) {
            return;
        }
        let since = |piece: &Arc<MovePiece>| {
            let is_whole = piece.first >= least;
            if is_whole { Some(Arc::clone(piece)) } else { piece.since(least).map(Arc::new) }
        };
        self.0 = self.0.iter().filter_map(since).collect();
    }

    /// The same moves, those for which this holds as parts of a movement that was reported.
    pub(crate) fn with_reported(&self, is_in_report: impl Fn(&Move) -> bool) -> Self {
        let marks = |moved: &Move| !moved.is_reported && is_in_report(moved);
        let mark = |moved: &Move| Move { is_reported: moved.is_reported || marks(moved), ..*moved };
        let marked = |piece: &Arc<MovePiece>| {
            if !piece.moves.iter().any(marks) {
                return Arc::clone(piece);
            }
            Arc::new(MovePiece { moves: piece.moves.iter().map(mark).collect(), ..**piece })
        };
        Self(self.0.iter().map(marked).collect())
    }

    /// Whether there is one from a time on and before another.
    pub(crate) fn any_within(&self, from: Micros, to: Micros) -> bool {
        let is_in = |moved: &Move| moved.at >= from && moved.at < to;
        let mut pieces = self.0.iter().filter(|piece| piece.last >= from && piece.first < to);
        pieces.any(|piece| piece.moves.iter().any(is_in))
    }

    fn push(&mut self, moved: Move) {
        let next = self.0.last().map_or(0, |last| last.number + 1);
        match self.0.last_mut().filter(|piece| piece.added < PIECE_MOVES) {
            Some(last) => match Arc::get_mut(last) {
                Some(own) => own.push(moved),
                None => *last = Arc::new(last.with(moved)),
            },
            None => self.0.extend(MovePiece::new(next, 1, vec![moved]).map(Arc::new)),
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
    use std::collections::BTreeMap;

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

    /// What happens to a list: times of new moves, from when on moves are kept, up to when they are in a report.
    type Round = (Vec<Micros>, Micros, Micros);

    fn rounds() -> impl Strategy<Value = Vec<Round>> {
        let round = (prop::collection::vec(0..50_i64, 0..80), 0..50_i64, -20..50_i64);
        prop::collection::vec(round, 1..6)
    }

    fn after(moves: &mut Moves, (times, least, reported_to): &Round) {
        moves.extend(list(times));
        moves.forget_before(*least);
        *moves = moves.with_reported(|moved| moved.at < *reported_to);
    }

    proptest! {
        /// It is a list: whatever was removed before, and whoever shares its pieces.
        #[test]
        fn it_answers_as_a_list_does(rounds in rounds(), from in 0..60_i64, to in 0..60_i64) {
            let (mut moves, mut expected) = (Moves::default(), Vec::new());
            for round in rounds {
                let shared = moves.clone();
                let before = expected.clone();
                after(&mut moves, &round);
                let (times, least, reported_to) = round;
                expected.extend(list(&times));
                expected.retain(|moved| moved.at >= least);
                for moved in &mut expected {
                    moved.is_reported |= moved.at < reported_to;
                }
                prop_assert!(shared.iter().eq(&before), "a copy stays as it was");
                prop_assert!(moves.iter().eq(&expected));
                prop_assert_eq!(moves.len(), expected.len());
                let times = || expected.iter().map(|moved| moved.at);
                prop_assert_eq!(moves.span(), times().min().zip(times().max()));
                prop_assert_eq!(moves.any_within(from, to), times().any(|at| at >= from && at < to));
                prop_assert_eq!(&moves, &expected.iter().copied().collect::<Moves>());
            }
        }

        /// A list that is put back from the last of each piece is the same list, piece by piece, in whatever order they come: it goes on
        /// as the first one does. Where it is written down makes no difference, and nothing that was forgotten comes back.
        #[test]
        fn its_pieces_are_the_list(rounds in rounds(), cuts in prop::collection::vec(any::<bool>(), 6)) {
            let (mut moves, mut written) = (Moves::default(), Moves::default());
            let mut log: BTreeMap<i64, MovePiece> = BTreeMap::new();
            for (round, is_cut) in rounds.iter().zip(cuts) {
                after(&mut moves, round);
                prop_assert!(moves.0.is_sorted_by(|a, b| a.number < b.number));
                prop_assert!(moves.0.iter().all(|piece| piece.added <= PIECE_MOVES));
                if !is_cut {
                    continue;
                }
                written.gone_in(&moves).for_each(|number| drop(log.remove(&number)));
                log.extend(moves.changed_since(&written).map(|piece| (piece.number, piece.clone())));
                written = moves.clone();
                let mut restored = Moves::default();
                log.values().rev().cloned().for_each(|piece| restored.put(piece));
                prop_assert_eq!(&restored.0, &moves.0);
                prop_assert_eq!(restored.changed_since(&moves).count(), 0);
                // It is used from now on.
                moves = restored;
            }
        }
    }

    #[test]
    fn a_new_move_changes_the_last_piece_alone() {
        let times: Vec<_> = (0..100).collect();
        let mut moves: Moves = list(&times).into_iter().collect();
        let was = moves.clone();
        moves.extend(list(&[100]));
        let changed: Vec<_> = moves.changed_since(&was).map(MovePiece::number).collect();
        assert_eq!((changed, was.gone_in(&moves).count()), (vec![3], 0));
        let was = moves.clone();
        moves.forget_before(33);
        let changed: Vec<_> = moves.changed_since(&was).map(MovePiece::number).collect();
        assert_eq!((changed, was.gone_in(&moves).collect()), (vec![1], vec![0]));
        moves.remove(1);
        assert_eq!(moves.len(), 100 - 64 + 1);
    }
}
