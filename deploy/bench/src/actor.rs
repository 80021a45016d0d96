//! Processes of a measurement's own: a server whose CPU is to be its alone, and clients that must not share it.
//!
//! Each is this program again (`arb-bench actor`), which reads orders as lines of JSON and answers each with
//! one line. It ends when its standard input is closed. It never measures another process: each process reads
//! its CPU time itself.
//!
//! - `quotes`: the changelog of a processor of a simulated market, for boards of own books.
//! - `api`: the API as `arb serve` has it, its board and feed handed over instead of read from Kafka.
//! - `bare`: a bare hyper server that sends the bytes that it is given, or writes lines of a body to Kafka (`bare_push`).
//! - `listeners`: clients of a stream.
//! - `generator`: a push feed at a rate, which reads how late its events come.
//! - `program`: a role of `arb`; `poster`: a bare client that posts; `receivers`: servers of webhooks.

mod api;
mod bare;
mod bare_push;
mod generator;
mod listeners;
pub(super) mod pace;
mod poster;
mod program;
mod quotes;
mod receivers;

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use arb_schemas::time::Micros;
use clap::ValueEnum;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::meter::{allocated, cpu};
use arb::cli::secrets;
use arb::system::limits;

/// The kind of actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    Api,
    Bare,
    Generator,
    Listeners,
    Program,
    Poster,
    Receivers,
}

impl Role {
    /// As the command line spells it.
    fn key(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Bare => "bare",
            Self::Generator => "generator",
            Self::Listeners => "listeners",
            Self::Program => "program",
            Self::Poster => "poster",
            Self::Receivers => "receivers",
        }
    }
}

/// An order to an actor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Order {
    /// The API: begin, with a board of so many entries, and with leases of the quota or without. Answered by [`Served`].
    Serve { entries: usize, is_charged: bool },
    /// The bare server: begin, and answer every request with this. Answered by [`Served`].
    Answer(Script),
    /// The API: hold the processor's quotes of a simulated market with so many books. Answered by [`Held`].
    HoldQuotes { books: usize },
    /// The API: write what is pushed to this Kafka from now on.
    WritePushes { brokers: String },
    /// The bare server: begin, and write each line of a body to this Kafka. Answered by [`Served`].
    WriteLines { brokers: String },
    /// Servers: send so many events to all streams. Answered by when each was sent.
    Send { events: usize, per_second: f64 },
    /// Listeners: open so many streams, each up to its first block.
    Connect { to: SocketAddr, request: String, streams: usize },
    /// Listeners: wait until each stream has had so many blocks more. Answered by when, block by block.
    Hear { events: usize },
    /// The generator: read the feed and a stream of this API, and send a heartbeat to each partition; later this market's ticks.
    Follow { brokers: String, api: Served, market: MarketKind },
    /// The generator: send ticks at this rate, a second, for a time. Answered by [`Paced`].
    Pace { rate: u32, time: Duration },
    /// The generator: end, and say how late the events of ticks from then on were. Answered by [`Late`].
    Late { since: Micros },
    /// The program: be the role of this command line.
    Run { arguments: Vec<String> },
    /// Receivers: begin so many that answer 204, and so many that never answer. Answered by their addresses.
    Receive { healthy: usize, dead: usize },
    /// Receivers: wait for so many requests of a round, at most so long. Answered by [`Arrived`].
    Arrive { round: u32, requests: usize, within: Duration },
    /// The poster: post a body so many times to each of these. Answered once all are answered.
    Post { to: Vec<SocketAddr>, times: usize, body: String },
    /// All: answered by [`Spent`].
    Spent,
}

impl Order {
    /// Be the role of this command line.
    pub(super) fn run<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Run { arguments: arguments.into_iter().map(str::to_owned).collect() }
    }
}

/// Whose ticks a generator sends.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum MarketKind {
    /// The push feed's.
    Pushes,
    /// The push feed's, sent as the other engines' generator sends theirs.
    PushesBesidePeers,
    /// The other engines'.
    Peers,
}

/// What a generator has sent.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Paced {
    /// When its first interval began.
    pub(super) since: Micros,
    pub(super) sent: u64,
    pub(super) seconds: f64,
    /// The longest that a tick was sent after it was to be sent.
    pub(super) latest: Duration,
}

/// How late events were.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Delays {
    pub(super) events: usize,
    pub(super) p50: Micros,
    pub(super) p99: Micros,
}

/// The same by their readers.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Late {
    pub(super) feed: Delays,
    pub(super) stream: Delays,
}

