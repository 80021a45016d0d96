//! The feed folded: which windows and signals are open at exactly the position that the reader has come to.
//!
//! Pure. It begins with the board and the signals, which may be ahead of the feed or behind it; `stream::hub`
//! of the API explains why it is right as soon as the feed has been read as far as the board. It never holds times that
//! were only confirmed.

use std::collections::HashMap;
use std::sync::Arc;

use arb_schemas::records::{BoardEntry, EdgeSignal};

use crate::event::Event;

/// Entries by their ids.
type ById<E> = HashMap<String, Arc<E>>;

/// What is open.
///
/// A clone shares the entries until one of the two changes.
#[derive(Debug, Clone, Default)]
pub struct Fold {
    windows: Arc<ById<BoardEntry>>,
    signals: Arc<ById<EdgeSignal>>,
}

/// Open windows and signals, each in no order.
#[derive(Debug, Clone, Default)]
pub struct OpenEntries {
    /// The windows.
    pub windows: Vec<Arc<BoardEntry>>,
    /// The signals.
    pub signals: Vec<Arc<EdgeSignal>>,
}

impl Fold {
    /// Of what is open.
    #[must_use]
    pub fn of(open: OpenEntries) -> Self {
        Self {
            windows: by_id(open.windows, |entry| &entry.id),
            signals: by_id(open.signals, |signal| &signal.id),
        }
    }

    /// After one more event: of a window or a signal the last one decides.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::ArbWindow(window) => {
                Arc::make_mut(&mut self.windows).insert(window.entry.id.clone(), Arc::new(window.entry));
            }
            Event::CloseSignal(closed) => {
                Arc::make_mut(&mut self.windows).remove(&closed.id);
            }
            Event::EdgeSignal(changed) => match &*changed.change {
                "opened" | "updated" => {
                    Arc::make_mut(&mut self.signals)
                        .insert(changed.signal.id.clone(), Arc::new(changed.signal));
                }
                // Why it closed.
                _ => {
                    Arc::make_mut(&mut self.signals).remove(&changed.signal.id);
                }
            },
            Event::LineMovement(_) | Event::StaleAlert(_) | Event::Pick(_) | Event::Grading(_) => {}
        }
    }

    /// What is open.
    #[must_use]
    pub fn open(&self) -> OpenEntries {
        let (windows, signals) = (self.windows.values(), self.signals.values());
        OpenEntries { windows: windows.cloned().collect(), signals: signals.cloned().collect() }
    }
}

fn by_id<E>(entries: Vec<Arc<E>>, id: impl Fn(&E) -> &String) -> Arc<ById<E>> {
    Arc::new(entries.into_iter().map(|entry| (id(&entry).clone(), entry)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{changed, close, entry, window};

    /// Windows, then signals.
    fn open(fold: &Fold) -> Vec<(String, i64)> {
        let OpenEntries { windows, signals } = fold.open();
        let mut windows: Vec<_> = windows.iter().map(|entry| (entry.id.clone(), entry.sequence)).collect();
        let mut signals: Vec<_> = signals.iter().map(|signal| (signal.id.clone(), signal.sequence)).collect();
        windows.sort();
        signals.sort();
        [windows, signals].concat()
    }

    #[test]
    fn the_last_event_of_a_window_decides() {
        let mut fold = Fold::of(OpenEntries { windows: vec![Arc::new(entry("a", 0.01))], signals: vec![] });
        fold.apply(window("b", 8));
        fold.apply(window("a", 9));
        fold.apply(close("b", 10));
        fold.apply(close("unknown", 11));
        assert_eq!(open(&fold), [("a".to_owned(), 9)]);
    }

    #[test]
    fn a_signal_is_open_until_it_is_told_why_it_closed() {
        let mut fold = Fold::default();
        for (sequence, (id, change)) in
            (1..).zip([("a", "opened"), ("b", "opened"), ("a", "updated"), ("b", "faded"), ("c", "expired")])
        {
            fold.apply(changed(id, sequence, change));
        }
        // One of the same name is another thing.
        fold.apply(close("a", 6));
        assert_eq!(open(&fold), [("a".to_owned(), 3)]);
    }

    /// The open entry that an event contains.
    fn opened_by(event: &Event) -> Option<(String, i64)> {
        match event {
            Event::ArbWindow(window) => Some((window.entry.id.clone(), window.entry.sequence)),
            Event::EdgeSignal(changed) if changed.change == "updated" => {
                Some((changed.signal.id.clone(), changed.signal.sequence))
            }
            _ => None,
        }
    }

    /// Five windows and three signals that open, change and close in some order.
    fn history(steps: &[(u8, bool)]) -> Vec<Event> {
        let events = steps.iter().zip(1..).map(|((id, is_close), sequence)| match id % 8 {
            id @ 0..5 if *is_close => close(&id.to_string(), sequence),
            id @ 0..5 => window(&id.to_string(), sequence),
            id => changed(&id.to_string(), sequence, if *is_close { "withdrawn" } else { "updated" }),
        });
        events.collect()
    }

    proptest! {
        /// Reads a board at position `board` of a history, and the feed from the earlier position `start` on:
        /// as soon as the feed has reached the position of the board, both have the same content, and keep
        /// it.
        #[test]
        fn it_is_right_once_the_feed_has_reached_the_board(
            steps in prop::collection::vec((0..8_u8, any::<bool>()), 0..40),
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
            let mut fold = Fold::of(whole(board).open());
            for (at, event) in history.iter().enumerate().skip(start) {
                fold.apply(event.clone());
                if at + 1 >= board {
                    prop_assert_eq!(open(&fold), open(&whole(at + 1)));
                    let last = opened_by(event);
                    prop_assert!(last.is_none_or(|last| open(&fold).contains(&last)));
                }
            }
        }
    }
}
