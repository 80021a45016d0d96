//! A window of the board.

use arb_model::{BoardEntry, Leg, PassedLeg, PassedOver, Time, Ttl, view};
use arb_schemas::time::{Micros, SECOND};

use super::{EventView, OddsFormat, ShownOdds, age};

view! {
    /// An open arb window as it is now.
    pub struct EntryView<'a> => "Arb" {
        /// Its place on the whole board, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        rank: Option<u64>,
        #[serde(flatten)]
        entry: &'a BoardEntry,
        #[serde(flatten)]
        about: EventView<'a>,
        legs: Vec<LegView<'a>>,
        passed_over: Option<PassedView<'a>>,
        #[serde(flatten)]
        ttl: TtlView,
    }
}

view! {
    /// One bet of an arb.
    pub struct LegView<'a> => "Leg" {
        #[serde(flatten)]
        leg: &'a Leg,
        price: ShownOdds,
        effective_price: ShownOdds,
        /// How long ago its price was confirmed.
        age_seconds: f64,
        /// Of a scan: its price is of a poll for the scan.
        #[serde(skip_serializing_if = "Option::is_none")]
        asked_now: Option<bool>,
    }
}

view! {
    /// A cover that was passed over.
    pub(crate) struct PassedView<'a> {
        #[serde(flatten)]
        passed: &'a PassedOver,
        legs: Vec<PassedLegView<'a>>,
    }
}

view! {
    /// One bet of a cover that was passed over.
    pub(crate) struct PassedLegView<'a> {
        #[serde(flatten)]
        leg: &'a PassedLeg,
        price: ShownOdds,
    }
}

view! {
    /// How long a window is expected to live, and when half of such windows are gone.
    pub(crate) struct TtlView {
        ttl_seconds: f64,
        ttl_p10_seconds: f64,
        ttl_p90_seconds: f64,
        expires_at: Time,
    }
}

impl<'a> EntryView<'a> {
    /// With decimal odds, its ages as of a time.
    #[must_use]
    pub fn new(entry: &'a BoardEntry, as_of: Micros) -> Self {
        Self::with_odds(entry, as_of, OddsFormat::Decimal)
    }

    /// The same with its odds in a format.
    #[must_use]
    pub fn with_odds(entry: &'a BoardEntry, as_of: Micros, odds: OddsFormat) -> Self {
        Self {
            rank: None,
            entry,
            about: EventView::new(&entry.event, Some(entry.in_play)),
            legs: entry.legs.iter().map(|leg| LegView::new(leg, as_of, odds)).collect(),
            passed_over: entry.passed_over.as_ref().map(|passed| PassedView::new(passed, odds)),
            ttl: TtlView::new(entry.ttl, entry.updated_at),
        }
    }

    /// The same at its rank.
    #[must_use]
    pub fn ranked(self, rank: u64) -> Self {
        Self { rank: Some(rank), ..self }
    }

    /// The same of a scan, with whether the price of each leg is of a poll for it.
    #[must_use]
    pub fn asked(mut self, asked: &[bool]) -> Self {
        for (leg, asked) in self.legs.iter_mut().zip(asked) {
            leg.asked_now = Some(*asked);
        }
        self
    }
}

impl<'a> LegView<'a> {
    fn new(leg: &'a Leg, as_of: Micros, odds: OddsFormat) -> Self {
        Self {
            leg,
            price: odds.show(leg.price),
            effective_price: odds.show(leg.effective_price),
            age_seconds: age(leg.last_seen_at, as_of),
            asked_now: None,
        }
    }
}

impl<'a> PassedView<'a> {
    fn new(passed: &'a PassedOver, odds: OddsFormat) -> Self {
        let legs = passed.legs.iter().map(|leg| PassedLegView { leg, price: odds.show(leg.price) });
        Self { passed, legs: legs.collect() }
    }
}

impl TtlView {
    fn new(ttl: Ttl, written_at: Time) -> Self {
        Self {
            ttl_seconds: ttl.median,
            ttl_p10_seconds: ttl.p10,
            ttl_p90_seconds: ttl.p90,
            expires_at: expires_at(written_at, ttl),
        }
    }
}

fn expires_at(written_at: Time, ttl: Ttl) -> Time {
    #[allow(clippy::cast_possible_truncation)] // Cut at the end of time.
    let life = (ttl.median * SECOND as f64) as Micros;
    Time(written_at.0.saturating_add(life))
}
