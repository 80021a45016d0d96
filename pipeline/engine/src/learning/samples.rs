//! Samples that the steps of a transaction have taken and that are not counted yet.
//!
//! It never counts a sample: the draft does.

use crate::Micros;
use crate::market::Symbol;

use super::margins::Proven;
use super::refresh;
use super::survival::LifetimeSample;

/// An age that a book's prices reached before they were confirmed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefreshSample {
    pub(crate) book: Symbol,
    pub(crate) bucket: u8,
    pub(crate) at: Micros,
}

/// The samples of a frame beside its quotes: refresh intervals, one for each market and book, verified
/// margins, and lifetimes.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(crate) refresh: Vec<RefreshSample>,
    /// Margins of windows that were proven.
    pub(crate) margins: Vec<Proven>,
    /// How long windows lived.
    pub(crate) lifetimes: Vec<LifetimeSample>,
    /// For each book the number of the merge that sampled it last.
    sampled: Vec<u64>,
    merge: u64,
}

impl Samples {
    /// Begins a merge, of which each book gives one sample at the most.
    pub(crate) fn begin_merge(&mut self) {
        self.merge += 1;
    }

    /// Notes that a book confirmed at `at` a price that it had confirmed last at `seen_at`.
    pub(crate) fn sample(&mut self, book: Symbol, seen_at: Micros, at: Micros) {
        if self.sampled.len() <= book.index() {
            self.sampled.resize(book.index() + 1, 0);
        }
        let sampled = &mut self.sampled[book.index()];
        if *sampled != self.merge {
            *sampled = self.merge;
            self.refresh.push(RefreshSample {
                book,
                bucket: refresh::bucket(at.saturating_sub(seen_at)),
                at,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::symbols;
    use crate::market::Names;

    #[test]
    fn a_book_gives_one_sample_a_merge() {
        let books = symbols(&mut Names::default(), 3);
        let mut samples = Samples::default();
        for at in [100, 200] {
            samples.begin_merge();
            for (book, seen_at) in [(2, at - 30), (0, at - 20), (2, at - 90), (0, at - 20)] {
                samples.sample(books[book], seen_at * 1_000_000, at * 1_000_000);
            }
        }
        let noted: Vec<_> =
            samples.refresh.iter().map(|sample| (sample.book, sample.bucket, sample.at)).collect();
        let [long, short] = [30, 20].map(|seconds| refresh::bucket(seconds * 1_000_000));
        let of = |at: Micros| [(books[2], long, at * 1_000_000), (books[0], short, at * 1_000_000)];
        assert_eq!(noted, [of(100), of(200)].concat(), "the first of each merge, in the order of the merge");
    }
}
