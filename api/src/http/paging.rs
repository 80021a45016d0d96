//! Pages: how many entries one has, and where it ended.
//!
//! A cursor is the place of its last entry and the page's filters, opaque to callers.
//!
//! Bound to the order and the filters, not to a snapshot: the next page begins after that place in the list of that
//! moment. It never carries a page of one filter, or of one list, into another.

use arb_feed::filter::parameter::{Parameter, ParameterShape, Values};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use warp::http::HeaderValue;

use super::parameters::parameters;
use super::problem::Problem;
use super::query::{self, Query};

/// Entries of a page.
pub(crate) const LIMIT: &Parameter<u64> =
    &Parameter::whole("limit", "Entries of a page.", (1, 500)).defaulting("100");
/// Where the page before ended.
const CURSOR: &Parameter<String> = &Parameter::new(
    "cursor",
    "The next_cursor of the page before, with the same filters.",
    Values::Text { least: 2, most: 16_384, pattern: Some("^[A-Za-z0-9_-]+$") },
    |_, text| Some(text.to_owned()),
)
.because("must be a next_cursor of this route");

/// A page, as a query asks for it.
#[derive(Debug)]
pub(crate) struct PageAsk<P, F> {
    pub(crate) filter: F,
    pub(crate) limit: usize,
    pub(crate) cursor: Option<Cursor<P, F>>,
}

impl<P, F> PageAsk<P, F>
where
    P: Serialize + DeserializeOwned,
    F: Query + Serialize + DeserializeOwned + PartialEq,
{
    /// From a query, which adds to a filter.
    ///
    /// # Errors
    /// 400 for a parameter that is unknown, and for an invalid value.
    pub(crate) fn of(query: &str, filter: F, most: &Parameter<u64>) -> Result<Self, Problem> {
        let mut ask = Self { filter, limit: entries(most.default_value().unwrap_or_default()), cursor: None };
        for (name, value) in parameters(query)? {
            match &*name {
                "limit" => ask.limit = entries(most.parse(&value)?),
                "cursor" => ask.cursor = Some(Cursor::decode(&value).ok_or_else(|| CURSOR.refused())?),
                _ if ask.filter.take(&name, &value)? => {}
                _ => return Err(query::unknown(&name)),
            }
        }
        Ok(ask)
    }

    /// The filter, the most entries, and the place after which the page begins.
    ///
    /// # Errors
    /// As [`after`].
    pub(crate) fn begin(self) -> Result<(F, usize, Option<P>), Problem> {
        let after = after(self.cursor, &self.filter)?;
        Ok((self.filter, self.limit, after))
    }
}

/// The same parameters for documents.
pub(crate) fn parameters_of_page<F: Query>() -> Vec<&'static ParameterShape> {
    parameters_of_limited::<F>(LIMIT)
}

/// The same where pages have another limit.
pub(crate) fn parameters_of_limited<F: Query>(
    limit: &'static Parameter<u64>,
) -> Vec<&'static ParameterShape> {
    let mut all = query::parameters_of::<F>();
    all.extend([&limit.shape, &CURSOR.shape]);
    all
}

fn entries(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
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
