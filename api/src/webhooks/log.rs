//! The newest entries of the delivery log, and how endpoints stand whose attempts fail, by endpoint, in memory. It never keeps more than its
//! limits, and never changes an entry.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arb_kafka::{self as kafka, Feed, FeedEvent};
use arb_runtime::stop::Stop;
use arb_schemas::records::{WebhookCircuit, WebhookDelivery};
use arb_schemas::wire::{self, RecordType, WireError};

/// Entries of one endpoint that are kept.
const PER_ENDPOINT: usize = 200;
/// Records of a partition that are read at the start.
const LOOK_BACK: i64 = 20_000;
/// Endpoints of which entries are kept.
const ENDPOINTS: usize = 10_000;
const WAIT: Duration = Duration::from_millis(100);

/// The entries, and the circuits.
#[derive(Debug, Default)]
pub struct DeliveryLog {
    entries: Mutex<HashMap<String, VecDeque<Arc<WebhookDelivery>>>>,
    circuits: Mutex<HashMap<String, WebhookCircuit>>,
}

impl DeliveryLog {
    /// Reads the log until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn follow(&self, mut feed: Feed, stop: &Stop) -> Result<(), kafka::Error> {
        let spans = feed.spans()?;
        let starts = spans.iter().map(|span| (span.next - LOOK_BACK).max(span.first));
        feed.read_from((0..).zip(starts.collect::<Vec<_>>()), std::iter::empty().collect())?;
        while !stop.is_stopped() {
            if let FeedEvent::Record { value, .. } = feed.next(WAIT)?
                && let Err(error) = self.read(&value)
            {
                tracing::warn!(%error, "an entry of the delivery log cannot be read");
            }
        }
        Ok(())
    }

    fn read(&self, value: &[u8]) -> Result<(), WireError> {
        if RecordType::of(value)? == RecordType::WebhookCircuit {
            self.put_circuit(wire::decode(value)?);
        } else {
            self.put(wire::decode(value)?);
        }
        Ok(())
    }

    /// Takes in how an endpoint stands.
    pub fn put_circuit(&self, circuit: WebhookCircuit) {
        let mut circuits = self.circuits.lock().unwrap_or_else(PoisonError::into_inner);
        if circuits.len() < ENDPOINTS || circuits.contains_key(&circuit.endpoint) {
            circuits.insert(circuit.endpoint.clone(), circuit);
        }
    }

    /// How an endpoint stands; `None` where no attempt to it has failed lately.
    #[must_use]
    pub fn circuit(&self, endpoint: &str) -> Option<WebhookCircuit> {
        self.circuits.lock().unwrap_or_else(PoisonError::into_inner).get(endpoint).cloned()
    }

    /// Takes an entry in; the oldest of its endpoint goes where there are too many.
    pub fn put(&self, entry: WebhookDelivery) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= ENDPOINTS && !entries.contains_key(&entry.endpoint) {
            return;
        }
        let of_endpoint = entries.entry(entry.endpoint.clone()).or_default();
        if of_endpoint.len() >= PER_ENDPOINT {
            of_endpoint.pop_front();
        }
        of_endpoint.push_back(Arc::new(entry));
    }

    /// The entries of an endpoint, newest first.
    #[must_use]
    pub fn of(&self, endpoint: &str) -> Vec<Arc<WebhookDelivery>> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let of_endpoint = entries.get(endpoint).into_iter().flatten();
        let mut found: Vec<_> = of_endpoint.cloned().collect();
        found.sort_by_key(|entry| std::cmp::Reverse(entry.at));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::log_entry;

    #[test]
    fn the_newest_of_each_endpoint_are_kept() {
        let log = DeliveryLog::default();
        (0..250).for_each(|at| log.put(log_entry("a", at, "delivered")));
        log.put(log_entry("b", 1, "delivered"));
        let times: Vec<_> = log.of("a").iter().map(|entry| entry.at).collect();
        assert_eq!((times.len(), times[0], times[199]), (200, 249, 50));
        assert_eq!((log.of("b").len(), log.of("c").len()), (1, 0));
    }
}
