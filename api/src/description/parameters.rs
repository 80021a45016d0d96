//! What queries and paths hold: each parameter once, by name. Where two routes give one name another meaning, it has two rows.

use serde_json::{Map, Value, json};

/// A parameter of a query: how operations name it, its name in the query, its schema as JSON, and what it means.
type Row = (&'static str, &'static str, &'static str, &'static str);

const TEXT: &str = r#"{"type": "string", "minLength": 1, "maxLength": 100}"#;
const TRUTH: &str = r#"{"type": "boolean"}"#;
const TIME: &str = r#"{"type": "string", "format": "date-time"}"#;
const LIST: &str = r#"{"type": "string", "description": "Names with commas between them."}"#;
const FRACTION: &str = r#"{"type": "number"}"#;
const AMOUNT: &str = r#"{"type": "number", "minimum": 0}"#;

const ROWS: &[Row] = &[
    (
        "limit",
        "limit",
        r#"{"type": "integer", "minimum": 1, "maximum": 500, "default": 100}"#,
        "Entries of a page.",
    ),
    (
        "cursor",
        "cursor",
        r#"{"type": "string"}"#,
        "The next_cursor of the page before, with the same filters.",
    ),
    ("sport", "sport", TEXT, "A sport or a league."),
    ("league", "league", TEXT, "A league."),
    ("event_id", "event_id", TEXT, "An event."),
    ("event", "event", TEXT, "An event."),
    ("market", "market", TEXT, "A market family, such as h2h."),
    ("book", "book", TEXT, "A book."),
    ("verified", "verified", TRUTH, "Whether all flags hold."),
    ("in_play", "in_play", TRUTH, "Whether the event has begun."),
    ("min_margin", "min_margin", FRACTION, "The least margin: 0.02 is 2 %."),
    ("max_age", "max_age", AMOUNT, "The most seconds since any leg was confirmed."),
    ("min_stake", "min_stake", AMOUNT, "The least total stake within limits."),
    (
        "sort",
        "sort",
        r#"{"type": "string", "enum": ["rank", "margin", "ttl_seconds", "opened_at", "commence_time"]}"#,
        "The order.",
    ),
    (
        "odds_format",
        "odds_format",
        r#"{"type": "string", "enum": ["decimal", "american", "fractional"]}"#,
        "How prices read.",
    ),
    ("books", "books", LIST, "The only books whose prices count; such a page costs three requests."),
    ("commissions", "commissions", LIST, "book:percent with commas between them."),
    (
        "total_stake",
        "total_stake",
        r#"{"type": "number", "minimum": 1, "maximum": 10000000}"#,
        "The total that stakes are for.",
    ),
    ("since", "since", TIME, "From this time on."),
    ("until", "until", TIME, "Before this time."),
    (
        "since_id",
        "since",
        r#"{"type": "string"}"#,
        "The id of an event of the stream, or `next` of the page before.",
    ),
    ("bot", "bot", r#"{"type": "string", "enum": ["consensus", "sharp", "steam", "stale"]}"#, "A bot."),
    (
        "feed",
        "feed",
        r#"{"type": "string", "enum": ["simulated", "recorded", "live"]}"#,
        "What the prices were of.",
    ),
    ("state", "state", r#"{"type": "string", "enum": ["open", "graded"]}"#, "Whether a result is awaited."),
    (
        "signal_kind",
        "kind",
        r#"{"type": "string", "description": "Some of value, low_hold, middle, steam, stale_price, odds_drop, with commas between."}"#,
        "Kinds of signals.",
    ),
    ("min_strength", "min_strength", FRACTION, "The least strength."),
    ("min_confidence", "min_confidence", FRACTION, "The least confidence."),
    ("event_types", "event", LIST, "Types of events."),
    (
        "conflate_ms",
        "conflate_ms",
        r#"{"type": "integer", "minimum": 50, "maximum": 60000}"#,
        "The latest state at most so often.",
    ),
    (
        "heartbeat_seconds",
        "heartbeat_seconds",
        r#"{"type": "integer", "minimum": 1, "maximum": 300}"#,
        "Seconds of silence.",
    ),
    ("last_event_id", "last_event_id", r#"{"type": "string"}"#, "As the header Last-Event-ID."),
    ("event_ids", "event_ids", LIST, "Events."),
    ("event_group", "event_group", TEXT, "A league and a date, such as soccer_epl/2026-11-23."),
    ("markets", "markets", LIST, "Market families."),
    (
        "wait_seconds",
        "wait_seconds",
        r#"{"type": "number", "minimum": 0, "maximum": 30}"#,
        "How long to wait for the whole answer.",
    ),
    ("outcome", "outcome", LIST, "Outcomes of deliveries."),
    ("type", "type", TEXT, "A type of event."),
    ("webhook_id", "webhook_id", TEXT, "A delivery."),
];

/// All of them, as components.
pub(super) fn components() -> Value {
    let row = |(id, name, schema, meaning): &Row| {
        let schema: Value = serde_json::from_str(schema).unwrap_or_default();
        ((*id).to_owned(), json!({"name": name, "in": "query", "description": meaning, "schema": schema}))
    };
    Value::Object(ROWS.iter().map(row).collect::<Map<_, _>>())
}

/// Those of a path, and of a query.
pub(super) fn of(path: &str, query: &[&str]) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = names.map(|name| {
        json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}})
    });
    let in_query = query.iter().map(|id| json!({"$ref": format!("#/components/parameters/{id}")}));
    in_path.chain(in_query).collect()
}

/// Whether operations may name it.
#[cfg(test)]
pub(super) fn is_known(id: &str) -> bool {
    ROWS.iter().any(|row| row.0 == id)
}
