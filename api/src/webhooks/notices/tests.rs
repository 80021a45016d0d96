//! Notices to accounts, and how often they are sent.

use std::sync::mpsc::Receiver as Queue;

use arb_accounts::account::Account;
use arb_accounts::directory::Part;
use arb_accounts::endpoint::EndpointSettings;
use arb_accounts::key::{Mode, Permissions};

use super::*;
use crate::tasks::QueuedTask;

const NOW: Micros = 1_781_990_000 * SECOND;
const ACCOUNT: &str = "acc_0000000000000001";
const QUIET: Feed = Feed { as_of: Some(NOW - SECOND), is_stale: false };

fn endpoint(id: &str, events: &[&str]) -> Endpoint {
    Endpoint {
        id: id.to_owned(),
        account: ACCOUNT.to_owned(),
        settings: EndpointSettings {
            url: "https://receiver.example/hook".to_owned(),
            description: String::new(),
            events: events.iter().map(|&event| event.to_owned()).collect(),
            filters: "sport=soccer".to_owned(),
            policy: Policy::Live,
            is_ordered: false,
            rate_limit: None,
            is_paused: false,
        },
        state: EndpointState::Active,
        reason: None,
        secret_version: 1,
        previous_until: None,
        revision: 3,
        created_at: 1,
    }
}

fn key(kid: &str, expires_at: Option<Micros>) -> ApiKey {
    ApiKey {
        kid: kid.to_owned(),
        account: ACCOUNT.to_owned(),
        hmac: String::new(),
        name: "bot".to_owned(),
        mode: Mode::Live,
        permissions: Permissions { scopes: Vec::new(), expires_at, cidrs: Vec::new(), monthly_cap: None },
        created_at: 1,
        replaced_by: None,
    }
}

/// An instance, the accounts that it knows, and what an account has used of 1,000.
struct Instance {
    notices: Notices,
    directory: Directory,
    used: u64,
    tasks: TaskQueue,
    queued: Queue<QueuedTask>,
}

impl Instance {
    fn with(parts: Vec<Part>) -> Self {
        let mut directory = Directory::default();
        directory.put(Part::Account(Account::new(ACCOUNT.to_owned(), "me@example.com".to_owned(), 1)));
        for part in parts {
            directory.put(part);
        }
        let (tasks, queued) = TaskQueue::new(4);
        Self { notices: Notices::default(), directory, used: 0, tasks, queued }
    }

    /// Looks, and has the broker take what is queued: the nonces and the notices.
    fn look(&mut self, feed: Feed) -> Vec<(String, Value)> {
        let used = self.used;
        let status =
            |_: &str, plan| QuotaStatus { plan, quota: 1_000, used, period: (NOW, NOW + 86_400 * SECOND) };
        self.notices.look(&self.directory, &status, (feed, NOW), &self.tasks);
        let records = self.queued.try_iter().flat_map(QueuedTask::taken);
        let tasks = records.map(|(_, record)| wire::decode::<WebhookEvent>(&record).unwrap());
        tasks.map(|event| (event.nonce, serde_json::from_str(&event.body).unwrap())).collect()
    }
}

fn nonces(found: &[(String, Value)]) -> Vec<&str> {
    found.iter().map(|(nonce, _)| nonce.as_str()).collect()
}

#[test]
fn a_quota_is_warned_of_at_80_and_at_100_percent_once() {
    let mut instance = Instance::with(vec![Part::Endpoint(endpoint("whk_a", &["quota.warning"]))]);
    let mut found = Vec::new();
    for used in [0, 799, 800, 801, 999, 1_000, 1_000] {
        instance.used = used;
        found.extend(
            instance.look(QUIET).into_iter().map(|(_, body)| (used, body["data"]["percent"].clone())),
        );
    }
    assert_eq!(found, [(800, json!(80)), (1_000, json!(100))]);
}

#[test]
fn keys_that_end_soon_and_endpoints_that_were_disabled_are_told_to_those_that_chose_it() {
    let disabled = Endpoint {
        state: EndpointState::Disabled,
        reason: Some("The receiver answered 410.".to_owned()),
        ..endpoint("whk_b", &["endpoint.disabled"])
    };
    let mut instance = Instance::with(vec![
        Part::Endpoint(endpoint("whk_a", &["key.expiring", "endpoint.disabled"])),
        Part::Endpoint(disabled),
        Part::Key(key("never000", None)),
        Part::Key(key("later000", Some(NOW + BEFORE_END + 1))),
        Part::Key(key("soon0000", Some(NOW + BEFORE_END))),
        Part::Key(key("ended000", Some(NOW - 1))),
    ]);
    let found = instance.look(QUIET);
    let soon = format!("notice/key.expiring/soon0000/{}", NOW + BEFORE_END);
    assert_eq!(nonces(&found), [soon.as_str(), "notice/endpoint.disabled/whk_b/3"]);
    assert_eq!(found[1].1["data"]["reason"], "The receiver answered 410.");
    assert!(instance.look(QUIET).is_empty(), "it is written");
    let other = Instance::with(vec![Part::Endpoint(endpoint("whk_a", &["arb_window"]))]).look(QUIET);
    assert!(other.is_empty(), "nobody chose it: {other:?}");
}

#[test]
fn a_feed_that_stops_and_goes_on_is_told_twice() {
    let mut instance = Instance::with(vec![Part::Endpoint(endpoint("whk_a", &["feed.outage"]))]);
    let stale = Feed { is_stale: true, ..QUIET };
    let goes_on = Feed { as_of: Some(NOW), is_stale: false };
    let states: Vec<_> = [QUIET, stale, stale, goes_on, goes_on]
        .into_iter()
        .flat_map(|feed| instance.look(feed))
        .map(|(_, body)| {
            (body["type"].clone(), body["data"]["state"].clone(), body["data"]["last_poll_at"].clone())
        })
        .collect();
    let at = json!(to_rfc3339(NOW - SECOND));
    let kind = json!("feed.outage");
    assert_eq!(states, [(kind.clone(), json!("began"), at.clone()), (kind, json!("ended"), at)]);
}

#[test]
fn what_the_broker_does_not_take_is_written_again() {
    let mut instance = Instance::with(vec![Part::Endpoint(endpoint("whk_a", &["quota.warning"]))]);
    instance.used = 900;
    let look = |instance: &mut Instance| {
        let status = |_: &str, plan| QuotaStatus { plan, quota: 1_000, used: 900, period: (NOW, NOW) };
        instance.notices.look(&instance.directory, &status, (QUIET, NOW), &instance.tasks);
    };
    look(&mut instance);
    drop(instance.queued.try_recv().unwrap());
    look(&mut instance);
    assert!(instance.queued.try_recv().is_ok());
}
