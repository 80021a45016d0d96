//! Which endpoints an event of the feed may be for: by its type, its sport and its league, so that an event is compared with the filters
//! of those alone.
//!
//! It never keeps what another version of the endpoints had, and leaves out no endpoint whose filters are not known.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arb_accounts::endpoint::{Endpoint, EndpointState, Policy};
use arb_feed::event::Part;
use arb_feed::filter::EventFilter;
use arb_feed::webhook::text::FeedText;
use arb_kafka::partition_of;
use arb_schemas::records::WebhookTarget;

use crate::endpoints::Endpoints;

/// Types, sports and leagues whose endpoints are kept; beyond it they are found again.
const KINDS: usize = 10_000;

/// The index of one version of the endpoints.
#[derive(Debug, Default)]
pub struct EndpointIndex {
    version: Option<u64>,
    /// Those that are sent anything.
    all: Vec<Arc<Indexed>>,
    by_kind: HashMap<Kind, Arc<[Arc<Indexed>]>>,
    /// Where endpoints of the policy `live` are, whatever they are sent.
    live: BTreeSet<i32>,
}

/// The type of an event, its sport and its league.
type Kind = (&'static str, String, String);

/// An endpoint with its filters; `None` where another version wrote what this one does not know.
#[derive(Debug)]
struct Indexed {
    endpoint: Arc<Endpoint>,
    filter: Option<EventFilter>,
}

impl EndpointIndex {
    /// Takes over the endpoints, if they have changed; there are so many partitions of tasks.
    pub(crate) fn refresh(&mut self, endpoints: &Endpoints, partitions: i32) {
        let version = endpoints.version();
        if self.version == Some(version) {
            return;
        }
        let all = endpoints.all();
        let live = all.iter().filter(|endpoint| endpoint.settings.policy == Policy::Live);
        self.live = live.map(|endpoint| partition_of(&endpoint.id, partitions)).collect();
        let kept = all.into_iter().filter(|endpoint| is_kept(endpoint));
        let indexed = |endpoint: Arc<Endpoint>| {
            let filter = EventFilter::of_query(&endpoint.settings.filters);
            Arc::new(Indexed { endpoint, filter })
        };
        (self.all, self.version) = (kept.map(indexed).collect(), Some(version));
        self.by_kind.clear();
    }

    /// The endpoints that an event is sent to, and what of it.
    pub(crate) fn targets(&mut self, event: &FeedText) -> Vec<WebhookTarget> {
        let found = self.find(event.kind(), event.place());
        found.iter().filter_map(|indexed| target(indexed, event)).collect()
    }

    /// Partitions that have endpoints of the policy `live`.
    pub(crate) fn live_partitions(&self) -> impl Iterator<Item = i32> {
        self.live.iter().copied()
    }

    fn find(&mut self, kind: &'static str, (sport, league): (&str, &str)) -> Arc<[Arc<Indexed>]> {
        let key = (kind, sport.to_owned(), league.to_owned());
        if let Some(found) = self.by_kind.get(&key) {
            return Arc::clone(found);
        }
        let may_be = |indexed: &&Arc<Indexed>| {
            let is_in = |filter: &EventFilter| filter.is_in((sport, league));
            indexed.endpoint.wants(kind) && indexed.filter.as_ref().is_none_or(is_in)
        };
        let found: Arc<[_]> = self.all.iter().filter(may_be).cloned().collect();
        if self.by_kind.len() >= KINDS {
            self.by_kind.clear();
        }
        self.by_kind.insert(key, Arc::clone(&found));
        found
    }
}

/// Whether events are kept for an endpoint. One that is paused keeps those under the policy `durable` alone.
fn is_kept(endpoint: &Endpoint) -> bool {
    let settings = &endpoint.settings;
    endpoint.state == EndpointState::Active && (!settings.is_paused || settings.policy == Policy::Durable)
}

/// What an event is for an endpoint, if it is anything. What filters that are not known exclude is not known either: nothing is kept from
/// the receiver.
fn target(indexed: &Indexed, event: &FeedText) -> Option<WebhookTarget> {
    let part = indexed.filter.as_ref().map_or(Part::Whole, |filter| event.part(filter));
    let Endpoint { id, settings, .. } = &*indexed.endpoint;
    (part != Part::Nothing).then(|| WebhookTarget {
        endpoint: id.clone(),
        policy: settings.policy.key().to_owned(),
        is_ordered: settings.is_ordered,
        has_left: part == Part::Left,
    })
}

#[cfg(test)]
mod tests {
    use arb_accounts::directory::Part as AccountsPart;
    use arb_accounts::endpoint::EndpointSettings;
    use arb_feed::fixtures::{closed, pick_change};
    use arb_schemas::records::CloseSignal;
    use arb_schemas::wire::encode;

    use super::*;

    fn endpoint(number: usize, filters: &str, events: &[&str]) -> Endpoint {
        Endpoint {
            id: format!("whk_{number:04}"),
            account: "acc".to_owned(),
            settings: EndpointSettings {
                url: "https://example.com".to_owned(),
                description: String::new(),
                events: events.iter().map(|event| (*event).to_owned()).collect(),
                filters: filters.to_owned(),
                policy: Policy::Live,
                is_ordered: false,
                rate_limit: None,
                is_paused: false,
            },
            state: EndpointState::Active,
            reason: None,
            secret_version: 1,
            previous_until: None,
            revision: 1,
            created_at: 0,
        }
    }

    #[test]
    fn an_event_is_compared_with_the_filters_of_its_own_league_sport_and_type() {
        let (endpoints, mut index) = (Endpoints::default(), EndpointIndex::default());
        for number in 0..1_000 {
            let filters = format!("league=soccer_{}", number % 100);
            endpoints.put(AccountsPart::Endpoint(endpoint(number, &filters, &["close_signal"])));
        }
        for (number, filters) in
            [(1_000, "sport=soccer"), (1_001, ""), (1_002, "unknown=1"), (1_003, "sport=tennis")]
        {
            endpoints.put(AccountsPart::Endpoint(endpoint(number, filters, &["close_signal", "pick"])));
        }
        let close = CloseSignal { sport: "soccer".into(), league: "soccer_7".into(), ..closed("a", 1) };
        let close = FeedText::read(&encode(&close).unwrap()).unwrap();
        let pick = FeedText::read(&encode(&pick_change("published")).unwrap()).unwrap();
        let mut sent = |endpoints: &Endpoints, event: &FeedText| {
            index.refresh(endpoints, 4);
            let compared = index.find(event.kind(), ("soccer", "soccer_7")).len();
            (index.targets(event).len(), compared)
        };
        for _ in 0..3 {
            assert_eq!(sent(&endpoints, &close), (10 + 3, 10 + 3));
        }
        assert_eq!(sent(&endpoints, &pick), (3, 3));
        let moved = Endpoint { revision: 2, ..endpoint(7, "sport=tennis", &["close_signal"]) };
        endpoints.put(AccountsPart::Endpoint(moved));
        assert_eq!(sent(&endpoints, &close), (12, 12), "a change holds for the next event");
    }
}
