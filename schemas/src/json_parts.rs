//! JSON from outside, split into its parts before any of them is parsed: what is wrong with one costs that one alone.
//!
//! The members of an object and the elements of an array are found by their brackets and quotes, whatever is between them. Each part is
//! then parsed by itself, and [`cause`] names what is wrong with one that is no JSON. It never parses a value, and never repairs one.

/// The longest part that is parsed, in bytes.
pub const LONGEST: usize = 4 * 1024 * 1024;
/// How deep the brackets of a part may be.
pub const DEEPEST: usize = 32;
/// What some programs write before a text in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A text without the byte order mark that it may begin with.
#[must_use]
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// The elements of an array, each as its text; `None` of what is no whole array.
///
/// ```
/// use arb_schemas::json_parts::elements;
///
/// assert_eq!(elements("[1, {\"a\": NaN}, \"x,]\"]"), Some(vec!["1", "{\"a\": NaN}", "\"x,]\""]));
/// assert_eq!(elements("[]"), Some(vec![]));
/// assert_eq!(elements("[1, 2"), None, "it is cut off");
/// ```
#[must_use]
pub fn elements(text: &str) -> Option<Vec<&str>> {
    parts(text, '[', ']')
}

/// The members of an object: each key as it is written, with its quotes, and the text of its value. `None` of what is no whole object.
#[must_use]
pub fn members(text: &str) -> Option<Vec<(&str, &str)>> {
    parts(text, '{', '}')?.into_iter().map(member).collect()
}

/// The value of a key of an object: nothing where it has none, or [`Twice`] where it has several.
///
/// # Errors
/// [`Twice`].
pub fn value<'a>(members: &[(&'a str, &'a str)], key: &str) -> Result<Option<&'a str>, Twice> {
    let is_it = |(name, _): &&(&str, &str)| {
        name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) == Some(key)
    };
    let mut found = members.iter().filter(is_it).map(|(_, value)| *value);
    let first = found.next();
    if found.next().is_some() { Err(Twice) } else { Ok(first) }
}

/// A key is in an object more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Twice;

impl Twice {
    /// In words.
    pub const WORDS: &'static str = "names a key twice";
}

/// Why a part must not be parsed; `None` of one that may be.
#[must_use]
pub fn refusal(part: &str) -> Option<&'static str> {
    if part.len() > LONGEST {
        return Some("is too long");
    }
    let (mut depth, mut deepest) = (0_usize, 0);
    outside_strings(part, |_, byte| match byte {
        b'[' | b'{' => {
            depth += 1;
            deepest = deepest.max(depth);
        }
        b']' | b'}' => depth = depth.saturating_sub(1),
        _ => {}
    });
    if deepest > DEEPEST {
        return Some("is too deep");
    }
    // Bytes that are no UTF-8 were read as this.
    part.contains(char::REPLACEMENT_CHARACTER).then_some("is no UTF-8")
}

/// What is wrong with a part that a parser refused.
#[must_use]
pub fn cause(part: &str, error: &serde_json::Error) -> &'static str {
    let mut word = None;
    outside_strings(part, |at, _| {
        let is_begun = |name: &str| part.as_bytes()[at..].starts_with(name.as_bytes());
        if word.is_none() && is_begun("NaN") {
            word = Some("has a NaN");
        } else if word.is_none() && is_begun("Infinity") {
            word = Some("has an infinite number");
        }
    });
    let said = error.to_string();
    match word {
        Some(word) => word,
        None if said.starts_with("duplicate field") => Twice::WORDS,
        None if said.starts_with("number out of range") => "has a number out of range",
        None if error.is_eof() => "is cut off",
        None => "is no JSON",
    }
}

/// What is between two brackets, split at the commas that are in no bracket and no string.
fn parts(text: &str, open: char, close: char) -> Option<Vec<&str>> {
    let inner = text.trim_matches(is_space).strip_prefix(open)?;
    let (mut parts, mut start, mut depth, mut end) = (Vec::new(), 0, 0_usize, None);
    outside_strings(inner, |at, byte| match byte {
        _ if end.is_some() => {}
        b'[' | b'{' => depth += 1,
        b']' | b'}' if depth == 0 => end = Some((at, char::from(byte))),
        b']' | b'}' => depth -= 1,
        b',' if depth == 0 => {
            parts.push(&inner[start..at]);
            start = at + 1;
        }
        _ => {}
    });
    let (end, bracket) = end?;
    // Nothing follows an array or object, or it is none.
    if bracket != close || end + 1 != inner.len() {
        return None;
    }
    let last = &inner[start..end];
    if !parts.is_empty() || !last.trim_matches(is_space).is_empty() {
        parts.push(last);
    }
    Some(parts.into_iter().map(|part| part.trim_matches(is_space)).collect())
}

