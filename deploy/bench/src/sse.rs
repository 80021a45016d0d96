//! `arb-bench sse`: what a delivered event costs the server and how late it is, beside a bare hyper server that writes
//! the same bytes.
//!
//! Events are sent at a fixed rate. Servers and clients are separate processes. It also measures how cost
//! grows with connections (`growth`).

use arb_runtime::stop::Stop;
use arb_schemas::time::Micros;

use super::Scale;
use super::actor::{Actor, Order, Role, Script, Served, Spent, Times};
use super::client::Connection;
use super::meter::percentile;
use super::report::{Expected, Failure, Measure, Measured, Row};
use super::turns::in_turns;

pub(super) const PART: &str = "sse";
/// How many streams, and how many events each is sent a second. All together are sent enough to be measured, and in the first four cases
/// not so much that anybody falls behind; the last is what an instance is to carry, a million events a second.
const CASES: [(usize, f64); 5] =
    [(100, 200.0), (1_000, 20.0), (10_000, 2.0), (10_000, 10.0), (10_000, 100.0)];
/// What all streams together are sent a second where growth is measured.
const DELIVERIES: f64 = 20_000.0;
/// How long a round is, in seconds.
const ROUND: f64 = 5.0;
/// Of ours to bare: CPU, and p99.
const EXPECTED: (Expected, Expected) = (Expected::AtMost(1.15), Expected::AtMost(1.5));
/// Events of a quick round, and for how many streams.
const QUICK: (usize, usize) = (20, 10);
/// What the bare server sends again and again.
const EVENTS: usize = 100;

pub(super) fn run(scale: Scale, stop: &Stop) -> Measured {
    let mut to = Measured::default();
    // A quick round is of few events, which are not to take long.
    let is_asked = |(_, per_second): &(usize, f64)| !scale.is_quick || *per_second >= 100.0;
    for (streams, per_second) in CASES.into_iter().filter(is_asked) {
        let streams = if scale.is_quick { streams.min(QUICK.1) } else { streams };
        let Compared { case, rounds, held } = match compare_at(streams, per_second, scale, stop) {
            Ok(compared) => compared,
            // A machine may be too small for a case; the others are measured all the same.
            Err(error) => {
                to.failures.push(Failure::new(PART, &error.context(name_of(streams, per_second))));
                continue;
            }
        };
        let row = |what, of: fn(&SseSample) -> f64| {
            let pairs: Vec<_> = rounds.iter().map(|(ours, bare)| (of(ours), of(bare))).collect();
            Row::beside(PART, case.clone(), what, &pairs)
        };
        let (cpu, p99) = EXPECTED;
        to.rows.extend([
            row(Measure("server CPU an event delivered", "us"), |sample| sample.cpu).expect(cpu),
            row(Measure("delay, p50", "ms"), |sample| sample.p50),
            row(Measure("delay, p99", "ms"), |sample| sample.p99).expect(p99),
            Row::beside(PART, case.clone(), Measure("memory a stream", "bytes"), &[held]),
        ]);
    }
    to.notes.push(
        "sse: CPU is user and system of the server's process for each event and stream that it reached; a delay is \
         from the moment that the server has the event (as a record, in ours; as bytes, in the baseline) to the moment \
         that the client has read it, over all streams. Clients are one process for each server. The feed is handed \
         over instead of read from Kafka: for the whole way see pipeline."
            .to_owned(),
    );
    to
}

/// One round of one server.
pub(super) struct SseSample {
    /// Microseconds for each event and stream.
    pub(super) cpu: f64,
    /// Milliseconds.
    pub(super) p50: f64,
    pub(super) p99: f64,
}

/// Ours beside the bare one.
pub(super) struct Compared {
    /// How many streams, and how often.
    pub(super) case: String,
    pub(super) rounds: Vec<(SseSample, SseSample)>,
    /// Bytes that each server holds for each stream; measured once, when they are opened.
    pub(super) held: (f64, f64),
}

/// Lets both servers send to so many streams, in turn.
pub(super) fn compare(streams: usize, scale: Scale, stop: &Stop) -> anyhow::Result<Compared> {
    compare_at(streams, DELIVERIES / streams as f64, scale, stop)
}

