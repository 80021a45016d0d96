//! What was stored of the winner's prices of a league, as the table of a recording (CSV), piece by piece.
//!
//! A piece is some whole polls, no more rows of them than one answer may have; no more than a piece is held. It never reads what was pushed:
//! a recording is of polls, each of which covers its league.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use ::clickhouse::Row;
use arb_schemas::time::{Micros, SECOND};
use serde::Deserialize;
use tokio::runtime::Runtime;

use super::History;
use super::condition::Condition;
use crate::clickhouse::Error;

/// Rows of a piece at most, unless one poll has more: half of what the user `reader` is given in one answer.
const PIECE: u64 = 50_000;
const DAY: Micros = 86_400 * SECOND;
/// The columns of a table of prices, as `docs/bots/rules.md` has them for an export.
const COLUMNS: &str = "formatDateTime(received_at, '%Y%m%d_%H%i%S') AS snapshot_utc, event_id, league AS sport_key, home AS home_team, \
     away AS away_team, formatDateTime(commence_time, '%FT%TZ') AS commence_time, formatDateTime(last_seen_at, '%FT%TZ') AS last_update, \
     book AS bookmaker, market, multiIf(outcome = 'home', home, outcome = 'away', away, 'Draw') AS outcome_name, price, '' AS point";
const WINNERS: &str = "market IN ('h2h', 'h2h_3_way') AND period = 'full_time' AND side = 'back' AND status = 'active' AND polled";
const IN_ORDER: &str = "ORDER BY snapshot_utc, event_id, book, market, outcome";

/// Which prices are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedQuery {
    /// The key of a league; all of them without one.
    pub league: Option<String>,
    /// Received not before, in microseconds.
    pub since: Option<Micros>,
    /// Received before.
    pub until: Option<Micros>,
}

/// The polls of one source and league.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Row, Deserialize)]
#[allow(missing_docs)]
pub struct RecordedLeague {
    pub source_name: String,
    pub sport_key: String,
    pub league_key: String,
}

/// A poll, and how many prices it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Row, Deserialize)]
struct PollRows {
    micros: i64,
    prices: u64,
}

/// From one time to before another.
type TimeRange = (Micros, Micros);

/// A table that is read piece by piece; its header comes first, once.
pub struct RecordedTable {
    history: History,
    runtime: Arc<Runtime>,
    league: RecordedLeague,
    query: RecordedQuery,
    /// Days that are left, then pieces of the day that are left.
    days: VecDeque<Micros>,
    pieces: VecDeque<TimeRange>,
    piece: io::Cursor<Vec<u8>>,
    has_header: bool,
}

impl RecordedQuery {
    fn condition(&self, league: Option<&RecordedLeague>) -> Condition {
        let mut condition = Condition::default();
        condition.and(WINNERS, []);
        condition.is("league", self.league.as_ref());
        condition.within("received_at", self.since, self.until);
        if let Some(RecordedLeague { source_name, sport_key, league_key }) = league {
            condition.is("sport", Some(sport_key));
            condition.is("league", Some(league_key));
            condition.is("source", Some(source_name));
        }
        condition
    }

    /// The same of a part of the time.
    fn part(&self, (from, to): TimeRange) -> Self {
        let since = Some(self.since.map_or(from, |since| since.max(from)));
        Self { since, until: Some(self.until.map_or(to, |until| until.min(to))), ..self.clone() }
    }
}

impl History {
    /// The sources and leagues that have such prices, in their order.
    ///
    /// # Errors
    /// That the server cannot be asked, or refuses.
    pub async fn recorded_leagues(&self, query: &RecordedQuery) -> Result<Vec<RecordedLeague>, Error> {
        let condition = query.condition(None);
        let sql = format!(
            "SELECT DISTINCT source AS source_name, sport AS sport_key, league AS league_key FROM ticks WHERE {} \
             ORDER BY league_key, source_name",
            condition.sql
        );
        self.ask(condition.bind(self.client.query(&sql)).fetch_all()).await
    }

    /// The beginnings of the days on which there are prices.
    async fn days(&self, query: &RecordedQuery, league: &RecordedLeague) -> Result<Vec<Micros>, Error> {
        let condition = query.condition(Some(league));
        let sql = format!(
            "SELECT DISTINCT intDiv(toUnixTimestamp64Micro(received_at), {DAY}) * {DAY} AS day FROM ticks WHERE {} ORDER BY day",
            condition.sql
        );
        self.ask(condition.bind(self.client.query(&sql)).fetch_all()).await
    }

    async fn polls(&self, query: &RecordedQuery, league: &RecordedLeague) -> Result<Vec<PollRows>, Error> {
        let condition = query.condition(Some(league));
        let sql = format!(
            "SELECT toUnixTimestamp64Micro(received_at) AS micros, count() AS prices FROM ticks WHERE {} GROUP BY micros ORDER BY micros",
            condition.sql
        );
        self.ask(condition.bind(self.client.query(&sql)).fetch_all()).await
    }

