//! The arguments of a call as the path and the query of a request. Pure.
//!
//! It never judges a value: the API does, and lists the values that there are.

use std::fmt::Write as _;

use form_urlencoded::Serializer;
use serde_json::{Map, Value};

/// An argument of which no request can be made, in words for whoever calls.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("The argument {0} is missing: the path needs it.")]
    Missing(String),
    #[error("The argument {0} is an object: give text, a number, true or false, or a list of these.")]
    Object(String),
}

/// Path and query of a pattern such as `/api/v1/events/{id}/odds`. A null counts as none, and a list is its values with commas between them.
pub(crate) fn target(pattern: &str, arguments: &Map<String, Value>) -> Result<String, ArgumentError> {
    let (mut path, mut in_path) = (String::new(), Vec::new());
    for part in pattern.split('/').skip(1) {
        path.push('/');
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => {
                let value = arguments.get(name).map(|value| text(name, value)).transpose()?.flatten();
                let value = value.filter(|value| !value.is_empty());
                push_encoded(&mut path, &value.ok_or_else(|| ArgumentError::Missing(name.to_owned()))?);
                in_path.push(name);
            }
            None => path.push_str(part),
        }
    }
    let mut query = Serializer::new(String::new());
    for (name, value) in arguments.iter().filter(|(name, _)| !in_path.contains(&name.as_str())) {
        if let Some(value) = text(name, value)? {
            query.append_pair(name, &value);
        }
    }
    let query = query.finish();
    Ok(if query.is_empty() { path } else { format!("{path}?{query}") })
}

/// A value as a parameter has it.
fn text(name: &str, value: &Value) -> Result<Option<String>, ArgumentError> {
    Ok(match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => {
            let texts = values.iter().map(|value| text(name, value)).collect::<Result<Vec<_>, _>>()?;
            Some(texts.into_iter().flatten().collect::<Vec<_>>().join(","))
        }
        Value::Object(_) => return Err(ArgumentError::Object(name.to_owned())),
        other => Some(other.to_string()),
    })
}

/// Adds a part of a path: what is not unreserved (RFC 3986) in percent.
fn push_encoded(path: &mut String, part: &str) {
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(char::from(byte));
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn target_of(pattern: &str, arguments: &Value) -> Result<String, ArgumentError> {
        target(pattern, arguments.as_object().unwrap())
    }

    #[test]
    fn arguments_become_a_path_and_a_query() {
        let arguments = json!({
            "id": "a/b c", "market": ["h2h", "totals"], "verified": true, "min_margin": 0.02, "limit": 5, "book": null, "sport": "a&b=ü",
        });
        assert_eq!(
            target_of("/api/v1/events/{id}/odds", &arguments).unwrap(),
            "/api/v1/events/a%2Fb%20c/odds?limit=5&market=h2h%2Ctotals&min_margin=0.02&sport=a%26b%3D%C3%BC&verified=true"
        );
        assert_eq!(target_of("/api/v1/usage", &json!({})).unwrap(), "/api/v1/usage");
    }

    #[test]
    fn a_path_without_its_argument_is_no_request() {
        for arguments in [json!({}), json!({"id": null}), json!({"id": ""}), json!({"id": []})] {
            assert_eq!(target_of("/x/{id}", &arguments), Err(ArgumentError::Missing("id".to_owned())));
        }
    }

    #[test]
    fn an_object_is_no_value() {
        for value in [json!({}), json!(["a", {"b": 1}])] {
            let error = target_of("/x", &json!({"sport": value})).unwrap_err();
            assert!(error.to_string().starts_with("The argument sport is an object"), "{error}");
        }
    }
}