/// The same at so many events a second.
fn compare_at(streams: usize, per_second: f64, scale: Scale, stop: &Stop) -> anyhow::Result<Compared> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some thousand events at most"
    )]
    let events = if scale.is_quick { QUICK.0 } else { (per_second * ROUND).ceil() as usize };
    let mut servers = [
        Stage::new(Role::Api, &Order::Serve { entries: 0, is_charged: true })?,
        Stage::new(Role::Bare, &Order::Answer(script()?))?,
    ];
    let held = (servers[0].fill(streams)?, servers[1].fill(streams)?);
    let [ours, bare] = in_turns(scale.rounds, stop, |which| servers[which].round(events, per_second))?;
    let rounds = ours.into_iter().zip(bare).collect();
    Ok(Compared { case: name_of(streams, per_second), rounds, held })
}

fn name_of(streams: usize, per_second: f64) -> String {
    format!("{streams} streams, {per_second} events/s")
}

/// A server and its clients.
struct Stage {
    server: Actor,
    served: Served,
    listeners: Actor,
}

impl Stage {
    fn new(role: Role, begin: &Order) -> anyhow::Result<Self> {
        let mut actor = Actor::start(role)?;
        let served = actor.ask(begin)?;
        Ok(Self { server: actor, served, listeners: Actor::start(Role::Listeners)? })
    }

    /// Opens the streams; how many bytes the server holds for each.
    fn fill(&mut self, streams: usize) -> anyhow::Result<f64> {
        let before: Spent = self.server.ask(&Order::Spent)?;
        let request = request(&self.served, "1.1");
        self.listeners.ask::<()>(&Order::Connect { to: self.served.at, request, streams })?;
        let after: Spent = self.server.ask(&Order::Spent)?;
        Ok(after.held.saturating_sub(before.held) as f64 / streams as f64)
    }

    fn round(&mut self, events: usize, per_second: f64) -> anyhow::Result<SseSample> {
        let before: Spent = self.server.ask(&Order::Spent)?;
        self.server.send(&Order::Send { events, per_second })?;
        let came: Vec<Times> = self.listeners.ask(&Order::Hear { events })?;
        let sent: Times = self.server.answer()?;
        let after: Spent = self.server.ask(&Order::Spent)?;
        let delays = came.iter().zip(&sent).flat_map(|(came, sent)| came.iter().map(move |at| at - sent));
        let mut delays: Vec<Micros> = delays.collect();
        let cpu = after.cpu.saturating_sub(before.cpu).as_secs_f64() * 1e6 / delays.len() as f64;
        let millis = |percent, delays: &mut Vec<Micros>| percentile(delays, percent) as f64 / 1e3;
        Ok(SseSample { cpu, p50: millis(50, &mut delays), p99: millis(99, &mut delays) })
    }
}

fn request(Served { at, key }: &Served, version: &str) -> String {
    format!("GET /v1/stream HTTP/{version}\r\nhost: {at}\r\nauthorization: Bearer {key}\r\n\r\n")
}

/// The bytes that the API sends, for the bare server: requested without chunks. (From a separate server,
/// because a stream that is opened soon after others receives the same events.)
fn script() -> anyhow::Result<Script> {
    let mut api = Actor::start(Role::Api)?;
    let served: Served = api.ask(&Order::Serve { entries: 0, is_charged: true })?;
    let mut stream = Connection::open(served.at)?;
    let head = stream.begin(&request(&served, "1.0"))?;
    let body = stream.block()?;
    api.ask::<Times>(&Order::Send { events: EVENTS, per_second: 1_000.0 })?;
    let events = (0..EVENTS).map(|_| stream.block()).collect::<Result<_, _>>()?;
    let is_ours = |name: &str| !["date", "connection", "transfer-encoding", "content-length"].contains(&name);
    let headers = head.headers.into_iter().filter(|(name, _)| is_ours(name)).collect();
    Ok(Script { status: head.status, headers, body: body.into_bytes(), events })
}
