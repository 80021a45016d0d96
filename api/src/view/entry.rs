//! A window of the board.

use arb_schemas::records::{BoardEntry, Doubt, Leg, Ttl, Verification};
use arb_schemas::time::{Micros, Rfc3339, SECOND};
use serde::Serialize;

use super::{SubjectView, age, money, odds};

/// An entry, as of a time.
#[derive(Debug, Serialize)]
pub(crate) struct EntryView<'a> {
    id: &'a str,
    score: f64,
    #[serde(flatten)]
    subject: SubjectView<'a>,
    kind: &'a str,
    implied_probability: f64,
    margin: f64,
    margin_worst: f64,
    margin_rounded: Option<f64>,
    total_stake_max: Option<f64>,
    currency: Option<&'a str>,
    legs: Vec<LegView<'a>>,
    ttl_seconds: Option<f64>,
    ttl_p10_seconds: Option<f64>,
    ttl_p90_seconds: Option<f64>,
    expires_at: Option<Rfc3339>,
    execution_probability: Option<f64>,
    verified: bool,
    verification: Flags,
    failed_checks: &'a [Doubt],
    warnings: &'a [String],
    opened_at: Rfc3339,
    updated_at: Rfc3339,
    sequence: i64,
}

/// The flags; of an entry from before there were any the one that it had.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Flags {
    All(Verification),
    One { simultaneous: bool },
}

#[derive(Debug, Serialize)]
struct LegView<'a> {
    book: &'a str,
    operator: &'a str,
    outcome: &'a str,
    side: &'a str,
    price: f64,
    effective_price: Option<f64>,
    implied_probability: f64,
    stake_share: f64,
    stake: Option<f64>,
    liability: Option<f64>,
    limit: Option<f64>,
    price_moved_at: Rfc3339,
    last_seen_at: Rfc3339,
    age_seconds: f64,
}

impl<'a> EntryView<'a> {
    pub(crate) fn new(entry: &'a BoardEntry, as_of: Micros) -> Self {
        let flags = |entry: &BoardEntry| {
            entry.verification.map_or(Flags::One { simultaneous: entry.simultaneous }, Flags::All)
        };
        Self {
            id: &entry.id,
            score: entry.score,
            subject: SubjectView::new(
                (&entry.event, Some(entry.in_play)),
                (&entry.market, &entry.period),
                entry.line,
            ),
            kind: &entry.kind,
            implied_probability: entry.implied_probability,
            margin: entry.margin,
            margin_worst: entry.margin_worst,
            margin_rounded: entry.margin_rounded,
            total_stake_max: entry.total_stake_max.map(money),
            currency: entry.currency.as_deref(),
            legs: entry.legs.iter().map(|leg| LegView::new(leg, as_of)).collect(),
            ttl_seconds: entry.ttl.map(|ttl| ttl.median),
            ttl_p10_seconds: entry.ttl.map(|ttl| ttl.p10),
            ttl_p90_seconds: entry.ttl.map(|ttl| ttl.p90),
            expires_at: entry.ttl.map(|ttl| Rfc3339(expires_at(entry, ttl))),
            execution_probability: entry.placeable,
            verified: entry.verified,
            verification: flags(entry),
            failed_checks: &entry.doubts,
            warnings: &entry.warnings,
            opened_at: Rfc3339(entry.opened_at),
            updated_at: Rfc3339(entry.updated_at),
            sequence: entry.sequence,
        }
    }
}

impl<'a> LegView<'a> {
    fn new(leg: &'a Leg, as_of: Micros) -> Self {
        Self {
            book: &leg.book,
            operator: &leg.operator,
            outcome: &leg.outcome,
            side: &leg.side,
            price: odds(leg.price),
            effective_price: leg.effective_price.map(odds),
            implied_probability: leg.implied_probability,
            stake_share: leg.stake_share,
            stake: leg.stake.map(money),
            liability: leg.liability.map(money),
            limit: leg.limit.map(money),
            price_moved_at: Rfc3339(leg.price_moved_at),
            last_seen_at: Rfc3339(leg.last_seen_at),
            age_seconds: age(leg.last_seen_at, as_of),
        }
    }
}

/// When half of such windows are gone.
fn expires_at(entry: &BoardEntry, ttl: Ttl) -> Micros {
    #[allow(clippy::cast_possible_truncation)] // Cut at the end of time.
    let life = (ttl.median * SECOND as f64) as Micros;
    entry.updated_at.saturating_add(life)
}
