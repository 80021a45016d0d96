//! What the API, and backtests, ask of the past: rows that the sink wrote, as the user `reader`.
//!
//! It never writes, and never waits longer than the server may work on one question.

mod condition;
mod deliveries;
mod gradings;
mod prices;
mod recorded;
mod truth;
mod windows;

use std::fmt;
use std::future::Future;
use std::time::Duration;

use ::clickhouse::Client;

use crate::clickhouse::{Error, Settings};

pub use deliveries::{DeliveryPlace, DeliveryQuery, DeliveryStatistics, StatisticsQuery};
pub use gradings::PastGrading;
pub use prices::{PriceQuery, PriceSeries};
pub use recorded::{RecordedLeague, RecordedQuery, RecordedTable};
pub use truth::{BookAges, ExecutionCounts, LifetimeCounts, NewestFeed, StandingCounts, WindowCounts};
pub use windows::{PastWindow, Transition, WindowPlace, WindowQuery};

/// How long an answer may take: longer than the server works on a question of this user.
const ANSWER: Duration = Duration::from_secs(12);

/// A server that is asked.
#[derive(Clone)]
pub struct History {
    settings: Settings,
    client: Client,
}

impl fmt::Debug for History {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("History").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl History {
    /// A server; nothing is asked yet.
    ///
    /// # Errors
    /// When the address is none, or the file of the CA cannot be used.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        Ok(Self { client: settings.client_of_views()?, settings })
    }

    async fn ask<T>(
        &self,
        question: impl Future<Output = ::clickhouse::error::Result<T>>,
    ) -> Result<T, Error> {
        let answer = tokio::time::timeout(ANSWER, question).await;
        answer
            .unwrap_or(Err(::clickhouse::error::Error::TimedOut))
            .map_err(|source| self.settings.refused(source))
    }
}
