//! What a client lacks and memory has no longer, read from Kafka.
//!
//! It runs on a blocking thread, because librdkafka waits, also when a reader is dropped; the number of such
//! threads is bounded. It never reads further than the ring's reader had come when it began: from there on
//! the client continues in the ring, and has the time that the ring covers to arrive. (To read only up to the
//! ring's oldest event would be less work, but that event leaves the ring meanwhile, and the client would
//! never arrive.)

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::telemetry::Sent;
use arb_feed::event::{Block, Event};
use arb_feed::filter::EventFilter;
use arb_feed::position::Positions;
use arb_kafka::{Feed, FeedEvent};
use arb_runtime::progress::Span;
use arb_schemas::topics::FEED_EVENTS;
use bytes::Bytes;
use tokio::sync::mpsc;

use super::StreamState;
use super::notice::{self, To};
use super::session::HeldKey;
use crate::lists::follow::FollowError;

/// How long to wait for a record before checking whether the client is still connected.
const WAIT: Duration = Duration::from_millis(100);

/// How long one client may read while others wait. It has made progress by then, and resumes from there when
/// it reconnects.
const TURN: Duration = Duration::from_secs(30);

/// A client's reader.
pub(super) struct CatchUp {
    pub(super) state: Arc<StreamState>,
    pub(super) filter: EventFilter,
    pub(super) key: HeldKey,
    pub(super) heartbeat: Duration,
    pub(super) out: mpsc::Sender<Bytes>,
    /// What the client has been sent.
    pub(super) sent: Positions,
    /// The events that were sent since the last report to telemetry.
    pub(super) unreported: Sent,
}

/// What came of it.
pub(super) enum CaughtUp {
    /// The client has everything that the ring's reader had when it began.
    Reached,
    /// It cannot go on from its id, for this reason.
    Impossible(&'static str),
    /// It has gone.
    Gone,
    /// Its key is not valid any more.
    Revoked,
    /// The server ends.
    Closing,
    /// It has had its turn, and others wait.
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
        let mut feed = self.state.streams.source.open()?;
        let goal = match goal(&self.sent, &feed.spans()?, &self.state.streams.hub.kept()) {
            Ok(goal) => goal,
            Err(reason) => return Ok(CaughtUp::Impossible(reason)),
        };
        let behind = self.sent.behind(&goal);
        if !behind.is_empty() {
            feed.read_from(behind.clone(), self.sent.marks())?;
            if let Some(end) = self.read_to(&goal, behind, &mut feed)? {
                return Ok(end);
            }
            // What lies between are markers, doubles, or nothing.
            self.sent.reach(&goal);
        }
        Ok(CaughtUp::Reached)
    }

    /// Sends everything before a goal, which the ring's reader has reached, so that it is there.
    fn read_to(
        &mut self,
        goal: &Positions,
        mut behind: BTreeMap<i32, i64>,
        feed: &mut Feed,
    ) -> Result<Option<CaughtUp>, FollowError> {
        let begun = Instant::now();
        let mut last_sent = begun;
        while !behind.is_empty() {
            if self.state.streams.hub.is_closing() {
                return Ok(Some(CaughtUp::Closing));
            }
            if self.key.is_revoked(&self.state) {
                return Ok(Some(CaughtUp::Revoked));
            }
            if begun.elapsed() > TURN && self.state.streams.catch_ups.is_waiting() {
                return Ok(Some(CaughtUp::TurnOver));
            }
            let text = self.step(feed.next(WAIT)?, goal, &mut behind)?;
            let is_silent = last_sent.elapsed() >= self.heartbeat;
            let Some(text) = text.or_else(|| is_silent.then(|| self.heartbeat())) else {
                if self.out.is_closed() {
                    return Ok(Some(CaughtUp::Gone));
                }
                continue;
            };
            self.unreported.add(text.len());
            if self.out.blocking_send(text).is_err() {
                return Ok(Some(CaughtUp::Gone));
            }
            self.unreported.report();
            last_sent = Instant::now();
        }
        Ok(None)
    }

