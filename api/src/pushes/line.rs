//! One line of a push: a price, validated field by field.
//!
//! It never guesses: a field that is unknown, missing, of another type or out of range is a fault of the line.

use std::borrow::Cow;
use std::collections::BTreeSet;

use arb_model::{Bet, Market, Outcome, Side, Time};
use arb_schemas::json_parts;
use arb_schemas::limits::PUSH_LINE;
use arb_schemas::records::{self as wire, Event};
use arb_schemas::time::{EVENT_TIMES, NO_EVENT_TIME, parse_rfc3339};
use serde_json::{Map, Value};

use super::grant::PushGrant;
use crate::http::json_body;

/// Longest name, in bytes: as the engine has it.
const NAME_BYTES: usize = 256;
/// Digits of a price, and of a stake, after the point.
const PRICE_DIGITS: usize = 6;
const LINE_DIGITS: usize = 3;
const MONEY_DIGITS: usize = 2;
const NOT_OWN: &str = "must begin with the account's source and a colon: only its own events may be named";
const NAME: &str = "must be text of 1 to 256 bytes without control characters";

/// Why a line is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineFault {
    /// The field; `None` of a line that is no JSON object.
    pub(crate) field: Option<Cow<'static, str>>,
    pub(crate) reason: Cow<'static, str>,
}

/// A line that is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PushLine {
    pub(super) event: Event,
    /// The line gives the event's names and start.
    pub(super) names_event: bool,
    pub(super) book: String,
    pub(super) market: String,
    pub(super) tick: wire::Tick,
    pub(super) sequence: i64,
}

fn fault(field: &'static str, reason: impl Into<Cow<'static, str>>) -> LineFault {
    LineFault { field: Some(field.into()), reason: reason.into() }
}

impl PushLine {
    /// Parses a line.
    ///
    /// # Errors
    /// [`LineFault`], the first that is found.
    pub(super) fn parse(text: &str, grant: &PushGrant) -> Result<Self, LineFault> {
        let whole = |reason: &'static str| LineFault { field: None, reason: reason.into() };
        if text.len() > PUSH_LINE {
            return Err(whole("is longer than 4096 bytes"));
        }
        let fields = json_body::fields(text.as_bytes()).ok_or_else(|| match repeated(text) {
            Some(name) => LineFault { field: Some(name.into()), reason: "is named twice".into() },
            None => whole("is not a JSON object, or has a key twice"),
        })?;
        let mut fields = LineFields(fields);
        let (event, names_event) = event(fields.required("event")?, grant)?;
        let book = name(&fields.required("book")?).ok_or_else(|| fault("book", NAME))?;
        if !grant.books.contains(&book) {
            return Err(fault("book", "is not granted to the account"));
        }
        let market = parsed_market(&fields.required("market")?)?;
        let (outcome, side) = (fields.required("outcome")?, fields.optional("side"));
        let bet = bet(market, &outcome, side.as_ref(), fields.optional("line").as_ref())?;
        let tick = wire::Tick {
            outcome: bet.outcome().into(),
            side: bet.side().into(),
            line: bet.line(),
            price: price(&fields.required("price")?)?,
            status: status(fields.optional("status").as_ref())?,
            limit: fields.optional("limit").as_ref().map(limit).transpose()?,
        };
        let sequence = sequence(&fields.required("sequence")?)?;
        fields.finish()?;
        Ok(Self { event, names_event, book: grant.book(book), market: market.key(), tick, sequence })
    }
}

/// The fields of an object that are not taken yet; null is as absent.
struct LineFields(Map<String, Value>);

impl LineFields {
    fn optional(&mut self, name: &'static str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    fn required(&mut self, name: &'static str) -> Result<Value, LineFault> {
        self.optional(name).ok_or_else(|| fault(name, "is missing"))
    }

