//! The sink's view of ClickHouse: rows in, and queries for rows that exist already.
//!
//! It sends rows under the given token and never retries by itself: the holder of the intent decides whether
//! a row may be sent. Rows are validated against the table, always.

use std::collections::HashSet;
use std::time::Duration;

use arb_runtime::fail_point::{FailPoints, Point};
use arb_schemas::topics::Topic;
use arb_schemas::view::FrameView;
use arb_store::failure::Failure;
use clickhouse::insert::Insert;
use clickhouse::{Client, Row, RowOwned, RowRead, RowWrite};
use serde::Deserialize;

use super::batch::Batch;
use super::record::Kept;
use super::recovery::{Found, Place};
use super::rows::{
    Coordinates, DecodedRecord, DeliveryRow, GradingRow, LineMovementRow, PickRow, RejectedRow, RowOfRecord,
    SignalRow, StaleAlertRow, TickRow, TransitionRow, read, rejected_row, tick_rows,
};
use super::table::Table;

/// How long ClickHouse may take.
#[derive(Debug, Clone, Copy)]
pub struct TimeOuts {
    /// To take a piece of what is sent, and to answer a question about a batch.
    pub send: Duration,
    /// To find the newest row of a partition, for which it may have to look at all of them.
    pub search: Duration,
    /// To insert what it was sent.
    pub insert: Duration,
}

/// Records of a partition from one offset to another.
#[derive(Debug, Clone)]
pub struct Range {
    /// The topic.
    pub topic: &'static Topic,
    /// Its id, in hexadecimal.
    pub topic_id: String,
    /// Which partition.
    pub partition: i32,
    /// Offset of the first record.
    pub first: i64,
    /// Of the last.
    pub last: i64,
}

impl Range {
    /// The name of an insert: the same rows of a table have the same name from every sender.
    #[must_use]
    pub fn token(&self, table: Table) -> String {
        let Self { topic, topic_id, partition, first, last } = self;
        format!("{}:{}:{topic_id}:{partition}:{first}-{last}", table.name(), topic.name)
    }

    fn coordinates(&self, offset: i64) -> Coordinates<'_> {
        Coordinates {
            topic: self.topic.name,
            topic_id: &self.topic_id,
            partition: self.partition.cast_unsigned(),
            offset: offset.cast_unsigned(),
        }
    }
}

/// ClickHouse.
#[derive(Clone)]
pub struct Store {
    client: Client,
    time_outs: TimeOuts,
    fail_points: FailPoints,
}

impl Store {
    /// By a client that may write.
    #[must_use]
    pub fn new(client: Client, time_outs: TimeOuts, fail_points: FailPoints) -> Self {
        // Rows are there when the answer comes, and no name counts twice, whatever the user's settings are.
        let client = client.with_setting("async_insert", "0").with_setting("deduplicate_insert", "enable");
        Self { client, time_outs, fail_points }
    }

    /// Whether the server responds within this time, with any response.
    pub async fn answers(&self, within: Duration) -> bool {
        match tokio::time::timeout(within, self.client.query("SELECT 1").execute()).await {
            Ok(Ok(()) | Err(clickhouse::error::Error::BadResponse(_))) => true,
            Ok(Err(_)) | Err(_) => false,
        }
    }

    /// Whether the tables are as the rows are.
    ///
    /// # Errors
    /// [`Failure`], which names table and column.
    pub async fn check(&self) -> Result<(), Failure> {
        let at = Coordinates { topic: "", topic_id: "", partition: 0, offset: 0 };
        self.client.clear_cached_metadata().await;
        for table in Table::ALL {
            let fits = async {
                match table {
                    Table::Ticks | Table::PrivateTicks => {
                        self.try_row::<TickRow<'static>>(table, &samples::tick()).await
                    }
                    Table::WindowTransitions => {
                        self.try_row::<TransitionRow<'static>>(table, &samples::transition()).await
                    }
                    Table::LineMovements => {
                        self.try_row::<LineMovementRow<'static>>(table, &samples::movement()).await
                    }
                    Table::StaleAlerts => {
                        self.try_row::<StaleAlertRow<'static>>(table, &samples::alert()).await
                    }
                    Table::Rejected => {
                        let row = rejected_row(at, "", b"", b"");
                        self.try_row::<RejectedRow<'static>>(table, &row).await
                    }
                    Table::SignalTransitions => {
                        self.try_row::<SignalRow<'static>>(table, &samples::signal()).await
                    }
                    Table::PickTransitions => self.try_row::<PickRow<'static>>(table, &samples::pick()).await,
                    Table::WindowGradings => {
                        self.try_row::<GradingRow<'static>>(table, &samples::grading()).await
                    }
                    Table::WebhookDeliveries => {
                        self.try_row::<DeliveryRow<'static>>(table, &samples::delivery()).await
                    }
                }
            };
            self.in_time(table, self.time_outs.send, fits).await?;
        }
        Ok(())
    }

