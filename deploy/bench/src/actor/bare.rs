//! The yardstick: a bare hyper server that sends bytes which it is given, on the same runtime and sockets as the API.
//!
//! It looks at nothing of a request: no key, no quota, no tag, no path. A stream's body is fed by a channel,
//! as in hyper's examples; it filters nothing, keeps no state and cannot resume a client.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as TaskContext, Poll};

use anyhow::Context;
use arb_api::http::server;
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Act, Order, Script, Served, bare_push, not_mine, pace};

/// The actor.
pub(super) struct Bare {
    runtime: Runtime,
    served: Option<Arc<ScriptedAnswer>>,
    events: Vec<Bytes>,
}

/// What is answered.
struct ScriptedAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    /// Where the answer is a stream: all of them.
    streams: Option<Mutex<Vec<UnboundedSender<Bytes>>>>,
}

impl Bare {
    pub(super) fn new(runtime: Runtime) -> Self {
        Self { runtime, served: None, events: vec![] }
    }

    fn answer(&mut self, script: Script) -> anyhow::Result<Served> {
        let header = |(name, value): &(String, String)| -> anyhow::Result<_> {
            Ok((name.parse::<HeaderName>()?, value.parse::<HeaderValue>()?))
        };
        let answer = Arc::new(ScriptedAnswer {
            status: StatusCode::from_u16(script.status)?,
            headers: script.headers.iter().map(header).collect::<Result<_, _>>()?,
            body: script.body.into(),
            streams: (!script.events.is_empty()).then(Mutex::default),
        });
        self.events = script.events.into_iter().map(Bytes::from).collect();
        let listener =
            self.runtime.block_on(async { server::listen(SocketAddr::from(([127, 0, 0, 1], 0))) })?;
        let at = listener.local_addr()?;
        self.runtime.spawn(accept(listener, Arc::clone(&answer)));
        self.served = Some(answer);
        Ok(Served { at, key: String::new() })
    }

    fn send(&self, events: usize, per_second: f64) -> anyhow::Result<Value> {
        let streams = self.served.as_ref().and_then(|served| served.streams.as_ref());
        let streams = streams.context("no streams are served")?;
        let times = pace::evenly(events, per_second, |index| {
            let event = &self.events[index % self.events.len()];
            // A client that has disconnected is no longer written to.
            let mut streams = streams.lock().unwrap_or_else(PoisonError::into_inner);
            streams.retain(|stream| stream.send(event.clone()).is_ok());
            Ok(())
        })?;
        Ok(serde_json::to_value(times)?)
    }
}

impl Act for Bare {
    fn act(&mut self, order: Order) -> anyhow::Result<Value> {
        match order {
            Order::Answer(script) => Ok(serde_json::to_value(self.answer(script)?)?),
            Order::Send { events, per_second } => self.send(events, per_second),
            Order::WriteLines { brokers } => {
                Ok(serde_json::to_value(bare_push::serve(&self.runtime, &brokers)?)?)
            }
            other => Err(not_mine(&other)),
        }
    }
}

async fn accept(listener: TcpListener, answer: Arc<ScriptedAnswer>) {
    while let Ok((socket, _)) = listener.accept().await {
        let _ = socket.set_nodelay(true);
        let answer = Arc::clone(&answer);
        tokio::spawn(async move {
            let service = service_fn(move |_: Request<Incoming>| {
                let response = answer.respond();
                async move { Ok::<_, Infallible>(response) }
            });
            let mut builder = hyper::server::conn::http1::Builder::new();
            // A client that goes is no error.
            let _ = builder.timer(TokioTimer::new()).serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

impl ScriptedAnswer {
    fn respond(&self) -> Response<Sent> {
        let body = match &self.streams {
            None => Sent::Whole(Some(self.body.clone())),
            Some(streams) => {
                let (to, pieces) = unbounded_channel();
                let _ = to.send(self.body.clone());
                streams.lock().unwrap_or_else(PoisonError::into_inner).push(to);
                Sent::Stream(pieces)
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        response.headers_mut().clone_from(&self.headers);
        response
    }
}

/// A body.
enum Sent {
    Whole(Option<Bytes>),
    Stream(UnboundedReceiver<Bytes>),
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(bytes) => Poll::Ready(
                bytes.take().filter(|bytes| !bytes.is_empty()).map(|bytes| Ok(Frame::data(bytes))),
            ),
            Self::Stream(pieces) => {
                pieces.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.as_ref().is_none_or(Bytes::is_empty))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}
