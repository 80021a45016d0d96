//! A receiver of webhooks: an HTTP server that echoes challenges, records what it is sent, and answers as the test configures it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::wait::pace;

/// How it answers what is no challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Manner {
    /// With a status and these further lines of the head.
    Status(u16, &'static str),
    /// 200, after this long.
    Slow(Duration),
    /// Not at all.
    Hang,
    /// It closes the connection.
    Reset,
    /// 200, with a body of a gigabyte.
    Flood,
    /// 200, a byte of the body now and then.
    Drip,
}

impl Manner {
    fn is_success(&self) -> bool {
        match self {
            Self::Status(status, _) => (200..300).contains(status),
            Self::Hang | Self::Reset => false,
            Self::Slow(_) | Self::Flood | Self::Drip => true,
        }
    }
}

/// A request that it was sent.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub(crate) at: Instant,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    /// Whether it was answered with success.
    pub(crate) is_taken: bool,
}

impl Posted {
    pub(crate) fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// The server; its threads end with the test.
pub(crate) struct Receiver {
    pub(crate) url: String,
    state: Arc<State>,
}

struct State {
    manner: Mutex<Manner>,
    posted: Mutex<Vec<Posted>>,
    challenges: Mutex<Vec<Posted>>,
    is_closed: AtomicBool,
    /// Requests that are not answered yet, and the most there ever were.
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
}

impl Receiver {
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (manner, posted, challenges) = (Mutex::new(manner), Mutex::default(), Mutex::default());
        let is_closed = AtomicBool::new(false);
        let (under_way, most_under_way) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let state = Arc::new(State { manner, posted, challenges, is_closed, under_way, most_under_way });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_closed.load(Ordering::Relaxed) {
                    return;
                }
                let state = Arc::clone(&shared);
                std::thread::spawn(move || state.serve(&stream.unwrap()));
            }
        });
        Self { url, state }
    }

    /// Answers in another way from now on.
    pub(crate) fn set(&self, manner: Manner) {
        *self.state.manner.lock().unwrap() = manner;
    }

    /// All that it was sent but challenges.
    pub(crate) fn posted(&self) -> Vec<Posted> {
        self.state.posted.lock().unwrap().clone()
    }

    /// The most requests that were under way at one time.
    pub(crate) fn most_under_way(&self) -> usize {
        self.state.most_under_way.load(Ordering::Relaxed)
    }

    pub(crate) fn challenges(&self) -> Vec<Posted> {
        self.state.challenges.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.state.is_closed.store(true, Ordering::Relaxed);
    }
}

impl State {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(mut posted) = read(&mut reader) {
            let body = posted.json();
            if body["type"] == "endpoint.verification" {
                let echo = json!({"challenge": body["data"]["challenge"]}).to_string();
                self.challenges.lock().unwrap().push(posted);
                respond(stream, 200, "", &echo);
                continue;
            }
            let manner = self.manner.lock().unwrap().clone();
            posted.is_taken = manner.is_success();
            self.posted.lock().unwrap().push(posted);
            match manner {
                Manner::Status(status, head) => respond(stream, status, head, "an answer"),
                Manner::Slow(time) => self.respond_after(stream, time),
                Manner::Hang => pace("it does not answer", Duration::from_mins(1)),
                Manner::Reset => return,
                Manner::Flood => return flood(stream),
                Manner::Drip => return drip(stream),
            }
        }
    }

    fn respond_after(&self, stream: &TcpStream, time: Duration) {
        let under_way = self.under_way.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_under_way.fetch_max(under_way, Ordering::Relaxed);
        pace("it takes its time", time);
        self.under_way.fetch_sub(1, Ordering::Relaxed);
        respond(stream, 200, "", "an answer");
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Posted> {
    let (mut line, mut headers) = (String::new(), BTreeMap::new());
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).ok()?;
    Some(Posted { at: Instant::now(), headers, body, is_taken: false })
}

fn respond(mut stream: &TcpStream, status: u16, head: &str, body: &str) {
    let length = if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let body = if status == 204 { "" } else { body };
    let _ = write!(stream, "HTTP/1.1 {status} X\r\n{head}{length}\r\n{body}");
}

fn flood(mut stream: &TcpStream) {
    let chunk = vec![b'x'; 1 << 20];
    let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", 1_u64 << 30);
    while stream.write_all(&chunk).is_ok() {}
}

fn drip(mut stream: &TcpStream) {
    let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
    while stream.write_all(b"x").is_ok() {
        pace("it answers bit by bit", Duration::from_millis(100));
    }
}
