//! Settlement: every way in which the bets of an arb can end, and what each pays.
//!
//! A **result** is the number that decides a market: home score less away score, or the sum of both. Scores
//! are whole, so a finite set of results represents all: those beside each line. Bets of one market are
//! settled together, on one line or on several (a *middle*, where both can win, and a *gap*, where both can
//! lose). Pay-outs are gross, per unit of stake, at effective prices, in half millionths: integers, so that
//! two ways to stake can be compared exactly. It never chooses a stake.
//!
//! Sources: the rules of Asian handicaps (a quarter line is half a bet on each neighbouring half line: a half win pays
//! `(1 + o)/2`, a half loss 1/2); dead heats pay half the ticket's face value (`BetMGM` and Pinnacle, rules for Australian
//! football). The pay-out of a lay, per unit of liability, is that of a back of "not X".

use crate::market::{Bet, Family, Line, Outcome, Side, WHOLE};
use crate::odds::Price;
use crate::venues::{Level, VoidPays};

/// Half millionths in one.
const ONE: i64 = 2_000_000;
/// A quarter of it.
const QUARTER: Line = WHOLE / 4;

/// What became of a bet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Settlement {
    Won,
    HalfWon,
    Pushed,
    HalfLost,
    Lost,
    /// Half the stake won at its price, half lost.
    DeadHeat,
}

impl Settlement {
    /// What it pays per unit of stake, in half millionths. For a lay leg stake and price are those of the back of "not X" that it is.
    /// In a dead heat a commission would be taken of the net winnings only: the answer is at most that much too low.
    #[must_use]
    pub fn pays(self, price: Price) -> i64 {
        let odds = i64::from(price.millionths());
        match self {
            Self::Won => 2 * odds,
            Self::HalfWon => ONE / 2 + odds,
            Self::Pushed => ONE,
            Self::HalfLost => ONE / 2,
            Self::Lost => 0,
            Self::DeadHeat => odds,
        }
    }

    /// The one that pays so much. Where two do, as a push and a dead heat at even odds, it is the more usual.
    pub(super) fn that_pays(pays: i64, price: Price) -> Self {
        let all = [Self::Won, Self::Lost, Self::Pushed, Self::HalfWon, Self::HalfLost];
        all.into_iter().find(|settlement| settlement.pays(price) == pays).unwrap_or(Self::DeadHeat)
    }

    /// Its name.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::HalfWon => "half_won",
            Self::Pushed => "pushed",
            Self::HalfLost => "half_lost",
            Self::Lost => "lost",
            Self::DeadHeat => "dead_heat",
        }
    }

    /// The same for a lay bet.
    #[must_use]
    pub fn laid(self) -> Self {
        match self {
            Self::Won => Self::Lost,
            Self::HalfWon => Self::HalfLost,
            Self::Pushed => Self::Pushed,
            Self::HalfLost => Self::HalfWon,
            Self::Lost => Self::Won,
            Self::DeadHeat => Self::DeadHeat,
        }
    }
}

/// What becomes of a bet at a result of its market, in whole goals, points or runs.
#[must_use]
pub fn settle(bet: &Bet, result: i32, level: Level) -> Settlement {
    let backed = match (bet.market().family, bet.line()) {
        (Family::Spreads | Family::Totals, Some(line)) => on_line(bet.outcome(), line, result),
        (Family::H2h3Way, _) => winner(bet.outcome(), result, Level::Outcome),
        (Family::DrawNoBet, _) => winner(bet.outcome(), result, Level::Refunded),
        (Family::H2h | Family::Spreads | Family::Totals, _) => winner(bet.outcome(), result, level),
    };
    if bet.side() == Side::Lay { backed.laid() } else { backed }
}

fn winner(outcome: Outcome, result: i32, level: Level) -> Settlement {
    let won = match outcome {
        Outcome::Home => result > 0,
        Outcome::Away => result < 0,
        _ => result == 0,
    };
    match level {
        _ if won => Settlement::Won,
        Level::Refunded if result == 0 => Settlement::Pushed,
        Level::DeadHeat if result == 0 => Settlement::DeadHeat,
        _ => Settlement::Lost,
    }
}

