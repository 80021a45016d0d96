//! A yardstick: the insert of the crate `clickhouse`, of rows that are there already.
//!
//! It does not go through the sink's store, which it is compared with; only the rows are the sink's. It reads nothing and
//! computes nothing.

use arb_schemas::view::FrameView;
use arb_sink::rows::{Coordinates, TickRow, tick_rows};
use arb_sink::table::Table;
use arb_store::clickhouse::Settings;
use clickhouse::Client;

/// The rows of frames, all of one partition, at offsets from 0 on.
pub(super) fn rows<'a>(topic: &'a str, topic_id: &'a str, frames: &'a [FrameView<'a>]) -> Vec<TickRow<'a>> {
    let at = |offset| Coordinates { topic, topic_id, partition: 0, offset };
    (0..).zip(frames).flat_map(|(offset, frame)| tick_rows(at(offset), frame)).collect()
}

/// The crate's client.
pub(super) struct CrateInsert(Client);

impl CrateInsert {
    /// For a server.
    pub(super) fn new(server: &Settings) -> anyhow::Result<Self> {
        Ok(Self(server.client_of_tables()?))
    }

    /// Inserts rows under a token, as the crate does it.
    pub(super) async fn insert(&self, rows: &[TickRow<'_>], token: &str) -> anyhow::Result<()> {
        let insert = self.0.insert_unescaped::<TickRow<'static>>(Table::Ticks.name()).await?;
        let insert = insert.with_setting("insert_deduplication_token", token);
        let mut insert = insert.with_setting("async_insert", "0");
        for row in rows {
            insert.write(row).await?;
        }
        Ok(insert.end().await?)
    }
}
