//! A machine's clock that is behind its source's: the times of the source's prices are shifted back, all by as much.
//!
//! Where nine tenths of a poll's prices, or of those of the last [`WINDOW`] polls together, were confirmed after the poll was received, it is the
//! clock of this machine that is wrong. Their times are shifted back by the least offset by which none of these polls has a price after its
//! receipt, so that ages and spans keep their differences. Between polls the offset does not shrink by less than [`TOLERANCE`]: a price that
//! was not confirmed again would look as if it was. A time that is further ahead than [`FARTHEST`] is an error of the source: it moves no offset.
//! It never reads a clock, and never changes when a poll was received.

use std::collections::VecDeque;

use arb_model::Faults;
use arb_schemas::records::{Offer, ResultReport};
use arb_schemas::time::{Micros, SECOND};

use super::source::{Poll, Source, SourceError};
use super::telemetry;

/// Polls that are looked at together.
pub const WINDOW: usize = 20;
/// By which an offset must have become too large before it shrinks: what the engine takes of skew.
pub const TOLERANCE: Micros = 5 * SECOND;
/// How far ahead a time may be and count.
pub const FARTHEST: Micros = 3_600 * SECOND;

/// What a poll says about the clock that received it.
#[derive(Debug, Clone, Copy, Default)]
struct PollTimes {
    prices: u64,
    /// Of these, prices that were confirmed after the poll was received.
    after: u64,
    /// How far the latest of those was ahead.
    ahead: Micros,
}

/// The clock of one source, as far as its last polls show it.
#[derive(Debug, Clone, Default)]
pub struct ClockSkew {
    recent: VecDeque<PollTimes>,
    offset: Micros,
}

impl ClockSkew {
    /// Shifts the times of a poll's prices back where the clock is behind; by how many microseconds, 0 where it is not.
    ///
    /// ```
    /// use arb_ingest::simulator::{Settings, Simulator};
    /// use arb_ingest::skew::ClockSkew;
    ///
    /// let mut poll = Simulator::new(Settings::default()).poll_at(1_000_000_000);
    /// let before = poll.clone();
    /// assert_eq!(ClockSkew::default().correct(&mut poll), 0, "none of its prices is from the future");
    /// assert_eq!(poll, before);
    /// ```
    pub fn correct(&mut self, poll: &mut Poll) -> Micros {
        let times = PollTimes::of(poll);
        if self.recent.len() == WINDOW {
            self.recent.pop_front();
        }
        self.recent.push_back(times);
        let is_behind = times.shows_skew() || (self.recent.len() == WINDOW && self.all().shows_skew());
        let needed = self.all().ahead;
        let is_kept = needed <= self.offset && self.offset - needed <= TOLERANCE;
        self.offset = match is_behind {
            false => 0,
            true if is_kept => self.offset,
            true => needed,
        };
        if self.offset > 0 {
            offers(poll).for_each(|offer| shift(offer, self.offset));
        }
        self.offset
    }

    /// All recent polls as one.
    fn all(&self) -> PollTimes {
        self.recent.iter().fold(PollTimes::default(), |all, poll| PollTimes {
            prices: all.prices + poll.prices,
            after: all.after + poll.after,
            ahead: all.ahead.max(poll.ahead),
        })
    }
}

impl PollTimes {
    fn of(poll: &mut Poll) -> Self {
        let received_at = poll.received_at;
        let mut times = Self::default();
        for offer in offers(poll) {
            let (ahead, prices) = (offer.last_seen_at.saturating_sub(received_at), offer.ticks.len() as u64);
            times.prices += prices;
            if (1..=FARTHEST).contains(&ahead) && prices > 0 {
                times.after += prices;
                times.ahead = times.ahead.max(ahead);
            }
        }
        times
    }

    /// Whether nine tenths of the prices are from after their receipt.
    fn shows_skew(self) -> bool {
        self.prices > 0 && 10 * self.after >= 9 * self.prices
    }
}

