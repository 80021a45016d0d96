//! What a client lacks and memory has no longer, read from Kafka.
//!
//! On a blocking thread, because librdkafka waits, also when a reader is dropped; how many run at one time is bounded.
//! It never sends what the ring has: it stops where the ring began to be ahead, and the client goes on there.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use arb_pipeline::kafka::{Feed, FeedEvent, Span};
use arb_schemas::topics::FEED_EVENTS;
use bytes::Bytes;
use tokio::sync::mpsc;

use super::event::{Block, Event};
use super::notice::{self, To};
use super::position::Positions;
use super::query::Filter;
use crate::SharedApp;
use crate::follow::FollowError;

/// How long to wait for a record before looking whether anybody still wants it.
const WAIT: Duration = Duration::from_millis(100);

/// How long one client may read while others wait. It has come further then, and goes on from there when it comes back.
const TURN: Duration = Duration::from_secs(30);

/// A client's reader.
pub(super) struct CatchUp {
    pub(super) app: SharedApp,
    pub(super) filter: Filter,
    pub(super) out: mpsc::Sender<Bytes>,
    /// What the client has been sent.
    pub(super) sent: Positions,
}

/// What came of it.
pub(super) enum CaughtUp {
    /// The client has everything that the ring's reader had when it began.
    Reached,
    /// It cannot go on from its id, for this reason.
    Impossible(&'static str),
    /// It has gone.
    Gone,
    /// The server ends.
    Closing,
    /// Others wait.
    TurnOver,
    /// Kafka could not be read.
    Failed,
}

impl CatchUp {
    /// Reads and sends; how far the client has come, and why no further.
    pub(super) fn run(mut self) -> (Positions, CaughtUp) {
        let outcome = self.read().unwrap_or_else(|error| {
            tracing::warn!(%error, "a client could not be caught up");
            CaughtUp::Failed
        });
        (self.sent, outcome)
    }

    fn read(&mut self) -> Result<CaughtUp, FollowError> {
        let feed = self.app.streams.source.open()?;
        if let Some(reason) = why_impossible(&self.sent, &feed.spans()?) {
            return Ok(CaughtUp::Impossible(reason));
        }
        let goal = self.app.streams.live.head();
        let behind = self.sent.behind(&goal);
        if !behind.is_empty() {
            feed.read_from(self.sent.as_slice())?;
            if let Some(end) = self.read_to(&goal, behind, &feed)? {
                return Ok(end);
            }
            // What lies between are markers, or nothing.
            self.sent.reach(&goal);
        }
        Ok(CaughtUp::Reached)
    }

    /// Sends everything before a goal, which the ring's reader has reached, so that it is there.
    fn read_to(
        &mut self,
        goal: &Positions,
        mut behind: BTreeSet<i32>,
        feed: &Feed,
    ) -> Result<Option<CaughtUp>, FollowError> {
        let begun = Instant::now();
        let mut last_sent = begun;
        while !behind.is_empty() {
            if self.app.streams.live.is_closing() {
                return Ok(Some(CaughtUp::Closing));
            }
            if begun.elapsed() > TURN {
                return Ok(Some(CaughtUp::TurnOver));
            }
            let text = self.step(feed.next(WAIT)?, goal, &mut behind)?;
            let is_silent = last_sent.elapsed() >= self.app.streams.heartbeat;
            let Some(text) = text.or_else(|| is_silent.then(|| self.heartbeat())) else {
                if self.out.is_closed() {
                    return Ok(Some(CaughtUp::Gone));
                }
                continue;
            };
            if self.out.blocking_send(text).is_err() {
                return Ok(Some(CaughtUp::Gone));
            }
            last_sent = Instant::now();
        }
        Ok(None)
    }

    /// What is to be sent of what Kafka gave; a partition that has come to the goal is behind no more.
    fn step(
        &mut self,
        read: FeedEvent,
        goal: &Positions,
        behind: &mut BTreeSet<i32>,
    ) -> Result<Option<Bytes>, FollowError> {
        Ok(match read {
            FeedEvent::Idle => None,
            FeedEvent::End(partition) => {
                behind.remove(&partition);
                None
            }
            // The ring has it.
            FeedEvent::Record { partition, offset, .. } if goal.is_before(partition, offset) => {
                behind.remove(&partition);
                None
            }
            FeedEvent::Record { partition, offset, value } => {
                let event = Event::decode(&value);
                let event = event.map_err(|error| FollowError::Record { topic: FEED_EVENTS.name, error })?;
                self.sent.pass(partition, offset);
                behind.retain(|partition| self.sent.behind(goal).contains(partition));
                let block =
                    Block::new(&event, (partition, offset), self.app.streams.live.epoch(), &self.sent);
                self.filter.includes(&block).then(|| block.shared())
            }
        })
    }

    fn heartbeat(&self) -> Bytes {
        let to = To { epoch: self.app.streams.live.epoch(), sent: Some(&self.sent) };
        notice::heartbeat(to, self.app.board.as_of())
    }
}

/// Why a client cannot go on from where it is, if it cannot.
fn why_impossible(sent: &Positions, spans: &[Span]) -> Option<&'static str> {
    let pairs = || sent.as_slice().iter().zip(spans);
    if pairs().any(|(next, span)| *next < span.first) {
        Some("outside_retention")
    } else if pairs().any(|(next, span)| *next > span.next) {
        Some("beyond_end")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_can_go_on_from_what_the_topic_still_has() {
        let spans = [Span { first: 5, next: 9 }, Span { first: 0, next: 0 }];
        for (at, expected) in [
            ([5, 0], None),
            ([9, 0], None),
            ([4, 0], Some("outside_retention")),
            ([10, 0], Some("beyond_end")),
            ([9, 1], Some("beyond_end")),
            ([4, 1], Some("outside_retention")),
        ] {
            assert_eq!(why_impossible(&Positions::new(at.to_vec()), &spans), expected, "{at:?}");
        }
    }
}
