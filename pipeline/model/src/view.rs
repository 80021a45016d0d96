//! A view: a struct of an answer, which has only a text form. Its fields are written as serde writes them.
//!
//! It never changes a value, and repeats no field of a record: it flattens the record.

/// Declares a view. Names, comments and types of the fields are those of its schema; its crate reads and writes them.
///
/// - `struct Name => "Other"` has another name in schemas;
/// - `#[serde(flatten)]` puts the fields of a record or of another view in place of the field; a field of the view's own
///   stands for one of the same name;
/// - `#[serde(skip_serializing_if = "Option::is_none")]` is a field that may be absent, and is never null;
/// - `#[serde(rename = "other")]` has another name in text, for words that Rust keeps for itself;
/// - `field: Type [Limit, ...]` states which values there are, as [`Limit`](crate::described::Limit) has it.
#[macro_export]
macro_rules! view {
    (
        $(#[$($meta:tt)*])*
        $vis:vis struct $name:ident $(<$($lifetime:lifetime),+>)? $(=> $shown:literal)? {
            $(
                $(#[$($field_meta:tt)*])*
                $field:ident : $type:ty $([$($limit:expr),+ $(,)?])?
            ),* $(,)?
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, serde::Serialize)]
        $vis struct $name $(<$($lifetime),+>)? {
            $( $(#[$($field_meta)*])* pub(crate) $field: $type ),*
        }

        impl $(<$($lifetime),+>)? $crate::described::Described for $name $(<$($lifetime),+>)? {
            const SHAPE: $crate::described::Shape = {
                #[allow(unused_imports)] // Of a view without limits.
                use $crate::described::Limit::*;
                $crate::described::Shape::Record(&$crate::described::RecordShape {
                    name: $crate::first!($($shown,)? stringify!($name)),
                    doc: &[$($crate::doc_line!($($meta)*)),*],
                    fields: &[$($crate::described::FieldShape {
                        text: Some($crate::renamed!(stringify!($field) $(; $($field_meta)*)*)),
                        presence: $crate::described::Presence::of(&[$($crate::presence!($($field_meta)*)),*]),
                        limits: $crate::first!($(&[$($limit),+],)? &[]),
                        ..$crate::described::FieldShape::new(
                            stringify!($field),
                            &[$($crate::doc_line!($($field_meta)*)),*],
                            <$type as $crate::described::Described>::SHAPE,
                        )
                    }),*],
                })
            };
        }
    };
}

/// The first of some values.
#[doc(hidden)]
#[macro_export]
macro_rules! first {
    ($first:expr $(, $other:expr)?) => {
        $first
    };
}

/// How an object has a field with this attribute; `None` where the attribute does not state it.
#[doc(hidden)]
#[macro_export]
macro_rules! presence {
    (serde(flatten)) => {
        Some($crate::described::Presence::Flattened)
    };
    (serde($(rename = $name:literal,)? skip_serializing_if = $test:literal)) => {
        Some($crate::described::Presence::Optional)
    };
    ($($other:tt)*) => {
        None
    };
}

/// The name that the attributes of a field give it, or its own.
#[doc(hidden)]
#[macro_export]
macro_rules! renamed {
    ($own:expr) => {
        $own
    };
    ($own:expr; serde(rename = $name:literal $($other:tt)*) $($rest:tt)*) => {
        $name
    };
    ($own:expr; doc = $line:literal $($rest:tt)*) => {
        $crate::renamed!($own $($rest)*)
    };
    ($own:expr; serde($($other:tt)*) $($rest:tt)*) => {
        $crate::renamed!($own $($rest)*)
    };
}

#[cfg(test)]
mod tests {
    use crate::described::{Described, Limit, Presence, Shape};

    crate::view! {
        /// Of a whole.
        struct Part {
            size: u64,
        }
    }

    crate::view! {
        /// Has
        /// parts.
        struct Whole<'a> => "Sum" {
            /// Who.
            name: &'a str [Keys(&["one", "two"]), Most(3.0)],
            #[serde(flatten)]
            part: Part,
            /// Where to.
            #[serde(rename = "return", skip_serializing_if = "Option::is_none")]
            back: Option<bool>,
            /// Perhaps.
            #[serde(skip_serializing_if = "Option::is_none")]
            more: Option<Vec<f64>>,
        }
    }

    #[test]
    fn a_view_is_described_as_it_is_written() {
        let whole = Whole { name: "two", part: Part { size: 3 }, back: None, more: None };
        assert_eq!(serde_json::to_string(&whole).unwrap(), r#"{"name":"two","size":3}"#);
        let Shape::Record(shape) = Whole::SHAPE else { panic!("{:?}", Whole::SHAPE) };
        assert_eq!((shape.name, shape.doc), ("Sum", [" Has", " parts."].as_slice()));
        let names: Vec<_> = shape.fields.iter().map(|field| (field.text, field.presence)).collect();
        let expected = [
            (Some("name"), Presence::Required),
            (Some("part"), Presence::Flattened),
            (Some("return"), Presence::Optional),
            (Some("more"), Presence::Optional),
        ];
        assert_eq!(names, expected);
        assert!(matches!(shape.fields[0].limits, [Limit::Keys(["one", "two"]), Limit::Most(_)]));
    }
}
