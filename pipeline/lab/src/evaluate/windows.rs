//! Raw windows: one for each stretch of polls over which a line's best prices made an arb.
//!
//! It never computes a price; it records the engine's transitions.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use arb_engine::effect::Effect;
use arb_engine::learning::survival::{HOLE, Ttl};
use arb_model::{BoardEntry, Family, Flag, Leg, Open, Outcome, Period};
use arb_schemas::time::{Micros, to_rfc3339};
use serde_json::{Value, json};

/// Windows by whether the event had begun; `None` is all.
pub(super) const PHASES: [(&str, Option<bool>); 3] =
    [("pre-match", Some(false)), ("in-play", Some(true)), ("all", None)];
/// A raw window, with the fields of `--windows`.
#[allow(clippy::struct_excessive_bools)] // Independent flags of a window.
#[derive(Debug, Clone, PartialEq)]
pub struct RawWindow {
    /// The source's event id.
    pub event: String,
    /// Its league.
    pub league: String,
    /// Market family.
    pub market: Open<Family>,
    /// Period of the market.
    pub period: Open<Period>,
    /// Line in thousandths.
    pub line: Option<i32>,
    /// The first poll at which it was open.
    pub opened_at: Micros,
    /// The last poll at which it was open.
    pub last_open_at: Micros,
    /// The first poll after that; `None` at the end of the recording.
    pub closed_at: Option<Micros>,
    /// The event had begun when it opened.
    pub in_play: bool,
    /// Margin at opening.
    pub margin_open: f64,
    /// Largest margin.
    pub margin_peak: f64,
    /// At how many polls it was open.
    pub polls: u64,
    /// Proven simultaneous at opening.
    pub simultaneous_at_open: bool,
    /// Proven simultaneous at any poll.
    pub simultaneous_ever: bool,
    /// All flags held at opening.
    pub verified_at_open: bool,
    /// All flags held at any one poll.
    pub verified_ever: bool,
    /// The flags that did not hold at opening.
    pub failed_at_open: Vec<Flag>,
    /// How long it had still to live at opening.
    pub ttl: Ttl,
    /// The probability at opening that it lives the two minutes that it takes to place its bets.
    pub execution_probability: f64,
    /// The last poll that saw it before the recording's first hole; its lifetime after that is unknown.
    pub lost_at: Option<Micros>,
    /// Whether all legs stood when each was next confirmed, and after what time: since it opened, and since it was verified for the
    /// first time. `None` while it is open, and where one was not confirmed.
    pub standing: [Option<(bool, Micros)>; 2],
    /// It opened after the split.
    pub is_reported: bool,
    /// (outcome, book, price in millionths) at opening.
    pub legs: Vec<(Open<Outcome>, String, u32)>,
}

impl RawWindow {
    fn new(entry: &BoardEntry, ttl: &Ttl) -> Self {
        let leg = |leg: &Leg| (leg.outcome.clone(), leg.book.to_string(), leg.price.millionths());
        Self {
            event: entry.event.id.to_string(),
            league: entry.event.league.to_string(),
            market: entry.market.clone(),
            period: entry.period.clone(),
            line: entry.line.map(|line| line.0),
            opened_at: entry.opened_at.0,
            last_open_at: entry.opened_at.0,
            closed_at: None,
            in_play: entry.in_play,
            margin_open: entry.margin,
            margin_peak: entry.margin,
            polls: 0,
            simultaneous_at_open: entry.simultaneous,
            simultaneous_ever: entry.simultaneous,
            verified_at_open: entry.verified,
            verified_ever: entry.verified,
            failed_at_open: entry.failed_checks.iter().filter_map(|check| check.flag.known()).collect(),
            ttl: *ttl,
            execution_probability: entry.execution_probability,
            lost_at: None,
            standing: [None, None],
            is_reported: true,
            legs: entry.legs.iter().map(leg).collect(),
        }
    }

    /// Takes what an entry has of it.
    fn update(&mut self, entry: &BoardEntry) {
        self.margin_peak = self.margin_peak.max(entry.margin);
        self.simultaneous_ever |= entry.simultaneous;
        self.verified_ever |= entry.verified;
    }

