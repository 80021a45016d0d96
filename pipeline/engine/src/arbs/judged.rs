//! An arb at its current quotes: its verification flags, and its stakes.
//!
//! A leg's limit is that of its quote's latest tick: of a lay the backer's stake, from which `stakes`
//! computes the liability where totals are concerned. A leg without a reported limit is staked without one,
//! with a warning. It never changes a window, and decides nothing that a window's lifecycle depends on.

use std::sync::Arc;

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::{Basis, Flag, Verification};
use crate::market::{Bet, Limit, Outcome, Policy, QuoteKey};
use crate::odds::{self, Price};
use crate::quotes::Quote;
use crate::venues::{Book, Level, Topic, verdict};

use super::best::Arb;
use super::checks::{self, BetsOf, Case, Findings};
use super::measure::Measure;
use super::settlement::{self, Payouts};
use super::stakes::{self, Leg, Rounded};

/// An arb at its current quotes: its verification flags, and its stakes.
pub(crate) struct Judged<'a> {
    pub(super) arb: &'a Arb<'a>,
    pub(super) staked: Arc<Staked>,
    pub(super) findings: Findings,
    pub(crate) basis: Basis,
    pub(crate) margin: f64,
    pub(crate) verification: Verification,
    pub(crate) fresh_until: Micros,
}

/// What may be put on the legs of an arb.
#[derive(Debug)]
pub(crate) struct Staked {
    /// On what it depends.
    offers: Vec<Offer>,
    pair: Option<Outcome>,
    pub(super) shares: Vec<f64>,
    /// Least return over settlement states, staked by the shares.
    pub(super) margin_worst: f64,
    /// For the total that is asked for, or less where limits are lower.
    pub(super) rounded: Option<Rounded>,
    /// In minor units.
    pub(super) total_max: Option<i64>,
    /// By what topic the legs may be paid otherwise when the match is not played as planned, and the most that is lost then.
    pub(super) void: Option<(Topic, f64)>,
}

/// What of a leg decides its stake; the last is whether its book has listed a draw.
type Offer = (QuoteKey, Price, Price, Option<Limit>, bool);

/// What may be put on the legs of a window, where that was computed before. It follows from the legs, so it makes no window
/// another one.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownStakes(Option<Arc<Staked>>);

impl PartialEq for KnownStakes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<'a> Judged<'a> {
    /// Judges an arb among the quotes of its line.
    pub(crate) fn of(
        arb: &'a Arb<'a>,
        line: &[Quote],
        known: &KnownStakes,
        context: &MarketContext<'_>,
    ) -> Self {
        let (staked, margin) = (known.or_of(arb, context), odds::margin(arb.implied_probability));
        let basis = basis(arb, context);
        let findings = checks::judge(&case((arb, line), &staked, &basis, context));
        let verification = findings.verification();
        let fresh_until = checks::fresh_until(&arb.legs, &basis);
        Self { arb, staked, findings, basis, margin, verification, fresh_until }
    }

    /// What may be put on its legs, for when they are judged again.
    pub(crate) fn stakes(&self) -> KnownStakes {
        KnownStakes(Some(Arc::clone(&self.staked)))
    }
}

impl KnownStakes {
    /// What may be put on the legs of an arb: what is known if it is of such legs, and of the same event.
    fn or_of(&self, arb: &Arb<'_>, context: &MarketContext<'_>) -> Arc<Staked> {
        let known = self.0.as_ref().filter(|known| known.is_of(arb, context) && !context.step.event_changed);
        known.map_or_else(|| Arc::new(Staked::of(arb, context)), Arc::clone)
    }
}

/// All that the flags of an arb depend on, by the basis on which they were decided, in the order of the flags. What explains them
/// is what decides them.
pub(crate) fn explain(
    arb: &Arb<'_>,
    line: &[Quote],
    basis: &Basis,
    context: &MarketContext<'_>,
) -> Vec<(Flag, Vec<Measure>)> {
    let staked = Staked::of(arb, context);
    let case = case((arb, line), &staked, basis, context);
    Flag::ALL.into_iter().map(|flag| (flag, checks::measures(flag, &case).collect())).collect()
}

