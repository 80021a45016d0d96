//! Rows of a table, declared once: a column, its type, and its value of a record.
//!
//! A column has the type of the record's field, which writes its binary form. It never changes a value.

use arb_model::{Money, Points, Price, Seconds, Time};

/// Declares a row and the function that makes it of a record: coordinates first, then the columns in their order.
macro_rules! row {
    (
        $(#[$meta:meta])*
        pub struct $name:ident;

        $(#[$make_meta:meta])*
        $visible:vis fn $make:ident($record:ident: $type:ty) { $($prepare:stmt;)* }

        $( $(#[$column_meta:meta])* $column:ident: $column_type:ty = $value:expr; )+
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Row, Serialize)]
        #[allow(missing_docs)] // As the columns are.
        pub struct $name<'a> {
            pub topic: &'a str,
            pub topic_id: &'a str,
            pub kafka_partition: u32,
            pub kafka_offset: u64,
            pub row_index: u32,
            $( $(#[$column_meta])* pub $column: $column_type, )+
        }

        $(#[$make_meta])*
        #[must_use]
        $visible fn $make<'a>(place: Coordinates<'a>, $record: $type) -> $name<'a> {
            $($prepare)*
            $name { $( $column: $value, )+ ..$name::at(place) }
        }

        impl<'a> $name<'a> {
            /// An empty row at its coordinates.
            pub(super) fn at(place: Coordinates<'a>) -> Self {
                Self {
                    topic: place.topic,
                    topic_id: place.topic_id,
                    kafka_partition: place.partition,
                    kafka_offset: place.offset,
                    ..Self::default()
                }
            }
        }

        impl $crate::rows::Sample for $name<'_> {
            fn sample() -> Self {
                Self { $( $column: $crate::rows::Sample::sample(), )+ ..Self::default() }
            }
        }
    };
}

/// A value that is not empty, for a table to be compared with; it is never sent.
pub(crate) trait Sample {
    /// Such a value.
    fn sample() -> Self;
}

macro_rules! samples {
    ($($type:ty),+) => {
        $(impl Sample for $type {
            fn sample() -> Self {
                Self::default()
            }
        })+
    };
}
samples!(&str, bool, f64, i32, i64, Money, Points, Price, Seconds, Time);

impl<T: Sample> Sample for Option<T> {
    fn sample() -> Self {
        Some(T::sample())
    }
}

impl<T: Sample> Sample for Vec<T> {
    fn sample() -> Self {
        vec![T::sample()]
    }
}
