//! A client that has come to where the ring is: what it is sent from then on, until it goes, falls behind, or the server
//! ends.
//!
//! It is the body of the response itself: polled by the task of the connection that sends it, it hands over
//! shared bytes, a block at a time, without a channel or task between the ring and the connection. A separate
//! task would have to be woken for every event and then wake the connection, a second wake-up for each event.
//! It never buffers for a client that does not read: a full connection polls no further, and a client that
//! the ring has passed is disconnected with the position from which to resume.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use arb_feed::event::{Block, Part, id_line};
use arb_feed::position::Positions;
use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::mpsc;

use super::PIECES;
use super::client::{Client, Joined, Start};
use super::conflation::Conflation;
use super::hub::RingPosition;
use super::notice;
use super::ring::RingCursor;
use super::session::{End, Session};
use super::sse_body::{Beginning, Continued};

/// Such a client.
pub(super) struct Follower {
    session: Session,
    /// Where it reads; `None` when that is no longer in memory.
    cursor: Option<RingCursor>,
    /// How far it has come.
    sent: Positions,
    /// What the reader had read before the next block, where the client has more than that: only there it may have had what
    /// the ring has again.
    reader: Option<Positions>,
    /// What it has read and was not sent yet, of a client that wants the latest state alone.
    conflation: Option<Conflation>,
    has_ended: bool,
    /// It goes on with a snapshot.
    is_behind: bool,
}

impl Follower {
    /// A client from its beginning on; `None` when it does not come to where the ring is.
    pub(super) async fn begin(client: Client, start: Start) -> Option<Self> {
        let Joined { session, sent, place } = client.begin(start).await?;
        Some(Self::new(session, sent, place))
    }

    /// A client at this position; the position to continue from is never beyond it.
    pub(super) fn new(session: Session, mut sent: Positions, place: RingPosition) -> Self {
        sent.learn(&place.reader);
        let cursor = session.hub().cursor(place.next);
        let reader = Some(place.reader).filter(|reader| *reader != sent);
        let conflation = session.conflate.map(Conflation::new);
        Self { session, cursor, sent, reader, conflation, has_ended: false, is_behind: false }
    }

    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Result<Bytes, End>> {
        let mut is_waiting_for_it = false;
        loop {
            if let Some(end) = self.session.end() {
                return Poll::Ready(Err(end));
            }
            match self.read() {
                Read::Passed(Some(text)) => return Poll::Ready(Ok(text)),
                Read::Passed(None) => {}
                Read::Gone if self.conflation.is_some() => return Poll::Ready(Err(End::Behind)),
                Read::Gone => return Poll::Ready(Err(End::Lagged("too_slow"))),
                // Once more, for what has come before it would have been woken.
                Read::End if !is_waiting_for_it => {
                    self.session.slot.wait(context);
                    is_waiting_for_it = true;
                }
                Read::End => return self.poll_idle(context),
            }
        }
    }

    /// Reads the next block, if there is one.
    fn read(&mut self) -> Read {
        let Some(mut cursor) = self.cursor.take() else { return Read::Gone };
        if self.session.hub().is_gone(cursor.number()) {
            return Read::Gone;
        }
        let read = cursor.read().map_or(Read::End, |block| Read::Passed(self.pass(block)));
        if let Read::Passed(_) = read {
            cursor.advance();
        }
        self.cursor = Some(cursor);
        read
    }

    /// Goes past a block: what is sent of it, if anything.
    fn pass(&mut self, block: &Block) -> Option<Bytes> {
        let (partition, offset, mark) = (block.partition, block.offset, block.mark);
        let has_had = self.reader.is_some() && self.sent.has_had(partition, mark);
        let is_new = self.sent.is_before(partition, offset) && !has_had;
        self.sent.pass(partition, offset, mark);
        let part = if is_new { self.session.filter.part(block) } else { Part::Nothing };
        let text = self.text(block, part);
        if let Some(reader) = &mut self.reader {
            reader.pass(partition, offset, mark);
            if *reader == self.sent {
                // From here on they pass the same.
                self.reader = None;
            }
        }
        text
    }

