//! Windows against an independent oracle on random cases, and what the oracle does not cover.

use arb_model::{Event, Name, Open, Points, Price};
use arb_schemas::records::PeriodScore;

use super::*;
use crate::clauses::with_overtime;

/// Written by `tests/oracle/window_settlement.py`.
const CASES: &str = include_str!("../../tests/golden/window_settlement.txt");

fn report(status: &str, home: i32, away: i32) -> ResultReport {
    let score = PeriodScore { period: "full_time".into(), home, away };
    let scores = if status == "finished" { vec![score] } else { Vec::new() };
    let (home, away, ended) = ("Oak".into(), "Elm".into(), Some("regulation".into()));
    let (event, status) = ("e".into(), status.into());
    ResultReport { event, status, scores, home, away, ended, ..ResultReport::default() }
}

/// At book a overtime counts.
fn known() -> Clauses {
    with_overtime("a")
}

/// `home back 2.5 0.4`; the odds of a lay are those of the lay itself.
fn leg(text: &str) -> OpenedLeg {
    let [outcome, side, odds, share] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("{text}") };
    let (side, price): (Open<Side>, _) = (side.into(), Price::from_decimal(odds).unwrap());
    let odds = price.decimal();
    let implied_probability = if side == Side::Lay { 1.0 - 1.0 / odds } else { 1.0 / odds };
    let (outcome, book, stake_share) = (outcome.into(), Name::from("a"), share.parse().unwrap());
    OpenedLeg { outcome, side, book, price, implied_probability, stake_share }
}

fn window(market: &str, line: &str, legs: &str) -> StateOpenedWindow {
    let market = Market::parse(market).unwrap();
    let event = Event { home: "Oak".into(), away: "Elm".into(), ..Event::default() };
    let window = OpenedWindow {
        event,
        market: market.family.into(),
        period: market.period.into(),
        line: line.parse().ok().map(Points),
        legs: legs.split(';').map(leg).collect(),
        ..OpenedWindow::default()
    };
    StateOpenedWindow { window, ..StateOpenedWindow::default() }
}

