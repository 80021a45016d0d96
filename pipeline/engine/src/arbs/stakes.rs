//! Stakes: how much may be staked, how it is rounded to the sizes that venues take, and what is then left.
//!
//! Money is whole minor units (cents); sums of stakes are compared in integers, so that the order of legs decides nothing. A
//! rounded worst case is never above that of the shares, and what is risked never above the total that was asked for. A stake below the
//! least that its venue takes is none. It never converts a currency: legs in different ones are no arb.
//!
//! Sources: shares `w_i = (1/o_i)/S`, the largest total `min limit_i / w_i`; a lay at L for a backer's stake b risks `b (L - 1)`.

use std::cmp::Ordering;

use crate::market::Side;
use crate::odds::Price;
use crate::venues::{Least, SizeStep};

use super::settlement::Payouts;

/// Millionths in one.
const UNIT: i128 = 1_000_000;
/// The total for which the rounded margin is published: 100 units of the currency, in minor units.
pub const DEFAULT_TOTAL: i64 = 10_000;
/// Legs up to which every way to round is tried: 2^4 of them.
const MOST_LEGS: usize = 4;

/// One leg, as the input of staking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// Its share of the total stake.
    pub share: f64,
    /// Back or lay.
    pub side: Side,
    /// The price on offer, by which a lay's risk is computed.
    pub price: Price,
    /// The most that the venue takes, in minor units: of the backer's stake, as books of orders state it.
    pub limit: Option<i64>,
    /// Of what an order is a multiple.
    pub step: SizeStep,
    /// The least that the venue takes.
    pub least: Least,
}

/// What is put down on a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stake {
    /// What is asked of the venue, in minor units: the stake of a back, the backer's stake of a lay. The cost of contracts is rounded up.
    pub placed: i64,
    /// What is risked, in millionths of a minor unit: the stake of a back, the liability of a lay.
    risked: i128,
}

impl Stake {
    /// What is risked, in minor units: the stake of a back, the liability of a lay.
    #[must_use]
    pub fn risked(&self) -> f64 {
        self.risked as f64 / UNIT as f64
    }

    /// The same, rounded up: what a lay must be able to pay; `None` beyond what fits.
    #[must_use]
    pub fn liability(&self) -> Option<i64> {
        i64::try_from(ceiling(self.risked, UNIT)).ok()
    }
}

/// Stakes that venues take.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounded {
    /// One a leg, in their order.
    pub stakes: Vec<Stake>,
    /// The least return on what is risked in total.
    pub margin_worst: f64,
}

impl Rounded {
    /// What is risked in total, in minor units.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.stakes.iter().map(Stake::risked).sum()
    }
}

impl Leg {
    /// What a minor unit that is placed risks, in millionths.
    fn risk(&self) -> i128 {
        match self.side {
            Side::Back => UNIT,
            Side::Lay => i128::from(self.price.millionths()) - UNIT,
        }
    }

    /// What is put down, and what it risks.
    pub(super) fn stake_of(&self, placed: i64) -> Stake {
        Stake { placed, risked: i128::from(placed) * self.risk() }
    }

    /// The most that may be risked, in minor units; `None` without a limit.
    pub(super) fn limit_risked(&self) -> Option<f64> {
        self.limit.map(|limit| self.stake_of(limit).risked())
    }

    /// So many of its steps. A contract costs what it pays by the price; a part of a millionth of a minor unit counts as one.
    fn stake_at(&self, steps: i64) -> Stake {
        match self.step {
            SizeStep::Money(step) => self.stake_of(steps * step),
            SizeStep::Contracts(step) => {
                let cost = ceiling(
                    i128::from(steps) * i128::from(step) * UNIT * UNIT,
                    self.price.millionths().into(),
                );
                #[allow(clippy::cast_possible_truncation)]
                // What is paid for contracts that pay less than 2^63 fits.
                let placed = ceiling(cost, UNIT) as i64;
                Stake { placed, risked: ceiling(cost * self.risk(), UNIT) }
            }
        }
    }

