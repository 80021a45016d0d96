//! Lists of named values: an enum and the key of each variant in messages, declared once.
//!
//! A key that was published never changes its meaning.

use crate::described::KeyList;

/// A value of a list, named by a key in messages.
pub trait Keyed: Copy + Eq + 'static {
    /// The keys of all, in the order of their declaration.
    const LIST: KeyList;

    /// Its key.
    fn key(self) -> &'static str;

    /// The value with this key; `None` when the list has none.
    fn parse(key: &str) -> Option<Self>;
}

/// Declares an enum whose values are symbols of a binary encoding. The first variant is what a reader takes a symbol for that a later
/// writer added.
#[macro_export]
macro_rules! symbols {
    (
        $(#[$($meta:tt)*])*
        pub enum $name:ident {
            $(#[$($first_meta:tt)*])* $first:ident = $first_symbol:literal,
            $( $(#[$($variant_meta:tt)*])* $variant:ident = $symbol:literal ),+ $(,)?
        }
    ) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(#[$($first_meta)*])*
            #[default]
            #[serde(rename = $first_symbol)]
            $first,
            $( $(#[$($variant_meta)*])* #[serde(rename = $symbol)] $variant ),+
        }

        impl $crate::described::Described for $name {
            const SHAPE: $crate::described::Shape =
                $crate::described::Shape::Symbol(&$crate::described::SymbolList {
                    name: stringify!($name),
                    doc: &[$($crate::doc_line!($($meta)*)),*],
                    symbols: &[$first_symbol, $($symbol),+],
                });
        }
    };
}

/// Declares an enum with the key of each variant; `ALL` has them in the order of their declaration. Of a `closed` list documents promise
/// clients that it does not grow.
macro_rules! keyed {
    (@is_closed) => {
        false
    };
    (@is_closed closed) => {
        true
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident $(: $closed:ident)? {
            $( $(#[$($variant_meta:tt)*])* $variant:ident = $key:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $( $(#[$($variant_meta)*])* $variant ),+ }

        impl $name {
            /// All of them, in the order of their declaration.
            pub const ALL: [Self; [$($key),+].len()] = [$(Self::$variant),+];

            /// Their keys, in the same order.
            pub const KEYS: &'static [&'static str] = &[$($key),+];

            /// Lines of their comments, in the same order.
            pub const DOCS: &'static [&'static [&'static str]] =
                &[$(&[$($crate::doc_line!($($variant_meta)*)),*]),+];

            /// Its key in messages.
            #[must_use]
            pub fn key(self) -> &'static str {
                match self { $(Self::$variant => $key),+ }
            }

            /// The value with this key; `None` when there is none.
            #[must_use]
            pub fn parse(key: &str) -> Option<Self> {
                match key { $($key => Some(Self::$variant),)+ _ => None }
            }
        }

        impl $crate::Keyed for $name {
            const LIST: $crate::described::KeyList = $crate::described::KeyList {
                keys: Self::KEYS,
                is_closed: keyed!(@is_closed $($closed)?),
            };

            fn key(self) -> &'static str {
                Self::key(self)
            }

            fn parse(key: &str) -> Option<Self> {
                Self::parse(key)
            }
        }
    };
}
