//! Why the flags of an open window are what they are: the spans of its legs, and each comparison with its value and its threshold.
//!
//! It never decides whether a flag holds: the engine decided it and supplies it.

use std::sync::Arc;

use arb_engine::arbs::{CONSENSUS, Measure, OUTLIER};
use arb_engine::venues::Topic;
use arb_engine::{FlagEvidence, LegEvidence, WindowEvidence};
use arb_feed::view::OddsFormat;
use arb_model::{Money, Seconds, Time};
use serde_json::{Value, json};

use super::quote::{quote_json, status};

/// The evidence of a window. Ages of its quotes are as of the time at which its flags were decided.
pub(crate) fn evidence_json(evidence: &WindowEvidence) -> Value {
    let quote = |quote| quote_json(quote, Some(evidence.judged_at), OddsFormat::Decimal);
    json!({
        "sequence": evidence.sequence,
        "judged_at": Time(evidence.judged_at),
        "simultaneity": simultaneity(evidence),
        "legs": evidence.legs.iter().map(leg_json).collect::<Vec<_>>(),
        "flags": evidence.flags.iter().map(|flag| flag_json(flag, evidence)).collect::<Vec<_>>(),
        "quotes": evidence.quotes.iter().map(quote).collect::<Vec<_>>(),
    })
}

/// The moment at which all prices are proven to have been on offer, or how far they are from one.
fn simultaneity(evidence: &WindowEvidence) -> Value {
    let of = |measure: &Measure| match *measure {
        Measure::Spans { latest_start, earliest_end } => Some(json!({
            "latest_start": Time(latest_start),
            "earliest_end": Time(earliest_end),
            "overlap_seconds": Seconds(earliest_end.saturating_sub(latest_start)),
            "holds": measure.holds(),
        })),
        _ => None,
    };
    evidence.flags.iter().flat_map(|flag| &flag.measures).find_map(of).unwrap_or_default()
}

fn leg_json(leg: &LegEvidence) -> Value {
    json!({
        "outcome": leg.outcome.key(), "side": leg.side.key(), "book": &*leg.book,
        "operator": &*leg.operator, "rules": rules(leg),
        "price": OddsFormat::Decimal.show(leg.price), "limit": leg.limit.map(|limit| Money(limit.minor())),
        "on_offer_from": Time(leg.on_offer_from), "on_offer_until": Time(leg.on_offer_until),
    })
}

/// What the clauses of a leg's book say of a match that is played, by the topics that matter; null where no clause says anything.
fn rules(leg: &LegEvidence) -> Value {
    let played: Vec<_> = leg.terms.iter().filter(|(topic, _)| topic.is_of_played()).collect();
    if played.iter().all(|(_, value)| value.is_none()) {
        return Value::Null;
    }
    let shown = |(topic, value): &&(Topic, Option<Arc<str>>)| {
        format!("{} {}", topic.key(), value.as_deref().unwrap_or("unknown"))
    };
    json!(played.iter().map(shown).collect::<Vec<_>>().join(", "))
}

fn flag_json(flag: &FlagEvidence, evidence: &WindowEvidence) -> Value {
    let measures = flag.measures.iter().flat_map(|measure| comparisons(measure, evidence));
    let measures: Vec<_> = measures.map(|comparison| comparison.json(evidence)).collect();
    json!({"flag": flag.flag.key(), "holds": flag.holds(), "measures": measures})
}

/// A value, and what it must be to a threshold.
struct Comparison {
    leg: Option<usize>,
    measure: &'static str,
    value: Value,
    holds_when: &'static str,
    threshold: Value,
    holds: bool,
}

impl Comparison {
    fn json(self, evidence: &WindowEvidence) -> Value {
        json!({
            "leg": self.leg.and_then(|leg| evidence.legs.get(leg)).map(|leg| &*leg.book),
            "measure": self.measure, "value": self.value, "holds_when": self.holds_when,
            "threshold": self.threshold, "holds": self.holds,
        })
    }
}

/// What a measure compares: one thing, but for the consensus, which is of enough operators and near enough.
fn comparisons(measure: &Measure, evidence: &WindowEvidence) -> Vec<Comparison> {
    let (leg, holds) = (measure.leg(), measure.holds());
    let one = |measure, value, holds_when, threshold| {
        vec![Comparison { leg, measure, value, holds_when, threshold, holds }]
    };
    let of_leg = |at: usize, of: fn(&LegEvidence) -> Value| evidence.legs.get(at).map_or(Value::Null, of);
    match *measure {
        Measure::Spans { latest_start, earliest_end } => {
            one("latest_start", json!(Time(latest_start)), "at_most", json!(Time(earliest_end)))
        }
        Measure::Age { age, expected, .. } => {
            one("age_seconds", json!(Seconds(age)), "at_most", json!(Seconds(expected)))
        }
        Measure::Status { status: of, .. } => {
            one("status", json!(status(of)), "another_than", json!("suspended"))
        }
        Measure::OnLine { is_of_first, .. } => {
            one("is_on_line_of_first_leg", json!(is_of_first), "equal", json!(true))
        }
        Measure::Rules { leg, .. } => one("rules", of_leg(leg, rules), "equal", of_leg(0, rules)),
        Measure::Operator { leg, shared_with } => {
            let operator = of_leg(leg, |leg| json!(&*leg.operator));
            let other = shared_with.map_or(Value::Null, |leg| of_leg(leg, |leg| json!(&*leg.operator)));
            one("operator", operator, "another_than", other)
        }
        Measure::Consensus { operators, off, median, .. } => {
            let number = Comparison {
                leg,
                measure: "other_operators",
                value: json!(operators),
                holds_when: "at_least",
                threshold: json!(CONSENSUS),
                holds: operators >= CONSENSUS,
            };
            let distance = Comparison {
                leg,
                measure: "probability_below_median",
                value: median.map_or(Value::Null, |_| json!(off)),
                holds_when: "below",
                threshold: json!(OUTLIER),
                // What decides is the measure: with too few operators there is no distance to speak of.
                holds: holds || operators < CONSENSUS,
            };
            vec![number, distance]
        }
        Measure::Margin { margin, limit } => one("margin", json!(margin), "at_most", json!(limit)),
        Measure::Stakes { margin } => one("margin_rounded", json!(margin), "above", json!(0.0)),
    }
}

