//! Connections: an accept loop of our own around warp's filters.
//!
//! warp's own server never finishes a graceful shutdown while a response streams, and keeps an incomplete
//! request header open for ever; here headers have a time-out, buffers a limit, connections a cap, writes a
//! time-out, and shutdown a time budget. `connection` runs one connection, `tls` encrypts it; `error_answers` completes the
//! error responses that hyper writes by itself; `admission` decides which connections may be open, `address`
//! which client address a connection is counted under, and `connections` counts them; `drain` is what an instance that will stop
//! does before. A stream always gets its last notice before it ends, except one whose client does not read.

mod address;
mod admission;
mod connection;
pub(crate) mod connections;
pub(crate) mod drain;
mod error_answers;
mod tls;
mod write_timeout;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::telemetry::Open;
use arb_runtime::stop::Stop;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::TokioTimer;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use warp::filters::BoxedFilter;
use warp::reply::Response;

pub use self::address::{Network, Proxies};
pub use self::admission::Caps;
use self::connections::Connections;
pub use self::tls::Tls;

/// Time for the whole of a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of a head, and of what is buffered: more than those of `limits`, so that those answer.
const MAX_BUFFER: usize = 64 * 1024;
/// Bytes of unread response that the operating system buffers for each connection: without a limit it takes
/// megabytes. The system doubles the number for its bookkeeping. A smaller buffer would slow down distant
/// clients; `write_timeout` explains the effect on slow clients.
const SEND_BUFFER: u32 = 128 * 1024;
/// Connections that the system holds before they are accepted.
const BACKLOG: u32 = 4096;
/// How long requests may take to finish after the shutdown signal.
const DRAIN: Duration = Duration::from_secs(10);
/// How long to wait when none can be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// A socket that has an address, and refuses connections until it listens.
///
/// # Errors
/// The system's: the address is in use, or not this machine's.
pub fn bind(address: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    // What is accepted takes it over.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    Ok(socket)
}

/// A listener of a socket.
///
/// # Errors
/// The system's.
pub fn listen_on(socket: TcpSocket) -> std::io::Result<TcpListener> {
    socket.listen(BACKLOG)
}

/// A listener on an address.
///
/// # Errors
/// The system's: the address is in use, or not this machine's.
pub fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    listen_on(bind(address)?)
}

/// Serves routes whose connections are counted until the shutdown signal, then ends what streams and finishes the requests
/// that are under way.
pub(crate) async fn serve_counted(
    listener: TcpListener,
    routes: BoxedFilter<(Response,)>,
    limits: Limits,
    stop: &Stop,
    end_streams: impl FnOnce(),
) {
    let connected = || Some(Open::connection());
    let shutdown = accept_all(listener, routes, limits, connected, stop).await;
    end_streams();
    drain(shutdown).await;
}

/// What connections may take, and how they begin.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The limits on the number of connections, in total and per client.
    pub caps: Caps,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub proxies: Proxies,
    /// A client that takes no bytes for so long is disconnected.
    pub stall: Duration,
    /// Time for the whole of a request's head, from the end of the response before it, and for a TLS handshake.
    pub head: Duration,
    /// By what connections are encrypted; without it they are not.
    pub tls: Option<Tls>,
}

impl Limits {
    /// With no proxies, the usual time for a head, and without TLS.
    #[must_use]
    pub const fn new(caps: Caps, stall: Duration) -> Self {
        Self { caps, proxies: Proxies(Vec::new()), stall, head: HEAD_TIMEOUT, tls: None }
    }
}

/// Serves other routes than the API's, within limits, until the shutdown signal; then finishes what is under way.
pub async fn serve_routes(
    listener: TcpListener,
    routes: BoxedFilter<(Response,)>,
    limits: Limits,
    stop: &Stop,
) {
    let shutdown = accept_all(listener, routes, limits, || None, stop).await;
    drain(shutdown).await;
}

/// Accepts until the shutdown signal; what is under way then is the result. `connected` is what each connection holds.
async fn accept_all(
    listener: TcpListener,
    routes: BoxedFilter<(Response,)>,
    limits: Limits,
    connected: fn() -> Option<Open>,
    stop: &Stop,
) -> watch::Sender<()> {
    let service = TowerToHyperService::new(warp::service(routes));
    let mut builder = Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(MAX_BUFFER);
    let (shutdown, signal) = watch::channel(());
    let connections = Connections::new(limits.caps, limits.proxies.clone());
    let limits = Arc::new(limits);
    let admit = async || {
        let (stream, peer) = accept(&listener).await;
        (stream, connections.admit(peer).await)
    };
    let stopped = stop.stopped();
    tokio::pin!(stopped);
    loop {
        let (stream, admitted) = tokio::select! {
            biased;
            () = &mut stopped => break,
            admitted = admit() => admitted,
        };
        // Without it an answer waits for the acknowledgement of the one before.
        let _ = stream.set_nodelay(true);
        let (builder, service, signal, open) =
            (builder.clone(), service.clone(), signal.clone(), connected());
        let limits = Arc::clone(&limits);
        tokio::spawn(async move {
            // In one place: each future around it would hold the room for it once more.
            let work = Box::pin(connection::run(stream, &limits, &builder, service, signal));
            admitted.serve(connections::until_closed(work)).await;
            drop(open);
        });
    }
    shutdown
}

