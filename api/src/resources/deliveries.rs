//! `/v1/webhooks/{id}/deliveries` and `/statistics`: what became of deliveries to an endpoint.
//!
//! A page is the newest entries of ClickHouse and of this instance's memory together: what is in memory alone has not been stored
//! yet. It never shows another account's endpoint.

use std::collections::HashMap;
use std::sync::Arc;

use arb_accounts::endpoint::Endpoint;
use arb_feed::filter::parameter::Parameter;
use arb_feed::webhook::circuit;
use arb_model::Time;
use arb_schemas::records::{WebhookCircuit, WebhookDelivery};
use arb_schemas::time::Micros;
use arb_store::history::{DeliveryPlace, DeliveryQuery, DeliveryStatistics, History, StatisticsQuery};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::access::usage::DAY;
use crate::http::paging::{self, Cursor, PageAsk};
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, filled, parameters_of, row};
use crate::http::reply;
use crate::http::route::Started;
use crate::resources::parameters::{SINCE, UNTIL};
use crate::view::{CircuitView, DeliveryPage, DeliveryView, OUTCOMES, PercentilesView, StatisticsView};
use crate::webhooks::log::DeliveryLog;

const OUTCOME: &Parameter<String> = &Parameter::keys("outcome", "One outcome of a delivery.", &OUTCOMES);
const BAD_NAME: &str = "must be a name of at most 100 characters";
const TYPE: &Parameter<String> = &Parameter::name("type", "One type of event.", BAD_NAME);
const WEBHOOK_ID: &Parameter<String> = &Parameter::name("webhook_id", "A delivery.", BAD_NAME);
/// Entries of a page.
const LIMIT: &Parameter<u64> =
    &Parameter::whole("limit", "Deliveries of a page.", (1, 200)).defaulting("100").component("limit_of_log");
/// What statistics are of, unless asked otherwise.
const DAYS: Micros = 7 * DAY;

/// Where the log is read.
#[derive(Debug, Clone)]
pub(crate) struct Deliveries {
    pub(crate) log: Arc<DeliveryLog>,
    pub(crate) history: Option<History>,
}

/// A page of the log.
struct LogPage {
    query: DeliveryQuery,
    before: Option<DeliveryPlace>,
    limit: usize,
}

/// The filters of a request for the log of an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct LogFilter {
    query: DeliveryQuery,
}

impl Query for LogFilter {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(OUTCOME => query.outcome),
        row!(TYPE => query.kind),
        row!(WEBHOOK_ID => query.delivery),
        row!(SINCE => query.since),
        row!(UNTIL => query.until),
    ];
}

/// The range of statistics.
#[derive(Default)]
struct RangeQuery {
    since: Option<Micros>,
    until: Option<Micros>,
}

impl Query for RangeQuery {
    const ROWS: &'static [QueryRow<Self>] = &[row!(SINCE => since), row!(UNTIL => until)];
}

impl LogPage {
    fn parse(query: &str, endpoint: &str) -> Result<Self, Problem> {
        let query_of = DeliveryQuery { endpoint: endpoint.to_owned(), ..DeliveryQuery::default() };
        let of_endpoint = LogFilter { query: query_of };
        let PageAsk { filter, limit, cursor } = PageAsk::of(query, of_endpoint.clone(), LIMIT)?;
        let Some(given) = cursor else { return Ok(Self { query: filter.query, before: None, limit }) };
        if given.filter.query.endpoint != endpoint || filter != of_endpoint && given.filter != filter {
            return Err(Problem::invalid_param("cursor", "is of another list"));
        }
        Ok(Self { query: given.filter.query, before: Some(given.after), limit })
    }

    /// The newest entries that it asks for, of several sources: the same entry of two is one. `next` is when a delivery is tried again
    /// after its newest attempt.
    fn fill(
        self,
        found: impl IntoIterator<Item = Arc<WebhookDelivery>>,
        next: impl Fn(&WebhookDelivery) -> Option<Micros>,
    ) -> Value {
        let found: Vec<_> = found.into_iter().collect();
        let mut newest = HashMap::<_, i64>::new();
        for entry in &found {
            let attempt = newest.entry(entry.delivery.clone()).or_default();
            *attempt = entry.attempt.max(*attempt);
        }
        let is_asked = |entry: &Arc<WebhookDelivery>| {
            let is_before = |before: &DeliveryPlace| DeliveryPlace::of(entry) < *before;
            self.query.includes(entry) && self.before.as_ref().is_none_or(is_before)
        };
        let mut entries: Vec<_> = found.into_iter().filter(is_asked).collect();
        entries.sort_by_cached_key(|entry| std::cmp::Reverse(DeliveryPlace::of(entry)));
        entries.dedup_by_key(|entry| DeliveryPlace::of(entry));
        let has_more = entries.len() > self.limit;
        entries.truncate(self.limit);
        let last = entries.last().filter(|_| has_more).map(|last| DeliveryPlace::of(last));
        let next_cursor =
            last.map(|after| Cursor { after, filter: LogFilter { query: self.query } }.encode());
        // Of an attempt that another one has followed it is history when that was planned.
        let is_newest = |entry: &WebhookDelivery| newest.get(&entry.delivery) == Some(&entry.attempt);
        let next_at = |entry: &WebhookDelivery| if is_newest(entry) { next(entry) } else { entry.next_at };
        let deliveries = entries.iter().map(|entry| view(entry, next_at(entry))).collect();
        json!(DeliveryPage { deliveries, next_cursor })
    }
}

