//! Golden hedges, and that no other stakes have a better worst case.

use arb_model::{Money, Time, fixtures};
use proptest::prelude::*;

use super::*;

fn price(decimal: &str) -> Price {
    Price::from_decimal(decimal).unwrap()
}

/// An entry of backs of these outcomes at these prices, each at a bookmaker of its own that keeps nothing.
fn entry(market: &str, line: Option<i32>, bets: &[(&str, Price)]) -> BoardEntry {
    let leg = |(at, (outcome, price)): (usize, &(&str, Price))| BoardLeg {
        outcome: (*outcome).into(),
        side: "back".into(),
        book: format!("book{at}").as_str().into(),
        price: *price,
        effective_price: *price,
        limit: None,
        ..fixtures::entry().legs[0].clone()
    };
    BoardEntry {
        market: market.into(),
        period: "full_time".into(),
        line: line.map(arb_model::Points),
        legs: bets.iter().enumerate().map(leg).collect(),
        updated_at: Time(0),
        ..fixtures::entry()
    }
}

fn winner(prices: &[Price]) -> BoardEntry {
    let outcomes: &[&str] = if prices.len() == 2 { &["home", "away"] } else { &["home", "draw", "away"] };
    let bets: Vec<_> = outcomes.iter().copied().zip(prices.iter().copied()).collect();
    entry(if prices.len() == 2 { "draw_no_bet" } else { "h2h" }, None, &bets)
}

fn placed(leg: usize, stake: i64, at: &str) -> PlacedBet {
    PlacedBet { leg, stake, price: price(at) }
}

fn asked(hedge: &Hedge) -> Vec<i64> {
    hedge.stakes.iter().map(|stake| stake.placed).collect()
}

fn worst(hedge: &Hedge) -> f64 {
    hedge.ways[0].profit
}

#[test]
fn golden_three_way() {
    let entry = winner(&["2.30", "3.50", "4.23"].map(price));
    let hedge = hedge(&entry, &Books::default(), &[placed(0, 4_348, "2.30")]).unwrap();
    // 43.48 at 2.30 returns 100.004; 28.57 at 3.50 returns 99.995 and 23.64 at 4.23 returns 99.9972.
    assert_eq!(asked(&hedge), [4_348, 2_857, 2_364]);
    assert!((worst(&hedge) - (9_999.5 - 9_569.0)).abs() < 1e-9, "{}", worst(&hedge));
    let keys = hedge.ways[0].settlements.iter().map(|settlement| settlement.key());
    assert!(keys.eq(["lost", "won", "lost"]));
    assert_eq!(hedge.ways.len(), 3);
}

#[test]
fn a_bet_at_a_worse_price_is_hedged_at_what_is_left() {
    let entry = winner(&["2.10", "2.04"].map(price));
    let hedge = hedge(&entry, &Books::default(), &[placed(0, 10_000, "1.90")]).unwrap();
    // 190.00 / 2.04 = 93.137: with 93.14 the home side loses 3.14, with 93.13 the away side 3.145. A draw gives both back.
    assert_eq!((asked(&hedge), worst(&hedge)), (vec![10_000, 9_314], -314.0));
    assert!(hedge.ways.iter().any(|way| way.profit == 0.0), "a draw gives both back");
}

#[test]
fn a_push_decides_nothing() {
    let entry = entry("totals", Some(2_000), &[("over", price("2.5")), ("under", price("1.8547"))]);
    let hedge = hedge(&entry, &Books::default(), &[placed(0, 5_000, "2.5")]).unwrap();
    // 125.00 / 1.8547 = 67.40: either way 7.6 are won, and on two goals exactly both stakes come back.
    assert_eq!(asked(&hedge), [5_000, 6_740]);
    let profits: Vec<_> = hedge.ways.iter().map(|way| way.profit.round()).collect();
    assert_eq!(profits, [0.0, 760.0, 761.0]);
}

