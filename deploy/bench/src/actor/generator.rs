//! A push feed at a rate, and how late its events are: a process of its own, so that neither costs the processor's process any CPU.
//!
//! Each tick carries the time at which it was to be sent. A delay is from there, so that a tick that is sent late, because
//! something was slow, counts as late (no coordinated omission). It never looks into the processor.

use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use arb::system::clock;
use arb_kafka::{Cluster, Feed, FeedEvent, TickProducer, partition_of};
use arb_runtime::feed_mark::FeedMarks;
use arb_runtime::stop::Stop;
use arb_schemas::TickRecord;
use arb_schemas::records::{ArbWindow, CloseSignal, Frame, Heartbeat};
use arb_schemas::time::Micros;
use arb_schemas::topics::{DEFAULT_PARTITIONS, FEED_EVENTS};
use arb_schemas::wire::{RecordType, decode};
use serde_json::Value;

use super::{Act, Delays, Late, MarketKind, Order, Paced, Served, not_mine};
use crate::event_stream::{Arrival, End, Stream};
use crate::meter::percentile;
use crate::peer_market::{PeerMarket, Shape};
use crate::push_market::{MOVING, PushMarket};

/// How long the last events may take to their readers.
const LAST: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(20);
/// Between two sendings.
const STEP: Duration = Duration::from_micros(500);
/// `linger.ms` of the other engines' generator (`loadgen/src/bin/latgen.rs` of their folder).
const LINGER_OF_PEERS: Duration = Duration::from_micros(500);

/// The actor.
#[derive(Default)]
pub(super) struct Generator(Option<Following>);

/// A reader of events, which gives what came.
type EventReader = JoinHandle<anyhow::Result<Vec<Arrival>>>;

/// The market whose ticks are sent.
enum Ticks {
    Pushes(PushMarket),
    Peers(PeerMarket),
}

impl Ticks {
    fn of(market: MarketKind, now: Micros) -> anyhow::Result<Self> {
        Ok(match market {
            MarketKind::Pushes | MarketKind::PushesBesidePeers => {
                Self::Pushes(PushMarket::new(now, MOVING[0]))
            }
            MarketKind::Peers => Self::Peers(PeerMarket::new(Shape::Paced, now)?),
        })
    }

    fn next(&mut self, at: Micros) -> Frame {
        match self {
            Self::Pushes(market) => market.next(at),
            Self::Peers(market) => market.next(at),
        }
    }
}

/// The feed and a stream that are read, and what is sent.
struct Following {
    producer: TickProducer,
    ticks: Ticks,
    stop: Stop,
    feed: EventReader,
    stream: EventReader,
    end: End,
}

impl Act for Generator {
    fn act(&mut self, order: Order) -> anyhow::Result<Value> {
        match order {
            Order::Follow { brokers, api, market } => {
                self.0 = Some(Following::begin(&brokers, &api, market)?);
                Ok(Value::Null)
            }
            Order::Pace { rate, time } => {
                let following = self.0.as_mut().context("it follows nothing")?;
                Ok(serde_json::to_value(following.pace(rate, time)?)?)
            }
            Order::Late { since } => {
                let following = self.0.take().context("it follows nothing")?;
                Ok(serde_json::to_value(following.end(since)?)?)
            }
            order => Err(not_mine(&order)),
        }
    }
}

impl Following {
    /// Opens both, and sends a heartbeat to each partition.
    fn begin(brokers: &str, api: &Served, market: MarketKind) -> anyhow::Result<Self> {
        let cluster = Cluster::plaintext(brokers);
        let (stream, end) = Stream::open(api.at, &api.key)?;
        let mut feed = Feed::open(&cluster, &FEED_EVENTS, DEFAULT_PARTITIONS)?;
        let ends = feed.spans()?;
        feed.read_from((0..).zip(ends.iter().map(|span| span.next)), FeedMarks::default())?;
        let stop = Stop::default();
        let until = stop.clone();
        let feed = Builder::new().name("feed".to_owned()).spawn(move || arrivals(&mut feed, &until))?;
        let stream = Builder::new().name("stream".to_owned()).spawn(move || stream.arrivals())?;
        let producer = match market {
            MarketKind::Pushes => TickProducer::new(&cluster)?,
            MarketKind::PushesBesidePeers | MarketKind::Peers => {
                TickProducer::lingering(&cluster, LINGER_OF_PEERS)?
            }
        };
        let now = clock::now();
        let alive = TickRecord::Heartbeat(Heartbeat { source: "bench".to_owned(), at: now }).encode()?;
        (0..DEFAULT_PARTITIONS).try_for_each(|partition| producer.send(partition, "bench", &alive))?;
        producer.flush()?;
        let ticks = Ticks::of(market, now)?;
        Ok(Self { producer, ticks, stop, feed, stream, end })
    }

    /// Sends ticks at a rate for a time.
    fn pace(&mut self, rate: u32, time: Duration) -> anyhow::Result<Paced> {
        let each = Duration::from_secs(1) / rate.max(1);
        let (since, started) = (clock::now(), Instant::now());
        let (mut sent, mut latest) = (0, Duration::ZERO);
        while started.elapsed() < time {
            let due = started.elapsed().min(time).as_nanos() / each.as_nanos().max(1);
            while u128::from(sent) < due {
                // The last is due at the end of its interval.
                let intended = each * (sent + 1);
                latest = latest.max(started.elapsed().saturating_sub(intended));
                self.send(since + Micros::try_from(intended.as_micros())?)?;
                sent += 1;
            }
            sleep(STEP);
        }
        let seconds = started.elapsed().as_secs_f64();
        self.producer.flush()?;
        Ok(Paced { since, sent: sent.into(), seconds, latest })
    }

    fn send(&mut self, at: Micros) -> anyhow::Result<()> {
        let frame = self.ticks.next(at);
        let key = frame.event.id.clone();
        let partition = partition_of(&key, DEFAULT_PARTITIONS);
        Ok(self.producer.send(partition, &key, &TickRecord::Frame(frame).encode()?)?)
    }

    /// Ends the readers once the last events have come.
    fn end(self, since: Micros) -> anyhow::Result<Late> {
        sleep(LAST);
        self.stop.stop();
        self.end.end();
        let arrivals = |reader: EventReader| reader.join().map_err(|_| anyhow!("a reader panicked"))?;
        let (feed, stream) = (arrivals(self.feed)?, arrivals(self.stream)?);
        Ok(Late { feed: delays(&feed, since), stream: delays(&stream, since) })
    }
}

fn arrivals(feed: &mut Feed, stop: &Stop) -> anyhow::Result<Vec<Arrival>> {
    let mut arrivals = Vec::new();
    while !stop.is_stopped() {
        if let FeedEvent::Record { value, .. } = feed.next(POLL)? {
            let now = clock::now();
            let ticked = match RecordType::of(&value)? {
                RecordType::ArbWindow => decode::<ArbWindow>(&value)?.entry.updated_at,
                RecordType::CloseSignal => decode::<CloseSignal>(&value)?.closed_at,
                _ => continue,
            };
            arrivals.push(Arrival { ticked: ticked.0, now });
        }
    }
    Ok(arrivals)
}

/// Of the events of ticks that were to be sent from then on.
fn delays(arrivals: &[Arrival], since: Micros) -> Delays {
    let counted = arrivals.iter().filter(|arrival| arrival.ticked >= since);
    let mut delays: Vec<_> = counted.map(|arrival| arrival.now - arrival.ticked).collect();
    let (p50, p99) = (percentile(&mut delays, 50), percentile(&mut delays, 99));
    Delays { events: delays.len(), p50, p99 }
}
