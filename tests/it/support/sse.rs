//! A client of Server-Sent Events on a bare socket, so that a test decides when it reads.
//!
//! It implements as much of HTTP as the response of a stream needs: a header, and a body in chunks.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use serde_json::Value;

use super::{PATIENCE, wait_for};

/// An event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<u64>,
    pub(crate) data: String,
}

impl Event {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {}", self.data))
    }
}

/// A stream that is open.
pub(crate) struct Sse {
    pub(crate) status: u16,
    /// The lines of its head, in lower case.
    pub(crate) head: Vec<String>,
    body: BufReader<Chunks>,
    /// The last id, for the next connection.
    pub(crate) last_id: Option<String>,
    /// Comments that were skipped.
    pub(crate) comments: usize,
}

impl Sse {
    /// Connects, and reads the head; again while the instance does not know its accounts.
    pub(crate) fn connect(address: &str, path: &str, headers: &[(&str, &str)]) -> Self {
        wait_for("the instance can answer", || {
            let stream = Self::try_connect(address, path, headers).unwrap();
            (stream.status != 503).then_some(stream)
        })
    }

    /// The same where an instance may be away or end meanwhile.
    pub(crate) fn try_connect(address: &str, path: &str, headers: &[(&str, &str)]) -> std::io::Result<Self> {
        let mut socket = TcpStream::connect(address)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let headers: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let headers = headers.concat();
        write!(socket, "GET {path} HTTP/1.1\r\nhost: {address}\r\n{headers}\r\n")?;
        let mut input = BufReader::new(socket);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            input.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_lowercase());
        }
        let status = head.first().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let status = status.ok_or(std::io::ErrorKind::UnexpectedEof)?;
        let body = BufReader::new(Chunks { input, left: 0 });
        Ok(Self { status, head, body, last_id: None, comments: 0 })
    }

    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.head.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or_default()
    }

    /// The next whole event, heartbeats included; `None` when the stream has ended.
    pub(crate) fn next(&mut self) -> Option<Event> {
        let mut event = Event::default();
        loop {
            let mut line = String::new();
            // A connection that is cut ends in the middle of a line, or in an error.
            if self.body.read_line(&mut line).ok().filter(|read| *read > 0)? == 0 || !line.ends_with('\n') {
                return None;
            }
            match line.trim_end_matches('\n').split_once(": ") {
                Some(("event", name)) => name.clone_into(&mut event.name),
                Some(("id", id)) => event.id = Some(id.to_owned()),
                Some(("data", data)) => data.clone_into(&mut event.data),
                Some(("retry", retry)) => event.retry = Some(retry.parse().unwrap()),
                Some(("", _)) => self.comments += 1,
                Some(_) => panic!("not a field of an event: {line}"),
                None if line == "\n" => {
                    self.last_id = event.id.clone().or(self.last_id.take());
                    return Some(event);
                }
                None => panic!("not a line of an event: {line}"),
            }
        }
    }

    /// The next event that is none of the stream's own heartbeats, which go on for ever.
    pub(crate) fn next_event(&mut self) -> Option<Event> {
        let deadline = Instant::now() + PATIENCE;
        std::iter::from_fn(|| self.next()).find(|event| {
            assert!(Instant::now() < deadline, "nothing but heartbeats");
            event.name != "heartbeat"
        })
    }

    /// So many of them.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Event> {
        let events: Vec<_> = std::iter::from_fn(|| self.next_event()).take(count).collect();
        assert_eq!(events.len(), count, "the stream ended early: {:?}", events.last());
        events
    }
}

/// A body in chunks.
struct Chunks {
    input: BufReader<TcpStream>,
    /// Bytes left of the chunk.
    left: usize,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            let mut line = String::new();
            while line.trim().is_empty() {
                line.clear();
                if self.input.read_line(&mut line)? == 0 {
                    return Ok(0);
                }
            }
            self.left = usize::from_str_radix(line.trim(), 16).map_err(std::io::Error::other)?;
        }
        let most = self.left.min(buffer.len());
        let read = self.input.read(&mut buffer[..most])?;
        self.left -= read;
        Ok(read)
    }
}