/// Where a server is, and the key that it takes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Served {
    pub(super) at: SocketAddr,
    pub(super) key: String,
}

/// The quotes that an API holds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Held {
    /// Arbs that they make.
    pub(super) arbs: usize,
    /// Keys of their books.
    pub(super) books: Vec<String>,
}

/// What a bare server sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Script {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Where there are some, the answer is a stream, `body` is its beginning, and these are its events, again and again.
    pub(super) events: Vec<String>,
}

/// What a process has spent, and what it holds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Spent {
    /// User and system, of all threads.
    pub(super) cpu: Duration,
    /// Bytes, from the allocator.
    pub(super) held: usize,
}

/// Requests that came to the receivers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Arrived {
    /// The number of its event, and when it came.
    pub(super) requests: Vec<(usize, Micros)>,
    /// The body of one of them.
    pub(super) body: String,
}

/// When something was sent, by event; or came, by event and then by stream.
pub(super) type Times = Vec<Micros>;

/// An actor, seen from the measurement. Dropped, it ends.
pub(super) struct Actor {
    role: Role,
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Actor {
    /// Starts one.
    pub(super) fn start(role: Role) -> anyhow::Result<Self> {
        let binary = std::env::current_exe().context("the path of this program")?;
        let mut command = Command::new(binary);
        command.args(["actor", role.key()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        secrets::hide(&mut command, "bench");
        // Out of the terminal's group: Ctrl-C reaches the measurement alone.
        let child = command.process_group(0).spawn();
        let mut child = child.with_context(|| format!("the {} cannot be started", role.key()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (orders, answers) = pipes.context("a child without pipes")?;
        Ok(Self { role, child, orders: Some(orders), answers: BufReader::new(answers) })
    }

    /// Gives an order, which is not waited for: its answer is taken by `answer`.
    pub(super) fn send(&mut self, order: &Order) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        let orders = self.orders.as_mut().context("an actor that has ended")?;
        Ok(orders.write_all(&line)?)
    }

    /// The answer to the oldest order that has none yet.
    pub(super) fn answer<T: DeserializeOwned>(&mut self) -> anyhow::Result<T> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the {} has ended", self.role.key());
        }
        let answer: Result<Value, String> = serde_json::from_str(&line)?;
        let value = answer.map_err(|error| anyhow!("the {}: {error}", self.role.key()))?;
        Ok(serde_json::from_value(value)?)
    }

    /// Kills it with -9.
    pub(super) fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Gives an order and waits.
    pub(super) fn ask<T: DeserializeOwned>(&mut self, order: &Order) -> anyhow::Result<T> {
        self.send(order)?;
        self.answer()
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        // The actor ends when its standard input is closed.
        drop(self.orders.take());
        let _ = self.child.wait();
    }
}

/// What an actor of some role does.
trait Act {
    /// Executes an order, except for those that all actors share.
    fn act(&mut self, order: Order) -> anyhow::Result<Value>;
}

/// `arb-bench actor`: executes orders until its standard input is closed.
pub(super) fn run(role: Role) -> anyhow::Result<()> {
    limits::allow_connections();
    let runtime = match role {
        // A core is the server's that it listens to.
        Role::Listeners | Role::Receivers => {
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?
        }
        Role::Api | Role::Bare | Role::Generator | Role::Program | Role::Poster => {
            tokio::runtime::Builder::new_multi_thread().enable_all().build()?
        }
    };
    let mut actor: Box<dyn Act> = match role {
        Role::Api => Box::new(api::Api::new(runtime)?),
        Role::Bare => Box::new(bare::Bare::new(runtime)),
        Role::Generator => Box::new(generator::Generator::default()),
        Role::Listeners => Box::new(listeners::Listeners::new(runtime)),
        Role::Program => Box::new(program::Program),
        Role::Poster => Box::new(poster::Poster::new(runtime)),
        Role::Receivers => Box::new(receivers::Receivers::new(runtime)),
    };
    for line in std::io::stdin().lines() {
        let answer = match serde_json::from_str(&line?)? {
            Order::Spent => spent(),
            order => actor.act(order),
        };
        println!("{}", serde_json::to_string(&answer.map_err(|error| format!("{error:#}")))?);
    }
    Ok(())
}

fn spent() -> anyhow::Result<Value> {
    Ok(serde_json::to_value(Spent { cpu: cpu(), held: allocated()? })?)
}

/// The answer to an order that is another role's.
fn not_mine(order: &Order) -> anyhow::Error {
    anyhow!("it cannot do this: {order:?}")
}
