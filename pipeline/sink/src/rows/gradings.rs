//! Rows of gradings of arb windows: a window as it opened, and what each leg paid. It never computes a return.

use arb_model::{Money, OpenedLeg, Points, Price, Time};
use arb_schemas::records::WindowGrading;
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

row! {
    /// A row of `window_gradings`, as its columns are.
    pub struct GradingRow;

    /// The row of a window that was graded.
    pub fn grading_row(graded: &'a WindowGrading) {
        let WindowGrading { window, grade } = graded;
        let (event, legs) = (&window.event, &window.legs);
    }

    window_id: &'a str = &window.id;
    grade: i64 = grade.version;
    state: &'a str = grade.state.as_str();
    at: Time = grade.at;
    event_id: &'a str = &event.id;
    sport: &'a str = &event.sport;
    league: &'a str = &event.league;
    home: &'a str = &event.home;
    away: &'a str = &event.away;
    commence_time: Time = event.commence_time;
    in_play: bool = window.in_play;
    market: &'a str = window.market.as_str();
    period: &'a str = window.period.as_str();
    line: Option<Points> = window.line;
    margin: f64 = window.margin;
    margin_worst: f64 = window.margin_worst;
    verified: bool = window.verified;
    simultaneous: bool = window.simultaneous;
    total_stake_max: Option<Money> = window.total_stake_max;
    opened_at: Time = window.opened_at;
    #[serde(rename = "legs.outcome")]
    leg_outcome: Vec<&'a str> = each(legs, |leg| leg.outcome.as_str());
    #[serde(rename = "legs.side")]
    leg_side: Vec<&'a str> = each(legs, |leg| leg.side.as_str());
    #[serde(rename = "legs.book")]
    leg_book: Vec<&'a str> = each(legs, |leg| &*leg.book);
    #[serde(rename = "legs.price")]
    leg_price: Vec<Price> = each(legs, |leg| leg.price);
    #[serde(rename = "legs.implied_probability")]
    leg_implied_probability: Vec<f64> = each(legs, |leg| leg.implied_probability);
    #[serde(rename = "legs.stake_share")]
    leg_stake_share: Vec<f64> = each(legs, |leg| leg.stake_share);
    #[serde(rename = "legs.settlement")]
    leg_settlement: Vec<&'a str> = paid(graded, |index| Some(grade.legs.get(index)?.settlement.as_str()));
    #[serde(rename = "legs.returned")]
    leg_returned: Vec<Option<f64>> = paid(graded, |index| Some(Some(grade.legs.get(index)?.returned)));
    returned: Option<f64> = grade.returned;
    home_points: Option<i32> = grade.home;
    away_points: Option<i32> = grade.away;
    result_source: &'a str = &grade.source;
}

fn each<'a, T>(legs: &'a [OpenedLeg], of: impl Fn(&'a OpenedLeg) -> T) -> Vec<T> {
    legs.iter().map(of).collect()
}

/// Of each leg what it paid, and nothing where it is not known: there are as many as there are legs.
fn paid<T: Default>(graded: &WindowGrading, of: impl Fn(usize) -> Option<T>) -> Vec<T> {
    (0..graded.window.legs.len()).map(|index| of(index).unwrap_or_default()).collect()
}
