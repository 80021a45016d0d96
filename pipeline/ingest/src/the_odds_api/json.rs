//! The shapes of The Odds API's JSON, read leniently: a value of the wrong type spoils only itself.
//!
//! Scalars stay raw text, so that numbers are converted from their digits, never through a float. It decides
//! nothing about what is missing.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use arb_model::Faults;
use arb_schemas::json_parts::{self, Twice};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A scalar as it is written.
pub(super) type Raw<'a> = &'a RawValue;

/// An object, or `None` for anything else.
pub(super) struct Lenient<T>(pub(super) Option<T>);

/// An array, or `None` for anything else.
pub(super) struct List<T>(pub(super) Option<Vec<Lenient<T>>>);

#[derive(serde::Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) sport_key: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) commence_time: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) home_team: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) away_team: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) bookmakers: List<Bookmaker<'a>>,
}

#[derive(serde::Deserialize)]
pub(super) struct Bookmaker<'a> {
    #[serde(borrow, default)]
    pub(super) key: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) last_update: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) link: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) markets: List<Market<'a>>,
}

#[derive(serde::Deserialize)]
pub(super) struct Market<'a> {
    #[serde(borrow, default)]
    pub(super) key: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) last_update: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) link: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) outcomes: List<Outcome<'a>>,
}

#[derive(serde::Deserialize)]
pub(super) struct Outcome<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) price: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) point: Option<Raw<'a>>,
    #[serde(borrow, default)]
    pub(super) bet_limit: Option<Raw<'a>>,
}

/// The value of a key of the line.
pub(super) fn member<'a>(
    members: &[(&'a str, &'a str)],
    key: &'static str,
    faults: &mut Faults,
) -> Option<&'a str> {
    let found = json_parts::value(members, key);
    if !matches!(found, Ok(Some(_))) {
        faults.count(key, if found == Err(Twice) { Twice::WORDS } else { "missing" });
    }
    found.ok().flatten()
}

/// A part that is parsed alone; `None` of one that is no JSON, whose fault says why.
pub(super) fn part<'a, T: Deserialize<'a>>(
    part: &'a str,
    field: &'static str,
    faults: &mut Faults,
) -> Option<T> {
    let fault = match json_parts::refusal(part) {
        Some(refusal) => refusal,
        None => match serde_json::from_str(part) {
            Ok(parsed) => return Some(parsed),
            Err(error) => json_parts::cause(part, &error),
        },
    };
    faults.count(field, fault);
    None
}

/// The text of a JSON string; `None` for anything else.
pub(super) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(raw.get()).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// What the two visitors do with values that are not theirs.
macro_rules! nothing_for_scalars {
    ($wrong:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("JSON")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($wrong)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($wrong)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($wrong)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($wrong)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($wrong)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($wrong)
        }
    };
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = Lenient<T>;
            nothing_for_scalars!(Lenient(None));
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Lenient(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|object| Lenient(Some(object)))
            }
        }
        deserializer.deserialize_any(Object(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Array<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Array<T> {
            type Value = List<T>;
            nothing_for_scalars!(List(None));
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::with_capacity(seq.size_hint().unwrap_or(4));
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(List(Some(items)))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(List(None))
            }
        }
        deserializer.deserialize_any(Array(PhantomData))
    }
}
