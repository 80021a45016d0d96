//! Every page is there, leads somewhere, and has no HTML but its own.

use std::collections::BTreeSet;

use warp::http::HeaderMap;

use super::*;
use crate::description::Description;
use crate::routes::ROUTES;

fn document() -> Value {
    serde_json::from_str(&Description::of(&ROUTES).document).unwrap()
}

fn texts() -> Vec<(String, String)> {
    let pages = Pages::of(&document(), "https://arbs.example");
    let plain = |page: &Encoded| String::from_utf8(page.accepted(&HeaderMap::default()).0.to_vec()).unwrap();
    pages.0.iter().map(|(name, page)| (name.clone(), plain(page))).collect()
}

/// What stands behind each occurrence of a mark, up to a quotation mark.
fn quoted<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(mark).skip(1).map(|rest| rest.split('"').next().unwrap())
}

#[test]
fn every_link_leads_to_a_page_and_every_anchor_to_a_heading() {
    let texts = texts();
    let find = |name: &str| texts.iter().find(|(page, _)| page == name);
    let mut links = 0;
    for (page, text) in texts.iter().filter(|(name, _)| name != "style.css") {
        for link in quoted(text, "<a href=\"") {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let name = match path {
                "" => page.as_str(),
                path if path.starts_with("/docs") => path.trim_start_matches("/docs").trim_start_matches('/'),
                _ => continue,
            };
            let (_, target) = find(name).unwrap_or_else(|| panic!("{page}: {link}"));
            let has_anchor = anchor.is_empty() || target.contains(&format!("id=\"{anchor}\""));
            assert!(has_anchor, "{page}: {link}");
            links += 1;
        }
    }
    assert!(links > 300, "{links}");
}

#[test]
fn each_route_has_a_page_and_what_programs_call_has_samples() {
    let texts = texts();
    for described in reference::operations(&document()) {
        let (_, text) = texts.iter().find(|(name, _)| *name == described.id).unwrap();
        let has_samples = ["language-sh", "language-python", "language-js"].map(|class| text.contains(class));
        let is_of_pages = described.name().contains(" /session");
        assert_eq!(has_samples, [!is_of_pages; 3], "{}", described.name());
    }
}

#[test]
fn no_page_has_scripts_or_styles_of_its_own() {
    for (name, text) in texts().iter().filter(|(name, _)| name != "style.css") {
        for forbidden in ["<script", "style=", "onclick", "http-equiv"] {
            assert!(!text.contains(forbidden), "{name}: {forbidden}");
        }
    }
}

#[test]
fn html_in_a_text_is_shown_as_it_is() {
    let page = markdown::page("a <b> `c`", "# x\n\n<img src=a onerror=b>\n\ny <i>z</i>\n");
    assert!(page.contains("<title>a &lt;b&gt; c</title>"), "{page}");
    assert!(page.contains("&lt;img src=a onerror=b&gt;") && page.contains("&lt;i&gt;z"), "{page}");
}

#[test]
fn names_of_guides_are_files_and_routes_have_others() {
    let guides: BTreeSet<_> = guides::GUIDES.iter().map(|guide| guide.name.to_owned()).collect();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/api");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap().trim_end_matches(".md").to_owned());
    assert_eq!(guides, files.collect());
    let names = texts().len();
    assert_eq!(names, guides.len() + reference::operations(&document()).len() + 2);
}
