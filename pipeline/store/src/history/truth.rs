//! What became of the windows of the newest feed: how many were never proven to have been on offer, whether their legs stood when they were
//! next confirmed, and whether the lifetimes that windows stated when they opened came true.
//!
//! It never counts a window whose end is not known yet as ended, and never puts two feeds together.

use ::clickhouse::Row;
use arb_model::CONFIRMATION_GAPS;
use arb_schemas::time::Micros;
use serde::Deserialize;

use super::History;
use crate::clickhouse::Error;

/// The newest feed that has windows; times in microseconds.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
pub struct NewestFeed {
    /// The id of its topic.
    pub topic: String,
    /// The time of its newest transition.
    pub newest: i64,
    /// When the newest row was written.
    pub arrived: i64,
}

/// Windows of a phase or a book that have opened within a time.
#[derive(Debug, Clone, Default, PartialEq, Row, Deserialize)]
pub struct WindowCounts {
    /// `pre-match`, `in-play`, or the key of a book.
    pub of: String,
    /// All of them.
    pub windows: u64,
    /// Those that were never simultaneous.
    pub phantoms: u64,
    /// Those that were verified at some time.
    pub verified: u64,
    /// Windows that are closed.
    pub closed: u64,
    /// The median lifetime of closed windows, in seconds.
    pub lifetime: Option<f64>,
}

/// Of windows that a confirmation of their legs has answered, those whose legs all stood: of one phase and one group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Row, Deserialize)]
pub struct StandingCounts {
    /// `phase`, `league`, `gap` or `book`.
    pub by: String,
    /// Which of them: of `gap` the upper end in seconds, or `longer`; empty of `phase`.
    pub of: String,
    /// `pre-match` or `in-play`.
    pub phase: String,
    /// Since they were verified; else since they opened.
    pub is_verified: bool,
    /// Windows.
    pub windows: u64,
    /// Those that stood.
    pub stood: u64,
}

/// Lifetimes that were stated at the opening, and what came of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Row, Deserialize)]
pub struct LifetimeCounts {
    /// `pre-match` or `in-play`.
    pub of: String,
    /// Windows that opened so long ago that each statement about them is decided.
    pub windows: u64,
    /// Closed by the stated time by which one in ten closes.
    pub by_p10: u64,
    /// Closed by the stated median.
    pub by_median: u64,
    /// Closed by the stated time by which nine in ten close.
    pub by_p90: u64,
}

/// Probabilities to live long enough that were stated at the opening, within one tenth.
#[derive(Debug, Clone, Default, PartialEq, Row, Deserialize)]
pub struct ExecutionCounts {
    /// Windows.
    pub windows: u64,
    /// The mean of what was stated.
    pub stated: f64,
    /// The part that lived so long.
    pub lived: f64,
}

/// How old prices were when they were received.
#[derive(Debug, Clone, Default, PartialEq, Row, Deserialize)]
pub struct BookAges {
    /// The key of the book.
    pub of: String,
    /// Ticks.
    pub ticks: u64,
    /// Median, 95th and 99th percentile of the age, in seconds.
    pub ages: Vec<f64>,
}

/// How long a window must live to be bet on, in seconds: `execution_probability` is about that.
const TO_PLACE: f64 = 120.0;

const COUNTS: &str = "count() AS windows, countIf(NOT simultaneous_ever) AS phantoms, countIf(verified_ever) AS verified, \
     countIf(isNotNull(closed_at)) AS closed, \
     toNullable(quantileExactOrNullIf(0.5)(assumeNotNull(lifetime_seconds), isNotNull(closed_at))) AS lifetime";

/// Each window with what it stated when it opened, and how long it has lived: until it closed, or until now.
fn stated(feed: &NewestFeed) -> String {
    let NewestFeed { newest, .. } = feed;
    format!(
        "SELECT argMin(in_play, sequence) AS was_in_play, argMin(ttl_p10_seconds, sequence) AS p10, argMin(ttl_seconds, sequence) AS median, \
         argMin(ttl_p90_seconds, sequence) AS p90, argMin(execution_probability, sequence) AS probability, max(transition = 'closed') AS is_closed, \
         (if(is_closed, max(toUnixTimestamp64Micro(at)), {newest}) - any(toUnixTimestamp64Micro(opened_at))) / 1e6 AS seconds, \
         ({newest} - any(toUnixTimestamp64Micro(opened_at))) / 1e6 AS age \
         FROM window_transitions WHERE topic_id = ? AND opened_at >= fromUnixTimestamp64Micro(?, 'UTC') \
         GROUP BY window_id, opened_at"
    )
}

impl History {
    /// The newest feed; `None` while there is none.
    ///
    /// # Errors
    /// That the server cannot be asked, or refuses.
    pub async fn newest_feed(&self) -> Result<Option<NewestFeed>, Error> {
        let sql = "SELECT toString(topic_id) AS topic, toUnixTimestamp64Micro(max(at)) AS newest, toUnixTimestamp64Micro(toDateTime64(max(arrived_at), 6, 'UTC')) AS arrived \
             FROM window_transitions GROUP BY topic_id ORDER BY arrived DESC, newest DESC LIMIT 1";
        self.ask(self.client.query(sql).fetch_optional()).await
    }

