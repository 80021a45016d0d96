//! The cost of streams: a client that does not read is disconnected, and a thousand clients fit into a known
//! memory.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::feed::{Name, Writer, assert_whole, closed, name, opened, whole};
use crate::support::metrics::Admin;
use crate::support::serve::{Key, Serve};
use crate::support::sse::Sse;
use crate::support::stack::Broker;
use crate::support::wait_for;

/// Connections to a port that the system counts as established, seen from the server's side.
fn established(listen: &str) -> usize {
    let port: u16 = listen.rsplit(':').next().unwrap().parse().unwrap();
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let is_ours = |line: &&str| {
        let mut columns = line.split_whitespace().skip(1);
        let (local, state) = (columns.next().unwrap(), columns.nth(1).unwrap());
        local.ends_with(&format!(":{port:04X}")) && state == "01"
    };
    table.lines().skip(1).filter(is_ours).count()
}

/// Records whose text is some kilobytes long.
fn long_records(from: i64, count: i64) -> Vec<Vec<u8>> {
    let reason = "x".repeat(8 * 1024);
    (from..from + count).map(|n| closed(&format!("w{n}"), "soccer_test", n, &reason)).collect()
}

/// Windows that are written after everything else, one in each partition: a client that has them has read
/// everything.
const ENDS: [&str; 4] = ["end-0", "end-1", "end-2", "end-3"];

/// A client that begins, and then does not read while far more is written than both systems' socket buffers hold.
fn deaf_client(broker: &Broker, serve: &Serve) -> (Sse, Vec<Vec<Name>>) {
    let mut stream = serve.stream("", None);
    assert_eq!(stream.next().unwrap().name, "snapshot");
    let writer = Writer::new(&broker.kafka);
    for batch in 0..20 {
        writer.write(i32::try_from(batch).unwrap() % 4, &long_records(batch * 50, 50));
    }
    for (partition, id) in (0..).zip(ENDS) {
        writer.write(partition, &[opened(id, "soccer_test", 10_000)]);
    }
    (stream, whole(&broker.kafka))
}

/// Reads on, from one connection to the next, until it has everything.
fn read_on(serve: &Serve, mut id: String, mut got: Vec<Name>, feed: &[Vec<Name>]) {
    let all: usize = feed.iter().map(Vec::len).sum();
    assert!(got.len() < all / 2, "{} of {all}: nothing was held back", got.len());
    while got.len() < all {
        let mut stream = serve.stream("", Some(&id));
        while got.len() < all
            && let Some(event) = stream.next_event()
        {
            match &*event.name {
                "close_signal" | "arb_window" => got.push(name(&event)),
                other => assert_eq!(other, "lagged"),
            }
        }
        id = stream.last_id.unwrap_or(id);
    }
    assert_whole(&got, feed);
}

#[test]
fn a_client_that_does_not_read_is_let_go_and_goes_on_later() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let serve = Serve::start(&broker, &key, "serve", &["--stall-ms", "300", "--stream-events", "64"]);
    let (mut stream, feed) = deaf_client(&broker, &serve);
    wait_for("the client is let go", || (established(&serve.listen) == 0).then_some(()));
    // What the systems held is whole events, and half of one.
    let held = std::iter::from_fn(|| stream.next_event()).take_while(|event| event.name == "close_signal");
    let held = held.map(|event| name(&event)).collect();
    read_on(&serve, stream.last_id.unwrap(), held, &feed);
}

#[test]
fn a_client_that_lags_is_told_so_and_from_where_to_go_on() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let serve = Serve::start(&broker, &key, "serve", &["--stall-ms", "600000", "--stream-events", "64"]);
    let (mut stream, feed) = deaf_client(&broker, &serve);
    wait_for("the instance has read all of it", || {
        let snapshot = serve.stream("", None).next().unwrap().json();
        let ids: Vec<_> = snapshot["arbs"].as_array().unwrap().iter().map(|arb| &arb["id"]).collect();
        (ids == ENDS).then_some(())
    });
    let held: Vec<_> = std::iter::from_fn(|| stream.next_event()).collect();
    let (last, held) = held.split_last().unwrap();
    assert_eq!((&*last.name, last.json()), ("lagged", json!({"reason": "too_slow"})));
    assert_eq!(
        last.id,
        held.last().unwrap().id,
        "it goes on after what it was sent, not after what there was"
    );
    read_on(&serve, stream.last_id.unwrap(), held.iter().map(name).collect(), &feed);
}

