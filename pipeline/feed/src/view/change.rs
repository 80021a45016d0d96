//! How the feed's events read in JSON: the record's own text form, and what only JSON has.
//!
//! Pure. It shows what the processor computed; a rank is of a whole board, so an event has none.

use arb_model::{
    ArbWindow, CloseSignal, LineMovement, MovementKind, PickChange, Points, Price, Seconds, SignalChange,
    StaleAlert, Time, view,
};
use serde::Serialize;

use super::{EntryView, EventView, PickView, SignalView};

/// What has changed, and how.
#[derive(Debug, Serialize)]
struct Changed<'a, V> {
    change: &'a str,
    #[serde(flatten)]
    of: V,
}

/// A window opened or changed: the board's entry, at its last transition.
pub(crate) fn arb_window(window: &ArbWindow) -> impl Serialize {
    Changed { change: &window.change, of: EntryView::new(&window.entry, window.entry.updated_at.0) }
}

/// A signal opened, changed or closed: the list's entry, at its last transition.
pub(crate) fn edge_signal(changed: &SignalChange) -> impl Serialize {
    Changed { change: &changed.change, of: SignalView::new(&changed.signal, changed.signal.updated_at.0) }
}

/// A pick was published or graded: the list's entry then.
pub(crate) fn pick(changed: &PickChange) -> impl Serialize {
    Changed { change: &changed.change, of: PickView::new(&changed.pick) }
}

view! {
    /// A quote's price moved by more than a threshold within a hopping window, or a market's main line changed.
    pub struct MovementView<'a> {
        #[serde(flatten)]
        moved: &'a LineMovement,
        #[serde(flatten)]
        about: EventView<'a>,
        /// A price or a line.
        from: Option<f64>,
        /// A price or a line.
        to: Option<f64>,
        window: HopView,
    }
}

view! {
    /// Within which time.
    pub(crate) struct HopView {
        start: Time,
        end: Time,
    }
}

impl<'a> MovementView<'a> {
    pub(crate) fn new(moved: &'a LineMovement) -> Self {
        let (from, to) = if moved.kind == MovementKind::MainLine {
            (moved.line_from.map(Points::decimal), moved.line.map(Points::decimal))
        } else {
            (moved.price_from.map(Price::decimal), moved.price_to.map(Price::decimal))
        };
        let window = HopView { start: moved.window_start, end: moved.window_end };
        Self { moved, about: EventView::new(&moved.event, None), from, to, window }
    }
}

view! {
    /// A book stopped confirming its prices for an event, or an arb's leg did; or the book came back.
    pub struct AlertView<'a> {
        #[serde(flatten)]
        alert: &'a StaleAlert,
        #[serde(flatten)]
        about: EventView<'a>,
    }
}

impl<'a> AlertView<'a> {
    pub(crate) fn new(alert: &'a StaleAlert) -> Self {
        Self { alert, about: EventView::new(&alert.event, None) }
    }
}

view! {
    /// A window closed.
    pub struct CloseView<'a> {
        #[serde(flatten)]
        closed: &'a CloseSignal,
        lifetime_seconds: Seconds,
    }
}

impl<'a> CloseView<'a> {
    pub(crate) fn new(closed: &'a CloseSignal) -> Self {
        Self { closed, lifetime_seconds: Seconds(closed.closed_at.0 - closed.opened_at.0) }
    }
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures;
    use arb_schemas::time::SECOND;
    use serde_json::{Value, json};

    use super::*;
    use crate::fixtures::{closed, entry, moved, shown, signal};

    #[test]
    fn a_window_is_an_entry_with_its_change_and_without_a_rank() {
        let value = shown(arb_window(&ArbWindow {
            change: "opened".into(),
            entry: entry("a", 0.025),
            replaced: None,
        }));
        assert_eq!(
            (&value["change"], &value["id"], &value["line"]),
            (&json!("opened"), &json!("a"), &json!(2.25))
        );
        assert_eq!(value.get("rank"), None);
        assert_eq!(value["legs"][0]["age_seconds"], 0.0);
    }

    #[test]
    fn a_signal_is_that_of_the_list_with_its_change() {
        let (changed, signal) =
            (|change: &str| SignalChange { change: change.into(), signal: signal("a", 2) }, signal("a", 2));
        let mut value = shown(edge_signal(&changed("faded")));
        assert_eq!(value.as_object_mut().unwrap().remove("change"), Some(json!("faded")));
        assert_eq!(value, shown(SignalView::new(&signal, signal.updated_at.0)));
    }

    #[test]
    fn a_movement_is_of_prices_or_of_lines() {
        let price = shown(MovementView::new(&moved()));
        assert_eq!(
            (&price["from"], &price["to"], &price["line"]),
            (&json!(2.1), &json!(1.90909), &json!(2.25))
        );
        assert_eq!(price["window"], json!({"start": "1970-01-01T00:00:00Z", "end": "1970-01-01T00:01:00Z"}));
        let main = LineMovement { kind: "main_line".into(), line_from: Some(Points(-500)), ..moved() };
        let main = shown(MovementView::new(&LineMovement { price_from: None, price_to: None, ..main }));
        assert_eq!((&main["from"], &main["to"]), (&json!(-0.5), &json!(2.25)));
    }

    #[test]
    fn an_alert_says_what_was_expected() {
        let alert = StaleAlert {
            last_seen_at: Some(Time(SECOND)),
            expected_interval: Seconds(90_500_000),
            ..fixtures::alert()
        };
        let value = shown(AlertView::new(&alert));
        assert_eq!(value["expected_interval_seconds"], 90.5);
        assert_eq!(
            (&value["last_seen_at"], &value["arb_id"]),
            (&json!("1970-01-01T00:00:01Z"), &Value::Null)
        );
        assert_eq!((&value["scope"], &value["sport"]), (&json!("book"), &json!("soccer")));
    }

    #[test]
    fn a_close_says_how_long_the_window_lived() {
        let value = shown(CloseView::new(&closed("a", 9)));
        assert_eq!((&value["lifetime_seconds"], &value["reason"]), (&json!(2.5), &json!("price_moved")));
        assert_eq!((&value["line"], &value["sequence"]), (&Value::Null, &json!(9)));
    }
}
