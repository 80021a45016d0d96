//! Edge signals against a real Kafka: the list by its filters on both surfaces, and the stream's snapshots and events.

use arb_model::Time;
use arb_schemas::records::SignalChange;
use serde_json::{Value, json};

use crate::support::feed::{Writer, signal};
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::wait_for;

fn ids(list: &Value) -> Vec<&str> {
    list["signals"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

/// Four signals that differ in all that can be asked for; the later the letter, the later it opened.
fn four() -> Vec<SignalChange> {
    let mut four: Vec<_> = (1..)
        .zip(["a", "b", "c", "d"])
        .zip(["soccer_a", "soccer_b", "tennis_a", "soccer_a"])
        .map(|((sequence, id), league)| signal(id, league, sequence, "opened"))
        .collect();
    for (minute, transition) in (1..).zip(&mut four) {
        transition.signal.opened_at = Time(minute * 60_000_000);
    }
    (four[1].signal.kind, four[1].signal.strength) = ("steam".into(), 0.01);
    (four[2].signal.kind, four[2].signal.confidence) = ("odds_drop".into(), 0.5);
    four[3].signal.in_play = true;
    four[3].signal.market = "h2h".into();
    four[3].signal.bets[0].book = "gamma".into();
    four[3].signal.event.id = "other".into();
    four
}

#[test]
fn both_surfaces_list_what_is_open_by_every_filter() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    four().iter().zip(0..).for_each(|(transition, partition)| writer.write_signal(partition, transition));
    let serve = Serve::start(&broker, &key, "serve", &[]);
    for base in ["/v1/signals", "/api/v1/signals"] {
        for (query, expected) in [
            ("", &["d", "c", "b", "a"][..]),
            ("sport=soccer", &["d", "b", "a"]),
            ("sport=soccer_a", &["d", "a"]),
            ("kind=steam,odds_drop", &["c", "b"]),
            ("market=h2h", &["d"]),
            ("book=alpha", &["c", "b", "a"]),
            ("book=pinnacle", &[]),
            ("event_id=other", &["d"]),
            ("min_strength=0.02", &["d", "c", "a"]),
            ("min_confidence=0.9", &["d", "b", "a"]),
            ("in_play=false&kind=value", &["a"]),
        ] {
            let answer = serve.get(&format!("{base}?{query}"));
            assert_eq!((answer.status, &*ids(&answer.json())), (200, expected), "{base}?{query}");
        }
        for (query, name) in [
            ("rank=1", "rank"),
            ("kind=arb", "kind"),
            ("market=moneyline", "market"),
            ("in_play=1", "in_play"),
            ("min_confidence=2", "min_confidence"),
            ("limit=501", "limit"),
        ] {
            let refused = serve.get(&format!("{base}?{query}"));
            assert_eq!((refused.status, &refused.json()["invalid_params"][0]["name"]), (400, &json!(name)));
        }
        let page = serve.get(&format!("{base}?sport=soccer&limit=2")).json();
        let cursor = page["next_cursor"].as_str().unwrap();
        let next = serve.get(&format!("{base}?sport=soccer&limit=2&cursor={cursor}")).json();
        assert_eq!((ids(&page), ids(&next)), (vec!["d", "b"], vec!["a"]));
        assert_eq!(next["next_cursor"], Value::Null);
        assert_eq!(serve.get(&format!("{base}?limit=2&cursor={cursor}")).status, 400, "of another filter");
    }
    assert_eq!(serve.get(&format!("/v1/arbs?cursor={}", cursor_of(&serve))).status, 400, "of another list");
    let head = serve.ask("HEAD", "/api/v1/signals", &[("x-api-key", &key.text)]);
    assert_eq!((head.status, &*head.body, head.header("x-plan")), (200, "", "enterprise"));
    a_closed_signal_is_removed(&serve, &writer);
}

fn cursor_of(serve: &Serve) -> String {
    serve.get("/v1/signals?limit=1").json()["next_cursor"].as_str().unwrap().to_owned()
}

/// Mere times go to the list alone; a tombstone takes a signal from it.
fn a_closed_signal_is_removed(serve: &Serve, writer: &Writer) {
    let mut refreshed = four().remove(0);
    (refreshed.change, refreshed.signal.expires_at) = ("refreshed".into(), Time(600_000_000));
    writer.begin_signal(0, &refreshed);
    writer.commit();
    wait_for("the newer time is there", || {
        let list = serve.get("/v1/signals?sport=soccer_a&kind=value&book=alpha").json();
        (list["signals"][0]["expires_at"] == "1970-01-01T00:10:00Z").then_some(())
    });
    writer.write_signal(3, &SignalChange { change: "faded".into(), ..four().remove(3) });
    wait_for("it is gone", || (ids(&serve.get("/v1/signals").json()) == ["c", "b", "a"]).then_some(()));
}

#[test]
fn a_stream_begins_with_what_is_open_and_goes_on_with_what_changes() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    let [a, b] = ["a", "b"].map(|id| signal(id, "soccer_a", 1, "opened"));
    writer.write_signal(0, &a);
    writer.write_signal(1, &b);
    let serve = Serve::start(&broker, &key, "serve", &[]);
    let mut stream = serve.stream("event=edge_signal", None);
    let snapshot = stream.next().unwrap();
    assert_eq!(snapshot.name, "snapshot");
    assert_eq!(ids(&snapshot.json()), ["a", "b"]);
    let listed = &serve.get("/v1/signals").json()["signals"][0];
    let mut shown = snapshot.json()["signals"][0].clone();
    assert_eq!(&shown, listed, "as the list has it");

    let mut updated = SignalChange { change: "updated".into(), signal: a.signal.clone() };
    (updated.signal.sequence, updated.signal.strength) = (2, 0.05);
    writer.write_signal(0, &updated);
    let event = stream.next_event().unwrap();
    shown["change"] = json!("updated");
    (shown["sequence"], shown["strength"]) = (json!(2), json!(0.05));
    assert_eq!((&*event.name, event.json()), ("edge_signal", shown));
    let resumed = stream.last_id.clone();
    let mut closed = SignalChange { change: "withdrawn".into(), signal: b.signal };
    closed.signal.sequence = 2;
    (closed.signal.evidence, closed.signal.fair) = (vec![], vec![]);
    writer.write_signal(1, &closed);
    // The next event of the stream that continued, and of the one that resumed.
    for mut stream in [stream, serve.stream("event=edge_signal", resumed.as_deref())] {
        let event = stream.next_event().unwrap().json();
        assert_eq!(
            (&event["change"], &event["id"], &event["evidence"]),
            (&json!("withdrawn"), &json!("b"), &json!([]))
        );
    }
    wait_for("a snapshot is without it", || {
        let snapshot = serve.stream("", None).next().unwrap().json();
        (ids(&snapshot) == ["a"] && snapshot["signals"][0]["strength"] == 0.05).then_some(())
    });
    // None of another sport; and no signals for a stream of windows only.
    assert_eq!(serve.stream("sport=tennis", None).next().unwrap().json()["signals"], json!([]));
    let windows = serve.stream("event=arb_window,close_signal", None).next().unwrap().json();
    assert_eq!((windows.get("signals"), windows.get("arbs")), (None, Some(&json!([]))));
}

/// As with the board: here two transactions represent the two halves of one.
#[test]
fn a_snapshot_has_what_the_feed_said_before_the_signals_could_be_read() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let (feed, list) = (Writer::new(&broker.kafka), Writer::named(&broker.kafka, "list"));
    let opened = signal("s", "soccer_a", 1, "opened");
    list.begin_signal(0, &opened);
    feed.write(0, &[arb_schemas::wire::encode(&opened).unwrap()]);
    let mut serve = Serve::launch(&broker, &key, "serve", &["--stream-events", "1"]);
    wait_for("it waits, or is wrong", || {
        let output = std::fs::read_to_string(broker.path("serve.log")).unwrap();
        (output.contains("waiting for the end of an open transaction") || serve.is_ready()).then_some(())
    });
    list.commit();
    wait_for("it is ready", || serve.is_ready().then_some(()));
    let snapshot = serve.stream("", None).next().unwrap().json();
    assert_eq!(ids(&snapshot), ["s"], "{snapshot}");
}
