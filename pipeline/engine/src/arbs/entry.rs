//! An open window as an entry of the board: judged, staked, and with its warnings.
//!
//! It never changes a window, and decides nothing that a window's life depends on.

use arb_model::{Money, Points, Seconds, Time};

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::{
    BoardEntry, FailedCheck, Flag, Leg, Name, Open, PassedLeg, PassedOver, Warning, WindowKind,
};
use crate::learning::survival::Ttl;
use crate::market::{Limit, Side};
use crate::odds;
use crate::quotes::Quote;
use crate::venues::currency;

use super::best::{Arb, PassedCover};
use super::judged::{Judged, Staked, book};
use super::measure::Sentence;
use super::stakes::Stake;
use super::window::Window;

/// The entry of a window as it was judged, and what its TTL was read from.
pub(crate) fn entry_of(
    window: &Window,
    judged: &Judged<'_>,
    context: &MarketContext<'_>,
) -> (Box<BoardEntry>, Ttl) {
    let (step, arb, staked) = (context.step, judged.arb, &judged.staked);
    let legs: Vec<_> =
        arb.legs.iter().enumerate().map(|(at, leg)| leg_of(leg, at, judged, context)).collect();
    let books_of_legs: Vec<_> = legs.iter().map(|leg| &*leg.book).collect();
    let failed_checks = judged.findings.failed_checks(&books_of_legs);
    let margin_rounded = staked.margin_rounded();
    let ttl = step.survival.ttl(step.event.sport.shared(), &window.life, step.now);
    let execution_probability = ttl.survives(PLACING);
    let entry = BoardEntry {
        id: window.id.to_string(),
        event: (**step.event).clone(),
        in_play: window.in_play,
        kind: WindowKind::Surebet.into(),
        market: context.market.family.into(),
        period: context.market.period.into(),
        line: window.line.map(Points),
        implied_probability: arb.implied_probability,
        margin: window.margin,
        margin_worst: staked.margin_worst,
        margin_rounded,
        total_stake_max: staked.total_max.map(Money),
        currency: currency(arb.legs.iter().map(|leg| book(leg, context))).map(Into::into),
        legs,
        simultaneous: window.verification.holds(Flag::Simultaneous),
        verified: window.verification.is_verified(),
        verification: window.verification,
        failed_checks,
        warnings: warnings(arb, staked, context),
        ttl: ttl.in_seconds(),
        execution_probability,
        score: margin_rounded.unwrap_or(0.0).max(0.0) * execution_probability,
        opened_at: Time(window.opened_at),
        updated_at: Time(step.now),
        sequence: window.sequence,
        passed_over: arb.passed_over.as_ref().map(|passed| passed_over(passed, context)),
        void_clause: staked.void.map(|(topic, _)| Name::from(topic.key())),
        void_loss_max: staked.void.map(|(_, loss)| loss),
    };
    (Box::new(entry), ttl)
}

fn leg_of(leg: &Quote, at: usize, judged: &Judged<'_>, context: &MarketContext<'_>) -> Leg {
    let venue = context.step.pricing.venues.venue(leg.key.book());
    let stake = judged.staked.rounded.as_ref().and_then(|rounded| rounded.stakes.get(at));
    let liability = stake.filter(|_| leg.key.side() == Side::Lay).and_then(Stake::liability);
    Leg {
        outcome: leg.key.outcome().into(),
        side: leg.key.side().into(),
        book: (&venue.key).into(),
        operator: venue.operator().into(),
        price: leg.price,
        effective_price: leg.effective,
        implied_probability: leg.effective.implied_probability(),
        stake_share: judged.staked.shares[at],
        stake: stake.map(|stake| Money(stake.placed)),
        liability: liability.map(Money),
        limit: leg.limit.map(Limit::minor).map(Money),
        price_moved_at: Time(leg.price_moved_at),
        last_seen_at: Time(leg.span_end),
        expected_interval: Seconds(context.step.moment.expected.interval(leg.key.book().index())),
        link: link_of(leg, context),
        rounded: context.step.pricing.native(leg.key, leg.price, leg.odds_format) != leg.price,
    }
}

/// A cover that was passed over, with the first reason.
fn passed_over(passed: &PassedCover<'_>, context: &MarketContext<'_>) -> PassedOver {
    let book = |leg: &Quote| &context.step.pricing.venues.venue(leg.key.book()).key;
    let leg = |leg: &&Quote| PassedLeg {
        outcome: leg.key.outcome().into(),
        side: leg.key.side().into(),
        book: book(leg).into(),
        price: leg.price,
    };
    let books: Vec<_> = passed.legs.iter().map(|leg| &**book(leg)).collect();
    let (flag, measure) = passed.reason;
    let reason = Sentence { measure, books: &books }.to_string();
    PassedOver {
        margin: odds::margin(passed.implied_probability),
        legs: passed.legs.iter().map(leg).collect(),
        failed_check: FailedCheck { flag: flag.into(), reason },
    }
}

/// Where a leg can be placed: as the source states it, else by the table of books.
fn link_of(leg: &Quote, context: &MarketContext<'_>) -> Option<Name> {
    let stated = context.links.iter().find(|link| link.book == leg.key.book());
    let venue = context.step.pricing.venues.venue(leg.key.book());
    let template = || venue.book.link.as_ref()?.fill(context.step.event, context.market, &venue.key);
    stated.map(|stated| stated.link.clone()).or_else(template)
}

/// What a taker must know.
fn warnings(arb: &Arb<'_>, staked: &Staked, context: &MarketContext<'_>) -> Vec<Open<Warning>> {
    let push = (staked.margin_worst.abs() < NOISE).then_some(Warning::PushPossible);
    let half = arb
        .legs
        .iter()
        .any(|leg| leg.key.line().is_some_and(is_quarter))
        .then_some(Warning::HalfPushPossible);
    let unknown = arb.legs.iter().any(|leg| leg.limit.is_none()).then_some(Warning::LimitUnknown);
    let is_least_unknown = |leg: &&Quote| book(leg, context).sizes.least.is_none();
    let least = arb.legs.iter().any(is_least_unknown).then_some(Warning::LeastStakeUnknown);
    let void = staked.void.is_some().then_some(Warning::VoidRulesDiffer);
    push.into_iter().chain(half).chain(unknown).chain(least).chain(void).map(Open::Known).collect()
}

/// Whether a bet at this line is two of half the stake, at the lines beside it: one of them is a whole one, on which stakes come
/// back.
fn is_quarter(line: i32) -> bool {
    line.rem_euclid(500) == 250
}

/// How long it takes to place all legs: two minutes.
const PLACING: Micros = 120_000_000;

/// A return that is none, but for the noise of the arithmetic.
const NOISE: f64 = 1e-12;
