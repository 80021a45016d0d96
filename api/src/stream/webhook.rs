//! Records of the feed as webhooks send them: the JSON and the filters of streams.
//!
//! Pure. It never looks at an endpoint.

use arb_deliver::fan_out::{FeedPart, FeedReader, FeedText};
use arb_schemas::time::Micros;
use arb_schemas::wire::WireError;
use warp::http::HeaderMap;

use super::event::{Block, Event, Part};
use super::position::Positions;
use super::query::{EventFilter, StreamQuery};
use crate::http::problem::Problem;
use crate::lists::known_names::KnownNames;

/// Parameters of a stream that are no filters of an endpoint: types of events have a field, and the others are of a connection.
const NO_FILTERS: [&str; 4] = ["event", "conflate_ms", "heartbeat_seconds", "last_event_id"];

/// Reads the feed for webhooks.
#[derive(Debug)]
pub struct WebhookFeed;

/// A record of the feed and what filters compare of it.
#[derive(Debug)]
pub struct WebhookBlock(Block);

/// The filters of an endpoint.
#[derive(Debug)]
pub struct WebhookFilter(EventFilter);

impl FeedReader for WebhookFeed {
    type Event = WebhookBlock;
    type Filter = WebhookFilter;

    fn read(message: &[u8]) -> Result<(FeedText, WebhookBlock), WireError> {
        let event = Event::decode(message)?;
        let (subject, at) = subject(&event);
        // Its place in the feed is in the id of a delivery.
        let block = Block::new(&event, (0, 0, None), &[0; 16], &Positions::new(vec![]));
        let text = FeedText {
            kind: event.kind().key(),
            subject: subject.to_owned(),
            at,
            data: data(&block, Part::Whole),
        };
        Ok((text, WebhookBlock(block)))
    }

    fn filter(query: &str) -> Option<WebhookFilter> {
        let query = StreamQuery::parse(query, &HeaderMap::new()).ok()?;
        Some(WebhookFilter(query.filter))
    }

    fn place(event: &WebhookBlock) -> (&str, &str) {
        let about = event.0.about();
        (about.sport, about.league)
    }

    fn is_in(filter: &WebhookFilter, place: (&str, &str)) -> bool {
        filter.0.is_in(place)
    }

    fn part(filter: &WebhookFilter, event: &WebhookBlock) -> FeedPart {
        match filter.0.part(&event.0) {
            Part::Nothing => FeedPart::Nothing,
            Part::Whole => FeedPart::Whole,
            Part::Left => FeedPart::Left,
        }
    }

    fn left(event: &WebhookBlock) -> String {
        data(&event.0, Part::Left)
    }
}