#[test]
fn where_the_rest_costs_more_than_it_saves_nothing_is_staked() {
    let entry = winner(&["2.30", "1.50", "1.60"].map(price));
    let hedge = hedge(&entry, &Books::default(), &[placed(0, 5_000, "2.30")]).unwrap();
    assert_eq!((asked(&hedge), worst(&hedge)), (vec![5_000, 0, 0], -5_000.0));
}

#[test]
fn limits_and_steps_of_the_books_hold() {
    let mut entry = winner(&["2.30", "3.50", "4.23"].map(price));
    entry.legs[1].limit = Some(Money(1_000));
    let hedge = hedge(&entry, &Books::default(), &[placed(0, 4_348, "2.30")]).unwrap();
    assert!(hedge.stakes[1].placed <= 1_000, "{:?}", asked(&hedge));
    // The draw cannot be covered: what it returns is the worst case, and nothing more is spent on the other side than that.
    assert!(worst(&hedge) < -1_000.0);
}

#[test]
fn a_lay_is_hedged_by_its_liability() {
    let mut entry = winner(&["4.2", "3.8"].map(price));
    entry.market = "h2h".into();
    entry.legs[1] = BoardLeg { outcome: "home".into(), side: "lay".into(), ..entry.legs[1].clone() };
    entry.legs[1].effective_price = price("1.357142");
    let hedge = hedge(&entry, &Books::default(), &[placed(0, 10_000, "4.2")]).unwrap();
    // Backed 100.00 at 4.2; laying b at 3.8 risks 2.8 b: 320 - 2.8 b = b - 100, b = 110.526.
    assert!((asked(&hedge)[1] - 11_052).abs() <= 1, "{:?}", asked(&hedge));
    assert!((worst(&hedge) - 1_052.0).abs() < 3.0, "{}", worst(&hedge));
}

#[test]
fn a_hedge_below_the_least_stake_is_none_or_the_least() {
    let entry = winner(&["2.10", "2.04"].map(price));
    let of = |stake| asked(&hedge(&entry, &Books::default(), &[placed(0, stake, "2.10")]).unwrap());
    assert_eq!(of(200), [200, 206]);
    // Of 0.60 the other leg would be 0.62. With 1.00 the worst case loses 0.34, and 0.60 without it.
    let hedged = hedge(&entry, &Books::default(), &[placed(0, 60, "2.10")]).unwrap();
    assert_eq!(asked(&hedged), [60, 100]);
    assert!((worst(&hedged) + 34.0).abs() < 1e-9, "{}", worst(&hedged));
    // Of 0.20 it is better not to bet at all.
    assert_eq!(of(20), [20, 0]);
}

#[test]
fn several_placed_legs_leave_the_rest_to_be_staked() {
    let entry = winner(&["2.30", "3.50", "4.23"].map(price));
    let both = [placed(0, 4_348, "2.30"), placed(2, 2_000, "4.00")];
    let hedge = hedge(&entry, &Books::default(), &both).unwrap();
    // Of 100.004 and of 80.00 the draw needs no more than 80.00 / 3.50 = 22.857: the away side loses 6.34 then, and the draw 6.33.
    assert_eq!(asked(&hedge), [4_348, 2_286, 2_000]);
    assert!((worst(&hedge) - (8_000.0 - 8_634.0)).abs() < 1e-9, "{}", worst(&hedge));
}

#[test]
fn where_all_legs_are_placed_the_results_are_told() {
    let entry = winner(&["2.10", "2.04"].map(price));
    let hedge =
        hedge(&entry, &Books::default(), &[placed(1, 5_000, "2.00"), placed(0, 5_000, "2.20")]).unwrap();
    let profits: Vec<_> = hedge.ways.iter().map(|way| way.profit.round()).collect();
    assert_eq!((asked(&hedge), profits), (vec![5_000, 5_000], vec![0.0, 0.0, 1_000.0]));
}

