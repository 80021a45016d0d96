//! The delivery log beyond what an instance of the API holds in memory: pages, filters and statistics from a real ClickHouse.

use arb_schemas::records::WebhookDelivery;
use arb_schemas::topics::WEBHOOK_DELIVERIES;
use arb_schemas::wire::{RecordType, decode};

use super::*;
use crate::kafka::Record;
use crate::support::clickhouse::ClickHouse;

/// The log of an endpoint in the order of pages, as the topic has it.
fn logged(hooks: &Hooks, endpoint: &str) -> Vec<WebhookDelivery> {
    let records = crate::kafka::read_all(&hooks.broker.kafka, WEBHOOK_DELIVERIES.name);
    let is_entry = |record: &&Record| RecordType::of(&record.value).unwrap() == RecordType::WebhookDelivery;
    let entries = records.iter().filter(is_entry);
    let entries = entries.map(|record| decode::<WebhookDelivery>(&record.value).unwrap());
    let mut entries: Vec<_> = entries.filter(|entry| entry.endpoint == endpoint).collect();
    let place = |it: &WebhookDelivery| (it.at, it.delivery.clone(), it.attempt, it.outcome.clone());
    entries.sort_by_key(|entry| std::cmp::Reverse(place(entry)));
    entries
}

/// All pages of a list: ids, attempts and outcomes of its entries.
fn pages(hooks: &Hooks, path: &str, limit: usize) -> Vec<(String, i64, String)> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let (status, page) = hooks.ask("GET", &format!("{path}&limit={limit}{cursor}"), None);
        assert_eq!(status, 200, "{page}");
        let entries = page["deliveries"].as_array().unwrap();
        assert!(entries.len() <= limit && (found.is_empty() || !entries.is_empty()));
        found.extend(entries.iter().map(|entry| {
            let text = |field: &str| entry[field].as_str().unwrap().to_owned();
            (text("webhook_id"), entry["attempt"].as_i64().unwrap(), text("outcome"))
        }));
        let Some(next) = page["next_cursor"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

#[test]
fn the_whole_delivery_log_is_paged_filtered_and_counted() {
    let mut clickhouse = ClickHouse::own();
    clickhouse.migrate();
    let (history, to) = (clickhouse.history(), clickhouse.writer(&clickhouse.url));
    let hooks = Hooks::start_with(1, &history.each_ref().map(String::as_str));
    let kafka = [hooks.broker.kafka.at(), hooks.broker.kafka.named(), "--batch-interval-ms", "50"];
    let sink = [&kafka[..], &to.each_ref().map(String::as_str)].concat();
    let _sink = Role::start("sink", &sink, &hooks.broker.path("sink.log"));
    let receiver = Receiver::start(Manner::Status(503, "busy"));
    let created = hooks.endpoint(&receiver, &json!({"policy": "durable"}));
    let endpoint = created["id"].as_str().unwrap();
    std::thread::scope(|scope| {
        // At once: what fails twice is sent again after five minutes.
        scope.spawn(|| {
            wait_for_requests(&receiver, 4);
            receiver.set(Manner::Status(200, ""));
        });
        hooks.play(11, 10);
    });
    let events = hooks.wait_until_taken_in();
    assert!(events > 250, "{events} events are too few for pages");
    let log = wait_for("all was delivered", || {
        let log = logged(&hooks, endpoint);
        let delivered = log.iter().filter(|entry| entry.outcome == "delivered").count();
        (delivered >= events).then_some(log)
    });
    let path = format!("/v1/webhooks/{endpoint}");
    let statistics = wait_for("all is stored", || {
        let (status, found) = hooks.ask("GET", &format!("{path}/statistics"), None);
        assert_eq!(status, 200, "{found}");
        (found["attempts"] == json!(log.len())).then_some(found)
    });
    let entries = |outcome: &str| {
        let is_wanted = |entry: &&WebhookDelivery| outcome.is_empty() || entry.outcome == outcome;
        log.iter().filter(is_wanted).collect::<Vec<_>>()
    };
    for outcome in ["", "failed", "delivered"] {
        let expected: Vec<_> = entries(outcome)
            .iter()
            .map(|entry| (entry.delivery.clone(), entry.attempt, entry.outcome.clone()))
            .collect();
        let filter = if outcome.is_empty() { String::new() } else { format!("outcome={outcome}") };
        assert_eq!(pages(&hooks, &format!("{path}/deliveries?{filter}"), 70), expected, "{outcome}");
    }
    let (failed, delivered) = (entries("failed").len(), entries("delivered").len());
    println!("{events} events, {} entries, {failed} failed; {statistics}", log.len());
    assert_eq!(statistics["outcomes"], json!({"delivered": delivered, "failed": failed}));
    assert_eq!(statistics["statuses"], json!({"200": delivered, "503": failed}));
    assert_eq!(statistics["deliveries"], json!(events));
    assert!(statistics["delivered_after_seconds"]["p50"].as_f64() > Some(0.0));
    let one = &log[log.len() - 1].delivery;
    let of_one = pages(&hooks, &format!("{path}/deliveries?webhook_id={one}"), 1);
    assert!(of_one.len() > 1 && of_one.iter().all(|(id, ..)| id == one), "{of_one:?}");

    clickhouse.kill();
    let answer = |path: String| hooks.ask("GET", &path, None).0;
    assert_eq!(answer(format!("{path}/deliveries")), 503);
    assert_eq!(answer(format!("{path}/statistics")), 503);
    clickhouse.restart();
    wait_for("the history is there again", || (answer(format!("{path}/deliveries")) == 200).then_some(()));
}
