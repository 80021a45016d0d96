//! How windows, signals, picks and what changes of them read in JSON: the record's own text form, and what only JSON has.
//!
//! - `entry`: a window of the board; `signal`: an edge signal; `pick`: a pick; `grading`: what a window came to. The event that all
//!   refer to is defined here.
//! - `change`: what changed of them, as events of the feed; `odds`: formats of odds.
//!
//! Names and forms of values are those of `arb_model`. Pure. It adds ages, the time of expiry and what a grading comes to, and shows the sport
//! and the league of an event beside it.

pub(crate) mod change;
mod entry;
mod grading;
mod odds;
mod pick;
mod signal;

use arb_model::{Event, Name, Time, view};
use arb_schemas::time::{Micros, SECOND};
use serde::Serialize;

pub use self::change::{AlertView, CloseView, MovementView};
pub use self::entry::{EntryView, LegView};
pub use self::grading::{GradeView, GradingView};
pub use self::odds::{OddsFormat, ShownOdds};
pub use self::pick::PickView;
pub use self::signal::{SignalQuoteView, SignalView};

view! {
    /// What a record is about: the event, with its sport and league beside it.
    pub(crate) struct EventView<'a> {
        sport: &'a Name,
        league: &'a Name,
        event: SidesView<'a>,
    }
}

view! {
    /// A sporting event.
    pub struct SidesView<'a> => "Event" {
        id: &'a Name,
        home: &'a Name,
        away: &'a Name,
        commence_time: Time,
        /// Whether it had begun, where the record has that.
        #[serde(skip_serializing_if = "Option::is_none")]
        in_play: Option<bool>,
    }
}

impl<'a> EventView<'a> {
    pub(crate) fn new(event: &'a Event, in_play: Option<bool>) -> Self {
        let Event { id, sport, league, home, away, commence_time } = event;
        Self { sport, league, event: SidesView { id, home, away, commence_time: *commence_time, in_play } }
    }
}

/// The age of a price as of a time, in seconds; never below 0.
fn age(last_seen_at: Time, as_of: Micros) -> f64 {
    (as_of - last_seen_at.0).max(0) as f64 / SECOND as f64
}

/// What is shown, as text.
#[must_use]
pub fn json(view: &impl Serialize) -> Vec<u8> {
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
        let leg = &value["evidence"][0];
        assert_eq!((&leg["role"], &leg["price"]), (&json!("source"), &json!(1.90909)));
        assert_eq!((&leg["price_from"], &leg["age_seconds"]), (&Value::Null, &json!(1.0)));
        assert_eq!(value["fair"][1], json!({"method": "power", "probability": 0.4925}));
        assert_eq!(
            (&value["opened_at"], &value["expires_at"]),
            (&json!("1970-01-01T00:00:02Z"), &json!("1970-01-01T00:01:32Z"))
        );
    }

    #[test]
    fn an_entry_reads_as_documented() {
        let at = |score, as_of| shown(EntryView::new(&entry("a", score), as_of));
        let value = at(0.025, 8 * SECOND);
        assert_eq!(value["line"], 2.25);
        assert_eq!(value["legs"][1]["price"], 1.90909);
        assert_eq!(value["legs"][0]["age_seconds"], 0.0, "an age is never below 0");
        assert_eq!(value["event"]["commence_time"], "1970-01-01T00:00:00Z");
        assert_eq!((&value["total_stake_max"], &value["legs"][0]["stake"]), (&json!(123.45), &json!(50.01)));
        assert_eq!(value["failed_checks"], json!([{"flag": "fresh", "reason": "old"}]));
        assert_eq!(value["execution_probability"], 0.9);
        let passed = &value["passed_over"];
        assert_eq!((&passed["margin"], &passed["legs"][0]["price"]), (&json!(0.875), &json!(17.0)));
        assert_eq!(passed["failed_check"]["flag"], "plausible_price");
        assert_eq!(
            (&value["ttl_seconds"], &value["expires_at"]),
            (&json!(90.5), &json!("1970-01-01T00:01:31.5Z"))
        );
        assert_eq!(value["sequence"], 7);
        assert_eq!(at(0.0, 10 * SECOND)["legs"][0]["age_seconds"], 1.0);
    }

    #[test]
    fn other_odds_change_nothing_but_the_odds() {
        let entry = entry("a", 0.02);
        let of = |odds| shown(EntryView::with_odds(&entry, 8 * SECOND, odds));
        let (mut decimal, mut american) = (of(OddsFormat::Decimal), of(OddsFormat::American));
        assert_eq!(
            (&american["legs"][0]["price"], &american["legs"][1]["price"]),
            (&json!(110), &json!(-110))
        );
        assert_eq!(of(OddsFormat::Fractional)["legs"][1]["price"], "10/11");
        assert_eq!(american["passed_over"]["legs"][0]["price"], 1_600);
        for value in [&mut decimal, &mut american] {
            for leg in value["legs"].as_array_mut().unwrap() {
                let leg = leg.as_object_mut().unwrap();
                assert!(leg.remove("price").is_some() && leg.remove("effective_price").is_some());
            }
            for leg in value["passed_over"]["legs"].as_array_mut().unwrap() {
                assert!(leg.as_object_mut().unwrap().remove("price").is_some());
            }
        }
        assert_eq!(decimal, american);
    }
}
