//! The deliveries of a partition.
//!
//! It finds deliveries by endpoint, by subject and by the time at which they end. It decides nothing.

mod bodies;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arb_accounts::endpoint::Policy;
use arb_runtime::draft::{Draft, Parts};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::wire::WireError;

use crate::circuit::Failing;
use crate::codec::{Part, SharedBody};
use crate::delivery::Delivery;
use crate::policy::LIVE_AGE;
use crate::schedule::REPORTED_WITHIN;

use bodies::BodyTable;

/// For how long a delivery that failed can be delivered again.
pub(crate) const FAILED_KEPT: Micros = 3 * 86_400 * SECOND;
/// For how long a notice is known, so that it is sent once: what it is about lasts for a month at most.
const NOTICE_KEPT: Micros = 40 * 86_400 * SECOND;

/// For how long after its last failure it is known that an endpoint fails: longer than between two attempts, and than it is left enabled.
const FAILING_KEPT: Micros = 40 * 86_400 * SECOND;

/// The deliveries with the drafts of a transaction.
pub(crate) type DraftBook = Draft<Book>;

/// The deliveries.
#[derive(Debug, Default)]
pub(crate) struct Book {
    deliveries: HashMap<String, Arc<Delivery>>,
    failing: BTreeMap<String, Failing>,
    /// What was read of each partition of the feed.
    feeds: BTreeMap<i32, (i64, i64)>,
    /// By nonce.
    notices: BTreeMap<String, Micros>,
    clock: Option<Micros>,
    /// Ids by subject: those that are pending.
    subjects: BTreeMap<String, BTreeSet<String>>,
    /// By endpoint and whether they have failed: when each was read, and its id.
    endpoints: BTreeMap<(String, bool), BTreeSet<(Micros, String)>>,
    /// When a delivery is not kept any more.
    ends: BTreeSet<(Micros, String)>,
    /// Bytes of all deliveries, each counted by itself.
    held: usize,
    bodies: BodyTable,
}

/// Bytes of a delivery beside its body, in all places that know it.
const BESIDE_BODY: usize = 1_024;

fn size(delivery: &Delivery) -> usize {
    delivery.body.len() + BESIDE_BODY
}

/// When a delivery is not kept any more; `None` for one that its schedule ends.
pub(crate) fn end(delivery: &Delivery) -> Option<Micros> {
    match (delivery.has_failed, delivery.policy) {
        (true, _) => Some(delivery.next_at.saturating_add(FAILED_KEPT)),
        // One that was asked for again is sent, however old it is.
        (false, Policy::Live) if delivery.round == 0 && !is_close(delivery) => {
            Some(delivery.created_at.saturating_add(LIVE_AGE))
        }
        (false, _) => None,
    }
}

/// Whether it reports that a window closed: that is always sent.
pub(crate) fn is_close(delivery: &Delivery) -> bool {
    delivery.kind == "close_signal"
}

impl Book {
    pub(crate) fn clock(&self) -> Micros {
        self.clock.unwrap_or_default()
    }

    pub(crate) fn delivery(&self, id: &str) -> Option<&Arc<Delivery>> {
        self.deliveries.get(id)
    }

    pub(crate) fn deliveries(&self) -> impl ExactSizeIterator<Item = &Arc<Delivery>> {
        self.deliveries.values()
    }

    /// Bytes that all deliveries hold at most.
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    pub(crate) fn failing(&self, endpoint: &str) -> Option<Failing> {
        self.failing.get(endpoint).copied()
    }

    /// Epoch and sequence of the last event of a partition of the feed.
    pub(crate) fn feed(&self, partition: i32) -> Option<(i64, i64)> {
        self.feeds.get(&partition).copied()
    }

    pub(crate) fn has_notice(&self, nonce: &str) -> bool {
        self.notices.contains_key(nonce)
    }

