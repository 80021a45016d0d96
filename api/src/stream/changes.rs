//! The events after one, as a page: for clients that cannot hold a stream.
//!
//! What a page has is what a stream with the same filters sends after the same id. It is read from memory alone: who comes back later
//! than memory reaches is asked to begin again. It never waits for an event.

use arb_feed::event::{Block, Part};
use arb_feed::filter::EventFilter;
use arb_feed::filter::parameter::Parameter;
use arb_feed::filter::window::WindowFilter;
use arb_feed::position::{self, EventId, Positions};

use super::StreamState;
use super::hub::{FeedHub, RingPosition};
use super::query::{ID, StreamQuery, why_not};
use crate::http::paging;
use crate::http::parameters::parameters;
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, parameters_of, row, unknown};

/// Parameters of streams that a page has not.
const OF_STREAMS: [&str; 3] = ["last_event_id", "conflate_ms", "heartbeat_seconds"];
const SINCE: &Parameter<EventId> = &Parameter::new(
    "since",
    "The id of an event of the stream, or `next` of the page before.",
    ID,
    |_, text| position::decode(text),
)
.component("since_id")
.because("must be a `next` of this route or the id of an event of a stream");
/// The feed is another one than that of the id.
const EPOCH: &str = "epoch_changed";
/// The id is of before what is in memory.
const TOO_OLD: &str = "too_old";

/// What is asked.
#[derive(Debug)]
pub(crate) struct ChangesQuery {
    stream: StreamQuery,
    since: Option<EventId>,
    most: u64,
}

/// A page.
#[derive(Debug)]
pub(crate) struct ChangesPage {
    /// Each as an object of JSON.
    pub(crate) events: Vec<String>,
    /// The id to ask with the next time.
    pub(crate) next: String,
    /// There are more already.
    pub(crate) has_more: bool,
    /// Why the client must begin again, with the board.
    pub(crate) resync: Option<&'static str>,
}

impl Query for ChangesQuery {
    const ROWS: &'static [QueryRow<Self>] = &[row!(SINCE => since), row!(paging::LIMIT => most)];
}

impl ChangesQuery {
    /// What a page is asked for by.
    pub(crate) const PARAMETERS: ParameterList = || {
        let (of_window, of_events) = (parameters_of::<WindowFilter>(), parameters_of::<EventFilter>());
        [parameters_of::<Self>(), of_window, of_events].concat()
    };

    /// From the query of a request: `since`, `limit`, and the filters of streams.
    pub(crate) fn parse(query: &str) -> Result<Self, Problem> {
        let stream = StreamQuery::parse("", &warp::http::HeaderMap::new())?;
        let most = paging::LIMIT.default_value().unwrap_or_default();
        let mut asked = Self { stream, since: None, most };
        for (name, value) in parameters(query)? {
            if OF_STREAMS.contains(&&*name) {
                return Err(unknown(&name));
            }
            if !(asked.take(&name, &value)? || asked.stream.accept(&name, &value)?) {
                return Err(Problem::invalid_param(&name, why_not(&name)));
            }
        }
        Ok(asked)
    }

    /// The filters.
    pub(crate) fn stream(&self) -> &StreamQuery {
        &self.stream
    }
}

impl StreamState {
    /// The page of a query.
    pub(crate) fn changes(&self, query: &ChangesQuery) -> ChangesPage {
        let hub = &self.streams.hub;
        let Some(EventId { epoch, positions }) = &query.since else { return begin(hub, None) };
        if epoch != hub.epoch() || positions.as_slice().len() != hub.head().as_slice().len() {
            return begin(hub, Some(EPOCH));
        }
        // An instance that has not come so far yet has nothing newer.
        if !hub.head().reaches(positions) {
            return page(hub, positions, Vec::new(), false);
        }
        let read = hub.join(positions).and_then(|place| read(hub, query, positions, &place));
        read.unwrap_or_else(|| begin(hub, Some(TOO_OLD)))
    }
}

/// Nothing, and where to go on.
fn begin(hub: &FeedHub, resync: Option<&'static str>) -> ChangesPage {
    ChangesPage { resync, ..page(hub, &hub.beginning(), Vec::new(), false) }
}

fn page(hub: &FeedHub, sent: &Positions, events: Vec<String>, has_more: bool) -> ChangesPage {
    ChangesPage { events, next: position::encode(hub.epoch(), sent), has_more, resync: None }
}

/// The events from a place in memory on; `None` when they leave it meanwhile.
fn read(hub: &FeedHub, query: &ChangesQuery, from: &Positions, place: &RingPosition) -> Option<ChangesPage> {
    let (mut sent, mut events) = (from.clone(), Vec::new());
    sent.learn(&place.reader);
    let mut cursor = hub.cursor(place.next)?;
    while (events.len() as u64) < query.most {
        let Some(block) = cursor.read() else { return Some(page(hub, &sent, events, false)) };
        let (partition, offset, mark) = (block.partition, block.offset, block.mark);
        let is_new = sent.is_before(partition, offset) && !sent.has_had(partition, mark);
        sent.pass(partition, offset, mark);
        let part = if is_new { query.stream.filter.part(block) } else { Part::Nothing };
        events.extend(event(block, part, &position::encode(hub.epoch(), &sent)));
        cursor.advance();
    }
    let has_more = cursor.read().is_some();
    Some(page(hub, &sent, events, has_more))
}

/// A part of an event as an object, with the id of the place after it.
fn event(block: &Block, part: Part, id: &str) -> Option<String> {
    let text = block.part(part)?;
    let data = std::str::from_utf8(&text).ok()?.split_once("\ndata: ")?.1.trim_end();
    Some(format!(r#"{{"id":"{id}","event":"{}","data":{data}}}"#, block.kind.key()))
}