    /// A block, with the id of where this client is after it.
    fn text(&mut self, block: &Block, part: Part) -> Option<Bytes> {
        if let Some(conflation) = &mut self.conflation {
            conflation.put(block.subject.as_deref(), block.part(part)?);
            return None;
        }
        if self.reader.is_none() {
            return block.part_with_id(part);
        }
        let id = || Bytes::from(id_line(self.session.hub().epoch(), &self.sent));
        block.part(part).map(|text| [text, id()].concat().into())
    }

    /// What was read and not sent yet, with the id of where this client is after it.
    fn flush(&mut self) -> Option<Bytes> {
        let id = id_line(self.session.hub().epoch(), &self.sent);
        self.conflation.as_mut()?.flush(&id)
    }

    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<Result<Bytes, End>> {
        if let Some(conflation) = &mut self.conflation
            && conflation.has_some()
        {
            ready!(conflation.poll_due(context));
            return self.flush().map_or(Poll::Pending, |text| Poll::Ready(Ok(text)));
        }
        ready!(self.session.poll_idle(context));
        let polls = &self.session.state.lists.polls;
        let (as_of, is_stale) = (polls.as_of(), polls.is_stale());
        Poll::Ready(Ok(notice::heartbeat(self.session.to(Some(&self.sent)), as_of, is_stale)))
    }
}

/// What came of reading a block.
enum Read {
    /// There was one; what is sent of it, if anything.
    Passed(Option<Bytes>),
    /// Nothing yet.
    End,
    /// It is no longer in memory.
    Gone,
}

impl Continued for Follower {
    fn again(self) -> Option<(Beginning<Self>, mpsc::Receiver<Bytes>)> {
        self.is_behind.then(|| {
            let (out, pieces) = mpsc::channel(PIECES);
            let beginning: Beginning<Self> =
                Box::pin(Self::begin(Client::new(self.session, out), Start::Fresh));
            (beginning, pieces)
        })
    }
}

impl Stream for Follower {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let piece = match ready!(self.poll_piece(context)) {
            Ok(piece) => piece,
            Err(end) => {
                self.has_ended = true;
                let this = &mut *self;
                this.is_behind = matches!(end, End::Behind);
                // Before a notice with the id of where it is.
                let unsent = if matches!(end, End::Closing) { this.flush() } else { None };
                // A client that does not receive it sees the end of the stream, and resumes from its id all
                // the same.
                let last = this.session.last_word(&end, Some(&this.sent));
                return Poll::Ready(last.map(|last| [unsent.unwrap_or_default(), last].concat().into()));
            }
        };
        self.session.sends(piece.len());
        Poll::Ready(Some(piece))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Waker;
    use std::time::Duration;

    use arb_feed::fixtures::closed;
    use arb_feed::position::decode;
    use arb_runtime::feed_mark::{FeedMark, FeedMarks};
    use arb_schemas::wire::encode;
    use futures_util::StreamExt;
    use tokio::runtime::Runtime;

    use super::super::query::StreamQuery;
    use super::super::tests::Woken;
    use super::*;
    use crate::SharedApp;
    use crate::access::replica::Change;
    use crate::fixtures::TestApp;

    /// The content of a piece: its name, its window, and the positions of its id.
    type Received = (String, String, Vec<i64>);

    /// A feed of two partitions that keeps three events, with clients that receive something every 5 ms.
    struct Feed {
        app: SharedApp,
        runtime: Runtime,
        kid: String,
        _folder: tempfile::TempDir,
    }

    impl Feed {
        fn new() -> Self {
            Self::keeping(3)
        }

        fn keeping(events: usize) -> Self {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let TestApp { app, key, folder } = TestApp::new(2, events, Duration::from_millis(5));
            Self { app: Arc::new(app), runtime, kid: key[9..17].to_owned(), _folder: folder }
        }

        /// A window closes, at a place.
        fn push(&self, partition: i32, offset: i64) {
            let message = encode(&closed(&format!("{partition}-{offset}"), offset)).unwrap();
            self.app.streams().take(partition, offset, &message).unwrap();
        }

