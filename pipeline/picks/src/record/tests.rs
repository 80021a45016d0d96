//! Statistics by hand, and what must hold of any record.

use super::*;

fn bet(day: usize, profit: f64) -> GradedBet {
    let won = Some(profit > 0.0);
    GradedBet { day: day.to_string(), profit, odds: 2.0, probability: 0.55, closing: Some(0.52), won }
}

#[test]
fn the_numbers_are_those_computed_by_hand() {
    // +1, -1, -1, +1, +1: mean 0.2; squares 2 * 1.44 + 3 * 0.64 = 4.8; 4.8 / 4 / 5 = 0.24.
    let bets: Vec<_> =
        [1.0, -1.0, -1.0, 1.0, 1.0].into_iter().enumerate().map(|(day, p)| bet(day, p)).collect();
    let summary = Summary::of(&bets);
    assert!((summary.profit.mean - 0.2).abs() < 1e-12);
    assert!((summary.profit.standard_error - 0.24_f64.sqrt()).abs() < 1e-12);
    assert!((summary.drawdown - 2.0).abs() < 1e-12);
    assert!((summary.closing_value.mean - 0.04).abs() < 1e-12, "2 * 0.52 - 1");
    // Brier: three times 0.45 squared, twice 0.55 squared.
    assert!((summary.scores.brier - (3.0 * 0.2025 + 2.0 * 0.3025) / 5.0).abs() < 1e-12);
    let log = -(3.0 * 0.55_f64.ln() + 2.0 * 0.45_f64.ln()) / 5.0;
    assert!((summary.scores.log - log).abs() < 1e-12);
    let decile = summary.deciles[5];
    assert_eq!(decile.count, 5);
    assert!((decile.stated - 0.55).abs() < 1e-12 && (decile.won - 0.6).abs() < 1e-12);
    assert!(summary.sentence().ends_with("cannot be told from luck."), "{}", summary.sentence());
}

#[test]
fn equity_is_the_sum_of_profits_and_its_last_interval_that_of_the_mean() {
    let bets: Vec<_> =
        (0..10).map(|day| bet(day, if day % 5 % 3 == 0 || day % 5 == 4 { 1.0 } else { -1.0 })).collect();
    let points = equity(&bets, 10);
    assert_eq!(points.iter().map(|point| point.profit).collect::<Vec<_>>()[..5], [1.0, 0.0, -1.0, 0.0, 1.0]);
    // 10 bets, a mean of 0.2 with a variance of 10 * 0.96 / 9.
    let (low, high) = points[9].interval.unwrap();
    let half = 1.96 * (10.0 * 10.0 * 0.96 / 9.0_f64).sqrt();
    assert!((low - (2.0 - half)).abs() < 1e-12 && (high - (2.0 + half)).abs() < 1e-12);
}

#[test]
fn below_ten_match_days_there_is_no_interval() {
    let of =
        |days: usize| (0..40).map(|n| bet(n % days, if n % 3 == 0 { 1.0 } else { -1.0 })).collect::<Vec<_>>();
    let last = |bets: &[GradedBet]| equity(bets, 200).last().and_then(|point| point.interval);
    for days in [1, 2, 9] {
        let summary = Summary::of(&of(days));
        assert_eq!((summary.interval, last(&of(days))), (None, None), "{days} days");
        assert!(summary.to_string().contains("| not available "), "{summary}");
    }
    assert!(Summary::of(&of(10)).interval.is_some() && last(&of(10)).is_some());
    // A point has one when its own bets are of so many days.
    let known = equity(&of(10), 200).iter().map(|point| point.interval.is_some()).collect::<Vec<_>>();
    assert_eq!(known.iter().position(|is_known| *is_known), Some(9));
}

#[test]
fn equity_of_many_bets_has_few_points_and_the_last_one() {
    let bets: Vec<_> = (0..1_001).map(|n| bet(n, if n % 2 == 0 { 1.0 } else { -1.0 })).collect();
    let points = equity(&bets, 200);
    assert!(points.len() <= 200, "{}", points.len());
    assert_eq!(points.last().map(|point| (point.bets, point.profit)), Some((1_001, 1.0)));
    assert!(points.is_sorted_by(|a, b| a.bets < b.bets));
    assert!(equity(&[], 200).is_empty());
}

#[test]
fn a_push_is_a_bet_that_is_not_scored() {
    let push = GradedBet { profit: 0.0, won: None, ..bet(1, 1.0) };
    let summary = Summary::of(&[bet(0, 1.0), push]);
    assert_eq!((summary.profit.count, summary.scores.count), (2, 1));
}

#[test]
fn no_bets_are_no_evidence() {
    let summary = Summary::of(&[]);
    assert_eq!(summary.sentence(), "There are too few bets to say anything.");
    assert!(summary.to_string().contains("not available"));
}

#[test]
fn a_large_profit_over_many_bets_is_told_from_luck() {
    let bets: Vec<_> = (0..1_000).map(|n| bet(n / 4, if n % 5 < 3 { 1.0 } else { -1.0 })).collect();
    assert!(Summary::of(&bets).sentence().contains("more than luck alone"));
    let bets: Vec<_> = (0..1_000).map(|n| bet(n / 4, if n % 5 < 2 { 1.0 } else { -1.0 })).collect();
    assert!(Summary::of(&bets).sentence().starts_with("A loss"));
}

#[test]
fn the_bootstrap_sees_that_bets_of_a_day_win_together() {
    let profit = |key: usize| if key.is_multiple_of(2) { 1.0 } else { -1.0 };
    let alone: Vec<_> = (0..1_000).map(|n| bet(n, profit(n))).collect();
    let together: Vec<_> = (0..1_000).map(|n| bet(n / 50, profit(n / 50))).collect();
    let width = |bets: &[GradedBet]| {
        let (low, high) = Summary::of(bets).interval.unwrap();
        high - low
    };
    // 20 days instead of 1,000: the square root of 50 times as wide.
    assert!(width(&together) > 5.0 * width(&alone));
    assert_eq!(Summary::of(&alone), Summary::of(&alone), "the generator is seeded");
}

proptest::proptest! {
    #[test]
    fn the_mean_is_within_its_interval_and_drawdown_is_not_negative(
        profits in proptest::collection::vec(-1.0_f64..3.0, 30..80)
    ) {
        let bets: Vec<_> = profits.iter().enumerate().map(|(day, profit)| bet(day, *profit)).collect();
        let summary = Summary::of(&bets);
        let (low, high) = summary.interval.unwrap();
        proptest::prop_assert!(low <= summary.profit.mean);
        proptest::prop_assert!(summary.profit.mean <= high);
        proptest::prop_assert!(summary.drawdown >= 0.0);
        proptest::prop_assert_eq!(summary.deciles.iter().map(|decile| decile.count).sum::<usize>(), bets.len());
    }
}
