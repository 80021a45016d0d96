//! Scans in memory, newest last: each with the latest result of each partition.
//!
//! The oldest are dropped when they are too many or too large. It never waits, and never reads a clock.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arb_schemas::records::scans::{PENDING, POLLED, SILENT};
use arb_schemas::records::{ScanRequest, ScanResult};
use arb_schemas::time::{Micros, SECOND};
use tokio::sync::watch;

/// Scans that are kept.
const MOST: usize = 10_000;
/// Bytes of results that are kept.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Requests that wait to be sent.
const QUEUE: usize = 256;
/// After so long a scan is final, whoever has not answered.
pub(crate) const DEADLINE: Micros = 30 * SECOND;
/// The time over which the scans of an account are counted.
pub(crate) const HOUR: Micros = 3_600 * SECOND;
/// Topics that must have been read to their ends.
const TOPICS: usize = 2;

/// A scan.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scan {
    pub(crate) request: Option<ScanRequest>,
    pub(crate) results: BTreeMap<i32, Arc<ScanResult>>,
    bytes: usize,
}

/// How far a scan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanStatus {
    /// Sources have not answered yet.
    Pending,
    /// Every source that has what is scanned has answered.
    Complete,
    /// The deadline has passed.
    Partial,
}

impl ScanStatus {
    /// As answers spell it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Complete => "complete",
            Self::Partial => "partial",
        }
    }
}

#[derive(Debug, Default)]
struct KeptScans {
    scans: BTreeMap<String, Scan>,
    order: VecDeque<String>,
    bytes: usize,
}

/// The scans of an instance.
#[derive(Debug)]
pub(crate) struct Scans {
    partitions: usize,
    inner: Mutex<KeptScans>,
    /// Topics that have not been read to their ends.
    unread: AtomicUsize,
    changed: watch::Sender<u64>,
    queue: SyncSender<ScanRequest>,
    queued: Mutex<Option<Receiver<ScanRequest>>>,
}

impl Scans {
    /// None yet, of results in so many partitions.
    pub(crate) fn new(partitions: i32) -> Self {
        let (queue, queued) = sync_channel(QUEUE);
        Self {
            partitions: usize::try_from(partitions).unwrap_or(0),
            inner: Mutex::default(),
            unread: AtomicUsize::new(TOPICS),
            changed: watch::Sender::new(0),
            queue,
            queued: Mutex::new(Some(queued)),
        }
    }

    /// Partitions that answer.
    pub(crate) fn partitions(&self) -> usize {
        self.partitions
    }

    /// A topic has been read to its end.
    pub(crate) fn has_read(&self) {
        let _ = self.unread.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
    }

    /// Whether what was scanned before this instance began is known.
    pub(crate) fn is_ready(&self) -> bool {
        self.unread.load(Ordering::Acquire) == 0
    }

    /// Sends a request, and knows it from now on; whether there was room for it.
    pub(crate) fn send(&self, request: ScanRequest) -> bool {
        let is_queued = self.queue.try_send(request.clone()).is_ok();
        if is_queued {
            self.put_request(request);
        }
        is_queued
    }

    /// The requests that are to be sent; `None` after the first call.
    pub(crate) fn queued(&self) -> Option<Receiver<ScanRequest>> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Notes a request.
    pub(crate) fn put_request(&self, request: ScanRequest) {
        let id = request.id.clone();
        self.lock().change(&id, |scan| scan.request = Some(request));
        self.notify();
    }

    /// Notes the result of a partition, of so many bytes.
    pub(crate) fn put_result(&self, partition: i32, result: ScanResult, bytes: usize) {
        let id = result.scan.clone();
        self.lock().change(&id, |scan| {
            scan.results.insert(partition, Arc::new(result));
            scan.bytes += bytes;
        });
        self.notify();
    }

    /// A scan of an account.
    pub(crate) fn find(&self, id: &str, account: &str) -> Option<Scan> {
        let inner = self.lock();
        let scan = inner.scans.get(id)?;
        scan.request.as_ref().is_some_and(|request| request.account == account).then(|| scan.clone())
    }

    /// When the scans of an account within the last hour were requested that caused a poll or still may.
    pub(crate) fn counted(&self, account: &str, now: Micros) -> Vec<Micros> {
        let inner = self.lock();
        let since = now.saturating_sub(HOUR);
        let counted = inner.scans.values().filter_map(|scan| {
            let request = scan.request.as_ref()?;
            let counts = request.account == account && request.requested_at > since;
            (counts && scan.may_have_polled(now)).then_some(request.requested_at)
        });
        let mut times: Vec<_> = counted.collect();
        times.sort_unstable();
        times
    }

    /// Wakes whoever waits, after each change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn notify(&self) {
        self.changed.send_modify(|version| *version += 1);
    }

    fn lock(&self) -> MutexGuard<'_, KeptScans> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptScans {
    fn change(&mut self, id: &str, change: impl FnOnce(&mut Scan)) {
        if !self.scans.contains_key(id) {
            self.order.push_back(id.to_owned());
        }
        let scan = self.scans.entry(id.to_owned()).or_default();
        let before = scan.bytes;
        change(scan);
        self.bytes += scan.bytes - before;
        while self.order.len() > MOST || (self.bytes > MOST_BYTES && self.order.len() > 1) {
            let oldest = self.order.pop_front().and_then(|oldest| self.scans.remove(&oldest));
            self.bytes -= oldest.map_or(0, |oldest| oldest.bytes);
        }
    }
}