        /// A feed that is read from an offset of this log on: numbers of the first partition, one at each offset.
        fn reading(log: &[i64], start: usize) -> Self {
            let (feed, mut marks) = (Self::keeping(99), FeedMarks::default());
            for (offset, sequence) in (0..).zip(log).skip(start) {
                let message = encode(&closed(&sequence.to_string(), *sequence)).unwrap();
                if marks.admit(0, mark(*sequence)) {
                    feed.app.streams().hub.push((0, offset, mark(*sequence)), &message).unwrap();
                }
            }
            feed
        }

        /// A client that resumes after these positions.
        fn client(&self, query: &str, sent: [i64; 2]) -> Follower {
            self.client_at(query, Positions::new(sent.to_vec()))
        }

        fn client_at(&self, query: &str, sent: Positions) -> Follower {
            let _in = self.runtime.enter();
            let query = StreamQuery::parse(query, &warp::http::HeaderMap::new()).ok().unwrap();
            let place = self.app.streams().hub.join(&sent).unwrap();
            let stream = &self.app.stream;
            let session = (&*self.kid, stream.place("a", 0).unwrap());
            Follower::new(Session::new(Arc::clone(stream), (query.filter, query.pace), session), sent, place)
        }

        /// The next pieces.
        fn receive(&self, client: &mut Follower, count: usize) -> Vec<Received> {
            let pieces = self.runtime.block_on(client.take(count).collect::<Vec<_>>());
            pieces.iter().map(|piece| read(piece)).collect()
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "as it is compared with")]
    fn mark(sequence: i64) -> Option<FeedMark> {
        Some(FeedMark { epoch: 1, sequence })
    }

    /// Where clients are that were sent everything up to each event of a log by a reader of all of it, and that event.
    fn resume_points(log: &[i64]) -> Vec<(Positions, i64)> {
        let (mut sent, mut points) = (Positions::new(vec![0, 0]), Vec::new());
        for (offset, sequence) in (0..).zip(log) {
            if !sent.has_had(0, mark(*sequence)) {
                sent.pass(0, offset, mark(*sequence));
                points.push((sent.clone(), *sequence));
            }
        }
        points
    }

    fn read(piece: &[u8]) -> Received {
        let text = std::str::from_utf8(piece).unwrap();
        let field = |name| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let data: serde_json::Value = serde_json::from_str(field("data: ")).unwrap();
        let window = data["id"].as_str().unwrap_or_default().to_owned();
        let positions = decode(field("id: ")).unwrap().positions;
        (field("event: ").to_owned(), window, positions.as_slice().to_vec())
    }

    fn close(window: &str, positions: [i64; 2]) -> Received {
        ("close_signal".to_owned(), window.to_owned(), positions.to_vec())
    }

    fn other(name: &str, positions: [i64; 2]) -> Received {
        (name.to_owned(), String::new(), positions.to_vec())
    }

    #[test]
    fn it_receives_the_missing_events_with_the_ids_of_its_positions() {
        let feed = Feed::new();
        let mut at_the_end = feed.client("", [0, 0]);
        for (partition, offset) in [(0, 0), (1, 0), (0, 1)] {
            feed.push(partition, offset);
        }
        let all = [close("0-0", [1, 0]), close("1-0", [1, 1]), close("0-1", [2, 1])];
        assert_eq!(feed.receive(&mut at_the_end, 3), all);
        // It has the event between, which is not sent again; after it the two are at one place.
        let mut ahead = feed.client("", [0, 1]);
        assert_eq!(feed.receive(&mut ahead, 2), [close("0-0", [1, 1]), close("0-1", [2, 1])]);
        // Events that the filter excludes are passed too.
        let mut choosy = feed.client("event=edge_signal", [0, 1]);
        assert_eq!(feed.receive(&mut choosy, 1), [other("heartbeat", [2, 1])]);
    }

    /// What two lost markers leave behind.
    const LOG: [i64; 12] = [1, 2, 3, 1, 2, 3, 4, 5, 4, 5, 6, 7];

