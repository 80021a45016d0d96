//! A value of a list that may grow: known, or the key that a newer writer has added.
//!
//! Writing a known value allocates nothing. An unknown key is kept, never guessed and never an error.

use std::fmt::{self, Debug, Display, Formatter};
use std::marker::PhantomData;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Keyed;
use crate::described::{Described, Shape};

/// A value of a list, or a key that the list does not have.
#[derive(Clone, PartialEq, Eq)]
pub enum Open<T> {
    /// It is in the list.
    Known(T),
    /// It is not: a key of a newer writer, or none at all.
    Other(Box<str>),
}

impl<T: Keyed> Open<T> {
    /// Its key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(value) => value.key(),
            Self::Other(key) => key,
        }
    }

    /// The value, where the list has it.
    #[must_use]
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Other(_) => None,
        }
    }
}

/// No key, as records of before the field have it.
impl<T> Default for Open<T> {
    fn default() -> Self {
        Self::Other(Box::default())
    }
}

impl<T: Keyed> Described for Open<T> {
    const SHAPE: Shape = Shape::Key(&T::LIST);
}

impl<T: Keyed> From<T> for Open<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: Keyed> From<&str> for Open<T> {
    fn from(key: &str) -> Self {
        T::parse(key).map_or_else(|| Self::Other(key.into()), Self::Known)
    }
}

impl<T: Keyed> PartialEq<T> for Open<T> {
    fn eq(&self, other: &T) -> bool {
        self.known() == Some(*other)
    }
}

impl<T: Keyed> PartialEq<&str> for Open<T> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl<T: Keyed> Debug for Open<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.as_str(), f)
    }
}

impl<T: Keyed> Display for Open<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<T: Keyed> Serialize for Open<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, T: Keyed> Deserialize<'de> for Open<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Key(PhantomData))
    }
}

struct Key<T>(PhantomData<T>);

impl<T: Keyed> Visitor<'_> for Key<T> {
    type Value = Open<T>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Open<T>, E> {
        Ok(key.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    #[test]
    fn an_unknown_key_is_kept() {
        let read = |json: &str| serde_json::from_str::<Open<Outcome>>(json).unwrap();
        assert_eq!(read("\"over\""), Open::Known(Outcome::Over));
        let newer = read("\"corner\"");
        assert_eq!((newer.known(), newer.as_str(), newer.to_string()), (None, "corner", "corner".to_owned()));
        assert_eq!(serde_json::to_string(&newer).unwrap(), "\"corner\"");
        assert_eq!((read("\"\""), newer == Outcome::Over), (Open::default(), false));
        assert!(read("\"over\"") == Outcome::Over && read("\"over\"") == "over");
    }
}
