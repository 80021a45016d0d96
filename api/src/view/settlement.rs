//! What a window of the past came to: what each leg paid by the result of its event, and what all stakes returned.
//!
//! It shows nothing where the result is not known, or does not say what became of a leg.

use arb_model::{Bet, Family, Line, Market, Outcome, Period, Side};
use arb_schemas::records::ResultReport;
use arb_schemas::time::to_rfc3339;
use arb_settle::window_grade::{GradedLeg, LegGrade, grade};
use arb_sink::history::PastWindow;
use serde_json::{Value, json};

/// The settlement of a window by the newest report on its event; null where there is none.
pub(crate) fn settlement_json(window: &PastWindow, report: Option<&ResultReport>) -> Value {
    let graded = report.and_then(|report| Some((report, grade(&legs(window)?, report)?)));
    let Some((report, grade)) = graded else { return Value::Null };
    let leg = |leg: &LegGrade| json!({"settlement": leg.settlement.key(), "returned": leg.returned});
    json!({
        "home": grade.score.map(|(home, _)| home),
        "away": grade.score.map(|(_, away)| away),
        "legs": grade.legs.iter().map(leg).collect::<Vec<_>>(),
        "returned": grade.returned,
        "profit": grade.returned - 1.0,
        "source": report.source,
        "at": to_rfc3339(report.at),
    })
}

/// The legs of a window as it opened; `None` where one is no bet.
fn legs(window: &PastWindow) -> Option<Vec<GradedLeg>> {
    let market =
        Market { family: Family::parse(&window.market_key)?, period: Period::parse(&window.period_key)? };
    let thousandths = |points: f64| format!("{:.0}", points * 1_000.0).parse::<Line>();
    let line = window.points.map(thousandths).transpose().ok()?;
    let effective = window.effective.iter().copied().chain(std::iter::repeat(None));
    let leg = |((outcome, side, _, price, share), effective): (
        &(String, String, String, f64, f64),
        Option<f64>,
    )| {
        let side = Side::parse(side)?;
        let bet = Bet::new(market, Outcome::parse(outcome)?, side, line)?;
        let odds = effective.unwrap_or(match side {
            Side::Back => *price,
            Side::Lay => price / (price - 1.0),
        });
        Some(GradedLeg { bet, odds, share: *share })
    };
    window.bets.iter().zip(effective).map(leg).collect()
}

#[cfg(test)]
mod tests {
    use arb_schemas::records::PeriodScore;

    use super::*;

    fn window(bets: &[(&str, &str, f64, f64)], effective: &[Option<f64>]) -> PastWindow {
        let bet = |(outcome, side, price, share): &(&str, &str, f64, f64)| {
            ((*outcome).to_owned(), (*side).to_owned(), "a".to_owned(), *price, *share)
        };
        PastWindow {
            window: "w".into(),
            topic: "t".into(),
            sport_key: "soccer".into(),
            league_key: "soccer_epl".into(),
            event: "e".into(),
            home_name: None,
            away_name: None,
            commence_micros: None,
            kind_key: Some("surebet".into()),
            market_key: "totals".into(),
            period_key: "full_time".into(),
            points: Some(2.25),
            opened_micros: 2_000_000,
            closed_micros: None,
            why: None,
            was_in_play: None,
            open_margin: None,
            peak_margin: None,
            close_margin: None,
            was_simultaneous: None,
            was_verified: None,
            updates_count: 0,
            bets: bets.iter().map(bet).collect(),
            effective: effective.to_vec(),
        }
    }

    fn report(home: i32, away: i32) -> ResultReport {
        let scores = vec![PeriodScore { period: "full_time".into(), home, away }];
        let (status, source) = ("finished".into(), "operator".into());
        ResultReport { event: "e".into(), status, scores, starts_at: None, source, at: 1_000_000 }
    }

    #[test]
    fn a_window_shows_what_each_leg_paid_and_what_all_returned() {
        let arb = window(&[("over", "back", 2.2, 0.5), ("under", "back", 2.1, 0.5)], &[Some(2.16), None]);
        // Two goals: over 2.25 is half lost, under half won. (1 + 2.1) / 2 of the half at 2.1.
        let shown = settlement_json(&arb, Some(&report(2, 0)));
        let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-12;
        assert_eq!(
            (&shown["home"], &shown["away"], &shown["source"]),
            (&json!(2), &json!(0), &json!("operator"))
        );
        let legs = shown["legs"].as_array().unwrap();
        assert_eq!(legs.iter().map(|leg| &leg["settlement"]).collect::<Vec<_>>(), ["half_lost", "half_won"]);
        assert!(near(&legs[0]["returned"], 0.25) && near(&legs[1]["returned"], 0.775), "{shown}");
        assert!(near(&shown["returned"], 1.025) && near(&shown["profit"], 0.025), "{shown}");
        // After fees a win at 2.2 pays 2.16.
        assert!(near(&settlement_json(&arb, Some(&report(3, 0)))["returned"], 1.08));
    }

    #[test]
    fn a_lay_pays_by_its_liability() {
        let arb = window(&[("over", "back", 2.2, 0.5), ("over", "lay", 2.0, 0.5)], &[None, None]);
        let shown = settlement_json(&arb, Some(&report(0, 0)));
        // A half risked at 2.0 wins another half.
        assert_eq!((&shown["legs"][1]["settlement"], &shown["returned"]), (&json!("won"), &json!(1.0)));
    }

    #[test]
    fn what_is_not_known_is_null() {
        let arb = window(&[("over", "back", 2.2, 0.5), ("under", "back", 2.1, 0.5)], &[None, None]);
        let none = window(&[("sideways", "back", 2.2, 1.0)], &[None]);
        let in_progress = ResultReport { status: "in_progress".into(), ..report(0, 0) };
        assert_eq!(settlement_json(&arb, None), Value::Null);
        assert_eq!(settlement_json(&arb, Some(&in_progress)), Value::Null);
        assert_eq!(settlement_json(&none, Some(&report(1, 0))), Value::Null);
    }
}
