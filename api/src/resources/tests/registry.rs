//! The schema registry, asked as its clients ask.

use arb_schemas::wire::RecordType;
use serde_json::json;
use warp::http::Method;

use super::{Received, Site};

fn get(site: &Site, path: &str) -> Received {
    site.send(&Method::GET, path, &[], b"")
}

#[test]
fn a_schema_is_found_by_its_id_and_by_subject_and_version() {
    let site = Site::new();
    let id = RecordType::ArbWindow as u32;
    let by_id = get(&site, &format!("/registry/schemas/ids/{id}")).json();
    assert_eq!(
        by_id["references"],
        json!([{"name": "arb.v1.BoardEntry", "subject": "arb.v1.BoardEntry", "version": 1}])
    );
    let place = get(&site, &format!("/registry/schemas/ids/{id}/versions")).json();
    assert_eq!(place, json!([{"subject": "arb.v1.ArbWindow", "version": 1}]));
    let version = get(&site, "/registry/subjects/arb.v1.ArbWindow/versions/1").json();
    assert_eq!((&version["id"], &version["schema"]), (&json!(id), &by_id["schema"]));
    for latest in ["latest", "-1"] {
        assert_eq!(
            get(&site, &format!("/registry/subjects/arb.v1.ArbWindow/versions/{latest}")).json(),
            version
        );
    }
    assert_eq!(get(&site, "/registry/subjects/arb.v1.ArbWindow/versions").json(), json!([1]));
    assert_eq!(get(&site, &format!("/registry/schemas/ids/{id}/schema")).json()["name"], "ArbWindow");
}

#[test]
fn what_is_not_there_has_the_error_of_a_registry() {
    let site = Site::new();
    for (path, status, code) in [
        ("schemas/ids/9999", 404, 40_403),
        ("schemas/ids/x", 404, 40_403),
        ("schemas/ids/10/schema", 404, 40_403),
        ("subjects/arb.v1.Nothing/versions", 404, 40_401),
        ("subjects/arb.v1.Frame/versions/99", 404, 40_402),
        ("subjects/arb.v1.Frame/versions/0", 422, 42_202),
    ] {
        let answer = get(&site, &format!("/registry/{path}"));
        assert_eq!((answer.status, answer.json()["error_code"].as_u64()), (status, Some(code)), "{path}");
        assert_eq!(answer.headers["content-type"], "application/vnd.schemaregistry.v1+json");
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
}
