//! A record: a struct whose fields have one name in Rust, in binary encodings and in text, unless a field
//! overrides it.
//!
//! It never changes a value: the types of the fields choose the form of their values.

/// Declares a record. The order of the fields is that of the Avro schema, and the binary name of a field is its name there.
///
/// - `field: Type` has its name in every encoding;
/// - `field: Type as "name"` has this name in binary encodings;
/// - `field: Type => "name"` has this name in text;
/// - `field: Type => _` is not in the text: a view writes it in another form.
///
/// A record may have another name in Avro too: `pub struct Name as "name"`. What is read has binary names.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(as $record:literal)? {
            $( $(#[$field_meta:meta])* pub $field:ident : $type:ty $(as $binary:literal)? $(=> $text:tt)? ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
        $(#[serde(rename = $record)])?
        pub struct $name {
            $( $(#[$field_meta])* $(#[serde(rename = $binary)])? pub $field: $type ),+
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeStruct;
                const FIELDS: usize = [$(stringify!($field)),+].len();
                let is_text = serializer.is_human_readable();
                let mut record = serializer.serialize_struct(binary_name!($name $(, $record)?), FIELDS)?;
                $(
                    if is_text {
                        text_field!(record, stringify!($field), &self.$field $(, $text)?);
                    } else {
                        record.serialize_field(binary_name!($field $(, $binary)?), &self.$field)?;
                    }
                )+
                record.end()
            }
        }
    };
}

/// The name of a field, or of a record, in binary encodings.
macro_rules! binary_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident, $binary:literal) => {
        $binary
    };
}

/// Writes a field as text has it.
macro_rules! text_field {
    ($record:ident, $name:expr, $value:expr) => {
        $record.serialize_field($name, $value)?
    };
    ($record:ident, $name:expr, $value:expr, _) => {
        $record.skip_field($name)?
    };
    ($record:ident, $name:expr, $value:expr, $text:literal) => {
        $record.serialize_field($text, $value)?
    };
}
