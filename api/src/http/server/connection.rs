//! One connection: hyper runs it, after a handshake where there is TLS; here is why it ends, and what it is sent last when it ends
//! without a request.
//!
//! A header that is not complete in time is answered 408, one that cannot be parsed as described in
//! `error_answers`. Bytes that the client is still sending are read for a moment after that, else the
//! operating system would reset the connection before the client has read the response. It never decides the
//! response to a request.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;
use warp::http::Request;
use warp::reply::Response;

use super::Limits;
use super::error_answers::{ErrorAnswers, last_answer};
use super::tls::{self, Tls};
use super::write_timeout::WriteTimeout;
use crate::http::problem::Problem;
use crate::telemetry;

/// How long a client that was sent its last response may go on sending.
const LINGER: Duration = Duration::from_millis(500);

/// Serves a connection until it ends; after the signal it ends with the request that is under way.
pub(super) async fn run<V>(
    stream: TcpStream,
    limits: &Limits,
    builder: &Builder,
    service: V,
    shutdown: watch::Receiver<()>,
) where
    V: Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Unpin> + Unpin,
{
    // What the system takes is progress, so it is measured below TLS.
    let Some(tls) = &limits.tls else {
        return serve(WriteTimeout::new(stream, limits.stall), builder, service, shutdown).await;
    };
    // In a place of its own: the state of TLS is large, and connections without it would have the room for it.
    Box::pin(async move {
        match timeout(limits.head, handshake(stream, limits.stall, tls)).await {
            Ok(Some(stream)) => serve(stream, builder, service, shutdown).await,
            Ok(None) => {}
            Err(_) => {
                telemetry::handshake_failed("late");
                tracing::debug!("a TLS handshake was not complete in time");
            }
        }
    })
    .await;
}

/// The connection, encrypted; `None` where the client is not accepted. One that sends HTTP without TLS is answered with the reason.
async fn handshake(
    mut stream: TcpStream,
    stall: Duration,
    tls: &Tls,
) -> Option<TlsStream<WriteTimeout<TcpStream>>> {
    if tls::is_plain_http(&stream).await {
        telemetry::handshake_failed("plain");
        let problem = Problem::bad_request("This port takes TLS alone: the URL begins with https.");
        let _ = stream.write_all(&last_answer(problem, None)).await;
        close(&mut stream).await;
        return None;
    }
    let accepted = tls.accept(WriteTimeout::new(stream, stall)).await;
    let failed = |error: &std::io::Error| {
        telemetry::handshake_failed("failed");
        tracing::debug!(%error, "a TLS handshake failed");
    };
    accepted.inspect_err(failed).ok()
}

async fn serve<S, V>(stream: S, builder: &Builder, service: V, mut shutdown: watch::Receiver<()>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    V: Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Unpin> + Unpin,
{
    let mut connection = builder.serve_connection(TokioIo::new(ErrorAnswers::new(stream)), service);
    let ended = {
        let (mut signal, mut is_ending) = (pin!(shutdown.changed()), false);
        poll_fn(|context| {
            if !is_ending && signal.as_mut().poll(context).is_ready() {
                is_ending = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            connection.poll_without_shutdown(context)
        })
        .await
    };
    let parts = connection.into_parts();
    let mut stream = parts.io.into_inner().into_inner();
    match ended {
        Err(error) if error.is_timeout() && !parts.read_buf.is_empty() => {
            let answer = last_answer(
                Problem::request_timeout("The head of the request was not complete in time."),
                None,
            );
            let _ = stream.write_all(&answer).await;
            close(&mut stream).await;
        }
        Err(error) if error.is_parse() => close(&mut stream).await,
        Err(error) => tracing::debug!(%error, "a connection ended early"),
        Ok(()) => drop(stream.shutdown().await),
    }
}

/// Ends a connection whose client may still be sending.
async fn close<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) {
    let _ = stream.shutdown().await;
    let mut rest = [0; 4096];
    let read = async { while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {} };
    let _ = timeout(LINGER, read).await;
}
