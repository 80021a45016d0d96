//! A client with keep-alive connections that sends requests, each by its number, on each connection as soon as the last
//! response is read.
//!
//! It uses bare sockets and dedicated threads, so that it is the same for every server. It parses a header
//! for the status and the length, and skips the body.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// A line of a head is not longer.
const MAX_LINE: u64 = 16 * 1024;

/// One connection.
pub(super) struct Connection {
    socket: BufReader<TcpStream>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Connection {
    pub(super) fn open(to: SocketAddr) -> anyhow::Result<Self> {
        let socket = TcpStream::connect(to)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { socket: BufReader::with_capacity(64 * 1024, socket) })
    }

    /// Sends the request, and reads the whole response.
    pub(super) fn ask(&mut self, request: &str) -> anyhow::Result<Answer> {
        self.socket.get_mut().write_all(request.as_bytes())?;
        let (status, headers) = self.head()?;
        let length =
            headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse());
        let mut body = vec![0; length.transpose()?.unwrap_or(0)];
        self.socket.read_exact(&mut body)?;
        Ok(Answer { status, headers, body })
    }

    /// Requests a stream, and reads its header.
    pub(super) fn begin(&mut self, request: &str) -> anyhow::Result<Answer> {
        self.socket.get_mut().write_all(request.as_bytes())?;
        let (status, headers) = self.head()?;
        Ok(Answer { status, headers, body: vec![] })
    }

    /// The next block of a stream that comes without chunks.
    pub(super) fn block(&mut self) -> anyhow::Result<String> {
        let mut block = String::new();
        while !block.ends_with("\n\n") {
            if self.socket.read_line(&mut block)? == 0 {
                bail!("the stream has ended");
            }
        }
        Ok(block)
    }

    fn head(&mut self) -> anyhow::Result<(u16, Vec<(String, String)>)> {
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok());
        let mut headers = vec![];
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok((status.context("no answer of HTTP")?, headers));
            }
            let (name, value) = line.split_once(": ").context("no header")?;
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        self.socket.by_ref().take(MAX_LINE).read_line(&mut line)?;
        let line = line.strip_suffix("\r\n").context("the connection has ended")?;
        Ok(line.to_owned())
    }

    /// Sends the request, and reads a response of this status without keeping it.
    fn repeat(&mut self, request: &str, status: u16, buffer: &mut Vec<u8>) -> anyhow::Result<()> {
        self.socket.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut is_first) = (0, true);
        loop {
            buffer.clear();
            self.socket.read_until(b'\n', buffer)?;
            match &buffer[..] {
                b"" => bail!("the connection has ended"),
                b"\r\n" => break,
                line if is_first => {
                    if line.get(9..12) != Some(status.to_string().as_bytes()) {
                        bail!("not {status}: {}", String::from_utf8_lossy(line));
                    }
                }
                line => length = content_length(line).unwrap_or(length),
            }
            is_first = false;
        }
        buffer.resize(length, 0);
        Ok(self.socket.read_exact(buffer)?)
    }
}

fn content_length(line: &[u8]) -> Option<usize> {
    let (name, value) = line.split_at_checked("content-length: ".len())?;
    let is_it = name.eq_ignore_ascii_case(b"content-length: ");
    is_it.then(|| std::str::from_utf8(value).ok()?.trim().parse().ok()).flatten()
}

/// Lets so many connections ask for a time, the n-th request as it is of this number; how many answers of this status came. Another one is an error.
pub(super) fn load(
    to: SocketAddr,
    request: &(dyn Fn(u64) -> String + Sync),
    status: u16,
    connections: usize,
    time: Duration,
) -> anyhow::Result<u64> {
    let (asked, answers) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut all: Vec<_> = (0..connections).map(|_| Connection::open(to)).collect::<Result<_, _>>()?;
    let until = Instant::now() + time;
    thread::scope(|scope| {
        let ask = |connection: &mut Connection| -> anyhow::Result<()> {
            let mut buffer = Vec::new();
            while Instant::now() < until {
                let number = asked.fetch_add(1, Ordering::Relaxed);
                connection.repeat(&request(number), status, &mut buffer)?;
                answers.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        };
        let asking: Vec<_> = all.iter_mut().map(|connection| scope.spawn(move || ask(connection))).collect();
        let panicked = |_| anyhow!("a thread panicked");
        asking.into_iter().try_for_each(|thread| thread.join().map_err(panicked)?)
    })?;
    Ok(answers.into_inner())
}