    /// Lets a row be validated, and sends nothing: an insert that is not ended is none.
    async fn try_row<R: RowWrite>(&self, table: Table, row: &R::Value<'_>) -> clickhouse::error::Result<()> {
        let mut insert = self.client.insert_unescaped::<R>(table.name()).await?;
        insert.write(row).await
    }

    /// The highest offset not below `range.first` of which a table has rows.
    pub(super) async fn highest(&self, range: &Range) -> Result<Option<i64>, Failure> {
        let mut highest = None;
        for table in Table::ALL {
            let name = table.name();
            let question =
                format!("SELECT max(kafka_offset) AS highest, count() AS rows FROM {name} WHERE {WHERE}");
            let limit = self.time_outs.search;
            let (found, rows): (u64, u64) = self.ask(table, &question, range, limit).await?;
            highest = highest.max((rows > 0).then_some(found.cast_signed()));
        }
        Ok(highest)
    }

    /// What a table has of a range.
    pub(super) async fn found(&self, table: Table, range: &Range) -> Result<Found, Failure> {
        let name = table.name();
        let question = format!(
            "SELECT count() AS rows, uniqExact(kafka_offset, row_index) AS places FROM {name} WHERE {WHERE}"
        );
        let (rows, places) = self.ask(table, &question, range, self.time_outs.send).await?;
        Ok(Found { rows, places })
    }

    /// The places of a range of which a table has rows.
    pub(super) async fn places(&self, table: Table, range: &Range) -> Result<HashSet<Place>, Failure> {
        let name = table.name();
        let question = format!("SELECT kafka_offset, row_index FROM {name} WHERE {WHERE}");
        let limit = self.time_outs.send;
        let query = self.query(&question, range, limit);
        let found = self.in_time(table, limit, query.fetch_all::<PlaceRow>()).await?;
        Ok(found.into_iter().map(|row| (row.kafka_offset, row.row_index)).collect())
    }

    async fn ask<T>(&self, table: Table, question: &str, range: &Range, limit: Duration) -> Result<T, Failure>
    where
        T: RowOwned + RowRead,
    {
        self.in_time(table, limit, self.query(question, range, limit).fetch_one::<T>()).await
    }

    fn query(&self, question: &str, range: &Range, limit: Duration) -> clickhouse::query::Query {
        // When the receiver of the answer is dropped, the server must not continue the query beside the next
        // one.
        let query =
            self.client.query(question).with_setting("max_execution_time", limit.as_secs_f64().to_string());
        let query = query.bind(range.topic.name).bind(&range.topic_id);
        query.bind(range.partition).bind(range.first).bind(range.last)
    }

    async fn in_time<T>(
        &self,
        table: Table,
        limit: Duration,
        asked: impl Future<Output = clickhouse::error::Result<T>>,
    ) -> Result<T, Failure> {
        let answer = tokio::time::timeout(limit, asked).await;
        let answer = answer.unwrap_or(Err(clickhouse::error::Error::TimedOut));
        answer.map_err(|error| Failure::of(&error, &table.to_string()))
    }

