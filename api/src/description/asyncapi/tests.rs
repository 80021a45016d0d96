//! The document is that of the catalogue and the stream, whole, and the one that is checked in.

use arb_schemas::topics;
use arb_schemas::wire::RecordType;

use super::*;
use crate::description::Description;
use crate::generated::assert_file;
use crate::routes::ROUTES;
use crate::stream;

fn document_now() -> Value {
    read(&Description::of(&ROUTES).channels)
}

/// Rows describe these things and nothing else.
fn assert_described<'a>(rows: &[(&'a str, &str)], things: impl Iterator<Item = &'a str>) {
    assert_eq!(rows.iter().map(|(name, _)| *name).collect::<BTreeSet<_>>(), things.collect());
    for (name, text) in rows {
        assert!(text.len() > 10 && text.ends_with('.'), "{name} is not described: {text:?}");
    }
}

#[test]
fn every_topic_is_described() {
    let rows: Vec<_> = topics::ALL.iter().map(|topic| (topic.name, topic.about)).collect();
    assert_described(&rows, topics::ALL.iter().map(|topic| topic.name));
}

#[test]
fn every_event_of_the_stream_is_described_and_nothing_else() {
    assert_described(&sse::ABOUT, stream::event_types());
}

#[test]
fn every_header_is_described_and_nothing_else() {
    let document = document_now();
    let messages = document["components"]["messages"].as_object().unwrap().values();
    let headers = messages.filter_map(|message| message["headers"]["properties"].as_object());
    assert_described(&kafka::HEADERS, headers.flat_map(|fields| fields.keys().map(String::as_str)));
}

#[test]
fn every_record_has_a_schema_an_id_and_an_example() {
    let document = document_now();
    for record in RecordType::ALL {
        let message = &document["components"]["messages"][format!("{record:?}")];
        assert_eq!(message["x-schema-id"], record as u32, "{record:?}");
        assert_eq!(message["payload"]["schema"]["name"], format!("{record:?}"));
        assert!(message["summary"].as_str().is_some_and(|text| !text.is_empty()), "{record:?}");
        assert!(message["examples"][0]["payload"].is_object(), "{record:?} has no example");
    }
    let window = &document["components"]["messages"]["ArbWindow"]["x-schema-ids"];
    let ids: Vec<_> =
        window.as_array().unwrap().iter().map(|schema| schema["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [u64::from(RecordType::ArbWindow as u32)]);
}

#[test]
fn a_channel_has_the_settings_of_its_topic() {
    let document = document_now();
    let binding = |name: &str| document["channels"][name]["bindings"]["kafka"].clone();
    let accounts = binding("accounts.v1");
    assert_eq!(accounts["partitions"], 1);
    assert_eq!(accounts["topicConfiguration"]["cleanup.policy"], json!(["compact"]));
    assert_eq!(accounts["topicConfiguration"]["max.compaction.lag.ms"], 86_400_000);
    let feed = binding("feed.events.v1");
    assert_eq!(
        (&feed["partitions"], &feed["topicConfiguration"]["retention.ms"]),
        (&json!(4), &json!(604_800_000))
    );
    let operations = document["operations"].as_object().unwrap();
    let received: Vec<_> = operations.keys().filter(|id| id.starts_with("receive")).collect();
    assert_eq!(
        received,
        [
            "receiveAccountCommandsV1",
            "receiveOddsTicksV1",
            "receivePicksTasksV1",
            "receiveScanRequestsV1",
            "receiveScoresLiveV1",
            "receiveWebhookTasksV1"
        ]
    );
}

#[test]
fn a_stream_has_the_parameters_of_its_route() {
    let document = document_now();
    let query = &document["operations"]["openStreamByApiKey"]["bindings"]["http"]["query"]["properties"];
    assert_eq!(query["kind"]["type"], "string");
    assert!(query["kind"]["description"].as_str().unwrap().contains("low_hold"));
    assert_eq!(query.as_object().unwrap().len(), 17);
    assert_eq!(document["channels"]["stream"]["address"], "/v1/stream");
}

#[test]
fn references_lead_somewhere() {
    fn follow(value: &Value, document: &Value, followed: &mut usize) {
        match value {
            Value::Object(fields) => {
                if let Some(to) = fields.get("$ref").and_then(Value::as_str) {
                    assert!(document.pointer(to.strip_prefix('#').unwrap()).is_some(), "{to}");
                    *followed += 1;
                }
                fields.values().for_each(|value| follow(value, document, followed));
            }
            Value::Array(values) => values.iter().for_each(|value| follow(value, document, followed)),
            _ => {}
        }
    }
    let (document, mut followed) = (document_now(), 0);
    follow(&document, &document, &mut followed);
    assert!(followed > 200, "{followed}");
}

#[test]
fn the_document_that_is_checked_in_is_that_of_the_program() {
    let now = Description::of(&ROUTES).channels;
    assert_file("ARB_WRITE_ASYNCAPI", "schemas/asyncapi/asyncapi.json", &now);
}
