//! What the time makes of quotes: which are stale, and which are from before the start.
//!
//! It never changes a quote.

use crate::Micros;
use crate::learning::Expected;
use crate::market::Symbol;

use super::quote::{Quote, QuoteStatus};
use super::quote_summary::QuoteSummary;

/// What the time makes of the quotes of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment<'a> {
    /// [`Micros::MIN`] where time closes nothing.
    pub(crate) watermark: Micros,
    pub(crate) commence_time: Micros,
    pub(crate) expected: &'a Expected,
}

impl Moment<'_> {
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.watermark >= self.commence_time
    }

    /// The status of a price that is not suspended.
    #[inline]
    pub(super) fn judge(&self, seen_at: Micros, book: Symbol) -> QuoteStatus {
        let started = self.has_begun() && seen_at < self.commence_time;
        if !started && self.watermark.saturating_sub(seen_at) <= self.expected.least_allowed() {
            return QuoteStatus::OnOffer;
        }
        self.judge_old(started, seen_at, book)
    }

    /// The status of a price that is not young: of two reasons the earlier one.
    #[cold]
    fn judge_old(&self, started: bool, seen_at: Micros, book: Symbol) -> QuoteStatus {
        let fresh_until = self.fresh_until(seen_at, book);
        if started && self.commence_time <= fresh_until {
            QuoteStatus::Started
        } else if self.watermark > fresh_until {
            QuoteStatus::Stale
        } else {
            QuoteStatus::OnOffer
        }
    }

    /// The last watermark at which a price that a book confirmed then is not stale.
    pub(crate) fn fresh_until(&self, seen_at: Micros, book: Symbol) -> Micros {
        seen_at.saturating_add(self.expected.allowed(book.index()))
    }

    /// The status that time gives a quote: only what is on offer can lose by it.
    pub(crate) fn status(&self, quote: &Quote) -> QuoteStatus {
        match quote.status {
            QuoteStatus::OnOffer => self.judge(quote.span_end, quote.key.book()),
            status => status,
        }
    }

    /// Whether time can remove nothing from a table, by its summary only.
    pub(crate) fn leaves(&self, summary: &QuoteSummary) -> bool {
        let started = self.has_begun() && summary.oldest < self.commence_time;
        !started && self.watermark.saturating_sub(summary.oldest) <= self.expected.least_allowed()
    }

    /// Whether its book has been silent about a quote for too long, whether or not it can be bet on.
    pub(crate) fn is_quiet(&self, quote: &Quote) -> bool {
        match quote.status {
            QuoteStatus::OnOffer => false,
            QuoteStatus::Stale => true,
            QuoteStatus::Suspended | QuoteStatus::Started => {
                self.watermark > self.fresh_until(quote.span_end, quote.key.book())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{START, World, price, quote};
    use crate::market::Outcome;
    use crate::venues::Books;

    const SECOND: Micros = 1_000_000;

    fn world() -> World {
        let mut world = World::new(Books::default(), 2);
        // `a` confirms within a minute; what is expected of `b` is not known: a quarter of an hour.
        world.expected.set(world.book("a").index(), Some(60 * SECOND));
        world
    }

    fn seen(world: &World, book: &str, at: Micros) -> Quote {
        let quote = quote(world.book(book), None, Outcome::Home, price("2"));
        Quote { span_start: at, span_end: at, ..quote }
    }

    #[test]
    fn a_quote_is_stale_when_it_is_older_than_twice_the_interval_of_its_book() {
        let world = world();
        let status = |book, age: Micros| {
            let at = START - 10_000 * SECOND;
            world.moment(at + age).status(&seen(&world, book, at))
        };
        assert_eq!(status("a", 120 * SECOND), QuoteStatus::OnOffer);
        assert_eq!(status("a", 120 * SECOND + 1), QuoteStatus::Stale);
        assert_eq!(status("b", 1_800 * SECOND), QuoteStatus::OnOffer);
        assert_eq!(status("b", 1_800 * SECOND + 1), QuoteStatus::Stale);
    }

    #[test]
    fn of_the_start_and_staleness_the_first_is_the_reason() {
        let world = world();
        let status = |seen_at, now| world.moment(now).status(&seen(&world, "a", seen_at));
        assert_eq!(status(START - SECOND, START - 1), QuoteStatus::OnOffer);
        assert_eq!(status(START - SECOND, START), QuoteStatus::Started);
        assert_eq!(status(START, START), QuoteStatus::OnOffer, "a price of the start itself");
        assert_eq!(status(START - 120 * SECOND, START), QuoteStatus::Started);
        assert_eq!(status(START - 121 * SECOND, START), QuoteStatus::Stale);
    }

    #[test]
    fn time_brings_nothing_back() {
        let world = world();
        for was in [QuoteStatus::Suspended, QuoteStatus::Stale, QuoteStatus::Started] {
            let quote = Quote { status: was, ..seen(&world, "a", START) };
            assert_eq!(world.moment(START).status(&quote), was);
        }
        let suspended = Quote { status: QuoteStatus::Suspended, ..seen(&world, "a", START) };
        assert!(!world.moment(START + 120 * SECOND).is_quiet(&suspended));
        assert!(world.moment(START + 121 * SECOND).is_quiet(&suspended));
    }

    proptest! {
        /// The summary spares a look only where no quote would change by one.
        #[test]
        fn a_table_skipped_by_its_summary_is_unchanged(
            seen_at in prop::collection::vec((any::<bool>(), 0..4_000_i64), 1..8),
            now in 0..5_000_i64,
        ) {
            let world = world();
            let at = |seconds: i64| START + (seconds - 3_000) * SECOND;
            let quotes: Vec<_> = seen_at
                .iter()
                .map(|(first, seconds)| seen(&world, if *first { "a" } else { "b" }, at(*seconds)))
                .collect();
            let moment = world.moment(at(now));
            if moment.leaves(&QuoteSummary::of(&quotes, START)) {
                prop_assert!(quotes.iter().all(|quote| moment.status(quote) == quote.status));
            }
        }
    }
}