    fn finish(self) -> Result<(), LineFault> {
        let unknown = self.0.into_iter().next();
        unknown.map_or(Ok(()), |(name, _)| {
            let name: String = name.chars().filter(|letter| !letter.is_control()).take(64).collect();
            Err(LineFault { field: Some(name.into()), reason: "is unknown".into() })
        })
    }
}

/// A field that the line, or its event, names more than once: which of them counts would be a guess.
fn repeated(text: &str) -> Option<String> {
    let members = json_parts::members(text)?;
    let of = |members: &[(&str, &str)]| {
        let mut seen = BTreeSet::new();
        let names = members.iter().filter_map(|(key, _)| serde_json::from_str::<String>(key).ok());
        names.into_iter().find(|name| !seen.insert(name.clone()))
    };
    let nested = || members.iter().filter_map(|(_, value)| json_parts::members(value));
    let name = of(&members).or_else(|| nested().find_map(|members| of(&members)))?;
    Some(name.chars().filter(|letter| !letter.is_control()).take(64).collect())
}

fn name(value: &Value) -> Option<String> {
    let name = value.as_str()?;
    let is_name = (1..=NAME_BYTES).contains(&name.len()) && !name.chars().any(char::is_control);
    is_name.then(|| name.to_owned())
}

/// The event, and whether its names are given.
fn event(value: Value, grant: &PushGrant) -> Result<(Event, bool), LineFault> {
    match value {
        Value::String(_) => {
            let id = name(&value).ok_or_else(|| fault("event", NAME))?;
            let [sport, league, home, away] = [""; 4].map(Into::into);
            Ok((Event { id: id.as_str().into(), sport, league, home, away, commence_time: Time(0) }, false))
        }
        Value::Object(_) if !grant.may_name_events => {
            Err(fault("event", "must be an id: the key does not have the scope events:write"))
        }
        Value::Object(fields) => {
            let event = named_event(LineFields(fields))?;
            if !grant.is_own_event(&event.id) {
                return Err(fault("event.id", NOT_OWN));
            }
            Ok((event, true))
        }
        _ => Err(fault("event", "must be an id or an object")),
    }
}

fn named_event(mut fields: LineFields) -> Result<Event, LineFault> {
    let mut text = |field: &'static str, of: &'static str| {
        fields.optional(of).and_then(|value| name(&value)).ok_or_else(|| fault(field, NAME))
    };
    let id = text("event.id", "id")?;
    let (sport, league) = (text("event.sport", "sport")?, text("event.league", "league")?);
    let (home, away) = (text("event.home", "home")?, text("event.away", "away")?);
    if home == away {
        return Err(fault("event.away", "must be another name than home"));
    }
    let start = fields.optional("commence_time");
    let start = start.and_then(|value| value.as_str().and_then(parse_rfc3339));
    let start = start.ok_or_else(|| fault("event.commence_time", "must be a time of RFC 3339"))?;
    if !EVENT_TIMES.contains(&start) {
        return Err(fault("event.commence_time", NO_EVENT_TIME));
    }
    if fields.finish().is_err() {
        return Err(fault("event", "has an unknown field"));
    }
    let [id, sport, league, home, away] = [id, sport, league, home, away].map(|name| name.as_str().into());
    Ok(Event { id, sport, league, home, away, commence_time: Time(start) })
}

fn parsed_market(value: &Value) -> Result<Market, LineFault> {
    let market = value.as_str().and_then(Market::parse);
    market.ok_or_else(|| fault("market", "must be a market that is known, such as h2h or totals"))
}

fn bet(
    market: Market,
    outcome: &Value,
    side: Option<&Value>,
    line: Option<&Value>,
) -> Result<Bet, LineFault> {
    let outcome = outcome.as_str().and_then(Outcome::parse).filter(|outcome| market.admits(*outcome));
    let outcome = outcome.ok_or_else(|| fault("outcome", "must be an outcome of the market"))?;
    let side = side.map_or(Some(Side::Back), |side| side.as_str().and_then(Side::parse));
    let side = side.ok_or_else(|| fault("side", "must be back or lay"))?;
    let line = line.map(thousandths).transpose()?;
    let needs = if market.family.has_line() { "is missing" } else { "must be absent: the market has none" };
    Bet::new(market, outcome, side, line).ok_or_else(|| fault("line", needs))
}

