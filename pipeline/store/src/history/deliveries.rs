//! The delivery log of webhooks: pages of its entries, the newest first, and what came of deliveries within a time.
//!
//! It never shows an endpoint's entries to a question about another one.

use ::clickhouse::Row;
use arb_schemas::clickhouse::WEBHOOK_DELIVERIES;
use arb_schemas::records::WebhookDelivery;
use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};

use super::History;
use super::condition::{Bound, Condition};
use crate::clickhouse::Error;

/// Which entries of an endpoint are wanted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeliveryQuery {
    /// The endpoint's id.
    pub endpoint: String,
    /// What came of it.
    pub outcome: Option<String>,
    /// The type of the event.
    pub kind: Option<String>,
    /// One delivery, by its `webhook-id`.
    pub delivery: Option<String>,
    /// Not before, in microseconds.
    pub since: Option<Micros>,
    /// Before, in microseconds.
    pub until: Option<Micros>,
}

/// The place of an entry in the log of its endpoint, which is in the order of places. No two entries have the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeliveryPlace {
    at: Micros,
    delivery: String,
    attempt: i64,
    outcome: String,
}

impl DeliveryPlace {
    /// That of an entry.
    #[must_use]
    pub fn of(entry: &WebhookDelivery) -> Self {
        let WebhookDelivery { at, delivery, attempt, outcome, .. } = entry;
        Self { at: *at, delivery: delivery.clone(), attempt: *attempt, outcome: outcome.clone() }
    }
}

impl DeliveryQuery {
    /// Whether it asks for an entry.
    #[must_use]
    pub fn includes(&self, entry: &WebhookDelivery) -> bool {
        let is =
            |wanted: &Option<String>, value: &String| wanted.as_ref().is_none_or(|wanted| wanted == value);
        self.endpoint == entry.endpoint
            && is(&self.outcome, &entry.outcome)
            && is(&self.kind, &entry.kind)
            && is(&self.delivery, &entry.delivery)
            && self.since.is_none_or(|since| since <= entry.at)
            && self.until.is_none_or(|until| entry.at < until)
    }

    fn condition(&self, before: Option<&DeliveryPlace>) -> Condition {
        let mut condition = Condition::default();
        condition.is("endpoint", Some(&self.endpoint));
        condition.is("outcome", self.outcome.as_ref());
        condition.is("kind", self.kind.as_ref());
        condition.is("delivery", self.delivery.as_ref());
        condition.within("at", self.since, self.until);
        if let Some(DeliveryPlace { at, delivery, attempt, outcome }) = before {
            condition.and(
                "(at, delivery, attempt, outcome) < (fromUnixTimestamp64Micro(?, 'UTC'), ?, ?, ?)",
                [
                    Bound::Number(*at),
                    Bound::Text(delivery.clone()),
                    Bound::Number(*attempt),
                    Bound::Text(outcome.clone()),
                ],
            );
        }
        condition
    }
}

/// Of which endpoint and time statistics are wanted: from `since` to before `until`, in microseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatisticsQuery {
    /// The endpoint's id.
    pub endpoint: String,
    /// From then on.
    pub since: Micros,
    /// Before.
    pub until: Micros,
}

/// What came of deliveries to an endpoint.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeliveryStatistics {
    /// Deliveries that were tried or ended.
    pub deliveries: u64,
    /// Attempts.
    pub attempts: u64,
    /// Entries by outcome.
    pub outcomes: Vec<(String, u64)>,
    /// Attempts by the status of the answer; `None` is no answer.
    pub statuses: Vec<(Option<i32>, u64)>,
    /// Seconds until the receiver's answer: median and 99th percentile of attempts that had one.
    pub latency: Option<(f64, f64)>,
    /// Seconds from when an event was read from the feed until it was delivered: median and 99th percentile.
    pub delivered_after: Option<(f64, f64)>,
}

#[derive(Debug, Row, Deserialize)]
struct EntryRow {
    delivery: String,
    endpoint: String,
    kind: String,
    subject: String,
    sequence: i64,
    attempt: i64,
    outcome: String,
    status: Option<i32>,
    latency: i64,
    answer: String,
    next_micros: Option<i64>,
    created_micros: i64,
    micros: i64,
}

impl From<EntryRow> for WebhookDelivery {
    fn from(row: EntryRow) -> Self {
        Self {
            delivery: row.delivery,
            endpoint: row.endpoint,
            kind: row.kind,
            subject: row.subject,
            sequence: row.sequence,
            attempt: row.attempt,
            outcome: row.outcome,
            status: row.status,
            latency: row.latency,
            answer: row.answer,
            next_at: row.next_micros,
            created_at: row.created_micros,
            at: row.micros,
        }
    }
}

const ENTRIES: &str = "SELECT delivery, endpoint, kind, subject, sequence, attempt, outcome, status, latency, answer, \
     toUnixTimestamp64Micro(next_at) AS next_micros, toUnixTimestamp64Micro(created_at) AS created_micros, \
     toUnixTimestamp64Micro(at) AS micros";
const NEWEST_FIRST: &str = "ORDER BY at DESC, delivery DESC, attempt DESC, outcome DESC";

impl History {
    /// The table of the delivery log: its view does not have what servers answered.
    fn delivery_log(&self) -> String {
        format!("{}.{WEBHOOK_DELIVERIES}", self.settings.databases.store())
    }

