//! The page that says who may affect whom names every route that changes something, with its right.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// By right: the routes of a table's rows. A session has no scope.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let page = include_str!("../../../../docs/architecture/influence.md");
    let mut rights = BTreeMap::<String, BTreeSet<String>>::new();
    for row in page.lines().filter(|line| line.starts_with("| ") && line.contains(" /")) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let right = cells[1].split('`').nth(1).unwrap_or("cookie").to_owned();
        rights
            .entry(right)
            .or_default()
            .extend(cells[2].split(", ").map(|route| route.trim_matches('`').to_owned()));
    }
    rights
}

/// By right: the routes of the table that are no reads, without the second surface.
fn of_table() -> BTreeMap<String, BTreeSet<String>> {
    let mut rights = BTreeMap::<String, BTreeSet<String>>::new();
    for line in ROUTES.iter().flat_map(crate::http::route::Route::lines) {
        let parts: Vec<_> = line.split('`').collect();
        let (method, path) = parts[1].split_once(' ').unwrap();
        if method != "GET" && !path.starts_with("/api/") {
            let right = if parts.len() > 4 { parts[3] } else { "cookie" };
            rights.entry(right.to_owned()).or_default().insert(parts[1].to_owned());
        }
    }
    rights
}

#[test]
fn every_route_that_changes_something_says_whom_it_can_affect() {
    let (mut documented, table) = (documented(), of_table());
    // Rights beside another one, which no route asks for by itself.
    let push = documented.remove("events:write");
    assert_eq!(push.as_ref(), documented.get("ticks:write"));
    let report = documented.remove("results:any");
    assert_eq!(report.as_ref(), documented.get("results:write"));
    assert_eq!(documented, table);
}
