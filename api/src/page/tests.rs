//! The page as a browser asks for it, and whether what is checked in is built from the sources beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use arb_accounts::endpoint::EVENTS;
use futures_util::{FutureExt, stream};
use hyper::body::Body;
use sha2::{Digest, Sha256};
use tokio::runtime::Builder;
use warp::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, IF_NONE_MATCH};
use warp::http::{HeaderMap, HeaderValue, Method};

use super::*;
use crate::fixtures::TestApp;
use crate::http::request::Head;

/// Most bytes of scripts that the first view loads, as `br`.
const FIRST_VIEW: usize = 150_000;

fn ask(method: &Method, path: &str, fields: &[(HeaderName, &HeaderValue)]) -> Response {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let _in = runtime.enter();
    let TestApp { app, folder: _folder, .. } = TestApp::new(1, 10, std::time::Duration::from_secs(1));
    let mut headers: HeaderMap =
        fields.iter().map(|(name, value)| (name.clone(), (*value).clone())).collect();
    let service = app.service();
    headers.entry("host").or_insert(HeaderValue::from_static("localhost"));
    let head = Head { method, path, query: "", headers: &headers };
    service.respond(&head, stream::empty::<Result<&[u8], ()>>(), None).now_or_never().unwrap()
}

fn body(response: Response) -> Vec<u8> {
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    while let Some(Some(Ok(frame))) =
        std::future::poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context)).now_or_never()
    {
        bytes.extend_from_slice(&frame.into_data().unwrap());
    }
    bytes
}

#[test]
fn the_document_is_at_the_root_and_names_files_that_are_there() {
    let response = ask(&Method::GET, "/", &[]);
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
    assert_eq!(response.headers()[CACHE_CONTROL], EACH_TIME);
    let document = String::from_utf8(body(response)).unwrap();
    let named: Vec<_> =
        document.split("=\"/assets/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(named.len() >= 3, "{document}");
    for name in named {
        let response = ask(&Method::GET, &format!("/assets/{name}"), &[]);
        assert_eq!(
            (response.status().as_u16(), &response.headers()[CACHE_CONTROL]),
            (200, &HeaderValue::from_static(FOR_EVER))
        );
    }
    assert!(!document.contains("<style") && !document.contains(" style="), "{document}");
    assert_eq!(
        document.matches("<script").count(),
        document.matches("<script type=\"module\" crossorigin src=").count()
    );
}

#[test]
fn every_answer_confines_the_page_and_no_source_may_be_inline() {
    for path in ["/".to_owned(), format!("/assets/{}", ASSETS[0].0)] {
        for method in [Method::GET, Method::HEAD] {
            let response = ask(&method, &path, &[]);
            let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
            assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
            assert!(!policy.contains("http") && !policy.contains('*'), "{policy}");
            assert_eq!(response.headers()["x-content-type-options"], "nosniff");
            assert_eq!(response.headers()["referrer-policy"], "no-referrer");
        }
    }
}

#[test]
fn tags_are_strong_and_those_of_each_coding() {
    let path = format!("/assets/{}", largest().0);
    let tag = |coding: &'static str| {
        let response = ask(&Method::GET, &path, &[(ACCEPT_ENCODING, &HeaderValue::from_static(coding))]);
        (response.headers()[ETAG].clone(), response.headers().get(CONTENT_ENCODING).cloned())
    };
    let (plain, br) = (tag("identity"), tag("br"));
    assert_eq!((plain.1, br.1), (None, Some(HeaderValue::from_static("br"))));
    assert!(plain.0.to_str().unwrap().starts_with('"') && plain.0 != br.0);
    let br = br.0;
    let known = [(ACCEPT_ENCODING, &HeaderValue::from_static("br")), (IF_NONE_MATCH, &br)];
    let response = ask(&Method::GET, &path, &known);
    assert_eq!((response.status().as_u16(), &response.headers()[ETAG]), (304, &br));
    assert!(response.headers().contains_key("content-security-policy") && body(response).is_empty());
    assert_eq!(ask(&Method::GET, &path, &[(IF_NONE_MATCH, &br)]).status(), 200);
}

#[test]
fn what_is_not_there_is_not_found_as_anywhere() {
    for path in [
        "/index.html",
        "/assets/",
        "/assets/index.html",
        "/assets/none.js",
        "/assets/../index.html",
        "/board",
    ] {
        let response = ask(&Method::GET, path, &[]);
        assert_eq!(response.status(), 404, "{path}");
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
    }
    let refused = ask(&Method::POST, "/", &[]);
    assert_eq!(
        (refused.status().as_u16(), &refused.headers()["allow"]),
        (405, &HeaderValue::from_static("GET, HEAD, OPTIONS"))
    );
    let head = ask(&Method::HEAD, "/", &[]);
    assert_eq!((head.status().as_u16(), head.headers().contains_key(CONTENT_LENGTH)), (200, false));
}

/// The page offers each event that an endpoint can choose, and no other one.
#[test]
fn the_page_offers_the_events_that_an_endpoint_can_choose() {
    let names = include_str!("../../dashboard/src/model/names.ts");
    let list = names.split_once("EVENTS: readonly string[] = [").unwrap().1.split_once(']').unwrap().0;
    let mut offered: Vec<_> = list.split(',').map(|name| name.trim().trim_matches('\'')).collect();
    offered.retain(|name| !name.is_empty());
    let mut known = EVENTS.to_vec();
    offered.sort_unstable();
    known.sort_unstable();
    assert_eq!(offered, known);
}

fn largest() -> (&'static str, &'static [u8]) {
    *ASSETS.iter().max_by_key(|(_, bytes)| bytes.len()).unwrap()
}

#[test]
fn all_scripts_together_are_small() {
    let mut total = 0;
    let br = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("br"))]);
    for file in FILES.iter().filter(|file| content_type(file.name).starts_with("text/javascript")) {
        let (form, _) = file.body.accepted(&br);
        let mut plain = Vec::new();
        brotli::Decompressor::new(&*form, 4_096).read_to_end(&mut plain).unwrap();
        assert_eq!(plain, file.body.plain);
        total += form.len();
    }
    println!("{total} bytes of scripts as br");
    assert!((1_000..FIRST_VIEW).contains(&total), "{total}");
}

/// Files that the build reads, by their paths.
fn sources() -> BTreeMap<String, Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("dashboard");
    let mut paths: Vec<PathBuf> =
        ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"]
            .map(|name| root.join(name))
            .into();
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// The same as `sourcesHash` in `vite.config.ts`.
#[test]
fn what_is_checked_in_was_built_from_these_sources() {
    let mut hash = Sha256::new();
    for (name, text) in sources() {
        hash.update(format!("{name}\n{}\n", text.len()));
        hash.update(text);
    }
    let mut expected = String::new();
    for byte in hash.finalize() {
        write!(expected, "{byte:02x}").unwrap();
    }
    let built = include_str!("../../dashboard/dist/sources.sha256").trim();
    assert_eq!(built, expected, "run `npm ci && npm run build` in api/dashboard and commit dist");
}