async fn drain(shutdown: watch::Sender<()>) {
    shutdown.send_replace(());
    // Closed when every connection has dropped its receiver.
    if tokio::time::timeout(DRAIN, shutdown.closed()).await.is_err() {
        tracing::warn!("requests were cut off at the end");
    }
}

/// The next connection, and whose it is.
async fn accept(listener: &TcpListener) -> (TcpStream, IpAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer.ip()),
            // For example, out of file descriptors: other connections must end first.
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::fixtures::TestApp;

    /// Long enough for whoever sends a head to its end, on a machine that stands still meanwhile.
    const PATIENT: Duration = Duration::from_mins(1);

    /// What a connection is sent that sends this and then waits for its end, at a server that waits so long for a head.
    fn exchange(sent: &[u8], head: Duration) -> String {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let TestApp { app, folder: _folder, .. } = TestApp::new(1, 10, Duration::from_secs(1));
        let limits = Limits { head, ..Limits::new(Caps::equal(10), Duration::from_secs(10)) };
        runtime.block_on(async {
            let listener = listen((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
            let (address, routes, stop) = (listener.local_addr().unwrap(), app.routes(), Stop::default());
            let stopped = stop.clone();
            let server = tokio::spawn(async move { serve_routes(listener, routes, limits, &stopped).await });
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(sent).await.unwrap();
            let mut received = String::new();
            client.read_to_string(&mut received).await.unwrap();
            stop.stop();
            server.await.unwrap();
            received
        })
    }

    fn assert_problem(received: &str, status: u16, name: &str) {
        let (head, body) = received.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{name}: {received}"));
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        let field =
            |name: &str| head.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        assert_eq!(field("content-type"), Some("application/problem+json"));
        assert_eq!(field("content-length"), Some(&*body.len().to_string()));
        assert_eq!(field("x-request-id").map(str::len), Some(16));
        let quota = ["x-requests-remaining", "x-requests-used", "x-plan"].map(field);
        assert_eq!(quota, [Some("0"), Some("0"), Some("none")], "{head}");
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!((&body["status"], &body["type"]), (&status.into(), &format!("/problems/{name}").into()));
        assert!(crate::http::problem::meaning(name).is_some());
    }

    #[test]
    fn an_invalid_request_is_answered_in_full() {
        let get = |path: &str, fields: &str| format!("GET {path} HTTP/1.1\r\nhost: a\r\n{fields}\r\n");
        let closing = "connection: close\r\n";
        let many = (0..101).map(|number| format!("x-{number}: 1\r\n")).collect::<Vec<_>>().concat();
        let half_of_it = format!("x: {}\r\n", "a".repeat(33 * 1024));
        let all_of_it = format!("x: {}\r\n", "a".repeat(200 * 1024));
        for (sent, status, name) in [
            // Refused by the routes, within hyper's limits.
            (get(&format!("/api/v1/arbs?{}", "a".repeat(9_000)), closing), 414, "uri-too-long"),
            (get("/api/v1/arbs", &format!("{closing}{half_of_it}")), 431, "headers-too-large"),
            // Refused by hyper.
            (get("/api/v1/arbs", &many), 431, "headers-too-large"),
            (get("/api/v1/arbs", &all_of_it), 431, "headers-too-large"),
            ("GET /api/v1/arbs NONSENSE\r\n\r\n".to_owned(), 400, "invalid-request"),
            ("G\u{0}T / HTTP/1.1\r\n\r\n".to_owned(), 400, "invalid-request"),
            (get("/api/v1/a\\b{}\u{7f}", ""), 400, "invalid-request"),
        ] {
            assert_problem(&exchange(sent.as_bytes(), PATIENT), status, name);
        }
        let soon = Duration::from_millis(100);
        let begun = b"GET /api/v1/arbs HTTP/1.1\r\nhost: a\r\n";
        assert_problem(&exchange(begun, soon), 408, "request-timeout");
        assert_eq!(exchange(b"", soon), "", "no request, no response");
        // The first of two is sent to its end.
        let two = format!("{}{}", get("/livez", ""), "GET /arbs HTTP/1.1\r\nhost");
        let received = exchange(two.as_bytes(), Duration::from_secs(6));
        let second = received.find("HTTP/1.1 408").unwrap();
        assert!(received.starts_with("HTTP/1.1 200"), "{received}");
        assert_problem(&received[second..], 408, "request-timeout");
    }
}
