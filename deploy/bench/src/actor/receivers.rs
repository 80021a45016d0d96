//! Servers of webhooks in one process: they note when the request of which event came, and answer 204 at once, or never.
//!
//! An event is known by `bench-ROUND-NUMBER` in its body; nothing else of a request is looked at.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use arb::system::clock;
use arb_api::http::server;
use arb_schemas::time::Micros;
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use super::{Act, Arrived, Order, not_mine};

/// What the id of an event begins with.
const MARK: &str = "bench-";

/// A request.
struct Posted {
    at: Micros,
    body: Bytes,
}

/// The actor.
pub(super) struct Receivers {
    runtime: Runtime,
    posted: UnboundedReceiver<Posted>,
    to: UnboundedSender<Posted>,
}

impl Receivers {
    pub(super) fn new(runtime: Runtime) -> Self {
        let (to, posted) = unbounded_channel();
        Self { runtime, posted, to }
    }

    fn receive(&self, healthy: usize, dead: usize) -> anyhow::Result<Vec<SocketAddr>> {
        let mut addresses = Vec::with_capacity(healthy + dead);
        for number in 0..healthy + dead {
            let any = SocketAddr::from(([127, 0, 0, 1], 0));
            let listener = self.runtime.block_on(async { server::listen(any) })?;
            addresses.push(listener.local_addr()?);
            self.runtime.spawn(accept(listener, (number < healthy).then(|| self.to.clone())));
        }
        Ok(addresses)
    }

    /// The requests of a round; those of others are late, and dropped.
    fn arrive(&mut self, round: u32, requests: usize, within: Duration) -> Arrived {
        let (until, mut arrived) = (Instant::now() + within, Arrived::default());
        while arrived.requests.len() < requests {
            let left = until.saturating_duration_since(Instant::now());
            let next = self.runtime.block_on(async { timeout(left, self.posted.recv()).await });
            let Ok(Some(Posted { at, body })) = next else { break };
            if let Some((_, number)) = mark(&body).filter(|(of, _)| *of == round) {
                arrived.requests.push((number, at));
                if arrived.body.is_empty() {
                    arrived.body = String::from_utf8_lossy(&body).into_owned();
                }
            }
        }
        arrived
    }
}

/// The round and the number of the event in a body.
fn mark(body: &[u8]) -> Option<(u32, usize)> {
    let text = std::str::from_utf8(body).ok()?;
    let (round, rest) = text.split_once(MARK)?.1.split_once('-')?;
    let digits = rest.find(|byte: char| !byte.is_ascii_digit()).unwrap_or(rest.len());
    Some((round.parse().ok()?, rest[..digits].parse().ok()?))
}

/// Serves connections; without anybody to tell, none is ever answered.
async fn accept(listener: TcpListener, to: Option<UnboundedSender<Posted>>) {
    let mut unanswered = Vec::new();
    while let Ok((socket, _)) = listener.accept().await {
        let Some(to) = to.clone() else {
            unanswered.push(socket);
            continue;
        };
        let _ = socket.set_nodelay(true);
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| answer(request, to.clone()));
            // A client that goes is no error.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(socket), service)
                .await;
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    to: UnboundedSender<Posted>,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    let mut response = Response::new(Empty::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Ok(body) = request.into_body().collect().await {
        // Nobody listens once the actor ends.
        let _ = to.send(Posted { at: clock::now(), body: body.to_bytes() });
    }
    Ok(response)
}

impl Act for Receivers {
    fn act(&mut self, order: Order) -> anyhow::Result<Value> {
        Ok(match order {
            Order::Receive { healthy, dead } => serde_json::to_value(self.receive(healthy, dead)?)?,
            Order::Arrive { round, requests, within } => {
                serde_json::to_value(self.arrive(round, requests, within))?
            }
            order => return Err(not_mine(&order)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_known_by_its_mark() {
        assert_eq!(mark(br#"{"id":"bench-3-12","x":1}"#), Some((3, 12)));
        assert_eq!((mark(b"bench-3-12"), mark(b"bench-3"), mark(b"")), (Some((3, 12)), None, None));
    }
}
