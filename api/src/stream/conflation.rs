//! What a client that wants the latest state alone has not been sent yet.
//!
//! Of each window and signal the last event, in the order of these events; of all else every event. It never holds an event for longer
//! than the client asked for, and never gives it the id of an event after it: only the last of those that are sent together has an
//! id, so that a client which receives a part of them resumes before the first.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::telemetry;

/// The unsent events of a client.
pub(super) struct Conflation {
    every: Duration,
    /// By the order in which they came.
    texts: BTreeMap<u64, Bytes>,
    /// Where the event of a window or signal is among them.
    subjects: HashMap<String, u64>,
    /// How many have come.
    count: u64,
    due: Instant,
    /// Set while there are some.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Conflation {
    /// Sends at most this often.
    pub(super) fn new(every: Duration) -> Self {
        let (texts, subjects) = (BTreeMap::new(), HashMap::new());
        Self { every, texts, subjects, count: 0, due: Instant::now(), timer: None }
    }

    /// Takes the text of an event without its id, in place of that of an earlier event of the same window or signal.
    pub(super) fn put(&mut self, subject: Option<&str>, text: Bytes) {
        self.count += 1;
        if let Some(subject) = subject
            && let Some(earlier) = self.subjects.insert(subject.to_owned(), self.count)
        {
            self.texts.remove(&earlier);
            telemetry::event_conflated();
        }
        self.texts.insert(self.count, text);
    }

    /// Whether there are some.
    pub(super) fn has_some(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Whether they may be sent; otherwise the caller is woken when they may.
    pub(super) fn poll_due(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.due {
            return Poll::Ready(());
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(self.due)));
        timer.as_mut().poll(context)
    }

    /// All of them, the last with this id.
    pub(super) fn flush(&mut self, id: &str) -> Option<Bytes> {
        let (_, last) = self.texts.pop_last()?;
        let mut text = Vec::new();
        for earlier in std::mem::take(&mut self.texts).into_values() {
            text.extend_from_slice(&earlier);
            text.push(b'\n');
        }
        text.extend_from_slice(&last);
        text.extend_from_slice(id.as_bytes());
        self.subjects.clear();
        (self.due, self.timer) = (Instant::now() + self.every, None);
        Some(text.into())
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[test]
    fn of_each_subject_the_last_event_is_sent_and_the_last_of_all_has_the_id() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut conflation = Conflation::new(Duration::from_millis(20));
            assert!(!conflation.has_some() && conflation.flush("id\n\n").is_none());
            for (subject, text) in
                [(Some("a"), "a1\n"), (None, "m\n"), (Some("b"), "b1\n"), (Some("a"), "a2\n")]
            {
                conflation.put(subject, Bytes::from(text));
            }
            poll_fn(|context| conflation.poll_due(context)).await;
            assert_eq!(conflation.flush("id\n\n").unwrap(), "m\n\nb1\n\na2\nid\n\n");
            let begun = Instant::now();
            conflation.put(Some("a"), Bytes::from("a3\n"));
            poll_fn(|context| conflation.poll_due(context)).await;
            assert!(begun.elapsed() >= Duration::from_millis(19), "not before the time");
            assert_eq!(conflation.flush("id\n\n").unwrap(), "a3\nid\n\n");
        });
    }
}
