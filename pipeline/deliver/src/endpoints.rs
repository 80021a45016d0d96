//! The endpoints of all accounts in memory, from the accounts topic. It never changes one.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use arb_accounts::codec;
use arb_accounts::directory::Part;
use arb_accounts::endpoint::{Endpoint, EndpointState};
use arb_kafka::{self as kafka, Table, TableEvent};
use arb_runtime::stop::Stop;
use arb_schemas::wire::WireError;
use thiserror::Error;

use crate::schedule::Readiness;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// Why the endpoints are not followed any more.
#[derive(Debug, Error)]
pub enum EndpointsError {
    /// Kafka.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// A record that is none of the topic's.
    #[error("the accounts topic: {0}")]
    Wire(#[from] WireError),
}

/// The endpoints.
#[derive(Debug, Default)]
pub struct Endpoints {
    by_id: RwLock<HashMap<String, Arc<Endpoint>>>,
    disabled_accounts: RwLock<HashSet<String>>,
    is_ready: AtomicBool,
    /// Grows with each change.
    version: AtomicU64,
}

impl Endpoints {
    /// Reads the accounts topic until the shutdown signal.
    ///
    /// # Errors
    /// [`EndpointsError`].
    pub fn follow(&self, mut table: Table, stop: &Stop) -> Result<(), EndpointsError> {
        while !stop.is_stopped() {
            match table.next(WAIT)? {
                TableEvent::Put { key, value: Some(value), .. } => {
                    if let Some(part) = codec::decode_part(&key, &value)? {
                        self.put(part);
                    }
                }
                TableEvent::Put { key, value: None, .. } => self.remove(&String::from_utf8_lossy(&key)),
                TableEvent::CaughtUp => self.is_ready.store(true, Ordering::Release),
                TableEvent::Idle => {}
            }
        }
        Ok(())
    }

    /// Whether the topic was read to its end once.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// Takes over a part of the accounts.
    pub fn put(&self, part: Part) {
        match part {
            Part::Endpoint(endpoint) => {
                let mut by_id = self.by_id.write().unwrap_or_else(PoisonError::into_inner);
                by_id.insert(endpoint.id.clone(), Arc::new(endpoint));
            }
            Part::Account(account) => {
                let mut disabled = self.disabled_accounts.write().unwrap_or_else(PoisonError::into_inner);
                if account.is_disabled {
                    disabled.insert(account.id);
                } else {
                    disabled.remove(&account.id);
                }
            }
            _ => return,
        }
        self.version.fetch_add(1, Ordering::Release);
    }

    fn remove(&self, key: &str) {
        if let Some(id) = key.strip_prefix("endpoint/") {
            self.by_id.write().unwrap_or_else(PoisonError::into_inner).remove(id);
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Another number after each change: what is read after it was asked for is at least as new.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// An endpoint.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Arc<Endpoint>> {
        self.by_id.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// All of them whose account is not disabled.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Endpoint>> {
        let disabled = self.disabled_accounts.read().unwrap_or_else(PoisonError::into_inner);
        let by_id = self.by_id.read().unwrap_or_else(PoisonError::into_inner);
        by_id.values().filter(|endpoint| !disabled.contains(&endpoint.account)).cloned().collect()
    }

    /// Whether an endpoint can be sent to now.
    #[must_use]
    pub fn readiness(&self, id: &str) -> Readiness {
        let Some(endpoint) = self.get(id) else { return Readiness::Gone };
        let disabled = self.disabled_accounts.read().unwrap_or_else(PoisonError::into_inner);
        let is_open = endpoint.state == EndpointState::Active && endpoint.is_open();
        if is_open && !disabled.contains(&endpoint.account) {
            Readiness::Open(endpoint.settings.rate_limit)
        } else {
            Readiness::Waiting
        }
    }
}