impl Deliveries {
    /// What a page of the log is asked for by.
    pub(crate) const PARAMETERS: ParameterList = || paging::parameters_of_limited::<LogFilter>(LIMIT);
    /// What statistics are asked for by.
    pub(crate) const OF_STATISTICS: ParameterList = parameters_of::<RangeQuery>;

    /// A page of the log of an endpoint.
    pub(crate) fn page(&self, query: &str, endpoint: &Endpoint) -> Started {
        let page = LogPage::parse(query, &endpoint.id)?;
        let (recent, history) = (self.log.of(&endpoint.id), self.history.clone());
        let (circuit, is_open) = (self.log.circuit(&endpoint.id), endpoint.is_open());
        Ok(Box::pin(async move {
            let stored = match &history {
                Some(history) => {
                    // One more than is shown reveals whether there is another page.
                    let asked = history.deliveries(&page.query, page.before.as_ref(), page.limit + 1);
                    asked.await.map_err(|error| Problem::history_unread(&error))?
                }
                None => Vec::new(),
            };
            let found = recent.into_iter().chain(stored.into_iter().map(Arc::new));
            let next = |entry: &_| next_attempt(entry, circuit.as_ref()).filter(|_| is_open);
            Ok(reply::view(&page.fill(found, next)))
        }))
    }

    /// Statistics of an endpoint: of seven days until now, unless asked otherwise.
    pub(crate) fn statistics(&self, query: &str, endpoint: &str, now: Micros) -> Started {
        let RangeQuery { since, until } = filled(RangeQuery::default(), query)?;
        let until = until.unwrap_or(now);
        let since = since.unwrap_or(until - DAYS);
        if since >= until {
            return Err(Problem::invalid_param("since", "must be before until"));
        }
        let history = self.history.clone().ok_or_else(Problem::no_history)?;
        let asked = StatisticsQuery { endpoint: endpoint.to_owned(), since, until };
        Ok(Box::pin(async move {
            let found =
                history.delivery_statistics(&asked).await.map_err(|error| Problem::history_unread(&error))?;
            Ok(reply::view(&statistics_view(&asked, found)))
        }))
    }
}

/// Of the failures in a row of an endpoint.
pub(crate) fn circuit_view(found: Option<&WebhookCircuit>) -> CircuitView {
    let failing = found.filter(|circuit| circuit.failures > 0);
    failing.map_or_else(CircuitView::default, |circuit| CircuitView {
        failures: circuit.failures,
        open_until: open_until(circuit).map(Time),
        waiting: circuit.waiting,
    })
}

fn open_until(found: &WebhookCircuit) -> Option<Micros> {
    circuit::open_until(u32::try_from(found.failures).unwrap_or(u32::MAX), found.failed_at)
}

/// When a delivery is tried again: as soon as a success has closed the circuit, and not while it is open.
fn next_attempt(entry: &WebhookDelivery, circuit: Option<&WebhookCircuit>) -> Option<Micros> {
    let (planned, Some(circuit)) = (entry.next_at?, circuit) else { return entry.next_at };
    let closed = circuit.closed_at.filter(|closed| entry.at <= *closed);
    Some(planned.min(closed.unwrap_or(planned)).max(open_until(circuit).unwrap_or(Micros::MIN)))
}

/// An entry of the log.
fn view(entry: &WebhookDelivery, next_at: Option<Micros>) -> DeliveryView<'_> {
    DeliveryView {
        webhook_id: &entry.delivery,
        kind: &entry.kind,
        subject: &entry.subject,
        attempt: entry.attempt,
        outcome: &entry.outcome,
        status: entry.status,
        latency_seconds: entry.latency as f64 / 1e6,
        answer: &entry.answer,
        at: Time(entry.at),
        next_attempt_at: next_at.map(Time),
        event_read_at: Time(entry.created_at),
    }
}

