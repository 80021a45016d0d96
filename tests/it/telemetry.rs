//! Running roles report exactly the metrics of the list, with their help; no text from the input or a caller
//! is in them, and their number does not grow.

use std::collections::BTreeSet;
use std::net::TcpListener;

use arb_kafka::TickProducer;
use arb_runtime::telemetry::{Kind, Metric, Role as Reporter, list};
use serde_json::Value;

use crate::support::metrics::{Admin, Page, Sample};
use crate::support::program::{Role, arb, run};
use crate::support::promtool::promtool;
use crate::support::serve::{Key, Serve};
use crate::support::stack::{Broker, Stack};
use crate::support::{recordings, wait_for};

/// The metric that a sample is of.
fn metric(name: &str) -> Option<&'static Metric> {
    let is = |metric: &&Metric| match metric.kind {
        Kind::Histogram(_) => ["_bucket", "_sum", "_count"]
            .iter()
            .any(|end| name.strip_suffix(end).is_some_and(|name| name == metric.name)),
        Kind::Counter | Kind::Gauge => name == metric.name,
    };
    list::ALL.iter().find(is)
}

fn assert_is_listed(sample: &Sample, role: Reporter) {
    let metric = metric(&sample.name).unwrap_or_else(|| panic!("{} is not in the list", sample.name));
    assert!(metric.is_of(role), "{} is not reported by {role:?}", sample.name);
    let labels: BTreeSet<_> =
        sample.labels.keys().map(String::as_str).filter(|label| *label != "le").collect();
    assert_eq!(labels, metric.labels.iter().copied().collect(), "{}", sample.name);
}

/// Whether a page has every metric of a role that does not come with an event of its own: some are known only once they have been
/// looked up.
fn is_complete(page: &Page, role: Reporter) -> bool {
    let mut of_role = list::ALL.iter().filter(|metric| metric.is_of(role));
    of_role.all(|metric| metric.is_rare || page.types.contains_key(metric.name))
}

/// A page is the list's, as far as it is this role's.
fn assert_is_whole(page: &Page, role: Reporter) {
    page.samples.iter().for_each(|sample| assert_is_listed(sample, role));
    for metric in list::ALL.iter().filter(|metric| metric.is_of(role)) {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        match page.types.get(metric.name) {
            Some(output) => {
                assert_eq!((output.as_str(), page.helps[metric.name].as_str()), (kind, metric.help));
            }
            None => assert!(metric.is_rare, "{role:?} does not report {}", metric.name),
        }
    }
    promtool(&["check", "metrics"], &page.text);
}

/// Every counter of a page is at least what it was before.
fn assert_grew(before: &Page, after: &Page) {
    for sample in &before.samples {
        let Some(Kind::Counter) = metric(&sample.name).map(|metric| metric.kind) else { continue };
        let now = after.samples.iter().find(|now| now.name == sample.name && now.labels == sample.labels);
        assert!(now.is_some_and(|now| now.value >= sample.value), "{sample:?} became {now:?}");
    }
}

/// What no page may hold: names that the input chose, and the key.
fn assert_holds_none_of(page: &Page, board: &Value, key: &str) {
    let arbs = board["arbs"].as_array().unwrap();
    assert!(!arbs.is_empty());
    let mut words = vec![key.to_owned()];
    for arb in arbs {
        words.extend(
            [&arb["id"], &arb["event"]["id"], &arb["event"]["home"]]
                .map(|word| word.as_str().unwrap().to_owned()),
        );
        words.extend(
            arb["legs"]
                .as_array()
                .unwrap()
                .iter()
                .map(|leg| format!("\"{}\"", leg["book"].as_str().unwrap())),
        );
    }
    for word in words {
        assert!(!page.text.contains(&word), "{word} is on the page");
    }
}