/// By what the flags of an arb are decided now.
pub(crate) fn basis(arb: &Arb<'_>, context: &MarketContext<'_>) -> Basis {
    Basis {
        at: context.step.now,
        margin_limit: margin_limit(context),
        expected: arb.legs.iter().map(|leg| expected(leg, context)).collect(),
    }
}

/// Whether [`basis`] of these legs is now what it was, but for the time.
pub(super) fn is_on_basis(basis: &Basis, legs: &[Quote], context: &MarketContext<'_>) -> bool {
    basis.margin_limit.to_bits() == margin_limit(context).to_bits()
        && legs.iter().map(|leg| expected(leg, context)).eq(basis.expected.iter().copied())
}

fn margin_limit(context: &MarketContext<'_>) -> f64 {
    context.step.margins.limit(context.in_play())
}

fn expected(leg: &Quote, context: &MarketContext<'_>) -> Micros {
    context.step.moment.expected.interval(leg.key.book().index())
}

fn case<'a>(
    (arb, line): (&'a Arb<'_>, &'a [Quote]),
    staked: &Staked,
    basis: &'a Basis,
    context: &MarketContext<'a>,
) -> Case<'a> {
    Case {
        legs: &arb.legs,
        line,
        margin: odds::margin(arb.implied_probability),
        margin_rounded: staked.margin_rounded(),
        basis,
        bets: bets_of(arb, context),
    }
}

impl Staked {
    fn of(arb: &Arb<'_>, context: &MarketContext<'_>) -> Self {
        let shares: Vec<_> = arb.legs.iter().map(|leg| share(leg, arb)).collect();
        let bets: Vec<_> = arb.legs.iter().filter_map(|leg| bet(leg, context)).collect();
        let payouts = Payouts::at_books(&bets, &levels(arb, context));
        let worst = payouts.margin_worst(&shares).unwrap_or(-1.0);
        // But for the noise of the arithmetic it is not above the margin.
        let margin_worst = worst.min(odds::margin(arb.implied_probability));
        let legs: Vec<_> =
            arb.legs.iter().zip(&shares).map(|(leg, share)| staked(leg, *share, context)).collect();
        let total_max = stakes::total_max(&legs);
        let wanted = context.step.pricing.total_stake;
        let total = total_max.map_or(wanted, |most| most.min(wanted));
        let void = void(arb, (&payouts, &shares), context);
        // A push gives stakes back however they were rounded: it is warned of, and decides nothing here.
        let rounded = stakes::round(&legs, &payouts.decided(&bets), total);
        let (offers, pair) = (arb.legs.iter().map(|leg| offer(leg, context)).collect(), arb.pair);
        Self { offers, pair, shares, margin_worst, rounded, total_max, void }
    }

    fn is_of(&self, arb: &Arb<'_>, context: &MarketContext<'_>) -> bool {
        let offers = arb.legs.iter().map(|leg| offer(leg, context));
        self.pair == arb.pair && offers.eq(self.offers.iter().copied())
    }

    pub(super) fn margin_rounded(&self) -> Option<f64> {
        self.rounded.as_ref().map(|rounded| rounded.margin_worst)
    }
}

/// Of which market the bets of an arb are, and whether the draw is one of its outcomes.
fn bets_of<'a>(arb: &Arb<'_>, context: &MarketContext<'a>) -> BetsOf<'a> {
    BetsOf::market(context.step.pricing, context.market, context.drawn).of_cover(arb.pair, arb.legs.len())
}

