//! What a client asks of a stream: its filters, and where it goes on.
//!
//! Pure. It never guesses: an id that was never given out is refused, not taken for none.

use warp::http::HeaderMap;

use super::event::{Block, Kind};
use super::position::{self, EventId};
use crate::filter::{Sport, parameters};
use crate::problem::Problem;

/// Where a client goes on, as a header; a parameter of the like name is for those who cannot set one.
const LAST_EVENT_ID: &str = "last-event-id";
const BAD_ID: &str = "must be the id of an event of this stream";

/// Which events.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub(super) sport: Sport,
    kinds: Kinds,
}

/// Of each kind, whether it is sent. No list: it is asked for every event of every stream.
type Kinds = [bool; Kind::ALL.len()];

/// All of it.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) filter: Filter,
    pub(super) last: Option<EventId>,
}

impl Filter {
    /// Whether an event is sent.
    pub(super) fn includes(&self, block: &Block) -> bool {
        self.has(block.kind) && self.sport.is(&block.sport, &block.league)
    }

    /// Whether events of a kind are sent at all.
    pub(super) fn has(&self, kind: Kind) -> bool {
        self.kinds[kind as usize]
    }
}

impl Query {
    /// From a request. The header goes before the parameter: a browser that connects again sends the URL of its first
    /// time, and the newer id beside it.
    pub(super) fn parse(query: &str, headers: &HeaderMap) -> Result<Self, Problem> {
        let mut filter = Filter { sport: Sport::default(), kinds: [true; Kind::ALL.len()] };
        let mut last = None;
        for (name, value) in parameters(query)? {
            match &*name {
                "sport" => filter.sport = Sport::parse(&value)?,
                "kinds" => filter.kinds = kinds(&value)?,
                "last_event_id" => last = Some(id("last_event_id", &value)?),
                _ => return Err(Problem::invalid_param(&name, "is unknown")),
            }
        }
        // Some clients send it without a value as long as they have none.
        if let Some(value) = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty()) {
            last = Some(id(LAST_EVENT_ID, value.to_str().unwrap_or_default())?);
        }
        Ok(Self { filter, last })
    }
}

fn kinds(text: &str) -> Result<Kinds, Problem> {
    let reason = "must be some of arb_window, line_movement, stale_alert, close_signal, edge_signal, with commas between";
    let mut wanted = Kinds::default();
    for key in text.split(',') {
        let kind = Kind::ALL.into_iter().find(|kind| kind.key() == key);
        wanted[kind.ok_or_else(|| Problem::invalid_param("kinds", reason))? as usize] = true;
    }
    Ok(wanted)
}

fn id(name: &str, text: &str) -> Result<EventId, Problem> {
    position::decode(text).ok_or_else(|| Problem::invalid_param(name, BAD_ID))
}

#[cfg(test)]
mod tests {
    use super::super::event::tests::{changed, close, window};
    use super::super::position::Positions;
    use super::*;

    fn block(event: &super::super::event::Event) -> Block {
        Block::new(event, (0, 0, None), &[0; 16], &Positions::new(vec![1]))
    }

    fn parse(query: &str) -> Query {
        Query::parse(query, &HeaderMap::new()).ok().unwrap()
    }

    #[test]
    fn kinds_and_sport_both_hold() {
        let blocks = [window("a", 1), close("a", 2), changed("s", 3, "opened")].map(|event| block(&event));
        for (query, expected) in [
            ("", [true, true, true]),
            ("kinds=close_signal", [false, true, false]),
            ("kinds=close_signal,arb_window", [true, true, false]),
            ("kinds=edge_signal", [false, false, true]),
            ("kinds=stale_alert", [false, false, false]),
            ("sport=soccer_test&kinds=arb_window,edge_signal", [true, false, true]),
            ("sport=tennis", [false, false, false]),
        ] {
            let filter = parse(query).filter;
            assert_eq!(blocks.each_ref().map(|block| filter.includes(block)), expected, "{query}");
        }
    }

    #[test]
    fn the_header_goes_before_the_parameter_and_bad_ids_are_refused() {
        let id = |next| position::encode(&[0; 16], &Positions::new(vec![next]));
        let query = format!("last_event_id={}", id(1));
        assert_eq!(parse(&query).last.unwrap().positions, Positions::new(vec![1]));
        let mut headers = HeaderMap::new();
        headers.insert(LAST_EVENT_ID, id(2).parse().unwrap());
        let last = Query::parse(&query, &headers).ok().unwrap().last;
        assert_eq!(last.unwrap().positions, Positions::new(vec![2]));
        headers.insert(LAST_EVENT_ID, "".parse().unwrap());
        let last = Query::parse(&query, &headers).ok().unwrap().last;
        assert_eq!(last.unwrap().positions, Positions::new(vec![1]), "an empty header is none");
        headers.insert(LAST_EVENT_ID, "17".parse().unwrap());
        assert!(Query::parse("", &headers).is_err());
        for query in ["last_event_id=", "kinds=", "kinds=arb", "sort=1", "sport=", "sport=a&sport=b"] {
            assert!(Query::parse(query, &HeaderMap::new()).is_err(), "{query}");
        }
    }
}