    /// What is to be sent of what Kafka gave; a partition that has come to the goal is behind no more.
    fn step(
        &mut self,
        read: FeedEvent,
        goal: &Positions,
        behind: &mut BTreeMap<i32, i64>,
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
            FeedEvent::Record { partition, offset, mark, value } => {
                let event = Event::decode(&value);
                let event = event.map_err(|error| FollowError::Record {
                    topic: FEED_EVENTS.name,
                    partition,
                    offset,
                    error,
                })?;
                self.sent.pass(partition, offset, mark);
                if !self.sent.is_behind(partition, goal) {
                    behind.remove(&partition);
                }
                let at = (partition, offset, mark);
                let block = Block::new(&event, at, self.state.streams.hub.epoch(), &self.sent);
                block.part_with_id(self.filter.part(&block))
            }
        })
    }

    fn heartbeat(&self) -> Bytes {
        let to = To { epoch: self.state.streams.hub.epoch(), sent: Some(&self.sent) };
        // The board's time is not that of what the client has by now.
        notice::heartbeat(to, None, self.state.lists.polls.is_stale())
    }
}

/// How far a client is to read, or why it cannot go on from where it is.
///
/// A record that Kafka has deleted is missing only if memory no longer has it either. And the offsets between
/// a client and the first one that is left need not be events: transaction markers take offsets, so the log
/// of a partition without events for long begins behind the position after its last event. In that case the
/// client continues there: all later events are in memory.
fn goal(
    sent: &Positions,
    spans: &[Span],
    (tail, head): &(Positions, Positions),
) -> Result<Positions, &'static str> {
    let places = sent.as_slice().iter().zip(spans).zip(tail.as_slice().iter().zip(head.as_slice()));
    let goals = places.map(|((at, span), (tail, head))| match *at {
        at if at > span.next => Err("beyond_end"),
        at if at >= span.first => Ok(at.max(*head)),
        at if at >= *tail => Ok(at),
        _ => Err("outside_retention"),
    });
    goals.collect::<Result<_, _>>().map(Positions::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(positions: &[i64]) -> Positions {
        Positions::new(positions.to_vec())
    }

    #[test]
    fn a_client_can_go_on_from_what_the_topic_still_has() {
        let spans = [Span { first: 5, next: 9 }, Span { first: 0, next: 0 }];
        let kept = (at(&[7, 0]), at(&[9, 0]));
        for (sent, expected) in [
            ([5, 0], Ok(at(&[9, 0]))),
            ([9, 0], Ok(at(&[9, 0]))),
            ([4, 0], Err("outside_retention")),
            ([10, 0], Err("beyond_end")),
            ([9, 1], Err("beyond_end")),
            ([4, 1], Err("outside_retention")),
        ] {
            assert_eq!(goal(&at(&sent), &spans, &kept), expected, "{sent:?}");
        }
    }

    #[test]
    fn an_event_in_memory_is_not_missing_though_kafka_has_deleted_it() {
        // The last event of the first partition was at 8, its marker at 9; both are too old by now.
        let spans = [Span { first: 10, next: 10 }, Span { first: 0, next: 50 }];
        let goal = |sent: &[i64], tail: &[i64], head: &[i64]| goal(&at(sent), &spans, &(at(tail), at(head)));
        // Silent ever since: nothing is missing, and nothing is read there.
        assert_eq!(goal(&[9, 20], &[9, 30], &[9, 50]), Ok(at(&[9, 50])));
        // The event at 9 is no longer in Kafka, but still in memory.
        assert_eq!(goal(&[9, 20], &[9, 30], &[10, 50]), Ok(at(&[9, 50])));
        // By both; and by an instance that has begun at 10 and cannot know that nothing was there.
        assert_eq!(goal(&[8, 20], &[9, 30], &[9, 50]), Err("outside_retention"));
        assert_eq!(goal(&[9, 20], &[10, 30], &[10, 50]), Err("outside_retention"));
    }
}
