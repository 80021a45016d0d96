//! Rows of picks of bots: what was published of each, and every grading with its result. It never computes a record of a bot.

use arb_model::{Pick, Points, Price, Time};
use arb_schemas::records::PickChange;
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

row! {
    /// A row of `pick_transitions`, as its columns are.
    pub struct PickRow;

    /// The row of a pick that was published or graded.
    pub fn pick_row(changed: &'a PickChange) {
        let PickChange { change, pick } = changed;
        let (event, closing, grade) = (&pick.event, pick.closing.as_ref(), pick.grade());
        let (poll, minute) = (pick.offer_after_poll.as_ref(), pick.offer_after_minute.as_ref());
    }

    pick_id: &'a str = &pick.id;
    transition: &'a str = change;
    at: Time = time(pick);
    bot: &'a str = &pick.bot;
    version: i64 = pick.version;
    feed: &'a str = pick.feed.as_str();
    event_id: &'a str = &event.id;
    sport: &'a str = &event.sport;
    league: &'a str = &event.league;
    home: &'a str = &event.home;
    away: &'a str = &event.away;
    commence_time: Time = event.commence_time;
    starts_at: Time = pick.starts_at;
    market: &'a str = pick.market.as_str();
    period: &'a str = pick.period.as_str();
    line: Option<Points> = pick.line;
    outcome: &'a str = pick.outcome.as_str();
    draw_refunds: bool = pick.draw_refunds;
    book: &'a str = &pick.book;
    price: Price = pick.price;
    probability: f64 = pick.probability;
    method: &'a str = &pick.method;
    stake: f64 = pick.stake;
    reasons: Vec<&'a str> = pick.reasons.iter().map(String::as_str).collect();
    published_at: Time = pick.published_at;
    closing_price: Option<Price> = closing.and_then(|closing| closing.price);
    closing_probability: Option<f64> = closing.map(|closing| closing.probability);
    closing_seen_at: Option<Time> = closing.map(|closing| closing.last_seen_at);
    poll_price: Option<Price> = poll.and_then(|offer| offer.price);
    poll_seen_at: Option<Time> = poll.map(|offer| offer.last_seen_at);
    minute_price: Option<Price> = minute.and_then(|offer| offer.price);
    minute_seen_at: Option<Time> = minute.map(|offer| offer.last_seen_at);
    grade: i64 = grade.map_or(0, |grade| grade.version);
    settlement: &'a str = grade.map_or("", |grade| &grade.settlement);
    profit: f64 = grade.map_or(0.0, |grade| grade.profit);
    home_points: Option<i32> = grade.and_then(|grade| grade.home);
    away_points: Option<i32> = grade.and_then(|grade| grade.away);
    result_source: &'a str = grade.map_or("", |grade| &grade.source);
}

/// When it was published, or the result was reported by which it was graded last.
pub(super) fn time(pick: &Pick) -> Time {
    pick.grade().map_or(pick.published_at, |grade| grade.at)
}