#[cfg(test)]
mod tests {
    use arb_engine::QuoteStatus;
    use arb_engine::venues::Verdict;
    use arb_model::{Flag, Outcome, Side, Verification, fixtures};

    use super::*;

    fn evidence(measures: Vec<Measure>) -> WindowEvidence {
        let leg = |book: &str, level: Option<&str>| LegEvidence {
            outcome: Outcome::Home,
            side: Side::Back,
            book: book.into(),
            operator: "one".into(),
            terms: vec![
                (Topic::Periods, level.map(|_| "extra_time".into())),
                (Topic::Level, level.map(Into::into)),
                (Topic::Void, Some("refund".into())),
            ],
            price: fixtures::price(2_100_000),
            limit: None,
            on_offer_from: 1_000_000,
            on_offer_until: 2_000_000,
        };
        WindowEvidence {
            sequence: 7,
            judged_at: 3_000_000,
            verification: Verification::default(),
            legs: vec![leg("alpha", Some("refunded")), leg("beta", None)],
            flags: vec![FlagEvidence { flag: Flag::Fresh, measures }],
            quotes: vec![],
        }
    }

    fn measures(measure: Measure) -> Vec<Value> {
        let shown = evidence_json(&evidence(vec![measure]));
        shown["flags"][0]["measures"].as_array().unwrap().clone()
    }

    #[test]
    fn each_measure_shows_its_value_and_its_threshold() {
        let of = |measure| measures(measure).remove(0);
        assert_eq!(
            of(Measure::Age { leg: 1, age: 41_500_000, expected: 40_000_000 }),
            json!({"leg": "beta", "measure": "age_seconds", "value": 41.5, "holds_when": "at_most", "threshold": 40.0, "holds": false})
        );
        assert_eq!(
            of(Measure::Rules { leg: 1, verdict: Verdict::Unknown(Topic::Level) }),
            json!({"leg": "beta", "measure": "rules", "value": null, "holds_when": "equal", "threshold": "periods extra_time, level refunded", "holds": false})
        );
        assert_eq!(
            of(Measure::Operator { leg: 1, shared_with: Some(0) }),
            json!({"leg": "beta", "measure": "operator", "value": "one", "holds_when": "another_than", "threshold": "one", "holds": false})
        );
        assert_eq!(
            of(Measure::Status { leg: 0, status: QuoteStatus::OnOffer }),
            json!({"leg": "alpha", "measure": "status", "value": "on_offer", "holds_when": "another_than", "threshold": "suspended", "holds": true})
        );
        assert_eq!(
            of(Measure::Margin { margin: 0.05, limit: 0.1 }),
            json!({"leg": null, "measure": "margin", "value": 0.05, "holds_when": "at_most", "threshold": 0.1, "holds": true})
        );
        let none = of(Measure::Stakes { margin: None });
        assert_eq!((&none["value"], &none["holds"]), (&Value::Null, &json!(false)));
    }

    /// A measure holds exactly where all of its comparisons do.
    #[test]
    fn a_consensus_is_of_enough_operators_and_near_enough() {
        for (operators, off) in [(0, 0.0), (1, 0.3), (2, 0.1), (2, 0.15), (5, -0.2)] {
            let median = (operators > 0).then_some(0.5);
            let measure = Measure::Consensus { leg: 0, operators, median, off };
            let shown = measures(measure);
            assert_eq!(shown.iter().all(|shown| shown["holds"] == true), measure.holds(), "{shown:?}");
            assert_eq!(shown[1]["value"].is_null(), operators == 0);
        }
    }

    #[test]
    fn spans_are_a_proof_or_a_gap() {
        let spans = Measure::Spans { latest_start: 2_000_000, earliest_end: 5_500_000 };
        let shown = evidence_json(&evidence(vec![spans]));
        assert_eq!(
            shown["simultaneity"],
            json!({
                "latest_start": "1970-01-01T00:00:02Z", "earliest_end": "1970-01-01T00:00:05.5Z", "overlap_seconds": 3.5,
                "holds": true,
            })
        );
        assert_eq!((&shown["sequence"], &shown["judged_at"]), (&json!(7), &json!("1970-01-01T00:00:03Z")));
        let leg = &shown["legs"][0];
        assert_eq!(
            (&leg["on_offer_from"], &leg["on_offer_until"]),
            (&json!("1970-01-01T00:00:01Z"), &json!("1970-01-01T00:00:02Z"))
        );
    }
}