fn number(value: &Value, digits: usize) -> Option<i64> {
    let Value::Number(number) = value else { return None };
    arb_model::fixed_point(&number.to_string(), digits)
}

fn thousandths(value: &Value) -> Result<i32, LineFault> {
    let line = number(value, LINE_DIGITS).and_then(|line| i32::try_from(line).ok());
    let is_exact = |line: &i32| number(value, PRICE_DIGITS) == Some(i64::from(*line) * 1_000);
    let line = line.filter(|line| is_exact(line) && line.abs() <= 1_000_000);
    line.ok_or_else(|| fault("line", "must be a number from -1000 to 1000 with at most three decimals"))
}

fn price(value: &Value) -> Result<i64, LineFault> {
    let price = number(value, PRICE_DIGITS).and_then(|price| arb_model::Price::from_millionths(price).ok());
    let price = price.ok_or_else(|| fault("price", "must be decimal odds above 1 and at most 1001"))?;
    Ok(price.millionths().into())
}

fn status(value: Option<&Value>) -> Result<wire::Status, LineFault> {
    match value.map(Value::as_str) {
        None | Some(Some("active")) => Ok(wire::Status::Active),
        Some(Some("suspended")) => Ok(wire::Status::Suspended),
        Some(_) => Err(fault("status", "must be active or suspended")),
    }
}

fn limit(value: &Value) -> Result<i64, LineFault> {
    let limit = number(value, MONEY_DIGITS).filter(|limit| (0..=1_000_000_000_000).contains(limit));
    limit.ok_or_else(|| fault("limit", "must be a stake from 0 to 10000000000 in the book's currency"))
}

