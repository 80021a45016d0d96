//! Which endpoints an event of the feed may be for: by its type, its sport and its league, so that an event is compared with the filters
//! of those alone.
//!
//! It never keeps what another version of the endpoints had, and leaves out no endpoint whose filters are not known.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arb_accounts::endpoint::{Endpoint, EndpointState, Policy};
use arb_kafka::partition_of;
use arb_schemas::records::WebhookTarget;

use super::{FeedPart, FeedReader};
use crate::endpoints::Endpoints;

/// Types, sports and leagues whose endpoints are kept; beyond it they are found again.
const KINDS: usize = 10_000;

/// The index of one version of the endpoints.
#[derive(Debug)]
pub struct EndpointIndex<F> {
    version: Option<u64>,
    /// Those that are sent anything.
    all: Vec<Arc<Indexed<F>>>,
    by_kind: HashMap<Kind, Arc<[Arc<Indexed<F>>]>>,
    /// Where endpoints of the policy `live` are, whatever they are sent.
    live: BTreeSet<i32>,
}

/// The type of an event, its sport and its league.
type Kind = (&'static str, String, String);

/// An endpoint with its filters; `None` where another version wrote what this one does not know.
#[derive(Debug)]
struct Indexed<F> {
    endpoint: Arc<Endpoint>,
    filter: Option<F>,
}

impl<F> Default for EndpointIndex<F> {
    fn default() -> Self {
        Self { version: None, all: Vec::new(), by_kind: HashMap::new(), live: BTreeSet::new() }
    }
}

impl<F> EndpointIndex<F> {
    /// Takes over the endpoints, if they have changed; there are so many partitions of tasks.
    pub(crate) fn refresh<R: FeedReader<Filter = F>>(&mut self, endpoints: &Endpoints, partitions: i32) {
        let version = endpoints.version();
        if self.version == Some(version) {
            return;
        }
        let all = endpoints.all();
        let live = all.iter().filter(|endpoint| endpoint.settings.policy == Policy::Live);
        self.live = live.map(|endpoint| partition_of(&endpoint.id, partitions)).collect();
        let kept = all.into_iter().filter(|endpoint| is_kept(endpoint));
        let indexed = |endpoint: Arc<Endpoint>| {
            let filter = R::filter(&endpoint.settings.filters);
            Arc::new(Indexed { endpoint, filter })
        };
        (self.all, self.version) = (kept.map(indexed).collect(), Some(version));
        self.by_kind.clear();
    }

    /// The endpoints that an event is sent to, and what of it.
    pub(crate) fn targets<R: FeedReader<Filter = F>>(
        &mut self,
        kind: &'static str,
        event: &R::Event,
    ) -> Vec<WebhookTarget> {
        let found = self.find::<R>(kind, R::place(event));
        found.iter().filter_map(|indexed| target::<R>(indexed, event)).collect()
    }

    /// Partitions that have endpoints of the policy `live`.
    pub(crate) fn live_partitions(&self) -> impl Iterator<Item = i32> {
        self.live.iter().copied()
    }

    fn find<R: FeedReader<Filter = F>>(
        &mut self,
        kind: &'static str,
        (sport, league): (&str, &str),
    ) -> Arc<[Arc<Indexed<F>>]> {
        let key = (kind, sport.to_owned(), league.to_owned());
        if let Some(found) = self.by_kind.get(&key) {
            return Arc::clone(found);
        }
        let may_be = |indexed: &&Arc<Indexed<F>>| {
            let is_in = |filter: &F| R::is_in(filter, (sport, league));
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
fn target<R: FeedReader>(indexed: &Indexed<R::Filter>, event: &R::Event) -> Option<WebhookTarget> {
    let part = indexed.filter.as_ref().map_or(FeedPart::Whole, |filter| R::part(filter, event));
    let Endpoint { id, settings, .. } = &*indexed.endpoint;
    (part != FeedPart::Nothing).then(|| WebhookTarget {
        endpoint: id.clone(),
        policy: settings.policy.key().to_owned(),
        is_ordered: settings.is_ordered,
        has_left: part == FeedPart::Left,
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use arb_accounts::directory::Part;
    use arb_accounts::endpoint::EndpointSettings;
    use arb_schemas::wire::WireError;

    use super::*;
    use crate::fan_out::FeedText;

    thread_local! {
        static COMPARED: Cell<usize> = const { Cell::new(0) };
    }

    /// Events are a sport and a league; filters are one of either, none, or not known.
    struct Reader;

    impl FeedReader for Reader {
        type Event = (String, String);
        type Filter = String;

        fn read(_: &[u8]) -> Result<(FeedText, Self::Event), WireError> {
            Err(WireError::NotFramed)
        }

        fn filter(query: &str) -> Option<String> {
            (query != "unknown").then(|| query.to_owned())
        }

        fn place(event: &Self::Event) -> (&str, &str) {
            (&event.0, &event.1)
        }

        fn is_in(filter: &String, (sport, league): (&str, &str)) -> bool {
            filter.is_empty() || filter == sport || filter == league
        }

        fn part(filter: &String, event: &Self::Event) -> FeedPart {
            COMPARED.with(|compared| compared.set(compared.get() + 1));
            if Self::is_in(filter, Self::place(event)) { FeedPart::Whole } else { FeedPart::Nothing }
        }

        fn left(_: &Self::Event) -> String {
            String::new()
        }
    }

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
            let filters = format!("league{}", number % 100);
            endpoints.put(Part::Endpoint(endpoint(number, &filters, &["arb_window"])));
        }
        for (number, filters) in [(1_000, "soccer"), (1_001, ""), (1_002, "unknown"), (1_003, "tennis")] {
            endpoints.put(Part::Endpoint(endpoint(number, filters, &["arb_window", "pick"])));
        }
        let event = ("soccer".to_owned(), "league7".to_owned());
        let mut sent = |endpoints: &Endpoints, kind| {
            COMPARED.with(|compared| compared.set(0));
            index.refresh::<Reader>(endpoints, 4);
            let targets = index.targets::<Reader>(kind, &event);
            (targets.len(), COMPARED.with(Cell::get))
        };
        for _ in 0..3 {
            assert_eq!(sent(&endpoints, "arb_window"), (10 + 3, 10 + 2), "one is not known, so not compared");
        }
        assert_eq!(sent(&endpoints, "pick"), (3, 2));
        let moved = Endpoint { revision: 2, ..endpoint(7, "tennis", &["arb_window"]) };
        endpoints.put(Part::Endpoint(moved));
        assert_eq!(sent(&endpoints, "arb_window"), (12, 11), "a change holds for the next event");
    }
}
