//! A client of the event stream on a bare socket, which notes when events reach it.
//!
//! Its requests are HTTP/1.0, so that the body arrives without chunks.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, bail};
use arb_schemas::time::{Micros, parse_rfc3339};
use serde_json::Value;

use arb::system::clock;

/// How long the API may take to answer.
const ANSWER: Duration = Duration::from_secs(30);

/// An event that came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The time of its tick.
    pub(crate) ticked: Micros,
    /// When it came.
    pub(crate) now: Micros,
}

/// A stream that is open.
pub(crate) struct Stream {
    reader: BufReader<TcpStream>,
}

/// Ends a stream from another thread.
pub(crate) struct End(TcpStream);

impl End {
    pub(crate) fn end(&self) {
        // What is closed already has ended too.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Stream {
    /// Connects, and reads what comes before the events: the head, and the snapshot's first line.
    pub(crate) fn open(listen: SocketAddr, key: &str) -> anyhow::Result<(Self, End)> {
        let mut socket = TcpStream::connect(listen).context("the API")?;
        socket.set_read_timeout(Some(ANSWER))?;
        let request =
            format!("GET /v1/stream HTTP/1.0\r\nhost: {listen}\r\nauthorization: Bearer {key}\r\n\r\n");
        socket.write_all(request.as_bytes())?;
        let end = End(socket.try_clone()?);
        let mut stream = Self { reader: BufReader::new(socket) };
        let status = stream.line()?.unwrap_or_default();
        if !status.contains(" 200 ") {
            bail!("the event stream answers {status}");
        }
        while stream.line()?.is_some_and(|line| !line.starts_with("event: ")) {}
        Ok((stream, end))
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> std::io::Result<Option<String>> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line)?;
        Ok((read > 0).then_some(line))
    }

    /// Notes every event of a window until the stream ends.
    pub(crate) fn arrivals(mut self) -> anyhow::Result<Vec<Arrival>> {
        let (mut arrivals, mut kind) = (Vec::new(), String::new());
        while let Some(line) = self.line()? {
            let now = clock::now();
            if let Some(event) = line.strip_prefix("event: ") {
                event.trim_end().clone_into(&mut kind);
            } else if let Some(data) = line.strip_prefix("data: ") {
                arrivals.extend(tick_time(&kind, data)?.map(|ticked| Arrival { ticked, now }));
            }
        }
        Ok(arrivals)
    }
}

/// The time of the tick that caused an event.
fn tick_time(kind: &str, data: &str) -> anyhow::Result<Option<Micros>> {
    let field = match kind {
        "arb_window" => "updated_at",
        "close_signal" => "closed_at",
        _ => return Ok(None),
    };
    let data: Value = serde_json::from_str(data)?;
    let at = data[field].as_str().and_then(parse_rfc3339);
    at.map(Some).with_context(|| format!("an event without {field}: {data}"))
}
