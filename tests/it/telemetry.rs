//! Roles that run tell exactly the metrics of the list, with what they mean; nothing of what the input or a caller chooses
//! is in them, and they do not become more.

use std::collections::BTreeSet;

use arb_pipeline::telemetry::{Kind, Metric, Role as Teller, list};
use serde_json::Value;

use crate::support::metrics::{Admin, Page, Sample};
use crate::support::program::Role;
use crate::support::promtool::promtool;
use crate::support::stack::Stack;
use crate::support::wait_for;

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

fn assert_is_listed(sample: &Sample, role: Teller) {
    let metric = metric(&sample.name).unwrap_or_else(|| panic!("{} is not in the list", sample.name));
    assert!([Teller::Every, role].contains(&metric.role), "{} is not told by {role:?}", sample.name);
    let labels: BTreeSet<_> =
        sample.labels.keys().map(String::as_str).filter(|label| *label != "le").collect();
    assert_eq!(labels, metric.labels.iter().copied().collect(), "{}", sample.name);
}

/// A page is the list's, as far as it is this role's.
fn assert_is_whole(page: &Page, role: Teller) {
    page.samples.iter().for_each(|sample| assert_is_listed(sample, role));
    for metric in list::ALL.iter().filter(|metric| [Teller::Every, role].contains(&metric.role)) {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) => "histogram",
        };
        match page.types.get(metric.name) {
            Some(said) => assert_eq!((said.as_str(), page.helps[metric.name].as_str()), (kind, metric.help)),
            None => assert!(metric.is_rare, "{role:?} does not tell {}", metric.name),
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
    let _ingest = Role::start("ingest", &["--brokers", &stack.broker.brokers], &log);
    let tellers = [(Teller::Ingest, "ingest"), (Teller::Process, "process"), (Teller::Serve, "serve")];
    let admins = tellers.map(|(role, name)| (role, Admin::of(&stack.broker.path(&format!("{name}.log")))));
    let board = wait_for("an arb", || {
        Some(stack.get("/v1/arbs?limit=500").json()).filter(|board| board["arbs"][0].is_object())
    });
    // What each has done by then, and what is known only once it has been looked at and the ends have been asked for.
    let done = ["arb_ingest_polls_total", "arb_process_ticks_total", "arb_serve_feed_events_total"];
    let known =
        ["arb_ingest_event_time_lag_seconds", "arb_process_lag_records", "arb_serve_feed_lag_records"];
    for (((role, admin), counter), known) in admins.iter().zip(done).zip(known) {
        let page = admin.page_when("it has been looked at", |page| {
            page.sum(counter, &[]) > 0.0 && page.types.contains_key(known)
        });
        assert_is_whole(&page, *role);
        assert_holds_none_of(&page, &board, &stack.key);
        assert!(page.sum("arb_build_info", &[("role", role.key())]) > 0.0);
        let later = admin.page_when("it moves on", |later| later.sum(counter, &[]) > page.sum(counter, &[]));
        assert_grew(&page, &later);
        assert_eq!((admin.get("/livez").status, admin.get("/readyz").status), (200, 200));
        assert_eq!(admin.get("/").status, 404);
    }
}
