//! A record of a batch, as it came.
//!
//! It never prints its content.

/// A record of a batch, as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept<'a> {
    /// Its offset.
    pub offset: i64,
    /// Its key.
    pub key: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
}