const CLIENTS: usize = 1_000;
/// What one idle client may take: its connection's buffers (hyper reads and writes through 8 kB and more), two tasks,
/// a channel of shared pieces. What it takes is measured by `arb-bench sse`.
const IDLE: f64 = 32.0 * 1024.0;
/// The most that all of them may take while events flow, whether they read or not: the memory of idle ones,
/// the ring (32 MiB at most), and the read buffers of Kafka's clients (8 MiB each). Not included: copies of what is sent. A batch of 64
/// events of 8 kB is half a megabyte a client, 512 MB for all; and 1.6 MB each for those that do not read, 160 MB.
const BUSY: f64 = 128.0 * 1024.0 * 1024.0;

/// A client that reads until it has found so many events.
async fn read(socket: &mut tokio::net::TcpStream, events: usize, done: &AtomicUsize) {
    let (mut found, mut buffer, mut tail) = (0, vec![0; 64 * 1024], Vec::new());
    while found < events {
        let read = socket.read(&mut buffer).await.unwrap();
        assert!(read > 0, "the stream ended after {found} of {events} events");
        tail.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&tail);
        found += text.matches("event: close_signal\n").count();
        let keep = tail.len().min(b"event: close_signal".len());
        tail.drain(..tail.len() - keep);
    }
    done.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn a_thousand_clients_fit_into_a_known_memory() {
    // This process holds a thousand sockets too.
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    // Long enough that no reading client counts as one that does not read, however busy the machine is with
    // 900 of them.
    let serve = Serve::start(&broker, &key, "serve", &["--stall-ms", "60000"]);
    let request = format!(
        "GET /v1/stream HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        serve.listen, key.text
    );
    // What the program has allocated: what the system counts for its process depends on the machine.
    let admin = Admin::of(&broker.path("serve.log"));
    let allocated = || admin.page().sum("arb_memory_allocated_bytes", &[]);
    let before = allocated();
    // One in ten never reads.
    let mut deaf = Vec::new();
    for _ in 0..CLIENTS / 10 {
        let mut socket = TcpStream::connect(&serve.listen).unwrap();
        socket.write_all(request.as_bytes()).unwrap();
        deaf.push(socket);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let done = Arc::new(AtomicUsize::new(0));
    let events = 200;
    for _ in CLIENTS / 10..CLIENTS {
        let (listen, request, done) = (serve.listen.clone(), request.clone(), Arc::clone(&done));
        runtime.spawn(async move {
            let mut socket = tokio::net::TcpStream::connect(listen).await.unwrap();
            socket.write_all(request.as_bytes()).await.unwrap();
            read(&mut socket, events, &done).await;
            std::future::pending::<()>().await;
        });
    }
    wait_for("all are connected", || (established(&serve.listen) == CLIENTS).then_some(()));
    wait_for("all have been answered", || {
        let used: u64 = serve.get("/api/v1/usage").header("x-requests-used").parse().unwrap();
        (used >= CLIENTS as u64).then_some(())
    });
    let idle = allocated();
    println!("{before} bytes before, {idle} with {CLIENTS} idle clients");
    assert!(
        0.0 < before && idle - before < 1_000.0 * IDLE,
        "{before} bytes before, {idle} with idle clients"
    );
    let writer = Writer::new(&broker.kafka);
    let mut most = idle;
    for batch in 0..20 {
        writer.write(i32::try_from(batch).unwrap() % 4, &long_records(batch * 10, 10));
        most = most.max(allocated());
    }
    wait_for("the deaf are let go, and no one else", || {
        most = most.max(allocated());
        (established(&serve.listen) == CLIENTS - deaf.len()).then_some(())
    });
    wait_for("all reading clients have everything", || {
        most = most.max(allocated());
        (done.load(Ordering::Relaxed) == CLIENTS - deaf.len()).then_some(())
    });
    println!("{most} bytes at most while {events} events of 8 kB went to them");
    assert!(most - before < BUSY, "{before} bytes before, {most} while events flowed");
    let mut nothing = [0; 1];
    assert!(deaf[0].read(&mut nothing).is_ok(), "what the system held is still there to be read");
}
