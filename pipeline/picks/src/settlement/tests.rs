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
    EventResult::regular(scores)
}

fn by_score(draw: DrawRule) -> (DrawRule, Basis) {
    (draw, Basis::Regulation)
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
        let settlement = settle(&bet, by_score(draw), &result);
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
    let result = EventResult { status: EventStatus::Abandoned, ..EventResult::regular(scores) };
    let settled = |market| settle(&bet(market, Outcome::Home, None), by_score(DrawRule::Outcome), &result);
    assert_eq!(settled("h2h_h1"), Some(Settlement::Won));
    assert_eq!(settled("h2h_h2"), Some(Settlement::Void), "it was not completed");
    assert_eq!(settled("h2h"), Some(Settlement::Void));
}

/// 2-2 after regulation, 2-3 in overtime.
fn overtime(regulation: Option<(u32, u32)>, ended: Option<Ending>) -> EventResult {
    let regulation = regulation.map(|(home, away)| Score { home, away });
    EventResult { regulation, ended, ..finished(2, 3) }
}

#[test]
fn a_bet_is_settled_by_the_score_of_its_clause_or_not_at_all() {
    let said = overtime(Some((2, 2)), Some(Ending::Overtime));
    let unsaid = overtime(None, Some(Ending::Overtime));
    let unknown = overtime(None, None);
    let by = |market: &str, outcome, draw, basis| {
        let bet = bet(market, outcome, None);
        [&said, &unsaid, &unknown].map(|result| settle(&bet, (draw, basis), result))
    };
    let (won, lost) = (Some(Settlement::Won), Some(Settlement::Lost));
    assert_eq!(by("h2h", Outcome::Draw, DrawRule::Outcome, Basis::Regulation), [won, None, None]);
    assert_eq!(by("h2h_3_way", Outcome::Away, DrawRule::Outcome, Basis::Regulation), [lost, None, None]);
    assert_eq!(by("h2h", Outcome::Away, DrawRule::Refund, Basis::Final), [won, won, won]);
    assert_eq!(by("h2h", Outcome::Home, DrawRule::Refund, Basis::Final), [lost, lost, lost]);
    let push = Some(Settlement::Push);
    assert_eq!(by("draw_no_bet", Outcome::Home, DrawRule::Refund, Basis::Regulation), [push, None, None]);
    let over = bet("totals", Outcome::Over, Some(4_500));
    let total = |basis| settle(&over, (DrawRule::Outcome, basis), &said);
    assert_eq!((total(Basis::Regulation), total(Basis::Final)), (lost, won));
}

#[test]
fn what_a_result_does_not_say_decides_nothing() {
    let unsaid = |market: &str, result: &EventResult| {
        settle(&bet(market, Outcome::Home, None), by_score(DrawRule::Outcome), result)
    };
    assert_eq!(unsaid("h2h_h1", &finished(2, 0)), None, "no score of the half");
    let retired = EventResult { ended: Some(Ending::Retired), ..finished(2, 0) };
    assert_eq!(unsaid("h2h", &retired), None, "books differ where one side gives up");
    let halves = |ended| {
        let scores =
            vec![(Period::FullTime, Score { home: 3, away: 2 }), (Period::H2, Score { home: 2, away: 0 })];
        unsaid("h2h_h2", &EventResult { ended, ..EventResult::regular(scores) })
    };
    let won = Some(Settlement::Won);
    assert_eq!(
        [Some(Ending::Regulation), Some(Ending::Overtime), None].map(halves),
        [won, None, None],
        "books differ on overtime in the second half"
    );
    let walkover = EventResult { status: EventStatus::Walkover, ..finished(0, 0) };
    assert_eq!(unsaid("h2h", &walkover), Some(Settlement::Void));
}

#[test]
fn nothing_is_settled_before_the_event_is_over() {
    for status in [EventStatus::InProgress, EventStatus::Postponed] {
        let result = EventResult { status, ..finished(3, 0) };
        assert_eq!(settle(&bet("h2h", Outcome::Home, None), by_score(DrawRule::Outcome), &result), None);
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
            .map(|bet| settle(&bet, by_score(DrawRule::Outcome), &finished(home, away)).unwrap().profit(Side::Back, even))
            .sum();
        proptest::prop_assert!(profit.abs() < 1e-12);
    }
}