    /// Sees it at a poll, or no longer.
    fn inspect(&mut self, at: Micros) {
        if at - self.last_open_at > HOLE {
            self.lost_at.get_or_insert(self.last_open_at);
        }
    }

    /// With what probability it lived so long, its death spread evenly over the gap between the polls around it; `None` where the recording ends
    /// before.
    #[must_use]
    pub fn lived(&self, time: Micros) -> Option<f64> {
        let seen = self.last_open_at - self.opened_at;
        if seen >= time {
            return Some(1.0);
        }
        let gone = self.closed_at? - self.opened_at;
        Some(if gone <= time { 0.0 } else { 1.0 - (time - seen) as f64 / (gone - seen) as f64 })
    }

    /// By opening, event, market and line.
    #[must_use]
    pub fn order(a: &Self, b: &Self) -> Ordering {
        let key = |window: &Self| {
            let market = (window.market.to_string(), window.period.known());
            (window.opened_at, window.event.clone(), market, window.line)
        };
        key(a).cmp(&key(b))
    }

    /// As one object of `--windows`. What this version does not compute is null.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let leg = |(outcome, book, price): &(Open<Outcome>, String, u32)| json!({"outcome": outcome.as_str(), "book": book, "price": f64::from(*price) / 1e6});
        let stood = self.standing.map(|standing| standing.map(|(stood, _)| stood));
        let after = self.standing.map(|standing| standing.map(|(_, after)| after as f64 / 1e6));
        json!({
            "event": self.event,
            "market": self.market.as_str(),
            "line": self.line.map(|line| f64::from(line) / 1e3),
            "opened_at": to_rfc3339(self.opened_at),
            "last_open_at": to_rfc3339(self.last_open_at),
            "closed_at": self.closed_at.map(to_rfc3339),
            "in_play": self.in_play,
            "margin_open": self.margin_open,
            "margin_peak": self.margin_peak,
            "polls": self.polls,
            "simultaneous_at_open": self.simultaneous_at_open,
            "simultaneous_ever": self.simultaneous_ever,
            "verified_at_open": self.verified_at_open,
            "verified_ever": self.verified_ever,
            "failed_at_open": self.failed_at_open.iter().map(|flag| flag.key()).collect::<Vec<_>>(),
            "ttl_seconds_at_open": self.ttl.median as f64 / 1e6,
            "stood": stood[0],
            "verified_stood": stood[1],
            "stood_after_seconds": after[0],
            "verified_stood_after_seconds": after[1],
            "legs": self.legs.iter().map(leg).collect::<Vec<_>>(),
        })
    }
}

/// The windows of one recording.
#[derive(Debug, Default)]
pub(super) struct Windows {
    open: BTreeMap<String, RawWindow>,
    closed: Vec<RawWindow>,
}

impl Windows {
    pub(super) fn apply(&mut self, effect: &Effect) {
        match effect {
            Effect::Transition(_, entry, beside) => {
                let opened = || RawWindow::new(entry, &beside.ttl);
                let window = self.open.entry(entry.id.clone()).or_insert_with(opened);
                window.update(entry);
            }
            Effect::Refreshed(entry) => {
                if let Some(window) = self.open.get_mut(&entry.id) {
                    window.update(entry);
                }
            }
            Effect::Closed(closed) => {
                if let Some(mut window) = self.open.remove(&closed.id) {
                    window.inspect(closed.closed_at.0);
                    let standing = [
                        (closed.stood, closed.stood_after),
                        (closed.verified_stood, closed.verified_stood_after),
                    ];
                    let standing = standing.map(|(stood, after)| Some((stood?, after?.0)));
                    self.closed.push(RawWindow { closed_at: Some(closed.closed_at.0), standing, ..window });
                }
            }
            Effect::Signal(..)
            | Effect::LineMovement(_)
            | Effect::StaleAlert(_)
            | Effect::Contains { .. } => {}
        }
    }

    pub(super) fn end_of_poll(&mut self, at: Micros) {
        for window in self.open.values_mut() {
            window.inspect(at);
            window.polls += 1;
            window.last_open_at = at;
        }
    }

    pub(super) fn finish(self) -> impl Iterator<Item = RawWindow> {
        self.closed.into_iter().chain(self.open.into_values())
    }
}
