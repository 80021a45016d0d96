//! The topics of Kafka: a channel each, and a message for each type of record.
//!
//! All of it follows from the catalogue of topics, the table of versions and the headers of the runtime. It never connects to a broker.

use arb_runtime::dead_letters::{self, Reason, header};
use arb_runtime::feed_mark::{FeedMark, SEQUENCE};
use arb_runtime::log::Record;
use arb_schemas::registry::{self, PublishedSchema};
use arb_schemas::topics::{self, Cleanup, FEED_EVENTS, ODDS_TICKS, Topic};
use arb_schemas::wire::RecordType;
use serde_json::{Map, Value, json};

use super::avro::whole_schema;
use super::read;

/// Golden records as JSON, by type. A test of `arb-schemas` writes it.
const RECORDS: &str = include_str!("../../../../schemas/asyncapi/records.json");
const BINDING: &str = "0.5.0";
/// The name of the message of topics that hold what is no record.
const DEAD_LETTER: &str = "DeadLetter";
/// What each header is for.
pub(super) const HEADERS: [(&str, &str); 9] = [
    (
        SEQUENCE,
        "EPOCH:SEQUENCE of a record of the feed: when the counter of the partition was started (milliseconds since 1970), and the number of the record, which grows by one.",
    ),
    (
        arb_kafka::TRANSACTION_HEADER,
        "ID:FROM:TO, on the first record that a transaction writes to a partition, and on the changelog's record of the partition: the transactional id, the first offset that it read, and the offset that it commits; the last is empty where it was not known yet.",
    ),
    (
        arb_kafka::POSITION_HEADER,
        "On the first record that a transaction of a source writes to a partition: the note of the source's lease after it, which is where the next holder goes on.",
    ),
    (header::REASON, "Why the record is dead-lettered."),
    (header::ERROR, "What was wrong with it, in words."),
    (header::TOPIC, "The topic that the record is of."),
    (header::PARTITION, "The partition of the record there."),
    (header::OFFSET, "The offset of the record there."),
    (
        header::EPOCH,
        "When the counter of the partition was started (milliseconds since 1970); of one epoch and offset only the first record counts.",
    ),
];
/// An epoch for examples.
const EPOCH: i64 = 1_767_225_600_000;

/// A cluster, and the registry of its schemas.
pub(super) fn server() -> Value {
    json!({
        "host": "{brokers}",
        "protocol": "kafka",
        "description": "The Kafka of the board: that of `arb up` on this machine, or the operator's, with TLS and SASL where they are set.",
        "variables": {"brokers": {"default": "127.0.0.1:19092", "description": "As --brokers or KAFKA_BOOTSTRAP_SERVERS of the roles."}},
        "bindings": {"kafka": {
            "schemaRegistryUrl": "http://127.0.0.1:8080/registry", "schemaRegistryVendor": "confluent", "bindingVersion": BINDING,
        }},
    })
}

/// A channel for each topic, by its name.
pub(super) fn channels() -> Map<String, Value> {
    topics::ALL.iter().map(|topic| (topic.name.to_owned(), channel(topic))).collect()
}

fn channel(topic: &Topic) -> Value {
    let reference = |name: &String| (name.clone(), json!({"$ref": format!("#/components/messages/{name}")}));
    json!({
        "address": topic.name,
        "description": description(topic),
        "servers": [{"$ref": "#/servers/kafka"}],
        "messages": names(topic).iter().map(reference).collect::<Map<_, _>>(),
        "bindings": {"kafka": {
            "topic": topic.name, "partitions": topic.partitions, "topicConfiguration": configuration(topic), "bindingVersion": BINDING,
        }},
    })
}

fn description(topic: &Topic) -> String {
    let mut text = format!("{} Key: {}.", topic.about, topic.key);
    if !matches!(topic.cleanup, Cleanup::Days(_)) {
        text += " The last record of a key stays; one without a value removes the key.";
    }
    if matches!(topic.cleanup, Cleanup::CompactFor(_)) {
        text += " Kafka removes records that are older than retention.ms.";
    }
    if topic.follows_ticks() {
        text += " Partitions: as many as the operator gives to all topics with this sentence.";
    }
    text
}

/// The names of its messages.
fn names(topic: &Topic) -> Vec<String> {
    match topic.records {
        [] => vec![DEAD_LETTER.to_owned()],
        records => records.iter().map(|record| format!("{record:?}")).collect(),
    }
}

/// The settings of a topic as the binding spells them: the policy is a list, numbers are numbers.
fn configuration(topic: &Topic) -> Map<String, Value> {
    let value = |name: &str, text: String| match text.parse::<i64>() {
        _ if name == "cleanup.policy" => json!(text.split(',').collect::<Vec<_>>()),
        Ok(number) => json!(number),
        Err(_) => text.parse::<f64>().map_or(json!(text), |number| json!(number)),
    };
    topic.config().into_iter().map(|(name, text)| (name.to_owned(), value(name, text))).collect()
}

/// What the board writes to each topic, and what its machines take in.
pub(super) fn operations() -> Map<String, Value> {
    let of = |topic: &Topic, action: &str| {
        let on = |name: String| json!({"$ref": format!("#/channels/{}/messages/{name}", topic.name)});
        let operation = json!({
            "action": action,
            "channel": {"$ref": format!("#/channels/{}", topic.name)},
            "messages": names(topic).into_iter().map(on).collect::<Vec<_>>(),
        });
        (operation_id(action, topic.name), operation)
    };
    let sent = topics::ALL.iter().map(|topic| of(topic, "send"));
    let inputs = topics::ALL.iter().filter(|topic| !topic.is_transactional());
    sent.chain(inputs.map(|topic| of(topic, "receive"))).collect()
}

