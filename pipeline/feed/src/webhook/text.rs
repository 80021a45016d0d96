//! An event of the feed as webhooks send it: the JSON of streams.
//!
//! Pure. It never looks at an endpoint.

use arb_schemas::time::Micros;
use arb_schemas::wire::WireError;

use crate::event::{Block, Event, Part};
use crate::filter::EventFilter;
use crate::position::Positions;

/// An event of the feed as it is sent, and what filters compare of it.
#[derive(Debug)]
pub struct FeedText {
    block: Block,
    /// The window, signal or pick that it is about; empty where there is none.
    pub subject: String,
    /// When it happened.
    pub at: Micros,
}

impl FeedText {
    /// Reads a record of the feed.
    ///
    /// # Errors
    /// [`WireError`] when it is none.
    pub fn read(message: &[u8]) -> Result<Self, WireError> {
        let event = Event::decode(message)?;
        let (subject, at) = subject(&event);
        // Its place in the feed is in the id of a delivery.
        let block = Block::new(&event, (0, 0, None), &[0; 16], &Positions::new(vec![]));
        Ok(Self { block, subject: subject.to_owned(), at })
    }

    /// Its type.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.block.kind.key()
    }

    /// Its sport and its league.
    #[must_use]
    pub fn place(&self) -> (&str, &str) {
        let about = self.block.about();
        (about.sport, about.league)
    }

    /// What of it is sent under filters.
    #[must_use]
    pub fn part(&self, filter: &EventFilter) -> Part {
        filter.part(&self.block)
    }

    /// JSON, as streams have it.
    #[must_use]
    pub fn whole(&self) -> String {
        data(&self.block, Part::Whole)
    }

    /// The same of a window that has left the filters.
    #[must_use]
    pub fn left(&self) -> String {
        data(&self.block, Part::Left)
    }
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
        let close = FeedText::read(&encode(&closed("a", 2)).unwrap()).unwrap();
        assert_eq!((close.kind(), close.subject.as_str()), ("close_signal", "a"));
        let data: Value = serde_json::from_str(&close.whole()).unwrap();
        assert_eq!((&data["id"], &data["sequence"]), (&"a".into(), &2.into()));
        let moved = FeedText::read(&encode(&moved()).unwrap()).unwrap();
        assert_eq!((moved.kind(), moved.subject.as_str()), ("line_movement", ""));
        let graded = FeedText::read(&encode(&window_grading()).unwrap()).unwrap();
        let WindowGrading { window, grade } = window_grading();
        assert_eq!((graded.kind(), &graded.subject, graded.at), ("window_graded", &window.id, grade.at.0));
        let data: Value = serde_json::from_str(&graded.whole()).unwrap();
        assert_eq!((&data["id"], &data["grade"]["version"]), (&window.id.as_str().into(), &2.into()));
        let filter = EventFilter::of_query("verified=true").unwrap();
        assert_eq!(graded.part(&filter), Part::Nothing, "it opened unverified");
        assert!(FeedText::read(b"").is_err());
    }

    /// What the index leaves out the filters exclude.
    #[test]
    fn an_event_is_in_its_own_sport_and_league_alone() {
        let event = FeedText::read(&encode(&closed("a", 2)).unwrap()).unwrap();
        let place = event.place();
        let (sport, league) = (format!("sport={}", place.0), format!("league={}", place.1));
        for (query, expected) in [
            (sport.as_str(), true),
            (&league, true),
            ("min_margin=0.5", true),
            ("sport=tennis", false),
            ("league=tennis_atp", false),
        ] {
            let filter = EventFilter::of_query(query).unwrap();
            assert_eq!(filter.is_in(place), expected, "{query}");
            assert!(expected || event.part(&filter) == Part::Nothing, "{query}");
        }
    }

    #[test]
    fn a_window_that_leaves_the_filters_is_sent_once_more() {
        let filter = EventFilter::of_query("min_margin=0.02").unwrap();
        let update = |before: f64, now: f64| {
            let of = |margin| BoardEntry { margin, ..entry("a", 0.01) };
            let (replaced, entry) = (of(before).filter_values(), of(now));
            let window = ArbWindow { change: "updated".into(), entry, replaced: Some(replaced) };
            FeedText::read(&encode(&window).unwrap()).unwrap()
        };
        for (before, now, part) in [
            (0.01, 0.03, Part::Whole),
            (0.03, 0.04, Part::Whole),
            (0.03, 0.01, Part::Left),
            (0.01, 0.011, Part::Nothing),
        ] {
            let event = update(before, now);
            assert_eq!(event.part(&filter), part, "{before} {now}");
            let (whole, left): (Value, Value) =
                (serde_json::from_str(&event.whole()).unwrap(), serde_json::from_str(&event.left()).unwrap());
            assert_eq!((&whole["change"], &left["change"]), (&"updated".into(), &"left".into()));
            assert_eq!(whole["margin"], left["margin"]);
        }
    }
}
