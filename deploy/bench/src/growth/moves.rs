//! The push feed for the engine alone, at a pace that has so many ticks in each market's last minute.
//!
//! Line movements and steam are found in windows of a minute, so each market remembers what moved within it: three ticks in four of
//! this feed do. It never claims to be lifelike.

use std::time::Duration;

use arb_engine::Engine;
use arb_engine::market::Policy;
use arb_schemas::TickRecord;
use arb_schemas::records::Frame;
use arb_schemas::time::{Micros, SECOND};

use super::market::transact;
use crate::push_market::{EVENTS, MOVING, PushMarket};

const MINUTE: Micros = 60 * SECOND;
const START: Micros = 1_780_000_000 * SECOND;
/// Records a transaction.
const CUT: u64 = 1_000;
/// Ticks of a round.
const ROUND: u64 = 200_000;

/// The feed, and an engine that has processed it so far.
pub(super) struct MovingPrices {
    market: PushMarket,
    engine: Engine,
    /// Between two ticks.
    step: Micros,
    ticks: u64,
}

impl MovingPrices {
    /// With so many ticks in the last minute of each market.
    pub(super) fn new(ticks: usize) -> Self {
        let a_minute = ticks as u64 * EVENTS;
        let step = MINUTE / i64::try_from(a_minute).unwrap_or(MINUTE);
        let (market, engine) = (PushMarket::new(START, MOVING[1]), Engine::new(Policy::Board));
        let mut prices = Self { market, engine, step, ticks: 0 };
        prices.run(a_minute);
        prices
    }

    /// What a tick takes, in nanoseconds, round by round.
    pub(super) fn cost(mut self, rounds: u32) -> Vec<f64> {
        (0..rounds).map(|_| self.run(ROUND).as_nanos() as f64 / ROUND as f64).collect()
    }

    /// Lets the engine process so many ticks more; how long it took.
    fn run(&mut self, ticks: u64) -> Duration {
        let transactions = (0..ticks.div_ceil(CUT)).map(|_| {
            let first = i64::try_from(self.ticks).unwrap_or(0);
            let records: Vec<_> = (0..CUT).map(|_| TickRecord::Frame(self.next())).collect();
            transact(&mut self.engine, &records, first)
        });
        transactions.sum()
    }

    fn next(&mut self) -> Frame {
        let at = START + i64::try_from(self.ticks).unwrap_or(0) * self.step;
        self.ticks += 1;
        self.market.next(at)
    }
}
