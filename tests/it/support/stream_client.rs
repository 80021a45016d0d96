//! A client of the event stream that resumes with the last event's id whenever it is cut, and keeps what it was sent.
//!
//! It retries until it is stopped: an instance of the API may be away.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use arb_kafka::partition_of;
use arb_schemas::topics::DEFAULT_PARTITIONS;
use serde_json::Value;

use super::feed::{Name, name};
use super::sse::{Event, Sse};
use super::wait::pace;

/// Between two attempts to connect.
const RETRY: Duration = Duration::from_millis(100);

/// An event of the feed as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Delivery {
    pub(crate) name: Name,
    pub(crate) data: String,
}

/// What a client was sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Delivered {
    /// Events of the feed, by partition.
    pub(crate) partitions: Vec<Vec<Delivery>>,
    /// Snapshots: one at the beginning, and one whenever the client could not resume.
    pub(crate) snapshots: usize,
    /// Why it could not resume.
    pub(crate) resyncs: Vec<String>,
    pub(crate) connections: usize,
}

/// A client in a thread.
pub(crate) struct StreamClient {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    is_stopped: AtomicBool,
    delivered: Mutex<Delivered>,
}

impl StreamClient {
    /// Follows the stream of an instance at an address, with a key.
    pub(crate) fn start(address: &str, key: &str) -> Self {
        let delivered = Delivered { partitions: vec![Vec::new(); 4], ..Delivered::default() };
        let shared = Arc::new(Shared { delivered: Mutex::new(delivered), ..Shared::default() });
        let (address, bearer, of_thread) = (address.to_owned(), format!("Bearer {key}"), Arc::clone(&shared));
        let thread = std::thread::spawn(move || of_thread.follow(&address, &bearer));
        Self { shared, thread }
    }

    /// Looks at what it has been sent so far.
    pub(crate) fn inspect<T>(&self, inspect: impl FnOnce(&Delivered) -> T) -> T {
        inspect(&self.shared.delivered.lock().unwrap())
    }

    /// Stops it; what it was sent.
    pub(crate) fn stop(self) -> Delivered {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
        std::mem::take(&mut self.shared.delivered.lock().unwrap())
    }
}

impl Shared {
    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn follow(&self, address: &str, bearer: &str) {
        let mut last: Option<String> = None;
        while !self.is_stopped() {
            let resume = last.as_deref().map(|last| ("last-event-id", last));
            let headers: Vec<_> = [("authorization", bearer)].into_iter().chain(resume).collect();
            match Sse::try_connect(address, "/v1/stream", &headers) {
                Ok(stream) if stream.status == 200 => last = self.read(stream).or(last),
                _ => pace("before it connects again", RETRY),
            }
        }
    }

    /// Reads until the stream is cut; the last id.
    fn read(&self, mut stream: Sse) -> Option<String> {
        self.delivered.lock().unwrap().connections += 1;
        while !self.is_stopped()
            && let Some(event) = stream.next()
        {
            self.delivered.lock().unwrap().take(&event);
        }
        stream.last_id
    }
}

impl Delivered {
    fn take(&mut self, event: &Event) {
        match &*event.name {
            "snapshot" => self.snapshots += 1,
            "resync" => self.resyncs.push(event.data.clone()),
            "arb_window" | "line_movement" | "stale_alert" | "close_signal" | "edge_signal" => {
                let partition = usize::try_from(partition(&event.json())).unwrap();
                self.partitions[partition].push(Delivery { name: name(event), data: event.data.clone() });
            }
            "heartbeat" | "lagged" | "server_restart" => {}
            other => panic!("{other}"),
        }
    }

    /// Whether it has been sent these events, each the last of its partition.
    pub(crate) fn ends_with(&self, last: &[Option<Name>]) -> bool {
        self.partitions.iter().zip(last).all(|(got, last)| {
            last.as_ref().is_none_or(|last| got.iter().any(|delivery| delivery.name == *last))
        })
    }
}

/// The partition of the event that an event of the feed is of.
fn partition(json: &Value) -> i32 {
    let event = json["event_id"].as_str().or(json["event"]["id"].as_str());
    partition_of(event.unwrap_or_else(|| panic!("of no event: {json}")), DEFAULT_PARTITIONS)
}
