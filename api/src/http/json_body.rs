//! JSON of a client, taken apart field by field. It never ignores a field that no handler takes, and takes no object that has a key twice: of two
//! values one reader takes the first and another the last.

use std::fmt;
use std::marker::PhantomData;

use arb_model::described::{Described, Shape};
use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::problem::Problem;
use super::request::Request;

/// The fields of a JSON object; `None` of what is none, and where an object in it has a key twice.
pub(crate) fn fields(text: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(text).ok()? {
        Unambiguous(Value::Object(fields)) => Some(fields),
        Unambiguous(_) => None,
    }
}

/// A value whose objects have each key once.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Self)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value whose objects have each key once")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((key, Unambiguous(value))) = pairs.next_entry::<String, _>()? {
            if fields.insert(key, value).is_some() {
                return Err(A::Error::custom("a key is there twice"));
            }
        }
        Ok(fields.into())
    }
}

/// The fields of a body that no handler has taken yet.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct JsonBody(Map<String, Value>);

/// An object in a body that has declared fields.
#[derive(Debug, Deserialize)]
#[serde(transparent, bound = "")]
pub(crate) struct Part<T>(pub(crate) JsonBody, PhantomData<T>);

impl<T: Described> Described for Part<T> {
    const SHAPE: Shape = T::SHAPE;
}

/// Declares the fields of a body. Names, comments and types are those of its schema. A field that is not required may be absent; so may any of them
/// for this reader, whose caller says what is missing.
///
/// - `field: Type = required "expected"`, or `optional`: what a value of another type is refused with;
/// - `field: Type [Limit, ...] = ...` states which values there are, as a view does.
macro_rules! body {
    (
        $(#[$($meta:tt)*])*
        $vis:vis struct $name:ident $(=> $shown:literal)? {
            $(
                $(#[$($field_meta:tt)*])*
                $field:ident : $type:ty $([$($limit:expr),+ $(,)?])? = $need:ident $expected:expr
            ),+ $(,)?
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug)]
        $vis struct $name {
            $( $(#[$($field_meta)*])* pub(crate) $field: Option<$type> ),+
        }

        impl $name {
            /// Takes them from a body.
            ///
            /// # Errors
            /// 400 for a value of another type, and for a field that is not declared.
            pub(crate) fn take(
                mut body: $crate::http::json_body::JsonBody,
            ) -> Result<Self, $crate::http::problem::Problem> {
                let fields = Self { $($field: body.take(stringify!($field), $expected)?),+ };
                body.finish()?;
                Ok(fields)
            }
        }

        impl arb_model::described::Described for $name {
            const SHAPE: arb_model::described::Shape = {
                #[allow(unused_imports)] // Of a body without limits.
                use arb_model::described::{FieldShape, Limit::*, Presence};
                arb_model::described::Shape::Record(&arb_model::described::RecordShape {
                    name: arb_model::first!($($shown,)? stringify!($name)),
                    doc: &[$(arb_model::doc_line!($($meta)*)),*],
                    fields: &[$(FieldShape {
                        limits: arb_model::first!($(&[$($limit),+],)? &[]),
                        ..$crate::http::json_body::body!(@$need $field $type, $(arb_model::doc_line!($($field_meta)*)),*)
                    }),+],
                })
            };
        }
    };
    (@required $field:ident $type:ty, $($doc:expr),*) => {
        FieldShape::new(stringify!($field), &[$($doc),*], <$type as arb_model::described::Described>::SHAPE)
    };
    (@optional $field:ident $type:ty, $($doc:expr),*) => {
        FieldShape {
            presence: Presence::Optional,
            ..$crate::http::json_body::body!(@required $field Option<$type>, $($doc),*)
        }
    };
}
pub(crate) use body;

impl JsonBody {
    /// Of a request.
    ///
    /// # Errors
    /// 400 unless it is a JSON object.
    pub(crate) fn of(request: &Request<'_>) -> Result<Self, Problem> {
        let refuse =
            || Problem::bad_request("The body of the request is no JSON object, or has a key twice.");
        fields(&request.body).map(Self).ok_or_else(refuse)
    }

    /// Takes a field; `None` where there is none.
    ///
    /// # Errors
    /// 400 for a value of another type, with what it must be.
    pub(crate) fn take<T: DeserializeOwned>(
        &mut self,
        name: &str,
        expected: &'static str,
    ) -> Result<Option<T>, Problem> {
        let value = self.0.remove(name).map(serde_json::from_value);
        value.transpose().map_err(|_| Problem::invalid_param(name, expected))
    }

    /// Refuses the fields that are left.
    ///
    /// # Errors
    /// 400 for a field that was not taken.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        self.0.keys().next().map_or(Ok(()), |name| Err(Problem::invalid_param(name, "is unknown")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_that_has_a_key_twice_is_none() {
        for wrong in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": {"b": 1, "c": 2, "b": 3}}"#,
            r#"{"a": [{"b": null, "b": 1}]}"#,
            r#"{"a": 1, "\u0061": 2}"#,
            "[]",
            "1",
            "{",
            "{} {}",
        ] {
            assert_eq!(fields(wrong.as_bytes()), None, "{wrong}");
        }
        let deep = format!("{{\"a\": {}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(fields(deep.as_bytes()), None);
    }

    proptest! {
        #[test]
        fn any_other_object_is_what_it_was(
            names in prop::collection::btree_map("[a-d]{1,3}", (any::<i64>(), any::<bool>(), "\\PC{0,8}"), 0..6)
        ) {
            let object: Map<_, _> = names.into_iter().map(|(name, (number, flag, text))| {
                (name, json!({"number": number, "list": [flag, null, 1.5], "text": text}))
            }).collect();
            let text = Value::Object(object.clone()).to_string();
            prop_assert_eq!(fields(text.as_bytes()), Some(object));
        }
    }
}
