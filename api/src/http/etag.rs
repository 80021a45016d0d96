//! Entity tags: what an answer's bytes are called, and whether a caller has them already.
//!
//! The tags of answers are weak: equal tags mean equal content, not equal bytes on the wire. Those of files are strong. It never looks at the
//! caller: the same page has the same tag for every key, on either surface and on any instance.
//!
//! Source: RFC 9110, 8.8.3 (entity tags) and 13.1.2 (If-None-Match, which compares weakly).

use std::hash::{DefaultHasher, Hasher};

use warp::http::header::IF_NONE_MATCH;
use warp::http::{HeaderMap, HeaderValue};

/// An entity tag, as its header spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag(HeaderValue);

impl Tag {
    /// The tag of a body: a hash of 64 bits, the same in every process of this program. No caller controls
    /// the content of a page, so two tags are equal only by chance.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::spelt(&format!("W/{}", quoted(bytes)))
    }

    /// The strong tag of bytes as they are sent.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        Self::spelt(&quoted(bytes))
    }

    fn spelt(text: &str) -> Self {
        Self(HeaderValue::from_str(text).unwrap_or_else(|_| unreachable!("digits and quotes")))
    }

    /// As a header.
    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }

    /// Whether a request is for nothing but another answer than this one. What is no list of tags names none.
    pub(crate) fn is_known_to(&self, headers: &HeaderMap) -> bool {
        let lists = headers.get_all(IF_NONE_MATCH).iter();
        lists.filter_map(|value| value.to_str().ok()).any(|list| {
            list.trim() == "*" || opaque_tags(list).any(|tag| tag.as_bytes() == opaque(self.0.as_bytes()))
        })
    }
}

/// The hash of bytes, in quotes.
fn quoted(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("\"{:016x}\"", hasher.finish())
}

/// Whether a request names tags at all.
pub(crate) fn is_conditional(headers: &HeaderMap) -> bool {
    headers.contains_key(IF_NONE_MATCH)
}

/// A tag of this server without the prefix that marks it as weak.
fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

/// The tags of a list with their quotes, whether they are weak or not, up to what is none. A tag may hold a comma.
fn opaque_tags(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let tag = rest.trim_start_matches([' ', '\t', ',']);
        let tag = tag.strip_prefix("W/").unwrap_or(tag);
        let end = tag.strip_prefix('"')?.find('"')? + 2;
        rest = &tag[end..];
        Some(&tag[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (IF_NONE_MATCH, value.parse().unwrap())).collect()
    }

    #[test]
    fn a_tag_depends_on_the_bytes_only() {
        assert_eq!(Tag::of(b"{}"), Tag::of(b"{}"));
        assert_ne!(Tag::of(b"{}"), Tag::of(b"[]"));
        let text = Tag::of(b"{}").header();
        assert!(text.to_str().unwrap().starts_with("W/\"") && text.len() == 20, "{text:?}");
    }

    #[test]
    fn a_list_names_a_tag_weakly() {
        let tag = Tag::of(b"page");
        let weak = tag.header().to_str().unwrap().to_owned();
        let strong = weak.strip_prefix("W/").unwrap();
        for values in [
            &[&*weak][..],
            &[strong],
            &["*"],
            &[" * "],
            &[&format!("\"a,b\", {weak}")],
            &[&format!("W/\"other\",{strong} ,\"x\"")],
            &["\"other\"", &weak],
        ] {
            assert!(tag.is_known_to(&asking(values)), "{values:?}");
        }
    }

    #[test]
    fn a_header_without_the_tag_does_not_match() {
        let tag = Tag::of(b"page");
        let weak = tag.header().to_str().unwrap().to_owned();
        let bare = weak.trim_start_matches("W/").trim_matches('"').to_owned();
        for values in [
            &[][..],
            &[""],
            &["W/\"other\""],
            &[&*bare],
            &[&format!("\"{bare}")],
            &[&format!("nonsense, {weak}")],
            &[&format!("\"x{bare}\"")],
            &["\"*\""],
            &[&format!("\"{bare},\"")],
        ] {
            assert!(!tag.is_known_to(&asking(values)), "{values:?}");
        }
        assert!(is_conditional(&asking(&["x"])) && !is_conditional(&HeaderMap::new()));
    }
}