#[test]
fn roles_tell_the_list_and_nothing_else() {
    let stack = Stack::start("board");
    let log = stack.broker.path("ingest.log");
    let _ingest = Role::start("ingest", &[stack.broker.kafka.at(), stack.broker.kafka.named()], &log);
    let tellers = [(Reporter::Ingest, "ingest"), (Reporter::Process, "process"), (Reporter::Serve, "serve")];
    let admins = tellers.map(|(role, name)| (role, Admin::of(&stack.broker.path(&format!("{name}.log")))));
    let board = wait_for("an arb", || {
        Some(stack.get("/v1/arbs?limit=500").json()).filter(|board| board["arbs"][0].is_object())
    });
    // What each has done by then.
    let done = ["arb_ingest_polls_total", "arb_process_ticks_total", "arb_serve_feed_events_total"];
    for ((role, admin), counter) in admins.iter().zip(done) {
        let page = admin
            .page_when("it reports all", |page| page.sum(counter, &[]) > 0.0 && is_complete(page, *role));
        assert_is_whole(&page, *role);
        assert_holds_none_of(&page, &board, &stack.key);
        assert!(page.sum("arb_build_info", &[("role", role.key())]) > 0.0);
        let later = admin.page_when("it moves on", |later| later.sum(counter, &[]) > page.sum(counter, &[]));
        assert_grew(&page, &later);
        assert_eq!(admin.get("/livez").status, 200);
        // A processor is ready when it has come on in each of its partitions.
        wait_for("it is ready", || (admin.get("/readyz").status == 200).then_some(()));
        assert_eq!(admin.get("/").status, 404);
    }
}

/// Publishes a recording, with so many polls from a seed.
fn publish(broker: &Broker, seed: u64, polls: u64) {
    broker.ingest(&recordings::simulated(broker.scratch.path(), seed, polls), &[]);
}

#[test]
fn the_lag_of_a_pump_that_hangs_is_seen_to_grow() {
    let broker = Broker::start();
    let log = broker.path("process.log");
    let stalled =
        ["--stall-at", "process:50", "--watchdog-ms", "600000", broker.kafka.at(), broker.kafka.named()];
    let mut process = Role::start("process", &stalled, &log);
    let admin = Admin::of(&log);
    publish(&broker, 61, 10);
    let lag = |page: &Page| page.sum("arb_pump_lag_records", &[]);
    let hangs = admin.page_when("it hangs with records to read", |page| {
        lag(page) > 0.0 && page.sum("arb_pump_age_seconds", &[]) > 1.0
    });
    publish(&broker, 62, 10);
    admin.page_when("more wait", |page| lag(page) > lag(&hangs));
    assert_eq!(admin.get("/livez").status, 200, "the watchdog has not given it up");
    process.kill();
    // A new owner has nothing left to read in the end, and reports how it was restored.
    let again = broker.path("again.log");
    let _process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &again);
    let done = Admin::of(&again).page_when("all is processed", |page| {
        lag(page) < 0.5
            && page.sum("arb_pump_partitions", &[]) > 3.0
            && page.sum("arb_process_quotes", &[]) > 0.0
            // What was restored has quotes, too, before anything has been read or the ends are known.
            && page.sum("arb_process_records_total", &[]) > 0.0
            // The recording is old.
            && page.sum("arb_pump_event_time_lag_seconds", &[]) > 0.0
            // A commit is reported by one of them after the other.
            && is_each_record_counted(page)
    });
    assert!(done.sum("arb_pump_restore_seconds_count", &[]) > 3.0);
}

/// Whether a processor counts as many records that it read as it judged, and as its transactions took in.
fn is_each_record_counted(page: &Page) -> bool {
    let counts =
        ["arb_process_records_total", "arb_process_judged_total", "arb_pump_transaction_records_sum"];
    let [read, judged, taken_in] = counts.map(|name| page.sum(name, &[]));
    (read - judged).abs() < 0.5 && (read - taken_in).abs() < 0.5
}

#[test]
fn a_stuck_pump_is_told_before_the_watchdog_ends_it() {
    let broker = Broker::start();
    let log = broker.path("process.log");
    // It is told after the half of that, and must be seen before the end.
    let stalled = ["--stall-at", "poll:3", "--watchdog-ms", "40000", broker.kafka.at(), broker.kafka.named()];
    let mut process = Role::start("process", &stalled, &log);
    let admin = Admin::of(&log);
    wait_for("it is stuck", || (admin.try_get("/livez")?.status == 503).then_some(()));
    wait_for("the watchdog ends it", || process.died().then_some(()));
}

