//! A piece of the moves of a market as data, with names for symbols.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::market::{Line, Market, Names, Outcome, QuoteKey, Side};
use crate::odds::Price;
use crate::quotes::{Move, MovePiece};

/// Some of the moves of a market of an event, which change together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMoves {
    /// The private source whose they are; `None` is public.
    pub private: Option<Arc<str>>,
    /// The event's id.
    pub event: Arc<str>,
    /// The market.
    pub market: Market,
    /// Their place among the pieces of the market.
    pub piece: i64,
    /// Moves that the piece has had, those that were forgotten included.
    pub added: usize,
    /// In the order in which they came; at least one.
    pub moves: Vec<SavedMove>,
}

/// A change of a book's back price.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SavedMove {
    pub line: Option<Line>,
    pub outcome: Outcome,
    pub book: Arc<str>,
    pub at: Micros,
    pub from: Price,
    pub to: Price,
    pub is_reported: bool,
}

impl SavedMoves {
    pub(crate) fn new(
        (private, event, market): (Option<&Arc<str>>, &Arc<str>, Market),
        piece: &MovePiece,
        names: &Names,
    ) -> Self {
        Self {
            private: private.cloned(),
            event: Arc::clone(event),
            market,
            piece: piece.number(),
            added: piece.added(),
            moves: piece.moves().iter().map(|moved| SavedMove::new(moved, names)).collect(),
        }
    }

    /// `None` of one without moves.
    pub(crate) fn to_piece(&self, names: &mut Names) -> Option<MovePiece> {
        let moves = self.moves.iter().map(|saved| saved.to_move(names)).collect();
        MovePiece::new(self.piece, self.added, moves)
    }
}

impl SavedMove {
    fn new(moved: &Move, names: &Names) -> Self {
        let Move { key, at, from, to, is_reported } = *moved;
        let book = Arc::clone(names.name(key.book()));
        Self { line: key.line(), outcome: key.outcome(), book, at, from, to, is_reported }
    }

    fn to_move(&self, names: &mut Names) -> Move {
        let Self { line, outcome, ref book, at, from, to, is_reported } = *self;
        // Moves are of back prices alone.
        let key = QuoteKey::new(line, outcome, Side::Back, names.symbol(book));
        Move { key, at, from, to, is_reported }
    }
}
