//! What streams may cost: a client that does not read is let go, and a thousand clients fit into a known memory.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::feed::{Writer, assert_whole, closed, name, whole};
use crate::support::serve::{Key, Serve};
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

#[test]
fn a_client_that_does_not_read_is_let_go_and_goes_on_later() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let serve = Serve::start(&broker, &key, "serve", &["--stall-ms", "300", "--stream-events", "64"]);
    let mut stream = serve.stream("", None);
    assert_eq!(stream.next().unwrap().name, "snapshot");
    // Far more than both systems' socket buffers hold.
    let writer = Writer::new(&broker.brokers);
    for batch in 0..20 {
        writer.write(i32::try_from(batch).unwrap() % 4, &long_records(batch * 100, 100));
    }
    wait_for("the client is let go", || (established(&serve.listen) == 0).then_some(()));
    let mut got: Vec<_> = Vec::new();
    while let Some(event) = stream.next_event().filter(|event| event.name == "close_signal") {
        got.push(name(&event));
    }
    let feed = whole(&broker.brokers);
    let all: usize = feed.iter().map(Vec::len).sum();
    assert!(got.len() < all / 2, "{} of {all}: nothing was held back", got.len());
    // Each time it reads a little and is let go, or is told that it lags; the id of the last whole event is enough.
    let mut id = stream.last_id.clone().unwrap();
    while got.len() < all {
        let mut again = serve.stream("", Some(&id));
        for event in std::iter::from_fn(|| again.next_event()).take(500) {
            if event.name == "close_signal" {
                got.push(name(&event));
            } else {
                assert_eq!(event.name, "lagged");
            }
            if got.len() == all {
                break;
            }
        }
        id = again.last_id.unwrap_or(id);
    }
    assert_whole(&got, &feed);
}

/// Memory of a process that is in use, in kB.
fn resident(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

const CLIENTS: usize = 1_000;
/// What one idle client may take: its connection's buffers (hyper reads and writes through 8 kB and more), two tasks,
/// a channel of shared pieces.
const IDLE_KB: usize = 48;
/// What all of them may take while events flow, whoever reads: the ring (32 MiB at most), one read buffer of Kafka's
/// client (8 MiB), what the allocator has not given back; and for each client what it is being sent: 64 events of 8 kB
/// are half a megabyte, which for 1,000 would be 512 MB if they were copies. They are not: they are shared.
const BUSY_KB: usize = 192 * 1024;

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
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let serve = Serve::start(&broker, &key, "serve", &["--stall-ms", "2000"]);
    let request = format!(
        "GET /v1/stream HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        serve.listen, key.text
    );
    let before = resident(serve.role.id());
    // One in ten never reads.
    let mut deaf = Vec::new();
    for _ in 0..CLIENTS / 10 {
        let mut socket = TcpStream::connect(&serve.listen).unwrap();
        socket.write_all(request.as_bytes()).unwrap();
        deaf.push(socket);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let done = Arc::new(AtomicUsize::new(0));
    let events = 2_000;
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
    let idle = resident(serve.role.id());
    println!("{before} kB before, {idle} kB with {CLIENTS} idle clients");
    assert!(idle - before < CLIENTS * IDLE_KB, "{before} kB before, {idle} kB with idle clients");
    let writer = Writer::new(&broker.brokers);
    let mut most = idle;
    for batch in 0..20 {
        writer.write(i32::try_from(batch).unwrap() % 4, &long_records(batch * 100, 100));
        most = most.max(resident(serve.role.id()));
    }
    wait_for("the deaf are let go, and no one else", || {
        most = most.max(resident(serve.role.id()));
        (established(&serve.listen) == CLIENTS - deaf.len()).then_some(())
    });
    wait_for("all who read have everything", || {
        most = most.max(resident(serve.role.id()));
        (done.load(Ordering::Relaxed) == CLIENTS - deaf.len()).then_some(())
    });
    println!("{most} kB at most while {events} events of 8 kB went to them");
    assert!(most - before < BUSY_KB, "{before} kB before, {most} kB while events flowed");
    let mut nothing = [0; 1];
    assert!(deaf[0].read(&mut nothing).is_ok(), "what the system held is still there to be read");
}
