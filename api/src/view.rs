//! How a board entry reads in JSON: times as RFC 3339, prices and lines as decimals.
//!
//! Pure. It shows what the processor computed and adds nothing but the rank and ages.

use arb_schemas::records::{BoardEntry, Leg};
use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use serde_json::{Value, json};

/// An entry at its rank, as of a time.
pub(crate) fn entry(entry: &BoardEntry, rank: u64, as_of: Micros) -> Value {
    let event = &entry.event;
    json!({
        "id": entry.id,
        "rank": rank,
        "score": entry.score,
        "sport": event.sport,
        "league": event.league,
        "event": {
            "id": event.id,
            "home": event.home,
            "away": event.away,
            "commence_time": to_rfc3339(event.commence_time),
            "in_play": entry.in_play,
        },
        "market": entry.market,
        "period": entry.period,
        "line": entry.line.map(|line| f64::from(line) / 1e3),
        "kind": entry.kind,
        "implied_probability": entry.implied_probability,
        "margin": entry.margin,
        "margin_worst": entry.margin_worst,
        "legs": entry.legs.iter().map(|each| leg(each, as_of)).collect::<Vec<_>>(),
        "verification": {"simultaneous": entry.simultaneous},
        "warnings": entry.warnings,
        "opened_at": to_rfc3339(entry.opened_at),
        "updated_at": to_rfc3339(entry.updated_at),
        "sequence": entry.sequence,
    })
}

fn leg(leg: &Leg, as_of: Micros) -> Value {
    #[allow(clippy::cast_precision_loss)]
    let (price, age) = (leg.price as f64 / 1e6, (as_of - leg.last_seen_at).max(0) as f64 / SECOND as f64);
    json!({
        "book": leg.book,
        "outcome": leg.outcome,
        "side": leg.side,
        "price": price,
        "implied_probability": leg.implied_probability,
        "stake_share": leg.stake_share,
        "price_moved_at": to_rfc3339(leg.price_moved_at),
        "last_seen_at": to_rfc3339(leg.last_seen_at),
        "age_seconds": age,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use arb_schemas::records::Event;

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
        }
    }

    #[test]
    fn an_entry_reads_as_documented() {
        let value = super::entry(&entry("a", 0.025), 3, 8 * SECOND);
        assert_eq!(value["line"], 2.25);
        assert_eq!(value["legs"][1]["price"], 1.90909);
        assert_eq!(value["legs"][0]["age_seconds"], 0.0, "an age is never below 0");
        assert_eq!(value["event"]["commence_time"], "1970-01-01T00:00:00Z");
        assert_eq!((&value["rank"], &value["sequence"]), (&json!(3), &json!(7)));
        assert_eq!(super::entry(&entry("a", 0.0), 1, 10 * SECOND)["legs"][0]["age_seconds"], 1.0);
    }
}