    /// Windows of a feed that opened from a time on, by phase, or by book of a leg.
    ///
    /// # Errors
    /// As [`Self::newest_feed`].
    pub async fn window_counts(
        &self,
        feed: &NewestFeed,
        since: Micros,
        is_by_book: bool,
    ) -> Result<Vec<WindowCounts>, Error> {
        let (of, join) =
            if is_by_book { ("toString(name)", "ARRAY JOIN books AS name") } else { ("toString(phase)", "") };
        let sql = format!(
            "SELECT {of} AS of, {COUNTS} FROM windows {join} \
             WHERE topic_id = ? AND opened_at >= fromUnixTimestamp64Micro(?, 'UTC') GROUP BY of ORDER BY windows DESC, of LIMIT 500"
        );
        self.ask(self.client.query(&sql).bind(&feed.topic).bind(since).fetch_all()).await
    }

    /// Whether the legs of windows that opened from a time on stood at their first confirmation after the opening, and after the
    /// verification: by phase, and by phase and league, gap, book of a leg.
    ///
    /// # Errors
    /// As [`Self::newest_feed`].
    pub async fn standing_counts(
        &self,
        feed: &NewestFeed,
        since: Micros,
    ) -> Result<Vec<StandingCounts>, Error> {
        let up_to = CONFIRMATION_GAPS.map(|gap| format!("seconds <= {gap}, '{gap}'")).join(", ");
        let gap = format!("multiIf({up_to}, 'longer')");
        let sql = format!(
            "SELECT group.1 AS by, group.2 AS of, toString(phase) AS phase, is_verified, count() AS windows, countIf(all_stood) AS stood FROM ( \
             SELECT phase, verdict.1 AS is_verified, assumeNotNull(verdict.2) AS all_stood, ifNull(verdict.3, 0) AS seconds, \
             arrayConcat([('phase', ''), ('league', toString(league)), ('gap', {gap})], arrayMap(name -> ('book', toString(name)), books)) AS groups \
             FROM windows ARRAY JOIN [(false, stood, stood_after_seconds), (true, verified_stood, verified_stood_after_seconds)] AS verdict \
             WHERE topic_id = ? AND opened_at >= fromUnixTimestamp64Micro(?, 'UTC') AND isNotNull(verdict.2)) \
             ARRAY JOIN groups AS group GROUP BY by, of, phase, is_verified ORDER BY by DESC, windows DESC, of, phase DESC, is_verified DESC LIMIT 4000"
        );
        self.ask(self.client.query(&sql).bind(&feed.topic).bind(since).fetch_all()).await
    }

    /// Whether the lifetimes that were stated came true, by phase: of windows that opened from a time on, and so long ago that each
    /// statement is decided.
    ///
    /// # Errors
    /// As [`Self::newest_feed`].
    pub async fn lifetime_counts(
        &self,
        feed: &NewestFeed,
        since: Micros,
    ) -> Result<Vec<LifetimeCounts>, Error> {
        let sql = format!(
            "SELECT if(was_in_play, 'in-play', 'pre-match') AS of, count() AS windows, countIf(is_closed AND seconds <= assumeNotNull(p10)) AS by_p10, \
             countIf(is_closed AND seconds <= assumeNotNull(median)) AS by_median, countIf(is_closed AND seconds <= assumeNotNull(p90)) AS by_p90 \
             FROM ({}) WHERE isNotNull(p10) AND isNotNull(median) AND isNotNull(p90) AND age >= assumeNotNull(p90) GROUP BY of ORDER BY of DESC",
            stated(feed)
        );
        self.ask(self.client.query(&sql).bind(&feed.topic).bind(since).fetch_all()).await
    }

    /// Whether the probabilities of execution that were stated came true, by tenths of them.
    ///
    /// # Errors
    /// As [`Self::newest_feed`].
    pub async fn execution_counts(
        &self,
        feed: &NewestFeed,
        since: Micros,
    ) -> Result<Vec<ExecutionCounts>, Error> {
        let sql = format!(
            "SELECT count() AS windows, avg(assumeNotNull(probability)) AS stated, avg(seconds >= {TO_PLACE}) AS lived \
             FROM ({}) AS w WHERE isNotNull(probability) AND age >= {TO_PLACE} \
             GROUP BY least(9, floor(assumeNotNull(probability) * 10)) ORDER BY stated",
            stated(feed)
        );
        self.ask(self.client.query(&sql).bind(&feed.topic).bind(since).fetch_all()).await
    }

    /// How old the prices of each book were, of ticks that were received within the last hour before the newest one.
    ///
    /// # Errors
    /// As [`Self::newest_feed`].
    pub async fn book_ages(&self, until: Micros) -> Result<Vec<BookAges>, Error> {
        let sql = "SELECT toString(book) AS of, count() AS ticks, quantilesTDigest(0.5, 0.95, 0.99)(age_seconds) AS found, \
             arrayMap(age -> toFloat64(age), found) AS ages FROM ticks \
             WHERE received_at > fromUnixTimestamp64Micro(? - 3600000000, 'UTC') AND received_at <= fromUnixTimestamp64Micro(?, 'UTC') \
             GROUP BY of ORDER BY ticks DESC, of LIMIT 500";
        let sql = format!("SELECT of, ticks, ages FROM ({sql})");
        self.ask(self.client.query(&sql).bind(until).bind(until).fetch_all()).await
    }
}
