//! `arb-bench board`: what a request for the board costs the server, beside a bare hyper server that answers the same bytes.
//!
//! Everything is on: key, quota, tags. Both servers run in separate processes; the same client sends requests
//! to each in turn, over keep-alive connections. The bare server is given the API's first response, header
//! and body, and sends that.

use std::time::Duration;

use anyhow::{Context, bail};
use arb_runtime::stop::Stop;

use super::Scale;
use super::actor::{Actor, Held, Order, Role, Script, Served, Spent};
use super::client::{Answer, Connection, load};
use super::report::{Expected, Failure, Measure, Measured, Row};
use super::turns::in_turns;

pub(super) const PART: &str = "board";
/// Entries of the board: more than any page has.
const ENTRIES: usize = 600;
const LIMITS: [usize; 3] = [3, 100, 500];
/// What a client that takes compressed pages sends.
const ENCODED: &str = "accept-encoding: br, gzip, zstd\r\n";
/// Books of the markets of which boards of own books are.
const BOOKS: [usize; 2] = [12, 40];
/// Connections that ask for boards that are to be computed: no more than an instance computes at one time.
const COLD: usize = 2;
/// Total stakes that are asked for in turn: more than boards are kept.
const STAKES: u64 = 1_000_000;
/// Of ours to bare CPU.
const EXPECTED: Expected = Expected::AtMost(1.25);
const CONNECTIONS: usize = 16;
/// How long each is asked in a round; a quick one.
const ROUND: Duration = Duration::from_millis(1_500);
const QUICK: Duration = Duration::from_millis(50);
/// Headers that hyper writes by itself.
const OF_HYPER: [&str; 3] = ["content-length", "date", "transfer-encoding"];

pub(super) fn run(scale: Scale, stop: &Stop) -> anyhow::Result<Measured> {
    let mut to = Measured::default();
    let mut api = Actor::start(Role::Api)?;
    let served: Served = api.ask(&Order::Serve { entries: ENTRIES, is_charged: true })?;
    for limit in LIMITS {
        let query = format!("limit={limit}");
        for (name, headers) in
            [(query.clone(), String::new()), (format!("{query}, encoded"), ENCODED.to_owned())]
        {
            let mut case = Case::new(&name, request(&served, &query, &headers), &served)?;
            to.rows.extend(case.measure(&mut api, scale, stop)?);
            if limit == LIMITS[1] {
                let headers = format!("if-none-match: {}\r\n{headers}", case.header("etag"));
                let mut known =
                    Case::new(&format!("{name}, 304"), request(&served, &query, &headers), &served)?;
                to.rows.extend(known.measure(&mut api, scale, stop)?);
            }
        }
    }
    for books in BOOKS {
        match own_books(books, scale, stop) {
            Ok(rows) => to.rows.extend(rows),
            Err(error) => to.failures.push(Failure::new(PART, &error)),
        }
    }
    to.notes.push(format!(
        "board: CPU is user and system of the server's process for each request, over {CONNECTIONS} connections that \
         are kept, as fast as they are answered, on `/api/v1/arbs` with key, quota and tag. The API is that of \
         `arb serve` with a board of {ENTRIES} entries that does not change, handed over instead of read from Kafka; \
         the baseline is a bare hyper server that sends the same head and body, with TCP_NODELAY too, in the same run. \
         Requests a second are of two processes on the same cores. `encoded` is with `accept-encoding: br, gzip, zstd`. \
         Boards of own books are of every other book of a simulated market of 60 matches: `cached` asks for one again \
         and again, `cold` for another total stake each time over {COLD} connections, which computes it."
    ));
    Ok(to)
}

/// A board of every other book of a market with so many: computed for each request, and kept.
fn own_books(books: usize, scale: Scale, stop: &Stop) -> anyhow::Result<Vec<Row>> {
    let mut api = Actor::start(Role::Api)?;
    let served: Served = api.ask(&Order::Serve { entries: 1, is_charged: true })?;
    let held: Held = api.ask(&Order::HoldQuotes { books })?;
    if held.arbs == 0 || held.books.len() != books {
        bail!("a market of {} books with {} arbs", held.books.len(), held.arbs);
    }
    let own: Vec<_> = held.books.iter().step_by(2).map(String::as_str).collect();
    let query = format!("limit=100&books={}", own.join(","));
    let mut rows = Vec::new();
    let cached = request(&served, &query, "");
    let cached = Case::new(&format!("my books, {books} books, cached"), cached, &served)?;
    rows.extend(Case { expected: None, ..cached }.measure(&mut api, scale, stop)?);
    let to = served.clone();
    let cold =
        move |number: u64| question(&to, &format!("{query}&total_stake={}", 1_000 + number % STAKES), "");
    let cold = Case::new(&format!("my books, {books} books, cold"), Box::new(cold), &served)?;
    rows.extend(Case { connections: COLD, expected: None, ..cold }.measure(&mut api, scale, stop)?);
    Ok(rows)
}

