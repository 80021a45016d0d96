//! The parameters of a stream: its filters, and the position from which it resumes.
//!
//! Pure. It never guesses: an id that was never given out is refused, not taken for none.

use std::time::Duration;

use arb_schemas::records::{BoardEntry, EdgeSignal};
use warp::http::HeaderMap;

use super::event::{Block, EventKind, Part, about_event};
use super::position::{self, EventId};
use crate::http::parameters::parameters;
use crate::http::problem::Problem;
use crate::lists::known_names::Named;
use crate::lists::listed::{ListFilter, Listed, StreamFilter};
use crate::lists::signal_kinds::SignalKinds;

/// The position to resume from, as a header; a parameter of a similar name is for clients that cannot set
/// one.
const LAST_EVENT_ID: &str = "last-event-id";
/// The least and the most of the parameters `conflate_ms` and `heartbeat_seconds`.
const CONFLATE_MS: (u64, u64) = (50, 60_000);
const HEARTBEAT_SECONDS: (u64, u64) = (1, 300);
const BAD_ID: &str = "must be the id of an event of this stream";

/// The filter of the board.
type EntryFilter = <BoardEntry as Listed>::Filter;

/// Which events.
#[derive(Debug, Clone)]
pub(super) struct EventFilter {
    board: EntryFilter,
    kinds: EventKinds,
    /// Of edge signals.
    signals: SignalKinds,
}

/// Of each kind, whether it is sent. No list: it is asked for every event of every stream.
type EventKinds = [bool; EventKind::ALL.len()];

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

impl EventFilter {
    /// What of an event is sent: of a window also that it is not any more what was asked for.
    pub(super) fn part(&self, block: &Block) -> Part {
        let is_wanted = self.has(block.kind)
            && self.board.is_about(&block.about())
            && block.signal_kind.as_ref().is_none_or(|kind| self.signals.include(kind));
        if !is_wanted {
            return Part::Nothing;
        }
        let Some(step) = &block.step else { return Part::Whole };
        let includes = |values| self.board.includes_values(values);
        let was = || step.before.as_ref().is_some_and(includes);
        match &step.now {
            Some(now) if includes(now) => Part::Whole,
            Some(_) if was() => Part::Left,
            None if was() => Part::Whole,
            _ => Part::Nothing,
        }
    }

    /// Whether events of a sport and a league may be sent.
    pub(super) fn is_in(&self, place: (&str, &str)) -> bool {
        self.board.is_in(place)
    }

    /// Whether an open window is sent.
    pub(super) fn includes_window(&self, entry: &BoardEntry) -> bool {
        self.board.is_about(&about_event(&entry.event, Some(entry.market.as_str()), None))
            && self.board.includes_values(&entry.filter_values())
    }

    /// Whether an open signal is sent.
    pub(super) fn includes_signal(&self, signal: &EdgeSignal) -> bool {
        self.board.is_about(&about_event(&signal.event, Some(signal.market.as_str()), None))
            && self.signals.include(signal.kind.as_str())
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
            board: EntryFilter::default(),
            kinds: [true; EventKind::ALL.len()],
            signals: SignalKinds::default(),
        };
        let (mut last, mut pace) = (None, StreamPace::default());
        for (name, value) in parameters(query)? {
            match &*name {
                "event" => filter.kinds = kinds(&name, &value)?,
                "kind" => filter.signals = SignalKinds::parse(&value)?,
                "conflate_ms" => {
                    pace.conflate = Some(Duration::from_millis(whole(&name, &value, CONFLATE_MS)?));
                }
                "heartbeat_seconds" => {
                    pace.heartbeat = Some(Duration::from_secs(whole(&name, &value, HEARTBEAT_SECONDS)?));
                }
                "last_event_id" => last = Some(id("last_event_id", &value)?),
                _ if filter.board.take_for_stream(&name, &value)? => {}
                _ => return Err(Problem::invalid_param(&name, "is unknown")),
            }
        }
        // Some clients send it without a value as long as they have none.
        if let Some(value) = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty()) {
            last = Some(id(LAST_EVENT_ID, value.to_str().unwrap_or_default())?);
        }
        Ok(Self { filter, pace, last })
    }

    /// Whether it goes on after an event.
    pub(crate) fn resumes(&self) -> bool {
        self.last.is_some()
    }

    /// The names in it, each with its parameter.
    pub(crate) fn names(&self) -> Vec<Named<'_>> {
        self.filter.board.names()
    }
}

fn kinds(name: &str, text: &str) -> Result<EventKinds, Problem> {
    let reason = "must be some of arb_window, line_movement, stale_alert, close_signal, edge_signal, pick, pick_graded, window_graded, with commas between";
    let mut wanted = EventKinds::default();
    for key in text.split(',') {
        let kind = EventKind::ALL.into_iter().find(|kind| kind.key() == key);
        wanted[kind.ok_or_else(|| Problem::invalid_param(name, reason))? as usize] = true;
    }
    Ok(wanted)
}

/// A whole number within limits.
fn whole(name: &str, text: &str, (least, most): (u64, u64)) -> Result<u64, Problem> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number
        .ok_or_else(|| Problem::invalid_param(name, format!("must be a whole number from {least} to {most}")))
}

fn id(name: &str, text: &str) -> Result<EventId, Problem> {
    position::decode(text).ok_or_else(|| Problem::invalid_param(name, BAD_ID))
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures::window_grading;

    use super::super::position::Positions;
    use super::super::tests::{changed, close, window};
    use super::*;

    /// The grading of a window that was not verified, of a margin of 0.0526, at alpha and beta.
    fn grading() -> Block {
        block(&super::super::event::Event::Grading(Box::new(window_grading())))
    }

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
            ("event=stale_alert", [false, false, false]),
            ("kind=steam", [true, true, false]),
            ("kind=steam,value", [true, true, true]),
            ("kind=value&event=edge_signal", [false, false, true]),
            ("sport=soccer_test&event=arb_window,edge_signal", [true, false, true]),
            ("sport=tennis", [false, false, false]),
        ] {
            let filter = parse(query).filter;
            assert_eq!(blocks.each_ref().map(|block| filter.part(block) == Part::Whole), expected, "{query}");
        }
    }

    #[test]
    fn filters_of_windows_are_compared_with_what_a_graded_window_opened_with() {
        let block = grading();
        for (query, part) in [
            ("", Part::Whole),
            ("event=window_graded&min_margin=0.05&book=beta&market=totals", Part::Whole),
            ("event=pick_graded", Part::Nothing),
            ("verified=true", Part::Nothing),
            ("min_margin=0.06", Part::Nothing),
            ("book=gamma", Part::Nothing),
            ("sport=tennis", Part::Nothing),
            ("kind=steam", Part::Whole),
        ] {
            assert_eq!(parse(query).filter.part(&block), part, "{query}");
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
}
