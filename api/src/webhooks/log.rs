//! The newest entries of the delivery log, and how endpoints stand whose attempts fail, by endpoint, in memory. It never keeps more than its
//! limits, and never changes an entry.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
pub struct DeliveryLog(Mutex<KeptDeliveries>);

/// What is kept of all endpoints. One that is deleted is written about no more, so that it goes before those that are used.
#[derive(Debug, Default)]
struct KeptDeliveries {
    endpoints: HashMap<String, OfEndpoint>,
    /// Endpoints by when something was last written about each.
    turns: BTreeMap<u64, String>,
    turn: u64,
}

/// What is kept of an endpoint.
#[derive(Debug, Default)]
struct OfEndpoint {
    entries: VecDeque<Arc<WebhookDelivery>>,
    circuit: Option<WebhookCircuit>,
    turn: u64,
}

impl KeptDeliveries {
    /// What is kept of an endpoint about which something is written now; that of another one goes where there are too many.
    fn touch(&mut self, endpoint: &str) -> &mut OfEndpoint {
        if !self.endpoints.contains_key(endpoint)
            && self.endpoints.len() >= ENDPOINTS
            && let Some((_, longest)) = self.turns.pop_first()
        {
            self.endpoints.remove(&longest);
        }
        self.turn += 1;
        let kept = self.endpoints.entry(endpoint.to_owned()).or_default();
        self.turns.remove(&kept.turn);
        self.turns.insert(self.turn, endpoint.to_owned());
        kept.turn = self.turn;
        kept
    }
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

    fn kept(&self) -> MutexGuard<'_, KeptDeliveries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in how an endpoint stands. When its circuit was last closed stays known: what failed before is due since then.
    pub fn put_circuit(&self, mut circuit: WebhookCircuit) {
        let mut kept = self.kept();
        let of_endpoint = kept.touch(&circuit.endpoint);
        let known = of_endpoint.circuit.as_ref().and_then(|known| known.closed_at);
        circuit.closed_at = circuit.closed_at.max(known);
        of_endpoint.circuit = Some(circuit);
    }

    /// How an endpoint stands; `None` where no attempt to it has failed lately.
    #[must_use]
    pub fn circuit(&self, endpoint: &str) -> Option<WebhookCircuit> {
        self.kept().endpoints.get(endpoint)?.circuit.clone()
    }

    /// Takes an entry in; the oldest of its endpoint goes where there are too many.
    pub fn put(&self, entry: WebhookDelivery) {
        let mut kept = self.kept();
        let of_endpoint = kept.touch(&entry.endpoint);
        if of_endpoint.entries.len() >= PER_ENDPOINT {
            of_endpoint.entries.pop_front();
        }
        of_endpoint.entries.push_back(Arc::new(entry));
    }

    /// The entries of an endpoint, newest first.
    #[must_use]
    pub fn of(&self, endpoint: &str) -> Vec<Arc<WebhookDelivery>> {
        let kept = self.kept();
        let of_endpoint = kept.endpoints.get(endpoint).map(|kept| &kept.entries).into_iter().flatten();
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
    /// Endpoints that were deleted are written about no more: they keep no room from later ones.
    #[test]
    fn what_was_written_about_longest_ago_goes_first() {
        let log = DeliveryLog::default();
        let circuit = |endpoint: &str, closed_at| WebhookCircuit {
            endpoint: endpoint.to_owned(),
            failures: 6,
            failed_at: 1,
            closed_at,
            waiting: 2,
        };
        (0..ENDPOINTS).for_each(|number| log.put_circuit(circuit(&format!("deleted{number}"), None)));
        log.put(log_entry("deleted0", 1, "dropped"));
        log.put_circuit(circuit("new", Some(7)));
        log.put_circuit(circuit("new", None));
        log.put(log_entry("new", 2, "failed"));
        assert_eq!(log.circuit("new"), Some(circuit("new", Some(7))), "it was closed at 7");
        assert_eq!((log.of("new").len(), log.of("deleted0").len()), (1, 1));
        assert!(log.circuit("deleted0").is_some() && log.circuit("deleted1").is_none());
        let kept = log.kept();
        assert_eq!((kept.endpoints.len(), kept.turns.len()), (ENDPOINTS, ENDPOINTS));
    }
}
