//! Rows of `ticks`: one for each tick of a frame.
//!
//! The names of all rows are the message's own. It leaves no tick out.

use arb_model::Market;
use arb_schemas::records::{Outcome, Side, Status};
use arb_schemas::view::{FrameView, TickView};
use clickhouse::Row;
use serde::Serialize;

use super::Coordinates;

/// A row, as the table's columns are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Row, Serialize)]
#[allow(missing_docs)] // The columns are documented in the SQL of the table.
pub struct TickRow<'a> {
    pub topic: &'a str,
    pub topic_id: &'a str,
    pub kafka_partition: u32,
    pub kafka_offset: u64,
    pub row_index: u32,
    pub source: &'a str,
    pub received_at: i64,
    pub polled: bool,
    pub event_id: &'a str,
    pub sport: &'a str,
    pub league: &'a str,
    pub home: &'a str,
    pub away: &'a str,
    pub commence_time: i64,
    pub book: &'a str,
    pub market: &'a str,
    pub period: &'a str,
    pub line: Option<i32>,
    pub outcome: &'a str,
    pub side: &'a str,
    pub price: i64,
    pub status: &'a str,
    pub bet_limit: Option<i64>,
    pub last_seen_at: i64,
    pub price_moved_at: Option<i64>,
}

/// The rows of a frame, numbered from 0.
pub fn tick_rows<'a>(
    at: Coordinates<'a>,
    frame: &'a FrameView<'a>,
) -> impl Iterator<Item = TickRow<'a>> + Send {
    let mut known: Option<(&str, Named)> = None;
    (0..).zip(&frame.ticks).map(move |(row_index, tick)| {
        // The ticks of an offer share its very name.
        let market = match known {
            Some((key, market)) if std::ptr::eq(key, tick.market) => market,
            _ => named(tick.market),
        };
        known = Some((tick.market, market));
        row(at, frame, tick, market, row_index)
    })
}

/// A market's family and period.
type Named<'a> = (&'a str, &'a str);

/// As the catalogue has them; of a market that is not in it, its key, and no period.
fn named(key: &str) -> Named<'_> {
    Market::parse(key).map_or((key, "unknown"), |market| (market.family.key(), market.period.key()))
}

fn row<'a>(
    at: Coordinates<'a>,
    frame: &FrameView<'a>,
    view: &TickView<'a>,
    (market, period): Named<'a>,
    row_index: u32,
) -> TickRow<'a> {
    let (event, tick) = (&frame.event, &view.tick);
    TickRow {
        topic: at.topic,
        topic_id: at.topic_id,
        kafka_partition: at.partition,
        kafka_offset: at.offset,
        row_index,
        source: frame.source,
        received_at: frame.received_at,
        polled: frame.poll_index.is_some(),
        event_id: event.id,
        sport: event.sport,
        league: event.league,
        home: event.home,
        away: event.away,
        commence_time: event.commence_time,
        book: view.book,
        market,
        period,
        line: tick.line,
        outcome: outcome(tick.outcome),
        side: side(tick.side),
        price: tick.price,
        status: status(tick.status),
        bet_limit: tick.limit,
        last_seen_at: view.last_seen_at,
        price_moved_at: view.price_moved_at,
    }
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
