//! What is deprecated in the route table: a route, or a parameter of its query, with dates and a link to what takes its place.
//!
//! The header fields, `deprecated` in the OpenAPI document and a sentence on the route's page all come from this mark. It never refuses
//! a request: what is deprecated works until it is taken out of the table.
//!
//! Source: RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 9651 (dates in fields), RFC 9110, 5.6.7 (dates of HTTP).

use std::time::{Duration, UNIX_EPOCH};

use arb_schemas::time::{Micros, SECOND, parse_rfc3339};
use serde_json::{Value, json};
use warp::http::header::{HeaderName, LINK};
use warp::http::{HeaderMap, HeaderValue};

use super::parameters;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// A mark in the route table. Dates are days such as `2027-01-31`, which begin in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deprecation {
    /// Only the parameter of the query with this name; without it all of the route.
    pub(crate) parameter: Option<&'static str>,
    /// Since when.
    pub(crate) since: &'static str,
    /// When it ends to work, where that is decided.
    pub(crate) until: Option<&'static str>,
    /// A page that explains what to use in its place.
    pub(crate) link: &'static str,
}

impl Deprecation {
    /// Whether a request uses it.
    fn concerns(&self, query: &str) -> bool {
        self.parameter.is_none_or(|name| parameters::has(query, name))
    }

    /// As documents show it.
    pub(crate) fn shown(&self) -> Value {
        let mut shown = json!({"since": self.since, "link": self.link});
        if let Some(until) = self.until {
            shown["until"] = json!(until);
        }
        shown
    }
}

/// Writes what a request uses of these: the earliest dates, and the links of all.
pub(super) fn write(marks: &[Deprecation], query: &str, headers: &mut HeaderMap) {
    let used = || marks.iter().filter(|mark| mark.concerns(query));
    if let Some(since) = used().filter_map(|mark| day(mark.since)).min() {
        headers.extend(value(&format!("@{}", since / SECOND)).map(|value| (DEPRECATION, value)));
    }
    if let Some(until) = used().filter_map(|mark| day(mark.until?)).min() {
        headers.extend(value(&date(until)).map(|value| (SUNSET, value)));
    }
    for mark in used() {
        let relations = if mark.until.is_some() { "deprecation sunset" } else { "deprecation" };
        if let Some(link) = value(&format!("<{}>; rel=\"{relations}\"; type=\"text/html\"", mark.link)) {
            headers.append(LINK, link);
        }
    }
}

fn value(text: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(text).ok()
}

/// When a day begins.
pub(crate) fn day(text: &str) -> Option<Micros> {
    parse_rfc3339(&format!("{text}T00:00:00Z"))
}

/// A time as HTTP writes it.
fn date(at: Micros) -> String {
    let since_epoch = Duration::from_micros(at.try_into().unwrap_or_default());
    httpdate::fmt_http_date(UNIX_EPOCH + since_epoch)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTE: Deprecation = Deprecation {
        parameter: None,
        since: "2026-12-01",
        until: Some("2027-06-30"),
        link: "/docs/changelog#removed",
    };
    const PARAMETER: Deprecation =
        Deprecation { parameter: Some("sport"), since: "2026-11-24", until: None, link: "/docs/arbs" };

    fn written(marks: &[Deprecation], query: &str) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        write(marks, query, &mut headers);
        let text = |(name, value): (&HeaderName, &HeaderValue)| {
            (name.to_string(), value.to_str().unwrap().to_owned())
        };
        headers.iter().map(text).collect()
    }

    /// The dates are those of GNU date: `date -ud 2026-12-01 +%s` and `date -ud 2027-06-30 +'%a, %d %b %Y %T GMT'`.
    #[test]
    fn the_fields_have_the_forms_of_their_standards() {
        let owned = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [
            owned("deprecation", "@1796083200"),
            owned("sunset", "Wed, 30 Jun 2027 00:00:00 GMT"),
            owned("link", "</docs/changelog#removed>; rel=\"deprecation sunset\"; type=\"text/html\""),
        ];
        assert_eq!(written(&[ROUTE], ""), expected);
    }

    #[test]
    fn a_parameter_counts_where_it_is_used_and_of_several_the_earliest_date() {
        assert_eq!(written(&[PARAMETER], "limit=1&sports=a"), []);
        let both = written(&[ROUTE, PARAMETER], "limit=1&s%70ort=soccer");
        assert_eq!(both[0].1, "@1795478400");
        assert_eq!(both.iter().filter(|(name, _)| name == "link").count(), 2, "{both:?}");
        assert_eq!(both.len(), 4);
    }
}