#[test]
fn what_is_no_leg_has_no_hedge() {
    let entry = winner(&["2.10", "2.04"].map(price));
    assert_eq!(hedge(&entry, &Books::default(), &[placed(2, 100, "2")]), None);
    let twice = [placed(0, 100, "2"), placed(0, 100, "2")];
    assert_eq!(
        (hedge(&entry, &Books::default(), &[]), hedge(&entry, &Books::default(), &twice)),
        (None, None)
    );
    let mut newer = entry.clone();
    newer.market = "corners".into();
    assert_eq!(hedge(&newer, &Books::default(), &[placed(0, 100, "2")]), None);
    let mut one = entry;
    one.legs.truncate(1);
    assert_eq!(hedge(&one, &Books::default(), &[placed(0, 100, "2")]), None);
}

fn prices() -> impl Strategy<Value = Price> {
    (1_050_000_i64..12_000_000).prop_map(|millionths| Price::from_millionths(millionths).unwrap())
}

/// Entries of winners and of totals at any line, some with limits.
fn entries() -> impl Strategy<Value = BoardEntry> {
    let winners = prop::collection::vec(prices(), 2..4).prop_map(|prices| winner(&prices));
    let totals = (2_i32..30, prices(), prices()).prop_map(|(quarters, over, under)| {
        entry("totals", Some(quarters * 250), &[("over", over), ("under", under)])
    });
    (prop_oneof![winners, totals], prop::collection::vec(prop::option::of(0_i64..20_000), 3)).prop_map(
        |(mut entry, limits)| {
            entry.legs.iter_mut().zip(limits).for_each(|(leg, limit)| leg.limit = limit.map(Money));
            entry
        },
    )
}

proptest! {
    #[test]
    fn no_other_stakes_have_a_better_worst_case(
        entry in entries(),
        taken in prop::collection::vec((100_i64..50_000, prices()), 3),
        mask in 1_usize..8,
        others in prop::collection::vec(prop::collection::vec(0.0_f64..1.5, 3), 40),
    ) {
        let legs = entry.legs.len();
        let is_placed = |leg: usize| mask >> leg & 1 == 1 || (mask >> legs == 1 && leg == 0);
        let placed: Vec<_> = taken[..legs].iter().enumerate().filter(|(leg, _)| is_placed(*leg))
            .map(|(leg, (stake, price))| PlacedBet { leg, stake: *stake, price: *price }).collect();
        let found = hedge(&entry, &Books::default(), &placed).unwrap();
        let market = Market { family: entry.market.known().unwrap(), period: entry.period.known().unwrap() };
        let line = entry.line.map(|line| line.0);
        let mut bets = Vec::new();
        for (leg, of) in entry.legs.iter().enumerate() {
            let limit = of.limit.map_or(i64::MAX, |limit| limit.0);
            let stake = found.stakes[leg].placed;
            let is_right = if is_placed(leg) { stake == taken[leg].0 } else { (0..=limit).contains(&stake) };
            prop_assert!(is_right, "{:?}", asked(&found));
            let bet = Bet::new(market, of.outcome.known().unwrap(), Side::Back, line).unwrap();
            bets.push((bet, if is_placed(leg) { taken[leg].1 } else { of.price }));
        }
        let payouts = Payouts::at_books(&bets, &levels(&entry, market, &Books::default()));
        let rows: Vec<Vec<f64>> = payouts.ways().map(Iterator::collect).collect();
        let decimal = |price: Price| f64::from(price.millionths()) / 1e6;
        let returned: f64 = placed.iter().map(|bet| bet.stake as f64 * decimal(bet.price)).sum();
        for other in others {
            let amounts: Vec<f64> = (0..legs).map(|leg| if is_placed(leg) {
                taken[leg].0 as f64
            } else {
                let most = entry.legs[leg].limit.map_or(f64::MAX, |limit| limit.0 as f64);
                (other[leg] * returned / decimal(entry.legs[leg].price)).min(most)
            }).map(|amount| if amount < 100.0 { 0.0 } else { amount }).collect();
            let least = rows.iter()
                .map(|row| row.iter().zip(&amounts).map(|(pays, amount)| (pays - 1.0) * amount).sum::<f64>())
                .fold(f64::INFINITY, f64::min);
            // A cent on each leg is what rounding may cost, times what it would have returned.
            prop_assert!(worst(&found) >= least - 26.0, "{} {least} {:?}", worst(&found), asked(&found));
        }
    }
}
