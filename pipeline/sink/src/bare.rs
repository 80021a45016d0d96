//! A yardstick of `arb-bench sink`: the crate's insert of rows that are there already.
//!
//! No role uses it. It reads nothing, and makes nothing of anything.

use arb_schemas::view::FrameView;
use clickhouse::Client;

use super::failure::Failure;
use super::rows::{Coordinates, TickRow, tick_rows};
use super::table::Table;
use crate::clickhouse::{self as connection, Settings};

/// The rows of frames, all of one partition, at offsets from 0 on.
#[must_use]
pub fn rows<'a>(topic: &'a str, topic_id: &'a str, frames: &'a [FrameView<'a>]) -> Vec<TickRow<'a>> {
    let at = |offset| Coordinates { topic, topic_id, partition: 0, offset };
    (0..).zip(frames).flat_map(|(offset, frame)| tick_rows(at(offset), frame)).collect()
}

/// The crate's client.
pub struct Bare(Client);

impl Bare {
    /// For a server.
    ///
    /// # Errors
    /// [`connection::Error`] for an address that cannot work.
    pub fn new(server: &Settings) -> Result<Self, connection::Error> {
        server.client().map(Self)
    }

    /// Inserts rows under a token, as the crate does it.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn insert(&self, rows: &[TickRow<'_>], token: &str) -> Result<(), Failure> {
        let sent = async {
            let insert = self.0.insert_unescaped::<TickRow<'static>>(&Table::Ticks.to_string()).await?;
            let insert = insert.with_setting("insert_deduplication_token", token);
            let mut insert = insert.with_setting("async_insert", "0");
            for row in rows {
                insert.write(row).await?;
            }
            insert.end().await
        };
        sent.await.map_err(|error| Failure::of(&error, &Table::Ticks.to_string()))
    }
}
