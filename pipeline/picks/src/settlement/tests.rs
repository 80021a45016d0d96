//! Settlement against an independent oracle on random cases, and rules that the oracle does not cover.

use arb_model::{EventStatus, Market};

use super::*;

/// Written by `tests/oracle/settlement.py`.
const CASES: &str = include_str!("../../tests/golden/settlement.txt");

fn bet(market: &str, outcome: Outcome, line: Option<Line>) -> Bet {
    Bet::new(Market::parse(market).unwrap(), outcome, Side::Back, line).unwrap()
}

fn finished(home: u32, away: u32) -> EventResult {
    let scores = vec![(Period::FullTime, Score { home, away })];
    EventResult { status: EventStatus::Finished, scores }
}

fn status(key: &str) -> EventStatus {
    match key {
        "finished" => EventStatus::Finished,
        "cancelled" => EventStatus::Cancelled,
        "abandoned" => EventStatus::Abandoned,
        "postponed" => EventStatus::Postponed,
        other => panic!("{other}"),
    }
}

#[test]
fn every_case_is_the_oracles() {
    let mut rows = csv::Reader::from_reader(CASES.as_bytes());
    let mut compared = 0;
    for row in rows.records().map(Result::unwrap) {
        let line = (!row[2].is_empty()).then(|| row[2].parse().unwrap());
        let bet = bet(&row[0], Outcome::parse(&row[1]).unwrap(), line);
        let draw = if &row[3] == "true" { DrawRule::Refund } else { DrawRule::Outcome };
        let result = EventResult {
            status: status(&row[4]),
            ..finished(row[5].parse().unwrap(), row[6].parse().unwrap())
        };
        let settlement = settle(&bet, draw, &result);
        assert_eq!(settlement.map_or("open", Settlement::key), &row[8], "{row:?}");
        if let Some(settlement) = settlement {
            let price: f64 = row[7].parse().unwrap();
            let returned: f64 = row[9].parse().unwrap();
            assert!((1.0 + settlement.profit(Side::Back, price) - returned).abs() < 1e-9, "{row:?}");
        }
        compared += 1;
    }
    assert_eq!(compared, 4_000);
}

#[test]
fn who_lays_pays_what_the_backer_wins() {
    let price = 3.5;
    for settlement in [Settlement::Won, Settlement::HalfWon, Settlement::Push, Settlement::HalfLost] {
        let (back, lay) = (settlement.profit(Side::Back, price), settlement.profit(Side::Lay, price));
        assert!((back + lay).abs() < 1e-12);
    }
    assert!((Settlement::HalfWon.profit(Side::Lay, price) + 1.25).abs() < 1e-12);
}

#[test]
fn a_completed_period_of_an_abandoned_event_counts() {
    let scores = vec![(Period::H1, Score { home: 1, away: 0 })];
    let result = EventResult { status: EventStatus::Abandoned, scores };
    let settled = |market| settle(&bet(market, Outcome::Home, None), DrawRule::Outcome, &result);
    assert_eq!(settled("h2h_h1"), Some(Settlement::Won));
    assert_eq!(settled("h2h_h2"), Some(Settlement::Void), "it was not completed");
    assert_eq!(settled("h2h"), Some(Settlement::Void));
}

#[test]
fn nothing_is_settled_before_the_event_is_over() {
    for status in [EventStatus::InProgress, EventStatus::Postponed] {
        let result = EventResult { status, ..finished(3, 0) };
        assert_eq!(settle(&bet("h2h", Outcome::Home, None), DrawRule::Outcome, &result), None);
    }
}

proptest::proptest! {
    #[test]
    fn two_sides_of_a_line_return_their_stakes_at_even_money(
        home in 0_u32..9, away in 0_u32..9, quarters in -20_i32..20, totals: bool
    ) {
        let (market, outcomes) = if totals {
            ("totals", [Outcome::Over, Outcome::Under])
        } else {
            ("spreads", [Outcome::Home, Outcome::Away])
        };
        let even = 2.0;
        let profit: f64 = outcomes
            .iter()
            .map(|outcome| bet(market, *outcome, Some(quarters * QUARTER)))
            .map(|bet| settle(&bet, DrawRule::Outcome, &finished(home, away)).unwrap().profit(Side::Back, even))
            .sum();
        proptest::prop_assert!(profit.abs() < 1e-12);
    }
}