    /// Entries of the delivery log before a place, the newest first, at most so many.
    ///
    /// # Errors
    /// That the server cannot be asked, or refuses.
    pub async fn deliveries(
        &self,
        query: &DeliveryQuery,
        before: Option<&DeliveryPlace>,
        limit: usize,
    ) -> Result<Vec<WebhookDelivery>, Error> {
        let condition = query.condition(before);
        let log = self.delivery_log();
        let sql = format!("{ENTRIES} FROM {log} WHERE {} {NEWEST_FIRST} LIMIT {limit}", condition.sql);
        let rows = condition.bind(self.client.query(&sql)).fetch_all::<EntryRow>();
        Ok(self.ask(rows).await?.into_iter().map(Into::into).collect())
    }

    /// What came of the deliveries of an endpoint within a time.
    ///
    /// # Errors
    /// As [`Self::deliveries`].
    pub async fn delivery_statistics(&self, query: &StatisticsQuery) -> Result<DeliveryStatistics, Error> {
        let log = self.delivery_log();
        let of = |columns: &str, rest: &str| {
            let mut within = Condition::default();
            within.is("endpoint", Some(&query.endpoint));
            within.within("at", Some(query.since), Some(query.until));
            let sql = format!("SELECT {columns} FROM {log} WHERE {} {rest}", within.sql);
            within.bind(self.client.query(&sql))
        };
        let outcomes = of("outcome, count() AS entries", "GROUP BY outcome ORDER BY outcome");
        let statuses =
            of("status, count() AS attempts", "AND attempt > 0 GROUP BY status ORDER BY status NULLS LAST");
        let in_all = of(
            "uniqExact(delivery) AS deliveries, countIf(attempt > 0) AS attempts, \
             countIf(attempt > 0 AND status IS NOT NULL) AS answers, countIf(outcome = 'delivered') AS delivered, \
             quantilesExactIf(0.5, 0.99)(latency, attempt > 0 AND status IS NOT NULL) AS latencies, \
             quantilesExactIf(0.5, 0.99)(dateDiff('microsecond', created_at, at), outcome = 'delivered') AS delays",
            "",
        );
        let in_all = self.ask(in_all.fetch_one::<InAll>()).await?;
        let seconds = |micros: &[i64]| match micros {
            [half, most] => Some((*half as f64 / 1e6, *most as f64 / 1e6)),
            _ => None,
        };
        Ok(DeliveryStatistics {
            deliveries: in_all.deliveries,
            attempts: in_all.attempts,
            outcomes: self.ask(outcomes.fetch_all()).await?,
            statuses: self.ask(statuses.fetch_all()).await?,
            latency: seconds(&in_all.latencies).filter(|_| in_all.answers > 0),
            delivered_after: seconds(&in_all.delays).filter(|_| in_all.delivered > 0),
        })
    }
}

#[derive(Debug, Row, Deserialize)]
struct InAll {
    deliveries: u64,
    attempts: u64,
    answers: u64,
    delivered: u64,
    latencies: Vec<i64>,
    delays: Vec<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> WebhookDelivery {
        WebhookDelivery {
            delivery: "msg_1".into(),
            endpoint: "whk_1".into(),
            kind: "arb_window".into(),
            subject: String::new(),
            sequence: 1,
            attempt: 2,
            outcome: "failed".into(),
            status: None,
            latency: 0,
            answer: String::new(),
            next_at: None,
            created_at: 5,
            at: 10,
        }
    }

    #[test]
    fn every_filter_is_a_condition_and_its_value_is_bound() {
        let all = DeliveryQuery {
            endpoint: "whk_1' OR 1".into(),
            outcome: Some("failed".into()),
            kind: Some("arb_window".into()),
            delivery: Some("msg_1".into()),
            since: Some(10),
            until: Some(11),
        };
        let Condition { sql, bound } = all.condition(Some(&DeliveryPlace::of(&entry())));
        assert_eq!(
            sql,
            "endpoint = ? AND outcome = ? AND kind = ? AND delivery = ? AND at >= fromUnixTimestamp64Micro(?, 'UTC') \
             AND at < fromUnixTimestamp64Micro(?, 'UTC') AND (at, delivery, attempt, outcome) < \
             (fromUnixTimestamp64Micro(?, 'UTC'), ?, ?, ?)"
        );
        assert_eq!(sql.matches('?').count(), bound.len());
        assert_eq!(bound[0], Bound::Text("whk_1' OR 1".into()));
    }

    #[test]
    fn an_entry_is_included_when_every_filter_has_it() {
        let entry = entry();
        let query = DeliveryQuery { endpoint: "whk_1".into(), ..DeliveryQuery::default() };
        assert!(query.includes(&entry));
        assert!(DeliveryQuery { since: Some(10), until: Some(11), ..query.clone() }.includes(&entry));
        for other in [
            DeliveryQuery { endpoint: "whk_2".into(), ..query.clone() },
            DeliveryQuery { outcome: Some("delivered".into()), ..query.clone() },
            DeliveryQuery { kind: Some("pick".into()), ..query.clone() },
            DeliveryQuery { delivery: Some("msg_2".into()), ..query.clone() },
            DeliveryQuery { since: Some(11), ..query.clone() },
            DeliveryQuery { until: Some(10), ..query },
        ] {
            assert!(!other.includes(&entry), "{other:?}");
        }
    }
}
