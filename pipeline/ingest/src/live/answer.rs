//! The response of the API, and its meaning: a body to read, or a problem with an error text.
//!
//! A problem never carries a URL, a body or anything else that could hold the key.
//!
//! Source: The Odds API v4 (<https://the-odds-api.com/liveapi/guides/v4/>) and its "API Error Codes"
//! (<https://the-odds-api.com/liveapi/guides/v4/api-error-codes.html>).

use arb_schemas::time::{Micros, SECOND, parse_http_date};
use thiserror::Error;

/// The codes of a key that will not be taken, whatever is asked.
const BAD_KEYS: [&str; 3] = ["INVALID_KEY", "MISSING_KEY", "DEACTIVATED_KEY"];

/// The headers about credits, in every response that has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quota {
    /// `x-requests-remaining`: until they are reset.
    pub remaining: Option<u64>,
    /// `x-requests-used`: since they were reset.
    pub used: Option<u64>,
    /// `x-requests-last`: by this answer.
    pub last: Option<u64>,
}

/// An answer as it came, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// The credits in its headers.
    pub quota: Quota,
    /// Its `Retry-After`, as it was written.
    pub retry_after: Option<String>,
    /// Whether its content type is JSON.
    pub is_json: bool,
    /// Its body, unpacked.
    pub body: String,
}

/// Why there is nothing to read. Each has a sentence for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// No other call will do better.
    #[error("The Odds API does not take the key in ODDS_API_KEY ({0}): set one of an active subscription")]
    BadKey(String),
    /// Until the credits are reset.
    #[error("the credits of this key are used up; polling goes on when they are reset")]
    Exhausted,
    /// A refusal that is neither of these.
    #[error("The Odds API refuses this machine or subscription (status {0})")]
    Refused(u16),
    /// The sport, or what is asked of it, does not exist.
    #[error("The Odds API has nothing of the kind (status {status}, {code})")]
    Gone {
        /// Status code.
        status: u16,
        /// The API's word for it.
        code: String,
    },
    /// Too many calls.
    #[error("The Odds API asks for fewer calls (status 429)")]
    TooMany,
    /// It is down.
    #[error("The Odds API cannot answer (status {0})")]
    Down(u16),
    /// The key would go wherever this leads.
    #[error("The Odds API sends elsewhere (status {0}), which is not followed")]
    Redirected(u16),
    /// Any other status.
    #[error("The Odds API answers with status {0}")]
    Unexpected(u16),
    /// It is not what was asked for.
    #[error("the answer is {0}")]
    Broken(&'static str),
    /// No answer came.
    #[error("no answer: {0}")]
    Unreachable(String),
}

impl Problem {
    /// A word for its kind.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::BadKey(_) => "bad_key",
            Self::Exhausted => "exhausted",
            Self::Refused(_) => "refused",
            Self::Gone { .. } => "gone",
            Self::TooMany => "too_many",
            Self::Down(_) => "down",
            Self::Redirected(_) => "redirected",
            Self::Unexpected(_) => "unexpected",
            Self::Broken(_) => "broken",
            Self::Unreachable(_) => "unreachable",
        }
    }
}

impl Quota {
    /// From the values of the three headers; what is no number is no word.
    pub fn read<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Self {
        let number = |name: &str| credits(header(name)?);
        Self {
            remaining: number("x-requests-remaining"),
            used: number("x-requests-used"),
            last: number("x-requests-last"),
        }
    }
}

impl Answer {
    /// What it means.
    ///
    /// # Errors
    /// The [`Problem`] of any answer that is no JSON with status 200.
    pub fn read(&self) -> Result<&str, Problem> {
        match self.status {
            200 if self.is_json => Ok(&self.body),
            200 => Err(Problem::Broken("no JSON by its content type")),
            300..=399 => Err(Problem::Redirected(self.status)),
            401 => Err(self.refusal()),
            403 => Err(Problem::Refused(403)),
            404 | 422 => Err(Problem::Gone { status: self.status, code: self.code() }),
            408 | 500.. => Err(Problem::Down(self.status)),
            429 => Err(Problem::TooMany),
            status => Err(Problem::Unexpected(status)),
        }
    }

    /// Of a status that is as good for a wrong key as for one without credits.
    fn refusal(&self) -> Problem {
        let code = self.code();
        match code.as_str() {
            "OUT_OF_USAGE_CREDITS" => Problem::Exhausted,
            _ if BAD_KEYS.contains(&code.as_str()) => Problem::BadKey(code),
            _ => Problem::Refused(401),
        }
    }

