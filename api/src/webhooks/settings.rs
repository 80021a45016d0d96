//! What a request chooses of an endpoint, from its JSON. It never looks an address up.

use arb_accounts::endpoint::{
    EVENTS, EndpointSettings, MAX_DESCRIPTION, MAX_FILTERS, MAX_RATE, MAX_URL, Policy,
};
use arb_feed::webhook::address::Rules;
use serde_json::{Map, Value};

use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::lists::known_names::KnownNames;
use crate::stream::check_filter;

const BAD_EVENTS: &str = "must be some of arb_window, line_movement, stale_alert, close_signal, edge_signal, pick, pick_graded, \
     window_graded, quota.warning, key.expiring, \
     endpoint.disabled and feed.outage, each once";
const BAD_FILTERS: &str = "must be an object of texts, numbers and truth values";

/// The settings: those of before, or the defaults, with the fields that are given.
///
/// # Errors
/// 400 for a field that is wrong or unknown, or a URL that is missing.
pub(crate) fn parse(
    mut body: JsonBody,
    before: Option<EndpointSettings>,
    (rules, names): (Rules, &KnownNames),
) -> Result<EndpointSettings, Problem> {
    let is_new = before.is_none();
    let mut settings = before.unwrap_or_else(defaults);
    match body.take("url", "must be a URL of https")? {
        Some(url) => settings.url = check_url(url, rules)?,
        None if is_new => return Err(Problem::invalid_param("url", "is missing")),
        None => {}
    }
    take(&mut body, ("description", "must be text"), &mut settings.description)?;
    take(&mut body, ("events", BAD_EVENTS), &mut settings.events)?;
    take(&mut body, ("ordered", "must be true or false"), &mut settings.is_ordered)?;
    take(&mut body, ("paused", "must be true or false"), &mut settings.is_paused)?;
    take(&mut body, ("policy", "must be live or durable"), &mut settings.policy)?;
    if let Some(filters) = body.take::<Map<String, Value>>("filters", BAD_FILTERS)? {
        settings.filters = query(&filters, names)?;
    }
    let reason = "must be 1 to 100 requests a second";
    if let Some(rate) = body.take::<Value>("rate_limit", reason)? {
        settings.rate_limit = nullable(rate).map_err(|()| Problem::invalid_param("rate_limit", reason))?;
    }
    body.finish()?;
    check(&settings)?;
    Ok(settings)
}

fn defaults() -> EndpointSettings {
    EndpointSettings {
        url: String::new(),
        description: String::new(),
        events: EVENTS.map(str::to_owned).to_vec(),
        filters: String::new(),
        policy: Policy::Live,
        is_ordered: false,
        rate_limit: None,
        is_paused: false,
    }
}

fn take<T: serde::de::DeserializeOwned>(
    body: &mut JsonBody,
    (name, expected): (&str, &'static str),
    to: &mut T,
) -> Result<(), Problem> {
    if let Some(value) = body.take(name, expected)? {
        *to = value;
    }
    Ok(())
}

/// A value, or none where it is `null`.
fn nullable<T: serde::de::DeserializeOwned>(value: Value) -> Result<Option<T>, ()> {
    serde_json::from_value(value).map_err(|_| ())
}

/// Filters as a query, in the order of their names, so that equal ones are equal texts.
fn query(filters: &Map<String, Value>, names: &KnownNames) -> Result<String, Problem> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in filters {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return Err(Problem::invalid_param("filters", BAD_FILTERS)),
        };
        check_filter((name, &text), names)?;
        query.append_pair(name, &text);
    }
    let query = query.finish();
    if query.len() > MAX_FILTERS {
        return Err(Problem::invalid_param("filters", "are longer than 2000 bytes as a query"));
    }
    Ok(query)
}

/// Filters as an object of texts.
pub(crate) fn shown(filters: &str) -> Value {
    let pairs = form_urlencoded::parse(filters.as_bytes());
    pairs
        .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
        .collect::<Map<_, _>>()
        .into()
}

fn check_url(url: String, rules: Rules) -> Result<String, Problem> {
    if url.len() > MAX_URL {
        return Err(Problem::invalid_param("url", "must have at most 2048 bytes"));
    }
    rules.check(&url).map_err(|problem| Problem::invalid_param("url", problem))?;
    Ok(url)
}

fn check(settings: &EndpointSettings) -> Result<(), Problem> {
    let EndpointSettings { description, events, rate_limit, .. } = settings;
    let are_some = |some: &[String], all: &[&str]| {
        let is_first = |(at, one): (usize, &String)| !some.iter().take(at).any(|other| other == one);
        some.iter().all(|one| all.contains(&one.as_str())) && some.iter().enumerate().all(is_first)
    };
    for (is_right, field, reason) in [
        (description.chars().count() <= MAX_DESCRIPTION, "description", "must have at most 500 characters"),
        (!events.is_empty() && are_some(events, &EVENTS), "events", BAD_EVENTS),
        (
            rate_limit.is_none_or(|rate| (1..=MAX_RATE).contains(&rate)),
            "rate_limit",
            "must be 1 to 100 requests a second",
        ),
    ] {
        if !is_right {
            return Err(Problem::invalid_param(field, reason));
        }
    }
    Ok(())
}
