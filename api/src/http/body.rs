//! The body of a request, read within a limit and a time.
//!
//! A chunked body needs no length. It never keeps more than the limit of the row, and never looks into it.

use std::pin::pin;
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes};
use futures_util::{Stream, StreamExt};
use tokio::time::timeout;
use warp::http::HeaderMap;
use warp::http::header::{CONTENT_LENGTH, CONTENT_TYPE};

use super::problem::Problem;

/// Time for the whole of a body.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    /// One JSON document.
    Json,
    /// A JSON document a line, or one document that has them as a list.
    Lines,
}

impl Media {
    /// The types that may be declared; the first is the one to use.
    pub(crate) fn types(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["application/json"],
            Self::Lines => &["application/x-ndjson", "application/ndjson", "application/json"],
        }
    }
}

/// Whether a body is declared as one JSON document.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    is_declared_as(headers, Media::Json)
}

/// Reads a body of at most so many bytes.
///
/// # Errors
/// 415 for another content type, 413 for too many bytes, 408 for a body that takes too long, 400 for one that
/// is cut off.
pub(super) async fn read<B: Buf, E>(
    headers: &HeaderMap,
    body: impl Stream<Item = Result<B, E>>,
    (media, max_bytes): (Media, usize),
) -> Result<Bytes, Problem> {
    if !is_declared_as(headers, media) {
        return Err(Problem::unsupported_media_type(media.types()[0]));
    }
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > max_bytes as u64) {
        return Err(Problem::payload_too_large(max_bytes));
    }
    let read = timeout(TIMEOUT, read_all(body, max_bytes)).await;
    read.unwrap_or_else(|_| {
        Err(Problem::request_timeout("The body of the request was not complete in time."))
    })
}

async fn read_all<B: Buf, E>(
    body: impl Stream<Item = Result<B, E>>,
    max_bytes: usize,
) -> Result<Bytes, Problem> {
    let (mut body, mut bytes) = (pin!(body), Vec::new());
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|_| Problem::bad_request("The body of the request is not complete."))?;
        if piece.remaining() > max_bytes - bytes.len() {
            return Err(Problem::payload_too_large(max_bytes));
        }
        bytes.put(piece);
    }
    Ok(bytes.into())
}

/// Whether the body is declared as a medium, whatever its parameters.
fn is_declared_as(headers: &HeaderMap, media: Media) -> bool {
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let declared = declared.split(';').next().unwrap_or_default().trim();
    media.types().iter().any(|name| declared.eq_ignore_ascii_case(name))
}
