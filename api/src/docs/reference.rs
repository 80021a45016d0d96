//! The text of a route's page, from the OpenAPI document. It never states anything that the document does not.

use std::fmt::Write as _;

use serde_json::Value;

use super::meanings::Meanings;
use super::samples::{self, Sample};
use super::{guides, markdown};

/// How deep fields are listed.
const DEEPEST: usize = 4;

/// A route as the document has it.
pub(super) struct Described {
    pub(super) id: String,
    method: String,
    path: String,
    operation: Value,
}

impl Described {
    /// Its method and path.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// What it is for.
    pub(super) fn summary(&self) -> &str {
        self.operation["summary"].as_str().unwrap_or_default()
    }

    /// Its success: the status, the media type and its description.
    fn answer(&self) -> Option<(&str, Option<(&String, &Value)>)> {
        let answers = self.operation["responses"].as_object()?;
        let (status, answer) = answers.iter().find(|(status, _)| status.starts_with('2'))?;
        let content = answer["content"].as_object().and_then(|content| content.iter().next());
        Some((status, content))
    }

    fn has_key(&self) -> bool {
        self.operation["x-scope"].is_string()
    }
}

/// Those of the document, each once: the same route on the other surface has no page of its own.
pub(super) fn operations(document: &Value) -> Vec<Described> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, methods)| {
        methods.as_object().into_iter().flatten().map(move |(method, operation)| Described {
            id: operation["operationId"].as_str().unwrap_or_default().to_owned(),
            method: method.to_uppercase(),
            path: path.clone(),
            operation: operation.clone(),
        })
    });
    operations.filter(|operation| !operation.id.ends_with("ByApiKey")).collect()
}

/// What pages are made from.
pub(super) struct Reference<'a> {
    document: &'a Value,
    /// Where readers reach the API.
    url: &'a str,
    meanings: Meanings,
}

impl<'a> Reference<'a> {
    /// Of a document of OpenAPI, with what the guides say of fields, for those who reach the API by this URL.
    pub(super) fn of(document: &'a Value, url: &'a str) -> Self {
        Self { document, url, meanings: Meanings::of_guides() }
    }

    /// The text of a route's page.
    pub(super) fn text(&self, described: &Described) -> String {
        let (document, operation) = (self.document, &described.operation);
        let mut text = format!("# `{}`\n\n{}\n\n", described.name(), described.summary());
        text += &deprecation(operation);
        text += &access(document, described);
        if let Some(guide) = guides::of_path(&described.path) {
            let _ = write!(
                text,
                "What it all means: [{}](/docs/{}).\n\n",
                markdown::title(guide.text),
                guide.name
            );
        }
        let parameters = parameters(document, operation);
        if !parameters.is_empty() {
            text += "## Parameters\n\n| name | in | type | meaning |\n|---|---|---|---|\n";
            text += &parameters;
        }
        let body = operation["requestBody"]["content"].as_object().and_then(|content| content.iter().next());
        if let Some((media, body)) = body {
            let _ = write!(text, "\n## Body: {media}\n\n");
            text += &self.fields(&body["schema"]);
        }
        let answer = described.answer();
        let is_json =
            answer.is_some_and(|(_, content)| content.is_some_and(|(media, _)| media.contains("json")));
        if described.path.starts_with("/session") {
            text +=
                "\nThe page calls it with its cookie; programs use the same route under `/v1` with a key.\n";
        } else {
            text += &self.samples(described, body.and_then(|(_, body)| body.get("example")), is_json);
        }
        if let Some((status, content)) = answer {
            let _ = write!(text, "\n## Answer: {status}\n\n");
            if let Some((media, content)) = content {
                let _ = write!(text, "`{media}`\n\n");
                text += &self.fields(&content["schema"]);
                if let Some(example) = content.get("example") {
                    let shown = serde_json::to_string_pretty(example).unwrap_or_default();
                    let _ = write!(text, "\n```json\n{shown}\n```\n");
                }
            }
        }
        text += "\nWhatever goes wrong is a [problem](/docs/errors).\n";
        text
    }

    /// How it is called, with the ids of a path as the reader's own.
    fn samples(&self, described: &Described, body: Option<&Value>, is_json: bool) -> String {
        let (method, has_key) = (described.method.as_str(), described.has_key());
        let mut text =
            format!("\n## Samples\n\n`ARB_URL` is the address of the API, `{}`, `ARB_KEY` a key.", self.url);
        let example = described.operation["x-example"].as_str().unwrap_or(&described.path);
        // What anybody may read is there everywhere; what a key is needed for has other ids at each reader.
        let ids = if has_key { ids(&described.path, example) } else { vec![] };
        for (name, value) in &ids {
            let variable = samples::variable(name);
            let _ = write!(
                text,
                " `{variable}` is the `{name}` of the path, one that you have been given, like `{value}`."
            );
        }
        let path = if ids.is_empty() { example.to_owned() } else { with_query_of(&described.path, example) };
        text += "\n\n";
        text + &samples::text(&Sample { method, path: &path, body, has_key, is_json })
    }

