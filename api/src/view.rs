//! How a board entry and a signal read in JSON: times as RFC 3339, prices and lines as decimals.
//!
//! Money is in units of the currency. Pure. It shows what the processor computed and adds nothing but the rank and ages.

use arb_schemas::records::{BoardEntry, EdgeSignal, Event, Leg, SignalQuote, Ttl};
use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use serde_json::{Value, json};

/// An entry at its rank, as of a time.
pub(crate) fn entry(entry: &BoardEntry, rank: u64, as_of: Micros) -> Value {
    json!({
        "id": entry.id,
        "rank": rank,
        "score": entry.score,
        "sport": entry.event.sport,
        "league": entry.event.league,
        "event": event_at(&entry.event, entry.in_play),
        "market": entry.market,
        "period": entry.period,
        "line": entry.line.map(line),
        "kind": entry.kind,
        "implied_probability": entry.implied_probability,
        "margin": entry.margin,
        "margin_worst": entry.margin_worst,
        "margin_rounded": entry.margin_rounded,
        "total_stake_max": entry.total_stake_max.map(money),
        "currency": entry.currency,
        "legs": entry.legs.iter().map(|each| leg(each, as_of)).collect::<Vec<_>>(),
        "ttl_seconds": entry.ttl.map(|ttl| ttl.median),
        "ttl_p10_seconds": entry.ttl.map(|ttl| ttl.p10),
        "ttl_p90_seconds": entry.ttl.map(|ttl| ttl.p90),
        "expires_at": entry.ttl.map(|ttl| to_rfc3339(expires_at(entry, ttl))),
        "placeable": entry.placeable,
        "verified": entry.verified,
        "verification": verification(entry),
        "doubts": entry.doubts,
        "warnings": entry.warnings,
        "opened_at": to_rfc3339(entry.opened_at),
        "updated_at": to_rfc3339(entry.updated_at),
        "sequence": entry.sequence,
    })
}

/// The flags; of an entry from before there were any the one that it had.
fn verification(entry: &BoardEntry) -> Value {
    entry.verification.map_or_else(|| json!({"simultaneous": entry.simultaneous}), |flags| json!(flags))
}

/// When half of such windows are gone.
fn expires_at(entry: &BoardEntry, ttl: Ttl) -> Micros {
    #[allow(clippy::cast_possible_truncation)] // Cut at the end of time.
    let life = (ttl.median * SECOND as f64) as Micros;
    entry.updated_at.saturating_add(life)
}

/// Minor units as units.
fn money(minor: i64) -> f64 {
    minor as f64 / 100.0
}

fn leg(leg: &Leg, as_of: Micros) -> Value {
    json!({
        "book": leg.book,
        "operator": leg.operator,
        "outcome": leg.outcome,
        "side": leg.side,
        "price": odds(leg.price),
        "effective_price": leg.effective_price.map(odds),
        "implied_probability": leg.implied_probability,
        "stake_share": leg.stake_share,
        "stake": leg.stake.map(money),
        "liability": leg.liability.map(money),
        "limit": leg.limit.map(money),
        "price_moved_at": to_rfc3339(leg.price_moved_at),
        "last_seen_at": to_rfc3339(leg.last_seen_at),
        "age_seconds": age(leg.last_seen_at, as_of),
    })
}

/// A signal as of a time.
pub(crate) fn signal(signal: &EdgeSignal, as_of: Micros) -> Value {
    let fair = signal.fair.iter();
    json!({
        "id": signal.id,
        "kind": signal.kind,
        "sport": signal.event.sport,
        "league": signal.event.league,
        "event": event_at(&signal.event, signal.in_play),
        "market": signal.market,
        "period": signal.period,
        "line": signal.line.map(line),
        "outcome": signal.outcome,
        "strength": signal.strength,
        "confidence": signal.confidence,
        "kelly": signal.kelly,
        "bets": signal.bets.iter().map(|bet| quote(bet, as_of)).collect::<Vec<_>>(),
        "evidence": signal.evidence.iter().map(|said| quote(said, as_of)).collect::<Vec<_>>(),
        "fair": fair.map(|by| json!({"method": by.method, "probability": by.probability})).collect::<Vec<_>>(),
        "opened_at": to_rfc3339(signal.opened_at),
        "updated_at": to_rfc3339(signal.updated_at),
        "expires_at": to_rfc3339(signal.expires_at),
        "sequence": signal.sequence,
    })
}

fn quote(quote: &SignalQuote, as_of: Micros) -> Value {
    json!({
        "role": quote.role,
        "book": quote.book,
        "operator": quote.operator,
        "outcome": quote.outcome,
        "side": quote.side,
        "line": quote.line.map(line),
        "price": odds(quote.price),
        "price_from": quote.price_from.map(odds),
        "effective_price": odds(quote.effective_price),
        "price_moved_at": to_rfc3339(quote.price_moved_at),
        "last_seen_at": to_rfc3339(quote.last_seen_at),
        "age_seconds": age(quote.last_seen_at, as_of),
    })
}

/// An event, and whether it had begun.
fn event_at(event: &Event, in_play: bool) -> Value {
    let mut value = self::event(event);
    value["in_play"] = json!(in_play);
    value
}

/// An event.
pub(crate) fn event(event: &Event) -> Value {
    json!({
        "id": event.id,
        "home": event.home,
        "away": event.away,
        "commence_time": to_rfc3339(event.commence_time),
    })
}

/// Thousandths as points or goals.
pub(crate) fn line(thousandths: i32) -> f64 {
    f64::from(thousandths) / 1e3
}

/// Millionths as decimal odds.
pub(crate) fn odds(millionths: i64) -> f64 {
    millionths as f64 / 1e6
}

