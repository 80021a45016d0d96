//! The document is that of the route table, whole, and the one that is checked in.

mod published;

use std::collections::BTreeSet;

use arb_accounts::scope::Scope;

use super::*;
use crate::generated::assert_file;
use crate::http::deprecation::day;
use crate::http::operation::{Content, get};
use crate::http::problem::Problem;
use crate::resources::ArbsResource;
use crate::routes::ROUTES;

fn described_now() -> Value {
    document(&ROUTES)
}

/// Every reference in a value.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
            Value::String(to) if name == "$ref" => drop(found.insert(to.clone())),
            value => references(value, found),
        }),
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn each_schema_that_a_route_names_is_a_component_and_each_sentence_is_one() {
    for route in ROUTES.iter() {
        let operation = route.operation();
        let answered = operation.answers.iter().filter_map(|(_, content)| content.schema());
        for name in operation.body.iter().map(|body| body.schema).chain(answered) {
            assert!(COMPONENTS.get(name).is_some(), "{}: {name}", operation.id);
        }
        assert!(operation.summary.ends_with('.'), "{}: {}", operation.id, operation.summary);
        assert!(!operation.answers.is_empty(), "{}", operation.id);
    }
}

#[test]
fn names_are_unique_and_references_lead_somewhere() {
    let document = described_now();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let ids: Vec<_> = operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 60, "{}", found.len());
    for reference in &found {
        assert!(document.pointer(reference.strip_prefix('#').unwrap()).is_some(), "{reference}");
    }
    for schema in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(found.contains(&format!("#/components/schemas/{schema}")), "nothing refers to {schema}");
    }
    for parameter in document["components"]["parameters"].as_object().unwrap().keys() {
        assert!(
            found.contains(&format!("#/components/parameters/{parameter}")),
            "no query takes {parameter}"
        );
    }
}

#[test]
fn every_parameter_is_described() {
    let document = described_now();
    let in_paths =
        document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let in_paths = in_paths.flat_map(|operation| operation["parameters"].as_array().into_iter().flatten());
    let shared = document["components"]["parameters"].as_object().unwrap().values();
    for parameter in in_paths.filter(|parameter| parameter.get("$ref").is_none()).chain(shared) {
        let text = parameter["description"].as_str().unwrap_or_default();
        assert!(text.ends_with('.'), "{parameter}");
    }
    let used = document["paths"].as_object().unwrap().keys();
    for (row, _) in parameters::OF_PATHS {
        assert!(used.clone().any(|path| path.contains(row)), "no path has {row}");
    }
}

#[test]
fn a_name_among_components_has_one_declaration() {
    let shapes: Vec<_> = ROUTES.iter().flat_map(Route::parameters).collect();
    for shape in &shapes {
        let same = shapes.iter().filter(|other| other.component == shape.component);
        assert!(same.clone().all(|other| parameters::whole(other) == parameters::whole(shape)), "{shape:?}");
    }
}

#[test]
fn the_document_that_is_checked_in_is_that_of_the_program() {
    assert_file("ARB_WRITE_OPENAPI", "schemas/openapi/openapi.json", &Description::of(&ROUTES).document);
}

#[test]
fn lines_name_every_route_once() {
    let lines = Description::of(&ROUTES).lines;
    assert_eq!(lines.lines().filter(|line| line.starts_with("- `")).count(), ROUTES.len());
    assert!(lines.contains("- `GET /v1/arbs`: ") && lines.contains("- `GET /api/v1/usage`: "), "{lines}");
    assert!(lines.contains("](/docs/streaming)\n"), "{lines}");
}

/// A table of which a route and a parameter are deprecated.
static MARKED: [Route<()>; 2] = [
    Route::keyed(
        get("/api/v1/arbs", "listArbs", "The board.", &[(200, Content::Json("ArbPage"))]),
        (Scope::BoardRead, 1),
        |(), _, _| Err(Problem::not_found()),
    )
    .taking(ArbsResource::PARAMETERS)
    .deprecating(&[Deprecation {
        parameter: Some("sort"),
        since: "2026-12-01",
        until: Some("2027-06-30"),
        link: "/docs/changelog",
    }]),
    Route::keyed(
        get("/api/v1/books", "listBooks", "Books.", &[(200, Content::Json("BookList"))]),
        (Scope::BoardRead, 1),
        |(), _, _| Err(Problem::not_found()),
    )
    .deprecating(&[Deprecation {
        parameter: None,
        since: "2026-12-01",
        until: None,
        link: "/docs/events",
    }]),
];

#[test]
fn what_is_deprecated_is_described_so_and_its_page_says_what_to_use() {
    let document = document(&MARKED);
    for path in ["/v1/books", "/api/v1/books"] {
        let operation = &document["paths"][path]["get"];
        assert_eq!(operation["deprecated"], true, "{path}");
        assert_eq!(operation["x-deprecation"], json!({"since": "2026-12-01", "link": "/docs/events"}));
    }
    let operation = &document["paths"]["/v1/arbs"]["get"];
    assert!(operation.get("deprecated").is_none());
    let parameters = operation["parameters"].as_array().unwrap();
    let marked: Vec<_> = parameters.iter().filter(|it| it["deprecated"] == true).collect();
    assert_eq!(marked.len(), 1);
    assert_eq!(
        (&marked[0]["name"], &marked[0]["x-deprecation"]["until"]),
        (&"sort".into(), &"2027-06-30".into())
    );
    let pages = Pages::of(&document, "https://arbs.example");
    let page = |name: &str| {
        let page = pages.get(name).unwrap().accepted(&warp::http::HeaderMap::new()).0;
        String::from_utf8(page.to_vec()).unwrap()
    };
    let books = page("listBooks");
    let expected =
        "<strong>Deprecated</strong> since 2026-12-01: <a href=\"/docs/events\">what to use instead</a>.";
    assert!(books.contains(expected), "{books}");
    let arbs = page("listArbs");
    assert_eq!(arbs.matches("<strong>Deprecated</strong>").count(), 1, "{arbs}");
    assert!(arbs.contains("since 2026-12-01 and ends on 2027-06-30"), "{arbs}");
}

#[test]
fn every_mark_in_the_table_has_dates_and_a_parameter_that_the_route_has() {
    for route in ROUTES.iter() {
        for mark in route.deprecations() {
            let until = mark.until.map(|until| day(until).unwrap());
            assert!(until.is_none_or(|until| until > day(mark.since).unwrap()), "{mark:?}");
            let has = |name: &str| route.parameters().iter().any(|shape| shape.name == name);
            assert!(mark.parameter.is_none_or(has), "{mark:?}");
        }
    }
}

#[test]
fn a_key_may_be_asked_for_with_each_scope() {
    let scopes = &COMPONENTS["KeyRequest"]["properties"]["scopes"]["items"]["enum"];
    let listed: BTreeSet<_> =
        scopes.as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()).collect();
    assert_eq!(listed, Scope::ALL.iter().map(|scope| scope.key()).collect());
}
