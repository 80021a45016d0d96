//! Events about an account or the service, for endpoints that chose them: the quota, keys that end, endpoints that were disabled, a feed
//! that has stopped.
//!
//! Every instance looks at what holds now and has it written; the deliverer's machine takes each in once, by its nonce. It never
//! sends anything, and keeps only which of what holds was written.

use std::collections::{BTreeMap, HashSet};

use arb_accounts::directory::Directory;
use arb_accounts::endpoint::{Endpoint, EndpointState, Policy};
use arb_accounts::key::ApiKey;
use arb_accounts::plan::Plan;
use arb_feed::webhook::{NOTICE, body, by_partition};
use arb_kafka::partition_of;
use arb_schemas::records::{WebhookEvent, WebhookTarget};
use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use arb_schemas::wire;
use serde_json::{Value, json};
use tokio::sync::oneshot::{Receiver, error::TryRecvError};

use crate::access::usage::QuotaStatus;
use crate::tasks::TaskQueue;

/// Percentages of a quota.
const WARNINGS: [u64; 2] = [80, 100];
/// So long before its end the holder of a key is warned.
const BEFORE_END: Micros = 7 * 86_400 * SECOND;

/// Whether polls come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Feed {
    /// The time of the last poll.
    pub(crate) as_of: Option<Micros>,
    /// None has come for longer than the sources promise.
    pub(crate) is_stale: bool,
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
struct Notice {
    kind: &'static str,
    /// What makes it one event.
    about: String,
    data: Value,
}

/// What was written, and what is being written.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    written: HashSet<String>,
    waiting: BTreeMap<String, Receiver<()>>,
    /// The last poll before the feed stopped, until it goes on.
    outage: Option<Micros>,
}

impl Notices {
    /// Has what holds now written, unless it was; what is not written because the queue is full is tried again with the next look.
    pub(crate) fn look(
        &mut self,
        directory: &Directory,
        status: &dyn Fn(&str, Plan) -> QuotaStatus,
        (feed, now): (Feed, Micros),
        tasks: &TaskQueue,
    ) {
        self.waiting.retain(|nonce, written| match written.try_recv() {
            Ok(()) => !self.written.insert(nonce.clone()),
            Err(TryRecvError::Empty) => true,
            Err(TryRecvError::Closed) => false,
        });
        let outages = self.outages(feed);
        let mut hold = HashSet::new();
        for (account, endpoints) in receivers(directory) {
            let mut notices = of_account(directory, account, status, now);
            notices.extend(
                outages
                    .iter()
                    .map(|outage| Notice { about: format!("{}/{account}", outage.about), ..outage.clone() }),
            );
            for notice in notices {
                let Some(event) = event(&notice, &endpoints, now) else { continue };
                let nonce = event.nonce.clone();
                hold.insert(nonce.clone());
                if self.written.contains(&nonce) || self.waiting.contains_key(&nonce) {
                    continue;
                }
                if let Some(written) = records(&event, tasks.partitions()).and_then(|it| tasks.begin(it)) {
                    self.waiting.insert(nonce, written);
                }
            }
        }
        self.written.retain(|nonce| hold.contains(nonce));
    }

    /// That the feed stopped and, when it goes on, that it does.
    fn outages(&mut self, feed: Feed) -> Vec<Notice> {
        let notice = |state: &str, since: Micros| Notice {
            kind: "feed.outage",
            about: format!("{since}/{state}"),
            data: json!({"state": state, "last_poll_at": to_rfc3339(since)}),
        };
        if let (true, Some(since)) = (feed.is_stale, feed.as_of) {
            self.outage = Some(since);
        }
        let Some(since) = self.outage else { return Vec::new() };
        vec![notice(if feed.is_stale { "began" } else { "ended" }, since)]
    }
}

