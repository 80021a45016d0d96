//! The yardstick of pushed odds: a bare hyper server that writes each line of a body to Kafka as it is, and answers when all are
//! acknowledged.
//!
//! It parses nothing, checks nothing and charges nothing. Its producer has the settings of the product's.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::Context;
use arb_api::http::server;
use arb_schemas::topics::ODDS_TICKS;
use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseRecord, ProducerContext, ThreadedProducer};
use rdkafka::{ClientConfig, ClientContext};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::Served;

/// Reports each delivery to the request that waits for it.
struct Acknowledgements;

impl ClientContext for Acknowledgements {}

impl ProducerContext for Acknowledgements {
    type DeliveryOpaque = Box<oneshot::Sender<bool>>;

    fn delivery(&self, result: &DeliveryResult<'_>, waiter: Self::DeliveryOpaque) {
        // A client that has gone waits for nothing.
        let _ = waiter.send(result.is_ok());
    }
}

type LineProducer = Arc<ThreadedProducer<Acknowledgements>>;

/// Serves on a port of its choice.
pub(super) fn serve(runtime: &Runtime, brokers: &str) -> anyhow::Result<Served> {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", brokers)
        .set("enable.idempotence", "true")
        .set("acks", "all")
        .set("compression.type", "lz4")
        .set("linger.ms", "2")
        .set("message.timeout.ms", "5000");
    let producer: LineProducer =
        Arc::new(config.create_with_context(Acknowledgements).context("a producer")?);
    let listener = runtime.block_on(async { server::listen(SocketAddr::from(([127, 0, 0, 1], 0))) })?;
    let at = listener.local_addr()?;
    runtime.spawn(accept(listener, producer));
    Ok(Served { at, key: String::new() })
}

async fn accept(listener: TcpListener, producer: LineProducer) {
    while let Ok((socket, _)) = listener.accept().await {
        let _ = socket.set_nodelay(true);
        let producer = Arc::clone(&producer);
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let producer = Arc::clone(&producer);
                async move { Ok::<_, Infallible>(answer(request.into_body(), &producer).await) }
            });
            let mut builder = hyper::server::conn::http1::Builder::new();
            // A client that goes is no error.
            let _ = builder.timer(TokioTimer::new()).serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

async fn answer(body: Incoming, producer: &ThreadedProducer<Acknowledgements>) -> Response<String> {
    let mut response = Response::new(String::new());
    if !write(body, producer).await {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}

/// Whether every line is acknowledged.
async fn write(mut body: Incoming, producer: &ThreadedProducer<Acknowledgements>) -> bool {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(frame) = frame else { return false };
        bytes.extend_from_slice(frame.data_ref().map_or(&[][..], Bytes::as_ref));
    }
    let mut waiting = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let (waiter, acknowledged) = oneshot::channel();
        let record = BaseRecord::<[u8], [u8], _>::with_opaque_to(ODDS_TICKS.name, Box::new(waiter));
        if producer.send(record.partition(0).key(b"bench").payload(line)).is_err() {
            return false;
        }
        waiting.push(acknowledged);
    }
    for acknowledged in waiting {
        if !acknowledged.await.unwrap_or(false) {
            return false;
        }
    }
    true
}