/// The first topic by which legs that are paid alike when the match is played may not be when it is not, and the most that is lost
/// then; `None` where they are paid alike anyhow. The raw policy knows no clauses.
fn void(
    arb: &Arb<'_>,
    (payouts, shares): (&Payouts, &[f64]),
    context: &MarketContext<'_>,
) -> Option<(Topic, f64)> {
    let pricing = context.step.pricing;
    if pricing.policy == Policy::Raw {
        return None;
    }
    let bets = bets_of(arb, context);
    let terms: Vec<_> = arb.legs.iter().map(|leg| bets.terms(leg)).collect();
    let (first, others) = terms.split_first()?;
    let verdicts: Vec<_> = others.iter().map(|of| verdict(of, first)).collect();
    let topic = verdicts.iter().filter_map(|verdict| verdict.topic()).min();
    let topic = topic.filter(|_| verdicts.iter().all(|verdict| verdict.is_same()))?;
    let pays = terms.iter().zip(&arb.legs).map(|(of, leg)| settlement::void_pays(of.void(), leg.effective));
    Some((topic, payouts.void_loss_max(shares, &pays.collect::<Vec<_>>())?))
}

fn offer(leg: &Quote, context: &MarketContext<'_>) -> Offer {
    (leg.key, leg.price, leg.effective, leg.limit, context.drawn.contains(&leg.key.book()))
}

fn share(leg: &Quote, arb: &Arb<'_>) -> f64 {
    odds::stake_share(leg.effective, arb.implied_probability)
}

fn bet(leg: &Quote, context: &MarketContext<'_>) -> Option<(Bet, Price)> {
    Some((Bet::new(context.market, leg.key.outcome(), leg.key.side(), leg.key.line())?, leg.effective))
}

fn staked(leg: &Quote, share: f64, context: &MarketContext<'_>) -> Leg {
    let Quote { key, price, .. } = *leg;
    let sizes = &book(leg, context).sizes;
    Leg { share, side: key.side(), price, limit: limit(leg), step: sizes.step, least: sizes.least() }
}

/// In minor units; of a lay the backer's stake.
fn limit(leg: &Quote) -> Option<i64> {
    leg.limit.map(Limit::minor)
}

pub(super) fn book<'a>(leg: &Quote, context: &MarketContext<'a>) -> &'a Book {
    &context.step.pricing.venues.venue(leg.key.book()).book
}

