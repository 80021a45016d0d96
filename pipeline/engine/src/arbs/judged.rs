//! An open window as an entry of the board: judged, staked, and put into words.
//!
//! A leg's limit is that of its quote's latest tick: of a lay the backer's stake, which `stakes` makes a liability of where totals
//! are concerned. A leg whose limit nobody states is staked as if it had none, and warned of. It never changes a window, and
//! decides nothing that a window's life depends on.

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::Verification;
use crate::market::{Bet, Limit, Policy};
use crate::odds::{self, Price};
use crate::quotes::Quote;
use crate::venues::{Book, Level};

use super::best::Arb;
use super::checks::{self, Case, Findings};
use super::settlement::Payouts;
use super::stakes::{self, DEFAULT_TOTAL, Leg, Rounded};

/// An arb as it stands now: what is proven of it, and what can be staked.
pub(crate) struct Judged<'a> {
    pub(super) arb: &'a Arb<'a>,
    pub(super) staked: Staked,
    pub(super) findings: Findings,
    pub(crate) margin: f64,
    pub(crate) verification: Verification,
    pub(crate) fresh_until: Micros,
}

/// What may be put on the legs.
pub(super) struct Staked {
    pub(super) shares: Vec<f64>,
    /// Least return over settlement states, staked by the shares.
    pub(super) margin_worst: f64,
    /// For the default total, or less where limits are lower.
    pub(super) rounded: Option<Rounded>,
    /// In minor units.
    pub(super) total_max: Option<i64>,
}

impl<'a> Judged<'a> {
    /// Judges an arb among the quotes of its line.
    pub(crate) fn of(arb: &'a Arb<'a>, line: &[Quote], context: &MarketContext<'_>) -> Self {
        let (staked, margin) = (Staked::of(arb, context), odds::margin(arb.implied_probability));
        let step = context.step;
        let findings = checks::judge(&Case {
            legs: &arb.legs,
            line,
            now: step.now,
            margin,
            margin_limit: step.margins.limit(context.in_play()),
            margin_rounded: staked.margin_rounded(),
            expected: step.moment.expected,
            venues: step.pricing.venues,
        });
        let verification = findings.verification();
        let fresh_until = checks::fresh_until(&arb.legs, step.moment.expected);
        Self { arb, staked, findings, margin, verification, fresh_until }
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
        let total = total_max.map_or(DEFAULT_TOTAL, |most| most.min(DEFAULT_TOTAL));
        // A push gives stakes back however they were rounded: it is warned of, and decides nothing here.
        let rounded = stakes::round(&legs, &payouts.decided(&bets), total);
        Self { shares, margin_worst, rounded, total_max }
    }

    pub(super) fn margin_rounded(&self) -> Option<f64> {
        self.rounded.as_ref().map(|rounded| rounded.margin_worst)
    }
}

fn share(leg: &Quote, arb: &Arb<'_>) -> f64 {
    odds::stake_share(leg.effective, arb.implied_probability)
}

fn bet(leg: &Quote, context: &MarketContext<'_>) -> Option<(Bet, Price)> {
    Some((Bet::new(context.market, leg.key.outcome, leg.key.side, leg.key.line)?, leg.effective))
}

fn staked(leg: &Quote, share: f64, context: &MarketContext<'_>) -> Leg {
    let Quote { key, price, .. } = *leg;
    Leg { share, side: key.side, price, limit: limit(leg), step: book(leg, context).step }
}

/// In minor units; of a lay the backer's stake.
pub(super) fn limit(leg: &Quote) -> Option<i64> {
    leg.limit.map(Limit::minor)
}

pub(super) fn book<'a>(leg: &Quote, context: &MarketContext<'a>) -> &'a Book {
    &context.step.pricing.venues.venue(leg.key.book).book
}

/// What a level result may do to the legs, in each way one level a leg: each book has its own rules. Nothing is known under the raw
/// policy: what is offered is what is possible.
fn levels(arb: &Arb<'_>, context: &MarketContext<'_>) -> Vec<Vec<Level>> {
    let pricing = context.step.pricing;
    let is_three_way = arb.legs.len() == 3 || arb.pair.is_some();
    if is_three_way || pricing.policy == Policy::Raw {
        let level = if is_three_way { Level::Outcome } else { Level::Impossible };
        return vec![vec![level; arb.legs.len()]];
    }
    let of = |leg: &&Quote| pricing.venues.levels(leg.key.book, pricing.league, context.market.period);
    arb.legs.iter().map(of).fold(vec![Vec::new()], |ways, levels| {
        let with =
            |way: &Vec<Level>| levels.iter().map(|level| [&way[..], &[*level]].concat()).collect::<Vec<_>>();
        ways.iter().flat_map(with).collect()
    })
}