/// The two lines that a bet on a line is made of: equal ones, but for a quarter line.
fn halves(line: Line) -> [i64; 2] {
    let is_quarter = (line % (WHOLE / 2)).abs() == QUARTER;
    let apart = if is_quarter { QUARTER } else { 0 };
    [i64::from(line) - i64::from(apart), i64::from(line) + i64::from(apart)]
}

fn on_line(outcome: Outcome, line: Line, result: i32) -> Settlement {
    let result = i64::from(result) * i64::from(WHOLE);
    let won = halves(line).map(|line| match outcome {
        Outcome::Home => (result + line).signum(),
        Outcome::Away => -(result + line).signum(),
        Outcome::Over => (result - line).signum(),
        _ => -(result - line).signum(),
    });
    match won[0] + won[1] {
        2 => Settlement::Won,
        1 => Settlement::HalfWon,
        0 => Settlement::Pushed,
        -1 => Settlement::HalfLost,
        _ => Settlement::Lost,
    }
}

/// What a void bet pays per unit of stake, in half millionths: of what is not known the least.
#[must_use]
pub fn void_pays(pays: VoidPays, price: Price) -> i64 {
    match pays {
        VoidPays::Refund => Settlement::Pushed.pays(price),
        VoidPays::Half => Settlement::DeadHeat.pays(price),
        VoidPays::Anything => Settlement::Lost.pays(price),
    }
}

/// The results that represent all, sorted: those beside each line of the bets, and for winners a result each
/// way and the level one.
#[must_use]
pub fn results<'a>(bets: impl IntoIterator<Item = &'a Bet>, level: Level) -> Vec<i32> {
    let mut results = Vec::new();
    for bet in bets {
        match (bet.market().family, bet.line()) {
            (Family::Totals, Some(line)) => results.extend(beside(line).filter(|result| *result >= 0)),
            (_, Some(line)) => results.extend(beside(line.saturating_neg())),
            (Family::H2h, None) if level == Level::Impossible => results.extend([-1, 1]),
            _ => results.extend([-1, 0, 1]),
        }
    }
    results.sort_unstable();
    results.dedup();
    results
}

fn beside(line: Line) -> impl Iterator<Item = i32> {
    let below = line.div_euclid(WHOLE);
    (below - 1)..=(below + 2)
}

/// What legs pay at each result, a level result doing this to each.
fn rows(legs: &[(Bet, Price)], levels: &[Level]) -> Vec<Vec<i64>> {
    let impossible = levels.iter().find(|level| **level == Level::Impossible);
    let level = impossible.or(levels.first()).copied().unwrap_or(Level::Impossible);
    let row = |result: i32| {
        let pays = |((bet, price), level): (&(Bet, Price), &Level)| settle(bet, result, *level).pays(*price);
        legs.iter().zip(levels).map(pays).collect()
    };
    results(legs.iter().map(|(bet, _)| bet), level).into_iter().map(row).collect()
}

/// What the legs pay in each way in which they can end, each way once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payouts {
    /// A row a way: per unit of stake of each leg, in half millionths.
    rows: Vec<Vec<i64>>,
    legs: usize,
}

impl Payouts {
    /// Of legs of one market, at effective prices. Of bets on different markets the rows would mean nothing.
    #[must_use]
    pub fn new(legs: &[(Bet, Price)], level: Level) -> Self {
        Self::at_books(legs, &[vec![level; legs.len()]])
    }

    /// Where books do not settle a level result alike, or it is not known how: `levels` has what it may do, in each way one
    /// level a leg. It cannot happen where it cannot at one leg's book: that follows from the sport.
    #[must_use]
    pub fn at_books(legs: &[(Bet, Price)], levels: &[Vec<Level>]) -> Self {
        let mut rows: Vec<_> = levels.iter().flat_map(|levels| rows(legs, levels)).collect();
        rows.sort_unstable();
        rows.dedup();
        Self { rows, legs: legs.len() }
    }

    /// Only those settlements in which every leg is won or lost, for stakes that may break even on a push;
    /// `legs` are the legs of these pay-outs.
    #[must_use]
    pub fn decided(mut self, legs: &[(Bet, Price)]) -> Self {
        let is_decided = |(pays, (_, price)): (&i64, &(Bet, Price))| {
            [Settlement::Won, Settlement::Lost].map(|end| end.pays(*price)).contains(pays)
        };
        self.rows.retain(|row| row.iter().zip(legs).all(is_decided));
        self
    }