    /// Notices that need not be known any more.
    pub(crate) fn old_notices(&self, now: Micros) -> Vec<String> {
        let old = self.notices.iter().filter(|(_, at)| at.saturating_add(NOTICE_KEPT) <= now);
        old.map(|(nonce, _)| nonce.clone()).collect()
    }

    /// Endpoints of which it need not be known any more how their attempts failed, or that a success has ended that.
    pub(crate) fn old_failing(&self, now: Micros) -> Vec<String> {
        let is_old = |(_, failing): &(&String, &Failing)| {
            let kept = if failing.is_failing() { FAILING_KEPT } else { REPORTED_WITHIN };
            failing.failed_at.saturating_add(kept) <= now
        };
        self.failing.iter().filter(is_old).map(|(endpoint, _)| endpoint.clone()).collect()
    }

    /// The pending ones about a subject.
    pub(crate) fn about(&self, subject: &str) -> Vec<Arc<Delivery>> {
        let ids = self.subjects.get(subject).into_iter().flatten();
        ids.filter_map(|id| self.deliveries.get(id).cloned()).collect()
    }

    /// Of an endpoint, those that are pending or those that have failed: oldest first.
    pub(crate) fn of(&self, endpoint: &str, has_failed: bool) -> impl Iterator<Item = &Arc<Delivery>> {
        let ids = self.endpoints.get(&(endpoint.to_owned(), has_failed)).into_iter().flatten();
        ids.filter_map(|(_, id)| self.deliveries.get(id))
    }

    pub(crate) fn oldest(&self, endpoint: &str, has_failed: bool) -> Option<Arc<Delivery>> {
        self.of(endpoint, has_failed).next().cloned()
    }

    /// The oldest of the endpoint that has the most, pending or failed.
    pub(crate) fn oldest_of_most(&self) -> Option<Arc<Delivery>> {
        let (_, id) = self.endpoints.values().max_by_key(|list| list.len())?.first()?;
        self.deliveries.get(id).cloned()
    }

    pub(crate) fn count(&self, endpoint: &str, has_failed: bool) -> usize {
        self.endpoints.get(&(endpoint.to_owned(), has_failed)).map_or(0, BTreeSet::len)
    }

    /// One that is not kept any more at a moment.
    pub(crate) fn next_end(&self, now: Micros) -> Option<Arc<Delivery>> {
        let (_, id) = self.ends.first().filter(|(end, _)| *end <= now)?;
        self.deliveries.get(id).cloned()
    }

    /// A delivery as the changelog has it, with the body that it names. Bodies are put back first, in the order of their keys.
    pub(crate) fn filled(&self, part: Part) -> Result<Part, WireError> {
        match part {
            Part::Delivery(delivery) => self.bodies.fill(delivery).map(Part::Delivery),
            part => Ok(part),
        }
    }

    fn index(&mut self, delivery: &Delivery) {
        let Delivery { id, endpoint, has_failed, created_at, subject, .. } = delivery;
        self.held += size(delivery);
        self.bodies.begin_use(delivery);
        self.ends.extend(end(delivery).map(|end| (end, id.clone())));
        let list = self.endpoints.entry((endpoint.clone(), *has_failed)).or_default();
        list.insert((*created_at, id.clone()));
        if !has_failed && !subject.is_empty() {
            self.subjects.entry(subject.clone()).or_default().insert(id.clone());
        }
    }

    fn forget(&mut self, id: &str) {
        let Some(delivery) = self.deliveries.remove(id) else { return };
        self.held -= size(&delivery);
        self.bodies.end_use(&delivery);
        if let Some(end) = end(&delivery) {
            self.ends.remove(&(end, id.to_owned()));
        }
        let list = (delivery.endpoint.clone(), delivery.has_failed);
        remove(&mut self.endpoints, &list, &(delivery.created_at, id.to_owned()));
        remove(&mut self.subjects, &delivery.subject, &id.to_owned());
    }
}

impl Parts for Book {
    type Part = Part;

    fn key(part: &Part) -> String {
        part.key()
    }

