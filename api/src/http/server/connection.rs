//! One connection: hyper runs it; here is why it ends, and what it is sent last when it ends without a request.
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
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use warp::http::Request;
use warp::reply::Response;

use super::connections;
use super::error_answers::{ErrorAnswers, last_answer};
use super::write_timeout::WriteTimeout;
use crate::http::problem::Problem;

/// How long a client that was sent its last response may go on sending.
const LINGER: Duration = Duration::from_millis(500);

/// Serves a connection until it ends, or is closed for another; after the signal it ends with the request that is under way.
pub(super) async fn run<S, V>(
    stream: S,
    stall: Duration,
    builder: &Builder,
    service: V,
    mut shutdown: watch::Receiver<()>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    V: Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Unpin> + Unpin,
{
    let stream = ErrorAnswers::new(WriteTimeout::new(stream, stall));
    let mut connection = builder.serve_connection(TokioIo::new(stream), service);
    let ended = {
        let (closer, mut is_closed) = oneshot::channel();
        let (mut signal, mut is_ending, mut closer) = (pin!(shutdown.changed()), false, Some(closer));
        poll_fn(|context| {
            if !is_ending && signal.as_mut().poll(context).is_ready() {
                is_ending = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            let polled = connection.poll_without_shutdown(context);
            if polled.is_ready() {
                return polled.map(Some);
            }
            if let Some(closer) = closer.take() {
                connections::has_been_read(closer);
            }
            Pin::new(&mut is_closed).poll(context).map(|_| None)
        })
        .await
    };
    let Some(ended) = ended else { return };
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
