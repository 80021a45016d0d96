//! The feed folded: which windows are open at exactly the position that the reader has come to.
//!
//! Pure. It begins with a board, which may be ahead of the feed or behind it; see `live` for why it is right as soon as
//! the feed has been read as far as the board. It never knows of times that were only confirmed.

use std::collections::HashMap;
use std::sync::Arc;

use arb_schemas::records::BoardEntry;

use super::event::Event;

/// The open windows.
#[derive(Debug, Default)]
pub(super) struct Fold(HashMap<String, Arc<BoardEntry>>);

impl Fold {
    /// Of a board.
    pub(super) fn of(entries: Vec<Arc<BoardEntry>>) -> Self {
        Self(entries.into_iter().map(|entry| (entry.id.clone(), entry)).collect())
    }

    /// After one more event: of a window the last one decides.
    pub(super) fn apply(&mut self, event: Event) {
        match event {
            Event::ArbWindow(window) => {
                self.0.insert(window.entry.id.clone(), Arc::new(window.entry));
            }
            Event::CloseSignal(closed) => {
                self.0.remove(&closed.id);
            }
            Event::LineMovement(_) | Event::StaleAlert(_) => {}
        }
    }

    /// What is open, in no order.
    pub(super) fn windows(&self) -> Vec<Arc<BoardEntry>> {
        self.0.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::event::tests::{close, window};
    use super::*;
    use crate::view::tests::entry;

    fn open(fold: &Fold) -> Vec<(String, i64)> {
        let mut open: Vec<_> =
            fold.windows().iter().map(|entry| (entry.id.clone(), entry.sequence)).collect();
        open.sort();
        open
    }

    #[test]
    fn the_last_event_of_a_window_decides() {
        let mut fold = Fold::of(vec![Arc::new(entry("a", 0.01))]);
        fold.apply(window("b", 8));
        fold.apply(window("a", 9));
        fold.apply(close("b", 10));
        fold.apply(close("unknown", 11));
        assert_eq!(open(&fold), [("a".to_owned(), 9)]);
    }

    /// The board's entry of a window.
    fn entry_of(event: &Event) -> Option<BoardEntry> {
        if let Event::ArbWindow(window) = event { Some(window.entry.clone()) } else { None }
    }

    /// Five windows that open, change and close in some order.
    fn history(steps: &[(u8, bool)]) -> Vec<Event> {
        let events = steps.iter().zip(1..).map(|((id, is_close), sequence)| {
            let id = format!("{}", id % 5);
            if *is_close { close(&id, sequence) } else { window(&id, sequence) }
        });
        events.collect()
    }

    proptest! {
        /// A board that was read at `board` of a history, and the feed from `start`, which was noted before, on: as soon
        /// as the feed has come to where the board was, both say the same, and so ever after.
        #[test]
        fn it_is_right_once_the_feed_has_come_as_far_as_the_board(
            steps in prop::collection::vec((0..5_u8, any::<bool>()), 0..40),
            start in 0..40_usize,
            ahead in 0..40_usize,
        ) {
            let history = history(&steps);
            let start = start.min(history.len());
            let board = (start + ahead).min(history.len());
            let whole = |upto: usize| {
                let mut fold = Fold::default();
                history[..upto].iter().cloned().for_each(|event| fold.apply(event));
                fold
            };
            let mut fold = Fold::of(whole(board).windows());
            for (at, event) in history.iter().enumerate().skip(start) {
                fold.apply(event.clone());
                if at + 1 >= board {
                    prop_assert_eq!(open(&fold), open(&whole(at + 1)));
                    let last = entry_of(event);
                    prop_assert!(last.is_none_or(|last| open(&fold).contains(&(last.id, last.sequence))));
                }
            }
        }
    }
}
