//! How what is open reads in JSON: times as RFC 3339, prices and lines as decimals.
//!
//! - `entry`: a window of the board; `signal`: an edge signal. What both are of and in stands here.
//!
//! Money is in units of the currency. Pure. It shows what the processor computed and adds nothing but the rank and ages.

mod entry;
mod signal;

use arb_schemas::records::Event;
use arb_schemas::time::{Micros, Rfc3339, SECOND};
use serde::Serialize;

pub(crate) use self::entry::EntryView;
pub(crate) use self::signal::SignalView;

/// An entry at its rank.
#[derive(Debug, Serialize)]
pub(crate) struct Ranked<'a> {
    pub(crate) rank: u64,
    #[serde(flatten)]
    pub(crate) entry: EntryView<'a>,
}

/// An event.
#[derive(Debug, Serialize)]
pub(crate) struct EventView<'a> {
    id: &'a str,
    home: &'a str,
    away: &'a str,
    commence_time: Rfc3339,
    /// Whether it had begun, where that is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_play: Option<bool>,
}

/// What is bet on: the event, the market and its line.
#[derive(Debug, Serialize)]
pub(crate) struct SubjectView<'a> {
    sport: &'a str,
    league: &'a str,
    event: EventView<'a>,
    market: &'a str,
    period: &'a str,
    line: Option<f64>,
}

impl<'a> SubjectView<'a> {
    pub(crate) fn new(
        (event, in_play): (&'a Event, Option<bool>),
        (market, period): (&'a str, &'a str),
        thousandths: Option<i32>,
    ) -> Self {
        let (sport, league, line) = (&*event.sport, &*event.league, thousandths.map(line));
        Self { sport, league, event: EventView::new(event, in_play), market, period, line }
    }
}

impl<'a> EventView<'a> {
    pub(crate) fn new(event: &'a Event, in_play: Option<bool>) -> Self {
        let Event { id, home, away, commence_time, .. } = event;
        Self { id, home, away, commence_time: Rfc3339(*commence_time), in_play }
    }
}

/// What is shown, as text.
pub(crate) fn json(view: &impl Serialize) -> Vec<u8> {
    let mut text = Vec::with_capacity(ROOM);
    write(&mut text, view);
    text
}

/// Writes what is shown at the end of a text.
pub(crate) fn write(text: &mut Vec<u8>, view: &impl Serialize) {
    serde_json::to_writer(text, view)
        .unwrap_or_else(|_| unreachable!("fields have names, and memory takes all"));
}

/// Bytes that most entries, and events with them, do not exceed.
pub(crate) const ROOM: usize = 2_048;

/// Thousandths as points or goals.
pub(crate) fn line(thousandths: i32) -> f64 {
    f64::from(thousandths) / 1e3
}

/// Millionths as decimal odds.
pub(crate) fn odds(millionths: i64) -> f64 {
    millionths as f64 / 1e6
}

/// Minor units as units.
fn money(minor: i64) -> f64 {
    minor as f64 / 100.0
}

/// Microseconds as seconds.
pub(crate) fn seconds(micros: Micros) -> f64 {
    micros as f64 / SECOND as f64
}

/// How long before a time something was seen, in seconds; never below 0.
fn age(last_seen_at: Micros, as_of: Micros) -> f64 {
    seconds((as_of - last_seen_at).max(0))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::fixtures::{entry, shown, signal};

    #[test]
    fn a_signal_reads_as_documented() {
        let value = shown(SignalView::new(&signal("a", 2), 10 * SECOND));
        assert_eq!(
            (&value["kind"], &value["line"], &value["kelly"]),
            (&json!("value"), &json!(2.25), &json!(0.007))
        );
        assert_eq!((&value["event"]["in_play"], &value["event"]["id"]), (&json!(true), &json!("e")));
        assert_eq!((&value["strength"], &value["confidence"]), (&json!(0.031), &json!(0.9)));
        assert_eq!((&value["bets"][0]["price"], &value["bets"][0]["line"]), (&json!(2.1), &json!(2.25)));
        let said = &value["evidence"][0];
        assert_eq!((&said["role"], &said["price"]), (&json!("source"), &json!(1.90909)));
        assert_eq!((&said["price_from"], &said["age_seconds"]), (&Value::Null, &json!(1.0)));
        assert_eq!(value["fair"][1], json!({"method": "power", "probability": 0.4925}));
        assert_eq!(
            (&value["opened_at"], &value["expires_at"]),
            (&json!("1970-01-01T00:00:02Z"), &json!("1970-01-01T00:01:32Z"))
        );
    }

    #[test]
    fn an_entry_reads_as_documented() {
        let at =
            |score, rank, as_of| shown(Ranked { rank, entry: EntryView::new(&entry("a", score), as_of) });
        let value = at(0.025, 3, 8 * SECOND);
        assert_eq!(value["line"], 2.25);
        assert_eq!(value["legs"][1]["price"], 1.90909);
        assert_eq!(value["legs"][0]["age_seconds"], 0.0, "an age is never below 0");
        assert_eq!(value["event"]["commence_time"], "1970-01-01T00:00:00Z");
        assert_eq!((&value["total_stake_max"], &value["legs"][0]["stake"]), (&json!(123.45), &json!(50.01)));
        assert_eq!(value["failed_checks"], json!([{"flag": "fresh", "reason": "old"}]));
        assert_eq!(value["execution_probability"], 0.9);
        assert_eq!(
            (&value["ttl_seconds"], &value["expires_at"]),
            (&json!(90.5), &json!("1970-01-01T00:01:31.5Z"))
        );
        assert_eq!((&value["rank"], &value["sequence"]), (&json!(3), &json!(7)));
        assert_eq!(at(0.0, 1, 10 * SECOND)["legs"][0]["age_seconds"], 1.0);
    }
}
