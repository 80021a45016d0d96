//! What an arb window came to: the window as it opened, and a grading by the result of its event.
//!
//! A correction is another grading, never a change. It decides nothing.

use crate::{
    BoardEntry, Event, Family, FilterValues, Leg, Money, Name, Open, Outcome, Period, Points, Price, Side,
    Time,
};

keyed! {
    /// What is known of a window after a grading.
    pub enum GradeState: closed {
        /// What each leg paid.
        Settled = "settled",
        /// Nothing: the result by which it was settled was withdrawn.
        Withdrawn = "open",
    }
}

record! {
    /// A window as it opened: what its stakes were to be, and at which prices.
    pub struct OpenedWindow {
        /// Window id.
        pub id: String,
        /// The event.
        pub event: Event => _,
        /// The event had begun.
        pub in_play: bool => _,
        /// Market family.
        pub market: Open<Family>,
        /// Period of the market.
        pub period: Open<Period>,
        /// Line.
        pub line: Option<Points>,
        /// The return on the total stake that it promised.
        pub margin: f64,
        /// The least of it over settlement states.
        pub margin_worst: f64,
        /// All flags held.
        pub verified: bool,
        /// The legs' prices were proven to be on offer at one moment.
        pub simultaneous: bool,
        /// The largest total stake within limits; `None` when no limit was known.
        pub total_stake_max: Option<Money>,
        /// The bets, in the order of the outcome set.
        pub legs: Vec<OpenedLeg>,
        /// When it opened.
        pub opened_at: Time,
    }
}

record! {
    /// A bet of a window as it opened.
    pub struct OpenedLeg {
        /// What is bet on.
        pub outcome: Open<Outcome>,
        /// For it, or against it.
        pub side: Open<Side>,
        /// The book.
        pub book: Name,
        /// At what price.
        pub price: Price,
        /// 1/price after fees; of a lay of the back that wins when it does.
        pub implied_probability: f64,
        /// Share of the total stake; of a lay, of its liability.
        pub stake_share: f64,
    }
}

record! {
    /// A grading of a window by the result of its event: what its legs paid, all placed as it opened.
    pub struct WindowGrade {
        /// The number of the grading, from 1: a correction is another one.
        pub version: i64,
        /// Whether it is settled; `open` where the result was withdrawn.
        pub state: Open<GradeState>,
        /// What all legs returned together, per unit of the total stake; `None` unless it is settled.
        pub returned: Option<f64>,
        /// What each leg paid, in the order of the legs; empty unless it is settled.
        pub legs: Vec<LegReturn>,
        /// Points of the home side in the period; `None` where the bets were decided without them.
        pub home: Option<i32>,
        /// Of the away side.
        pub away: Option<i32>,
        /// Who reported the result.
        pub source: String,
        /// When it was reported.
        pub at: Time,
    }
}

record! {
    /// What a leg paid.
    pub struct LegReturn {
        /// `won`, `half_won`, `push`, `half_lost`, `lost` or `void`, for the one who placed it: a lay of what lost is won.
        pub settlement: String [Keys(&["won", "half_won", "push", "half_lost", "lost", "void"])],
        /// A part of the total stake.
        pub returned: f64,
    }
}

record! {
    /// A window was graded, for the first time or again.
    pub struct WindowGrading {
        /// As it opened.
        pub window: OpenedWindow => _,
        /// The grading.
        pub grade: WindowGrade,
    }
}

impl OpenedWindow {
    /// An entry of the board at its opening.
    #[must_use]
    pub fn of(entry: &BoardEntry) -> Self {
        Self {
            id: entry.id.clone(),
            event: entry.event.clone(),
            in_play: entry.in_play,
            market: entry.market.clone(),
            period: entry.period.clone(),
            line: entry.line,
            margin: entry.margin,
            margin_worst: entry.margin_worst,
            verified: entry.verified,
            simultaneous: entry.simultaneous,
            total_stake_max: entry.total_stake_max,
            legs: entry.legs.iter().map(OpenedLeg::of).collect(),
            opened_at: entry.opened_at,
        }
    }

    /// What filters of a stream compare of it: the values at its opening.
    #[must_use]
    pub fn filter_values(&self) -> FilterValues {
        FilterValues {
            margin: self.margin,
            verified: self.verified,
            in_play: self.in_play,
            total_stake_max: self.total_stake_max,
            books: self.legs.iter().map(|leg| leg.book.clone()).collect(),
        }
    }
}

impl OpenedLeg {
    fn of(leg: &Leg) -> Self {
        Self {
            outcome: leg.outcome.clone(),
            side: leg.side.clone(),
            book: leg.book.clone(),
            price: leg.price,
            implied_probability: leg.implied_probability,
            stake_share: leg.stake_share,
        }
    }
}

impl WindowGrade {
    /// Whether it says what the legs paid.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.state == GradeState::Settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_window_as_it_opened_has_what_filters_compare_of_its_entry() {
        let entry = fixtures::entry();
        let window = OpenedWindow::of(&entry);
        assert_eq!(window.filter_values(), entry.filter_values());
        assert_eq!((&window.id, &window.event, window.opened_at), (&entry.id, &entry.event, entry.opened_at));
        let legs = window.legs.iter().map(|leg| (leg.outcome.as_str(), &*leg.book, leg.price));
        assert!(legs.eq(entry.legs.iter().map(|leg| (leg.outcome.as_str(), &*leg.book, leg.price))));
    }

    #[test]
    fn a_grading_whose_result_was_withdrawn_settles_nothing() {
        let grade = fixtures::window_grading().grade;
        assert!(grade.is_settled());
        assert!(!WindowGrade { state: GradeState::Withdrawn.into(), ..grade }.is_settled());
    }
}
