//! Values of an answer's fields: what is missing or is none is counted by the field's name.
//!
//! It never puts a value in the place of a malformed one.

use std::borrow::Cow;

use arb_model::{Family, Faults, Line, Market, fixed_point};
use arb_schemas::records::Outcome;
use arb_schemas::time::{EVENT_TIMES, Micros, NO_EVENT_TIME, NO_RECORD_TIME, RECORD_TIMES, parse_rfc3339};

use super::json::{self, Lenient, Raw, text};

/// Digits of a line after the point.
const LINE_DIGITS: usize = 3;
/// Digits of a limit after the point: every currency of the table of books has a hundred minor units.
const LIMIT_DIGITS: usize = 2;

/// A link; `None` of what is none, which is counted.
pub(super) fn link(raw: Raw<'_>, faults: &mut Faults) -> Option<String> {
    let Some(link) = text(raw) else {
        faults.count("link", "is no text");
        return None;
    };
    match arb_model::link::check(&link) {
        Ok(()) => Some(link.into_owned()),
        Err(fault) => {
            faults.count("link", fault.words());
            None
        }
    }
}

/// An amount as minor units, rounded down; `None` of what is no amount, which is counted.
pub(super) fn minor_units(limit: &str, faults: &mut Faults) -> Option<i64> {
    let minor = if limit.starts_with('-') { None } else { fixed_point(limit, LIMIT_DIGITS) };
    if minor.is_none() {
        faults.count("bet_limit", "is no amount");
    }
    minor
}

/// The line of an outcome: for spreads the home side's handicap, whichever side's point it is.
pub(super) fn line(
    point: Option<&str>,
    market: Market,
    outcome: Outcome,
    faults: &mut Faults,
) -> Option<Line> {
    let Some(point) = point else {
        faults.count("point", "missing");
        return None;
    };
    let thousandths = fixed_point(point, LINE_DIGITS).and_then(|line| i32::try_from(line).ok());
    let Some(thousandths) = thousandths else {
        faults.count("point", "is no number");
        return None;
    };
    let is_away = market.family == Family::Spreads && outcome == Outcome::Away;
    if is_away { thousandths.checked_neg() } else { Some(thousandths) }
}

pub(super) fn object<T>(item: Lenient<T>, field: &'static str, faults: &mut Faults) -> Option<T> {
    if item.0.is_none() {
        faults.count(field, "is no object");
    }
    item.0
}

pub(super) fn array<T>(list: json::List<T>, field: &'static str, faults: &mut Faults) -> Vec<Lenient<T>> {
    list.0.unwrap_or_else(|| {
        faults.count(field, "is no array");
        Vec::new()
    })
}

pub(super) fn string<'a>(
    raw: Option<Raw<'a>>,
    field: &'static str,
    faults: &mut Faults,
) -> Option<Cow<'a, str>> {
    let Some(raw) = raw else {
        faults.count(field, "missing");
        return None;
    };
    let found = text(raw).filter(|text| !text.is_empty());
    if found.is_none() {
        faults.count(field, "is no text");
    }
    found
}

pub(super) fn time(raw: Option<Raw<'_>>, field: &'static str, faults: &mut Faults) -> Option<Micros> {
    event_time(&string(raw, field, faults)?, field, faults)
}

/// A time of an event or a price; `None` of what is none, which is counted.
pub(in super::super) fn event_time(text: &str, field: &'static str, faults: &mut Faults) -> Option<Micros> {
    let at = parse_rfc3339(text);
    let fault = match at {
        None => "is no time",
        Some(at) if !EVENT_TIMES.contains(&at) => NO_EVENT_TIME,
        Some(_) => return at,
    };
    faults.count(field, fault);
    None
}

/// A time at which a poll was received; `None` of one that no table holds, which is counted.
pub(in super::super) fn record_time(at: Micros, field: &'static str, faults: &mut Faults) -> Option<Micros> {
    if RECORD_TIMES.contains(&at) {
        return Some(at);
    }
    faults.count(field, NO_RECORD_TIME);
    None
}
