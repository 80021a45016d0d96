//! Webhook endpoints: created, changed, removed, their secrets replaced, their state set by the deliverer.
//!
//! It never connects to a URL, and never sees a secret.

use arb_schemas::time::{Micros, SECOND};

use crate::audit::Action;
use crate::directory::Part;
use crate::endpoint::{
    self, EVENTS, Endpoint, EndpointSettings, EndpointState, MAX_DESCRIPTION, MAX_FILTERS, MAX_OVERLAP,
    MAX_RATE, MAX_URL,
};
use crate::machine::done::{Done, enabled_account};
use crate::machine::timed_directory::Draft;
use crate::machine::valid::invalid;
use crate::reply::Refusal;

/// Bytes of a reason at most: it has what a receiver answered, of which a deliverer keeps 4 KiB, or three times as many where all of them
/// are replaced.
const MAX_REASON: usize = 16 * 1024;

pub(super) fn create(
    draft: &mut Draft,
    account: &str,
    id: &str,
    settings: &EndpointSettings,
) -> Result<Done, Refusal> {
    let holder = enabled_account(draft, account)?;
    check(settings)?;
    if !endpoint::is_id(id) || draft.directory().endpoint(id).is_some() {
        return Err(invalid("endpoint", "is no id of an endpoint, or is taken"));
    }
    let most = holder.plan.max_endpoints();
    if draft.directory().endpoints_of(account).count() >= most {
        return Err(Refusal::TooManyEndpoints(most));
    }
    let created_at = draft.directory().clock();
    draft.put(Part::Endpoint(Endpoint {
        id: id.to_owned(),
        account: account.to_owned(),
        settings: settings.clone(),
        state: EndpointState::Unverified,
        reason: None,
        secret_version: 1,
        previous_until: None,
        revision: 1,
        created_at,
    }));
    Ok(Done::about(account, Action::EndpointCreated, id))
}

/// Another URL has to be verified; a disabled endpoint that is changed is verified again too.
pub(super) fn update(
    draft: &mut Draft,
    account: &str,
    id: &str,
    settings: &EndpointSettings,
) -> Result<Done, Refusal> {
    enabled_account(draft, account)?;
    check(settings)?;
    let endpoint = find(draft, account, id)?;
    let is_verified = endpoint.state == EndpointState::Active && endpoint.settings.url == settings.url;
    let state = if is_verified { EndpointState::Active } else { EndpointState::Unverified };
    let settings = settings.clone();
    put(draft, Endpoint { settings, state, reason: None, ..endpoint });
    Ok(Done::about(account, Action::EndpointUpdated, id))
}

pub(super) fn delete(draft: &mut Draft, account: &str, id: &str) -> Result<Done, Refusal> {
    let endpoint = find(draft, account, id)?;
    draft.remove(&Part::Endpoint(endpoint).key());
    Ok(Done::about(account, Action::EndpointDeleted, id))
}

pub(super) fn rotate(draft: &mut Draft, account: &str, id: &str, overlap: u32) -> Result<Done, Refusal> {
    let endpoint = find(draft, account, id)?;
    if overlap > MAX_OVERLAP {
        return Err(invalid("overlap_seconds", "is more than 7 days"));
    }
    let until = draft.directory().clock() + Micros::from(overlap) * SECOND;
    let secret_version = endpoint.secret_version + 1;
    put(draft, Endpoint { secret_version, previous_until: Some(until), ..endpoint });
    Ok(Done::about(account, Action::EndpointRotated, id))
}

/// The deliverer reports what it found. It may have found it of an earlier revision, which changes nothing.
pub(super) fn set_state(
    draft: &mut Draft,
    (id, revision): (&str, u64),
    state: EndpointState,
    reason: Option<&str>,
) -> Result<Done, Refusal> {
    let endpoint = draft.directory().endpoint(id).cloned().ok_or(Refusal::NoEndpoint)?;
    if endpoint.revision != revision {
        return Err(Refusal::NoEndpoint);
    }
    if reason.is_some_and(|reason| reason.len() > MAX_REASON) {
        return Err(invalid("reason", "is longer than 16 KiB"));
    }
    let account = endpoint.account.clone();
    put(draft, Endpoint { state, reason: reason.map(str::to_owned), ..endpoint });
    let action = match state {
        EndpointState::Active => Action::EndpointVerified,
        EndpointState::Disabled => Action::EndpointDisabled,
        EndpointState::Unverified => Action::EndpointNotVerified,
    };
    Ok(Done::about(&account, action, id))
}

fn put(draft: &mut Draft, endpoint: Endpoint) {
    let revision = endpoint.revision + 1;
    draft.put(Part::Endpoint(Endpoint { revision, ..endpoint }));
}

fn find(draft: &Draft, account: &str, id: &str) -> Result<Endpoint, Refusal> {
    let endpoint = draft.directory().endpoint(id).filter(|endpoint| endpoint.account == account);
    endpoint.cloned().ok_or(Refusal::NoEndpoint)
}

fn check(settings: &EndpointSettings) -> Result<(), Refusal> {
    let EndpointSettings { url, description, events, filters, rate_limit, .. } = settings;
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if !is_web || url.len() > MAX_URL || url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(invalid("url", "is no URL of https of at most 2048 bytes"));
    }
    if description.chars().count() > MAX_DESCRIPTION {
        return Err(invalid("description", "is longer than 500 characters"));
    }
    let is_known = |all: &[&str], some: &[String]| some.iter().all(|one| all.contains(&one.as_str()));
    if events.is_empty() || events.len() > EVENTS.len() || !is_known(&EVENTS, events) {
        return Err(invalid("events", "must be some types of events, each once"));
    }
    if filters.len() > MAX_FILTERS {
        return Err(invalid("filters", "are longer than 2000 bytes as a query"));
    }
    if rate_limit.is_some_and(|rate| !(1..=MAX_RATE).contains(&rate)) {
        return Err(invalid("rate_limit", "must be 1 to 100 requests a second"));
    }
    Ok(())
}
