//! `GET /openapi.json`, `GET /asyncapi.json`, `GET /llms.txt` and `GET /docs`: the API described, for programs, for language models and for people.
//!
//! Anybody may read them. It never describes anything itself.

use warp::http::HeaderValue;
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use warp::reply::Response;

use crate::description::Description;
use crate::docs;
use crate::http::etag::Tag;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::page;
use crate::resources::list;

/// The API described.
#[derive(Debug)]
pub(crate) struct DescriptionResource {
    pub(crate) description: &'static Description,
}

impl DescriptionResource {
    /// Answers `GET /openapi.json`.
    pub(crate) fn document(&self, request: &Request<'_>) -> Response {
        answer(request, &self.description.document, "application/json")
    }

    /// Answers `GET /asyncapi.json`.
    pub(crate) fn channels(&self, request: &Request<'_>) -> Response {
        answer(request, &self.description.channels, "application/json")
    }

    /// Answers `GET /llms.txt`.
    pub(crate) fn lines(&self, request: &Request<'_>) -> Response {
        answer(request, &self.description.lines, "text/plain; charset=utf-8")
    }

    /// Answers `GET /docs` and `GET /docs/{name}`.
    pub(crate) fn page(&self, request: &Request<'_>, name: &str) -> Answer {
        let page = self.description.pages().get(name).ok_or_else(Problem::not_found)?;
        let media = if name == docs::STYLE_NAME { "text/css; charset=utf-8" } else { reply::HTML };
        Ok(page::file(page, media, page::EACH_TIME, request))
    }
}

fn answer(request: &Request<'_>, text: &'static str, media: &'static str) -> Response {
    let tag = Tag::of(text.as_bytes());
    if tag.is_known_to(request.headers()) {
        return list::not_modified(&tag);
    }
    let mut response = Response::new(text.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(ETAG, tag.header());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    response
}