/// Endpoints that receive events about their account, by account.
fn receivers(directory: &Directory) -> BTreeMap<&str, Vec<&Endpoint>> {
    let mut found: BTreeMap<&str, Vec<&Endpoint>> = BTreeMap::new();
    for endpoint in directory.endpoints() {
        let settings = &endpoint.settings;
        let is_kept = !settings.is_paused || settings.policy == Policy::Durable;
        if endpoint.state == EndpointState::Active && is_kept {
            found.entry(&endpoint.account).or_default().push(endpoint);
        }
    }
    found.retain(|account, _| directory.account(account).is_some_and(|account| !account.is_disabled));
    found
}

fn of_account(
    directory: &Directory,
    account: &str,
    status: &dyn Fn(&str, Plan) -> QuotaStatus,
    now: Micros,
) -> Vec<Notice> {
    let mut notices = Vec::new();
    if let Some(plan) = directory.account(account).map(|account| account.plan) {
        notices.extend(warnings(account, &status(account, plan)));
    }
    notices.extend(directory.keys_of(account).filter_map(|key| expiring(key, now)));
    let disabled =
        directory.endpoints_of(account).filter(|endpoint| endpoint.state == EndpointState::Disabled);
    notices.extend(disabled.map(|endpoint| Notice {
        kind: "endpoint.disabled",
        about: format!("{}/{}", endpoint.id, endpoint.revision),
        data: json!({
            "id": endpoint.id,
            "url": endpoint.settings.url,
            "description": endpoint.settings.description,
            "reason": endpoint.reason,
        }),
    }));
    notices
}

fn warnings(account: &str, status: &QuotaStatus) -> Vec<Notice> {
    let QuotaStatus { plan, quota, used, period } = *status;
    let reached = WARNINGS.into_iter().filter(|percent| quota > 0 && used * 100 >= quota * percent);
    let notice = |percent| Notice {
        kind: "quota.warning",
        about: format!("{account}/{}/{quota}/{percent}", period.0),
        data: json!({
            "percent": percent,
            "plan": plan.key(),
            "quota": quota,
            "used": used,
            "period": to_rfc3339(period.0),
            "reset": to_rfc3339(period.1),
        }),
    };
    reached.map(notice).collect()
}

fn expiring(key: &ApiKey, now: Micros) -> Option<Notice> {
    let end = key.permissions.expires_at.filter(|end| (now..=now + BEFORE_END).contains(end))?;
    Some(Notice {
        kind: "key.expiring",
        about: format!("{}/{end}", key.kid),
        data: json!({
            "kid": key.kid,
            "name": key.name,
            "expires_at": to_rfc3339(end),
            "replaced_by": key.replaced_by,
        }),
    })
}

/// For the endpoints that chose it; `None` when none did. It is tried like what is `durable`, whatever the endpoint's policy is.
fn event(notice: &Notice, endpoints: &[&Endpoint], now: Micros) -> Option<WebhookEvent> {
    let Notice { kind, about, data } = notice;
    let targets: Vec<_> = endpoints
        .iter()
        .filter(|endpoint| endpoint.wants(kind))
        .map(|endpoint| WebhookTarget {
            endpoint: endpoint.id.clone(),
            policy: Policy::Durable.key().to_owned(),
            is_ordered: false,
            has_left: false,
        })
        .collect();
    (!targets.is_empty()).then(|| WebhookEvent {
        epoch: 0,
        sequence: 0,
        nonce: format!("{NOTICE}{kind}/{about}"),
        kind: (*kind).to_owned(),
        subject: String::new(),
        at: now,
        body: body(kind, now, &data.to_string()),
        left_body: None,
        targets,
        partition: WebhookEvent::NO_PARTITION,
    })
}

/// A record for each partition of the endpoints.
fn records(event: &WebhookEvent, partitions: i32) -> Option<Vec<(i32, Vec<u8>)>> {
    let record = |(partition, targets)| {
        let task = wire::encode(&WebhookEvent { targets, ..event.clone() }).ok()?;
        Some((partition, task))
    };
    by_partition(event.targets.clone(), |endpoint| partition_of(endpoint, partitions))
        .into_iter()
        .map(record)
        .collect()
}

#[cfg(test)]
mod tests;