    /// Inserts the rows of a batch that belong in a table, under a token; `skip` are there already.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn insert(
        &self,
        table: Table,
        range: &Range,
        batch: &Batch,
        token: &str,
        skip: &HashSet<Place>,
    ) -> Result<(), Failure> {
        let sent = match table {
            Table::Ticks | Table::PrivateTicks => self.send_ticks(table, range, batch, (token, skip)).await,
            Table::WindowTransitions => self.send::<TransitionRow<'static>>(range, batch, token, skip).await,
            Table::LineMovements => self.send::<LineMovementRow<'static>>(range, batch, token, skip).await,
            Table::StaleAlerts => self.send::<StaleAlertRow<'static>>(range, batch, token, skip).await,
            Table::Rejected => self.send::<RejectedRow<'static>>(range, batch, token, skip).await,
            Table::SignalTransitions => self.send::<SignalRow<'static>>(range, batch, token, skip).await,
            Table::PickTransitions => self.send::<PickRow<'static>>(range, batch, token, skip).await,
            Table::WindowGradings => self.send::<GradingRow<'static>>(range, batch, token, skip).await,
            Table::WebhookDeliveries => self.send::<DeliveryRow<'static>>(range, batch, token, skip).await,
        };
        sent.map_err(|error| Failure::of(&error, &table.to_string()))?;
        self.fail_points.pass(Point::Inserted);
        Ok(())
    }

    /// An insert of so many rows.
    async fn begin<R: Row>(
        &self,
        table: Table,
        token: &str,
        rows: u64,
    ) -> clickhouse::error::Result<Insert<R>> {
        let insert = self.client.insert_unescaped::<R>(table.name()).await?;
        let mut insert = insert.with_setting("insert_deduplication_token", token);
        // One insert is one block, however large: of several, each is there or not by itself.
        let rows = rows.max(1).to_string();
        for (name, value) in [
            ("max_insert_block_size", rows.as_str()),
            ("min_insert_block_size_rows", &rows),
            ("min_insert_block_size_bytes", "0"),
            ("max_insert_block_size_bytes", "0"),
            ("input_format_max_block_size_bytes", "0"),
        ] {
            insert = insert.with_setting(name, value);
        }
        Ok(insert.with_timeouts(Some(self.time_outs.send), Some(self.time_outs.insert)))
    }

    async fn send_ticks(
        &self,
        table: Table,
        range: &Range,
        batch: &Batch,
        (token, skip): (&str, &HashSet<Place>),
    ) -> clickhouse::error::Result<()> {
        let rows = batch.rows().of(table);
        let mut insert = self.begin::<TickRow<'static>>(table, token, rows).await?;
        for record in batch.records(table) {
            let made = read(range.topic, record.value);
            let owned;
            let frame = match &made {
                DecodedRecord::Frame(frame) => frame,
                DecodedRecord::OwnedFrame(frame) => {
                    owned = FrameView::from(&**frame);
                    &owned
                }
                _ => continue,
            };
            for row in tick_rows(range.coordinates(record.offset), frame) {
                if skip.is_empty() || !skip.contains(&(row.kafka_offset, row.row_index)) {
                    self.fail_points.pass(Point::Row);
                    insert.write(&row).await?;
                }
            }
        }
        insert.end().await
    }

    /// Sends a table's rows where a record makes one at most.
    async fn send<R>(
        &self,
        range: &Range,
        batch: &Batch,
        token: &str,
        skip: &HashSet<Place>,
    ) -> clickhouse::error::Result<()>
    where
        R: RowOfRecord + RowWrite,
    {
        let mut insert = self.begin::<R>(R::TABLE, token, batch.rows().of(R::TABLE)).await?;
        let is_missing = |record: &Kept<'_>| !skip.contains(&(record.offset.cast_unsigned(), 0));
        for record in batch.records(R::TABLE).filter(is_missing) {
            let made = read(range.topic, record.value);
            if let Some(row) = R::of(range.coordinates(record.offset), &made, record) {
                self.fail_points.pass(Point::Row);
                insert.write(&row).await?;
            }
        }
        insert.end().await
    }
}

/// The rows of a range.
const WHERE: &str = "topic = ? AND topic_id = ? AND kafka_partition = ? AND kafka_offset BETWEEN ? AND ?";

#[derive(Debug, Row, Deserialize)]
struct PlaceRow {
    kafka_offset: u64,
    row_index: u32,
}

mod samples;
