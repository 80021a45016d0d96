//! Why the flags of an open window are what they are: the spans of its legs, and each comparison with its value and its threshold.
//!
//! It never decides whether a flag holds: the engine decided it and supplies it.

use std::borrow::Cow;
use std::sync::Arc;

use arb_engine::arbs::{CONSENSUS, Measure, OUTLIER};
use arb_engine::venues::Topic;
use arb_engine::{FlagEvidence, LegEvidence, WindowEvidence};
use arb_feed::view::OddsFormat;
use arb_model::described::{Described, Shape};
use arb_model::{Flag, Money, Open, Price, Seconds, Side, Time, view};
use arb_schemas::time::SECOND;
use serde::Serialize;

use super::odds::{QuoteView, status};

view! {
    /// What the flags of an open window were last decided by. A flag holds exactly where all of its measures do.
    pub(crate) struct EvidenceView<'a> => "Evidence" {
        /// Of the window's latest transition.
        sequence: i64,
        /// When its flags were last decided, in the time of the feed.
        judged_at: Time,
        /// The moment at which all prices are proven to have been on offer, or how far they are from one.
        simultaneity: SimultaneityView,
        legs: Vec<LegSpan<'a>>,
        flags: Vec<FlagView<'a>>,
        /// The prices of all books on the line.
        quotes: Vec<QuoteView<'a>>,
    }
}

view! {
    /// From the latest start to the earliest end of the spans in which the legs' prices were on offer.
    pub(crate) struct SimultaneityView {
        latest_start: Time,
        earliest_end: Time,
        /// Below 0 where no moment is proven.
        overlap_seconds: Seconds,
        holds: bool,
    }
}

view! {
    /// A leg, and how long its price is proven to have been on offer.
    pub(crate) struct LegSpan<'a> {
        outcome: &'static str,
        side: Open<Side>,
        book: &'a str,
        operator: &'a str,
        /// What the clauses of its book say of a match that is played, by the topics that matter to the bet: periods extra_time, level
        /// refunded; null where no clause says anything.
        rules: Option<String>,
        price: Price,
        limit: Option<Money>,
        /// When the source first confirmed this price.
        on_offer_from: Time,
        /// When it last did.
        on_offer_until: Time,
    }
}

view! {
    /// A flag, and what it was decided by.
    pub(crate) struct FlagView<'a> {
        flag: &'static str [Keys(Flag::KEYS)],
        holds: bool,
        measures: Vec<Comparison<'a>>,
    }
}

view! {
    /// A value, and what it must be to a threshold.
    pub(crate) struct Comparison<'a> {
        /// The book of the leg that it is about; null of one about all.
        leg: Option<&'a str>,
        measure: &'static str,
        value: Measured<'a>,
        /// What the value must be to the threshold.
        holds_when: &'static str [Keys(&["at_most", "at_least", "above", "below", "equal", "another_than"])],
        threshold: Measured<'a>,
        holds: bool,
    }
}

/// A value that is compared; null: there is none.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Measured<'a> {
    Number(f64),
    Count(usize),
    Text(Cow<'a, str>),
    Truth(bool),
    Nothing,
}

impl Described for Measured<'_> {
    const SHAPE: Shape = Shape::Optional(&Shape::OneOf(&[Shape::Double, Shape::Text, Shape::Boolean], ""));
}

impl<'a> EvidenceView<'a> {
    /// The evidence of a window. Ages of its quotes are as of the time at which its flags were decided. `None` of a window whose spans were not
    /// compared, which none is.
    pub(crate) fn new(evidence: &'a WindowEvidence) -> Option<Self> {
        let quote = |quote| QuoteView::new(quote, Some(evidence.judged_at), OddsFormat::Decimal);
        Some(Self {
            sequence: evidence.sequence,
            judged_at: Time(evidence.judged_at),
            simultaneity: simultaneity(evidence)?,
            legs: evidence.legs.iter().map(LegSpan::new).collect(),
            flags: evidence.flags.iter().map(|flag| FlagView::new(flag, evidence)).collect(),
            quotes: evidence.quotes.iter().map(quote).collect(),
        })
    }
}

fn simultaneity(evidence: &WindowEvidence) -> Option<SimultaneityView> {
    evidence.flags.iter().flat_map(|flag| &flag.measures).find_map(|measure| match *measure {
        Measure::Spans { latest_start, earliest_end } => Some(SimultaneityView {
            latest_start: Time(latest_start),
            earliest_end: Time(earliest_end),
            overlap_seconds: Seconds(earliest_end.saturating_sub(latest_start)),
            holds: measure.holds(),
        }),
        _ => None,
    })
}

impl<'a> LegSpan<'a> {
    fn new(leg: &'a LegEvidence) -> Self {
        Self {
            outcome: leg.outcome.key(),
            side: leg.side.into(),
            book: &leg.book,
            operator: &leg.operator,
            rules: rules(leg),
            price: leg.price,
            limit: leg.limit.map(|limit| Money(limit.minor())),
            on_offer_from: Time(leg.on_offer_from),
            on_offer_until: Time(leg.on_offer_until),
        }
    }
}