    /// How many steps the venue takes at least.
    fn least_steps(&self) -> i64 {
        let (price, risk) = (i128::from(self.price.millionths()), self.risk());
        let Least { stake, liability, contracts } = self.least;
        let liability = if self.side == Side::Lay { i128::from(liability) } else { 0 };
        let (stake, contracts) = (i128::from(stake), i128::from(contracts));
        let (least, step) = match self.step {
            SizeStep::Money(step) => {
                (stake.max(ceiling(contracts * UNIT, price)).max(ceiling(liability * UNIT, risk)), step)
            }
            SizeStep::Contracts(step) => {
                (contracts.max(ceiling(stake * price, UNIT)).max(ceiling(liability * price, risk)), step)
            }
        };
        i64::try_from(ceiling(least, step.into())).unwrap_or(i64::MAX).max(1)
    }

    /// How many steps just below and above are what is to be risked, in minor units; the second only where the first is less.
    fn steps_near(&self, risked: f64) -> (i64, Option<i64>) {
        let risk = self.risk() as f64;
        let of_step = match self.step {
            SizeStep::Money(step) => step as f64 * risk / UNIT as f64,
            SizeStep::Contracts(step) => step as f64 * risk / f64::from(self.price.millionths()),
        };
        let wanted = risked / of_step;
        // What is a multiple but for the noise of the arithmetic is that multiple.
        let (near, noise) = (wanted.round(), 1e-9 * wanted.max(1.0));
        let [below, above] =
            if (wanted - near).abs() <= noise { [near; 2] } else { [wanted.floor(), wanted.ceil()] };
        #[allow(clippy::cast_possible_truncation)] // Totals are far below 2^53.
        (below as i64, (above > below).then_some(above as i64))
    }

    /// So many of its steps, where that is within its limit.
    fn within_limit(&self, steps: i64) -> Option<Stake> {
        Some(self.stake_at(steps)).filter(|stake| self.limit.is_none_or(|limit| stake.placed <= limit))
    }

    /// The least that the venue takes, and what it risks.
    pub(super) fn least_stake(&self) -> Stake {
        self.stake_at(self.least_steps())
    }

    /// What may be put down to risk about so much, in minor units: the multiples just below and above, where the venue takes so little.
    pub(super) fn near(&self, risked: f64) -> [Option<Stake>; 2] {
        let (below, above) = self.steps_near(risked);
        let least = self.least_steps();
        [Some(below), above].map(|steps| self.within_limit(steps.filter(|steps| *steps >= least)?))
    }
}

/// A quotient, rounded up.
fn ceiling(of: i128, by: i128) -> i128 {
    -(-of).div_euclid(by)
}

/// The largest total, in minor units rounded down, at which no leg is above its limit; `None` when no limit is known.
#[must_use]
pub fn total_max(legs: &[Leg]) -> Option<i64> {
    let of = |leg: &Leg| {
        let risked = leg.limit? as f64 * leg.risk() as f64 / UNIT as f64;
        Some(risked / leg.share)
    };
    let least = legs.iter().filter_map(of).min_by(f64::total_cmp)?;
    #[allow(clippy::cast_possible_truncation)] // A total beyond 2^63 is cut to it.
    Some((least * (1.0 + 1e-12)).floor() as i64)
}

/// The way to round the shares of a total, in minor units, that has the best worst case: each leg down or up to a multiple of
/// its step, none above its limit, together never above the total. Ties: the smaller stakes. `None` for more than four legs, or
/// when a leg cannot be staked.
#[must_use]
pub fn round(legs: &[Leg], payouts: &Payouts, total: i64) -> Option<Rounded> {
    if legs.is_empty() || legs.len() > MOST_LEGS || legs.len() != payouts.legs() {
        return None;
    }
    let candidates: Vec<_> = legs.iter().map(|leg| leg.near(leg.share * total as f64)).collect();
    let ways = choices(&candidates)
        .filter_map(|stakes| Way::new(stakes, payouts).filter(|way| way.total <= i128::from(total) * UNIT));
    let best = ways.reduce(|best, way| if way.order(&best) == Ordering::Less { way } else { best })?;
    let margin_worst = best.least as f64 / (2.0 * UNIT as f64) / best.total as f64 - 1.0;
    Some(Rounded { stakes: best.stakes, margin_worst })
}