/// The n-th request of a case.
type Requests = Box<dyn Fn(u64) -> String + Sync>;

/// A question, and what is answered.
struct Case {
    name: String,
    request: Requests,
    served: Served,
    answer: Answer,
    connections: usize,
    /// Of ours to bare CPU.
    expected: Option<Expected>,
}

/// What a request of one round cost.
struct BoardSample {
    cpu: f64,
    per_second: f64,
}

impl Case {
    fn new(name: &str, request: Requests, served: &Served) -> anyhow::Result<Self> {
        let answer = Connection::open(served.at)?.ask(&request(0))?;
        if ![200, 304].contains(&answer.status) {
            bail!("the API answers {}: {}", answer.status, String::from_utf8_lossy(&answer.body));
        }
        Ok(Self {
            name: format!("{name}, {}", size(answer.body.len())),
            request,
            served: served.clone(),
            answer,
            connections: CONNECTIONS,
            expected: Some(EXPECTED),
        })
    }

    fn header(&self, name: &str) -> &str {
        let found = self.answer.headers.iter().find(|(other, _)| other == name);
        found.map_or("", |(_, value)| value)
    }

    fn measure(&mut self, api: &mut Actor, scale: Scale, stop: &Stop) -> anyhow::Result<Vec<Row>> {
        let mut bare = Actor::start(Role::Bare)?;
        let at = bare.ask::<Served>(&Order::Answer(self.script()))?;
        let served = self.served.clone();
        let mut servers = [(api, served), (&mut bare, at)];
        let [ours, bare] = in_turns(scale.rounds, stop, |which| {
            let (actor, at) = &mut servers[which];
            self.round(actor, at, scale)
        })?;
        let of = |what, of: fn(&BoardSample) -> f64| {
            let pairs: Vec<_> = ours.iter().zip(&bare).map(|(ours, bare)| (of(ours), of(bare))).collect();
            Row::beside(PART, self.name.clone(), what, &pairs)
        };
        let cpu = of(Measure("server CPU a request", "us"), |sample| sample.cpu);
        Ok(vec![
            match self.expected {
                Some(expected) => cpu.expect(expected),
                None => cpu,
            },
            of(Measure("requests", "1/s"), |sample| sample.per_second),
        ])
    }

    fn round(&self, actor: &mut Actor, served: &Served, scale: Scale) -> anyhow::Result<BoardSample> {
        let time = if scale.is_quick { QUICK } else { ROUND };
        let before: Spent = actor.ask(&Order::Spent)?;
        let answers = load(served.at, &*self.request, self.answer.status, self.connections, time);
        let answers = answers.with_context(|| self.name.clone())? as f64;
        let after: Spent = actor.ask(&Order::Spent)?;
        let cpu = after.cpu.saturating_sub(before.cpu);
        Ok(BoardSample { cpu: cpu.as_secs_f64() * 1e6 / answers, per_second: answers / time.as_secs_f64() })
    }

    /// What the bare server is to send.
    fn script(&self) -> Script {
        let headers =
            self.answer.headers.iter().filter(|(name, _)| !OF_HYPER.contains(&&**name)).cloned().collect();
        Script { status: self.answer.status, headers, body: self.answer.body.clone(), events: vec![] }
    }
}

fn request(served: &Served, query: &str, headers: &str) -> Requests {
    let request = question(served, query, headers);
    Box::new(move |_| request.clone())
}

/// A request with further headers, each with its line's end.
fn question(Served { at, key }: &Served, query: &str, headers: &str) -> String {
    format!("GET /api/v1/arbs?{query} HTTP/1.1\r\nhost: {at}\r\nx-api-key: {key}\r\n{headers}\r\n")
}

fn size(bytes: usize) -> String {
    format!("{:.1} kB", bytes as f64 / 1e3)
}