fn offers(poll: &mut Poll) -> impl Iterator<Item = &mut Offer> {
    poll.events.iter_mut().flat_map(|(_, offers)| offers)
}

fn shift(offer: &mut Offer, offset: Micros) {
    offer.last_seen_at = offer.last_seen_at.saturating_sub(offset);
    offer.price_moved_at = offer.price_moved_at.map(|at| at.saturating_sub(offset));
}

/// A source whose polls are corrected; where the clock is behind, that is reported.
pub struct Corrected<S> {
    source: S,
    skew: ClockSkew,
}

impl<S: Source> Corrected<S> {
    /// Of a source.
    #[must_use]
    pub fn new(source: S) -> Self {
        Self { source, skew: ClockSkew::default() }
    }
}

impl<S: Source> Source for Corrected<S> {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn next_poll(&mut self, faults: &mut Faults) -> Result<Option<Poll>, SourceError> {
        let mut poll = self.source.next_poll(faults)?;
        if let Some(poll) = &mut poll {
            telemetry::clock_behind(self.source.name(), self.skew.correct(poll));
        }
        Ok(poll)
    }

    fn poll_now(&self, at: Micros) -> Option<Poll> {
        self.source.poll_now(at)
    }

    fn results(&self, after: Micros, until: Micros) -> Vec<ResultReport> {
        self.source.results(after, until)
    }
}

#[cfg(test)]
mod tests {
    use arb_model::OddsFormat;
    use arb_schemas::records::{Coverage, Event, Outcome, Side, Status, Tick};
    use proptest::prelude::*;

    use super::*;

    const RECEIVED: Micros = 1_700_000_000 * SECOND;

    /// A poll of offers with one price each, confirmed so long after its receipt.
    fn poll(ahead: &[Micros]) -> Poll {
        let (outcome, side, line, price) = (Outcome::Home, Side::Back, None, 2_000_000);
        let tick = Tick { outcome, side, line, price, status: Status::Active, limit: None };
        let offer = |ahead: &Micros| Offer {
            book: "b".to_owned(),
            market: "h2h".to_owned(),
            last_seen_at: RECEIVED + ahead,
            price_moved_at: Some(RECEIVED + ahead - SECOND),
            ticks: vec![tick],
            link: None,
        };
        let events = vec![(Event::default(), ahead.iter().map(offer).collect())];
        let (coverage, odds_format) = (Coverage::ALL, OddsFormat::Decimal);
        Poll { received_at: RECEIVED, league: None, coverage, odds_format, events }
    }

    fn seen(poll: &Poll) -> Vec<(Micros, Option<Micros>)> {
        let offers = poll.events.iter().flat_map(|(_, offers)| offers);
        offers.map(|offer| (offer.last_seen_at - RECEIVED, offer.price_moved_at)).collect()
    }

    fn corrected(skew: &mut ClockSkew, ahead: &[Micros]) -> (Micros, Poll) {
        let mut poll = poll(ahead);
        (skew.correct(&mut poll), poll)
    }

    #[test]
    fn nine_of_ten_are_a_clock_that_is_behind() {
        let mut ahead = [11 * SECOND; 10];
        (ahead[0], ahead[1]) = (-30 * SECOND, 12 * SECOND);
        let (offset, poll) = corrected(&mut ClockSkew::default(), &ahead);
        assert_eq!(offset, 12 * SECOND);
        assert_eq!(seen(&poll)[..3].iter().map(|(at, _)| at / SECOND).collect::<Vec<_>>(), [-42, 0, -1]);
        ahead[2] = 0;
        assert_eq!(
            corrected(&mut ClockSkew::default(), &ahead).0,
            0,
            "one at the moment of receipt is not after it"
        );
        assert_eq!(corrected(&mut ClockSkew::default(), &[]).0, 0);
    }