/// What the clauses of a leg's book say of a match that is played, by the topics that matter; `None` where no clause says anything.
fn rules(leg: &LegEvidence) -> Option<String> {
    let played: Vec<_> = leg.terms.iter().filter(|(topic, _)| topic.is_of_played()).collect();
    if played.iter().all(|(_, value)| value.is_none()) {
        return None;
    }
    let shown = |(topic, value): &&(Topic, Option<Arc<str>>)| {
        format!("{} {}", topic.key(), value.as_deref().unwrap_or("unknown"))
    };
    Some(played.iter().map(shown).collect::<Vec<_>>().join(", "))
}

impl<'a> FlagView<'a> {
    fn new(flag: &FlagEvidence, evidence: &'a WindowEvidence) -> Self {
        let measures = flag.measures.iter().flat_map(|measure| comparisons(measure, evidence));
        Self { flag: flag.flag.key(), holds: flag.holds(), measures: measures.collect() }
    }
}

impl<'a> From<Option<Cow<'a, str>>> for Measured<'a> {
    fn from(text: Option<Cow<'a, str>>) -> Self {
        text.map_or(Self::Nothing, Self::Text)
    }
}

impl From<Option<f64>> for Measured<'_> {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Nothing, Self::Number)
    }
}

/// What a measure compares: one thing, but for the consensus, which is of enough operators and near enough.
fn comparisons<'a>(measure: &Measure, evidence: &'a WindowEvidence) -> Vec<Comparison<'a>> {
    let (at, holds) = (measure.leg(), measure.holds());
    let leg = at.and_then(|at| evidence.legs.get(at)).map(|leg| &*leg.book);
    let one = |measure, value, holds_when, threshold| {
        vec![Comparison { leg, measure, value, holds_when, threshold, holds }]
    };
    let time = |at| Measured::Text(Time(at).to_string().into());
    let seconds = |micros| Measured::Number(micros as f64 / SECOND as f64);
    let rules_of = |at: usize| Measured::from(evidence.legs.get(at).and_then(rules).map(Cow::from));
    let operator_of = |at: usize| Measured::from(evidence.legs.get(at).map(|leg| Cow::from(&*leg.operator)));
    match *measure {
        Measure::Spans { latest_start, earliest_end } => {
            one("latest_start", time(latest_start), "at_most", time(earliest_end))
        }
        Measure::Age { age, expected, .. } => one("age_seconds", seconds(age), "at_most", seconds(expected)),
        Measure::Status { status: of, .. } => {
            let suspended = Measured::Text("suspended".into());
            one("status", Measured::Text(status(of).into()), "another_than", suspended)
        }
        Measure::OnLine { is_of_first, .. } => {
            one("is_on_line_of_first_leg", Measured::Truth(is_of_first), "equal", Measured::Truth(true))
        }
        Measure::Rules { leg, .. } => one("rules", rules_of(leg), "equal", rules_of(0)),
        Measure::Operator { leg, shared_with } => {
            let other = shared_with.map_or(Measured::Nothing, operator_of);
            one("operator", operator_of(leg), "another_than", other)
        }
        Measure::Consensus { operators, off, median, .. } => {
            let number = Comparison {
                leg,
                measure: "other_operators",
                value: Measured::Count(operators),
                holds_when: "at_least",
                threshold: Measured::Count(CONSENSUS),
                holds: operators >= CONSENSUS,
            };
            let distance = Comparison {
                leg,
                measure: "probability_below_median",
                value: median.map(|_| off).into(),
                holds_when: "below",
                threshold: Measured::Number(OUTLIER),
                // What decides is the measure: with too few operators there is no distance to speak of.
                holds: holds || operators < CONSENSUS,
            };
            vec![number, distance]
        }
        Measure::Margin { margin, limit } => {
            one("margin", Measured::Number(margin), "at_most", Measured::Number(limit))
        }
        Measure::Stakes { margin } => one("margin_rounded", margin.into(), "above", Measured::Number(0.0)),
    }
}

#[cfg(test)]
mod tests {
    use arb_engine::QuoteStatus;
    use arb_engine::venues::Verdict;
    use arb_model::{Outcome, Verification, fixtures};

    use serde_json::{Value, json};

    use super::*;

    const SPANS: Measure = Measure::Spans { latest_start: 2_000_000, earliest_end: 5_500_000 };

    fn evidence_json(evidence: &WindowEvidence) -> Value {
        json!(EvidenceView::new(evidence).unwrap())
    }

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
            flags: vec![
                FlagEvidence { flag: Flag::Fresh, measures },
                FlagEvidence { flag: Flag::Simultaneous, measures: vec![SPANS] },
            ],
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
        let shown = evidence_json(&evidence(vec![]));
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
