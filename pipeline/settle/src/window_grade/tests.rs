//! Windows against an independent oracle on random cases, and what the oracle does not cover.

use arb_model::Market;
use arb_schemas::records::PeriodScore;

use super::*;

/// Written by `tests/oracle/window_settlement.py`.
const CASES: &str = include_str!("../../tests/golden/window_settlement.txt");

fn report(status: &str, home: i32, away: i32) -> ResultReport {
    let score = PeriodScore { period: "full_time".into(), home, away };
    let scores = if status == "finished" { vec![score] } else { Vec::new() };
    ResultReport { event: "e".into(), status: status.into(), scores, ..ResultReport::default() }
}

/// `home back 2.5 0.4`; the odds of a lay are those of the lay itself.
fn leg(market: Market, line: Option<i32>, text: &str) -> GradedLeg {
    let [outcome, side, odds, share] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
    let (side, odds) = (Side::parse(side).unwrap(), odds.parse::<f64>().unwrap());
    let odds = if side == Side::Lay { odds / (odds - 1.0) } else { odds };
    let bet = Bet::new(market, Outcome::parse(outcome).unwrap(), side, line);
    GradedLeg { bet: bet.unwrap(), odds, share: share.parse().unwrap() }
}

fn legs(market: &str, line: &str, text: &str) -> Vec<GradedLeg> {
    let market = Market::parse(market).unwrap();
    text.split(';').map(|text| leg(market, line.parse().ok(), text)).collect()
}

#[test]
fn every_case_is_the_oracles() {
    let mut compared = 0;
    for row in CASES.lines().skip(1) {
        let [market, line, status, home, away, bets, paid, total] = row.split(',').collect::<Vec<_>>()[..]
        else {
            panic!("{row}")
        };
        let report = report(status, home.parse().unwrap(), away.parse().unwrap());
        let found = grade(&legs(market, line, bets), &report);
        assert_eq!(found.is_none(), total.is_empty(), "{row}: {found:?}");
        if let Some(found) = found {
            let near = |a: f64, b: &str| (a - b.parse::<f64>().unwrap()).abs() < 1e-9;
            assert!(near(found.returned, total), "{row}: {found:?}");
            let paid: Vec<_> = paid.split(';').collect();
            assert_eq!(found.legs.len(), paid.len());
            assert!(
                found.legs.iter().zip(paid).all(|(leg, paid)| near(leg.returned, paid)),
                "{row}: {found:?}"
            );
        }
        compared += 1;
    }
    assert_eq!(compared, 3_000);
}

#[test]
fn an_arb_at_the_shares_of_its_prices_returns_its_margin_whatever_happens() {
    // 1 / 2.1 + 1 / 2.1 = 0.952: a twentieth of the stake is left.
    let arb = legs("h2h", "", "home back 2.1 0.5;away back 2.1 0.5");
    for (home, away, returned) in [(2, 0, 1.05), (0, 1, 1.05), (1, 1, 1.0)] {
        let grade = grade(&arb, &report("finished", home, away)).unwrap();
        assert!((grade.returned - returned).abs() < 1e-12, "{home}:{away} {grade:?}");
        assert_eq!(grade.score, Some((home.try_into().unwrap(), away.try_into().unwrap())));
    }
    let cancelled = grade(&arb, &report("cancelled", 0, 0)).unwrap();
    assert!((cancelled.returned - 1.0).abs() < 1e-12 && cancelled.score.is_none());
}

#[test]
fn a_window_without_legs_and_an_unknown_status_have_no_grade() {
    assert_eq!(grade(&[], &report("finished", 1, 0)), None);
    assert_eq!(grade(&legs("h2h", "", "home back 2.1 0.5"), &report("dreamt", 1, 0)), None);
}

#[test]
fn a_period_that_was_completed_counts_when_the_event_is_abandoned() {
    let h1 = legs("totals_h1", "1000", "over back 2.1 0.5;under back 2.1 0.5");
    let scores = vec![PeriodScore { period: "h1".into(), home: 1, away: 1 }];
    let grade = grade(&h1, &ResultReport { scores, ..report("abandoned", 0, 0) }).unwrap();
    assert_eq!(grade.legs.iter().map(|leg| leg.settlement.key()).collect::<Vec<_>>(), ["won", "lost"]);
}
