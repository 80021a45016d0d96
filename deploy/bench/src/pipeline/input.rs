//! What is processed: frames of one tick, as a push feed sends them, or frames of polls.
//!
//! The push market is made so that what happens in it is known: [`QUOTES`] quotes come round and round, and one tick
//! in fifty opens or closes a window. It never claims to be lifelike.

use arb::system::clock;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_ingest::the_odds_api::OddsFormat;
use arb_ingest::{publish, recording};
use arb_kafka::TickProducer;
use arb_model::Faults;
use arb_model::Time;
use arb_schemas::TickRecord;
use arb_schemas::records::{Coverage, Event, Frame, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::DEFAULT_PARTITIONS;

use super::ground::KafkaGround;
use super::{go_on, partition_of};
use crate::cli::PipelineOptions;

const EVENTS: u64 = 500;
const BOOKS: [&str; 5] = ["alderbet", "birchodds", "cedarline", "daleplay", "elmwager"];
const SIDES: [Outcome; 2] = [Outcome::Over, Outcome::Under];
/// Quotes of the push market.
pub(super) const QUOTES: u64 = EVENTS * BOOKS.len() as u64 * SIDES.len() as u64;
/// Of so many rounds an event has a window in one.
const PERIOD: u64 = 10;
/// Between ticks that are not sent as they happen.
const STEP: Micros = 50;
/// A frame has some thirty ticks: of polls there are so many times as many, or it would be over at once.
const MORE: u64 = 4;

/// Which input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feed {
    /// A tick a record.
    Push,
    /// A frame a record.
    Polls,
}

/// What the tick topic holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Filled {
    pub(super) records: u64,
    pub(super) ticks: u64,
    pub(super) bytes: u64,
}

/// Fills the tick topic.
pub(super) fn fill(feed: Feed, config: &PipelineOptions, ground: &KafkaGround<'_>) -> anyhow::Result<Filled> {
    let mut to = Filler { producer: TickProducer::new(&ground.cluster)?, filled: Filled::default() };
    match feed {
        Feed::Push => fill_with_pushes(config.ticks, &mut to, ground)?,
        Feed::Polls => {
            let mut source: Box<dyn Source> = match &config.recording {
                Some(path) => recording::open(path, OddsFormat::American)?,
                None => Box::new(Simulator::new(Settings { start: clock::now(), ..Settings::default() })),
            };
            fill_with_polls(source.as_mut(), config.ticks * MORE, &mut to, ground)?;
        }
    }
    to.producer.flush()?;
    Ok(to.filled)
}

fn fill_with_pushes(ticks: u64, to: &mut Filler, ground: &KafkaGround<'_>) -> anyhow::Result<()> {
    let start = clock::now();
    let mut market = PushMarket::new(start);
    for (_, at) in (0..ticks).zip((start..).step_by(usize::try_from(STEP)?)) {
        go_on(ground)?;
        let frame = market.next(at);
        to.send(partition_of(&frame.event.id), &frame.event.id.clone(), &TickRecord::Frame(frame))?;
    }
    Ok(())
}

/// Whole polls, until there are so many ticks or no more polls.
fn fill_with_polls(
    source: &mut dyn Source,
    ticks: u64,
    to: &mut Filler,
    ground: &KafkaGround<'_>,
) -> anyhow::Result<()> {
    let name = source.name().to_owned();
    let mut faults = Faults::default();
    while to.filled.ticks < ticks {
        go_on(ground)?;
        let Some(poll) = source.next_poll(&mut faults)? else { break };
        for addressed in publish::records(&name, poll, DEFAULT_PARTITIONS) {
            to.send(addressed.partition, &addressed.key, &addressed.record)?;
        }
    }
    Ok(())
}

struct Filler {
    producer: TickProducer,
    filled: Filled,
}

impl Filler {
    fn send(&mut self, partition: i32, key: &str, record: &TickRecord) -> anyhow::Result<()> {
        let message = record.encode()?;
        self.producer.send(partition, key, &message)?;
        self.filled.records += 1;
        self.filled.bytes += message.len() as u64;
        if let TickRecord::Frame(frame) = record {
            self.filled.ticks += frame.offers.iter().map(|offer| offer.ticks.len() as u64).sum::<u64>();
        }
        Ok(())
    }
}

/// A market whose ticks come one by one.
pub(super) struct PushMarket {
    starts_at: Micros,
    ticks: u64,
}

impl PushMarket {
    /// A market without any ticks yet, all of whose events begin in a day.
    pub(super) fn new(now: Micros) -> Self {
        Self { starts_at: now + 24 * 3_600 * SECOND, ticks: 0 }
    }

    /// The next tick, observed at a time.
    pub(super) fn next(&mut self, at: Micros) -> Frame {
        let (round, slot) = (self.ticks / QUOTES, self.ticks % QUOTES);
        let event = slot % EVENTS;
        // Each event begins with another quote, so that what opens and closes windows comes evenly.
        let quote = (slot / EVENTS + event) % (QUOTES / EVENTS);
        self.ticks += 1;
        let (book, side) = (quote / 2, SIDES[usize::from(quote % 2 == 1)]);
        let is_arb = quote == 0 && (event / PERIOD + round).is_multiple_of(PERIOD);
        let price = if is_arb { 2_200_000 } else { 1_900_000 + i64::try_from(book).unwrap_or(0) * 5_000 };
        let (outcome, line, status, limit) = (side, Some(2_500), Status::Active, None);
        Frame {
            source: "bench".to_owned(),
            received_at: at,
            poll_index: None,
            push: None,
            event: self.event(event),
            coverage: Coverage { books: Some(vec![]), markets: Some(vec![]) },
            offers: vec![Offer {
                book: BOOKS[usize::try_from(book).unwrap_or(0)].to_owned(),
                market: "totals".to_owned(),
                last_seen_at: at,
                price_moved_at: None,
                ticks: vec![Tick { outcome, side: Side::Back, line, price, status, limit }],
            }],
        }
    }

    fn event(&self, number: u64) -> Event {
        Event {
            id: format!("bench-{number}").into(),
            sport: "soccer".into(),
            league: "soccer_bench".into(),
            home: format!("Home {number}").into(),
            away: format!("Away {number}").into(),
            commence_time: Time(self.starts_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tick_in_fifty_changes_a_window() {
        let mut market = PushMarket::new(0);
        let (mut open, mut changes) = (vec![false; usize::try_from(EVENTS).unwrap()], 0);
        for at in 0..i64::try_from(QUOTES * PERIOD).unwrap() {
            let frame = market.next(at);
            let tick = frame.offers[0].ticks[0];
            if frame.offers[0].book == BOOKS[0] && tick.outcome == Outcome::Over {
                let event: usize = frame.event.id.strip_prefix("bench-").unwrap().parse().unwrap();
                changes += u64::from(open[event] != (tick.price > 2_000_000));
                open[event] = tick.price > 2_000_000;
            }
        }
        // Those that begin with a window had none before.
        assert!((changes * 50).abs_diff(QUOTES * PERIOD) <= 50 * EVENTS / PERIOD, "{changes}");
    }
}
