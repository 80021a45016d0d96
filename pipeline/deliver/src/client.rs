//! One request to a receiver: posted, timed, and its answer read up to a limit. It follows no redirect and never retries.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_schemas::time::{Micros, SECOND};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::time::timeout;

use crate::connector::GuardedConnector;
use crate::retry_after;

/// How long a request may take until its status is known.
pub const TIME_OUT: Duration = Duration::from_secs(15);
/// How long the rest of an answer is waited for after its status.
const BODY: Duration = Duration::from_secs(5);
/// Bytes of an answer that are read, and that are kept.
const READ: usize = 64 * 1024;
const KEPT: usize = 4 * 1024;
/// Connections to one host that are kept open, and for how long.
const IDLE: usize = 4;
const IDLE_FOR: Duration = Duration::from_secs(30);

/// What a receiver answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Of HTTP; `None` when there was none.
    pub status: Option<u16>,
    /// Its first 4 KiB, or the error.
    pub text: String,
    /// Microseconds until the status.
    pub latency: i64,
    /// When the receiver asks for the next attempt.
    pub retry_at: Option<Micros>,
}

impl Answer {
    /// 2xx alone is success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }
}

/// Sends requests.
#[derive(Clone)]
pub struct WebhookClient {
    client: Client<HttpsConnector<GuardedConnector>, Full<Bytes>>,
    time_out: Duration,
}

impl WebhookClient {
    /// By connections of a connector, with the CAs of this system.
    ///
    /// # Errors
    /// A sentence, when the system has none.
    pub fn new(connector: GuardedConnector) -> Result<Self, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| format!("TLS: {error}"))?;
        let verified = builder.with_platform_verifier();
        let tls = verified.map_err(|error| format!("the CAs of this system: {error}"))?.with_no_client_auth();
        let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_FOR)
            .pool_max_idle_per_host(IDLE)
            // A request that was begun is not sent again by the client: its outcome is reported.
            .retry_canceled_requests(false)
            .build(https.wrap_connector(connector));
        Ok(Self { client, time_out: TIME_OUT })
    }

    /// With another time-out, for tests.
    #[must_use]
    pub fn within(self, time_out: Duration) -> Self {
        Self { time_out, ..self }
    }

    /// Posts a body with headers; `now` is when, for dates in the answer.
    pub async fn post(
        &self,
        uri: Uri,
        headers: impl IntoIterator<Item = (&'static str, String)>,
        body: Bytes,
        now: Micros,
    ) -> Answer {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(uri)
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, concat!("arb-deliver/", env!("CARGO_PKG_VERSION")));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = match request.body(Full::new(body)) {
            Ok(request) => request,
            Err(error) => return Answer { text: error.to_string(), ..Answer::default() },
        };
        let begun = Instant::now();
        let answered = timeout(self.time_out, self.client.request(request)).await;
        let latency = i64::try_from(begun.elapsed().as_micros()).unwrap_or(i64::MAX);
        match answered {
            Ok(Ok(response)) => Answer { latency, ..read(response, now).await },
            Ok(Err(error)) => Answer { text: sentence(&error), latency, ..Answer::default() },
            Err(_) => {
                let text = format!("no answer within {} s", self.time_out.as_secs());
                Answer { text, latency, ..Answer::default() }
            }
        }
    }
}

async fn read(response: Response<Incoming>, now: Micros) -> Answer {
    let status = Some(response.status().as_u16());
    let retry_at = retry_at(response.headers(), now);
    let mut body = response.into_body();
    let (mut kept, mut length) = (Vec::new(), 0);
    // What does not end in time, or is too long, is left unread: the connection is closed then.
    let reading = async {
        while let Some(Ok(frame)) = body.frame().await {
            let data = frame.into_data().unwrap_or_default();
            length += data.len();
            kept.extend(data.iter().take(KEPT - kept.len().min(KEPT)));
            if length > READ {
                break;
            }
        }
    };
    let _ = timeout(BODY, reading).await;
    Answer { status, text: String::from_utf8_lossy(&kept).into_owned(), latency: 0, retry_at }
}

fn retry_at(headers: &HeaderMap, now: Micros) -> Option<Micros> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    retry_after::parse(text, now / SECOND).map(|seconds| seconds * SECOND)
}

/// An error and its causes, in one line.
fn sentence(error: &(dyn StdError + 'static)) -> String {
    let mut causes = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !causes.contains(&text) {
            causes.push(text);
        }
        next = cause.source();
    }
    causes.join(": ")
}

#[cfg(test)]
mod tests;
