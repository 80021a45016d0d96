//! The Avro schema of a record, written from its declaration: a field of a schema is a field of the struct, its documentation the
//! comment there.
//!
//! It never states what the declaration does not, and its text is the same at each call.
//!
//! Source: Apache Avro 1.12, "Schema Declaration".

use arb_model::described::{FieldShape, RecordShape, Shape, SymbolList};

use crate::sentence;

/// The namespace of all records.
pub(crate) const NAMESPACE: &str = "arb.v1";

/// The schema of a record; those that it refers to are named in it, not defined.
pub(super) fn text(record: &Shape, references: impl Iterator<Item = Shape>) -> String {
    let mut schema = Schema::default();
    for reference in references {
        schema.value(&reference);
    }
    schema.text.clear();
    schema.value(record);
    schema.text + "\n"
}

/// A schema as far as it is written.
#[derive(Default)]
struct Schema {
    text: String,
    /// Names that are defined: the schema of each is written once.
    defined: Vec<&'static str>,
    /// How many records the next line is in.
    depth: usize,
}

impl Schema {
    fn value(&mut self, shape: &Shape) {
        match shape {
            Shape::Boolean => self.put("\"boolean\""),
            Shape::Int => self.put("\"int\""),
            Shape::Long => self.put("\"long\""),
            Shape::Double => self.put("\"double\""),
            Shape::Text | Shape::Key(_) => self.put("\"string\""),
            Shape::Bytes => self.put("\"bytes\""),
            Shape::Time => self.put(r#"{"type": "long", "logicalType": "timestamp-micros"}"#),
            Shape::Measured(measure) => self.value(&measure.number),
            Shape::Optional(value) => self.within("[\"null\", ", value, "]"),
            Shape::List(item) => self.within("{\"type\": \"array\", \"items\": ", item, "}"),
            Shape::Symbol(list) => self.once(list.name, |schema| schema.symbols(list)),
            Shape::Record(record) => self.once(record.name, |schema| schema.record(record)),
            Shape::Map(_) | Shape::OneOf(..) | Shape::Object => unreachable!("in text alone"),
        }
    }

    fn within(&mut self, before: &str, value: &Shape, after: &str) {
        self.put(before);
        self.value(value);
        self.put(after);
    }

    /// The definition of a named type at its first use, its name from then on.
    fn once(&mut self, name: &'static str, define: impl FnOnce(&mut Self)) {
        if self.defined.contains(&name) {
            self.put(&quoted(&format!("{NAMESPACE}.{name}")));
        } else {
            self.defined.push(name);
            define(self);
        }
    }

    fn symbols(&mut self, list: &SymbolList) {
        let symbols: Vec<_> = list.symbols.iter().map(|symbol| quoted(symbol)).collect();
        self.put(&format!("{{\"type\": \"enum\", \"name\": {}, ", quoted(list.name)));
        self.doc(&sentence::of(list.doc, None));
        self.put(&format!("\"symbols\": [{}]", symbols.join(", ")));
        if let Some(first) = symbols.first() {
            self.put(&format!(", \"default\": {first}"));
        }
        self.put("}");
    }

    fn record(&mut self, record: &RecordShape) {
        self.put("{");
        self.depth += 1;
        self.line();
        self.put(&format!("\"type\": \"record\", \"name\": {}, ", quoted(record.name)));
        if self.depth == 1 {
            self.put(&format!("\"namespace\": {}, ", quoted(NAMESPACE)));
        }
        self.line();
        self.doc(&sentence::of(record.doc, None));
        self.line();
        self.put("\"fields\": [");
        self.depth += 1;
        for (place, field) in record.fields.iter().enumerate() {
            self.put(if place == 0 { "" } else { "," });
            self.line();
            self.field(field);
        }
        self.depth -= 1;
        self.line();
        self.put("]");
        self.depth -= 1;
        self.line();
        self.put("}");
    }

    fn field(&mut self, field: &FieldShape) {
        self.put(&format!("{{\"name\": {}, ", quoted(field.name)));
        self.doc(&sentence::of(field.doc, note(&field.shape)));
        self.put("\"type\": ");
        self.value(&field.shape);
        self.put(if matches!(field.shape, Shape::Optional(_)) { ", \"default\": null}" } else { "}" });
    }

    fn doc(&mut self, doc: &str) {
        if !doc.is_empty() {
            self.put(&format!("\"doc\": {}, ", quoted(doc)));
        }
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn line(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("  ", self.depth));
    }
}

/// What is said of all values of a type.
fn note(shape: &Shape) -> Option<String> {
    match shape {
        Shape::Measured(measure) => Some(measure.unit.to_owned()),
        Shape::Key(list) => Some(sentence::of_keys(list)),
        Shape::Optional(value) | Shape::List(value) => note(value),
        _ => None,
    }
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
