//! The parameters of a stream: its filters, and the position from which it resumes.
//!
//! Pure. It never guesses: an id that was never given out is refused, not taken for none.

use std::time::Duration;

use arb_feed::filter::EventFilter;
use arb_feed::filter::parameter::{Parameter, Values};
use arb_feed::position::{self, EventId};
use arb_schemas::records::BoardEntry;
use warp::http::HeaderMap;

use crate::http::parameters::parameters;
use crate::http::problem::Problem;
use crate::http::query::{Query, QueryRow, row};
use crate::lists::known_names::{KnownNames, Named};
use crate::lists::listed::{ListFilter, Listed};

/// The position to resume from, as a header; a parameter of a similar name is for clients that cannot set
/// one.
const LAST_EVENT_ID: &str = "last-event-id";
const BAD_ID: &str = "must be the id of an event of this stream";
/// The texts of ids of events.
pub(super) const ID: Values =
    Values::Text { least: 2, most: position::MAX_TEXT, pattern: Some("^[A-Za-z0-9_-]+$") };
/// Parameters of a stream that are no filters of an endpoint: types of events have a field, and the others are of a connection.
const NO_FILTERS: [&str; 4] = ["event", "conflate_ms", "heartbeat_seconds", "last_event_id"];
const CONFLATE_MS: &Parameter<u64> =
    &Parameter::whole("conflate_ms", "The latest state at most so often.", (50, 60_000));
const HEARTBEAT_SECONDS: &Parameter<u64> =
    &Parameter::whole("heartbeat_seconds", "Seconds of silence.", (1, 300));
const LAST_ID: &Parameter<EventId> =
    &Parameter::new("last_event_id", "As the header Last-Event-ID.", ID, |_, text| position::decode(text))
        .because(BAD_ID);

/// How often something is sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StreamPace {
    /// The latest state of each window and signal at most this often, instead of every event.
    pub(super) conflate: Option<Duration>,
    /// Something at least this often, instead of the server's heartbeat.
    pub(super) heartbeat: Option<Duration>,
}

/// All of it.
#[derive(Debug)]
pub(crate) struct StreamQuery {
    pub(super) filter: EventFilter,
    pub(super) pace: StreamPace,
    pub(super) last: Option<EventId>,
}

impl Query for StreamQuery {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(CONFLATE_MS, |query, ms| query.pace.conflate = Some(Duration::from_millis(ms))),
        row!(HEARTBEAT_SECONDS, |query, seconds| {
            query.pace.heartbeat = Some(Duration::from_secs(seconds));
        }),
        row!(LAST_ID => last),
    ];
}

impl StreamQuery {
    /// From a request. The header goes before the parameter: a browser that connects again sends the URL of its first
    /// time, and the newer id beside it.
    pub(crate) fn parse(query: &str, headers: &HeaderMap) -> Result<Self, Problem> {
        let mut asked = Self { filter: EventFilter::default(), pace: StreamPace::default(), last: None };
        for (name, value) in parameters(query)? {
            if !asked.accept(&name, &value)? {
                return Err(Problem::invalid_param(&name, why_not(&name)));
            }
        }
        // Some clients send it without a value as long as they have none.
        if let Some(value) = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty()) {
            let id = position::decode(value.to_str().unwrap_or_default());
            asked.last = Some(id.ok_or_else(|| Problem::invalid_param(LAST_EVENT_ID, BAD_ID))?);
        }
        Ok(asked)
    }

    /// Takes a parameter of its own or of its filter; `false` when it is none of these.
    ///
    /// # Errors
    /// 400 for an invalid value.
    pub(super) fn accept(&mut self, name: &str, value: &str) -> Result<bool, Problem> {
        Ok(self.take(name, value)? || self.filter.take(name, value)?)
    }

    /// Whether it goes on after an event.
    pub(crate) fn resumes(&self) -> bool {
        self.last.is_some()
    }

    /// The names in it, each with its parameter.
    pub(crate) fn names(&self) -> impl Iterator<Item = Named<'_>> {
        Named::of_window(self.filter.window())
    }
}

/// Checks a filter of an endpoint that a request names.
///
/// # Errors
/// 400 for one that streams do not have, or that is of another field, or an invalid value.
pub(crate) fn check_filter((name, value): (&str, &str), names: &KnownNames) -> Result<(), Problem> {
    if NO_FILTERS.contains(&name) {
        return Err(Problem::invalid_param(name, "is no filter of an endpoint"));
    }
    let mut filter = EventFilter::default();
    if !filter.take(name, value)? {
        return Err(Problem::invalid_param(name, why_not(name)));
    }
    names.check_for_stream(Named::of_window(filter.window()))
}

/// Why a stream does not have a parameter.
pub(super) fn why_not(name: &str) -> &'static str {
    <BoardEntry as Listed>::Filter::not_of_streams(name).unwrap_or("is unknown")
}

#[cfg(test)]
mod tests {
    use arb_feed::position::Positions;

    use super::*;

    fn parse(query: &str) -> StreamQuery {
        StreamQuery::parse(query, &HeaderMap::new()).ok().unwrap()
    }

    #[test]
    fn the_header_goes_before_the_parameter_and_bad_ids_are_refused() {
        let id = |next| position::encode(&[0; 16], &Positions::new(vec![next]));
        let query = format!("last_event_id={}", id(1));
        assert_eq!(parse(&query).last.unwrap().positions, Positions::new(vec![1]));
        let mut headers = HeaderMap::new();
        headers.insert(LAST_EVENT_ID, id(2).parse().unwrap());
        let last = StreamQuery::parse(&query, &headers).ok().unwrap().last;
        assert_eq!(last.unwrap().positions, Positions::new(vec![2]));
        headers.insert(LAST_EVENT_ID, "".parse().unwrap());
        let last = StreamQuery::parse(&query, &headers).ok().unwrap().last;
        assert_eq!(last.unwrap().positions, Positions::new(vec![1]), "an empty header is none");
        headers.insert(LAST_EVENT_ID, "17".parse().unwrap());
        assert!(StreamQuery::parse("", &headers).is_err());
        for query in [
            "last_event_id=",
            "event=",
            "event=arb",
            "kind=arb",
            "event=edge_signal&event=edge_signal",
            "kinds=edge_signal",
            "sort=1",
            "sport=",
            "sport=a&sport=b",
            "sort=margin",
            "max_age=5",
            "min_margin=2%",
            "conflate_ms=49",
            "conflate_ms=60001",
            "heartbeat_seconds=0",
            "heartbeat_seconds=301",
            "heartbeat_seconds=1.5",
        ] {
            assert!(StreamQuery::parse(query, &HeaderMap::new()).is_err(), "{query}");
        }
    }

    #[test]
    fn parameters_of_a_connection_are_no_filters() {
        for (name, value) in [("sport", "soccer"), ("min_margin", "0.02"), ("kind", "steam,value")] {
            assert!(check_filter((name, value), &KnownNames::default()).is_ok(), "{name}");
        }
        for (name, value) in [
            ("event", "arb_window"),
            ("conflate_ms", "100"),
            ("sort", "margin"),
            ("min_margin", "x"),
            ("colour", "red"),
            ("sport", "socer"),
            ("market", "moneyline"),
            ("book", "bet365"),
        ] {
            assert!(check_filter((name, value), &KnownNames::default()).is_err(), "{name}");
        }
    }
}