fn sequence(value: &Value) -> Result<i64, LineFault> {
    let sequence = value.as_i64().filter(|sequence| *sequence >= 0);
    sequence.ok_or_else(|| fault("sequence", "must be a whole number from 0 to 9223372036854775807"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn grant(may_name_events: bool) -> PushGrant {
        PushGrant { name: "acme".into(), is_public: true, books: vec!["acme".into()], may_name_events }
    }

    fn line() -> Value {
        json!({"event": "e", "book": "acme", "market": "totals", "outcome": "over", "line": 2.5, "price": 1.95, "sequence": 7})
    }

    /// A line with a field changed, or without it.
    fn changed(field: &str, value: Value) -> Result<PushLine, LineFault> {
        let mut line = line();
        line[field] = value;
        PushLine::parse(&line.to_string(), &grant(true))
    }

    fn refused(field: &str, value: Value) -> (String, String) {
        let LineFault { field, reason } = changed(field, value).unwrap_err();
        (field.unwrap_or_default().into(), reason.into())
    }

    #[test]
    fn a_line_is_a_price() {
        let parsed = PushLine::parse(&line().to_string(), &grant(false)).unwrap();
        assert_eq!((&*parsed.event.id, parsed.names_event, parsed.sequence), ("e", false, 7));
        assert_eq!((parsed.book.as_str(), parsed.market.as_str()), ("acme", "totals"));
        let expected = wire::Tick {
            outcome: wire::Outcome::Over,
            side: wire::Side::Back,
            line: Some(2_500),
            price: 1_950_000,
            status: wire::Status::Active,
            limit: None,
        };
        assert_eq!(parsed.tick, expected);
        assert_eq!(changed("price", json!(1.909_090_909)).unwrap().tick.price, 1_909_090, "rounded down");
        assert_eq!(changed("limit", json!(100.509)).unwrap().tick.limit, Some(10_050));
        assert_eq!(changed("status", json!("suspended")).unwrap().tick.status, wire::Status::Suspended);
        assert_eq!(changed("side", json!("lay")).unwrap().tick.side, wire::Side::Lay);
        assert_eq!(changed("line", json!(-1.75)).unwrap().tick.line, Some(-1_750));
    }

    #[test]
    fn a_book_of_a_private_source_is_its_own() {
        let private = PushGrant { is_public: false, ..grant(false) };
        assert_eq!(PushLine::parse(&line().to_string(), &private).unwrap().book, "acme:acme");
    }

    #[test]
    fn each_field_has_its_fault() {
        for (field, values) in [
            ("event", vec![json!(null), json!(7), json!(""), json!("a\u{7}"), json!("x".repeat(257))]),
            ("book", vec![json!(null), json!("other"), json!(["acme"])]),
            ("market", vec![json!(null), json!("player_points"), json!(1)]),
            ("outcome", vec![json!(null), json!("home"), json!("yes")]),
            ("line", vec![json!(null), json!("2.5"), json!(2.5001), json!(1001), json!(1e300)]),
            ("price", vec![json!(null), json!("1.95"), json!(1), json!(1001.1), json!(-2), json!(1e300)]),
            ("side", vec![json!("both"), json!(true)]),
            ("status", vec![json!("open"), json!(1)]),
            ("limit", vec![json!(-1), json!("1"), json!(1e15)]),
            ("sequence", vec![json!(null), json!(-1), json!(1.5), json!("7"), json!(1e20)]),
            ("extra", vec![json!(1), json!(null)]),
        ] {
            for value in values {
                assert_eq!(refused(field, value.clone()).0, field, "{value}");
            }
        }
        let parse = |text: &str| PushLine::parse(text, &grant(true)).unwrap_err().field;
        assert_eq!((parse("[]"), parse("{"), parse(&" ".repeat(5_000))), (None, None, None));
    }

    #[test]
    fn a_field_that_is_named_twice_is_refused() {
        let text = line().to_string();
        let twice = |from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            let fault = PushLine::parse(&text.replacen(from, to, 1), &grant(true)).unwrap_err();
            (fault.field.unwrap_or_default().to_string(), fault.reason.to_string())
        };
        let refused = |field: &str| (field.to_owned(), "is named twice".to_owned());
        assert_eq!(twice("\"price\":1.95", "\"price\":1.95,\"price\":2.95"), refused("price"));
        assert_eq!(twice("\"price\":1.95", "\"price\":1.95,\"\\u0070rice\":2.95"), refused("price"));
        assert_eq!(twice("\"event\":\"e\"", "\"event\":{\"id\":\"e\",\"id\":\"f\"}"), refused("id"));
        assert_eq!(twice("\"sequence\":7", "\"sequence\":7,\"x\":1,\"x\":2"), refused("x"));
    }

    #[test]
    fn names_of_an_event_need_the_scope() {
        let event = json!({
            "id": "acme:e", "sport": "soccer", "league": "soccer_x", "home": "H", "away": "A", "commence_time": "2026-11-23T12:00:00Z"
        });
        let named = changed("event", event.clone()).unwrap();
        assert!(named.names_event && &*named.event.home == "H" && named.event.commence_time.0 > 0);
        let mut line = line();
        line["event"] = event.clone();
        let refused_without = PushLine::parse(&line.to_string(), &grant(false)).unwrap_err();
        assert_eq!(refused_without.field.as_deref(), Some("event"));
        for (field, value) in [
            ("id", json!(null)),
            ("id", json!("e")),
            ("id", json!("acme:")),
            ("id", json!("acmes:e")),
            ("sport", json!("")),
            ("league", json!(7)),
            ("home", json!("A")),
            ("commence_time", json!("tomorrow")),
            ("commence_time", json!("2300-01-01T00:00:00Z")),
            ("group", json!("x")),
        ] {
            let mut other = event.clone();
            other[field] = value;
            assert!(refused("event", other).0.starts_with("event"), "{field}");
        }
    }
}
