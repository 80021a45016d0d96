//! Pushed odds: `POST /ticks` beside a bare hyper server that writes the same lines to the same Kafka, and how long a pushed price
//! takes to the stream and to the board.
//!
//! It judges nothing.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::bail;
use arb_schemas::topics::{ALL, ODDS_TICKS};

use super::ground::{KafkaGround, StartedApi};
use super::{PART, go_on};
use crate::Scale;
use crate::actor::{Actor, Order, Role, Served, Spent};
use crate::client::{Connection, load};
use crate::holder::SOURCE;
use crate::meter::percentile;
use crate::report::{Expected, Measure, Measured, Row};
use crate::turns::in_turns;

/// Lines of a batch, each an update of its own.
const LINES: usize = 100;
const CONNECTIONS: usize = 4;
/// How long each is asked in a round; a quick one.
const ROUND: Duration = Duration::from_secs(2);
const QUICK: Duration = Duration::from_millis(100);
/// Of ours to bare.
const EXPECTED: (Expected, Expected) = (Expected::AtLeast(0.67), Expected::AtMost(1.5));
/// Prices that are pushed one after the other; in a quick run.
const PRICES: (u32, u32) = (200, 5);
/// How long a price may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two attempts to push.
const AGAIN: Duration = Duration::from_millis(20);

/// The cost of a tick in one round.
struct PushSample {
    cpu: f64,
    per_second: f64,
}

pub(super) fn measure(scale: Scale, ground: &mut KafkaGround<'_>, to: &mut Measured) -> anyhow::Result<()> {
    ground.empty(&[ODDS_TICKS])?;
    to.rows.extend(throughput(scale, ground)?);
    // The processor would take up the state that earlier parts left, whose ticks are gone.
    ground.empty(&ALL)?;
    to.rows.extend(delays(scale, ground)?);
    to.notes.push(format!(
        "pipeline, pushed: batches of {LINES} lines, each an update of its own, over {CONNECTIONS} connections, answered when Kafka \
         has acknowledged them; the baseline is a bare hyper server that writes each line as it is. CPU is the server's process, \
         librdkafka's threads included. Delays are of one price at a time, from the request to the event of its window on a \
         stream and to the first answer of the board that has it; each answer of the board is asked for after the last."
    ));
    Ok(())
}

fn throughput(scale: Scale, ground: &KafkaGround<'_>) -> anyhow::Result<Vec<Row>> {
    let (mut api, mut bare) = (Actor::start(Role::Api)?, Actor::start(Role::Bare)?);
    let brokers = ground.cluster.brokers().to_owned();
    let served: Served = api.ask(&Order::Serve { entries: 0, is_charged: true })?;
    let _: Option<()> = api.ask(&Order::WritePushes { brokers: brokers.clone() })?;
    let written: Served = bare.ask(&Order::WriteLines { brokers })?;
    let body: String = (0..LINES).map(|number| line(&format!("e{number}"), "home", 2.1, number)).collect();
    let requests = [post(&served, &body), post(&written, &body)];
    let mut servers = [(api, served.at), (bare, written.at)];
    let [ours, bare] = in_turns(scale.rounds, &ground.stop, |which| {
        let (actor, at) = &mut servers[which];
        round(actor, *at, &requests[which], scale)
    })?;
    let row = |what, of: fn(&PushSample) -> f64| {
        let pairs: Vec<_> = ours.iter().zip(&bare).map(|(ours, bare)| (of(ours), of(bare))).collect();
        Row::beside(PART, format!("POST /ticks, {LINES} lines"), what, &pairs)
    };
    Ok(vec![
        row(Measure("throughput", "ticks/s"), |sample| sample.per_second).expect(EXPECTED.0),
        row(Measure("CPU a tick", "us"), |sample| sample.cpu).expect(EXPECTED.1),
    ])
}

