//! What a record is made of, as its declaration has it: names, sentences, and the shapes of values.
//!
//! A schema of a format is written from this by the crate that knows the format. It never knows a format, and never reads a value.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// A type whose values have one shape wherever they occur.
pub trait Described {
    /// Which.
    const SHAPE: Shape;
}

/// The shape of a value in a binary encoding.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// True or false.
    Boolean,
    /// A whole number of 32 bits.
    Int,
    /// A whole number of 64 bits.
    Long,
    /// A floating-point number of 64 bits.
    Double,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
    /// Microseconds since the epoch, UTC.
    Time,
    /// A number with a unit.
    Measured(&'static Measure),
    /// A text: a key of a list.
    Key(&'static KeyList),
    /// A symbol of a list.
    Symbol(&'static SymbolList),
    /// A value, or none.
    Optional(&'static Shape),
    /// Any number of values.
    List(&'static Shape),
    /// A record.
    Record(&'static RecordShape),
    /// Values by name; in text alone, as the two after it.
    Map(&'static Shape),
    /// A value of one of these shapes, and the sentence that states which.
    OneOf(&'static [Shape], &'static str),
    /// Fields that are declared elsewhere, or nowhere.
    Object,
}

/// A number with a unit: a whole one in a binary encoding, a decimal in text.
#[derive(Debug)]
pub struct Measure {
    /// The shape of its binary form.
    pub number: Shape,
    /// The sentence that states the unit of that.
    pub unit: &'static str,
    /// The sentence that states the unit of its text form.
    pub text_unit: &'static str,
}

/// The keys of a list of named values.
#[derive(Debug)]
pub struct KeyList {
    /// The keys.
    pub keys: &'static [&'static str],
    /// Documents promise clients that there are no others.
    pub is_closed: bool,
}

/// The symbols of a value; the first one is read where a later writer has written another.
#[derive(Debug)]
pub struct SymbolList {
    /// The name of its type.
    pub name: &'static str,
    /// Lines of its comment.
    pub doc: &'static [&'static str],
    /// The symbols.
    pub symbols: &'static [&'static str],
}

/// What a record is made of.
#[derive(Debug)]
pub struct RecordShape {
    /// Its name.
    pub name: &'static str,
    /// Lines of its comment.
    pub doc: &'static [&'static str],
    /// Its fields, in their order.
    pub fields: &'static [FieldShape],
}

/// A field of a record.
#[derive(Debug, Clone, Copy)]
pub struct FieldShape {
    /// Its name.
    pub name: &'static str,
    /// Lines of its comment.
    pub doc: &'static [&'static str],
    /// Its name in text; `None` where text does not have it.
    pub text: Option<&'static str>,
    /// The shape of its values.
    pub shape: Shape,
    /// How an object has it.
    pub presence: Presence,
    /// What its values may be.
    pub limits: &'static [Limit],
}

/// How an object has a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    Required,
    /// With a value, or not at all.
    Optional,
    /// As the fields of its value, in its place.
    Flattened,
}

/// What a value may be, beside its shape.
#[derive(Debug, Clone, Copy)]
pub enum Limit {
    /// One of these texts, also of a list of them.
    Keys(&'static [&'static str]),
    /// At least so much: a number, the characters of a text, the entries of a list.
    Least(f64),
    /// At most so much, likewise.
    Most(f64),
    /// A number above this one.
    Above(f64),
    /// A text that matches this expression.
    Pattern(&'static str),
    /// A whole number that needs 64 bits.
    Wide,
    /// A text that is a day, such as 2026-11-23.
    Day,
    /// A text that is a time, such as 2026-11-23T18:00:00Z.
    Moment,
}

impl FieldShape {
    /// A field that is always there, with any value of its shape.
    #[must_use]
    pub const fn new(name: &'static str, doc: &'static [&'static str], shape: Shape) -> Self {
        Self { name, doc, text: Some(name), shape, presence: Presence::Required, limits: &[] }
    }
}

impl Presence {
    /// What the attributes of a field state of it.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(stated: &[Option<Self>]) -> Self {
        match stated {
            [] => Self::Required,
            [Some(presence), ..] => *presence,
            [None, rest @ ..] => Self::of(rest),
        }
    }
}

/// What the fields of a record mean that are declared as `Micros`, which otherwise is a number: a time.
#[derive(Debug, Clone, Copy)]
pub struct TimeInMicros;

macro_rules! shapes {
    ($($type:ty = $shape:ident),+ $(,)?) => {
        $(impl Described for $type {
            const SHAPE: Shape = Shape::$shape;
        })+
    };
}

shapes! {
    bool = Boolean, i32 = Int, i64 = Long, f64 = Double, String = Text, TimeInMicros = Time,
    u16 = Int, u32 = Long, u64 = Long, usize = Long, str = Text,
}

impl<T: Described + ?Sized> Described for &T {
    const SHAPE: Shape = T::SHAPE;
}

impl<T: Described + ToOwned + ?Sized> Described for Cow<'_, T> {
    const SHAPE: Shape = T::SHAPE;
}

impl<T: Described> Described for BTreeMap<String, T> {
    const SHAPE: Shape = Shape::Map(&T::SHAPE);
}

impl<T: Described, const COUNT: usize> Described for [T; COUNT] {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

impl<T: Described> Described for Option<T> {
    const SHAPE: Shape = Shape::Optional(&T::SHAPE);
}

impl<T: Described> Described for [T] {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

impl<T: Described> Described for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

/// The line of a comment; empty of another attribute.
#[doc(hidden)]
#[macro_export]
macro_rules! doc_line {
    (doc = $line:literal) => {
        $line
    };
    ($($other:tt)*) => {
        ""
    };
}