    /// A table of the fields of a schema.
    fn fields(&self, schema: &Value) -> String {
        let mut rows = String::new();
        self.list(schema, "", 0, &mut rows);
        if rows.is_empty() { rows } else { format!("| field | type | meaning |\n|---|---|---|\n{rows}") }
    }

    fn list(&self, schema: &Value, under: &str, depth: usize, rows: &mut String) {
        let schema = resolved(self.document, schema);
        if depth > DEEPEST {
            return;
        }
        if schema["items"].is_object() {
            return self.list(&schema["items"], &format!("{under}[]"), depth, rows);
        }
        for choice in ["allOf", "anyOf"].iter().filter_map(|name| schema[*name].as_array()).flatten() {
            self.list(choice, under, depth, rows);
        }
        let Some(fields) = schema["properties"].as_object() else { return };
        let meanings = self.meanings.of(&fields.keys().map(String::as_str).collect());
        let required = schema["required"].as_array();
        for (name, field) in fields {
            let dot = if under.is_empty() { "" } else { "." };
            let path = format!("{under}{dot}{name}");
            let shown = resolved(self.document, field);
            let said = field["description"].as_str().or(shown["description"].as_str());
            let meaning = said.or_else(|| Some(meanings?.get(name.as_str())?.as_str())).unwrap_or_default();
            let is_optional = !required.is_some_and(|required| required.iter().any(|it| it == name));
            let note = if is_optional { " (optional)" } else { "" };
            let _ = writeln!(rows, "| `{path}` | {}{note} | {meaning} |", kind(shown));
            self.list(shown, &path, depth + 1, rows);
        }
    }
}

/// The parts of a path that are ids, by name, as an example of the path has them.
fn ids<'a>(path: &'a str, example: &'a str) -> Vec<(&'a str, &'a str)> {
    let example = example.split('?').next().unwrap_or_default();
    let parts = path.split('/').zip(example.split('/'));
    parts.filter_map(|(part, value)| Some((part.strip_prefix('{')?.strip_suffix('}')?, value))).collect()
}

fn with_query_of(path: &str, example: &str) -> String {
    example.split_once('?').map_or_else(|| path.to_owned(), |(_, query)| format!("{path}?{query}"))
}

/// Since when it is deprecated, until when it works, and what to read; nothing of what is not.
fn deprecation(of: &Value) -> String {
    let mark = &of["x-deprecation"];
    let (Some(since), Some(link)) = (mark["since"].as_str(), mark["link"].as_str()) else {
        return String::new();
    };
    let end = mark["until"].as_str().map(|until| format!(" and ends on {until}")).unwrap_or_default();
    format!("**Deprecated** since {since}{end}: [what to use instead]({link}).\n\n")
}

/// Who may call it, and what that costs.
fn access(document: &Value, described: &Described) -> String {
    let operation = &described.operation;
    let Some(scope) = operation["x-scope"].as_str() else {
        let is_open = operation["security"].as_array().is_some_and(Vec::is_empty);
        return if is_open { "Anybody may call it.\n\n".to_owned() } else { String::new() };
    };
    let cost = &operation["x-requests"];
    let mut text = format!("A key needs the scope `{scope}`. A success costs {cost} of the quota.");
    if operation["x-test-keys"] == true {
        text += " A test key gets the test market.";
    }
    let other = format!("/api{}", described.path);
    if document["paths"][&other].is_object() {
        let _ = write!(text, " The same with the key in `x-api-key`: `{other}`.");
    }
    text + "\n\n"
}

fn parameters(document: &Value, operation: &Value) -> String {
    let given = operation["parameters"].as_array().into_iter().flatten();
    let rows = given.map(|parameter| {
        let parameter = resolved(document, parameter);
        let [name, place, meaning] =
            ["name", "in", "description"].map(|field| parameter[field].as_str().unwrap_or_default());
        let schema = &parameter["schema"];
        let deprecated = deprecation(parameter);
        let meaning =
            [deprecated.trim(), meaning, schema["description"].as_str().unwrap_or_default()].join(" ");
        format!("| `{name}` | {place} | {} | {} |\n", kind(schema), meaning.trim())
    });
    rows.collect()
}

/// What a reference refers to.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let to = value["$ref"].as_str().and_then(|to| document.pointer(to.strip_prefix('#')?));
    to.unwrap_or(value)
}

/// A type in words.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let names =
            values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        return names.collect::<Vec<_>>().join(", ");
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "object".to_owned(),
    };
    match schema["format"].as_str() {
        Some("date-time") => kind.replace("string", "time"),
        _ => kind,
    }
}