fn round(actor: &mut Actor, at: SocketAddr, request: &str, scale: Scale) -> anyhow::Result<PushSample> {
    let time = if scale.is_quick { QUICK } else { ROUND };
    let before: Spent = actor.ask(&Order::Spent)?;
    let ticks = load(at, &|_| request.to_owned(), 200, CONNECTIONS, time)? as f64 * LINES as f64;
    let after: Spent = actor.ask(&Order::Spent)?;
    let cpu = after.cpu.saturating_sub(before.cpu);
    Ok(PushSample { cpu: cpu.as_secs_f64() * 1e6 / ticks, per_second: ticks / time.as_secs_f64() })
}

fn delays(scale: Scale, ground: &mut KafkaGround<'_>) -> anyhow::Result<Vec<Row>> {
    let api = ground.serve_processed()?;
    let served = Served { at: api.listen, key: api.key.clone() };
    let opened = line("pushed", "home", 2.2, 0) + &line("pushed", "away", 2.2, 0);
    send(&served, &opened)?;
    let mut stream = Connection::open(served.at)?;
    let head = format!("GET /v1/stream?event=arb_window HTTP/1.0\r\nhost: {}\r\n", served.at);
    stream.begin(&format!("{head}authorization: Bearer {}\r\n\r\n", served.key))?;
    let (mut to_stream, mut to_board) = (Vec::new(), Vec::new());
    for number in 1..=if scale.is_quick { PRICES.1 } else { PRICES.0 } {
        go_on(ground)?;
        let price = f64::from(2_200 + number) / 1_000.0;
        let begun = Instant::now();
        send(&served, &line("pushed", "home", price, number as usize))?;
        let shown = format!("\"price\":{price}");
        until(begun, || Ok(stream.block()?.contains(&shown)))?;
        to_stream.push(begun.elapsed());
        until(begun, || Ok(board(&api)?.contains(&shown)))?;
        to_board.push(begun.elapsed());
    }
    ground.end_processed();
    let row = |to: &str, what, percent, took: &mut Vec<Duration>| {
        let ms = percentile(took, percent).as_secs_f64() * 1e3;
        Row::alone(PART, format!("a pushed price, to {to}"), Measure(what, "ms"), &[ms])
    };
    Ok(vec![
        row("a stream", "delay, p50", 50, &mut to_stream),
        row("a stream", "delay, p99", 99, &mut to_stream),
        row("the board", "delay, p50", 50, &mut to_board),
        row("the board", "delay, p99", 99, &mut to_board),
    ])
}

/// Waits for what comes within some time.
fn until(begun: Instant, mut has_come: impl FnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    while !has_come()? {
        if begun.elapsed() > PATIENCE {
            bail!("a pushed price has not come");
        }
    }
    Ok(())
}

/// Pushes, again while the API answers that it cannot at the moment, as its document tells clients to.
fn send(served: &Served, body: &str) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        let answer = Connection::open(served.at)?.ask(&post(served, body))?;
        match answer.status {
            200 => return Ok(()),
            503 if begun.elapsed() < PATIENCE => std::thread::sleep(AGAIN),
            status => bail!("the API answers {status}: {}", String::from_utf8_lossy(&answer.body)),
        }
    }
}

fn board(api: &StartedApi) -> anyhow::Result<String> {
    let StartedApi { listen, key } = api;
    let request = format!("GET /v1/arbs HTTP/1.1\r\nhost: {listen}\r\nauthorization: Bearer {key}\r\n\r\n");
    Ok(String::from_utf8(Connection::open(*listen)?.ask(&request)?.body)?)
}

fn post(Served { at, key }: &Served, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /v1/ticks HTTP/1.1\r\nhost: {at}\r\nauthorization: Bearer {key}\r\ncontent-type: application/x-ndjson\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
}

/// A price of an event that is named.
fn line(event: &str, outcome: &str, price: f64, sequence: usize) -> String {
    let event = format!(
        r#"{{"id":"{SOURCE}:{event}","sport":"soccer","league":"soccer_bench","home":"H","away":"A","commence_time":"2036-01-01T12:00:00Z"}}"#
    );
    format!(
        r#"{{"event":{event},"book":"{SOURCE}","market":"draw_no_bet","outcome":"{outcome}","price":{price},"sequence":{sequence}}}"#
    ) + "\n"
}
