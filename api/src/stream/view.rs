//! How the feed's events read in JSON: times as RFC 3339, prices and lines as decimals.
//!
//! Pure. It shows what the processor computed; a rank is of a whole board, so an event has none.

use arb_schemas::records::{ArbWindow, CloseSignal, LineMovement, SignalChange, StaleAlert};
use arb_schemas::time::Rfc3339;
use serde::Serialize;

use crate::view::{EntryView, EventView, SignalView, SubjectView, line, odds, seconds};

/// What has changed, and how.
#[derive(Debug, Serialize)]
struct Changed<'a, V> {
    change: &'a str,
    #[serde(flatten)]
    of: V,
}

/// A window opened or changed: the board's entry, as of its own last change.
pub(super) fn arb_window(window: &ArbWindow) -> impl Serialize {
    Changed { change: &window.change, of: EntryView::new(&window.entry, window.entry.updated_at) }
}

/// A signal opened, changed or closed: as the list has it, as of its own last change.
pub(super) fn edge_signal(changed: &SignalChange) -> impl Serialize {
    Changed { change: &changed.change, of: SignalView::new(&changed.signal, changed.signal.updated_at) }
}

/// A price moved, or a main line changed; `from` and `to` are prices or lines accordingly.
#[derive(Debug, Serialize)]
pub(super) struct MovementView<'a> {
    kind: &'a str,
    #[serde(flatten)]
    subject: SubjectView<'a>,
    outcome: Option<&'a str>,
    book: Option<&'a str>,
    from: Option<f64>,
    to: Option<f64>,
    implied_probability_change: Option<f64>,
    window: Span,
    sequence: i64,
}

#[derive(Debug, Serialize)]
struct Span {
    start: Rfc3339,
    end: Rfc3339,
}

impl<'a> MovementView<'a> {
    pub(super) fn new(moved: &'a LineMovement) -> Self {
        let (from, to) = match &*moved.kind {
            "main_line" => (moved.line_from.map(line), moved.line.map(line)),
            _ => (moved.price_from.map(odds), moved.price_to.map(odds)),
        };
        Self {
            kind: &moved.kind,
            subject: SubjectView::new((&moved.event, None), (&moved.market, &moved.period), moved.line),
            outcome: moved.outcome.as_deref(),
            book: moved.book.as_deref(),
            from,
            to,
            implied_probability_change: moved.probability_change,
            window: Span { start: Rfc3339(moved.window_start), end: Rfc3339(moved.window_end) },
            sequence: moved.sequence,
        }
    }
}

/// A book or an arb went stale, or recovered.
#[derive(Debug, Serialize)]
pub(super) struct AlertView<'a> {
    scope: &'a str,
    state: &'a str,
    sport: &'a str,
    league: &'a str,
    event: EventView<'a>,
    book: &'a str,
    arb_id: Option<&'a str>,
    last_seen_at: Option<Rfc3339>,
    expected_interval_seconds: f64,
    at: Rfc3339,
    sequence: i64,
}

impl<'a> AlertView<'a> {
    pub(super) fn new(alert: &'a StaleAlert) -> Self {
        Self {
            scope: &alert.scope,
            state: &alert.state,
            sport: &alert.event.sport,
            league: &alert.event.league,
            event: EventView::new(&alert.event, None),
            book: &alert.book,
            arb_id: alert.arb_id.as_deref(),
            last_seen_at: alert.last_seen_at.map(Rfc3339),
            expected_interval_seconds: seconds(alert.expected_interval),
            at: Rfc3339(alert.at),
            sequence: alert.sequence,
        }
    }
}

/// A window closed.
#[derive(Debug, Serialize)]
pub(super) struct CloseView<'a> {
    id: &'a str,
    event_id: &'a str,
    sport: &'a str,
    league: &'a str,
    market: &'a str,
    period: &'a str,
    line: Option<f64>,
    reason: &'a str,
    opened_at: Rfc3339,
    closed_at: Rfc3339,
    lifetime_seconds: f64,
    margin_open: f64,
    margin_peak: f64,
    margin_close: f64,
    simultaneous_ever: Option<bool>,
    verified_ever: Option<bool>,
    sequence: i64,
}

impl<'a> CloseView<'a> {
    pub(super) fn new(closed: &'a CloseSignal) -> Self {
        Self {
            id: &closed.id,
            event_id: &closed.event_id,
            sport: &closed.sport,
            league: &closed.league,
            market: &closed.market,
            period: &closed.period,
            line: closed.line.map(line),
            reason: &closed.reason,
            opened_at: Rfc3339(closed.opened_at),
            closed_at: Rfc3339(closed.closed_at),
            lifetime_seconds: seconds(closed.closed_at - closed.opened_at),
            margin_open: closed.margin_open,
            margin_peak: closed.margin_peak,
            margin_close: closed.margin_close,
            simultaneous_ever: closed.simultaneous_ever,
            verified_ever: closed.verified_ever,
            sequence: closed.sequence,
        }
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::time::SECOND;
    use serde_json::{Value, json};

    use super::*;
    use crate::fixtures::{closed, entry, moved, shown, signal};

    #[test]
    fn a_window_is_an_entry_with_its_change_and_without_a_rank() {
        let value = shown(arb_window(&ArbWindow { change: "opened".into(), entry: entry("a", 0.025) }));
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
        assert_eq!(value, shown(SignalView::new(&signal, signal.updated_at)));
    }

    #[test]
    fn a_movement_is_of_prices_or_of_lines() {
        let price = shown(MovementView::new(&moved()));
        assert_eq!(
            (&price["from"], &price["to"], &price["line"]),
            (&json!(2.1), &json!(1.90909), &json!(2.25))
        );
        assert_eq!(price["window"], json!({"start": "1970-01-01T00:00:00Z", "end": "1970-01-01T00:01:00Z"}));
        let main = LineMovement { kind: "main_line".into(), line_from: Some(-500), ..moved() };
        let main = shown(MovementView::new(&LineMovement { price_from: None, price_to: None, ..main }));
        assert_eq!((&main["from"], &main["to"]), (&json!(-0.5), &json!(2.25)));
    }

    #[test]
    fn an_alert_says_what_was_expected() {
        let alert = StaleAlert {
            scope: "book".into(),
            state: "stale".into(),
            event: entry("a", 0.0).event,
            book: "alpha".into(),
            arb_id: None,
            last_seen_at: Some(SECOND),
            expected_interval: 90_500_000,
            at: 100 * SECOND,
            sequence: 9,
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
