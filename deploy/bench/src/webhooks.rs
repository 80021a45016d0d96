//! `arb-bench webhooks`: deliveries a second and their CPU beside a bare client that posts the same bytes to the same receivers; how long an
//! event takes to its first attempt, with a tenth of the endpoints dead too; memory of deliveries that are pending.
//!
//! Deliverer, bare client and receivers are processes of their own. It judges nothing.

mod ground;

use std::time::Duration;

use anyhow::Context;
use arb::cli::LogFormat;
use arb::system::clock;
use arb_runtime::stop::Stop;
use arb_schemas::time::Micros;
use ground::WebhookGround;

use super::Scale;
use super::actor::pace::evenly;
use super::actor::{Actor, Order, Role, Spent};
use super::cli::KafkaOptions;
use super::meter::percentile;
use super::pipeline::KafkaGround;
use super::report::{Expected, Measure, Measured, Row};
use super::turns::in_turns;

pub(super) const PART: &str = "webhooks";
/// Endpoints that answer; the last tenth of as many never does.
const HEALTHY: usize = 20;
const DEAD: usize = 2;
/// Events of a round of throughput: of some seconds, beside which the first event's way counts little; in a quick run.
const EVENTS: (usize, usize) = (5_000, 5);
/// Rounds of ours that are not counted, so that Java has compiled what the broker does for a deliverer.
const WARM_UP: usize = 2;
/// Events a second for delays: 1,000 deliveries a second.
const RATE: f64 = 50.0;
/// Events of a round of delays; in a quick run.
const TIMED: (usize, usize) = (200, 5);
/// Events of which all deliveries are pending; in a quick run.
const PENDING: (usize, usize) = (5_000, 5);
/// Ours to bare: deliveries a second, CPU a delivery.
const EXPECTED: (Expected, Expected) = (Expected::AtLeast(0.8), Expected::AtMost(1.25));
/// The delay with dead endpoints to that without.
const DEAD_EXPECTED: Expected = Expected::AtMost(1.5);
/// After the last request its outcome is still written.
const REST: Duration = Duration::from_millis(500);

pub(super) fn run(
    config: &KafkaOptions,
    scale: Scale,
    log_format: LogFormat,
    stop: &Stop,
) -> anyhow::Result<Measured> {
    KafkaGround::measured(config, log_format, stop, |kafka| measure(scale, kafka))
}

fn measure(scale: Scale, kafka: &KafkaGround<'_>) -> anyhow::Result<Measured> {
    let mut ground = WebhookGround::prepare(kafka, HEALTHY, DEAD)?;
    let mut to = Measured::default();
    to.rows.extend(throughput(scale, &mut ground, &kafka.stop)?);
    to.rows.extend(delays(scale, &mut ground, &kafka.stop)?);
    to.rows.extend(memory(scale, &mut ground)?);
    to.notes.push(format!(
        "webhooks: events of the feed in a Kafka, each to {HEALTHY} endpoints that answer 204 at once, from the first event to the last request. CPU is that of \
         the process, librdkafka's threads included: reading the feed, a signature each, and each task, attempt and state in transactions. The bare client posts \
         the same bytes with as many requests under way (256), and writes nothing. Delays are from the event to its request at the receiver, at {RATE} events a \
         second. Dead endpoints ({DEAD} more) accept connections and never answer. Memory is that of deliveries of paused endpoints under the policy durable."
    ));
    Ok(to)
}

/// What deliveries of one round cost.
struct DeliverySample {
    cpu: f64,
    per_second: f64,
}

fn throughput(scale: Scale, ground: &mut WebhookGround, stop: &Stop) -> anyhow::Result<Vec<Row>> {
    ground.endpoints(HEALTHY, |number| number < HEALTHY, false)?;
    let events = if scale.is_quick { EVENTS.1 } else { EVENTS.0 };
    let (mut poster, mut body) = (Actor::start(Role::Poster)?, String::new());
    (0..WARM_UP).try_for_each(|_| deliver(events, ground).map(drop))?;
    let [ours, bare] = in_turns(scale.rounds, stop, |which| {
        if which == 0 || body.is_empty() {
            let (sample, sent) = deliver(events, ground)?;
            body = sent;
            if which == 0 {
                return Ok(sample);
            }
        }
        post(events, ground, &mut poster, &body)
    })?;
    let row = |what, of: fn(&DeliverySample) -> f64| {
        let pairs: Vec<_> = ours.iter().zip(&bare).map(|(ours, bare)| (of(ours), of(bare))).collect();
        Row::beside(PART, format!("{HEALTHY} endpoints"), what, &pairs)
    };
    Ok(vec![
        row(Measure("deliveries", "1/s"), |sample| sample.per_second).expect(EXPECTED.0),
        row(Measure("CPU a delivery", "us"), |sample| sample.cpu).expect(EXPECTED.1),
    ])
}