fn statistics_view(asked: &StatisticsQuery, found: DeliveryStatistics) -> StatisticsView {
    let percentiles = |(p50, p99)| PercentilesView { p50, p99 };
    let statuses = found.statuses.into_iter().map(|(status, attempts)| {
        (status.map_or_else(|| "none".to_owned(), |status| status.to_string()), attempts)
    });
    StatisticsView {
        since: Time(asked.since),
        until: Time(asked.until),
        deliveries: found.deliveries,
        attempts: found.attempts,
        outcomes: found.outcomes.into_iter().collect(),
        statuses: statuses.collect(),
        latency_seconds: found.latency.map(percentiles),
        delivered_after_seconds: found.delivered_after.map(percentiles),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::log_entry;

    fn entry(at: Micros, outcome: &str) -> Arc<WebhookDelivery> {
        Arc::new(log_entry("whk_1", at, outcome))
    }

    fn page(query: &str) -> LogPage {
        LogPage::parse(query, "whk_1").map_err(|_| query.to_owned()).unwrap()
    }

    fn ids(answer: &Value) -> Vec<&str> {
        let entries = answer["deliveries"].as_array().unwrap();
        entries.iter().map(|entry| entry["webhook_id"].as_str().unwrap()).collect()
    }

    /// Memory has the newest, the server all but the newest: together they are all, each once, whatever the pages' size is.
    #[test]
    fn pages_of_two_sources_that_overlap_have_each_entry_once() {
        let all: Vec<_> =
            (0..20).map(|at| entry(at, if at % 3 == 0 { "failed" } else { "delivered" })).collect();
        for (filter, expected) in
            [("", 20), ("outcome=failed&", 7), ("since=1970-01-01T00:00:00.000004Z&", 16)]
        {
            for limit in 1..=21 {
                let (mut cursor, mut seen) = (String::new(), Vec::new());
                loop {
                    let page = page(&format!("{filter}limit={limit}{cursor}"));
                    let answer = page.fill(all[8..].iter().chain(&all[..14]).cloned(), |entry| entry.next_at);
                    seen.extend(ids(&answer).into_iter().map(str::to_owned));
                    let Some(next) = answer["next_cursor"].as_str() else { break };
                    cursor = format!("&cursor={next}");
                }
                let mut sorted = seen.clone();
                sorted.sort_by_key(|id| std::cmp::Reverse(id["msg_".len()..].parse::<i64>().unwrap()));
                sorted.dedup();
                assert!(seen == sorted && seen.len() == expected, "{filter} {limit}: {seen:?}");
            }
        }
    }

    #[test]
    fn the_next_attempt_is_what_the_circuit_lets_happen() {
        use arb_schemas::time::SECOND;
        let planned = Some(9 * SECOND);
        let failed =
            Arc::new(WebhookDelivery { next_at: planned, ..log_entry("whk_1", 8 * SECOND, "failed") });
        let circuit = |failures, closed_at| WebhookCircuit {
            endpoint: "whk_1".into(),
            failures,
            failed_at: 8 * SECOND,
            closed_at,
            waiting: 3,
        };
        for (found, next) in [
            (None, planned),
            (Some(circuit(4, None)), planned),
            (Some(circuit(5, None)), Some(13 * SECOND)),
            (Some(circuit(0, Some(8 * SECOND + 1))), Some(8 * SECOND + 1)),
            (Some(circuit(0, Some(7 * SECOND))), planned),
            (Some(circuit(0, None)), planned),
            (Some(circuit(5, Some(8 * SECOND + 1))), Some(13 * SECOND)),
        ] {
            assert_eq!(next_attempt(&failed, found.as_ref()), next, "{found:?}");
        }
        let shown = |found| circuit_view(Some(&found));
        let open = json!({"failures": 5, "open_until": Time(13 * SECOND), "waiting": 3});
        assert_eq!(json!(shown(circuit(5, None))), open);
        let closed = json!({"failures": 0, "open_until": null, "waiting": 0});
        assert_eq!(json!([circuit_view(None), shown(circuit(0, Some(1)))]), json!([closed, closed]));
        // Of two attempts of one delivery the first is history.
        let again =
            Arc::new(WebhookDelivery { attempt: 2, at: 8 * SECOND, ..WebhookDelivery::clone(&failed) });
        let first = Arc::new(WebhookDelivery { at: 7 * SECOND, ..WebhookDelivery::clone(&failed) });
        let page = page("").fill([again, first], |entry| next_attempt(entry, Some(&circuit(5, None))));
        let next = |at: usize| page["deliveries"][at]["next_attempt_at"].clone();
        assert_eq!((next(0), next(1)), (json!(Time(13 * SECOND)), json!(Time(9 * SECOND))));
    }

    #[test]
    fn a_cursor_keeps_its_filter_and_belongs_to_its_endpoint() {
        let all = [entry(1, "failed"), entry(2, "failed"), entry(3, "delivered")];
        let answer = page("outcome=failed&limit=1").fill(all.clone(), |entry| entry.next_at);
        let next = answer["next_cursor"].as_str().unwrap();
        assert_eq!(ids(&page(&format!("cursor={next}")).fill(all, |entry| entry.next_at)), ["msg_1"]);
        let is_refused = |query: &str, endpoint: &str| {
            LogPage::parse(query, endpoint).is_err_and(|problem| problem.is_refusal())
        };
        assert!(is_refused(&format!("cursor={next}"), "whk_2"));
        assert!(is_refused(&format!("outcome=gone&cursor={next}"), "whk_1"));
        for query in ["outcome=lost", "limit=0", "limit=201", "since=today", "cursor=x", "type=", "page=2"] {
            assert!(is_refused(query, "whk_1"), "{query}");
        }
    }
}