impl Scan {
    /// How far it is; `polled` are the sources that publish polls, for which a scan waits.
    pub(crate) fn status(&self, partitions: usize, polled: &BTreeSet<String>, now: Micros) -> ScanStatus {
        let is_open = |result: &Arc<ScanResult>| {
            result.sources.iter().any(|source| {
                source.outcome == PENDING || (source.outcome == SILENT && polled.contains(&source.source))
            })
        };
        if self.results.len() >= partitions && !self.results.values().any(is_open) {
            ScanStatus::Complete
        } else if self.is_over(now) {
            ScanStatus::Partial
        } else {
            ScanStatus::Pending
        }
    }

    fn is_over(&self, now: Micros) -> bool {
        self.request.as_ref().is_none_or(|request| now.saturating_sub(request.requested_at) >= DEADLINE)
    }

    fn may_have_polled(&self, now: Micros) -> bool {
        let mut sources = self.results.values().flat_map(|result| &result.sources);
        sources.any(|source| source.outcome == POLLED) || (self.results.is_empty() && !self.is_over(now))
    }
}

#[cfg(test)]
mod tests {
    use arb_schemas::records::ScanSource;

    use super::*;

    fn request(id: &str, account: &str, requested_at: Micros) -> ScanRequest {
        ScanRequest { id: id.into(), account: account.into(), requested_at, ..ScanRequest::default() }
    }

    fn result(id: &str, outcomes: &[(&str, &str)]) -> ScanResult {
        let source = |(source, outcome): &(&str, &str)| ScanSource {
            source: (*source).into(),
            outcome: (*outcome).into(),
            polled_at: None,
            credits: 0,
            quotes: 1,
            asked: 0,
            confirmed: 0,
        };
        ScanResult {
            scan: id.into(),
            as_of: 1,
            sources: outcomes.iter().map(source).collect(),
            books: vec![],
            leagues: vec![],
            events: 0,
            arbs: vec![],
            left_out: 0,
        }
    }

    #[test]
    fn a_scan_is_complete_when_every_partition_and_every_polled_source_has_answered() {
        let (scans, polled) = (Scans::new(2), BTreeSet::from(["s".to_owned(), "t".to_owned()]));
        let status = |now| scans.find("x", "a").unwrap().status(2, &polled, now);
        scans.put_request(request("x", "a", 0));
        assert_eq!((status(0), status(DEADLINE)), (ScanStatus::Pending, ScanStatus::Partial));
        scans.put_result(0, result("x", &[("s", "polled")]), 1);
        assert_eq!(status(0), ScanStatus::Pending, "a partition is missing");
        scans.put_result(1, result("x", &[("s", "polled"), ("t", "silent")]), 1);
        assert_eq!(status(0), ScanStatus::Pending, "a polled source is silent");
        scans.put_result(1, result("x", &[("s", "polled"), ("t", "pending")]), 1);
        assert_eq!(status(0), ScanStatus::Pending);
        scans.put_result(1, result("x", &[("s", "polled"), ("t", "credits"), ("pushed", "silent")]), 1);
        assert_eq!((status(0), status(DEADLINE)), (ScanStatus::Complete, ScanStatus::Complete));
    }

    #[test]
    fn another_account_has_no_scan() {
        let scans = Scans::new(1);
        scans.put_result(0, result("x", &[]), 1);
        assert!(scans.find("x", "a").is_none(), "nobody is known to own it");
        scans.put_request(request("x", "a", 0));
        assert!(scans.find("x", "a").is_some() && scans.find("x", "b").is_none());
    }

    #[test]
    fn scans_that_caused_no_poll_do_not_count() {
        let scans = Scans::new(1);
        for (id, account) in [("w", "a"), ("x", "a"), ("y", "a"), ("z", "b")] {
            scans.put_request(request(id, account, 5));
        }
        scans.put_result(0, result("w", &[("s", "polled")]), 1);
        scans.put_result(0, result("x", &[("s", "polled_recently")]), 1);
        assert_eq!(scans.counted("a", 6), [5, 5], "one was polled for, one may be");
        assert_eq!(scans.counted("a", DEADLINE + 5), [5], "nobody polled for the other");
        assert!(scans.counted("a", HOUR + 5).is_empty());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let scans = Scans::new(1);
        for number in 0..MOST + 10 {
            scans.put_request(request(&number.to_string(), "a", 0));
        }
        assert!(scans.find("9", "a").is_none() && scans.find("10", "a").is_some());
        scans.put_result(0, result("11", &[]), MOST_BYTES);
        scans.put_result(0, result("12", &[]), 1);
        assert!(scans.find("11", "a").is_none() && scans.find("12", "a").is_some());
        assert_eq!(scans.lock().bytes, 1);
    }

    #[test]
    fn a_full_queue_takes_no_request() {
        let scans = Scans::new(1);
        let sent = (0..=QUEUE).filter(|number| scans.send(request(&number.to_string(), "a", 0))).count();
        assert_eq!(sent, QUEUE);
        assert!(scans.find(&QUEUE.to_string(), "a").is_none(), "it was not sent");
    }
}
