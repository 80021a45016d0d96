//! Lists of named values: an enum and the key of each variant in messages, declared once.
//!
//! A key that was published never changes its meaning.

/// A value of a list, named by a key in messages.
pub trait Keyed: Copy + Eq + 'static {
    /// Its key.
    fn key(self) -> &'static str;

    /// The value with this key; `None` when the list has none.
    fn parse(key: &str) -> Option<Self>;
}

/// Declares an enum with the key of each variant; `ALL` has them in the order of their declaration.
macro_rules! keyed {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $key:literal ),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $( $(#[$variant_meta])* $variant ),+ }

        impl $name {
            /// All of them, in the order of their declaration.
            pub const ALL: [Self; [$($key),+].len()] = [$(Self::$variant),+];

            /// Their keys, in the same order.
            pub const KEYS: &'static [&'static str] = &[$($key),+];

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

        impl crate::Keyed for $name {
            fn key(self) -> &'static str {
                Self::key(self)
            }

            fn parse(key: &str) -> Option<Self> {
                Self::parse(key)
            }
        }
    };
}
