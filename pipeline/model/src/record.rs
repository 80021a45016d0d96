//! A record: a struct whose fields have one name in Rust, in binary encodings and in text, unless a field
//! has another name in text.
//!
//! It never changes a value: the types of the fields choose the form of their values.

/// Declares a record. The order, the names and the comments of the fields are those of its schema.
///
/// - `field: Type` has its name in every encoding;
/// - `field: Type => "name"` has this name in text;
/// - `field: Type => _` is not in the text: a view writes it in another form;
/// - `field: Type [Limit, ...]` states which values there are, as [`Limit`](crate::described::Limit) has it.
///
/// What is read has the names of the fields. A field of `Micros` is a time.
#[macro_export]
macro_rules! record {
    (@field $record:ident, $name:expr, $value:expr) => {
        $record.serialize_field($name, $value)?
    };
    (@field $record:ident, $name:expr, $value:expr, _) => {
        $record.skip_field($name)?
    };
    (@field $record:ident, $name:expr, $value:expr, $text:literal) => {
        $record.serialize_field($text, $value)?
    };
    (@text $name:expr) => {
        Some($name)
    };
    (@text $name:expr, _) => {
        None
    };
    (@text $name:expr, $text:literal) => {
        Some($text)
    };
    (
        $(#[$($meta:tt)*])*
        pub struct $name:ident {
            $(
                $(#[$($field_meta:tt)*])*
                pub $field:ident : $type:ty $([$($limit:expr),+ $(,)?])? $(=> $text:tt)?
            ),+ $(,)?
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
        pub struct $name {
            $( $(#[$($field_meta)*])* pub $field: $type ),+
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeStruct;
                const FIELDS: usize = [$(stringify!($field)),+].len();
                let is_text = serializer.is_human_readable();
                let mut record = serializer.serialize_struct(stringify!($name), FIELDS)?;
                $(
                    if is_text {
                        $crate::record!(@field record, stringify!($field), &self.$field $(, $text)?);
                    } else {
                        record.serialize_field(stringify!($field), &self.$field)?;
                    }
                )+
                record.end()
            }
        }

        impl $crate::described::Described for $name {
            const SHAPE: $crate::described::Shape = {
                #[allow(unused_imports)] // Of a record without limits, or without a time.
                use $crate::described::{Limit::*, TimeInMicros as Micros};
                $crate::described::Shape::Record(&$crate::described::RecordShape {
                    name: stringify!($name),
                    doc: &[$($crate::doc_line!($($meta)*)),*],
                    fields: &[$($crate::described::FieldShape {
                        text: $crate::record!(@text stringify!($field) $(, $text)?),
                        limits: $crate::first!($(&[$($limit),+],)? &[]),
                        ..$crate::described::FieldShape::new(
                            stringify!($field),
                            &[$($crate::doc_line!($($field_meta)*)),*],
                            <$type as $crate::described::Described>::SHAPE,
                        )
                    }),+],
                })
            };
        }
    };
}
