//! An open window as an entry of the board: judged, staked, and put into words.
//!
//! A leg's limit is that of its quote's latest tick: of a lay the backer's stake, which `stakes` makes a liability of where totals
//! are concerned. A leg whose limit nobody states is staked as if it had none, and warned of. It never changes a window, and
//! decides nothing that a window's life depends on.

use std::sync::Arc;

use crate::Micros;
use crate::best::Arb;
use crate::books::{self, Book};
use crate::catalogue::{Policy, Side};
use crate::effect::{Entry, EntryLeg, Warning};
use crate::input::Bet;
use crate::limit::Limit;
use crate::odds::{self, Price};
use crate::quotes::Quote;
use crate::settle::{Level, Payouts};
use crate::stakes::{self, DEFAULT_TOTAL, Leg, Rounded};
use crate::verify::{self, Case, Findings, Verification};
use crate::window::{MarketContext, Window, in_play};

/// How long it takes to place all legs: two minutes.
const PLACING: Micros = 120_000_000;
/// A return that is none, but for the noise of the arithmetic.
const NOISE: f64 = 1e-12;

/// An arb as it stands now: what is proven of it, and what can be staked.
pub(crate) struct Judged<'a> {
    arb: &'a Arb<'a>,
    staked: Staked,
    findings: Findings,
    pub(crate) margin: f64,
    pub(crate) verification: Verification,
    pub(crate) fresh_until: Micros,
}

/// What may be put on the legs.
struct Staked {
    shares: Vec<f64>,
    /// Least return over settlement states, staked by the shares.
    margin_worst: f64,
    /// For the default total, or less where limits are lower.
    rounded: Option<Rounded>,
    /// In minor units.
    total_max: Option<i64>,
}

impl<'a> Judged<'a> {
    /// Judges an arb among the quotes of its line.
    pub(crate) fn of(arb: &'a Arb<'a>, line: &[Quote], context: &MarketContext<'_>) -> Self {
        let (staked, margin) = (Staked::of(arb, context), odds::margin(arb.implied_probability));
        let step = context.step;
        let findings = verify::judge(&Case {
            legs: &arb.legs,
            line,
            now: step.now,
            margin,
            margin_limit: step.margins.limit(in_play(context)),
            margin_rounded: staked.margin_rounded(),
            expected: step.moment.expected,
            venues: step.pricing.venues,
        });
        let verification = findings.verification();
        let fresh_until = verify::fresh_until(&arb.legs, step.moment.expected);
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

    fn margin_rounded(&self) -> Option<f64> {
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
fn limit(leg: &Quote) -> Option<i64> {
    leg.limit.map(Limit::minor)
}

fn book<'a>(leg: &Quote, context: &MarketContext<'a>) -> &'a Book {
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

/// The entry of a window as it was judged.
pub(crate) fn of(window: &Window, judged: &Judged<'_>, context: &MarketContext<'_>) -> Box<Entry> {
    let (arb, staked) = (judged.arb, &judged.staked);
    let legs: Vec<_> =
        arb.legs.iter().enumerate().map(|(at, leg)| entry_leg(leg, at, judged, context)).collect();
    let books_of_legs: Vec<_> = legs.iter().map(|leg| &*leg.book).collect();
    let doubts = judged.findings.doubts(&books_of_legs);
    let margin_rounded = staked.margin_rounded();
    let ttl = context.step.survival.ttl(&context.step.event.sport, &window.life, context.step.now);
    let placeable = ttl.survives(PLACING);
    Box::new(Entry {
        id: window.id,
        event: Arc::clone(context.step.event),
        in_play: window.in_play,
        market: context.market,
        line: window.line,
        implied_probability: arb.implied_probability,
        margin: window.margin,
        margin_worst: staked.margin_worst,
        margin_rounded,
        total_stake_max: staked.total_max,
        currency: books::currency(arb.legs.iter().map(|leg| book(leg, context))).map(Into::into),
        legs,
        verification: window.verification,
        doubts,
        warnings: warnings(arb, staked),
        ttl,
        placeable,
        score: margin_rounded.unwrap_or(0.0).max(0.0) * placeable,
        opened_at: window.opened_at,
        updated_at: context.step.now,
        sequence: window.sequence,
    })
}

fn entry_leg(leg: &Quote, at: usize, judged: &Judged<'_>, context: &MarketContext<'_>) -> EntryLeg {
    let venue = context.step.pricing.venues.venue(leg.key.book);
    let stake = judged.staked.rounded.as_ref().and_then(|rounded| rounded.stakes.get(at));
    EntryLeg {
        outcome: leg.key.outcome,
        side: leg.key.side,
        book: Arc::clone(&venue.key),
        operator: venue.operator().into(),
        price: leg.price,
        effective_price: leg.effective,
        implied_probability: leg.effective.implied_probability(),
        stake_share: judged.staked.shares[at],
        stake: stake.map(|stake| stake.placed),
        liability: stake
            .filter(|_| leg.key.side == Side::Lay)
            .and_then(|stake| stakes::liability(stake.placed, leg.price)),
        limit: limit(leg),
        price_moved_at: leg.price_moved_at,
        last_seen_at: leg.span_end,
    }
}

/// What a taker must know.
fn warnings(arb: &Arb<'_>, staked: &Staked) -> Vec<Warning> {
    let push = (staked.margin_worst.abs() < NOISE).then_some(Warning::PushPossible);
    let half =
        arb.legs.iter().any(|leg| leg.key.line.is_some_and(is_quarter)).then_some(Warning::HalfPushPossible);
    let unknown = arb.legs.iter().any(|leg| leg.limit.is_none()).then_some(Warning::LimitUnknown);
    push.into_iter().chain(half).chain(unknown).collect()
}

/// Whether a bet at this line is two of half the stake, at the lines beside it: one of them is a whole one, on which stakes come
/// back.
fn is_quarter(line: i32) -> bool {
    line.rem_euclid(500) == 250
}