    /// Only those in which not every stake comes back as it was.
    pub(super) fn without_refund(mut self) -> Self {
        self.rows.retain(|row| row.iter().any(|pays| *pays != ONE));
        self
    }

    /// How many legs.
    #[must_use]
    pub fn legs(&self) -> usize {
        self.legs
    }

    /// The same in half millionths.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[i64]> {
        self.rows.iter().map(Vec::as_slice)
    }

    /// Gross pay-out per unit in each way, by leg.
    pub fn ways(&self) -> impl Iterator<Item = impl Iterator<Item = f64>> {
        self.rows.iter().map(|row| row.iter().map(|pays| *pays as f64 / ONE as f64))
    }

    /// The least return over all ways, for legs that are staked in these proportions: 0.01 is 1 % of the total stake. `None`
    /// without legs or stakes.
    #[must_use]
    pub fn margin_worst(&self, stakes: &[f64]) -> Option<f64> {
        let total: f64 = stakes.iter().sum();
        if stakes.len() != self.legs || total <= 0.0 {
            return None;
        }
        let paid = self.ways().map(|row| row.zip(stakes).map(|(pays, stake)| pays * stake).sum::<f64>());
        paid.min_by(f64::total_cmp).map(|least| least / total - 1.0)
    }

    /// The most of the total stake that is lost when one leg is void and another is not, of legs that are staked in these proportions: a
    /// void one pays what its book states (`void`, in half millionths per unit of stake), the others what they pay in any way. At
    /// least one is void; never below 0.
    #[must_use]
    pub fn void_loss_max(&self, stakes: &[f64], void: &[i64]) -> Option<f64> {
        let total: f64 = stakes.iter().sum();
        if stakes.len() != self.legs || void.len() != self.legs || total <= 0.0 {
            return None;
        }
        let sets = 1..1_u32 << self.legs;
        let paid = |row: &Vec<i64>, set: u32| -> f64 {
            let pays = |at: usize| if set >> at & 1 == 1 { void[at] } else { row[at] };
            stakes.iter().enumerate().map(|(at, stake)| pays(at) as f64 / ONE as f64 * stake).sum()
        };
        let ways = self.rows.iter().flat_map(|row| sets.clone().map(move |set| paid(row, set)));
        ways.min_by(f64::total_cmp).map(|least| (1.0 - least / total).max(0.0))
    }

    /// The least that whole stakes pay over all ways, in half millionths of their unit.
    pub(crate) fn least(&self, stakes: &[i128]) -> i128 {
        let paid =
            |row: &Vec<i64>| row.iter().zip(stakes).map(|(pays, stake)| i128::from(*pays) * stake).sum();
        self.rows.iter().map(paid).min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::market::Market;
    use crate::odds;
    use Settlement::{DeadHeat, HalfLost, HalfWon, Lost, Pushed, Won};

    fn bet(market: &str, outcome: Outcome, line: Option<Line>) -> Bet {
        Bet::new(Market::parse(market).unwrap(), outcome, Side::Back, line).unwrap()
    }

    fn lay(market: &str, outcome: Outcome) -> Bet {
        Bet::new(Market::parse(market).unwrap(), outcome, Side::Lay, None).unwrap()
    }

    fn price(decimal: &str) -> Price {
        Price::from_decimal(decimal).unwrap()
    }

    /// Settlements at these results.
    fn at(bet: &Bet, results: &[i32], level: Level) -> Vec<Settlement> {
        results.iter().map(|result| settle(bet, *result, level)).collect()
    }

    #[test]
    fn golden_payouts() {
        let pays =
            [Won, HalfWon, Pushed, HalfLost, Lost, DeadHeat].map(|settlement| settlement.pays(price("2.5")));
        // 2.5, 1.75, 1, 0.5, 0, 1.25.
        assert_eq!(pays, [5_000_000, 3_500_000, 2_000_000, 1_000_000, 0, 2_500_000]);
    }

    #[test]
    fn lines_settle_by_their_halves() {
        let level = Level::Impossible;
        let over = |line| at(&bet("totals", Outcome::Over, Some(line)), &[1, 2, 3], level);
        assert_eq!(over(2_500), [Lost, Lost, Won]);
        assert_eq!(over(2_000), [Lost, Pushed, Won]);
        assert_eq!(over(2_250), [Lost, HalfLost, Won]);
        assert_eq!(over(1_750), [Lost, HalfWon, Won]);
        let under = |line| at(&bet("totals", Outcome::Under, Some(line)), &[1, 2, 3], level);
        assert_eq!(under(2_250), [Won, HalfWon, Lost]);
        // The home side gives a goal and a quarter: it must win by two.
        let home = |line| at(&bet("spreads", Outcome::Home, Some(line)), &[0, 1, 2], level);
        assert_eq!(home(-1_250), [Lost, HalfLost, Won]);
        assert_eq!(home(-750), [Lost, HalfWon, Won]);
        assert_eq!(home(-1_000), [Lost, Pushed, Won]);
        assert_eq!(home(250), [HalfWon, Won, Won]);
        assert_eq!(at(&bet("spreads", Outcome::Away, Some(-1_250)), &[0, 1, 2], level), [Won, HalfWon, Lost]);
    }

    #[test]
    fn winners_settle_by_what_a_level_result_does() {
        let home = |market: &str, level| at(&bet(market, Outcome::Home, None), &[-3, 0, 2], level);
        assert_eq!(home("h2h", Level::Outcome), [Lost, Lost, Won]);
        assert_eq!(home("h2h", Level::Refunded), [Lost, Pushed, Won]);
        assert_eq!(home("h2h", Level::DeadHeat), [Lost, DeadHeat, Won]);
        assert_eq!(home("h2h_3_way", Level::Refunded), [Lost, Lost, Won]);
        assert_eq!(home("draw_no_bet", Level::Outcome), [Lost, Pushed, Won]);
        assert_eq!(at(&bet("h2h", Outcome::Draw, None), &[-3, 0, 2], Level::Outcome), [Lost, Won, Lost]);
        assert_eq!(at(&lay("h2h", Outcome::Home), &[-3, 0, 2], Level::DeadHeat), [Won, DeadHeat, Lost]);
        assert_eq!(at(&lay("h2h", Outcome::Draw), &[-3, 0, 2], Level::Outcome), [Won, Lost, Won]);
    }

    fn worst(legs: &[(Bet, Price)], level: Level) -> f64 {
        let stakes: Vec<_> = legs.iter().map(|(_, price)| price.implied_probability()).collect();
        Payouts::new(legs, level).margin_worst(&stakes).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn golden_worst_cases() {
        let (two, three) = (price("2.1"), price("2.04"));
        let margin = odds::margin(odds::implied_probability(&[two, three]));
        let h2h = [(bet("h2h", Outcome::Home, None), two), (bet("h2h", Outcome::Away, None), three)];
        assert!(close(worst(&h2h, Level::Impossible), margin) && close(worst(&h2h, Level::Refunded), 0.0));
        // Each pays half of what it would: together as much as either alone.
        assert!(close(worst(&h2h, Level::DeadHeat), margin));
        assert!(close(worst(&h2h, Level::Outcome), -1.0), "no leg covers the draw");
        // Back at 2.1, lay at 1.9 for 5 %: not X at 1 + 0.95/0.9.
        let lay = [(bet("h2h", Outcome::Home, None), two), (lay("h2h", Outcome::Home), price("2.055555"))];
        let margin = odds::margin(odds::implied_probability(&[two, price("2.055555")]));
        for level in [Level::Impossible, Level::Outcome, Level::DeadHeat] {
            assert!(close(worst(&lay, level), margin), "{level:?}");
        }
        assert!(close(worst(&lay, Level::Refunded), 0.0));
    }

    #[test]
    fn a_middle_covers_all_and_a_gap_does_not() {
        let (o, p) = (price("2.1"), price("2.0"));
        let pair = |over, under| {
            [(bet("totals", Outcome::Over, Some(over)), o), (bet("totals", Outcome::Under, Some(under)), p)]
        };
        let margin = odds::margin(odds::implied_probability(&[o, p]));
        let middle = pair(2_500, 3_500);
        assert!(close(worst(&middle, Level::Impossible), margin));
        let payouts = Payouts::new(&middle, Level::Impossible);
        assert_eq!(payouts.ways().count(), 3, "one, the other, both");
        assert!(payouts.ways().any(|row| row.sum::<f64>() > 4.0));
        assert!(close(worst(&pair(3_500, 2_500), Level::Impossible), -1.0));
        // One push and one win is more than either win alone; two whole lines apart by one hit no line twice.
        assert!(close(worst(&pair(2_000, 3_000), Level::Impossible), margin));
        // Home -2 with away +3: the home side by 2 or 3 is a push and a win.
        let spreads = [
            (bet("spreads", Outcome::Home, Some(-2_000)), o),
            (bet("spreads", Outcome::Away, Some(-3_000)), p),
        ];
        assert!(close(worst(&spreads, Level::Impossible), margin));
        let spreads = [
            (bet("spreads", Outcome::Home, Some(-3_500)), o),
            (bet("spreads", Outcome::Away, Some(-2_500)), p),
        ];
        assert!(close(worst(&spreads, Level::Impossible), -1.0));
    }

    #[test]
    fn no_legs_have_no_worst_case() {
        assert_eq!(Payouts::new(&[], Level::Outcome).margin_worst(&[]), None);
        let one = Payouts::new(&[(bet("h2h", Outcome::Home, None), price("2"))], Level::Outcome);
        assert_eq!((one.margin_worst(&[]), one.margin_worst(&[0.0])), (None, None));
        assert_eq!(one.margin_worst(&[3.0]), Some(-1.0));
    }

    fn prices() -> impl Strategy<Value = Price> {
        (1_010_000_i64..30_000_000).prop_map(|millionths| Price::from_millionths(millionths).unwrap())
    }

    fn pairs() -> impl Strategy<Value = (Bet, Bet)> {
        let line = (-80_i32..80).prop_map(|quarters| quarters * QUARTER);
        prop_oneof![
            line.clone().prop_map(|line| {
                (bet("spreads", Outcome::Home, Some(line)), bet("spreads", Outcome::Away, Some(line)))
            }),
            line.prop_map(|line| {
                let line = Some(line.abs());
                (bet("totals", Outcome::Over, line), bet("totals", Outcome::Under, line))
            }),
            Just((bet("h2h", Outcome::Home, None), bet("h2h", Outcome::Away, None))),
            Just((bet("draw_no_bet", Outcome::Home, None), bet("draw_no_bet", Outcome::Away, None))),
        ]
    }

    /// The least return over settlement states by hand, for both sides of a line that are staked so that either pays the same.
    ///
    /// Where a whole line is hit, both stakes come back; a quarter line is two bets, one on each neighbour, of which one
    /// returns its stakes and the other pays in full. Source: Asian handicap rules.
    fn by_hand(margin: f64, bet: Bet) -> f64 {
        match (bet.market().family, bet.line()) {
            (Family::DrawNoBet, _) => margin.min(0.0),
            (Family::Spreads | Family::Totals, Some(line)) if line % WHOLE == 0 => margin.min(0.0),
            (Family::Spreads | Family::Totals, Some(line)) if (line % (WHOLE / 2)).abs() == WHOLE / 4 => {
                margin.min(margin / 2.0)
            }
            _ => margin,
        }
    }

    #[test]
    fn a_leg_that_is_void_leaves_the_other_alone() {
        // Of 1 .5 is on each at 2.1: one comes back, the other loses; both back is nothing lost.
        let legs = [price("2.1"), price("2.1")];
        let outcomes = [Outcome::Home, Outcome::Away];
        let bets: Vec<_> = outcomes.iter().zip(legs).map(|(of, at)| (bet("h2h", *of, None), at)).collect();
        let payouts = Payouts::new(&bets, Level::Impossible);
        let lost = |void: [VoidPays; 2]| {
            let pays: Vec<_> = void.iter().zip(legs).map(|(of, at)| void_pays(*of, at)).collect();
            payouts.void_loss_max(&[0.5, 0.5], &pays).unwrap()
        };
        assert!(close(lost([VoidPays::Refund, VoidPays::Refund]), 0.5));
        // Half a dollar a contract is 1.05 of what it cost, and the least is when the refunded one is void and the contract loses.
        assert!(close(lost([VoidPays::Refund, VoidPays::Half]), 0.5));
        assert!(close(lost([VoidPays::Half, VoidPays::Half]), 0.475));
        assert!(close(lost([VoidPays::Anything, VoidPays::Refund]), 1.0), "nothing, and a lost bet");
        assert_eq!(payouts.void_loss_max(&[], &[]), None);
    }

    proptest! {
        #[test]
        fn the_closed_form_of_one_line_is_the_minimum_over_all_ways((a, b) in pairs(), o in prices(), p in prices()) {
            let margin = odds::margin(odds::implied_probability(&[o, p]));
            // Under 0 or under a quarter hits nothing below its line: the least of fewer ways is not lower.
            let closed = by_hand(margin, a);
            let found = worst(&[(a, o), (b, p)], Level::Impossible);
            prop_assert!(found >= closed - 1e-9, "{found} {closed}");
            prop_assert!(a.line().is_some_and(|line| line < WHOLE) || (found - closed).abs() < 1e-9, "{found} {closed}");
        }

        #[test]
        fn any_result_ends_as_one_that_stands_for_it((a, b) in pairs(), o in prices(), p in prices(), result in 0_i32..200) {
            let legs = [(a, o), (b, p)];
            let payouts = Payouts::new(&legs, Level::Impossible);
            let result = if a.market().family == Family::Totals { result } else { result - 100 };
            prop_assume!(result != 0 || a.line().is_some() || a.market().family == Family::DrawNoBet);
            let row: Vec<_> = legs.iter().map(|(bet, price)| settle(bet, result, Level::Impossible).pays(*price)).collect();
            prop_assert!(payouts.rows.contains(&row), "{result}");
        }

        #[test]
        fn the_order_of_legs_changes_nothing((a, b) in pairs(), o in prices(), p in prices(), w in 0.01_f64..0.99) {
            let one = Payouts::new(&[(a, o), (b, p)], Level::Refunded).margin_worst(&[w, 1.0 - w]).unwrap();
            let two = Payouts::new(&[(b, p), (a, o)], Level::Refunded).margin_worst(&[1.0 - w, w]).unwrap();
            prop_assert!((one - two).abs() < 1e-12);
        }

        #[test]
        fn a_worse_price_never_raises_the_worst_case((a, b) in pairs(), o in prices(), p in prices(), less in 1_i64..9_000) {
            let lower = Price::from_millionths(i64::from(o.millionths()) - less).unwrap();
            let of = |price| Payouts::new(&[(a, price), (b, p)], Level::Refunded).margin_worst(&[0.5, 0.5]).unwrap();
            prop_assert!(of(lower) <= of(o));
            prop_assert!(worst(&[(a, lower), (b, p)], Level::Refunded) <= worst(&[(a, o), (b, p)], Level::Refunded) + 1e-12
                || worst(&[(a, lower), (b, p)], Level::Refunded) <= 1e-12);
        }

        #[test]
        fn the_lays_of_all_outcomes_are_an_arb_when_they_are_too_short(home in prices(), away in prices()) {
            // Laying both sides is backing both sides, each for the other.
            let legs = [(lay("h2h", Outcome::Home), home), (lay("h2h", Outcome::Away), away)];
            let margin = odds::margin(odds::implied_probability(&[home, away]));
            prop_assert!((worst(&legs, Level::Impossible) - margin).abs() < 1e-9);
        }
    }

    /// A set of outcomes exhausts its market: at every result of a whole match exactly one of them wins, or all stakes come back, and
    /// on a line the halves of the bets of both sides always cancel out.
    #[test]
    fn exactly_one_outcome_of_a_set_wins() {
        use crate::market::outcome_set;
        for (key, line) in [
            ("h2h", None),
            ("h2h_3_way", None),
            ("draw_no_bet", None),
            ("spreads", Some(-1_500)),
            ("spreads", Some(-1_000)),
            ("spreads", Some(250)),
            ("totals", Some(2_500)),
            ("totals", Some(2_000)),
            ("totals", Some(2_750)),
        ] {
            let market = Market::parse(key).unwrap();
            let set = outcome_set(market, true);
            let results = if key == "totals" { 0..9 } else { -5..6 };
            for result in results {
                let paid: i64 = set
                    .iter()
                    .map(|outcome| {
                        let bet = Bet::new(market, *outcome, Side::Back, line).unwrap();
                        // At odds of 2 a bet that wins pays 2, one that is refunded 1: of two bets one wins
                        // what the other loses.
                        settle(&bet, result, Level::Outcome).pays(Price::from_decimal("2").unwrap())
                    })
                    .sum();
                assert_eq!(paid, 2 * ONE, "{key} {line:?} at {result}");
            }
        }
    }
}
