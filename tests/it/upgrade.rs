//! `arb upgrade check` beside a role that runs, and what answers as an instance of another version does.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::support::metrics::Admin;
use crate::support::ports::port;
use crate::support::program::{Role, RunOutput, arb, run};
use crate::support::stack::Broker;
use crate::support::wait_for;

/// The address of an instance of a version that is ready.
fn instance(role: &'static str, version: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let read = stream.read(&mut [0; 1024]).unwrap();
            assert_ne!(read, 0);
            let text = format!("arb_build_info{{version=\"{version}\",role=\"{role}\"}} 1\n");
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", text.len());
            stream.write_all((head + &text).as_bytes()).unwrap();
        }
    });
    address
}

fn check(broker: &Broker, instances: &[&str]) -> RunOutput {
    let at = [broker.kafka.at(), broker.kafka.named()];
    run(arb().args(["upgrade", "check"]).args(instances).args(at))
}

/// What runs in no part of this test.
const WITHOUT: &str = "--without=sink,serve,accounts,deliver,settle,bots,ingest";

#[test]
fn it_says_which_role_is_next_and_why_not_yet() {
    let without_topics = Broker::bare();
    let refused = check(&without_topics, &["127.0.0.1:1"]);
    assert!(!refused.success && refused.err.contains("does not exist"), "{}", refused.err);

    let broker = Broker::start();
    let log = broker.path("process.log");
    let _process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &log);
    let admin = Admin::of(&log);
    wait_for("it is ready", || (admin.try_get("/readyz")?.status == 200).then_some(()));
    let (process, version) = (admin.address(), env!("CARGO_PKG_VERSION"));
    let done = check(&broker, &[process, WITHOUT]);
    assert!(done.success && done.out.ends_with(&format!("all of these run {version}\n")), "{}", done.err);
    let unknown = check(&broker, &[process]);
    let said = "not yet: all of these run";
    assert!(!unknown.success && unknown.err.contains(said), "{}", unknown.err);
    assert!(unknown.err.contains("nothing is known of sink, serve, accounts"), "{}", unknown.err);
    let other = check(&broker, &[process, "--without=sinks"]);
    assert!(
        !other.success && other.err.contains("--without sinks: the roles are sink, serve"),
        "{}",
        other.err
    );

    let sink = instance("sink", "0.0.9");
    let next = check(&broker, &[process, &sink]);
    assert!(
        next.success && next.out.contains(&format!("next to {version}, of these: sink at {sink}: ")),
        "{}",
        next.err
    );
    assert!(next.out.contains(&format!("process at {process} run {version} already")), "{}", next.out);

    let newer = check(&broker, &[process, &instance("serve", "99.0.0")]);
    assert!(!newer.success && newer.err.contains("not yet: serve at"), "{}", newer.err);
    let gone = format!("127.0.0.1:{}", port());
    let away = check(&broker, &[process, &gone]);
    assert!(!away.success && away.err.contains(&format!("not yet: {gone} does not answer")), "{}", away.err);
}
