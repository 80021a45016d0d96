//! Pages for people, under `/docs`: the guides of `docs/api`, and a page for each route.
//!
//! - `guides`: which guides there are; `reference`: the text of a route's page; `meanings`: what the guides say of fields; `samples`: how a route
//!   is called from a shell, from Python and from JavaScript; `markdown`: text as HTML.
//!
//! All of it is one text in Markdown for each page, from the files of the repository and from the OpenAPI document, so that nothing is written twice. A page has no script and loads nothing but its style. It never shows anything of an account.

mod first_page;
mod guides;
mod markdown;
mod meanings;
mod reference;
mod samples;

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;

use crate::http::encoding::Encoded;

/// The name of the style of all pages.
pub(crate) const STYLE_NAME: &str = "style.css";
/// The style of all pages.
const STYLE: &str = include_str!("docs/style.css");

/// All pages, by name; the first page has an empty one.
#[derive(Debug)]
pub(crate) struct Pages(BTreeMap<String, Encoded>);

impl Pages {
    /// Of a document of OpenAPI, for those who reach the API by this URL.
    pub(crate) fn of(document: &Value, url: &str) -> Self {
        let operations = reference::operations(document);
        let reference = reference::Reference::of(document, url);
        let first = (String::new(), "Arbitrage Board".to_owned(), first_page::text(&operations));
        let guides = guides::GUIDES.iter().map(|guide| {
            let text = guide.text.replace(guides::LOCAL_URL, url);
            (guide.name.to_owned(), markdown::title(guide.text).to_owned(), text)
        });
        let routes = operations
            .iter()
            .map(|operation| (operation.id.clone(), operation.name(), reference.text(operation)));
        let pages =
            [first].into_iter().chain(guides).chain(routes).map(|(name, title, text)| {
                (name, Encoded::of_file(Bytes::from(markdown::page(&title, &text))))
            });
        let style = (STYLE_NAME.to_owned(), Encoded::of_file(Bytes::from_static(STYLE.as_bytes())));
        Self(pages.chain([style]).collect())
    }

    /// A page, or the style.
    pub(crate) fn get(&self, name: &str) -> Option<&Encoded> {
        self.0.get(name)
    }
}

/// The guides: their names and their titles.
pub(crate) fn guides() -> impl Iterator<Item = (&'static str, &'static str)> {
    guides::GUIDES.iter().map(|guide| (guide.name, markdown::title(guide.text)))
}

/// What a kind of error means, as a page.
pub(crate) fn problem(title: &str, text: &str) -> String {
    markdown::page(title, &format!("# {title}\n\n{text}\n\n[All errors](/docs/errors)\n"))
}

#[cfg(test)]
mod tests;
