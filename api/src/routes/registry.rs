//! The schemas of the topics, as a schema registry of Confluent shows them.

use super::Row;
use crate::http::operation::Content::Registry;
use crate::http::operation::get;
use crate::resources::registry;

pub(super) const ROWS: [Row; 9] = [
    Row::open(
        get(
            "/registry/config",
            "registryConfig",
            "How versions of a schema may differ.",
            &[(200, Registry("RegistryConfig"))],
        ),
        |_, _| registry::config(),
    ),
    Row::open(
        get("/registry/mode", "registryMode", "READONLY.", &[(200, Registry("RegistryMode"))]),
        |_, _| registry::mode(),
    ),
    Row::open(
        get("/registry/schemas/types", "registryTypes", "AVRO.", &[(200, Registry("Names"))]),
        |_, _| registry::types(),
    ),
    Row::open(
        get(
            "/registry/schemas/ids/{id}",
            "schemaById",
            "A schema by its id.",
            &[(200, Registry("RegistrySchema"))],
        ),
        |_, request| registry::by_id(request),
    ),
    Row::open(
        get(
            "/registry/schemas/ids/{id}/schema",
            "schemaTextById",
            "A schema alone.",
            &[(200, Registry("Document"))],
        ),
        |_, request| registry::text_by_id(request),
    ),
    Row::open(
        get(
            "/registry/schemas/ids/{id}/versions",
            "versionsOfId",
            "Of which subject a schema is which version.",
            &[(200, Registry("RegistryUses"))],
        ),
        |_, request| registry::versions_of_id(request),
    ),
    Row::open(
        get("/registry/subjects", "listSubjects", "Subjects of the registry.", &[(200, Registry("Names"))]),
        |_, _| registry::subjects(),
    ),
    Row::open(
        get(
            "/registry/subjects/{subject}/versions",
            "listVersions",
            "Versions of a subject.",
            &[(200, Registry("Versions"))],
        ),
        |_, request| registry::versions(request),
    ),
    Row::open(
        get(
            "/registry/subjects/{subject}/versions/{version}",
            "showVersion",
            "A version of a subject.",
            &[(200, Registry("RegistryVersion"))],
        ),
        |_, request| registry::version(request),
    ),
];
