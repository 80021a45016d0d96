//! The newest report on each event, as the settlement machine has it, for windows of the past.
//!
//! It holds what the machine holds: results of the last 30 days. It never takes in a report that the machine did not.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use arb_kafka::{Table, TableEvent};
use arb_runtime::stop::Stop;
use arb_schemas::records::StateResult;
use arb_schemas::topics::PICK_STATE;
use arb_schemas::wire::WireError;
use arb_settle::codec::{Part, RESULT_KEY, decode_part};

use crate::lists::follow::FollowError;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

/// Reports by event.
#[derive(Debug, Default)]
pub(crate) struct EventResults {
    reports: RwLock<HashMap<String, Arc<StateResult>>>,
}

impl EventResults {
    /// The newest report on an event.
    pub(crate) fn of(&self, event: &str) -> Option<Arc<StateResult>> {
        self.reports.read().unwrap_or_else(PoisonError::into_inner).get(event).cloned()
    }

    /// Takes in a record of the machine's changelog; other parts of its state are left out.
    ///
    /// # Errors
    /// [`WireError`] when it cannot be read.
    pub(crate) fn put(&self, key: &[u8], value: Option<&[u8]>) -> Result<(), WireError> {
        let key = String::from_utf8_lossy(key);
        let Some(event) = key.strip_prefix(RESULT_KEY) else { return Ok(()) };
        let part = value.map(decode_part).transpose()?;
        let mut reports = self.reports.write().unwrap_or_else(PoisonError::into_inner);
        let _former = match part {
            Some(Part::Result(saved)) => reports.insert(event.to_owned(), saved),
            _ => reports.remove(event),
        };
        Ok(())
    }
}

/// Reads the changelog of the settlement machine until the shutdown signal.
///
/// # Errors
/// [`FollowError`].
pub(crate) fn follow(mut table: Table, results: &EventResults, stop: &Stop) -> Result<(), FollowError> {
    while !stop.is_stopped() {
        if let TableEvent::Put { partition, offset, key, value } = table.next(WAIT)? {
            results.put(&key, value.as_deref()).map_err(|error| FollowError::Record {
                topic: PICK_STATE.name,
                partition,
                offset,
                error,
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arb_schemas::records::{ResultReport, StatePicks};
    use arb_schemas::wire::encode;

    use super::*;

    #[test]
    fn the_newest_report_on_an_event_is_known_until_the_machine_forgets_it() {
        let results = EventResults::default();
        let saved = |source: &str| {
            let report =
                ResultReport { event: "a/b".into(), source: source.into(), ..ResultReport::default() };
            encode(&StateResult { report, taken_at: 1 }).unwrap()
        };
        for source in ["first", "second"] {
            results.put(b"result/a/b", Some(&saved(source))).unwrap();
        }
        results.put(b"clock", Some(&encode(&StatePicks { clock: 1 }).unwrap())).unwrap();
        results.put(b"pick/x", Some(b"not read")).unwrap();
        assert_eq!(results.of("a/b").map(|saved| saved.report.source.clone()), Some("second".to_owned()));
        results.put(b"result/a/b", None).unwrap();
        assert_eq!(results.of("a/b"), None);
        assert!(results.put(b"result/a/b", Some(b"no record")).is_err());
    }
}
