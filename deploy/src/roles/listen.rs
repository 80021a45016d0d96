//! `arb listen`: the events of the stream, posted to a server of a developer as webhooks are, signed with a secret that it prints.
//!
//! For development: an event is posted once, and its outcome printed. It never registers an endpoint, and keeps nothing.

mod events;

use std::io::BufReader;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb_feed::webhook::signature::{sign, text_of};
use arb_feed::webhook::{self, body};
use arb_schemas::time::{Micros, SECOND, parse_rfc3339};
use serde_json::Value;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

use self::events::{StreamEvent, StreamEvents};
use crate::cli::Listen;
use crate::system::{clock, output, random};

/// How long the server may take to answer, as of a deployed receiver.
const ANSWER: Duration = Duration::from_secs(15);
/// Before it connects again.
const AGAIN: Duration = Duration::from_secs(1);
/// Where the events of each type have their time.
const TIMES: [&str; 4] = ["/updated_at", "/closed_at", "/at", "/window/end"];

/// Listens until it is ended. A connection that breaks is made again after the last event.
pub(crate) fn run(config: &Listen) -> anyhow::Result<()> {
    let secret = random::bytes::<32>()?;
    output::write(format_args!("events are signed with {}\n", text_of(&secret)))?;
    let (agent, mut last) = (agent(Proxy::try_from_env()), String::new());
    // The developer's server is on this machine, whatever proxy leads out of it.
    let mut forward = Forward { agent: self::agent(None), url: &config.forward, secret: &secret };
    let url = format!("{}/v1/stream?{}", config.site.trim_end_matches('/'), config.query);
    loop {
        let mut request = agent.get(&url).header("authorization", format!("Bearer {}", config.key));
        if !last.is_empty() {
            request = request.header("last-event-id", &last);
        }
        match request.call() {
            Ok(mut answer) if answer.status() != 200 => {
                bail!(
                    "{url}: {} {}",
                    answer.status(),
                    answer.body_mut().read_to_string().unwrap_or_default()
                );
            }
            Ok(answer) => {
                for event in StreamEvents::new(BufReader::new(answer.into_body().into_reader())) {
                    forward.event(&event)?;
                    last = event.id;
                }
            }
            // The first connection shows whether the address is right.
            Err(error) if last.is_empty() => return Err(error).context(url),
            Err(_) => {}
        }
        std::thread::sleep(AGAIN);
    }
}

fn agent(proxy: Option<Proxy>) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(proxy)
        .timeout_connect(Some(ANSWER))
        // The system's, so that an operator's own authority counts.
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .build();
    config.into()
}

/// Where events go.
struct Forward<'a> {
    agent: Agent,
    url: &'a str,
    secret: &'a [u8],
}

impl Forward<'_> {
    /// Posts an event. What a stream has besides events, such as the snapshot, is no event of a webhook.
    fn event(&mut self, event: &StreamEvent) -> anyhow::Result<()> {
        let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
        let Some(at) = time(&data).filter(|_| event.name != "snapshot") else { return Ok(()) };
        let id = webhook::id(&format!("stream/{}", event.id), "listen");
        let body = body(&event.name, at, &event.data);
        let timestamp = clock::now() / SECOND;
        let begun = Instant::now();
        let request = self.agent.post(self.url).config().timeout_global(Some(ANSWER)).build();
        let answer = request
            .header("content-type", "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", timestamp.to_string())
            .header("webhook-signature", sign(self.secret, &id, timestamp, &body))
            .send(&body);
        let came = match answer {
            Ok(answer) => answer.status().as_u16().to_string(),
            Err(error) => error.to_string(),
        };
        output::write(format_args!("{} {id} {came} {} ms\n", event.name, begun.elapsed().as_millis()))
    }
}

/// When an event happened.
fn time(data: &Value) -> Option<Micros> {
    let text = TIMES.iter().find_map(|path| data.pointer(path)?.as_str())?;
    parse_rfc3339(text)
}
