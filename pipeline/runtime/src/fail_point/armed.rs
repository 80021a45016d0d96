//! Fail points that can be armed: what the feature `fail-points` adds.
//!
//! It is never part of the shipped binary.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Point;

impl Point {
    /// Those of the processor, in the order in which a transaction passes them.
    pub const PROCESS: [Self; 6] =
        [Self::Poll, Self::Process, Self::Produce, Self::Offsets, Self::Commit, Self::Committed];
    /// Those of the sink, in the order in which a batch passes them.
    pub const SINK: [Self; 7] =
        [Self::Gather, Self::Intend, Self::Intended, Self::Row, Self::Inserted, Self::Settle, Self::Settled];

    fn all() -> impl Iterator<Item = Self> {
        Self::PROCESS.into_iter().chain(Self::SINK)
    }

    /// Its name on a command line.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Poll => "poll",
            Self::Process => "process",
            Self::Produce => "produce",
            Self::Offsets => "offsets",
            Self::Commit => "commit",
            Self::Committed => "committed",
            Self::Gather => "gather",
            Self::Intend => "intend",
            Self::Intended => "intended",
            Self::Row => "row",
            Self::Inserted => "inserted",
            Self::Settle => "settle",
            Self::Settled => "settled",
        }
    }
}

/// Which passage of which point: `POINT:COUNT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// The point.
    pub point: Point,
    /// The first passage is 1.
    pub count: u64,
}

impl FromStr for Passage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once(':').and_then(|(name, count)| {
            let point = Point::all().find(|point| point.key() == name)?;
            Some(Self { point, count: count.parse().ok().filter(|count| *count > 0)? })
        });
        parsed.ok_or_else(|| "give POINT:COUNT, such as commit:3".to_owned())
    }
}

/// Something that happens at one passage of one point, and which transactions are aborted.
#[derive(Clone, Default)]
pub struct FailPoints {
    armed: Option<Arc<Armed>>,
    abort_each: Option<NonZeroU64>,
}

struct Armed {
    point: Point,
    left: AtomicU64,
    act: Box<dyn Fn() + Send + Sync>,
}

impl FailPoints {
    /// `act` happens at a passage.
    #[must_use]
    pub fn armed(at: Passage, act: impl Fn() + Send + Sync + 'static) -> Self {
        let (left, act) = (AtomicU64::new(at.count), Box::new(act));
        Self { armed: Some(Arc::new(Armed { point: at.point, left, act })), abort_each: None }
    }

    /// The same; of so many transactions the last is aborted.
    #[must_use]
    pub fn aborting(self, abort_each: Option<NonZeroU64>) -> Self {
        Self { abort_each, ..self }
    }

    /// Whether the transaction of this number, the first being 1, is to be aborted.
    #[must_use]
    pub fn aborts(&self, transaction: u64) -> bool {
        self.abort_each.is_some_and(|each| transaction.is_multiple_of(each.get()))
    }

    /// A point is passed.
    pub fn pass(&self, point: Point) {
        if let Some(armed) = self.armed.as_ref().filter(|armed| armed.point == point)
            && armed.left.fetch_sub(1, Ordering::Relaxed) == 1
        {
            (armed.act)();
        }
    }
}

impl fmt::Debug for FailPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.armed.as_ref().map(|armed| armed.point).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fires_once_at_its_passage() {
        let count = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&count);
        let points = FailPoints::armed("produce:3".parse().unwrap(), move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let happened = |point| {
            points.clone().pass(point);
            count.load(Ordering::Relaxed)
        };
        assert_eq!([Point::Produce; 4].map(happened), [0, 0, 1, 1]);
        assert_eq!(happened(Point::Commit), 1);
        FailPoints::default().pass(Point::Poll);
    }

    #[test]
    fn a_passage_is_a_point_and_a_count() {
        for point in Point::all() {
            assert_eq!(format!("{}:7", point.key()).parse(), Ok(Passage { point, count: 7 }));
        }
        for text in ["", "commit", "commit:0", "commit:x", "lunch:1"] {
            assert!(text.parse::<Passage>().is_err(), "{text}");
        }
    }
}
