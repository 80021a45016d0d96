//! `GET /openapi.json`, `GET /asyncapi.json`, `GET /llms.txt` and `GET /docs`: the API described, for programs, for language models and for people.
//!
//! Anybody may read them. Paths in them are without a host, which clients resolve by where they have read them; pages show the host by
//! which they are asked for in their samples. It never describes anything itself.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use warp::http::HeaderValue;
use warp::http::header::CONTENT_TYPE;
use warp::reply::Response;

use crate::description::Description;
use crate::docs::{self, Pages};
use crate::http::caching::Caching;
use crate::http::etag::Tag;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::http::site::Site;
use crate::page;

/// The API described.
#[derive(Debug)]
pub(crate) struct DescriptionResource {
    description: &'static Description,
    site: Site,
    /// By the URL of the site, of which there are as many as it has hosts.
    pages: Mutex<BTreeMap<String, Arc<Pages>>>,
}

impl DescriptionResource {
    /// Of a description, as the callers of a site read it.
    pub(crate) fn new(description: &'static Description, site: Site) -> Self {
        Self { description, site, pages: Mutex::default() }
    }

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
        let pages = self.pages(self.site.url(request.headers()));
        let page = pages.get(name).ok_or_else(Problem::not_found)?;
        let media = if name == docs::STYLE_NAME { "text/css; charset=utf-8" } else { reply::HTML };
        Ok(page::file(page, media, page::EACH_TIME, request))
    }

    /// The pages as those read them who reach the site by this URL; made when the first is asked for.
    fn pages(&self, url: String) -> Arc<Pages> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let made = pages.entry(url).or_insert_with_key(|url| Arc::new(self.description.pages(url)));
        Arc::clone(made)
    }
}

fn answer(request: &Request<'_>, text: &'static str, media: &'static str) -> Response {
    let tag = Tag::of(text.as_bytes());
    if tag.is_known_to(request.headers()) {
        return Caching::PUBLIC.not_modified(&tag);
    }
    let mut response = Response::new(text.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    Caching::PUBLIC.describe(&tag, headers);
    response
}