/// Microseconds as seconds.
pub(crate) fn seconds(micros: Micros) -> f64 {
    micros as f64 / SECOND as f64
}

/// How long before a time something was seen, in seconds; never below 0.
fn age(last_seen_at: Micros, as_of: Micros) -> f64 {
    seconds((as_of - last_seen_at).max(0))
}

#[cfg(test)]
pub(crate) mod tests {
    use arb_schemas::records::{Doubt, FairChance};

    use super::*;

    /// An entry with this id and score.
    pub(crate) fn entry(id: &str, score: f64) -> BoardEntry {
        let leg = |outcome: &str, price| Leg {
            outcome: outcome.into(),
            side: "back".into(),
            book: "alpha".into(),
            price,
            implied_probability: 0.5,
            stake_share: 0.5,
            price_moved_at: 0,
            last_seen_at: 9 * SECOND,
            operator: "alpha".into(),
            effective_price: Some(price),
            stake: Some(5_001),
            liability: None,
            limit: None,
        };
        BoardEntry {
            id: id.into(),
            event: Event {
                id: "e".into(),
                sport: "soccer".into(),
                league: "soccer_test".into(),
                home: "H".into(),
                away: "A".into(),
                commence_time: 0,
            },
            in_play: true,
            kind: "surebet".into(),
            market: "totals".into(),
            period: "full_time".into(),
            line: Some(2_250),
            implied_probability: 0.95,
            margin: 0.05,
            margin_worst: 0.025,
            legs: vec![leg("over", 2_100_000), leg("under", 1_909_090)],
            simultaneous: false,
            warnings: vec![],
            score,
            opened_at: 0,
            updated_at: SECOND,
            sequence: 7,
            margin_rounded: Some(0.0499),
            total_stake_max: Some(12_345),
            currency: Some("EUR".into()),
            verified: false,
            verification: None,
            doubts: vec![Doubt { flag: "fresh".into(), reason: "old".into() }],
            ttl: Some(Ttl { p10: 10.0, median: 90.5, p90: 600.0 }),
            placeable: Some(0.9),
        }
    }

    /// A value with this id, opened so many seconds after the beginning.
    pub(crate) fn signal(id: &str, opened: i64) -> EdgeSignal {
        let quote = |role: &str, book: &str, price| SignalQuote {
            role: role.into(),
            outcome: "over".into(),
            side: "back".into(),
            line: Some(2_250),
            book: book.into(),
            operator: book.into(),
            price,
            price_from: None,
            effective_price: price,
            price_moved_at: 0,
            last_seen_at: 9 * SECOND,
        };
        let by = |method: &str, probability| FairChance { method: method.into(), probability };
        EdgeSignal {
            id: id.into(),
            kind: "value".into(),
            event: entry("x", 0.0).event,
            in_play: true,
            market: "totals".into(),
            period: "full_time".into(),
            line: Some(2_250),
            outcome: Some("over".into()),
            strength: 0.031,
            confidence: 0.9,
            bets: vec![quote("bet", "alpha", 2_100_000)],
            evidence: vec![quote("source", "beta", 1_909_090)],
            fair: vec![by("shin", 0.491), by("power", 0.4925)],
            kelly: Some(0.007),
            opened_at: opened * SECOND,
            updated_at: (opened + 1) * SECOND,
            expires_at: (opened + 90) * SECOND,
            sequence: 7,
        }
    }

    #[test]
    fn a_signal_reads_as_documented() {
        let value = super::signal(&signal("a", 2), 10 * SECOND);
        assert_eq!(
            (&value["kind"], &value["line"], &value["kelly"]),
            (&json!("value"), &json!(2.25), &json!(0.007))
        );
        assert_eq!((&value["event"]["in_play"], &value["event"]["id"]), (&json!(true), &json!("e")));
        assert_eq!((&value["strength"], &value["confidence"]), (&json!(0.031), &json!(0.9)));
        assert_eq!((&value["bets"][0]["price"], &value["bets"][0]["line"]), (&json!(2.1), &json!(2.25)));
        let said = &value["evidence"][0];
        assert_eq!((&said["role"], &said["price"]), (&json!("source"), &json!(1.90909)));
        assert_eq!((&said["price_from"], &said["age_seconds"]), (&Value::Null, &json!(1.0)));
        assert_eq!(value["fair"][1], json!({"method": "power", "probability": 0.4925}));
        assert_eq!(
            (&value["opened_at"], &value["expires_at"]),
            (&json!("1970-01-01T00:00:02Z"), &json!("1970-01-01T00:01:32Z"))
        );
    }

    #[test]
    fn an_entry_reads_as_documented() {
        let value = super::entry(&entry("a", 0.025), 3, 8 * SECOND);
        assert_eq!(value["line"], 2.25);
        assert_eq!(value["legs"][1]["price"], 1.90909);
        assert_eq!(value["legs"][0]["age_seconds"], 0.0, "an age is never below 0");
        assert_eq!(value["event"]["commence_time"], "1970-01-01T00:00:00Z");
        assert_eq!((&value["total_stake_max"], &value["legs"][0]["stake"]), (&json!(123.45), &json!(50.01)));
        assert_eq!(value["doubts"], json!([{"flag": "fresh", "reason": "old"}]));
        assert_eq!(
            (&value["ttl_seconds"], &value["expires_at"]),
            (&json!(90.5), &json!("1970-01-01T00:01:31.5Z"))
        );
        assert_eq!((&value["rank"], &value["sequence"]), (&json!(3), &json!(7)));
        assert_eq!(super::entry(&entry("a", 0.0), 1, 10 * SECOND)["legs"][0]["age_seconds"], 1.0);
    }
}