/// Every choice of one of the two candidates of each leg, where it has that one.
pub(super) fn choices(candidates: &[[Option<Stake>; 2]]) -> impl Iterator<Item = Vec<Stake>> {
    (0_usize..1 << candidates.len())
        .filter_map(|way| candidates.iter().enumerate().map(|(leg, both)| both[way >> leg & 1]).collect())
}

/// One way to round.
struct Way {
    stakes: Vec<Stake>,
    /// What it pays at least, in half millionths of what stakes are counted in.
    least: i128,
    total: i128,
}

impl Way {
    fn new(stakes: Vec<Stake>, payouts: &Payouts) -> Option<Self> {
        let risked: Vec<_> = stakes.iter().map(|stake| stake.risked).collect();
        let total: i128 = risked.iter().sum();
        (total > 0).then(|| Self { least: payouts.least(&risked), total, stakes })
    }

    /// The better way is the less: by its least return, exactly, then by what is risked and by how much on the largest leg.
    fn order(&self, other: &Self) -> Ordering {
        let largest = |way: &Self| way.stakes.iter().map(|stake| stake.risked).max();
        compare(other.least, other.total, self.least, self.total)
            .then(self.total.cmp(&other.total))
            .then(largest(self).cmp(&largest(other)))
    }
}

/// Compares a/b with c/d for b, d > 0, by whole parts and remainders, so that nothing overflows.
fn compare(a: i128, b: i128, c: i128, d: i128) -> Ordering {
    let (mut left, mut right, mut swapped) = ((a, b), (c, d), false);
    loop {
        let wholes = (left.0.div_euclid(left.1), right.0.div_euclid(right.1));
        let rests = (left.0.rem_euclid(left.1), right.0.rem_euclid(right.1));
        let found = wholes.0.cmp(&wholes.1).then_with(|| match rests {
            (0, 0) => Ordering::Equal,
            (0, _) => Ordering::Less,
            (_, 0) => Ordering::Greater,
            _ => Ordering::Equal,
        });
        if found != Ordering::Equal || rests.0 == 0 || rests.1 == 0 {
            return if swapped { found.reverse() } else { found };
        }
        // r/b < s/d exactly when d/s < b/r.
        (left, right, swapped) = ((left.1, rests.0), (right.1, rests.1), !swapped);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::market::{Bet, Market, Outcome};
    use crate::odds;
    use crate::venues::Level;

    /// A venue that takes whatever it is asked.
    const ANY: Least = Least { stake: 0, liability: 0, contracts: 0 };

    fn price(decimal: &str) -> Price {
        Price::from_decimal(decimal).unwrap()
    }

    /// Legs on the outcomes of a winner, and what they pay.
    fn winner(prices: &[Price], step: i64) -> (Vec<Leg>, Payouts) {
        let s = odds::implied_probability(prices);
        let leg = |price: &Price| Leg {
            share: odds::stake_share(*price, s),
            side: Side::Back,
            price: *price,
            limit: None,
            step: SizeStep::Money(step),
            least: ANY,
        };
        let outcomes: &[_] = if prices.len() == 2 {
            &[Outcome::Home, Outcome::Away]
        } else {
            &[Outcome::Home, Outcome::Draw, Outcome::Away]
        };
        let bet =
            |outcome: &Outcome| Bet::new(Market::parse("h2h").unwrap(), *outcome, Side::Back, None).unwrap();
        let bets: Vec<_> = outcomes.iter().map(bet).zip(prices.iter().copied()).collect();
        let level = if prices.len() == 2 { Level::Impossible } else { Level::Outcome };
        (prices.iter().map(leg).collect(), Payouts::new(&bets, level))
    }

    fn placed(rounded: &Rounded) -> Vec<i64> {
        rounded.stakes.iter().map(|stake| stake.placed).collect()
    }

    #[test]
    fn golden_three_way() {
        let prices = ["2.30", "3.50", "4.23"].map(price);
        let (legs, payouts) = winner(&prices, 1);
        // 95.69 is what a return of 100 costs.
        let rounded = round(&legs, &payouts, 9_569).unwrap();
        assert_eq!(placed(&rounded), [4_348, 2_857, 2_364]);
        assert!((rounded.total() - 9_569.0).abs() < 1e-9);
        // 28.57 at 3.50 pays 99.995, the least of the three.
        assert!((rounded.margin_worst - (99.995 / 95.69 - 1.0)).abs() < 1e-12);
        let profit = rounded.margin_worst * rounded.total() / 100.0;
        assert!((profit - 4.305).abs() < 1e-9, "{profit}");
        assert!(rounded.margin_worst <= odds::margin(odds::implied_probability(&prices)));
    }

    #[test]
    fn a_coarse_step_can_leave_nothing() {
        let (legs, payouts) = winner(&["2.02", "2.02"].map(price), 10_000);
        assert_eq!(round(&legs, &payouts, 10_000), None, "200 are not asked for");
        assert_eq!(placed(&round(&legs, &payouts, 20_000).unwrap()), [10_000, 10_000]);
        let (legs, payouts) = winner(&["1.03", "40"].map(price), 100);
        let rounded = round(&legs, &payouts, 10_000).unwrap();
        assert_eq!(placed(&rounded), [9_700, 300]);
        assert!(rounded.margin_worst < 0.0, "no longer an arb: {}", rounded.margin_worst);
        let (legs, payouts) = winner(&["1.01", "1000"].map(price), 100);
        assert_eq!(round(&legs, &payouts, 100), None);
    }

    #[test]
    fn rounded_stakes_respect_the_limits() {
        let (mut legs, payouts) = winner(&["2.30", "3.50", "4.23"].map(price), 1);
        assert_eq!(total_max(&legs), None);
        legs[0].limit = Some(4_347);
        legs[2].limit = Some(1_000_000);
        let most = total_max(&legs).unwrap();
        assert_eq!(most, 9_567, "43.47 of a share of .454364");
        let rounded = round(&legs, &payouts, most).unwrap();
        assert!(rounded.stakes[0].placed <= 4_347);
        legs[0].limit = Some(0);
        assert_eq!((total_max(&legs), round(&legs, &payouts, 10_000)), (Some(0), None));
    }

    #[test]
    fn a_lay_risks_its_liability() {
        let liability = |stake, odds| {
            let (step, side) = (SizeStep::Money(1), Side::Lay);
            Leg { share: 0.0, side, price: price(odds), limit: None, step, least: ANY }
                .stake_of(stake)
                .liability()
        };
        assert_eq!(liability(1_000, "3.5"), Some(2_500));
        assert_eq!(liability(1, "1.001"), Some(1), "a thousandth of a cent is a cent at risk");
        // Back at 4.2, lay at 3.8 for 2 %: "not X" at 1.35.
        let (back, lay) = (price("4.2"), price("3.8"));
        let not = crate::venues::Fee::Commission { ppm: 20_000 }.lay(lay).unwrap();
        let s = odds::implied_probability(&[back, not]);
        let market = Market::parse("h2h").unwrap();
        let leg = |side, price, effective| Leg {
            share: odds::stake_share(effective, s),
            side,
            price,
            limit: None,
            step: SizeStep::Money(1),
            least: ANY,
        };
        let legs = [leg(Side::Back, back, back), leg(Side::Lay, lay, not)];
        let bet = |side| Bet::new(market, Outcome::Home, side, None).unwrap();
        let payouts = Payouts::new(&[(bet(Side::Back), back), (bet(Side::Lay), not)], Level::Outcome);
        let rounded = round(&legs, &payouts, 10_000).unwrap();
        assert_eq!(placed(&rounded), [2_432, 2_702], "24.32 backed, 27.02 laid");
        assert!((rounded.stakes[1].risked() - 7_565.6).abs() < 1e-9, "27.02 at 3.8 risks 75.656");
        // X wins: 24.32 * 4.2 less what both cost; it does not: 75.656 * 1.35.
        let worst = (2_432.0 * 4.2_f64).min(7_565.6 * 1.35) / (2_432.0 + 7_565.6) - 1.0;
        assert!((rounded.margin_worst - worst).abs() < 1e-9 && worst > 0.02);
        let limited = [legs[0], Leg { limit: Some(1_000), ..legs[1] }];
        assert_eq!(total_max(&limited), Some(3_700), "10.00 laid risks 28.00, a share of .756757");
    }

    #[test]
    fn a_stake_below_the_least_is_none() {
        let (legs, payouts) = winner(&["1.10", "21"].map(price), 1);
        let of = |least| {
            let mut legs = legs.clone();
            legs[1].least = least;
            round(&legs, &payouts, 2_000).map(|rounded| placed(&rounded))
        };
        // Of 20.00 there are 0.9955 for the second leg.
        assert_eq!(of(ANY), Some(vec![1_900, 100]));
        assert_eq!(of(Least::UNKNOWN), Some(vec![1_900, 100]), "rounded up it is 1.00");
        assert_eq!(of(Least { stake: 101, ..ANY }), None);
        assert_eq!(of(Least { liability: 101, ..ANY }), Some(vec![1_900, 100]), "a back has no liability");
        assert_eq!(
            of(Least { contracts: 2_100, ..ANY }),
            Some(vec![1_900, 100]),
            "21 contracts at 21 cost 1.00"
        );
        assert_eq!(of(Least { contracts: 2_101, ..ANY }), None);
    }

    #[test]
    fn a_lay_has_a_least_stake_and_a_least_liability() {
        let lay = |odds, least| {
            let step = SizeStep::Money(1);
            Leg { share: 0.0, side: Side::Lay, price: price(odds), limit: None, step, least }.least_steps()
        };
        assert_eq!(lay("2.34", Least::UNKNOWN), 100);
        // At 1.20 a backer's stake of 5.00 risks 1.00.
        assert_eq!(lay("1.2", Least::UNKNOWN), 500);
        assert_eq!(lay("1.2", Least { stake: 200, liability: 0, contracts: 0 }), 200);
    }

    #[test]
    fn contracts_are_bought_whole() {
        // 40 and 55 cents a contract: 105 of each cost 99.75.
        let (mut legs, payouts) = winner(&["2.5", "1.818181"].map(price), 1);
        for leg in &mut legs {
            leg.step = SizeStep::Contracts(100);
        }
        let rounded = round(&legs, &payouts, 10_000).unwrap();
        assert_eq!(placed(&rounded), [4_200, 5_776], "105 at .55000024 cost 57.75003");
        assert!((rounded.margin_worst - (105.0 / 99.750_026 - 1.0)).abs() < 1e-8, "{}", rounded.margin_worst);
        legs[0].least = Least { contracts: 10_600, ..ANY };
        assert_eq!(round(&legs, &payouts, 10_000), None);
        // Of hundredths of a contract a stake is exact to a cent.
        for leg in &mut legs {
            (leg.step, leg.least) = (SizeStep::Contracts(1), ANY);
        }
        assert!((round(&legs, &payouts, 10_000).unwrap().total() - 10_000.0).abs() < 1.0);
    }

    #[test]
    fn pushes_are_in_the_rounded_worst_case() {
        let totals = Market::parse("totals").unwrap();
        let (over, under) = (price("2.1"), price("2.04"));
        let s = odds::implied_probability(&[over, under]);
        let leg = |price| Leg {
            share: odds::stake_share(price, s),
            side: Side::Back,
            price,
            limit: None,
            step: SizeStep::Money(1),
            least: ANY,
        };
        let bet = |outcome, line| Bet::new(totals, outcome, Side::Back, Some(line)).unwrap();
        let worst = |line| {
            let bets = [(bet(Outcome::Over, line), over), (bet(Outcome::Under, line), under)];
            round(&[leg(over), leg(under)], &Payouts::new(&bets, Level::Impossible), 10_000)
                .unwrap()
                .margin_worst
        };
        let margin = odds::margin(s);
        assert!(worst(47_000).abs() < 1e-12);
        assert!((worst(47_250) - margin / 2.0).abs() < 1e-4 && (worst(47_500) - margin).abs() < 1e-4);
    }

    #[test]
    fn fractions_are_compared_exactly() {
        let big = i128::MAX / 2;
        assert_eq!(compare(big, big - 1, big - 1, big - 2), Ordering::Less);
        assert_eq!(compare(1, 3, 2, 6), Ordering::Equal);
        assert_eq!(compare(-1, 3, 1, 3), Ordering::Less);
        assert_eq!(compare(0, 7, 0, 3), Ordering::Equal);
    }

    fn prices() -> impl Strategy<Value = Price> {
        (1_050_000_i64..30_000_000).prop_map(|millionths| Price::from_millionths(millionths).unwrap())
    }

    fn arbs() -> impl Strategy<Value = Vec<Price>> {
        prop::collection::vec(prices(), 2..4)
    }

    proptest! {
        #[test]
        fn comparing_is_dividing(a in -10_000_i128..10_000, b in 1_i128..10_000, c in -10_000_i128..10_000, d in 1_i128..10_000) {
            prop_assert_eq!(compare(a, b, c, d), (a * d).cmp(&(c * b)));
        }

        #[test]
        fn the_rounded_worst_case_is_never_above_the_margin(prices in arbs(), step in 1_i64..500, total in 1_000_i64..1_000_000) {
            let (legs, payouts) = winner(&prices, step);
            if let Some(rounded) = round(&legs, &payouts, total) {
                let margin = odds::margin(odds::implied_probability(&prices));
                prop_assert!(rounded.margin_worst <= margin + 1e-12);
                prop_assert!(rounded.stakes.iter().all(|stake| stake.placed > 0 && stake.placed % step == 0));
                prop_assert!(rounded.total() <= total as f64, "{} of {total}", rounded.total());
                // Not one step beside the best lattice point that it could have taken.
                let plain: Vec<_> = legs.iter().map(|leg| leg.share).collect();
                prop_assert!((payouts.margin_worst(&plain).unwrap() - margin).abs() < 1e-9);
            }
        }

        #[test]
        fn the_stakes_are_the_best_of_all(prices in arbs(), step in 1_i64..500, total in 10_000_i64..100_000) {
            let (legs, payouts) = winner(&prices, step);
            let rounded = round(&legs, &payouts, total);
            for way in 0..1 << legs.len() {
                let stakes: Vec<_> = legs.iter().enumerate().map(|(leg, l)| {
                    let exact = l.share * total as f64 / step as f64;
                    (if way >> leg & 1 == 1 { exact.ceil() } else { exact.floor() }) * step as f64
                }).collect();
                if stakes.iter().all(|stake| *stake > 0.0) && stakes.iter().sum::<f64>() <= total as f64 {
                    let worst = payouts.margin_worst(&stakes).unwrap();
                    prop_assert!(rounded.as_ref().is_some_and(|best| worst <= best.margin_worst + 1e-9));
                }
            }
        }

        #[test]
        fn multiples_of_the_lattice_change_nothing(prices in arbs(), step in 1_i64..50, total in 1_000_i64..100_000, times in 2_i64..50) {
            let (one, payouts) = winner(&prices, step);
            let (many, _) = winner(&prices, step * times);
            let (one, many) = (round(&one, &payouts, total), round(&many, &payouts, total * times));
            prop_assert_eq!(one.is_some(), many.is_some());
            if let (Some(one), Some(many)) = (one, many) {
                prop_assert!((one.margin_worst - many.margin_worst).abs() < 1e-12);
                prop_assert_eq!(placed(&one).iter().map(|stake| stake * times).collect::<Vec<_>>(), placed(&many));
            }
        }

        /// Whatever venues take, no stake is below it, and none is above its limit.
        #[test]
        fn no_stake_is_less_than_its_venue_takes(
            prices in arbs(),
            sizes in prop::collection::vec((any::<bool>(), 1_i64..300, 0_i64..4_000, 0_i64..4_000, 0_i64..8_000), 3),
            limit in 100_i64..8_000,
            total in 100_i64..20_000,
        ) {
            let (mut legs, payouts) = winner(&prices, 1);
            for (leg, (is_money, step, stake, liability, contracts)) in legs.iter_mut().zip(sizes) {
                leg.step = if is_money { SizeStep::Money(step) } else { SizeStep::Contracts(step) };
                (leg.least, leg.limit) = (Least { stake, liability, contracts }, Some(limit));
            }
            let Some(rounded) = round(&legs, &payouts, total) else { return Ok(()) };
            prop_assert!(rounded.total() <= total as f64 + 1e-6);
            for (stake, leg) in rounded.stakes.iter().zip(&legs) {
                let odds = leg.price.decimal();
                prop_assert!(stake.placed >= leg.least.stake && stake.placed <= limit);
                prop_assert!(stake.risked() <= stake.placed as f64 && stake.risked() > stake.placed as f64 - 1.0);
                // A contract pays a hundred minor units: as many hundredths.
                prop_assert!(stake.risked() * odds >= leg.least.contracts as f64 - 1e-3);
                let (whole, step) = match leg.step {
                    SizeStep::Money(step) => (stake.risked(), step),
                    SizeStep::Contracts(step) => (stake.risked() * odds, step),
                };
                let steps = whole / step as f64;
                prop_assert!((steps - steps.round()).abs() < 1e-3, "{} of {}", whole, step);
            }
        }

        #[test]
        fn the_order_of_legs_changes_nothing(prices in arbs(), step in 1_i64..500, total in 1_000_i64..100_000) {
            let (legs, payouts) = winner(&prices, step);
            let turned: Vec<_> = prices.iter().rev().copied().collect();
            let (turned, turned_payouts) = winner(&turned, step);
            let (one, two) = (round(&legs, &payouts, total), round(&turned, &turned_payouts, total));
            prop_assert_eq!(one.is_some(), two.is_some());
            if let (Some(one), Some(mut two)) = (one, two) {
                two.stakes.reverse();
                prop_assert!((one.margin_worst - two.margin_worst).abs() < 1e-12);
                prop_assert!(one.total() <= two.total() + 1e-6 && one.total() >= two.total() - 1e-6);
            }
        }

        #[test]
        fn the_largest_total_keeps_every_limit(prices in arbs(), limits in prop::collection::vec(0_i64..1_000_000, 3)) {
            let (mut legs, _) = winner(&prices, 1);
            legs.iter_mut().zip(&limits).for_each(|(leg, limit)| leg.limit = Some(*limit));
            let most = total_max(&legs).unwrap() as f64;
            prop_assert!(legs.iter().zip(&limits).all(|(leg, limit)| leg.share * most <= *limit as f64 + 1e-6));
            prop_assert!(legs.iter().zip(&limits).any(|(leg, limit)| leg.share * (most + 1.0) > *limit as f64 - 1e-6));
        }

        #[test]
        fn a_lower_limit_never_raises_what_is_staked(
            prices in arbs(),
            limits in prop::collection::vec(1_i64..20_000, 3),
            lowered in 0_usize..3,
            by in 1_i64..20_000,
            step in 1_i64..20,
        ) {
            let staked = |limits: &[i64]| {
                let (mut legs, payouts) = winner(&prices, step);
                legs.iter_mut().zip(limits).for_each(|(leg, limit)| leg.limit = Some(*limit));
                let most = total_max(&legs).unwrap();
                let rounded = round(&legs, &payouts, most.min(DEFAULT_TOTAL));
                let kept = rounded.iter().flat_map(placed).zip(limits).all(|(stake, limit)| stake <= *limit);
                (most, rounded.map(|rounded| rounded.total()), kept)
            };
            let mut lower = limits.clone();
            lower[lowered] = (limits[lowered] - by).max(0);
            let ((most, total, kept), (most_lower, total_lower, kept_lower)) = (staked(&limits), staked(&lower));
            prop_assert!(kept && kept_lower && most_lower <= most);
            if let (Some(total), Some(total_lower)) = (total, total_lower) {
                // Of a lower total a leg may be rounded up that was rounded down, or the other way round: by a step at most.
                let lattice = 2.0 * step as f64 * prices.len() as f64;
                prop_assert!(total_lower <= total + lattice && total_lower <= most_lower as f64 + lattice);
            }
        }
    }

    proptest! {
        /// Staked by the shares in whole cents, every outcome returns the same but for the cents that rounding moved: at most one a leg,
        /// times its price.
        #[test]
        fn returns_are_equal_within_the_cents_of_rounding(prices in arbs(), total in 5_000..1_000_000_i64) {
            let s = odds::implied_probability(&prices);
            let (legs, payouts) = winner(&prices, 1);
            let Some(rounded) = round(&legs, &payouts, total) else { return Ok(()) };
            prop_assert!(rounded.total() <= total as f64 + 1e-9);
            let odds = |price: &Price| f64::from(price.millionths()) / 1e6;
            let even = total as f64 / s;
            for (stake, price) in rounded.stakes.iter().zip(&prices) {
                let returned = stake.placed as f64 * odds(price);
                prop_assert!((returned - even).abs() <= odds(price) * 1.000_001, "{} {}", returned, even);
            }
        }
    }
}
