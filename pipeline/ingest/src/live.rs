//! Live polling of The Odds API v4: what is due, within the credits, one worker a sport.
//!
//! - [`schedule`], [`budget`], [`backoff`]: the interval, whether the credits allow a poll, the pause after a
//!   failure. Pure.
//! - [`scan_budget`]: what scans may spend; `scans`: how a worker answers them.
//! - [`plan`]: the next action, decided from all of that; pure. [`handover`]: the state for the next holder
//!   of a lease.
//! - [`client`], [`answer`], [`listing`]: the calls, and the meaning of their responses.
//! - [`known_scores`]: which results are new; `scores`: how a worker asks for them; `in_play`: scores for display.
//! - `prices`: the requests of a poll, and their answers as one.
//! - `beats`, `worker`: heartbeats, and the loop that executes the plan.
//!
//! Workers share the sports by leases, the partitions of a consumer group on the tick topic: a sport is
//! polled by the owner of the partition that its key is hashed to. Nothing here looks at a price.

pub mod answer;
pub mod backoff;
mod beats;
pub mod budget;
pub mod client;
pub mod handover;
mod in_play;
pub mod known_scores;
pub mod listing;
pub mod plan;
mod prices;
pub mod scan_budget;
mod scans;
pub mod schedule;
mod scores;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use arb_kafka::{self as kafka, Cluster};
use arb_model::Faults;
use arb_runtime::stop::Stop;
use arb_schemas::time::Micros;
use thiserror::Error;

use self::answer::Problem;
use self::backoff::Backoff;
use self::budget::Allowance;
use self::client::{ApiKey, SettingsError};
use self::plan::scores::{self as score_plan, ScoreRules};
use self::plan::{Plan, Rules, Sports};
use self::scan_budget::ScanCaps;
use self::schedule::Intervals;
use self::worker::Worker;
use super::leased_log::WriteProgress;
use super::open_picks::OpenPicks;
use super::publish::PublishError;
use super::scan_queue::ScanQueue;
use super::the_odds_api::AmericanOdds;

/// The settings of an operator.
#[derive(Debug, Clone)]
pub struct LiveSettings {
    /// Where Kafka is.
    pub cluster: Cluster,
    /// Consumer group of the workers.
    pub group: String,
    /// Where the API is.
    pub address: String,
    /// The caller of the API.
    pub key: ApiKey,
    /// Time-out of connecting.
    pub connect: Duration,
    /// Time-out of a call, connecting and reading included; at most [`LONGEST_CALL`].
    pub total: Duration,
    /// Regions whose books are asked for.
    pub regions: Vec<String>,
    /// Which of them, and which books, make their prices as American odds.
    pub american: AmericanOdds,
    /// Markets that are asked for.
    pub markets: Vec<String>,
    /// How often, and up to which costs.
    pub rules: Limits,
    /// Wall time.
    pub clock: fn() -> Micros,
    /// Of the jitter.
    pub seed: u64,
}

/// The part of the settings that decides when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Which sports.
    pub sports: Sports,
    /// The intervals between polls.
    pub intervals: Intervals,
    /// Time between two looks at a free listing.
    pub look_every: Micros,
    /// After failures.
    pub backoff: Backoff,
    /// Credits that stay.
    pub floor: u64,
    /// Day of the month on which the credits are reset, if what remains is to be spread until then.
    pub reset_day: Option<i8>,
    /// What scans may spend.
    pub scans: ScanCaps,
    /// When scores are asked for, if they are.
    pub scores: Option<ScoreRules>,
}

/// Longest time-out of a call: a worker that does not look after its lease for five minutes is expelled.
pub const LONGEST_CALL: Duration = Duration::from_mins(1);

/// What was polled.
#[derive(Debug, Clone, Default)]
pub struct Polled {
    /// Polls.
    pub polls: u64,
    /// Their events.
    pub frames: u64,
    /// Their ticks.
    pub ticks: u64,
    /// Results.
    pub results: u64,
    /// Calls that brought nothing.
    pub failures: u64,
    /// What was malformed.
    pub faults: Faults,
}

/// Why polling ended.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The key is not taken.
    #[error("{0}")]
    BadKey(Problem),
    /// A setting makes no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Kafka refuses, or the leases cannot be kept.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// Kafka does not take what was polled.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// No thread for the heartbeats.
    #[error("the heartbeats cannot be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// A worker that is connected to Kafka.
pub struct Live<'a>(Worker<'a>);

impl<'a> Live<'a> {
    /// Connects, and joins the group of the workers.
    ///
    /// # Errors
    /// [`LiveError`].
    pub fn connect(settings: &'a LiveSettings, stop: &Stop) -> Result<Self, LiveError> {
        let partitions = kafka::partitions(&settings.cluster)?;
        let plan = Plan::new(rules(settings, partitions), settings.seed);
        Ok(Self(Worker::new(settings, partitions, plan, stop)?))
    }

    /// How far it has written.
    #[must_use]
    pub fn progress(&self) -> Arc<WriteProgress> {
        self.0.log.progress()
    }

    /// Polls until the shutdown signal.
    ///
    /// # Errors
    /// [`LiveError`]; whatever the API does, except that it refuses the key, is no error but a reason to wait.
    pub fn run(self, scans: &ScanQueue, picks: &OpenPicks, stop: &Stop) -> Result<Polled, LiveError> {
        self.0.run(scans, picks, stop)
    }
}

fn rules(settings: &LiveSettings, partitions: i32) -> Rules {
    let Limits { sports, intervals, look_every, backoff, floor, reset_day, scans, scores } =
        settings.rules.clone();
    let cost = (settings.markets.len() * settings.regions.len()) as u64;
    let at_once = u64::from(partitions.unsigned_abs());
    let dearest = if scores.is_some() { cost.max(score_plan::DEAREST) } else { cost };
    let allowance = Allowance { floor, cost, dearest, at_once, reset_day };
    Rules { sports, intervals, look_every, backoff, allowance, scans, scores, partitions }
}
