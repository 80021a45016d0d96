//! The books of random polls, and effects with the books' other names: what an engine makes of them may not depend on names.
//!
//! It never changes anything but names.

use arb_engine::effect::{Effect, SignalKind};

/// Books of random polls, in the order of their names.
pub(crate) const BOOKS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
/// The same order, other names.
pub(crate) const RENAMED: [&str; 6] = ["book-1", "book-2", "book-3", "book-4", "book-5", "book-6"];

/// A signal about one book has a different id for each name of it: it is left out.
pub(crate) fn unnamed(effect: &Effect) -> Effect {
    let mut effect = effect.clone();
    if let Effect::Signal(_, edge) = &mut effect
        && edge.kind == SignalKind::StalePrice
    {
        edge.id.clear();
    }
    effect
}

/// An effect with the books' other names.
pub(crate) fn rename(effect: &Effect) -> Effect {
    let other = |book: &str| RENAMED[BOOKS.iter().position(|name| *name == book).unwrap()];
    let mut effect = unnamed(effect);
    let replaced = match &mut effect {
        Effect::Transition(_, _, beside) => beside.replaced.as_mut(),
        Effect::Closed(closed) => Some(&mut closed.replaced),
        _ => None,
    };
    for book in replaced.into_iter().flat_map(|replaced| &mut replaced.books) {
        *book = other(book).into();
    }
    match &mut effect {
        Effect::Transition(_, entry, _) | Effect::Refreshed(entry) => {
            for leg in &mut entry.legs {
                // Each is its own operator.
                (leg.book, leg.operator) = (other(&leg.book).into(), other(&leg.operator).into());
            }
            let passed = entry.passed_over.as_mut();
            for leg in passed.into_iter().flat_map(|passed| &mut passed.legs) {
                leg.book = other(&leg.book).into();
            }
            let passed = entry.passed_over.as_mut().map(|passed| &mut passed.failed_check);
            for check in entry.failed_checks.iter_mut().chain(passed) {
                let words = check.reason.split(' ');
                let renamed = words.map(|word| if BOOKS.contains(&word) { other(word) } else { word });
                check.reason = renamed.collect::<Vec<_>>().join(" ");
            }
        }
        Effect::LineMovement(moved) => {
            if let Some(book) = &mut moved.book {
                *book = other(book).into();
            }
        }
        Effect::Signal(_, edge) => {
            for quote in edge.bets.iter_mut().chain(&mut edge.evidence) {
                (quote.book, quote.operator) = (other(&quote.book).into(), other(&quote.operator).into());
            }
        }
        Effect::StaleAlert(alert) => alert.book = other(&alert.book).into(),
        Effect::Closed(_) | Effect::Contains { .. } => {}
    }
    effect
}
