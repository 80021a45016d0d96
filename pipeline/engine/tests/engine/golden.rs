//! Entries worked out by hand: prices after fees, margins, shares, stakes within limits, worst cases.
//!
//! The numbers were computed with exact fractions from the formulas of the domain: `S = sum 1/o`, margin `1/S - 1`, share
//! `(1/o)/S`, the largest total `min limit/share`, and the best way to round among all.

use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::effect::{BoardEntry, Open, Warning};
use arb_engine::input::Tick;
use arb_engine::market::{Bet, Limit, Market, Outcome, Policy, Side};
use arb_engine::venues::{Book, Books, Clauses, DatedFee, Evidence, Fee, Level, VenueKind};

use crate::world::{World, any_size, entry, of_league, tick};

/// Books `a` and `c` keep nothing, `b` 2 % of winnings, `x` 5 %; a level result refunds at `r`.
fn world() -> World {
    let book = |name: &str, ppm: u32, level| -> (Arc<str>, Book) {
        let fee = DatedFee::always(Fee::Commission { ppm });
        let book = Book {
            operator: None,
            kind: VenueKind::Bookmaker,
            currency: Some("USD".into()),
            fees: vec![fee],
            clauses: Clauses::uniform(name, level),
            refresh: None,
            sizes: any_size(),
            native: None,
            link: None,
            known: true,
            evidence: Evidence::default(),
        };
        (name.into(), book)
    };
    let level = Level::Impossible;
    let known = [
        book("a", 0, level),
        book("b", 20_000, level),
        book("c", 0, level),
        book("x", 50_000, level),
        book("r", 0, Level::Refunded),
        book("d", 0, Level::DeadHeat),
    ];
    let engine = Engine::with_books(Policy::Board, Arc::new(Books::new(known)));
    World { engine, ..World::new(Policy::Board) }
}

