//! What a request chooses of an endpoint, from its JSON. It never looks an address up.

use std::collections::BTreeMap;

use arb_accounts::endpoint::{
    EVENTS, EndpointSettings, MAX_DESCRIPTION, MAX_FILTERS, MAX_RATE, MAX_URL, Policy,
};
use arb_feed::webhook::address::Rules;
use arb_model::described::{Described, Shape};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::http::json_body::{JsonBody, body};
use crate::http::problem::Problem;
use crate::lists::known_names::KnownNames;
use crate::stream::check_filter;

const BAD_EVENTS: &str = "must be some of arb_window, line_movement, stale_alert, close_signal, edge_signal, pick, pick_graded, \
     window_graded, quota.warning, key.expiring, \
     endpoint.disabled and feed.outage, each once";
const BAD_POLICY: &str = "must be live or durable";
const BAD_RATE: &str = "must be 1 to 100 requests a second";
const BAD_FILTERS: &str = "must be an object of texts, numbers and truth values";

body! {
    /// An endpoint; where it is changed, the fields that are given.
    pub(crate) struct WebhookRequest {
        url: String [Most(2_048.0)] = required "must be a URL of https",
        description: String [Most(500.0)] = optional "must be text",
        /// Types of events; all unless they are given.
        events: Vec<String> = optional BAD_EVENTS,
        /// Of the events, as parameters of a stream.
        filters: ChosenFilters = optional BAD_FILTERS,
        policy: String [Keys(&["live", "durable"])] = optional BAD_POLICY,
        /// An event of a window waits for the one before it.
        ordered: bool = optional "must be true or false",
        /// Requests a second, at most; null: no limit of its own.
        rate_limit: Nullable<u32> [Least(1.0), Most(100.0)] = optional BAD_RATE,
        /// It receives nothing for now.
        paused: bool = optional "must be true or false",
    }
}

/// Filters by their names, which are checked one by one.
#[derive(Debug, Deserialize)]
pub(crate) struct ChosenFilters(Map<String, Value>);

impl Described for ChosenFilters {
    const SHAPE: Shape = Shape::Map(&Shape::OneOf(&[Shape::Text, Shape::Double, Shape::Boolean], ""));
}

/// A value that is given, or none where it is given as null.
#[derive(Debug)]
pub(crate) struct Nullable<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self)
    }
}

impl<T: Described> Described for Nullable<T> {
    const SHAPE: Shape = Option::<T>::SHAPE;
}

/// The settings: those of before, or the defaults, with the fields that are given.
///
/// # Errors
/// 400 for a field that is wrong or unknown, or a URL that is missing.
pub(crate) fn parse(
    body: JsonBody,
    before: Option<EndpointSettings>,
    (rules, names): (Rules, &KnownNames),
) -> Result<EndpointSettings, Problem> {
    let is_new = before.is_none();
    let mut settings = before.unwrap_or_else(defaults);
    let chosen = WebhookRequest::take(body)?;
    match chosen.url {
        Some(url) => settings.url = check_url(url, rules)?,
        None if is_new => return Err(Problem::invalid_param("url", "is missing")),
        None => {}
    }
    put(chosen.description, &mut settings.description);
    put(chosen.events, &mut settings.events);
    put(chosen.ordered, &mut settings.is_ordered);
    put(chosen.paused, &mut settings.is_paused);
    if let Some(policy) = chosen.policy {
        let unknown = || Problem::invalid_param("policy", BAD_POLICY);
        settings.policy = Policy::parse(&policy).ok_or_else(unknown)?;
    }
    if let Some(ChosenFilters(filters)) = chosen.filters {
        settings.filters = query(&filters, names)?;
    }
    put(chosen.rate_limit.map(|Nullable(rate)| rate), &mut settings.rate_limit);
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

fn put<T>(chosen: Option<T>, to: &mut T) {
    if let Some(value) = chosen {
        *to = value;
    }
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

/// Filters by their names.
pub(crate) fn shown(filters: &str) -> BTreeMap<String, String> {
    let pairs = form_urlencoded::parse(filters.as_bytes());
    pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
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
        (rate_limit.is_none_or(|rate| (1..=MAX_RATE).contains(&rate)), "rate_limit", BAD_RATE),
    ] {
        if !is_right {
            return Err(Problem::invalid_param(field, reason));
        }
    }
    Ok(())
}
