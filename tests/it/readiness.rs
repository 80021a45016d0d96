//! `/readyz` of roles that run without progress: a processor that is stuck or crashes repeatedly, a
//! ClickHouse or a Kafka that is frozen, a partition that an open transaction holds back.

use std::path::Path;

use arb_schemas::topics::FEED_EVENTS;

use crate::kafka::Open;
use crate::support::metrics::Admin;
use crate::support::program::Role;
use crate::support::sinks::Ground;
use crate::support::stack::Broker;
use crate::support::{recordings, wait_for};

fn wait_until(admin: &Admin, what: &str, status: u16) {
    wait_for(what, || (admin.try_get("/readyz")?.status == status).then_some(()));
}

fn publish(broker: &Broker, seed: u64) {
    broker.ingest(&recordings::simulated(broker.scratch.path(), seed, 10), &[]);
}

fn log(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_processor_that_is_stuck_or_dies_again_and_again_is_not_ready() {
    let broker = Broker::start();
    let path = broker.path("stuck.log");
    // The watchdog would end it after ten minutes, and report it after five.
    let stuck =
        [broker.kafka.at(), broker.kafka.named(), "--stall-at", "process:50", "--watchdog-ms", "600000"];
    let mut process = Role::start("process", &stuck, &path);
    let admin = Admin::of(&path);
    wait_until(&admin, "there is nothing to do: it is ready", 200);
    publish(&broker, 71);
    let sentence = "the position of odds.ticks.v1 partition";
    wait_for("it is stuck with input", || log(&path).contains(sentence).then_some(()));
    wait_until(&admin, "it is stuck with input", 503);
    assert_eq!(admin.get("/livez").status, 200);
    process.kill();
    for life in 0..3 {
        let path = broker.path(&format!("life-{life}.log"));
        let dies = [broker.kafka.at(), broker.kafka.named(), "--kill-at", "offsets:1"];
        let mut process = Role::start("process", &dies, &path);
        let admin = Admin::of(&path);
        wait_for("it dies", || {
            let is_ready = admin.try_get("/readyz").is_some_and(|answer| answer.status == 200);
            // When it has died its port may be another test's.
            let has_died = process.died();
            assert!(has_died || !is_ready, "life {life}: {}", log(&path));
            has_died.then_some(())
        });
    }
    let path = broker.path("well.log");
    let _well = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &path);
    wait_until(&Admin::of(&path), "one that works is ready", 200);
}

#[test]
fn an_open_transaction_that_holds_the_feed_back_makes_its_writer_not_ready() {
    let broker = Broker::start();
    let path = broker.path("process.log");
    let _process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &path);
    let admin = Admin::of(&path);
    publish(&broker, 72);
    wait_until(&admin, "it is ready", 200);
    let open = Open::on(&broker.kafka, FEED_EVENTS.name);
    // A partition that is taken over later than the others makes it not ready for a moment too.
    let sentence = "the last stable offset of feed.events.v1 partition 0 does not move";
    wait_for("the feed is held back", || log(&path).contains(sentence).then_some(()));
    wait_until(&admin, "its writer is not ready", 503);
    open.abort();
    wait_until(&admin, "it continues", 200);
}

/// Whether it was silent, for each time that a sink has logged that ClickHouse does not answer, or does again.
fn silences(path: &Path) -> Vec<bool> {
    let text = log(path);
    let told = text.lines().filter_map(|line| {
        let is_silent = line.contains("ClickHouse does not answer: rows wait");
        (is_silent || line.contains("ClickHouse answers again")).then_some(is_silent)
    });
    told.collect()
}

/// On a slow machine there may be more silences than the one that the test makes.
#[test]
fn a_frozen_clickhouse_is_reported_once_and_the_sink_is_not_ready_until_it_answers() {
    let ground = Ground::own_clickhouse();
    let path = ground.broker.path("sink.log");
    let _sink = ground.sink("sink.log", &[]);
    let admin = Admin::of(&path);
    wait_until(&admin, "it is ready", 200);
    ground.clickhouse.freeze();
    wait_until(&admin, "ClickHouse does not answer", 503);
    wait_for("that is reported", || (silences(&path).last() == Some(&true)).then_some(()));
    ground.clickhouse.thaw();
    wait_until(&admin, "it answers", 200);
    wait_for("that is reported", || (silences(&path).last() == Some(&false)).then_some(()));
    let told = silences(&path);
    assert!(told.iter().enumerate().all(|(at, is_silent)| *is_silent == (at % 2 == 0)), "{}", log(&path));
}

#[test]
fn ingest_is_not_ready_while_a_frozen_broker_acknowledges_nothing() {
    let broker = Broker::own();
    let path = broker.path("ingest.log");
    // The simulated market, a poll a second.
    let _ingest = Role::start("ingest", &[broker.kafka.at(), broker.kafka.named(), "--every", "1"], &path);
    let admin = Admin::of(&path);
    admin.page_when("it publishes", |page| page.sum("arb_ingest_polls_total", &[]) >= 2.0);
    wait_until(&admin, "it is ready", 200);
    broker.freeze();
    wait_until(&admin, "nothing is acknowledged", 503);
    broker.thaw();
    wait_until(&admin, "it continues", 200);
}
