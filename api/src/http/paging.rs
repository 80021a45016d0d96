//! Pages: how many entries one has, and where it ended.
//!
//! A cursor is the place of its last entry and the page's filters, opaque to callers.
//!
//! Bound to the order and the filters, not to a snapshot: the next page begins after that place in the list of that
//! moment. It never carries a page of one filter, or of one list, into another.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use warp::http::HeaderValue;

use super::problem::Problem;

/// Entries of a page, unless asked otherwise.
pub(crate) const LIMIT: usize = 100;
/// Most entries of a page.
const MAX_LIMIT: usize = 500;

/// The parameter `limit`.
pub(crate) fn limit(text: &str) -> Result<usize, Problem> {
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| Problem::invalid_param("limit", "must be a whole number from 1 to 500"))
}

/// The parameter `cursor`.
pub(crate) fn cursor<P, F>(text: &str) -> Result<Cursor<P, F>, Problem>
where
    P: Serialize + DeserializeOwned,
    F: Serialize + DeserializeOwned,
{
    Cursor::decode(text)
        .ok_or_else(|| Problem::invalid_param("cursor", "must be a next_cursor of this route"))
}

/// The place after which a page begins, of the cursor that was given for it; `None` of the first page.
///
/// # Errors
/// 400 where the cursor is of other filters.
pub(crate) fn after<P, F: PartialEq>(cursor: Option<Cursor<P, F>>, filter: &F) -> Result<Option<P>, Problem> {
    match cursor {
        Some(cursor) if cursor.filter != *filter => {
            Err(Problem::invalid_param("cursor", "belongs to a page with other filters"))
        }
        cursor => Ok(cursor.map(|cursor| cursor.after)),
    }
}

/// The `Link` to the next page: the path and the query of this one with another cursor.
pub(crate) fn next_link(next: &str, (path, query): (&str, &str)) -> Option<HeaderValue> {
    let others = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != "cursor");
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(others)
        .append_pair("cursor", next)
        .finish();
    HeaderValue::from_str(&format!("<{path}?{query}>; rel=\"next\"")).ok()
}

/// A place, and what the page was filtered by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cursor<P, F> {
    pub(crate) after: P,
    pub(crate) filter: F,
}

impl<P: Serialize + DeserializeOwned, F: Serialize + DeserializeOwned> Cursor<P, F> {
    /// As a parameter.
    pub(crate) fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// From a parameter; `None` for what was never given out.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        serde_json::from_slice(&bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_that_was_never_issued_is_invalid() {
        for text in ["", "bm9uc2Vuc2U", "%%%", "W10"] {
            assert_eq!(Cursor::<String, String>::decode(text), None, "{text}");
        }
    }
}