    #[test]
    fn twenty_polls_count_together() {
        let mut skew = ClockSkew::default();
        // Every third poll has one price from before its receipt, of four: 8 of 10 in it, 93 of 100 in all.
        let of = |number: usize| {
            if number % 3 == 2 {
                vec![9 * SECOND, 9 * SECOND, 9 * SECOND, -SECOND]
            } else {
                vec![9 * SECOND; 4]
            }
        };
        let offsets: Vec<_> =
            (0..WINDOW + 3).map(|number| corrected(&mut skew, &of(number)).0 / SECOND).collect();
        let before: Vec<_> = (0..WINDOW - 1).map(|number| if number % 3 == 2 { 0 } else { 9 }).collect();
        assert_eq!(offsets[..WINDOW - 1], before);
        assert_eq!(offsets[WINDOW - 1..], [9; 4]);
    }

    #[test]
    fn an_offset_shrinks_when_it_is_much_too_large_and_ends_with_the_skew() {
        let mut skew = ClockSkew::default();
        let mut next = |ahead: Micros| corrected(&mut skew, &[ahead]).0;
        assert_eq!(next(11 * SECOND), 11 * SECOND);
        assert_eq!(
            next(10 * SECOND),
            11 * SECOND,
            "the same as before, so that no price looks confirmed again"
        );
        assert_eq!(next(60 * SECOND), 60 * SECOND);
        (1..WINDOW).for_each(|_| assert_eq!(next(10 * SECOND), 60 * SECOND));
        assert_eq!(next(10 * SECOND), 10 * SECOND, "no poll of the window needs so much");
        assert_eq!(next(-SECOND), 10 * SECOND, "by the other polls of the window");
        assert_eq!(next(-SECOND), 10 * SECOND, "18 of 20");
        assert_eq!(next(-SECOND), 0);
    }

    #[test]
    fn what_is_far_ahead_moves_no_clock() {
        assert_eq!(corrected(&mut ClockSkew::default(), &[FARTHEST + 1; 10]).0, 0);
        let mut ahead = [SECOND; 10];
        ahead[0] = 80_000_000 * SECOND;
        assert_eq!(corrected(&mut ClockSkew::default(), &ahead).0, SECOND);
    }

    proptest! {
        /// Of any polls: a shifted one keeps all differences and has none after its receipt; a poll is shifted only where nine tenths of its prices,
        /// or of those of twenty polls, are after it, and then by no less than it needs.
        #[test]
        fn differences_stay_and_none_is_after_receipt(
            polls in prop::collection::vec((prop::collection::vec(-40..40_i64, 0..12), 0..3_i64), 1..50),
        ) {
            let mut skew = ClockSkew::default();
            let mut seen_before: Vec<Vec<Micros>> = Vec::new();
            for (ahead, mode) in polls {
                // Mostly ahead, mostly behind, anything.
                let ahead: Vec<_> = ahead.iter().map(|at| SECOND * if mode == 2 { *at } else { at.abs() * (1 - 2 * mode) }).collect();
                let (offset, shifted) = corrected(&mut skew, &ahead);
                let before = seen(&poll(&ahead));
                for ((at, moved), (was, moved_was)) in seen(&shifted).into_iter().zip(before) {
                    prop_assert_eq!((at + offset, moved.map(|at| at + offset)), (was, moved_was));
                    prop_assert!(offset == 0 || at <= 0);
                }
                seen_before.push(ahead);
                let is_skewed = |polls: &[Vec<Micros>]| {
                    let all: Vec<_> = polls.iter().flatten().collect();
                    !all.is_empty() && 10 * all.iter().filter(|at| ***at > 0).count() >= 9 * all.len()
                };
                let last = seen_before.len();
                let of_window = last >= WINDOW && is_skewed(&seen_before[last - WINDOW..]);
                prop_assert_eq!(offset > 0, is_skewed(&seen_before[last - 1..]) || of_window);
            }
        }

        /// The first poll that shows it is shifted by the least that will do.
        #[test]
        fn the_offset_is_the_least(ahead in prop::collection::vec(1..FARTHEST, 1..12)) {
            let (offset, _) = corrected(&mut ClockSkew::default(), &ahead);
            prop_assert_eq!(Some(&offset), ahead.iter().max());
        }
    }
}
