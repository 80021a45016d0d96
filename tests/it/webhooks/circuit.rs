//! A receiver that fails for a while and is mended: its owner sees why nothing comes, and gets all of it within seconds of a test event.

use super::*;

#[test]
fn a_circuit_is_shown_and_a_test_event_ends_it() {
    let hooks = Hooks::start(1);
    let receiver = Receiver::start(Manner::Status(200, ""));
    let created = hooks.endpoint(&receiver, &json!({"policy": "durable", "events": ["arb_window"]}));
    let path = format!("/v1/webhooks/{}", created["id"].as_str().unwrap());
    assert_eq!(created["circuit"], json!({"failures": 0, "open_until": null, "waiting": 0}));
    receiver.set(Manner::Status(503, ""));
    hooks.play(7, 30);
    hooks.wait_until_taken_in();
    let shown = wait_for("the circuit is open", || {
        let (_, endpoint) = hooks.ask("GET", &path, None);
        (endpoint["circuit"]["failures"].as_u64()? >= 6).then(|| endpoint["circuit"].clone())
    });
    let waiting = usize::try_from(shown["waiting"].as_u64().unwrap()).unwrap();
    assert!(waiting > 5, "{shown}");
    // No attempt is promised for a time at which none is made.
    let (circuit, log) = wait_for("the log is as the circuit", || {
        let circuit = hooks.ask("GET", &path, None).1["circuit"].clone();
        let log = hooks.ask("GET", &format!("{path}/deliveries?outcome=failed"), None).1;
        (hooks.ask("GET", &path, None).1["circuit"] == circuit).then_some((circuit, log))
    });
    let mut newest = BTreeMap::new();
    for entry in log["deliveries"].as_array().unwrap().iter().rev() {
        newest.insert(entry["webhook_id"].to_string(), entry.clone());
    }
    for entry in newest.values() {
        let (next, until) = (&entry["next_attempt_at"], &circuit["open_until"]);
        assert!(next.as_str() >= until.as_str(), "{entry} is not before {circuit}");
    }
    receiver.set(Manner::Status(200, ""));
    let before = receiver.posted().len();
    let (status, answer) = hooks.ask("POST", &format!("{path}/test"), Some(&json!({})));
    assert_eq!(status, 202, "{answer}");
    wait_for("all that waited comes, and the circuit is closed", || {
        let posted = receiver.posted();
        let (_, endpoint) = hooks.ask("GET", &path, None);
        let is_closed = endpoint["circuit"] == json!({"failures": 0, "open_until": null, "waiting": 0});
        (is_closed && posted.len() >= before + 1 + waiting).then_some(())
    });
    let posted = receiver.posted().split_off(before);
    let kinds: Vec<_> = posted.iter().map(|one| one.json()["type"].as_str().unwrap().to_owned()).collect();
    assert!(kinds.contains(&"endpoint.test".to_owned()), "{kinds:?}");
    // By the schedule of `durable` alone what failed twice comes 4 minutes later at the earliest.
    let came = |one: Option<&Posted>| one.unwrap().at - posted[0].at;
    println!("{} events, the last one {:?} after the test event", posted.len(), came(posted.last()));
    assert!(came(posted.last()) < Duration::from_mins(4));
}
