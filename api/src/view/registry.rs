//! The schemas of the topics, as clients of a Confluent Schema Registry read them. It never decides which there are.

use arb_model::view;
use arb_schemas::registry::PublishedSchema;

view! {
    /// How versions of one subject may differ.
    pub(crate) struct RegistryConfig {
        #[serde(rename = "compatibilityLevel")]
        level: &'static str,
    }
}

view! {
    /// Whether schemas are taken in.
    pub(crate) struct RegistryMode {
        mode: &'static str,
    }
}

view! {
    /// A schema.
    pub(crate) struct RegistrySchema {
        /// The schema as text.
        schema: &'static str,
        /// What it refers to by name, where it does.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        references: Vec<RegistryReference>,
    }
}

view! {
    /// A schema that is referred to.
    pub(crate) struct RegistryReference {
        name: String,
        subject: String,
        version: u32,
    }
}

view! {
    /// Of which subject a schema is which version.
    pub(crate) struct RegistryUse {
        subject: String,
        version: u32,
    }
}

view! {
    /// A version of a subject.
    pub(crate) struct RegistryVersion {
        subject: String,
        id: u32,
        version: u32,
        #[serde(flatten)]
        schema: RegistrySchema,
    }
}

impl RegistrySchema {
    /// Of a schema.
    pub(crate) fn new(schema: &PublishedSchema) -> Self {
        let references = schema.named_references().into_iter().map(|of| RegistryReference {
            name: of.name,
            subject: of.subject,
            version: of.version,
        });
        Self { schema: schema.text, references: references.collect() }
    }
}

impl RegistryVersion {
    /// Of a schema, in its subject.
    pub(crate) fn new(schema: &PublishedSchema) -> Self {
        let (subject, id, version) = (schema.subject(), schema.id, schema.version);
        Self { subject, id, version, schema: RegistrySchema::new(schema) }
    }
}
