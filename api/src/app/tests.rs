//! A measured flood: a caller with a key is answered while ten thousand connections without
//! one send as much as they can.
//!
//! It never opens more files than the process may open; it prints the number of connections.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arb_runtime::stop::Stop;
use arb_schemas::records::BoardProgress;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Runtime};

use crate::fixtures::TestApp;
use crate::http::server::{Caps, Limits, listen};

const FLOOD: usize = 10_000;
/// Addresses that take part.
const ADDRESSES: usize = 40;
/// How often each connection sends a request.
const EVERY: Duration = Duration::from_secs(4);
/// Requests with a key, at least, and the pause between two of them.
const REQUESTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// Files that this process may open.
fn files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap_or(usize::MAX)
}

fn runtime(threads: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap()
}

/// A client that requests free paths, or sends half a header, as often as it can, and reconnects when it is
/// closed.
async fn flood(number: usize, server: SocketAddr, answered: Arc<AtomicUsize>) {
    let from = IpAddr::V4(Ipv4Addr::new(127, 0, 1, u8::try_from(number % ADDRESSES).unwrap()));
    let text =
        if number.is_multiple_of(4) { "GET /livez HTT" } else { "GET /livez HTTP/1.1\r\nhost: a\r\n\r\n" };
    loop {
        let socket = TcpSocket::new_v4().unwrap();
        if socket.bind((from, 0).into()).is_ok()
            && let Ok(mut stream) = socket.connect(server).await
        {
            let mut buffer = [0; 1024];
            while stream.write_all(text.as_bytes()).await.is_ok()
                && stream.read(&mut buffer).await.is_ok_and(|read| read > 0)
            {
                answered.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(EVERY).await;
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Sends a request with a key on a new connection, or on an open one, and reads its answer.
fn ask(server: SocketAddr, key: &str, open: Option<&mut TcpStream>) {
    let mut new = None;
    let stream = open.unwrap_or_else(|| new.insert(TcpStream::connect(server).unwrap()));
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    write!(stream, "GET /api/v1/usage HTTP/1.1\r\nhost: a\r\nx-api-key: {key}\r\n\r\n").unwrap();
    let mut buffer = [0; 4096];
    let read = stream.read(&mut buffer).unwrap();
    assert!(buffer[..read].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&buffer[..read]));
}

#[test]
fn every_caller_with_a_key_is_answered_throughout_a_flood_and_most_at_once() {
    let connections = FLOOD.min(files().saturating_sub(1_000) * 10 / 19);
    println!("{connections} connections");
    assert!(connections >= 100, "this process may open too few files: {}", files());
    let TestApp { app, key, folder: _folder } = TestApp::new(1, 10, Duration::from_secs(1));
    app.begin([], BoardProgress { source: "s".into(), received_at: 1 });
    let (servers, callers, stop) = (runtime(2), runtime(1), Stop::default());
    let listener = servers.block_on(async { listen((Ipv4Addr::LOCALHOST, 0).into()) }).unwrap();
    let (server, app, stopped) = (listener.local_addr().unwrap(), app, stop.clone());
    let limits = Limits::new(Caps::of(connections), Duration::from_secs(10));
    let serving = servers.spawn(async move { app.serve(listener, limits, &stopped).await });
    let mut open = TcpStream::connect(server).unwrap();
    ask(server, &key, Some(&mut open));
    let answered = Arc::new(AtomicUsize::new(0));
    for number in 0..connections {
        callers.spawn(flood(number, server, Arc::clone(&answered)));
    }
    // How many of the flood are answered while a request with a key waits: a number that a slow machine does not change.
    let (deadline, mut overtaken) = (Instant::now() + Duration::from_mins(3), Vec::new());
    let all = || answered.load(Ordering::Relaxed);
    while overtaken.len() < REQUESTS || all() < connections / 4 {
        assert!(Instant::now() < deadline, "that is no flood: {} of {connections}", all());
        for open in [None, Some(&mut open)] {
            let before = all();
            ask(server, &key, open);
            overtaken.push(all() - before);
        }
        std::thread::sleep(PAUSE);
    }
    overtaken.sort_unstable();
    let (asked, middle, most) =
        (overtaken.len(), overtaken[overtaken.len() / 2], overtaken[overtaken.len() - 1]);
    println!(
        "{asked} requests with a key, half of them overtaken by at most {middle} without one, each by at most {most}; {} \
         requests without one were answered",
        all()
    );
    callers.shutdown_background();
    stop.stop();
    servers.block_on(serving).unwrap();
    // Unprotected, each waits for those that came before it, which is every connection.
    assert!(middle < connections / 10, "{middle} of {connections}");
}