/// A round of the product; and the body of one of its requests.
fn deliver(events: usize, ground: &mut WebhookGround) -> anyhow::Result<(DeliverySample, String)> {
    let (round, requests) = (ground.next_round(), events * HEALTHY);
    let (before, begun): (Spent, _) = (ground.deliverer.ask(&Order::Spent)?, clock::now());
    (0..events).try_for_each(|number| ground.publish(round, number))?;
    let arrived = ground.all_arrived(round, requests)?;
    std::thread::sleep(REST);
    let after: Spent = ground.deliverer.ask(&Order::Spent)?;
    let last = arrived.requests.iter().map(|(_, at)| *at).max().context("no request")?;
    Ok((sample(requests, (before, after), last - begun), arrived.body))
}

fn post(
    events: usize,
    ground: &WebhookGround,
    poster: &mut Actor,
    body: &str,
) -> anyhow::Result<DeliverySample> {
    let (before, begun): (Spent, _) = (poster.ask(&Order::Spent)?, clock::now());
    let to = ground.addresses[..HEALTHY].to_vec();
    let _: Option<()> = poster.ask(&Order::Post { to, times: events, body: body.to_owned() })?;
    let took = clock::now() - begun;
    let after: Spent = poster.ask(&Order::Spent)?;
    Ok(sample(events * HEALTHY, (before, after), took))
}

fn sample(requests: usize, (before, after): (Spent, Spent), took: Micros) -> DeliverySample {
    let cpu = after.cpu.saturating_sub(before.cpu).as_secs_f64() * 1e6;
    DeliverySample { cpu: cpu / requests as f64, per_second: requests as f64 / (took as f64 / 1e6) }
}

/// From events to requests at those that answer, in ms: median and 99th percentile.
struct Delay {
    half: f64,
    most: f64,
}

fn delays(scale: Scale, ground: &mut WebhookGround, stop: &Stop) -> anyhow::Result<Vec<Row>> {
    let events = if scale.is_quick { TIMED.1 } else { TIMED.0 };
    let [with_dead, without] = in_turns(scale.rounds, stop, |which| {
        ground.endpoints(HEALTHY, |number| number < HEALTHY || which == 0, false)?;
        delay(events, ground)
    })?;
    let case = format!("{} deliveries/s", RATE * HEALTHY as f64);
    let alone = |what, of: fn(&Delay) -> f64| {
        Row::alone(PART, case.clone(), what, &without.iter().map(of).collect::<Vec<_>>())
    };
    let pairs: Vec<_> = with_dead.iter().zip(&without).map(|(dead, none)| (dead.most, none.most)).collect();
    let dead = format!("{case}, {DEAD} of {} endpoints dead", HEALTHY + DEAD);
    Ok(vec![
        alone(Measure("event to first attempt, p50", "ms"), |delay| delay.half),
        alone(Measure("event to first attempt, p99", "ms"), |delay| delay.most),
        Row::beside(PART, dead, Measure("p99 to the others, to that without dead ones", "ms"), &pairs)
            .expect(DEAD_EXPECTED),
    ])
}

fn delay(events: usize, ground: &mut WebhookGround) -> anyhow::Result<Delay> {
    let round = ground.next_round();
    let published = evenly(events, RATE, |number| ground.publish(round, number))?;
    let arrived = ground.all_arrived(round, events * HEALTHY)?;
    let took =
        arrived.requests.iter().filter_map(|(number, at)| Some((*at - published.get(*number)?).max(1)));
    let mut took: Vec<Micros> = took.collect();
    let mut ms = |percent| percentile(&mut took, percent) as f64 / 1e3;
    Ok(Delay { half: ms(50), most: ms(99) })
}

fn memory(scale: Scale, ground: &mut WebhookGround) -> anyhow::Result<Vec<Row>> {
    let events = if scale.is_quick { PENDING.1 } else { PENDING.0 };
    ground.endpoints(HEALTHY, |number| number < HEALTHY, true)?;
    let before: Spent = ground.deliverer.ask(&Order::Spent)?;
    let round = ground.next_round();
    (0..events).try_for_each(|number| ground.publish(round, number))?;
    ground.flush()?;
    ground.pending(events * HEALTHY)?;
    let after: Spent = ground.deliverer.ask(&Order::Spent)?;
    let held = after.held.saturating_sub(before.held) as f64;
    let case = format!("{} pending", events * HEALTHY);
    Ok(vec![
        Row::alone(PART, case.clone(), Measure("memory", "MB"), &[(held / 1e6).max(f64::MIN_POSITIVE)]),
        Row::alone(
            PART,
            case,
            Measure("memory a delivery", "B"),
            &[(held / (events * HEALTHY) as f64).max(f64::MIN_POSITIVE)],
        ),
    ])
}