    /// Events with these numbers, then nothing.
    fn assert_sent(feed: &Feed, client: &mut Follower, expected: std::ops::RangeInclusive<i64>, what: &str) {
        let count = usize::try_from(expected.end() - expected.start() + 1).unwrap();
        let windows: Vec<_> = feed.receive(client, count).into_iter().map(|(_, window, _)| window).collect();
        assert_eq!(windows, expected.map(|sequence| sequence.to_string()).collect::<Vec<_>>(), "{what}");
        assert_eq!(feed.receive(client, 1)[0].0, "heartbeat", "{what}");
    }

    #[test]
    fn wherever_it_goes_on_it_is_sent_nothing_that_it_has_had() {
        for start in 0..LOG.len() {
            let feed = Feed::reading(&LOG, start);
            for (sent, last) in resume_points(&LOG) {
                // What comes before the instance's first event it would have from Kafka.
                if sent.as_slice()[0] >= i64::try_from(start).unwrap() {
                    let mut client = feed.client_at("", sent);
                    assert_sent(&feed, &mut client, last + 1..=7, &format!("{start} {last}"));
                    assert!(
                        client.reader.is_none() || last == 7,
                        "{start} {last}: it has its own ids for ever"
                    );
                }
            }
        }
    }

    #[test]
    fn an_id_without_marks_resumes_too() {
        let feed = Feed::reading(&LOG, 0);
        for (sent, last) in resume_points(&LOG) {
            let old = Positions::new(sent.as_slice().to_vec());
            let mut client = feed.client_at("", old);
            assert_sent(&feed, &mut client, last + 1..=7, &last.to_string());
            assert!(client.reader.is_none(), "{last}: it has its own ids for ever");
        }
    }

    #[test]
    fn it_is_woken_by_events_and_receives_heartbeats_between_them() {
        let feed = Feed::new();
        let mut client = feed.client("", [0, 0]);
        assert_eq!(feed.receive(&mut client, 2), [other("heartbeat", [0, 0]), other("heartbeat", [0, 0])]);
        let (woken, _in) = (Arc::new(Woken::default()), feed.runtime.enter());
        let waker = Waker::from(Arc::clone(&woken));
        // On a slow machine it is late for a heartbeat already.
        while client.poll_next_unpin(&mut Context::from_waker(&waker)).is_ready() {}
        assert_eq!(woken.count(), 0);
        feed.push(0, 0);
        assert_eq!(woken.count(), 1);
    }

    #[test]
    fn a_slow_client_is_disconnected_with_the_position_to_resume_from() {
        let feed = Feed::new();
        let mut client = feed.client("", [0, 0]);
        feed.push(0, 0);
        assert_eq!(feed.receive(&mut client, 1), [close("0-0", [1, 0])]);
        (1..5).for_each(|offset| feed.push(0, offset));
        assert_eq!(feed.receive(&mut client, 9), [other("lagged", [1, 0])], "and then nothing");
    }

    #[test]
    fn when_the_server_ends_it_is_told_so_before_anything_else() {
        let feed = Feed::new();
        let mut client = feed.client("", [0, 0]);
        feed.push(0, 0);
        feed.app.streams().close();
        assert_eq!(feed.receive(&mut client, 9), [other("server_restart", [0, 0])]);
    }

    #[test]
    fn a_client_with_a_revoked_key_receives_the_notice_and_nothing_more() {
        let feed = Feed::new();
        let mut client = feed.client("", [0, 0]);
        feed.push(0, 0);
        let replica = feed.app.authority.replica();
        feed.app.streams().keys_have_changed();
        assert_eq!(feed.receive(&mut client, 1), [close("0-0", [1, 0])], "its key is still there");
        let (woken, _in) = (Arc::new(Woken::default()), feed.runtime.enter());
        let waker = Waker::from(Arc::clone(&woken));
        while client.poll_next_unpin(&mut Context::from_waker(&waker)).is_ready() {}
        assert_eq!(replica.remove(&format!("key/{}", feed.kid)), Change::Keys);
        feed.app.streams().keys_have_changed();
        assert_eq!(woken.count(), 1);
        feed.push(0, 1);
        let last = feed.runtime.block_on(client.collect::<Vec<_>>());
        assert_eq!(last, ["event: key_revoked\ndata: {}\n\n"]);
    }
}