/// Checks a filter that a request names.
///
/// # Errors
/// 400 for one that streams do not have, or that is of another field, or an invalid value.
pub(crate) fn check_filter((name, value): (&str, &str), names: &KnownNames) -> Result<(), Problem> {
    if NO_FILTERS.contains(&name) {
        return Err(Problem::invalid_param(name, "is no filter of an endpoint"));
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair(name, value);
    let query = StreamQuery::parse(&query.finish(), &HeaderMap::new())?;
    names.check_for_stream(query.names())
}

/// The JSON of a part of an event: the line of the block that has it.
fn data(block: &Block, part: Part) -> String {
    let text = block.part(part).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or_default().to_owned()
}

/// The window, signal or pick that an event is about, and when it happened.
fn subject(event: &Event) -> (&str, Micros) {
    match event {
        Event::ArbWindow(window) => (&window.entry.id, window.entry.updated_at.0),
        Event::LineMovement(moved) => ("", moved.window_end.0),
        Event::StaleAlert(alert) => (alert.arb_id.as_deref().unwrap_or_default(), alert.at.0),
        Event::CloseSignal(closed) => (&closed.id, closed.closed_at.0),
        Event::EdgeSignal(changed) => (&changed.signal.id, changed.signal.updated_at.0),
        Event::Pick(changed) => {
            let pick = &changed.pick;
            (&pick.id, pick.grade().map_or(pick.published_at, |grade| grade.at).0)
        }
        Event::Grading(graded) => (&graded.window.id, graded.grade.at.0),
    }
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures::window_grading;
    use arb_schemas::records::{ArbWindow, BoardEntry, WindowGrading};
    use arb_schemas::wire::encode;
    use serde_json::Value;

    use super::*;
    use crate::fixtures::{closed, entry, moved};

    #[test]
    fn a_record_reads_as_on_streams() {
        let (close, _) = WebhookFeed::read(&encode(&closed("a", 2)).unwrap()).unwrap();
        assert_eq!((close.kind, close.subject.as_str()), ("close_signal", "a"));
        let data: Value = serde_json::from_str(&close.data).unwrap();
        assert_eq!((&data["id"], &data["sequence"]), (&"a".into(), &2.into()));
        let (moved, _) = WebhookFeed::read(&encode(&moved()).unwrap()).unwrap();
        assert_eq!((moved.kind, moved.subject.as_str()), ("line_movement", ""));
        let (graded, event) = WebhookFeed::read(&encode(&window_grading()).unwrap()).unwrap();
        let WindowGrading { window, grade } = window_grading();
        assert_eq!((graded.kind, &graded.subject, graded.at), ("window_graded", &window.id, grade.at.0));
        let data: Value = serde_json::from_str(&graded.data).unwrap();
        assert_eq!((&data["id"], &data["grade"]["version"]), (&window.id.as_str().into(), &2.into()));
        let filter = WebhookFeed::filter("verified=true").unwrap();
        assert_eq!(WebhookFeed::part(&filter, &event), FeedPart::Nothing, "it opened unverified");
        assert!(WebhookFeed::read(b"").is_err());
    }

    /// What the index leaves out the filters exclude.
    #[test]
    fn an_event_is_in_its_own_sport_and_league_alone() {
        let (_, event) = WebhookFeed::read(&encode(&closed("a", 2)).unwrap()).unwrap();
        let place = WebhookFeed::place(&event);
        let (sport, league) = (format!("sport={}", place.0), format!("league={}", place.1));
        for (query, expected) in [
            (sport.as_str(), true),
            (&league, true),
            ("min_margin=0.5", true),
            ("sport=tennis", false),
            ("league=tennis_atp", false),
        ] {
            let filter = WebhookFeed::filter(query).unwrap();
            assert_eq!(WebhookFeed::is_in(&filter, place), expected, "{query}");
            assert!(expected || WebhookFeed::part(&filter, &event) == FeedPart::Nothing, "{query}");
        }
    }

    #[test]
    fn a_window_that_leaves_the_filters_is_sent_once_more() {
        let filter = WebhookFeed::filter("min_margin=0.02").unwrap();
        let update = |before: f64, now: f64| {
            let of = |margin| BoardEntry { margin, ..entry("a", 0.01) };
            let (replaced, entry) = (of(before).filter_values(), of(now));
            let window = ArbWindow { change: "updated".into(), entry, replaced: Some(replaced) };
            WebhookFeed::read(&encode(&window).unwrap()).unwrap()
        };
        for (before, now, part) in [
            (0.01, 0.03, FeedPart::Whole),
            (0.03, 0.04, FeedPart::Whole),
            (0.03, 0.01, FeedPart::Left),
            (0.01, 0.011, FeedPart::Nothing),
        ] {
            let (text, event) = update(before, now);
            assert_eq!(WebhookFeed::part(&filter, &event), part, "{before} {now}");
            let (whole, left): (Value, Value) = (
                serde_json::from_str(&text.data).unwrap(),
                serde_json::from_str(&WebhookFeed::left(&event)).unwrap(),
            );
            assert_eq!((&whole["change"], &left["change"]), (&"updated".into(), &"left".into()));
            assert_eq!(whole["margin"], left["margin"]);
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
