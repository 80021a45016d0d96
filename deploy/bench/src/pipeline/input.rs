//! What is processed: frames of one tick, as a push feed sends them, or frames of polls; and how the tick topic is filled.
//!
//! It never claims to be lifelike.

use arb::system::clock;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_ingest::the_odds_api::OddsFormat;
use arb_ingest::{publish, recording};
use arb_kafka::TickProducer;
use arb_model::Faults;
use arb_schemas::TickRecord;
use arb_schemas::time::Micros;
use arb_schemas::topics::DEFAULT_PARTITIONS;

use super::ground::KafkaGround;
use super::{go_on, partition_of};
use crate::cli::PipelineOptions;
use crate::push_market::PushMarket;

/// Between ticks that are not sent as they happen.
pub(crate) const STEP: Micros = 50;
/// A frame has some thirty ticks: of polls there are so many times as many, or it would be over at once.
const MORE: u64 = 4;

/// Which input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feed {
    /// A tick a record, of which so many in a hundred have another price than before.
    Push { moving: u64 },
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
    match feed {
        Feed::Push { moving } => fill_with_pushed(config.ticks, moving, ground),
        Feed::Polls => {
            let mut source: Box<dyn Source> = match &config.recording {
                Some(path) => recording::open(path, OddsFormat::American)?,
                None => Box::new(Simulator::new(Settings { start: clock::now(), ..Settings::default() })),
            };
            let mut to = Filler::new(ground)?;
            fill_with_polls(source.as_mut(), config.ticks * MORE, &mut to, ground)?;
            to.filled()
        }
    }
}

/// Fills it with ticks of a push feed, of which so many in a hundred have another price than before.
pub(super) fn fill_with_pushed(ticks: u64, moving: u64, ground: &KafkaGround<'_>) -> anyhow::Result<Filled> {
    let mut to = Filler::new(ground)?;
    let start = clock::now();
    let mut market = PushMarket::new(start, moving);
    for (_, at) in (0..ticks).zip((start..).step_by(usize::try_from(STEP)?)) {
        go_on(ground)?;
        let frame = market.next(at);
        to.send(partition_of(&frame.event.id), &frame.event.id.clone(), &TickRecord::Frame(frame))?;
    }
    to.filled()
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

pub(super) struct Filler {
    producer: TickProducer,
    filled: Filled,
}

impl Filler {
    pub(super) fn new(ground: &KafkaGround<'_>) -> anyhow::Result<Self> {
        Ok(Self { producer: TickProducer::new(&ground.cluster)?, filled: Filled::default() })
    }

    /// Once all is written.
    pub(super) fn filled(self) -> anyhow::Result<Filled> {
        self.producer.flush()?;
        Ok(self.filled)
    }

    pub(super) fn send(&mut self, partition: i32, key: &str, record: &TickRecord) -> anyhow::Result<()> {
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