    async fn table(&self, query: &RecordedQuery, league: &RecordedLeague) -> Result<Vec<u8>, Error> {
        let condition = query.condition(Some(league));
        let sql = format!("SELECT {COLUMNS} FROM ticks WHERE {} {IN_ORDER}", condition.sql);
        let question = condition.bind(self.client.query(&sql));
        let bytes = self.ask(async { question.fetch_bytes("CSVWithNames")?.collect().await }).await?;
        Ok(bytes.into())
    }
}

impl RecordedTable {
    /// The prices of a league; nothing but its days is asked yet.
    ///
    /// # Errors
    /// That the server cannot be asked, or refuses.
    pub fn open(
        history: History,
        runtime: Arc<Runtime>,
        league: RecordedLeague,
        query: RecordedQuery,
    ) -> Result<Self, Error> {
        let days = runtime.block_on(history.days(&query, &league))?.into();
        let (pieces, piece, has_header) = (VecDeque::new(), io::Cursor::default(), false);
        Ok(Self { history, runtime, league, query, days, pieces, piece, has_header })
    }

    /// Asks for the next piece; `false` at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let Self { history, runtime, league, query, .. } = self;
        while self.pieces.is_empty() {
            let Some(day) = self.days.pop_front() else { return Ok(false) };
            let polls = runtime.block_on(history.polls(&query.part((day, day + DAY)), league));
            self.pieces = pieces(&polls.map_err(io::Error::other)?, PIECE).into();
        }
        let Some(piece) = self.pieces.pop_front() else { return Ok(false) };
        let table = runtime.block_on(history.table(&query.part(piece), league)).map_err(io::Error::other)?;
        let header = table.iter().position(|byte| *byte == b'\n').map_or(table.len(), |end| end + 1);
        self.piece = io::Cursor::new(table);
        if std::mem::replace(&mut self.has_header, true) {
            self.piece.consume(header);
        }
        Ok(true)
    }
}

impl Read for RecordedTable {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut piece = self.fill_buf()?;
        let read = piece.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for RecordedTable {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.piece.fill_buf()?.is_empty() && self.advance()? {}
        self.piece.fill_buf()
    }

    fn consume(&mut self, read: usize) {
        self.piece.consume(read);
    }
}

/// Polls one after the other, as many as have so many rows, by the seconds in which they are: a table names seconds, and what it names by
/// one is one poll.
fn pieces(polls: &[PollRows], most: u64) -> Vec<TimeRange> {
    let mut pieces: Vec<(TimeRange, u64)> = Vec::new();
    for PollRows { micros, prices } in polls {
        let second = micros.div_euclid(SECOND) * SECOND;
        match pieces.last_mut() {
            Some(((_, until), rows)) if second < *until || *rows + prices <= most => {
                (*until, *rows) = ((second + SECOND).max(*until), *rows + prices);
            }
            _ => pieces.push(((second, second + SECOND), *prices)),
        }
    }
    pieces.into_iter().map(|(piece, _)| piece).collect()
}

#[cfg(test)]
mod tests {
    use super::super::condition::Bound;
    use super::*;

    #[test]
    fn a_piece_is_whole_seconds_of_no_more_rows_than_asked_for() {
        let poll = |tenths: i64, prices| PollRows { micros: tenths * SECOND / 10, prices };
        let found = |polls: &[PollRows], most| -> Vec<_> {
            pieces(polls, most).into_iter().map(|(from, to)| (from / SECOND, to / SECOND)).collect()
        };
        assert_eq!(found(&[], 10), []);
        let polls = [poll(0, 4), poll(20, 4), poll(40, 4), poll(60, 40), poll(80, 1)];
        assert_eq!(found(&polls, 10), [(0, 3), (4, 5), (6, 7), (8, 9)]);
        assert_eq!(found(&polls, 100), [(0, 9)]);
        // Two polls within a second are one of the table.
        assert_eq!(found(&[poll(0, 4), poll(18, 7), poll(19, 7), poll(20, 1)], 10), [(0, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn a_part_of_the_time_stays_within_the_range_that_was_asked_for() {
        let query = RecordedQuery { league: None, since: Some(5), until: Some(90) };
        for (part, since, until) in [((0, 10), 5, 10), ((10, 20), 10, 20), ((80, 100), 80, 90)] {
            let part = query.part(part);
            assert_eq!((part.since, part.until), (Some(since), Some(until)));
        }
        let part = RecordedQuery::default().part((1, 2));
        assert_eq!((part.since, part.until), (Some(1), Some(2)));
    }

    #[test]
    fn values_are_bound() {
        let league = RecordedLeague {
            source_name: "s' OR 1".into(),
            sport_key: "soccer".into(),
            league_key: "soccer_epl".into(),
        };
        let query = RecordedQuery { league: Some("soccer_epl".into()), since: Some(1), until: Some(2) };
        let Condition { sql, bound } = query.condition(Some(&league));
        assert_eq!((sql.matches('?').count(), bound.len()), (6, 6));
        assert!(!sql.contains("OR 1"), "{sql}");
        assert!(bound.contains(&Bound::Number(1)));
    }
}