fn settlements(grade: &WindowGrade) -> Vec<&str> {
    grade.legs.iter().map(|leg| leg.settlement.as_str()).collect()
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
        let found = grade(&known(), &window(market, line, bets), &report);
        assert_eq!(found.is_none(), total.is_empty(), "{row}: {found:?}");
        if let Some(found) = found {
            let near = |a: f64, b: &str| (a - b.parse::<f64>().unwrap()).abs() < 1e-9;
            assert!(found.is_settled() && near(found.returned.unwrap(), total), "{row}: {found:?}");
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
    let arb = window("h2h", "", "home back 2.1 0.5;away back 2.1 0.5");
    for (home, away, returned) in [(2, 0, 1.05), (0, 1, 1.05), (1, 1, 1.0)] {
        let grade = grade(&known(), &arb, &report("finished", home, away)).unwrap();
        assert!((grade.returned.unwrap() - returned).abs() < 1e-12, "{home}:{away} {grade:?}");
        assert_eq!((grade.version, grade.home, grade.away), (1, Some(home), Some(away)));
    }
    let cancelled = grade(&known(), &arb, &report("cancelled", 0, 0)).unwrap();
    assert!((cancelled.returned.unwrap() - 1.0).abs() < 1e-12 && cancelled.home.is_none());
    assert_eq!(settlements(&cancelled), ["void", "void"]);
}

#[test]
fn a_window_without_legs_and_an_unknown_status_have_no_grade() {
    assert_eq!(grade(&known(), &StateOpenedWindow::default(), &report("finished", 1, 0)), None);
    assert_eq!(grade(&known(), &window("h2h", "", "home back 2.1 0.5"), &report("dreamt", 1, 0)), None);
    let mut sideways = window("totals", "2500", "over back 2.1 0.5");
    sideways.window.legs[0].outcome = "sideways".into();
    assert_eq!(grade(&known(), &sideways, &report("finished", 1, 0)), None);
}

#[test]
fn a_period_that_was_completed_counts_when_the_event_is_abandoned() {
    let h1 = window("totals_h1", "1000", "over back 2.1 0.5;under back 2.1 0.5");
    let scores = vec![PeriodScore { period: "h1".into(), home: 1, away: 1 }];
    let grade = grade(&known(), &h1, &ResultReport { scores, ..report("abandoned", 0, 0) }).unwrap();
    assert_eq!((settlements(&grade), grade.home), (vec!["won", "lost"], Some(1)));
}

#[test]
fn only_what_a_report_changes_is_another_grading() {
    let mut arb = window("totals", "2250", "over back 2.1 0.5;under back 2.1 0.5");
    assert_eq!(grade(&known(), &arb, &report("in_progress", 0, 0)), None, "it is open without saying so");
    let mut graded = |status: &str, (home, away), expected: Option<(i64, &[&str])>| {
        let next =
            grade(&known(), &arb, &ResultReport { source: "s".into(), at: 7, ..report(status, home, away) });
        let found = next.as_ref().map(|next| (next.version, settlements(next)));
        assert_eq!(found, expected.map(|(version, legs)| (version, legs.to_vec())), "{status} {home}:{away}");
        if let Some(next) = next {
            assert_eq!(
                (next.returned.is_some(), next.legs.is_empty()),
                (next.is_settled(), !next.is_settled())
            );
            assert_eq!((&*next.source, next.at), ("s", Time(7)));
            arb.grade = Some(next);
        }
    };
    graded("finished", (2, 0), Some((1, &["half_lost", "half_won"])));
    graded("finished", (2, 0), None);
    graded("finished", (1, 1), Some((2, &["half_lost", "half_won"])));
    graded("finished", (2, 1), Some((3, &["won", "lost"])));
    graded("in_progress", (0, 0), Some((4, &[])));
    graded("postponed", (0, 0), None);
    graded("abandoned", (0, 0), Some((5, &["void", "void"])));
    graded("cancelled", (0, 0), None);
}

#[test]
fn a_result_that_does_not_say_what_a_lay_paid_takes_its_settlement_away() {
    // Backed and laid alone: whether a draw refunds is not known.
    let mut arb = window("h2h", "", "home back 2.2 0.5;home lay 2.0 0.5");
    arb.grade = grade(&known(), &arb, &report("finished", 1, 0));
    assert_eq!(arb.grade.as_ref().map(settlements), Some(vec!["won", "lost"]));
    let open = grade(&known(), &arb, &report("finished", 1, 1)).unwrap();
    assert_eq!((open.version, open.state.as_str(), open.returned, open.home), (2, "open", None, None));
}

/// A window of ice hockey, over in overtime: 2-2 and then 2-3.
fn overtime(market: &str, line: &str, legs: &str, said: Option<(i32, i32)>) -> Option<Vec<String>> {
    let mut window = window(market, line, legs);
    (window.window.event.sport, window.window.event.league) = ("icehockey".into(), "icehockey_nhl".into());
    let mut report = ResultReport { ended: None, ..report("finished", 2, 3) };
    if let Some((home, away)) = said {
        report.ended = Some("overtime".into());
        report.scores.push(PeriodScore { period: "regulation".into(), home, away });
    }
    let grade = grade(&known(), &window, &report)?;
    Some(settlements(&grade).into_iter().map(str::to_owned).collect())
}

#[test]
fn regulation_and_overtime_are_two_scores() {
    let three_way = "home back 2.5 0.4;draw back 4.9 0.2;away back 2.6 0.4";
    for market in ["h2h", "h2h_3_way"] {
        assert_eq!(
            overtime(market, "", three_way, None),
            None,
            "nobody says what the score was after 60 minutes"
        );
        let settled = overtime(market, "", three_way, Some((2, 2))).unwrap();
        assert_eq!(settled, ["lost", "won", "lost"]);
    }
    let two_way = "home back 2.1 0.5;away back 2.1 0.5";
    assert_eq!(overtime("h2h", "", two_way, None).unwrap(), ["lost", "won"], "overtime counts at the book");
    let total = "over back 2.1 0.5;under back 2.1 0.5";
    assert_eq!(overtime("totals", "4500", total, None).unwrap(), ["won", "lost"]);
}
