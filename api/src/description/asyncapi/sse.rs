//! The stream: a channel for each surface of the API, and a message for each type of event.
//!
//! The stream defines which types there are, the OpenAPI document which parameters it takes. It never opens one.

use arb_feed::view::{AlertView, CloseView, EntryView, GradingView, MovementView, PickView, SignalView};
use arb_model::described::{Described, Shape};
use serde_json::{Map, Value, json};

use super::read;
use crate::description::components::schema;
use crate::stream;
use crate::view::{BoardChanges, HeartbeatView, LaggedView, ResyncView, SnapshotView};

/// Events as a stream sends them, by type. A test of the stream writes it.
const EVENTS: &str = include_str!("../../../../schemas/asyncapi/events.json");
/// What each event is for.
pub(super) const ABOUT: [(&str, &str); 15] = [
    (
        "snapshot",
        "All open entries: the first event of a stream, and the one after resync. It replaces all that the client had.",
    ),
    (
        "arb_window",
        "An arb window opened or changed: its entry at that transition, without a rank. It replaces the entry with the same id, and removes it where change is left.",
    ),
    ("close_signal", "An arb window closed: its entry is removed."),
    (
        "line_movement",
        "A price moved by more than a threshold within a minute, or the main line of a market changed.",
    ),
    (
        "stale_alert",
        "A book stopped confirming its prices for an event, or a leg of an arb did; or the book came back.",
    ),
    (
        "edge_signal",
        "An edge signal opened, changed or closed: its entry at that transition. A close has empty evidence and fair.",
    ),
    ("pick", "A bot published a pick."),
    ("pick_graded", "A pick was graded, for the first time or again."),
    ("window_graded", "An arb window was graded by the result of its event, for the first time or again."),
    (
        "board_changes",
        "What differs of a board of own books since the event before, at most once a second: of a stream with books, commissions or total_stake, which sends it instead of events of the feed.",
    ),
    ("heartbeat", "No event was sent for 15 s, or as long as heartbeat_seconds says."),
    ("resync", "The client cannot resume from its id; a snapshot follows. It has no id."),
    ("lagged", "The server disconnects the client, which resumes from its last id."),
    ("server_restart", "The server ends; the client connects again after the time in retry."),
    (
        "key_revoked",
        "The key of the stream was revoked, or its session ended; the stream ends. It has no id.",
    ),
];
/// Channels and operations of both surfaces: the id of a channel, its path, the id of its operation, the scheme of its key.
const SURFACES: [(&str, &str, &str, &str); 2] = [
    ("stream", "/v1/stream", "openStream", "bearer"),
    ("streamByApiKey", "/api/v1/stream", "openStreamByApiKey", "apiKey"),
];

/// The API.
pub(super) fn server() -> Value {
    json!({
        "host": "{address}",
        "protocol": "http",
        "description": "The API of the board; https where the operator has set it up. /openapi.json describes all of it.",
        "variables": {"address": {"default": "127.0.0.1:8080", "description": "As --listen or --public-url of arb serve."}},
    })
}

/// Both surfaces.
pub(super) fn channels() -> Map<String, Value> {
    let reference = |name: &str| (name.to_owned(), json!({"$ref": format!("#/components/messages/{name}")}));
    let channel = |path: &str| {
        json!({
            "address": path,
            "description": "Server-Sent Events: `event:` is the name of a message, `data:` its payload, and `id:` where a stream goes on \
                for a client that connects again with the header Last-Event-ID.",
            "servers": [{"$ref": "#/servers/api"}],
            "messages": stream::event_types().map(reference).collect::<Map<_, _>>(),
        })
    };
    SURFACES.iter().map(|(id, path, ..)| ((*id).to_owned(), channel(path))).collect()
}

/// A stream is opened by a request with these parameters.
pub(super) fn operations(parameters: &Map<String, Value>) -> Map<String, Value> {
    let operation = |channel: &str, scheme: &str| {
        let on = |name: &str| json!({"$ref": format!("#/channels/{channel}/messages/{name}")});
        json!({
            "action": "send",
            "channel": {"$ref": format!("#/channels/{channel}")},
            "summary": "A snapshot, then every transition.",
            "security": [{"$ref": format!("#/components/securitySchemes/{scheme}")}],
            "messages": stream::event_types().map(on).collect::<Vec<_>>(),
            "bindings": {"http": {
                "method": "GET", "query": {"type": "object", "properties": parameters}, "bindingVersion": "0.3.0",
            }},
        })
    };
    SURFACES.iter().map(|(channel, _, id, scheme)| ((*id).to_owned(), operation(channel, scheme))).collect()
}

/// The schema of the data of a type of event.
fn payload(name: &str) -> Value {
    match name {
        "snapshot" => schema(&SnapshotView::SHAPE),
        "arb_window" => changed::<EntryView<'_>>(&json!({
            "type": "string", "enum": ["opened", "updated", "left"],
            "description": "left: it does not match the filters of the stream any more.",
        })),
        "close_signal" => schema(&CloseView::SHAPE),
        "line_movement" => schema(&MovementView::SHAPE),
        "stale_alert" => schema(&AlertView::SHAPE),
        "edge_signal" => changed::<SignalView<'_>>(&json!({
            "type": "string",
            "description": "opened, updated, or the reason of its close: expired, faded, followed, withdrawn, event_ended or superseded; there may be more.",
        })),
        "pick" => changed::<PickView<'_>>(&json!({"const": "published"})),
        "pick_graded" => changed::<PickView<'_>>(&json!({"const": "graded"})),
        "window_graded" => schema(&GradingView::SHAPE),
        "board_changes" => schema(&BoardChanges::SHAPE),
        "heartbeat" => schema(&HeartbeatView::SHAPE),
        "resync" => schema(&ResyncView::SHAPE),
        "lagged" => schema(&LaggedView::SHAPE),
        _ => schema(&Shape::Object),
    }
}

/// The schema of an entry of a list at a transition, with that of how it changed.
fn changed<Entry: Described>(change: &Value) -> Value {
    let change = json!({"type": "object", "properties": {"change": change}, "required": ["change"]});
    json!({"allOf": [schema(&Entry::SHAPE), change]})
}

/// A message for each type of event.
pub(super) fn messages() -> Map<String, Value> {
    let examples = read(EVENTS);
    let messages = ABOUT.map(|(name, sentence)| {
        let message = json!({
            "name": name,
            "summary": sentence,
            "contentType": "application/json",
            "payload": payload(name),
            "examples": [{"name": "sent", "payload": examples[name]}],
        });
        (name.to_owned(), message)
    });
    messages.into_iter().collect()
}
