//! The document is that of the route table, whole, and the one that is checked in.

mod published;

use std::collections::BTreeSet;

use super::*;
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
fn every_route_is_described_and_nothing_else() {
    let table: BTreeSet<_> = ROUTES
        .iter()
        .flat_map(|route| {
            route
                .patterns()
                .map(|pattern| (route.method().to_string(), operations::plain(pattern).to_owned()))
        })
        .collect();
    let described: BTreeSet<_> = OPERATIONS.iter().map(|it| (it.method.clone(), it.path.clone())).collect();
    assert_eq!(table, described);
    assert_eq!(described.len(), OPERATIONS.len(), "none twice");
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
    let rows = read(PATH_PARAMETERS);
    let used = document["paths"].as_object().unwrap().keys();
    for row in rows.as_object().unwrap().keys() {
        assert!(used.clone().any(|path| path.contains(row)), "no path has {row}");
    }
}

#[test]
fn the_document_that_is_checked_in_is_that_of_the_program() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/openapi/openapi.json");
    let now = Description::of(&ROUTES).document;
    #[expect(clippy::disallowed_methods, reason = "a switch of this test alone")]
    if std::env::var_os("ARB_WRITE_OPENAPI").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap() == now,
        "ARB_WRITE_OPENAPI=1 cargo test -p arb-api description"
    );
}

#[test]
fn lines_name_every_route_once() {
    let lines = Description::of(&ROUTES).lines;
    assert_eq!(lines.lines().filter(|line| line.starts_with("- `")).count(), OPERATIONS.len());
}
