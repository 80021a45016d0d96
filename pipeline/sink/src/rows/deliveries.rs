//! Rows of the delivery log of webhooks. It never changes what a server answered.

use arb_model::Time;
use arb_schemas::records::WebhookDelivery;
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

row! {
    /// A row of `webhook_deliveries`, as its columns are.
    pub struct DeliveryRow;

    /// The row of an entry of the delivery log.
    pub fn delivery_row(entry: &'a WebhookDelivery) {}

    delivery: &'a str = &entry.delivery;
    endpoint: &'a str = &entry.endpoint;
    kind: &'a str = &entry.kind;
    subject: &'a str = &entry.subject;
    sequence: i64 = entry.sequence;
    attempt: i64 = entry.attempt;
    outcome: &'a str = &entry.outcome;
    status: Option<i32> = entry.status;
    latency: i64 = entry.latency;
    answer: &'a str = &entry.answer;
    next_at: Option<Time> = entry.next_at.map(Time);
    created_at: Time = Time(entry.created_at);
    at: Time = Time(entry.at);
}
