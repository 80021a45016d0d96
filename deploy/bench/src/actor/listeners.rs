//! Clients of a stream, many in one process, that note when blocks reach them.
//!
//! A block ends with an empty line, and is no event if it is a heartbeat, which comes whenever nothing else does; nothing
//! else of what comes is looked at, so that listening costs little and the same for all.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, bail};
use arb_schemas::time::Micros;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use super::{Act, Order, Times, not_mine};
use arb::system::clock;

/// How long a block may take to come.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes read at once: more than an event has.
const BUFFER: usize = 16 * 1024;

/// The actor.
pub(super) struct Listeners {
    runtime: Runtime,
    streams: usize,
    received: Option<UnboundedReceiver<Received>>,
    /// The number of blocks that each stream has received and that were reported.
    reported: usize,
}

/// A block has come.
struct Received {
    /// Its number in its stream, after those with which that began.
    number: usize,
    at: Micros,
}

impl Listeners {
    pub(super) fn new(runtime: Runtime) -> Self {
        Self { runtime, streams: 0, received: None, reported: 0 }
    }

    fn connect(&mut self, to: SocketAddr, request: &str, streams: usize) -> anyhow::Result<()> {
        let (out, received) = unbounded_channel();
        (self.streams, self.received, self.reported) = (streams, Some(received), 0);
        for _ in 0..streams {
            let opened =
                self.runtime.block_on(async { timeout(PATIENCE, ListenerStream::open(to, request)).await });
            let stream = opened.context("a stream did not begin")??;
            self.runtime.spawn(stream.listen(out.clone()));
        }
        Ok(())
    }

    /// When each of so many events came to all streams.
    fn receive(&mut self, events: usize) -> anyhow::Result<Vec<Times>> {
        let received = self.received.as_mut().context("nothing is listened to")?;
        let mut times = vec![Times::with_capacity(self.streams); events];
        for count in 0..events * self.streams {
            let next = self.runtime.block_on(async { timeout(PATIENCE, received.recv()).await });
            let Ok(Some(Received { number, at })) = next else { bail!("only {count} blocks came") };
            let event = number.checked_sub(self.reported).and_then(|index| times.get_mut(index));
            event.context("a block too many")?.push(at);
        }
        self.reported += events;
        Ok(times)
    }
}

impl Act for Listeners {
    fn act(&mut self, order: Order) -> anyhow::Result<Value> {
        match order {
            Order::Connect { to, request, streams } => {
                self.connect(to, &request, streams)?;
                Ok(Value::Null)
            }
            Order::Hear { events } => Ok(serde_json::to_value(self.receive(events)?)?),
            other => Err(not_mine(&other)),
        }
    }
}

/// One of them.
struct ListenerStream {
    socket: TcpStream,
    buffer: Vec<u8>,
    blocks: Blocks,
}

impl ListenerStream {
    /// Connects, sends the request, and reads up to the first block.
    async fn open(to: SocketAddr, request: &str) -> anyhow::Result<Self> {
        let mut socket = TcpStream::connect(to).await?;
        socket.set_nodelay(true)?;
        socket.write_all(request.as_bytes()).await?;
        let (mut blocks, mut buffer) = (Blocks::default(), vec![0; BUFFER]);
        loop {
            let read = socket.read(&mut buffer).await?;
            if read == 0 {
                bail!("a stream ended before it began");
            }
            if blocks.ends_in(&buffer[..read]) > 0 {
                return Ok(Self { socket, buffer, blocks });
            }
        }
    }

    /// Records blocks until the stream ends, or the receiver is dropped.
    async fn listen(mut self, out: UnboundedSender<Received>) {
        let mut number = 0;
        while let Ok(read @ 1..) = self.socket.read(&mut self.buffer).await {
            let at = clock::now();
            for _ in 0..self.blocks.ends_in(&self.buffer[..read]) {
                if out.send(Received { number, at }).is_err() {
                    return;
                }
                number += 1;
            }
        }
    }
}

/// What the line of a heartbeat's name is.
const HEARTBEAT: &[u8] = b"event: heartbeat";

/// Counts the ends of blocks that are no heartbeats, also of those that come in pieces. (The head's lines end otherwise,
/// and so do the chunks'.)
#[derive(Debug, Default)]
struct Blocks {
    /// Bytes of the line that has begun.
    line: usize,
    /// How many of them are those of a heartbeat's.
    alike: usize,
    is_heartbeat: bool,
}

impl Blocks {
    fn ends_in(&mut self, bytes: &[u8]) -> usize {
        bytes.iter().filter(|byte| self.ends_with(**byte)).count()
    }

    fn ends_with(&mut self, byte: u8) -> bool {
        if byte != b'\n' {
            self.alike += usize::from(self.alike == self.line && HEARTBEAT.get(self.line) == Some(&byte));
            self.line += 1;
            return false;
        }
        let (line, alike) = (std::mem::take(&mut self.line), std::mem::take(&mut self.alike));
        self.is_heartbeat |= line == HEARTBEAT.len() && alike == line;
        line == 0 && !std::mem::take(&mut self.is_heartbeat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_with_an_empty_line_wherever_it_is_cut() {
        let text = b"HTTP/1.1 200 OK\r\nx: y\r\n\r\n1a\r\nevent: a\ndata: {}\n\n\r\n1a\r\ndata: {}\n\n\r\n";
        for cut in 0..text.len() {
            let mut blocks = Blocks::default();
            assert_eq!(blocks.ends_in(&text[..cut]) + blocks.ends_in(&text[cut..]), 2, "{cut}");
        }
    }

    #[test]
    fn a_heartbeat_is_no_event() {
        let text =
            b"1\r\nevent: a\ndata: {}\n\n\r\n1\r\n: heartbeat\nevent: heartbeat\ndata: {}\nid: 1\n\n\r\n\
                     1\r\nevent: heartbeats\ndata: event: heartbeat\n\n\r\n";
        for cut in 0..text.len() {
            let mut blocks = Blocks::default();
            assert_eq!(blocks.ends_in(&text[..cut]) + blocks.ends_in(&text[cut..]), 2, "{cut}");
        }
    }
}
