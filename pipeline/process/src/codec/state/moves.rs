//! A piece of a market's moves as a record of the changelog, and back.
//!
//! Its key names the market and the piece; the record has names of books once, and times from that of the first move on. It decides
//! nothing.

use std::sync::Arc;

use arb_engine::market::Market;
use arb_engine::odds::Price;
use arb_engine::state::{SavedMove, SavedMoves};
use arb_schemas::records as wire;

use super::quote::Once;
use super::{StateError, last, whose};

/// With what the keys of moves begin, after the private source.
pub(super) const MOVES: &str = "moves/";

pub(super) fn moves_key(event: &str, market: Market, piece: i64) -> String {
    format!("{MOVES}{event}/{}/{piece}", market.key())
}

/// The event, market and piece of what follows the beginning of a key. The id of an event may have slashes itself.
pub(super) fn moves_place(rest: &str) -> Option<(Arc<str>, Market, i64)> {
    let (rest, piece) = last(rest)?;
    let (event, market) = last(rest)?;
    Some((event.into(), Market::parse(market)?, piece.parse().ok()?))
}

pub(super) fn state_moves(saved: &SavedMoves) -> wire::StateMoves {
    let mut once = Once::from(saved.moves.first().map_or(0, |moved| moved.at));
    let moves = saved.moves.iter().map(|moved| state_move(moved, &mut once)).collect();
    let added = i32::try_from(saved.added).unwrap_or(i32::MAX);
    wire::StateMoves { names: once.texts(), begin: once.begin(), added, moves }
}

fn state_move(moved: &SavedMove, once: &mut Once) -> wire::StateMove {
    wire::StateMove {
        line: moved.line,
        outcome: moved.outcome.into(),
        book: once.position(&moved.book),
        after: moved.at.wrapping_sub(once.begin()),
        from: moved.from.millionths().into(),
        to: moved.to.millionths().into(),
        told: moved.is_reported,
    }
}

pub(super) fn saved_moves(key: &str, state: &wire::StateMoves) -> Result<SavedMoves, StateError> {
    let (private, key) = whose(key);
    let place = key.strip_prefix(MOVES).and_then(moves_place);
    let (event, market, piece) = place.ok_or(StateError::Impossible("key of moves"))?;
    let once = Once::of(&state.names, state.begin);
    let moves = state.moves.iter().map(|moved| saved_move(moved, &once));
    let moves = moves.collect::<Option<_>>().ok_or(StateError::Impossible("move"))?;
    let added = usize::try_from(state.added).map_err(|_| StateError::Impossible("count of moves"))?;
    Ok(SavedMoves { private, event, market, piece, added, moves })
}

fn saved_move(moved: &wire::StateMove, once: &Once) -> Option<SavedMove> {
    Some(SavedMove {
        line: moved.line,
        outcome: moved.outcome.known()?,
        book: once.name(moved.book)?,
        at: once.begin().wrapping_add(moved.after),
        from: Price::from_millionths(moved.from).ok()?,
        to: Price::from_millionths(moved.to).ok()?,
        is_reported: moved.told,
    })
}
