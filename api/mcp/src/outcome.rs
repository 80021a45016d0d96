//! What the API answered, as the result of a call: JSON, or a problem with what to do about it. Pure.
//!
//! A problem is an error of the tool and not of the protocol: whoever called reads it and can act. It never adds to an answer.
//!
//! Source: RFC 9457, Problem Details for HTTP APIs; Model Context Protocol, "Tools", "Error Handling".

use serde_json::Value;

use crate::client::ApiAnswer;

/// What a call comes to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// The answer.
    Json(Value),
    /// What went wrong, and what to do.
    Failed(String),
}

impl Outcome {
    /// Of what the API at an address answered, or why it did not.
    pub(crate) fn of(url: &str, answered: Result<ApiAnswer, String>) -> Self {
        let answer = match answered {
            Ok(answer) => answer,
            Err(reason) => return Self::Failed(no_answer(url, &reason)),
        };
        let body = serde_json::from_str::<Value>(&answer.body).ok().filter(Value::is_object);
        match body {
            Some(body) if (200..300).contains(&answer.status) => Self::Json(body),
            Some(problem) if problem["title"].is_string() => Self::Failed(explained(&problem, &answer)),
            _ => Self::Failed(format!(
                "{url} answered {} without JSON, which the API does not do. Is it the address of the API?",
                answer.status
            )),
        }
    }
}

fn no_answer(url: &str, reason: &str) -> String {
    format!(
        "The API at {url} does not answer: {reason}. Start it (arb up or arb serve), or give its address by --url or ARB_URL."
    )
}

/// A problem with its title, its status, its detail, and what to do.
fn explained(problem: &Value, answer: &ApiAnswer) -> String {
    let text = |name: &str| problem[name].as_str().unwrap_or_default();
    let kind = text("type").rsplit('/').next().unwrap_or_default();
    let told = format!("{} ({}): {}", text("title"), answer.status, text("detail"));
    match remedy(kind, answer) {
        Some(remedy) => format!("{told} {remedy}"),
        None => told,
    }
}

/// What to do about a kind of problem.
fn remedy(kind: &str, answer: &ApiAnswer) -> Option<String> {
    if let Some(seconds) = answer.retry_after {
        return Some(format!("Try again in {}.", span(seconds)));
    }
    let remedy = match (kind, answer.status) {
        ("invalid-request", _) => "Correct the arguments; the tool's schema has the values of each.",
        (_, 401) => {
            "Set ARB_KEY, or the file that --key-file names, to a valid key, and start this server again."
        }
        ("insufficient-scope", _) => "Create a key that has it, and start this server again with that key.",
        ("address-not-allowed", _) => {
            "Use a key without this restriction, or call from an address that it allows."
        }
        (_, 404) => "Take the id from a list: what is over is no longer listed.",
        (_, 500..) => "Try again later.",
        _ => return None,
    };
    Some(remedy.to_owned())
}

/// A time in two units at most.
fn span(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds.div_ceil(60), seconds.div_ceil(3_600), seconds / 86_400);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{minutes} min"),
        7_200..=172_799 => format!("{hours} h"),
        _ => format!("{days} d {} h", (seconds % 86_400).div_ceil(3_600)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const URL: &str = "http://a";

    fn outcome(status: u16, retry_after: Option<u64>, body: &str) -> Outcome {
        Outcome::of(URL, Ok(ApiAnswer { status, retry_after, body: body.to_owned() }))
    }

    fn problem(status: u16, retry_after: Option<u64>, kind: &str) -> String {
        let body =
            json!({"type": format!("/problems/{kind}"), "title": "T", "status": status, "detail": "D."});
        match outcome(status, retry_after, &body.to_string()) {
            Outcome::Failed(text) => text,
            Outcome::Json(body) => panic!("{body}"),
        }
    }

    #[test]
    fn an_answer_is_what_the_api_says() {
        assert_eq!(outcome(200, None, "{\"arbs\":[]}"), Outcome::Json(json!({"arbs": []})));
        assert_eq!(
            outcome(202, Some(1), "{\"id\":\"a\"}"),
            Outcome::Json(json!({"id": "a"})),
            "a scan that goes on"
        );
    }

    #[test]
    fn a_problem_says_what_to_do() {
        assert_eq!(
            problem(400, None, "invalid-request"),
            "T (400): D. Correct the arguments; the tool's schema has the values of each."
        );
        assert!(problem(401, None, "unauthorized").contains("ARB_KEY"));
        assert!(problem(403, None, "insufficient-scope").ends_with("with that key."));
        assert_eq!(problem(403, None, "forbidden"), "T (403): D.");
        assert!(problem(404, None, "not-found").contains("Take the id from a list"));
        assert!(problem(503, None, "unavailable").ends_with("Try again later."));
    }

    #[test]
    fn a_limit_says_when_to_try_again() {
        assert_eq!(problem(429, Some(3), "rate-limited"), "T (429): D. Try again in 3 s.");
        assert!(problem(429, Some(570_000), "quota-exceeded").ends_with("Try again in 6 d 15 h."));
        assert_eq!([119, 120, 7_199, 7_200, 172_799].map(span), ["119 s", "2 min", "120 min", "2 h", "48 h"]);
    }

    #[test]
    fn what_is_no_answer_of_the_api_is_said_so() {
        for (status, body) in [(200, "<html>"), (502, "Bad Gateway"), (200, "[]"), (302, "")] {
            let Outcome::Failed(text) = outcome(status, None, body) else { panic!("{body}") };
            assert!(text.contains(&format!("{URL} answered {status} without JSON")), "{text}");
        }
        let Outcome::Failed(text) = Outcome::of(URL, Err("connection refused".to_owned())) else {
            unreachable!()
        };
        assert!(text.contains("does not answer: connection refused") && text.contains("--url"), "{text}");
    }
}