fn takes(tick: Tick<'static>, minor: i64) -> Tick<'static> {
    Tick { limit: Limit::from_minor(minor), ..tick }
}

fn lay(book: &'static str, outcome: Outcome, decimal: &str) -> Tick<'static> {
    let bet = Bet::new(Market::parse("h2h").unwrap(), outcome, Side::Lay, None).unwrap();
    Tick { bet, ..tick(book, "home", decimal, 9) }
}

/// The only entry that a poll of these ticks opens.
fn opened(ticks: Vec<Tick<'static>>) -> BoardEntry {
    entry(&world().send(10, ticks)).clone()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 5e-7
}

fn shares(entry: &BoardEntry) -> Vec<f64> {
    entry.legs.iter().map(|leg| leg.stake_share).collect()
}

fn stakes(entry: &BoardEntry) -> Vec<Option<i64>> {
    entry.legs.iter().map(|leg| leg.stake.map(|stake| stake.0)).collect()
}

/// The draw at 3.80 less 2 % of winnings is 1 + 2.8 * 0.98 = 3.744. S = 1/2.5 + 1/3.744 + 1/4.1 = 0.910996, so 9.7699 %.
/// 25.00 at most on the draw, whose share is 0.293189, bound the total at 85.26; of it 37.43, 24.99 and 22.82 return 93.562 whatever
/// wins, 93.562 / 85.24 - 1 = 9.7630 %.
#[test]
fn three_ways_with_a_commission_and_limits() {
    let soccer = of_league("soccer_x", "e");
    let ticks = vec![
        takes(tick("a", "home", "2.5", 9), 5_000),
        takes(tick("b", "draw", "3.8", 9), 2_500),
        tick("c", "away", "4.1", 9),
    ];
    let effects = world().poll(10, &[(soccer, ticks)]);
    let entry = entry(&effects);
    assert_eq!(entry.legs[1].effective_price.millionths(), 3_744_000);
    assert!(close(entry.implied_probability, 0.910_996_456) && close(entry.margin, 0.097_699_111));
    let golden = [0.439_079_644, 0.293_188_865, 0.267_731_490];
    assert!(shares(entry).iter().zip(golden).all(|(a, b)| close(*a, b)), "{:?}", shares(entry));
    assert_eq!(entry.total_stake_max.map(|total| total.0), Some(8_526));
    assert_eq!(stakes(entry), [Some(3_743), Some(2_499), Some(2_282)]);
    assert!(close(entry.margin_rounded.unwrap(), 0.097_630_221));
    assert_eq!(entry.warnings, [Open::Known(Warning::LimitUnknown)]);
}

/// Laying at 2.0 less 5 % is backing the rest at 1 + 0.95 = 1.95. S = 1/2.2 + 1/1.95 = 0.967366, so 3.3735 %; 46.99 and 53.01
/// return 103.3695 and 103.378 of 100.00.
#[test]
fn a_back_and_a_lay_of_one_side() {
    let entry = opened(vec![tick("a", "home", "2.2", 9), lay("x", Outcome::Home, "2")]);
    assert_eq!(entry.legs[1].effective_price.millionths(), 1_950_000);
    assert!(close(entry.implied_probability, 0.967_365_967) && close(entry.margin, 0.033_734_940));
    assert_eq!(
        (stakes(&entry), entry.legs[1].liability.map(|money| money.0)),
        (vec![Some(4_699), Some(5_301)], Some(5_301))
    );
    assert!(close(entry.margin_rounded.unwrap(), 0.033_695));
    assert!(close(entry.margin_worst, entry.margin), "a level result is impossible at both");
}

/// Over and under 2.75 are half on 2.5 and half on 3. At 3 goals over wins half, (1 + 2.1)/2 = 1.55 of 0.487805, and under gets half
/// back, 0.5 of 0.512195: 1.012195 in all. Else 1/S = 1.024390.
#[test]
fn a_quarter_line_pays_half_the_margin_in_the_middle() {
    let entry = opened(vec![tick("a", "over 2.75", "2.1", 9), tick("c", "under 2.75", "2", 9)]);
    assert!(close(entry.margin, 0.024_390_244) && close(entry.margin_worst, 0.012_195_122));
    assert!(entry.warnings.contains(&Open::Known(Warning::HalfPushPossible)));
    assert!(!entry.warnings.contains(&Open::Known(Warning::PushPossible)));
}

/// On a whole line all stakes come back at exactly 3: the worst case is a return of nothing gained.
#[test]
fn a_whole_line_can_push() {
    let entry = opened(vec![tick("a", "over 3", "2.1", 9), tick("c", "under 3", "2.1", 9)]);
    assert!(close(entry.margin, 0.05) && close(entry.margin_worst, 0.0));
    assert!(entry.warnings.contains(&Open::Known(Warning::PushPossible)));
    // With stakes that may break even on a push, the other results win 5 %.
    assert!(close(entry.margin_rounded.unwrap(), 0.05));
}

/// Both sides at 2.1, half each. Where `r` refunds a level match and `d` pays half at its price, a level result returns
/// 0.5 + 0.5 * 1.05 = 1.025 of the total.
#[test]
fn books_that_end_a_level_match_in_different_ways() {
    let of = |books: [&'static str; 2]| {
        let entry = opened(vec![tick(books[0], "home", "2.1", 9), tick(books[1], "away", "2.1", 9)]);
        (entry.margin, entry.margin_worst)
    };
    let (margin, worst) = of(["r", "d"]);
    assert!(close(margin, 0.05) && close(worst, 0.025), "{worst}");
    let (_, both_refund) = of(["r", "r"]);
    assert!(close(both_refund, 0.0));
    let (_, impossible) = of(["a", "r"]);
    assert!(close(impossible, 0.05), "where it cannot happen at one book it cannot happen");
}

/// At 1.909090 (-110) on one side 2.100000 (+110) on the other is exactly 1 but for the rounding: 11/21 + 10/21.
#[test]
fn plus_and_minus_110_open_nothing() {
    let effects = world().send(10, vec![tick("a", "home", "1.909090", 9), tick("c", "away", "2.1", 9)]);
    assert!(effects.iter().all(|effect| !matches!(effect, arb_engine::effect::Effect::Transition(..))));
    let entry = opened(vec![tick("a", "home", "1.909092", 9), tick("c", "away", "2.100001", 9)]);
    assert!(entry.margin > 0.0 && entry.margin < 1e-6, "{}", entry.margin);
}

/// A score is the margin that can be staked times the probability of living for the two minutes that placing takes.
#[test]
fn a_score_is_what_can_still_be_taken() {
    let entry = opened(vec![tick("a", "home", "2.1", 9), tick("c", "away", "2.2", 9)]);
    let alive = entry.execution_probability;
    assert!(alive > 0.8 && alive < 1.0, "{alive}");
    assert!(close(entry.score, entry.margin_rounded.unwrap() * alive));
    let nothing = opened(vec![takes(tick("a", "home", "2.1", 9), 0), tick("c", "away", "2.2", 9)]);
    assert_eq!((nothing.margin_rounded, nothing.total_stake_max.map(|total| total.0)), (None, Some(0)));
    assert!(nothing.score.abs() < f64::EPSILON);
}