#[test]
fn text_of_callers_adds_no_series() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let serve = Serve::start(&broker, &key, "serve", &[]);
    let admin = Admin::of(&broker.path("serve.log"));
    let before = admin.page_when("it reports all", |page| is_complete(page, Reporter::Serve));
    let streams: Vec<_> = (0..3).map(|_| serve.stream("", None)).collect();
    for n in 0..50 {
        serve.ask(
            "GET",
            &format!("/v1/nothing/{n}?key={}", key.text),
            &[("x-api-key", &format!("no-key-{n}"))],
        );
        serve.ask("DELETE", &format!("/problems/{n}"), &[]);
        serve.get(&format!("/v1/arbs?limit={}", n + 1));
    }
    let counted = |page: &Page, (route, status, _): &(&str, &str, f64)| {
        let labels = [("route", *route), ("status", *status)];
        let sum = |page: &Page| page.sum("arb_serve_requests_total", &labels);
        sum(page) - sum(&before)
    };
    let expected = [
        ("other", "4xx", 50.0),
        ("/problems/{name}", "4xx", 50.0),
        ("/v1/arbs", "2xx", 50.0),
        ("/v1/stream", "2xx", 3.0),
    ];
    let after = admin.page_when("all requests are counted", |page| {
        expected.iter().all(|one| counted(page, one) > one.2 - 0.5)
    });
    assert_eq!(after.series(), before.series());
    for text in ["no-key-", "/v1/nothing", &key.text] {
        assert!(!after.text.contains(text), "{text} is on the page");
    }
    for one in expected {
        let grew = counted(&after, &one);
        assert!((grew - one.2).abs() < 0.5, "{one:?}: {grew}");
    }
    assert!((after.sum("arb_serve_streams", &[]) - 3.0).abs() < 0.5);
    drop(streams);
    let gone = [("reason", "gone")];
    let ended = admin.page_when("the streams have ended", |page| {
        page.sum("arb_serve_stream_ends_total", &gone) > 2.5
            && page.sum("arb_serve_streams", &[]) < 0.5
            && page.sum("arb_serve_stream_bytes_total", &[]) > 0.0
    });
    assert_grew(&after, &ended);
}

#[test]
fn input_faults_are_reported_by_kind_and_never_by_name() {
    let broker = Broker::start();
    let log = broker.path("process.log");
    let _process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &log);
    let producer = TickProducer::new(&broker.kafka.cluster()).unwrap();
    for n in 0..20 {
        producer.send(n % 4, &format!("hostile-{n}"), format!("hostile-{n}").as_bytes()).unwrap();
    }
    producer.flush().unwrap();
    let reason = [("reason", "unreadable")];
    // A commit is reported by one of them after the other.
    let read = |page: &Page| page.sum("arb_process_records_total", &[("kind", "unreadable")]);
    let page = Admin::of(&log).page_when("all are put aside", |page| {
        page.sum("arb_pump_dead_letters_total", &reason) > 19.5
            && read(page) > 19.5
            && is_complete(page, Reporter::Process)
    });
    assert!((read(&page) - 20.0).abs() < 0.5);
    assert!(!page.text.contains("hostile"));
    assert_is_whole(&page, Reporter::Process);
}

#[test]
fn a_lost_broker_is_reported() {
    let broker = Broker::own();
    let log = broker.path("process.log");
    let mut process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &log);
    let admin = Admin::of(&log);
    admin.page_when("it has partitions", |page| {
        page.sum("arb_pump_partitions", &[]) > 3.5 && is_complete(page, Reporter::Process)
    });
    drop(broker);
    let page = admin.page_when("it is reported", |page| page.sum("arb_kafka_errors_total", &[]) > 0.5);
    assert_is_whole(&page, Reporter::Process);
    process.kill();
}

#[test]
fn a_port_in_use_is_named_and_none_is_possible() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = run(arb().args(["process", "--admin-listen", &address, "--brokers", "127.0.0.1:1"]));
    assert!(!output.success, "{}", output.err);
    let sentence = format!(
        "arb: {address} cannot be listened on for metrics: choose another with --admin-listen, or off"
    );
    assert!(output.err.contains(&sentence), "{}", output.err);
    let output = run(arb().args(["process", "--admin-listen", "off", "--brokers", "127.0.0.1:1"]));
    assert!(
        !output.err.contains("serving metrics") && output.err.contains("Kafka at 127.0.0.1:1"),
        "{}",
        output.err
    );
}

#[test]
fn every_line_of_the_log_names_its_role() {
    for format in ["text", "json"] {
        let mut command = arb();
        command
            .args(["ingest", "--log-format", format, "--brokers", "127.0.0.1:1"])
            .env("RUST_LOG", "arb=info,=x");
        let output = run(&mut command);
        let lines: Vec<_> = output.err.lines().filter(|line| !line.starts_with("arb: ")).collect();
        assert!(lines.len() > 1 && output.err.contains("RUST_LOG is not understood"), "{}", output.err);
        for line in lines.into_iter().filter(|line| !line.starts_with('%')) {
            match format {
                "text" => assert!(line.starts_with("ingest  "), "{line}"),
                _ => assert_eq!(serde_json::from_str::<Value>(line).unwrap()["role"], "ingest"),
            }
        }
    }
}
