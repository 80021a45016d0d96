//! Which events of the feed are sent: the filters of streams and of endpoints, which are the same.
//!
//! - [`window`]: the filters by what a window has; [`sport`] and [`signal_kinds`]: parts of them that lists have too.
//! - [`parameter`]: a parameter, declared once; [`query`]: a query as the list of its parameters.
//!
//! Pure. It never changes an event, only whether it is sent.

pub mod parameter;
pub mod query;
pub mod signal_kinds;
pub mod sport;
pub mod window;

use arb_schemas::records::{BoardEntry, EdgeSignal};

use self::parameter::{InvalidParameter, NAMES, Parameter};
use self::query::{Query, QueryRow};
use self::signal_kinds::{KIND, SignalKinds};
use self::window::WindowFilter;
use crate::event::{Block, EventKind, Part, about_event};
use crate::row;

/// Which events: all of them by default.
#[derive(Debug, Clone)]
pub struct EventFilter {
    window: WindowFilter,
    kinds: EventKinds,
    /// Of edge signals.
    signals: SignalKinds,
}

/// Of each kind, whether it is sent. No list: it is asked for every event of every stream.
type EventKinds = [bool; EventKind::ALL.len()];

const EVENT_TYPES: &Parameter<EventKinds> =
    &Parameter::new("event", "Types of events.", NAMES, |_, text| kinds(text))
        .component("event_types")
        .because("must be some of arb_window, line_movement, stale_alert, close_signal, edge_signal, pick, pick_graded, window_graded, with commas between");

impl Default for EventFilter {
    fn default() -> Self {
        let (window, signals) = (WindowFilter::default(), SignalKinds::default());
        Self { window, kinds: [true; EventKind::ALL.len()], signals }
    }
}

/// What it has beside the filters of a window.
impl Query for EventFilter {
    const ROWS: &'static [QueryRow<Self>] = &[row!(EVENT_TYPES => kinds), row!(KIND => signals)];
}

impl EventFilter {
    /// Filters from their query; `None` where it has what this program does not know.
    #[must_use]
    pub fn of_query(query: &str) -> Option<Self> {
        let mut filter = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            filter.take(&name, &value).ok().filter(|is_taken| *is_taken)?;
        }
        Some(filter)
    }

    /// Takes a parameter; `false` when it is none of this filter's.
    ///
    /// # Errors
    /// For an invalid value.
    pub fn take(&mut self, name: &str, value: &str) -> Result<bool, InvalidParameter> {
        Ok(Query::take(self, name, value)? || self.window.take(name, value)?)
    }

    /// The filters by what a window has.
    #[must_use]
    pub fn window(&self) -> &WindowFilter {
        &self.window
    }

    /// What of an event is sent: of a window also that it is not any more what was asked for.
    #[must_use]
    pub fn part(&self, block: &Block) -> Part {
        let is_wanted = self.has(block.kind)
            && self.window.is_about(&block.about())
            && block.signal_kind.as_ref().is_none_or(|kind| self.signals.include(kind));
        if !is_wanted {
            return Part::Nothing;
        }
        let Some(step) = &block.step else { return Part::Whole };
        let includes = |values| self.window.includes_values(values);
        let was = || step.before.as_ref().is_some_and(includes);
        match &step.now {
            Some(now) if includes(now) => Part::Whole,
            Some(_) if was() => Part::Left,
            None if was() => Part::Whole,
            _ => Part::Nothing,
        }
    }

    /// Whether events of a sport and a league may be sent.
    #[must_use]
    pub fn is_in(&self, place: (&str, &str)) -> bool {
        self.window.is_in(place)
    }

    /// Whether an open window is sent.
    #[must_use]
    pub fn includes_window(&self, entry: &BoardEntry) -> bool {
        self.window.includes(entry)
    }

    /// Whether an open signal is sent.
    #[must_use]
    pub fn includes_signal(&self, signal: &EdgeSignal) -> bool {
        self.window.is_about(&about_event(&signal.event, Some(signal.market.as_str()), None))
            && self.signals.include(signal.kind.as_str())
    }

    /// Whether events of a kind are sent at all.
    #[must_use]
    pub fn has(&self, kind: EventKind) -> bool {
        self.kinds[kind as usize]
    }
}

fn kinds(text: &str) -> Option<EventKinds> {
    let mut wanted = EventKinds::default();
    for key in text.split(',') {
        wanted[EventKind::ALL.into_iter().find(|kind| kind.key() == key)? as usize] = true;
    }
    Some(wanted)
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures::window_grading;

    use super::*;
    use crate::event::Event;
    use crate::fixtures::{changed, close, window};
    use crate::position::Positions;

    /// The grading of a window that was not verified, of a margin of 0.0526, at alpha and beta.
    fn grading() -> Block {
        block(&Event::Grading(Box::new(window_grading())))
    }

    fn block(event: &Event) -> Block {
        Block::new(event, (0, 0, None), &[0; 16], &Positions::new(vec![1]))
    }

    fn parse(query: &str) -> EventFilter {
        EventFilter::of_query(query).unwrap()
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
            let filter = parse(query);
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
            assert_eq!(parse(query).part(&block), part, "{query}");
        }
    }

    #[test]
    fn a_query_that_is_not_known_has_no_filter() {
        for query in
            ["colour=red", "conflate_ms=100", "sport=", "event=arb", "kind=arb", "sport=tennis&sort=margin"]
        {
            assert!(EventFilter::of_query(query).is_none(), "{query}");
        }
    }
}
