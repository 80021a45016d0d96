//! Verifies endpoints: a signed challenge whose token the receiver echoes; disables those that fail for too long, and tries them again.
//!
//! It never sends an event.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arb_accounts::endpoint::{Endpoint, EndpointState, Policy};
use arb_feed::webhook;
use arb_runtime::stop::Stop;
use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::sender::Sender;

/// How often it is looked what is to be verified.
const LOOK: Duration = Duration::from_millis(250);
/// Between two challenges of an endpoint that has not echoed one: the first pause, which doubles, and the longest.
const FIRST: Micros = 2 * SECOND;
const LONGEST: Micros = 300 * SECOND;
/// Between two challenges of an endpoint that was disabled because it failed.
const PROBE: Micros = 600 * SECOND;
/// For how long every attempt must fail before an endpoint is disabled.
const LIVE_FAILING: Micros = 86_400 * SECOND;
const DURABLE_FAILING: Micros = 3 * 86_400 * SECOND;
/// How the reason of an endpoint begins that was disabled because it failed: those alone are tried again.
const FAILED: &str = "Every attempt has failed since";

/// The type of the challenge.
pub const CHALLENGE: &str = "endpoint.verification";

/// When each endpoint is challenged next, by its revision.
#[derive(Debug, Default)]
struct Pauses(HashMap<String, (u64, Micros, Micros)>);

impl Pauses {
    /// Whether an endpoint is to be challenged now; the pause that follows is noted.
    fn is_due(&mut self, endpoint: &Endpoint, now: Micros) -> bool {
        let is_disabled = endpoint.state == EndpointState::Disabled;
        let begin = if is_disabled { (now + PROBE, PROBE) } else { (now, FIRST) };
        let entry = self.0.entry(endpoint.id.clone()).or_insert((endpoint.revision, begin.0, begin.1));
        if entry.0 != endpoint.revision {
            *entry = (endpoint.revision, begin.0, begin.1);
        }
        let (_, at, pause) = entry;
        if now < *at {
            return false;
        }
        (*at, *pause) = (now + *pause, if is_disabled { PROBE } else { (*pause * 2).min(LONGEST) });
        true
    }
}

/// Verifies until the shutdown signal.
pub async fn run(sender: Arc<Sender>, stop: Stop) {
    let pauses = Mutex::new(Pauses::default());
    while !stop.is_stopped() {
        if sender.schedule.is_owner(0) {
            let now = (sender.clock)();
            for endpoint in sender.endpoints.all().into_iter().filter(|endpoint| is_to_verify(endpoint)) {
                let is_due = pauses.lock().unwrap_or_else(PoisonError::into_inner).is_due(&endpoint, now);
                if is_due {
                    let sender = Arc::clone(&sender);
                    tokio::spawn(async move { challenge(&sender, &endpoint).await });
                }
            }
        }
        disable_failing(&sender);
        tokio::time::sleep(LOOK).await;
    }
}

fn is_to_verify(endpoint: &Endpoint) -> bool {
    match endpoint.state {
        EndpointState::Unverified => true,
        EndpointState::Disabled => endpoint.reason.as_ref().is_some_and(|reason| reason.starts_with(FAILED)),
        EndpointState::Active => false,
    }
}

async fn challenge(sender: &Sender, endpoint: &Endpoint) {
    let now = (sender.clock)();
    let token = sender.key.challenge(&endpoint.id, &endpoint.settings.url);
    let body = json!({
        "type": CHALLENGE,
        "timestamp": to_rfc3339(now),
        "data": {"endpoint": endpoint.id, "challenge": token},
    });
    let id = webhook::id(&format!("challenge/{}/{now}", endpoint.revision), &endpoint.id);
    let answer = sender.post(endpoint, (&id, &body.to_string().into())).await;
    if is_echo(&answer, &token) {
        tracing::info!(endpoint = endpoint.id, "a webhook endpoint is verified");
        sender.set_state(endpoint, EndpointState::Active, None);
    } else {
        let reason = failure(&answer);
        tracing::info!(endpoint = endpoint.id, reason, "a webhook endpoint has not echoed its challenge");
        // Shown to its owner; once for each reason, since a change is a new revision, which is challenged at once.
        if endpoint.state == EndpointState::Unverified && endpoint.reason.as_ref() != Some(&reason) {
            sender.set_state(endpoint, EndpointState::Unverified, Some(&reason));
        }
    }
}

/// Why a challenge has failed, in words for the owner of the endpoint.
fn failure(answer: &Answer) -> String {
    match answer.status {
        None => format!("The challenge was not answered: {}", answer.text),
        Some(status) if answer.is_success() => {
            format!("The challenge was answered {status} without its token.")
        }
        Some(status) => format!("The challenge was answered {status}."),
    }
}

/// Whether an answer is the token, alone or as the field `challenge` of an object.
fn is_echo(answer: &Answer, token: &str) -> bool {
    let text = answer.text.trim();
    let field = || {
        let body: Value = serde_json::from_str(text).ok()?;
        Some(body.get("challenge")?.as_str()? == token)
    };
    answer.is_success() && (text == token || field().unwrap_or(false))
}

fn disable_failing(sender: &Sender) {
    let now = (sender.clock)();
    for (id, since) in sender.schedule.failing() {
        let endpoint = sender.endpoints.get(&id).filter(|endpoint| endpoint.state == EndpointState::Active);
        let Some(endpoint) = endpoint else { continue };
        let limit = if endpoint.settings.policy == Policy::Live { LIVE_FAILING } else { DURABLE_FAILING };
        if now - since >= limit {
            let reason = format!("{FAILED} {}.", to_rfc3339(since));
            sender.set_state(&endpoint, EndpointState::Disabled, Some(&reason));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_echoed_as_text_or_as_a_field_and_with_2xx_alone() {
        let answer =
            |status, text: &str| Answer { status: Some(status), text: text.to_owned(), ..Answer::default() };
        for (answer, expected) in [
            (answer(200, "abc"), true),
            (answer(200, " abc\n"), true),
            (answer(201, r#"{"challenge": "abc"}"#), true),
            (answer(200, r#"{"challenge": "abcd"}"#), false),
            (answer(200, "xabc"), false),
            (answer(200, ""), false),
            (answer(301, "abc"), false),
            (answer(500, "abc"), false),
        ] {
            assert_eq!(is_echo(&answer, "abc"), expected, "{answer:?}");
        }
    }

    #[test]
    fn why_a_challenge_failed_is_a_sentence() {
        let answer = |status, text: &str| Answer { status, text: text.to_owned(), ..Answer::default() };
        for (answer, expected) in [
            (answer(Some(200), "abcd"), "The challenge was answered 200 without its token."),
            (answer(Some(404), "abc"), "The challenge was answered 404."),
            (answer(None, "no answer within 15 s"), "The challenge was not answered: no answer within 15 s"),
        ] {
            assert_eq!(failure(&answer), expected);
        }
    }
}
