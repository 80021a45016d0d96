//! Connections: an accept loop of our own around warp's filters.
//!
//! warp's own server never finishes a graceful end while a response streams, and holds half a request header open
//! for ever; here headers have a time-out, buffers a limit, connections a cap, writes a time-out, and the end a budget.
//! It never ends a stream without letting it say so, except one whose client does not read.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use arb_pipeline::stop::Stop;
use arb_pipeline::telemetry::serve::Open;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use warp::filters::BoxedFilter;
use warp::reply::Response;

use crate::SharedApp;
use crate::routes::routes;
use crate::stall::Unstalled;

/// Time for the whole of a request's header.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of a header, and of what is buffered.
const MAX_BUFFER: usize = 64 * 1024;
/// Connections at one time; more wait to be accepted.
const MAX_CONNECTIONS: usize = 10_000;
/// Bytes that the system holds of an answer that is not read, for each connection: without a limit it takes megabytes. It
/// doubles the number, for what it needs itself. Less would slow down who is far away; `stall` says what it means for who is
/// slow.
const SEND_BUFFER: u32 = 128 * 1024;
/// Connections that the system holds before they are accepted.
const BACKLOG: u32 = 1024;
/// How long requests may take to finish after the end is wished.
const DRAIN: Duration = Duration::from_secs(10);
/// How long to wait when none can be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// A listener on an address.
///
/// # Errors
/// The system's: the address is in use, or not this machine's.
pub fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    // What is accepted takes it over.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until the end is wished, then ends the streams and finishes the requests that are under way. A connection
/// whose client takes nothing for the time of `stall` is let go.
pub async fn serve(listener: TcpListener, app: SharedApp, stall: Duration, stop: &Stop) {
    let limits = Limits { connections: MAX_CONNECTIONS, stall };
    let connected = || Some(Open::connection());
    let graceful = accept_all(listener, routes(Arc::clone(&app)), limits, connected, stop).await;
    app.streams.close();
    drain(graceful).await;
}

/// What connections may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// So many at one time; more wait to be accepted.
    pub connections: usize,
    /// A client that takes nothing for so long is let go.
    pub stall: Duration,
}

/// Serves other routes than the API's, within limits, until the end is wished; then finishes what is under way.
pub async fn serve_routes(
    listener: TcpListener,
    routes: BoxedFilter<(Response,)>,
    limits: Limits,
    stop: &Stop,
) {
    let graceful = accept_all(listener, routes, limits, || None, stop).await;
    drain(graceful).await;
}

/// Accepts until the end is wished; what is under way then is the result. `connected` is what each connection holds.
async fn accept_all(
    listener: TcpListener,
    routes: BoxedFilter<(Response,)>,
    limits: Limits,
    connected: fn() -> Option<Open>,
    stop: &Stop,
) -> GracefulShutdown {
    let service = TowerToHyperService::new(warp::service(routes));
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(MAX_BUFFER);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(limits.connections));
    let stopped = stop.stopped();
    tokio::pin!(stopped);
    loop {
        let (stream, place) = tokio::select! {
            biased;
            () = &mut stopped => break,
            accepted = accept(&listener, &places) => accepted,
        };
        // Without it an answer waits for the acknowledgement of the one before.
        let _ = stream.set_nodelay(true);
        let connection =
            builder.serve_connection(TokioIo::new(Unstalled::new(stream, limits.stall)), service.clone());
        let connection = connection.into_owned();
        let connection = graceful.watch(connection);
        let open = connected();
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop((place, open));
        });
    }
    graceful
}

async fn drain(graceful: GracefulShutdown) {
    if tokio::time::timeout(DRAIN, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were cut off at the end");
    }
}

/// The next connection, once there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed.
    let place = Arc::clone(places).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            // Out of file descriptors, say: others must end first.
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
