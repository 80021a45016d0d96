//! The parameters of a stream: its filters, and the position from which it resumes.
//!
//! Pure. It never guesses: an id that was never given out is refused, not taken for none.

use arb_schemas::records::{EdgeSignal, Event};
use warp::http::HeaderMap;

use super::event::{Block, EventKind};
use super::position::{self, EventId};
use crate::http::parameters::parameters;
use crate::http::problem::Problem;
use crate::lists::signal_kinds::SignalKinds;
use crate::lists::sport::Sport;

/// The position to resume from, as a header; a parameter of a similar name is for clients that cannot set
/// one.
const LAST_EVENT_ID: &str = "last-event-id";
/// The former name of the parameter `event`, accepted for now.
const FORMER_EVENT: &str = "kinds";
const BOTH_NAMES: &str = "is given twice: kinds is the former name of event";
const BAD_ID: &str = "must be the id of an event of this stream";

/// Which events.
#[derive(Debug, Clone)]
pub(super) struct EventFilter {
    pub(super) sport: Sport,
    kinds: EventKinds,
    /// Of edge signals.
    signals: SignalKinds,
}

/// Of each kind, whether it is sent. No list: it is asked for every event of every stream.
type EventKinds = [bool; EventKind::ALL.len()];

/// All of it.
#[derive(Debug)]
pub(crate) struct StreamQuery {
    pub(super) filter: EventFilter,
    pub(super) last: Option<EventId>,
}

impl EventFilter {
    /// Whether an event is sent.
    pub(super) fn includes(&self, block: &Block) -> bool {
        self.has(block.kind)
            && self.sport.is(&block.sport, &block.league)
            && block.signal_kind.as_ref().is_none_or(|kind| self.signals.include(kind))
    }

    /// Whether what is open of an event of sports is sent.
    pub(super) fn includes_event(&self, event: &Event) -> bool {
        self.sport.is(&event.sport, &event.league)
    }

    /// Whether an open signal is sent.
    pub(super) fn includes_signal(&self, signal: &EdgeSignal) -> bool {
        self.includes_event(&signal.event) && self.signals.include(signal.kind.as_str())
    }

    /// Whether events of a kind are sent at all.
    pub(super) fn has(&self, kind: EventKind) -> bool {
        self.kinds[kind as usize]
    }
}

impl StreamQuery {
    /// From a request. The header goes before the parameter: a browser that connects again sends the URL of its first
    /// time, and the newer id beside it.
    pub(crate) fn parse(query: &str, headers: &HeaderMap) -> Result<Self, Problem> {
        let mut filter = EventFilter {
            sport: Sport::default(),
            kinds: [true; EventKind::ALL.len()],
            signals: SignalKinds::default(),
        };
        let (mut last, mut are_chosen) = (None, false);
        for (name, value) in parameters(query)? {
            match &*name {
                "sport" => filter.sport = Sport::parse(&value)?,
                "event" | FORMER_EVENT if are_chosen => {
                    return Err(Problem::invalid_param(&name, BOTH_NAMES));
                }
                "event" | FORMER_EVENT => (filter.kinds, are_chosen) = (kinds(&name, &value)?, true),
                "kind" => filter.signals = SignalKinds::parse(&value)?,
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

fn kinds(name: &str, text: &str) -> Result<EventKinds, Problem> {
    let reason = "must be some of arb_window, line_movement, stale_alert, close_signal, edge_signal, with commas between";
    let mut wanted = EventKinds::default();
    for key in text.split(',') {
        let kind = EventKind::ALL.into_iter().find(|kind| kind.key() == key);
        wanted[kind.ok_or_else(|| Problem::invalid_param(name, reason))? as usize] = true;
    }
    Ok(wanted)
}

fn id(name: &str, text: &str) -> Result<EventId, Problem> {
    position::decode(text).ok_or_else(|| Problem::invalid_param(name, BAD_ID))
}

#[cfg(test)]
mod tests {
    use super::super::position::Positions;
    use super::super::tests::{changed, close, window};
    use super::*;

    fn block(event: &super::super::event::Event) -> Block {
        Block::new(event, (0, 0, None), &[0; 16], &Positions::new(vec![1]))
    }

    fn parse(query: &str) -> StreamQuery {
        StreamQuery::parse(query, &HeaderMap::new()).ok().unwrap()
    }

    #[test]
    fn event_types_kinds_of_signals_and_sport_all_hold() {
        let blocks = [window("a", 1), close("a", 2), changed("s", 3, "opened")].map(|event| block(&event));
        for (query, expected) in [
            ("", [true, true, true]),
            ("event=close_signal", [false, true, false]),
            ("event=close_signal,arb_window", [true, true, false]),
            ("event=edge_signal", [false, false, true]),
            ("kinds=edge_signal", [false, false, true]),
            ("event=stale_alert", [false, false, false]),
            ("kind=steam", [true, true, false]),
            ("kind=steam,value", [true, true, true]),
            ("kind=value&event=edge_signal", [false, false, true]),
            ("sport=soccer_test&event=arb_window,edge_signal", [true, false, true]),
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
            "kinds=arb",
            "kind=arb",
            "event=edge_signal&kinds=edge_signal",
            "sort=1",
            "sport=",
            "sport=a&sport=b",
        ] {
            assert!(StreamQuery::parse(query, &HeaderMap::new()).is_err(), "{query}");
        }
    }
}
