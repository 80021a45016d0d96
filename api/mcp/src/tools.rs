//! The tools, and what each is: an operation of the OpenAPI document under another name. Pure.
//!
//! A tool never has a text or a parameter that the document does not have.

use serde_json::{Map, Value, json};

use crate::schema;

/// The OpenAPI document of this version, which the API serves too.
const DOCUMENT: &str = include_str!("../../../schemas/openapi/openapi.json");

/// Each tool and the id of its operation.
const TOOLS: [(&str, &str); 13] = [
    ("board", "listArbs"),
    ("entry", "showArb"),
    ("history", "listWindows"),
    ("signals", "listSignals"),
    ("events", "listEvents"),
    ("odds", "listOdds"),
    ("books", "listBooks"),
    ("sports", "listSports"),
    ("scan", "scanByQuery"),
    ("scan_result", "showScan"),
    ("picks", "listPicks"),
    ("bots", "listBots"),
    ("usage", "showUsage"),
];

/// The only operation that does anything but read: the board polls its sources, at a price.
const ACTING: &str = "scanByQuery";

/// A tool: a `GET` of the API.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RouteTool {
    pub(crate) name: &'static str,
    pub(crate) description: String,
    /// Such as `/api/v1/events/{id}/odds`.
    pub(crate) path: String,
    /// JSON Schema of its arguments, those of the path and of the query.
    pub(crate) input: Map<String, Value>,
    /// JSON Schema of its result.
    pub(crate) output: Map<String, Value>,
    /// Whether it changes nothing.
    pub(crate) is_read_only: bool,
}

/// All tools, and what they have in common as a text.
#[derive(Debug)]
pub(crate) struct Catalogue {
    pub(crate) tools: Vec<RouteTool>,
    pub(crate) instructions: String,
}

impl Catalogue {
    /// Of the document that is compiled in.
    pub(crate) fn compiled_in() -> Self {
        Self::of(&serde_json::from_str(DOCUMENT).unwrap_or_default())
    }

    fn of(document: &Value) -> Self {
        let tools = TOOLS.iter().filter_map(|(name, id)| tool(document, name, id)).collect();
        let instructions = document["info"]["description"].as_str().unwrap_or_default().to_owned();
        Self { tools, instructions }
    }

    /// A tool by its name.
    pub(crate) fn get(&self, name: &str) -> Option<&RouteTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// The path and the operation that takes the key as `x-api-key`: under `/api`, where every route is.
fn operation<'a>(document: &'a Value, id: &str) -> Option<(&'a String, &'a Value)> {
    let paths = document["paths"].as_object()?.iter().filter(|(path, _)| path.starts_with("/api/"));
    let mut gets = paths.map(|(path, methods)| (path, &methods["get"]));
    gets.find(|(_, operation)| {
        operation["operationId"].as_str().is_some_and(|found| found.trim_end_matches("ByApiKey") == id)
    })
}

fn tool(document: &Value, name: &'static str, id: &str) -> Option<RouteTool> {
    let (path, operation) = operation(document, id)?;
    let answer = &operation["responses"]["200"]["content"]["application/json"]["schema"];
    let scope = operation["x-scope"].as_str().unwrap_or_default();
    Some(RouteTool {
        name,
        description: description(operation, scope),
        path: path.clone(),
        input: input(document, operation),
        output: schema::alone(document, answer),
        is_read_only: id != ACTING,
    })
}

/// What it is for, who may call it, and what that costs.
fn description(operation: &Value, scope: &str) -> String {
    let [summary, costs] = [&operation["summary"], &operation["x-requests"]];
    let test_keys = if operation["x-test-keys"] == true { "get the test market" } else { "are refused" };
    format!(
        "{} Needs a key with the scope {scope}; a success costs {costs} of the quota. Test keys {test_keys}.",
        summary.as_str().unwrap_or_default()
    )
}

/// An object of all parameters; those of the path are required.
fn input(document: &Value, operation: &Value) -> Map<String, Value> {
    let (mut fields, mut required) = (Map::new(), Vec::new());
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let parameter = schema::resolved(document, parameter);
        let mut field = parameter["schema"].clone();
        let texts = [&parameter["description"], &field["description"]];
        let text = texts.iter().filter_map(|text| text.as_str()).collect::<Vec<_>>().join(" ");
        field["description"] = text.into();
        if parameter["required"] == true {
            required.push(parameter["name"].clone());
        }
        fields.insert(parameter["name"].as_str().unwrap_or_default().to_owned(), field);
    }
    Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Value::Object(fields)),
        ("required".to_owned(), Value::Array(required)),
        ("additionalProperties".to_owned(), json!(false)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_a_route_whose_arguments_and_result_are_described() {
        let catalogue = Catalogue::compiled_in();
        let names: Vec<_> = catalogue.tools.iter().map(|tool| tool.name).collect();
        assert_eq!(names, TOOLS.map(|(name, _)| name));
        for tool in &catalogue.tools {
            assert!(tool.path.starts_with("/api/v1/"), "{}", tool.path);
            assert!(tool.description.len() > 100, "{}", tool.description);
            for (name, field) in tool.input["properties"].as_object().unwrap() {
                let text = field["description"].as_str().unwrap_or_default();
                assert!(text.ends_with('.'), "{} {name} is not described: {text:?}", tool.name);
                assert!(field["type"].is_string(), "{} {name}", tool.name);
            }
            assert_eq!(tool.output["type"], "object", "{}", tool.name);
            let in_path = tool.path.matches('{').count();
            assert_eq!(tool.input["required"].as_array().unwrap().len(), in_path, "{}", tool.name);
        }
        assert!(catalogue.instructions.contains("Fields may be added"));
    }

    #[test]
    fn arguments_have_the_values_and_limits_of_their_parameters() {
        let catalogue = Catalogue::compiled_in();
        let board = catalogue.get("board").unwrap();
        let fields = &board.input["properties"];
        assert_eq!(board.path, "/api/v1/arbs");
        assert_eq!(fields["odds_format"]["enum"], json!(["decimal", "american", "fractional"]));
        assert_eq!((&fields["limit"]["maximum"], &fields["limit"]["type"]), (&json!(500), &json!("integer")));
        assert_eq!(fields["books"]["description"].as_str().unwrap().matches('.').count(), 2);
        let odds = catalogue.get("odds").unwrap();
        assert_eq!(
            (odds.path.as_str(), &odds.input["required"]),
            ("/api/v1/events/{id}/odds", &json!(["id"]))
        );
        assert_eq!(catalogue.get("nothing"), None);
    }

    #[test]
    fn only_a_scan_changes_anything() {
        let catalogue = Catalogue::compiled_in();
        let acting = catalogue.tools.iter().filter(|tool| !tool.is_read_only).map(|tool| tool.name);
        assert_eq!(acting.collect::<Vec<_>>(), ["scan"]);
    }
}