    fn part(&self, key: &str) -> Option<Part> {
        match key.split_once('/') {
            Some(("delivery", id)) => self.deliveries.get(id).cloned().map(Part::Delivery),
            Some(("body", name)) => self.bodies.part(name),
            Some(("notice", _)) => self.notices.get(key).map(|at| Part::Notice(key.to_owned(), *at)),
            Some(("feed", number)) => {
                let partition = number.parse().ok()?;
                self.feed(partition).map(|place| Part::Feed(partition, place))
            }
            Some((_, endpoint)) => {
                self.failing(endpoint).map(|failing| Part::Failing(endpoint.to_owned(), failing))
            }
            None => self.clock.map(Part::Clock),
        }
    }

    fn replace(&mut self, key: &str, part: Option<Part>) -> Option<Part> {
        let before = self.part(key);
        match (key.split_once('/'), part) {
            (_, Some(Part::Clock(clock))) => self.clock = Some(clock),
            (_, Some(Part::Failing(endpoint, failing))) => drop(self.failing.insert(endpoint, failing)),
            (_, Some(Part::Feed(partition, place))) => drop(self.feeds.insert(partition, place)),
            (_, Some(Part::Notice(nonce, at))) => drop(self.notices.insert(nonce, at)),
            (_, Some(Part::Body(body))) => self.bodies.put(body),
            (_, Some(Part::Delivery(delivery))) => {
                self.forget(&delivery.id);
                self.index(&delivery);
                self.deliveries.insert(delivery.id.clone(), delivery);
            }
            (Some(("delivery", id)), None) => self.forget(id),
            (Some(("body", name)), None) => self.bodies.remove(name),
            (Some(("notice", _)), None) => drop(self.notices.remove(key)),
            (Some(("feed", number)), None) => {
                if let Ok(partition) = number.parse() {
                    self.feeds.remove(&partition);
                }
            }
            (Some((_, endpoint)), None) => drop(self.failing.remove(endpoint)),
            (None, None) => self.clock = None,
        }
        before
    }
}

/// Puts a delivery.
pub(crate) fn put_delivery(book: &mut DraftBook, delivery: Delivery) {
    book.put(Part::Delivery(Arc::new(delivery)));
}

/// Removes a delivery, and the body that it names when it is the last one.
pub(crate) fn remove_delivery(book: &mut DraftBook, id: &str) {
    let name = book.deliveries.get(id).and_then(|delivery| delivery.body_of.clone());
    book.remove(&format!("delivery/{id}"));
    if let Some(name) = name.filter(|name| !book.bodies.is_used(name)) {
        book.remove(&format!("body/{name}"));
    }
}

/// A body for a delivery that names it. One that is there stays as it is: attempts of other deliveries have sent it.
pub(crate) fn share(book: &mut DraftBook, name: &Arc<str>, text: &Arc<str>) -> Arc<str> {
    if let Some(known) = book.bodies.get(name) {
        return Arc::clone(known);
    }
    book.put(Part::Body(SharedBody { name: Arc::clone(name), text: Arc::clone(text) }));
    Arc::clone(text)
}

/// The parts that the drafts change, as they are now. What began and ended since then was never there.
pub(crate) fn changes(book: &DraftBook) -> impl Iterator<Item = (&str, Option<Part>)> {
    let changed = book.changed().map(|(key, before)| (key, before, book.part(key)));
    let differs = |(_, before, now): &(&str, Option<&Part>, Option<Part>)| before.is_some() || now.is_some();
    changed.filter(differs).map(|(key, _, now)| (key, now))
}

/// Removes a value from the set of a key, and the set when it is empty.
fn remove<K: Ord, V: Ord>(sets: &mut BTreeMap<K, BTreeSet<V>>, key: &K, value: &V) {
    if let Some(set) = sets.get_mut(key) {
        set.remove(value);
        if set.is_empty() {
            sets.remove(key);
        }
    }
}
