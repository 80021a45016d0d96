//! Rows of `ticks`: one for each tick of a frame.
//!
//! The names of all rows are the message's own. It leaves no tick out.

use arb_model::Market;
use arb_schemas::records::{Outcome, Side, Status};
use arb_schemas::view::{FrameView, TickView};
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

/// A tick of a frame, with the family and the period of its market.
#[derive(Clone, Copy)]
struct TickOf<'a> {
    frame: &'a FrameView<'a>,
    view: &'a TickView<'a>,
    market: &'a str,
    period: &'a str,
}

row! {
    /// A row of `ticks`, as its columns are.
    pub struct TickRow;

    /// The row of a tick, the first of its frame.
    fn tick_row(of: TickOf<'a>) {
        let (frame, event, view) = (of.frame, &of.frame.event, of.view);
        let tick = &view.tick;
    }

    source: &'a str = frame.source;
    received_at: i64 = frame.received_at;
    polled: bool = frame.poll_index.is_some();
    event_id: &'a str = event.id;
    sport: &'a str = event.sport;
    league: &'a str = event.league;
    home: &'a str = event.home;
    away: &'a str = event.away;
    commence_time: i64 = event.commence_time;
    book: &'a str = view.book;
    market: &'a str = of.market;
    period: &'a str = of.period;
    line: Option<i32> = tick.line;
    outcome: &'a str = outcome(tick.outcome);
    side: &'a str = side(tick.side);
    price: i64 = tick.price;
    status: &'a str = status(tick.status);
    bet_limit: Option<i64> = tick.limit;
    last_seen_at: i64 = view.last_seen_at;
    price_moved_at: Option<i64> = view.price_moved_at;
}

/// The rows of a frame, numbered from 0.
pub fn tick_rows<'a>(
    at: Coordinates<'a>,
    frame: &'a FrameView<'a>,
) -> impl Iterator<Item = TickRow<'a>> + Send {
    let mut known: Option<(&str, Named)> = None;
    (0..).zip(&frame.ticks).map(move |(row_index, view)| {
        // The ticks of an offer share its very name.
        let market = match known {
            Some((key, market)) if std::ptr::eq(key, view.market) => market,
            _ => named(view.market),
        };
        known = Some((view.market, market));
        let (market, period) = market;
        TickRow { row_index, ..tick_row(at, TickOf { frame, view, market, period }) }
    })
}

/// A market's family and period.
type Named<'a> = (&'a str, &'a str);

/// As the catalogue has them; of a market that is not in it, its key, and no period.
fn named(key: &str) -> Named<'_> {
    Market::parse(key).map_or((key, "unknown"), |market| (market.family.key(), market.period.key()))
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Unknown => "unknown",
        Outcome::Home => "home",
        Outcome::Draw => "draw",
        Outcome::Away => "away",
        Outcome::Over => "over",
        Outcome::Under => "under",
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Unknown => "unknown",
        Side::Back => "back",
        Side::Lay => "lay",
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Unknown => "unknown",
        Status::Active => "active",
        Status::Suspended => "suspended",
    }
}