/// `sendOddsTicksV1`.
fn operation_id(action: &str, topic: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    action.to_owned() + &topic.split('.').map(capital).collect::<String>()
}

/// A message for each type of record that a topic holds, and one for dead letters.
pub(super) fn messages() -> Map<String, Value> {
    let examples = read(RECORDS);
    let mut messages = Map::from_iter([(DEAD_LETTER.to_owned(), dead_letter())]);
    for schema in registry::all() {
        // The last version of a type is the newest, which is what is written.
        let name = format!("{:?}", schema.record);
        let older = messages.get(&name).map(|older| older["x-schema-ids"].clone());
        messages.insert(name.clone(), message(&schema, older, &examples[&name]));
    }
    messages
}

fn message(schema: &PublishedSchema, older: Option<Value>, example: &Value) -> Value {
    let record = schema.record;
    let payload = whole_schema(record);
    let mut ids = older.and_then(|ids| ids.as_array().cloned()).unwrap_or_default();
    ids.push(json!({"version": schema.version, "id": schema.id}));
    json!({
        "name": format!("{record:?}"),
        "title": schema.subject(),
        "summary": payload["doc"],
        "contentType": "avro/binary",
        "headers": headers(schema),
        "payload": {"schemaFormat": "application/vnd.apache.avro;version=1.9.0", "schema": payload},
        "bindings": {"kafka": binding(schema)},
        "examples": [{
            "name": "golden",
            "summary": "The golden record of the newest version, with values of unions without their types.",
            "headers": example_headers(record),
            "payload": example,
        }],
        "x-schema-id": schema.id,
        "x-schema-ids": ids,
    })
}

/// The key, and where the schema id of a message is.
fn binding(schema: &PublishedSchema) -> Value {
    let keys: Vec<_> = schema.topics().map(|topic| topic.key).collect();
    let mut key = json!({"type": "string"});
    if let [one] = *keys {
        key["description"] = json!(one);
    }
    json!({"key": key, "schemaIdLocation": "payload", "schemaIdPayloadEncoding": "confluent", "bindingVersion": BINDING})
}

/// Whether a record of the feed is numbered: those that the processor writes are.
fn is_numbered(record: RecordType) -> bool {
    FEED_EVENTS.records.contains(&record)
        && ![RecordType::PickChange, RecordType::WindowGrading].contains(&record)
}

fn headers(schema: &PublishedSchema) -> Value {
    let mut fields = Map::new();
    if is_numbered(schema.record) {
        fields.insert(SEQUENCE.to_owned(), field(SEQUENCE, json!({"pattern": "^[0-9]+:[0-9]+$"})));
    }
    if schema.topics().any(Topic::is_transactional) {
        let name = arb_kafka::TRANSACTION_HEADER;
        fields.insert(name.to_owned(), field(name, json!({"pattern": "^.+:[0-9]+:[0-9]*$"})));
    }
    // What a source writes is named by the transaction of its poll; what clients push is in none.
    if schema.topics().any(|topic| topic.name == ODDS_TICKS.name) {
        for name in [arb_kafka::TRANSACTION_HEADER, arb_kafka::POSITION_HEADER] {
            fields.insert(name.to_owned(), field(name, json!({})));
        }
    }
    json!({"type": "object", "properties": fields})
}

fn example_headers(record: RecordType) -> Value {
    let mark = FeedMark { epoch: EPOCH, sequence: 336 };
    if is_numbered(record) { json!({SEQUENCE: mark.to_string()}) } else { json!({}) }
}

/// A header of text.
fn field(name: &str, mut more: Value) -> Value {
    more["type"] = json!("string");
    more["description"] = json!(HEADERS.iter().find(|(header, _)| *header == name).map(|(_, about)| about));
    more
}

fn dead_letter() -> Value {
    let names =
        [header::REASON, header::ERROR, header::TOPIC, header::PARTITION, header::OFFSET, header::EPOCH];
    let more = |name: &str| match name {
        header::REASON => json!({"enum": Reason::ALL.map(Reason::key)}),
        header::PARTITION | header::OFFSET | header::EPOCH => json!({"pattern": "^[0-9]+$"}),
        _ => json!({}),
    };
    let fields: Map<_, _> = names.iter().map(|name| ((*name).to_owned(), field(name, more(name)))).collect();
    json!({
        "name": DEAD_LETTER,
        "title": "A dead letter",
        "summary": "A record that could not be taken in, with its key and its bytes, which may be any; a value that is too long for the topic is left out.",
        "contentType": "application/octet-stream",
        "headers": {"type": "object", "properties": fields, "required": names},
        "payload": {"description": "The bytes of the record."},
        "bindings": {"kafka": {"key": {"type": "string", "description": "As it was."}, "bindingVersion": BINDING}},
        "examples": [{"name": "unreadable", "headers": dead_letter_headers()}],
    })
}

/// Those of a record that is no message.
fn dead_letter_headers() -> Map<String, Value> {
    let record =
        Record { partition: 2, offset: 1_789, key: None, value: Some(b"{}".to_vec()), appended_at: None };
    let topics = (ODDS_TICKS.name, topics::DEAD_TICKS.name);
    let error = arb_schemas::wire::WireError::NotFramed.to_string();
    let (_, output) = dead_letters::output(&record, topics, EPOCH, Reason::Unreadable, &error);
    output.headers.into_iter().map(|(name, text)| (name.to_owned(), json!(text))).collect()
}
