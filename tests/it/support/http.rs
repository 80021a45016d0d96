//! A plain HTTP client: every status is an answer.

use serde_json::Value;
use ureq::{Agent, AsSendBody};

use super::wait_for;

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: ureq::http::HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Whether an answer is that the instance does not know at the moment whether keys are valid, has no quota leased, or still reads what is
/// asked for: the documents of these problems tell clients to ask again. After a second in which a machine stands still every instance
/// answers so, and a ready one has not read all of its topics.
pub(crate) fn is_for_later(body: &str) -> bool {
    ["/problems/accounts-unavailable", "being read; try again"].iter().any(|it| body.contains(it))
}

/// Asks again while the answer is for later.
pub(crate) fn once_it_knows(ask: impl Fn() -> Option<Answer>) -> Option<Answer> {
    wait_for("the instance can answer", || {
        let answer = ask();
        // The answer to HEAD has no body.
        let is_later =
            |answer: &Answer| answer.status == 503 && (answer.body.is_empty() || is_for_later(&answer.body));
        (!answer.as_ref().is_some_and(is_later)).then_some(answer)
    })
}

/// Sends a request with headers; `None` when no server answers, or not to the end.
pub(crate) fn request(method: &str, url: &str, headers: &[(&str, &str)]) -> Option<Answer> {
    run(method, url, headers, ())
}

/// The same with a body.
pub(crate) fn send(method: &str, url: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Option<Answer> {
    run(method, url, headers, body)
}

fn run(method: &str, url: &str, headers: &[(&str, &str)], body: impl AsSendBody) -> Option<Answer> {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let request = headers
        .iter()
        .fold(ureq::http::Request::builder().method(method).uri(url), |request, (name, value)| {
            request.header(*name, *value)
        });
    let mut answer = agent.run(request.body(body).unwrap()).ok()?;
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    // The client decodes what a head announces, also where there is no body.
    let body = if method == "HEAD" { String::new() } else { answer.body_mut().read_to_string().ok()? };
    Some(Answer { status, headers, body })
}
