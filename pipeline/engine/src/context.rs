//! What is known while a record is taken in: of the step, and of the market that is looked at.
//!
//! It decides nothing but what follows from the time alone.

use std::sync::Arc;

use crate::Micros;
use crate::input::Coordinate;
use crate::learning::Margins;
use crate::learning::survival::Survival;
use crate::market::{EventInfo, Market, Policy, Symbol};
use crate::odds::LineChances;
use crate::quotes::Moment;
use crate::venues::{PricingContext, SourceLink};

/// How a record comes to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// With a poll.
    Polled,
    /// A source that is polled or listened to sent it as it happened.
    Pushed,
    /// A client pushed it: nothing is learnt from it.
    PushedByClient,
}

impl Arrival {
    /// Whether it came as it happened.
    pub(crate) fn is_push(self) -> bool {
        self != Self::Polled
    }

    /// Whether what is learnt of sources may be learnt of it.
    pub(crate) fn teaches(self) -> bool {
        self != Self::PushedByClient
    }
}

/// What happens to an event, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepContext<'a> {
    pub(crate) at: Coordinate<'a>,
    /// The latest time of any source.
    pub(crate) now: Micros,
    /// It happens because time passes, before the record itself is looked at.
    pub(crate) by_time: bool,
    pub(crate) arrival: Arrival,
    pub(crate) moment: Moment<'a>,
    pub(crate) event: &'a Arc<EventInfo>,
    pub(crate) event_changed: bool,
    pub(crate) margins: &'a Margins,
    pub(crate) pricing: PricingContext<'a>,
    /// How long windows live.
    pub(crate) survival: Survival<'a>,
    /// Chances that were computed before.
    pub(crate) chances: &'a LineChances,
}

/// What a transition needs to know beside the prices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarketContext<'a> {
    pub(crate) step: &'a StepContext<'a>,
    pub(crate) market: Market,
    /// When one of its quotes was last received, before the record that is taken in.
    pub(crate) last_received: Option<Micros>,
    /// Where its bets can be placed, as sources state it, by book.
    pub(crate) links: &'a [SourceLink],
    /// They are not those of before.
    pub(crate) has_new_links: bool,
    /// The books that have listed a draw in it.
    pub(crate) drawn: &'a [Symbol],
}

impl MarketContext<'_> {
    /// Whether an entry reads otherwise although no quote changed: by its event, or by where its bets can be placed.
    pub(crate) fn is_shown_otherwise(&self) -> bool {
        self.step.event_changed || self.has_new_links
    }

    /// By the watermark, as are the prices from before the start; the raw policy has none.
    pub(crate) fn in_play(&self) -> bool {
        match self.step.pricing.policy {
            Policy::Board => self.step.moment.has_begun(),
            Policy::Raw => self.step.now >= self.step.event.commence_time.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{self, START, World};
    use crate::venues::Books;

    use super::*;

    /// Whether a market is in play by both policies, at a watermark and at the latest time of any source.
    fn in_play(watermark: Micros, now: Micros) -> [bool; 2] {
        [Policy::Board, Policy::Raw].map(|policy| {
            let mut world = World::new(Books::default(), 1);
            world.policy = policy;
            let step = StepContext { moment: world.moment(watermark), ..world.step(0, now) };
            fixtures::context(&step, "h2h").in_play()
        })
    }

    #[test]
    fn the_board_goes_in_play_by_the_watermark_and_the_raw_policy_by_the_record() {
        assert_eq!(in_play(START - 1, START - 1), [false, false]);
        assert_eq!(
            in_play(START - 1, START),
            [false, true],
            "a source that is slower may still be before it"
        );
        assert_eq!(in_play(START, START), [true, true]);
        assert_eq!(in_play(Micros::MIN, START + 1), [false, true], "the raw policy has no watermark");
    }
}
