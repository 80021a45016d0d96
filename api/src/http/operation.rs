//! What a route says of itself: its method and path, its name, what it is for, what it takes and what it answers.
//!
//! OpenAPI, `llms.txt` and the pages under `/docs` are made from it. Schemas are named as in `description/components.rs`. Pure. It never
//! knows a handler, nor who may call it.

use std::borrow::Cow;

use warp::http::Method;

use super::body::Media;

/// What an answer has for a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Empty,
    /// JSON by a schema.
    Json(&'static str),
    /// The same, or CSV where that is asked for.
    Page(&'static str),
    /// JSON of the schema registry by a schema.
    Registry(&'static str),
    /// Text of a media type.
    Text(&'static str),
}

impl Content {
    /// The schema of its JSON.
    pub(crate) fn schema(self) -> Option<&'static str> {
        match self {
            Self::Json(name) | Self::Page(name) | Self::Registry(name) => Some(name),
            Self::Empty | Self::Text(_) => None,
        }
    }
}

/// Answers other than errors, by their status.
pub(crate) type Answers = &'static [(u16, Content)];

/// The body that a route takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestBody {
    pub(crate) media: Media,
    /// Of a JSON document; of lines, that of the document that has them as a list.
    pub(crate) schema: &'static str,
    pub(super) max_bytes: usize,
}

/// A route as clients know it.
pub(crate) struct Operation {
    pub(super) method: Method,
    pub(super) path: Cow<'static, str>,
    /// The name that generated clients have for it.
    pub(crate) id: Cow<'static, str>,
    /// A sentence.
    pub(crate) summary: Cow<'static, str>,
    /// Without one a body is not read.
    pub(crate) body: Option<RequestBody>,
    pub(crate) answers: Answers,
}

/// Declares a constructor for each method: of a path, a name, a sentence and answers.
macro_rules! methods {
    ($($name:ident $method:ident),+) => {
        $(
            pub(crate) const fn $name(
                path: &'static str,
                id: &'static str,
                summary: &'static str,
                answers: Answers,
            ) -> Operation {
                Operation {
                    method: Method::$method,
                    path: Cow::Borrowed(path),
                    id: Cow::Borrowed(id),
                    summary: Cow::Borrowed(summary),
                    body: None,
                    answers,
                }
            }
        )+
    };
}

methods!(get GET, post POST, put PUT, patch PATCH, delete DELETE);

impl Operation {
    /// The same operation, which takes a JSON document of at most so many bytes.
    pub(crate) const fn with_body(self, schema: &'static str, max_bytes: usize) -> Self {
        self.taking(RequestBody { media: Media::Json, schema, max_bytes })
    }

    /// The same operation, which takes lines of JSON of at most so many bytes, or a document by this schema that has them.
    pub(crate) const fn with_lines(self, schema: &'static str, max_bytes: usize) -> Self {
        self.taking(RequestBody { media: Media::Lines, schema, max_bytes })
    }

    const fn taking(mut self, body: RequestBody) -> Self {
        self.body = Some(body);
        self
    }

    /// What the row of a browser's session says that has the handler of this one: its name and its sentence end otherwise.
    pub(super) fn of_session(&self, id_end: &str, summary_end: &str) -> Self {
        let path = self.path.strip_prefix("/api/v1").unwrap_or(&self.path);
        Self {
            method: self.method.clone(),
            path: format!("/session{path}").into(),
            id: format!("{}{id_end}", self.id).into(),
            summary: format!("{}{summary_end}", self.summary.trim_end_matches('.')).into(),
            ..*self
        }
    }
}
