//! The yardstick of webhooks: a bare hyper client that posts the same bytes to the same receivers.
//!
//! It signs nothing, writes nothing down and tries nothing again; it has as many requests under way as the product.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Act, Order, not_mine};

/// Requests that are under way at one time, as in `arb deliver`.
const AT_ONCE: usize = 256;
/// Connections to one host that are kept, as in `arb deliver`.
const IDLE: usize = 4;

type PostClient = Client<HttpConnector, Full<Bytes>>;

/// The actor.
pub(super) struct Poster {
    runtime: Runtime,
    client: PostClient,
}

impl Poster {
    pub(super) fn new(runtime: Runtime) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(IDLE).build(connector);
        Self { runtime, client }
    }
}

async fn post(client: PostClient, to: SocketAddr, body: Bytes) -> anyhow::Result<()> {
    let request = Request::post(format!("http://{to}/"))
        .header("content-type", "application/json")
        .header("webhook-id", "msg_00112233445566778899aabbccddeeff")
        .header("webhook-timestamp", "1790000000")
        .header("webhook-signature", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=")
        .header("user-agent", "arb-bench")
        .body(Full::new(body))?;
    let answer = client.request(request).await?;
    if !answer.status().is_success() {
        bail!("a receiver answers {}", answer.status());
    }
    answer.into_body().collect().await?;
    Ok(())
}

async fn post_all(client: PostClient, to: Vec<SocketAddr>, times: usize, body: Bytes) -> anyhow::Result<()> {
    let (room, mut posted) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
    for to in (0..times).flat_map(|_| to.iter().copied()) {
        let permit = Arc::clone(&room).acquire_owned().await?;
        let (client, body) = (client.clone(), body.clone());
        posted.spawn(async move {
            let _permit = permit;
            post(client, to, body).await
        });
    }
    while let Some(ended) = posted.join_next().await {
        ended.map_err(|error| anyhow!("{error}"))??;
    }
    Ok(())
}

impl Act for Poster {
    fn act(&mut self, order: Order) -> anyhow::Result<Value> {
        let Order::Post { to, times, body } = order else { return Err(not_mine(&order)) };
        self.runtime.block_on(post_all(self.client.clone(), to, times, body.into()))?;
        Ok(Value::Null)
    }
}
