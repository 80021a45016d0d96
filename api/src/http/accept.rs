//! What type of body a request asks for. It never refuses one: what is not offered is answered as JSON.
//!
//! Source: RFC 9110, 12.5.1 (Accept).

use warp::http::HeaderMap;
use warp::http::header::ACCEPT;

/// The type of an answer in CSV.
pub(crate) const CSV: &str = "text/csv; charset=utf-8; header=present";

/// Whether a request names `text/csv` in its Accept header, at least as much wanted as JSON where that is named too.
pub(crate) fn wants_csv(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<_> = lists.flat_map(|list| list.split(',')).filter_map(range).collect();
    let quality = |name: &str| {
        ranges.iter().find(|(range, _)| range.eq_ignore_ascii_case(name)).map_or(0.0, |(_, quality)| *quality)
    };
    let csv = quality("text/csv");
    csv > 0.0 && csv >= quality("application/json")
}

/// A media range without its parameters, and its quality; `None` for what is none.
fn range(text: &str) -> Option<(&str, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    let quality = quality.map_or(Some(1.0), |text| text.parse().ok())?;
    (0.0..=1.0).contains(&quality).then_some((name, quality))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_answered_where_it_is_named() {
        for (text, expected) in [
            ("text/csv", true),
            ("TEXT/CSV; charset=utf-8", true),
            ("text/csv, */*;q=0.1", true),
            ("application/json, text/csv", true),
            ("application/json, text/csv;q=0.9", false),
            ("text/csv;q=0", false),
            ("text/csv;q=2", false),
            ("text/*", false),
            ("*/*", false),
            ("text/html,application/xhtml+xml", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT, text.parse().unwrap())]);
            assert_eq!(wants_csv(&headers), expected, "{text}");
        }
        assert!(!wants_csv(&HeaderMap::new()));
    }
}