/// A key and its value.
fn member(part: &str) -> Option<(&str, &str)> {
    let mut colon = None;
    outside_strings(part, |at, byte| {
        if byte == b':' && colon.is_none() {
            colon = Some(at);
        }
    });
    let (key, value) = part.split_at(colon?);
    Some((key.trim_matches(is_space), value[1..].trim_matches(is_space)))
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

/// Each byte that is in no string, with its place. A quote that is not closed runs to the end.
fn outside_strings(text: &str, mut each: impl FnMut(usize, u8)) {
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if !in_string {
            in_string = byte == b'"';
            if !in_string {
                each(at, byte);
            }
        } else if is_escaped {
            is_escaped = false;
        } else {
            is_escaped = byte == b'\\';
            in_string = byte != b'"';
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            Just(Value::from(-1.5)),
            "[\\PC\\\\\"{}\\[\\],:]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map("[a-z\"\\\\:]{0,4}", inner, 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// The parts of what is JSON are those that a parser finds.
        #[test]
        fn parts_are_those_of_a_parser(items in prop::collection::vec(values(), 0..6), is_spaced in any::<bool>()) {
            let text = if is_spaced { serde_json::to_string_pretty(&items) } else { serde_json::to_string(&items) }.unwrap();
            let parsed: Vec<Value> = elements(&text).unwrap().iter().map(|part| serde_json::from_str(part).unwrap()).collect();
            prop_assert_eq!(&parsed, &items);
            for item in items.iter().filter_map(Value::as_object) {
                let text = serde_json::to_string(item).unwrap();
                let members = members(&text).unwrap();
                prop_assert_eq!(members.len(), item.len());
                for (key, value) in members {
                    let key: String = serde_json::from_str(key).unwrap();
                    prop_assert_eq!(&serde_json::from_str::<Value>(value).unwrap(), &item[&key]);
                }
            }
        }

        /// One part that is anything but quotes and brackets costs no other.
        #[test]
        fn a_broken_part_costs_no_other(
            items in prop::collection::vec(values(), 1..6), broken in "[^\"\\[\\]{},\\s][^\"\\[\\]{},]{0,12}", at in any::<prop::sample::Index>(),
        ) {
            let mut texts: Vec<_> = items.iter().map(ToString::to_string).collect();
            let at = at.index(texts.len() + 1);
            texts.insert(at, broken.trim_matches(is_space).to_owned());
            let text = format!("[{}]", texts.join(","));
            prop_assert_eq!(elements(&text).unwrap(), texts);
        }

        /// Whatever comes, nothing panics, and what is cut is no array.
        #[test]
        fn anything_is_split_or_is_not(text in "\\PC{0,60}", items in prop::collection::vec(values(), 1..4), cut in any::<prop::sample::Index>()) {
            let _ = (elements(&text), members(&text), refusal(&text));
            let whole = serde_json::to_string(&items).unwrap();
            let places: Vec<_> = whole.char_indices().map(|(at, _)| at).collect();
            prop_assert_eq!(elements(&whole[..places[cut.index(places.len())]]), None);
        }
    }

    #[test]
    fn a_cause_has_a_name() {
        let named = |part: &str| serde_json::from_str::<Value>(part).err().map(|error| cause(part, &error));
        assert_eq!(named(r#"{"price": NaN}"#), Some("has a NaN"));
        assert_eq!(named(r#"{"price": -Infinity}"#), Some("has an infinite number"));
        assert_eq!(named(r#"{"a": 1e999}"#), Some("has a number out of range"));
        assert_eq!(named(r#"{"a": "NaN"#), Some("is cut off"));
        assert_eq!(named(r#"{"a": nothing}"#), Some("is no JSON"));
        assert_eq!(named(r#"{"a": "NaN"}"#), None);
    }

    #[test]
    fn a_part_has_a_size_and_a_depth() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!((refusal(&deep(DEEPEST)), refusal(&deep(DEEPEST + 1))), (None, Some("is too deep")));
        let long = format!("\"{}\"", "x".repeat(LONGEST));
        assert_eq!((refusal(&long), refusal(&long[2..])), (Some("is too long"), None));
        assert_eq!(refusal("\"\u{fffd}\""), Some("is no UTF-8"));
        assert_eq!(refusal(&json!({"a": "[[[["}).to_string()), None);
        assert_eq!((without_mark("\u{feff}[]"), without_mark("[]")), ("[]", "[]"));
    }

    #[test]
    fn a_key_may_be_named_once() {
        let members = members(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap();
        assert_eq!(
            (value(&members, "b"), value(&members, "c"), value(&members, "a")),
            (Ok(Some("2")), Ok(None), Err(Twice))
        );
    }
}