    /// The API's code of an error; only words of its kind are repeated.
    fn code(&self) -> String {
        #[derive(serde::Deserialize)]
        struct ErrorBody {
            error_code: String,
        }
        let is_word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let error = serde_json::from_str::<ErrorBody>(&self.body).ok().map(|error| error.error_code);
        error
            .filter(|code| code.len() <= 64 && code.chars().all(is_word))
            .unwrap_or_else(|| "no code".to_owned())
    }

    /// The pause that the server requests: seconds, or a date.
    #[must_use]
    pub fn retry_after(&self, now: Micros) -> Option<Micros> {
        let text = self.retry_after.as_deref()?.trim();
        let seconds = text.parse::<u32>().ok().map(|seconds| i64::from(seconds) * SECOND);
        seconds.or_else(|| parse_http_date(text).map(|at| at.saturating_sub(now).max(0)))
    }
}

/// A number of credits; they have been seen with a fraction of nothing.
fn credits(text: &str) -> Option<u64> {
    let text = text.trim();
    let whole = text.split_once('.').map_or(text, |(whole, rest)| if rest == "0" { whole } else { text });
    if whole.bytes().all(|digit| digit.is_ascii_digit()) { whole.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status, quota: Quota::default(), retry_after: None, is_json: true, body: body.to_owned() }
    }

    fn problem(status: u16, code: &str) -> Problem {
        answer(status, &format!(r#"{{"message":"no","error_code":"{code}"}}"#)).read().unwrap_err()
    }

    #[test]
    fn a_refused_key_is_told_from_one_without_credits() {
        assert_eq!(problem(401, "OUT_OF_USAGE_CREDITS"), Problem::Exhausted);
        assert_eq!(problem(401, "INVALID_KEY"), Problem::BadKey("INVALID_KEY".to_owned()));
        assert_eq!(problem(401, "SOMETHING_NEW"), Problem::Refused(401));
        assert_eq!(answer(401, "<html>").read(), Err(Problem::Refused(401)));
        assert_eq!(problem(403, "INVALID_KEY"), Problem::Refused(403));
        let sentence = problem(401, "DEACTIVATED_KEY").to_string();
        assert!(sentence.contains("ODDS_API_KEY (DEACTIVATED_KEY)"), "{sentence}");
    }

    #[test]
    fn each_status_has_its_problem() {
        assert_eq!(answer(200, "[]").read(), Ok("[]"));
        let gone = Problem::Gone { status: 404, code: "UNKNOWN_SPORT".to_owned() };
        assert_eq!(problem(404, "UNKNOWN_SPORT"), gone);
        assert!(matches!(problem(422, "INVALID_REGION"), Problem::Gone { status: 422, .. }));
        assert_eq!(problem(429, "EXCEEDED_FREQ_LIMIT"), Problem::TooMany);
        assert_eq!((problem(500, ""), problem(599, "")), (Problem::Down(500), Problem::Down(599)));
        assert_eq!(
            (problem(302, ""), problem(418, "")),
            (Problem::Redirected(302), Problem::Unexpected(418))
        );
        let page = Answer { is_json: false, ..answer(200, "<html>") };
        assert!(matches!(page.read(), Err(Problem::Broken(_))));
    }

    #[test]
    fn only_an_error_code_of_a_body_is_repeated() {
        for body in [r#"{"error_code":"apiKey=secret"}"#, r#"{"error_code":7}"#, "{", r#"{"error_code":"a"}"#]
        {
            assert!(answer(404, body).read().unwrap_err().to_string().ends_with("(status 404, no code)"));
        }
    }

    #[test]
    fn credits_are_whole_numbers_or_no_word() {
        let quota = |text: &'static str| Quota::read(|_| Some(text)).remaining;
        assert_eq!([quota("499"), quota(" 0 "), quota("12.0")], [Some(499), Some(0), Some(12)]);
        for text in ["", "-1", "many", "1e3", "1.5", "+5", "99999999999999999999999"] {
            assert_eq!(quota(text), None, "{text}");
        }
        assert_eq!(Quota::read(|_| None), Quota::default());
    }

    #[test]
    fn a_wish_is_seconds_or_a_date() {
        let retry_after =
            |text: &str| Answer { retry_after: Some(text.to_owned()), ..answer(429, "") }.retry_after(0);
        assert_eq!((retry_after("7"), retry_after("0")), (Some(7 * SECOND), Some(0)));
        assert_eq!(retry_after("Thu, 01 Jan 1970 00:01:00 GMT"), Some(60 * SECOND));
        assert_eq!(retry_after("Wed, 31 Dec 1969 00:00:00 GMT"), Some(0));
        assert_eq!((retry_after("soon"), retry_after("-1"), retry_after("")), (None, None, None));
        assert_eq!(answer(429, "").retry_after(0), None);
    }
}
