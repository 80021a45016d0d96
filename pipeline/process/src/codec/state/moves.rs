//! A piece of a market's moves as a record of the changelog, and back.
//!
//! Its key names the market and the piece; the record has names of books and lines once, and times and prices as differences. It decides
//! nothing.

use std::sync::Arc;

use arb_engine::market::Market;
use arb_engine::odds::Price;
use arb_engine::state::{SavedMove, SavedMoves};
use arb_schemas::records as wire;
use arb_schemas::time::Micros;

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

/// The move before another one: when it was, and the price after it in millionths.
type Before = (Micros, i64);

pub(super) fn state_moves(saved: &SavedMoves) -> wire::StateMoves {
    let mut once = Once::from(saved.moves.first().map_or(0, |moved| moved.at));
    let (mut lines, mut before) = (Vec::new(), (once.begin(), 0));
    let moves = saved.moves.iter().map(|moved| {
        let state = state_move(moved, before, &mut lines, &mut once);
        before = (moved.at, moved.to.millionths().into());
        state
    });
    let moves = moves.collect();
    let told = (0..).zip(&saved.moves).filter(|(_, moved)| moved.is_reported).map(|(at, _)| at).collect();
    let added = i32::try_from(saved.added).unwrap_or(i32::MAX);
    wire::StateMoves { names: once.texts(), lines, begin: once.begin(), added, moves, told }
}

fn state_move(
    moved: &SavedMove,
    (at, price): Before,
    lines: &mut Vec<Option<i32>>,
    once: &mut Once,
) -> wire::StateMove {
    let line = lines.iter().position(|line| *line == moved.line).unwrap_or_else(|| {
        lines.push(moved.line);
        lines.len() - 1
    });
    let [from, to]: [i64; 2] = [moved.from, moved.to].map(|price| price.millionths().into());
    wire::StateMove {
        line: i32::try_from(line).unwrap_or(i32::MAX),
        outcome: moved.outcome.into(),
        book: once.position(&moved.book),
        after: moved.at.wrapping_sub(at),
        to: to - price,
        from: from - to,
    }
}

pub(super) fn saved_moves(key: &str, state: &wire::StateMoves) -> Result<SavedMoves, StateError> {
    let (private, key) = whose(key);
    let place = key.strip_prefix(MOVES).and_then(moves_place);
    let (event, market, piece) = place.ok_or(StateError::Impossible("key of moves"))?;
    let (once, mut before) = (Once::of(&state.names, state.begin), (state.begin, 0));
    let mut moves = Vec::with_capacity(state.moves.len());
    for moved in &state.moves {
        let saved = saved_move(moved, before, &state.lines, &once).ok_or(StateError::Impossible("move"))?;
        before = (saved.at, saved.to.millionths().into());
        moves.push(saved);
    }
    for told in &state.told {
        let at = usize::try_from(*told).ok().and_then(|told| moves.get_mut(told));
        at.ok_or(StateError::Impossible("position of a move"))?.is_reported = true;
    }
    let added = usize::try_from(state.added).map_err(|_| StateError::Impossible("count of moves"))?;
    Ok(SavedMoves { private, event, market, piece, added, moves })
}

fn saved_move(
    moved: &wire::StateMove,
    (at, price): Before,
    lines: &[Option<i32>],
    once: &Once,
) -> Option<SavedMove> {
    let to = price.checked_add(moved.to)?;
    Some(SavedMove {
        line: *lines.get(usize::try_from(moved.line).ok()?)?,
        outcome: moved.outcome.known()?,
        book: once.name(moved.book)?,
        at: at.wrapping_add(moved.after),
        from: Price::from_millionths(to.checked_add(moved.from)?).ok()?,
        to: Price::from_millionths(to).ok()?,
        is_reported: false,
    })
}