/// The possible settlements of a level result, with one rule for each leg: each book has its rules. Where the draw is bet on, no leg is
/// paid less than by a rule that makes it an outcome. Under the raw policy no rules are known: the offered outcomes are all that is
/// possible.
fn levels(arb: &Arb<'_>, context: &MarketContext<'_>) -> Vec<Vec<Level>> {
    let pricing = context.step.pricing;
    let all = |level: Level| vec![vec![level; arb.legs.len()]];
    if pricing.policy == Policy::Raw {
        return all(if arb.legs.len() == 3 { Level::Outcome } else { Level::Impossible });
    }
    let bets = bets_of(arb, context);
    if bets.has_draw {
        return all(Level::Outcome);
    }
    let of = |leg: &&Quote| {
        let book = leg.key.book();
        let stated = || pricing.venues.levels(book, pricing.league, context.market.period);
        if bets.is_draw_sold(book) { vec![Level::Outcome] } else { stated() }
    };
    Level::combined(arb.legs.iter().map(of))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::stakes::DEFAULT_TOTAL;
    use super::*;
    use crate::fixtures::book as venue;
    use crate::fixtures::{World, context, price, quote};
    use crate::market::{Outcome, Side};
    use crate::venues::Level::{DeadHeat, Impossible, Outcome as Draw, Refunded};
    use crate::venues::{Books, Clauses};

    /// `a` excludes a level result, `b` refunds it, the rules of `c` are unknown.
    fn world() -> World {
        let clauses = Clauses::uniform("au", Refunded);
        let books = [("a".into(), venue("a", "us")), ("b".into(), Book { clauses, ..venue("b", "au") })];
        World::new(Books::new(books), 3)
    }

    fn of(legs: &[Quote], pair: Option<Outcome>) -> Arb<'_> {
        let implied_probability = legs.iter().map(|leg| leg.effective.implied_probability()).sum();
        Arb { legs: legs.iter().collect(), pair, implied_probability, passed_over: None }
    }

    #[test]
    fn each_leg_has_the_levels_of_its_book_in_every_combination() {
        let world = world();
        let step = world.step(0, 0);
        let leg = |name, outcome| quote(world.book(name), None, outcome, price("2.1"));
        let ways = |home, away| {
            let legs = [leg(home, Outcome::Home), leg(away, Outcome::Away)];
            levels(&of(&legs, None), &context(&step, "h2h"))
        };
        assert_eq!(ways("a", "b"), [[Impossible, Refunded]]);
        assert_eq!(ways("b", "a"), [[Refunded, Impossible]]);
        // For `c` everything.
        assert_eq!(ways("a", "c"), [[Impossible, Draw], [Impossible, Refunded], [Impossible, DeadHeat]]);
    }

    #[test]
    fn a_back_and_a_lay_of_a_side_are_settled_by_what_each_book_sells() {
        let world = world();
        let step = world.step(0, 0);
        let leg = |name, side| {
            let mut quote = quote(world.book(name), None, Outcome::Home, price("2.1"));
            quote.key = quote.key.with_side(side);
            quote
        };
        let ways = |drawn: &[&str]| {
            let drawn: Vec<_> = drawn.iter().map(|name| world.book(name)).collect();
            let context = MarketContext { drawn: &drawn, ..context(&step, "h2h") };
            let legs = [leg("b", Side::Back), leg("a", Side::Lay)];
            levels(&of(&legs, Some(Outcome::Home)), &context)
        };
        assert_eq!(ways(&[]), [[Refunded, Impossible]]);
        assert_eq!(ways(&["b"]), [[Draw, Impossible]]);
        assert_eq!(ways(&["a", "b"]), [[Draw, Draw]]);
    }

    #[test]
    fn a_draw_that_is_an_outcome_is_no_level_result() {
        let world = world();
        let step = world.step(0, 0);
        let leg = |outcome, side| {
            let mut quote = quote(world.book("b"), None, outcome, price("2.1"));
            quote.key = quote.key.with_side(side);
            quote
        };
        let three = [Outcome::Home, Outcome::Draw, Outcome::Away].map(|outcome| leg(outcome, Side::Back));
        assert_eq!(levels(&of(&three, None), &context(&step, "h2h")), [[Level::Outcome; 3]]);
        let pair = [leg(Outcome::Draw, Side::Back), leg(Outcome::Draw, Side::Lay)];
        assert_eq!(levels(&of(&pair, Some(Outcome::Draw)), &context(&step, "h2h")), [[Level::Outcome; 2]]);
    }

    #[test]
    fn under_the_raw_policy_what_is_offered_is_what_is_possible() {
        let mut world = world();
        world.policy = Policy::Raw;
        let step = world.step(0, 0);
        let legs =
            [Outcome::Home, Outcome::Away].map(|outcome| quote(world.book("b"), None, outcome, price("2.1")));
        assert_eq!(levels(&of(&legs, None), &context(&step, "h2h")), [[Impossible; 2]]);
    }

    proptest! {
        /// Whatever the prices and limits: shares sum to 1, no worst case is above the margin, no stake above its limit.
        #[test]
        fn stakes_are_within_their_bounds(
            prices in prop::array::uniform2(1_500..6_000_i64),
            limits in prop::array::uniform2(prop::option::of(0..50_000_i64)),
        ) {
            let world = world();
            let step = world.step(0, 0);
            let leg = |at: usize, name, outcome| {
                let price = Price::from_millionths(prices[at] * 1_000).unwrap();
                Quote { limit: limits[at].and_then(Limit::from_minor), ..quote(world.book(name), None, outcome, price) }
            };
            let legs = [leg(0, "a", Outcome::Home), leg(1, "b", Outcome::Away)];
            let arb = of(&legs, None);
            let judged = Judged::of(&arb, &legs, &KnownStakes::default(), &context(&step, "h2h"));
            let staked = &judged.staked;
            prop_assert!((staked.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(staked.margin_worst <= judged.margin);
            if let Some(rounded) = &staked.rounded {
                let total = staked.total_max.map_or(DEFAULT_TOTAL, |most| most.min(DEFAULT_TOTAL));
                prop_assert!(rounded.total() <= total as f64);
                let kept = rounded.stakes.iter().zip(limits).all(|(stake, limit)| limit.is_none_or(|limit| stake.placed <= limit));
                prop_assert!(kept);
            }
        }
    }
}
