//! The verification flags of an arb: each scenario breaks one of them, and the entry gives the reason.

use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::effect::{BoardEntry, Effect, Flag, Warning};
use arb_engine::input::Tick;
use arb_engine::market::{Bet, Limit, Market, Outcome, Policy, Side};
use arb_engine::venues::{Book, Books, Clauses, DatedFee, Evidence, Fee, Level, SizeStep, Sizes, VenueKind};
use arb_model::Money;

use crate::world::{World, any_size, at, closed, entry, of_league, tick, words};

fn book(operator: &str, currency: &str, rules: &str) -> Book {
    Book {
        operator: Some(operator.into()),
        kind: VenueKind::Bookmaker,
        currency: Some(currency.into()),
        fees: Vec::new(),
        clauses: Clauses::uniform(rules, Level::Impossible),
        refresh: None,
        sizes: any_size(),
        native: None,
        link: None,
        known: true,
        evidence: Evidence::default(),
    }
}

fn exchange(ppm: u32) -> Book {
    let fees = vec![DatedFee::always(Fee::Commission { ppm })];
    Book { kind: VenueKind::Exchange, fees, ..book("ex", "USD", "us") }
}

/// `a` to `f` are alike and independent of each other; `a2` is run by the operator of `a`; `x` is an exchange that keeps 5 %.
pub(crate) fn world() -> World {
    let alike = ["a", "b", "c", "d", "e", "f"].map(|name| (name.into(), book(name, "USD", "us")));
    let other = [
        ("a2", book("a", "USD", "us")),
        ("au", book("au", "USD", "au")),
        ("gbp", book("gbp", "GBP", "us")),
        (
            "coarse",
            Book {
                sizes: Sizes { step: SizeStep::Money(10_000), ..any_size() },
                ..book("coarse", "USD", "us")
            },
        ),
        ("x", exchange(50_000)),
    ];
    let books = Books::new(alike.into_iter().chain(other.map(|(name, book)| (name.into(), book))));
    World { engine: Engine::with_books(Policy::Board, Arc::new(books)), ..World::new(Policy::Board) }
}

/// A price on the home side of one book and on the away side of another, among three that agree with each other.
pub(crate) fn market(
    home: (&'static str, &str),
    away: (&'static str, &str),
    seen: i64,
) -> Vec<Tick<'static>> {
    let mut ticks = vec![tick(home.0, "home", home.1, seen), tick(away.0, "away", away.1, seen)];
    for other in ["c", "d", "e"] {
        ticks.extend([tick(other, "home", "1.95", seen), tick(other, "away", "1.95", seen)]);
    }
    ticks
}

fn lay(book: &'static str, outcome: Outcome, decimal: &str, seen: i64) -> Tick<'static> {
    let bet = Bet::new(Market::parse("h2h").unwrap(), outcome, Side::Lay, None).unwrap();
    Tick { bet, ..tick(book, "home", decimal, seen) }
}

/// The flags that do not hold, and the reason of the first.
fn failed_checks(entry: &BoardEntry) -> (Vec<Flag>, String) {
    let verification = entry.verification;
    let flags = entry.failed_checks.iter().map(|check| check.flag.known().unwrap()).collect::<Vec<_>>();
    let held = Flag::ALL.into_iter().filter(|flag| verification.holds(*flag));
    assert!(
        held.eq(Flag::ALL.into_iter().filter(|flag| !flags.contains(flag))),
        "each flag holds or is doubted"
    );
    assert_eq!(verification.is_verified(), flags.is_empty());
    (flags, entry.failed_checks.first().map(|check| check.reason.clone()).unwrap_or_default())
}

fn sent(ticks: Vec<Tick<'_>>) -> (Vec<Flag>, String) {
    failed_checks(entry(&world().send(100, ticks)))
}

#[test]
fn an_arb_of_which_everything_is_known_is_verified() {
    let mut world = world();
    let effects = world.send(100, market(("a", "2.04"), ("b", "2.02"), 99));
    let entry = entry(&effects);
    assert_eq!(failed_checks(entry), (vec![], String::new()));
    assert_eq!(entry.currency.as_deref(), Some("USD"));
    assert_eq!(entry.warnings, [Warning::LimitUnknown]);
    assert_eq!(
        (&*entry.legs[0].operator, entry.legs[0].stake, entry.legs[1].stake),
        ("a", Some(Money(4_975)), Some(Money(5_024))),
        "a cent less returns more of what is staked than one more"
    );
    let worst: f64 = (49.75_f64 * 2.04).min(50.24 * 2.02) / 99.99 - 1.0;
    assert!(
        (entry.margin_rounded.unwrap() - worst).abs() < 1e-12
            && (entry.score - worst * entry.execution_probability).abs() < 1e-12
    );
}

#[test]
fn two_legs_of_one_operator_are_not_independent() {
    let (flags, reason) = sent(market(("a", "2.04"), ("a2", "2.02"), 99));
    assert_eq!(flags, [Flag::IndependentOperators]);
    assert_eq!(reason, "a2 is of the same operator as another leg");
}

#[test]
fn rules_must_be_known_and_agree() {
    assert_eq!(
        sent(market(("a", "2.04"), ("au", "2.02"), 99)),
        (vec![Flag::SameRules], "au and a differ in their clauses on extra time".to_owned())
    );
    assert_eq!(
        sent(market(("who", "2.04"), ("b", "2.02"), 99)),
        (vec![Flag::SameRules], "no clause of who on extra time is known".to_owned())
    );
}

#[test]
fn a_price_is_judged_by_those_of_others() {
    // 1/1.95 is .513; 1/2.8 is .357.
    let mut ticks = vec![tick("a", "home", "2.8", 99), tick("b", "away", "1.56", 99)];
    for other in ["c", "d"] {
        ticks.extend([tick(other, "home", "1.95", 99), tick(other, "away", "1.5", 99)]);
    }
    let (flags, reason) = sent(ticks);
    assert_eq!(flags, [Flag::PlausiblePrice]);
    assert_eq!(reason, "a is 15.6 points of probability off the median of the others");
    // Two books of one operator are one opinion.
    let mut twins = vec![tick("c", "home", "2.04", 99), tick("b", "away", "2.02", 99)];
    twins.extend(["a", "a2"].map(|other| tick(other, "home", "1.95", 99)));
    twins.extend(["c", "d"].map(|other| tick(other, "away", "1.95", 99)));
    assert_eq!(sent(twins).1, "1 other operators price the bet: too few to judge c");
    let alone =
        vec![tick("a", "home", "2.04", 99), tick("b", "away", "2.02", 99), tick("c", "home", "1.9", 99)];
    let (flags, reason) = sent(alone);
    assert_eq!(flags, [Flag::PlausiblePrice]);
    assert_eq!(reason, "1 other operators price the bet: too few to judge a");
}

#[test]
fn a_margin_that_proven_windows_do_not_have_is_not_believed() {
    let (flags, reason) = sent(market(("a", "2.3"), ("b", "2.2"), 99));
    assert_eq!(flags, [Flag::PlausibleMargin]);
    assert_eq!(reason, "99 of 100 proven margins are at most 10.00 %");
}

#[test]
fn stakes_that_cannot_be_placed_leave_no_profit() {
    let (flags, reason) = sent(market(("coarse", "2.04"), ("b", "2.02"), 99));
    assert_eq!(flags, [Flag::Stakeable]);
    assert_eq!(reason, "no stakes that can be placed leave any profit");
}

#[test]
fn a_limit_that_leaves_nothing_to_stake_changes_what_is_proven() {
    let mut world = world();
    let mut sent = |second, minor: Option<i64>| {
        let mut ticks = market(("a", "2.04"), ("b", "2.02"), 99);
        ticks[0].limit = minor.and_then(Limit::from_minor);
        let effects = world.send(second, ticks);
        (words(&effects), entry(&effects).clone())
    };
    assert_eq!(sent(100, None).0, ["opened"]);
    let (reported, entry) = sent(101, Some(2_000));
    assert_eq!((reported, failed_checks(&entry).0), (vec!["refreshed".to_owned()], vec![]));
    let (reported, entry) = sent(102, Some(0));
    assert_eq!((reported, failed_checks(&entry).0), (vec!["updated".to_owned()], vec![Flag::Stakeable]));
    assert_eq!(
        (entry.total_stake_max, entry.margin_rounded, entry.legs[1].stake),
        (Some(Money(0)), None, None)
    );
    let (reported, entry) = sent(103, Some(5_000));
    assert_eq!((reported, failed_checks(&entry).0), (vec!["updated".to_owned()], vec![]));
}

#[test]
fn a_later_verification_is_an_event_and_an_older_age_is_none() {
    let mut world = world();
    let late = |home: i64, away: i64| {
        let mut ticks = market(("a", "2.04"), ("b", "2.02"), away);
        ticks[0].last_seen_at = at(home);
        ticks
    };
    let opened = world.send(100, late(90, 99));
    assert_eq!(failed_checks(entry(&opened)).0, [Flag::Simultaneous]);
    assert_eq!(
        failed_checks(entry(&opened)).1,
        "one price was last confirmed 9 s before another was first seen"
    );
    let proven = world.send(110, late(109, 109));
    assert_eq!((words(&proven), failed_checks(entry(&proven)).0), (vec!["updated".to_owned()], vec![]));
    // A book that is not known is expected to confirm within a quarter of an hour.
    assert_eq!(words(&world.beat(109 + 900 + 5)), [""; 0], "the watermark is five seconds behind");
    let aged = world.beat(109 + 900 + 6);
    assert_eq!(words(&aged), ["updated"], "verified no longer");
    assert_eq!(failed_checks(entry(&aged)).0, [Flag::Fresh]);
    assert_eq!(
        failed_checks(entry(&aged)).1,
        "a was last confirmed 906 s ago; 95 of 100 of its prices are within 900 s"
    );
    let gone = world.send(1_100, vec![]);
    let ever = closed(&gone);
    assert_eq!((ever.simultaneous_ever, ever.verified_ever), (true, true));
}

#[test]
fn a_window_that_was_never_proven_closes_as_a_phantom() {
    let mut world = world();
    let mut ticks = market(("a", "2.04"), ("b", "2.02"), 99);
    ticks[0].last_seen_at = at(90);
    world.send(100, ticks);
    let closing = world.send(110, vec![]);
    let ever = closed(&closing);
    assert_eq!((ever.simultaneous_ever, ever.verified_ever), (false, false));
}

#[test]
fn a_commission_counts_before_it_is_an_arb() {
    // At 2.04 less 5 % of winnings 1.988 is left: with 2.01 no arb, with 2.06 one.
    let ticks = |away| vec![tick("x", "home", "2.04", 99), tick("b", "away", away, 99)];
    assert_eq!(words(&world().send(100, ticks("2.01"))), [""; 0]);
    let effects = world().send(100, ticks("2.06"));
    let leg = &entry(&effects).legs[0];
    assert_eq!((leg.price.millionths(), leg.effective_price.millionths()), (2_040_000, 1_988_000));
    // A worse price that keeps more is the better one.
    let both =
        vec![tick("x", "home", "2.04", 99), tick("a", "home", "2.00", 99), tick("b", "away", "2.06", 99)];
    assert_eq!(&*entry(&world().send(100, both)).legs[0].book, "a");
}

#[test]
fn laying_one_of_two_is_backing_the_other() {
    // Laid at 1.9 for 5 %: not home at 1 + 0.95/0.9.
    let mut world = world();
    let effects = world.send(100, vec![tick("a", "home", "2.1", 99), lay("x", Outcome::Home, "1.9", 99)]);
    let entry = entry(&effects);
    let leg = &entry.legs[1];
    assert_eq!(
        (leg.outcome.known(), leg.side.known(), leg.effective_price.millionths()),
        (Some(Outcome::Home), Some(Side::Lay), 2_055_555)
    );
    assert!((entry.implied_probability - (1.0 / 2.1 + 1.0 / 2.055_555)).abs() < 1e-9);
    // 50.53 at risk, rounded up, is 56.14 laid at 1.9.
    assert_eq!((leg.stake, leg.liability), (Some(Money(5_614)), Some(Money(5_053))));
    // The same bets by other quotes: the window continues.
    let other = world.send(110, vec![tick("a", "home", "2.1", 109), tick("b", "away", "2.2", 109)]);
    assert_eq!(words(&other), ["updated"]);
}

#[test]
fn backing_and_laying_one_of_three_is_an_arb_of_its_own() {
    let mut world = world();
    let draw = |home, away| {
        vec![tick("a", "home", home, 99), tick("b", "draw", "3.4", 99), tick("c", "away", away, 99)]
    };
    let mut ticks = draw("2.6", "2.9");
    ticks.push(lay("x", Outcome::Home, "2.3", 99));
    let effects = world.poll(100, &[(of_league("boxing_x", "e"), ticks)]);
    let pair = entry(&effects);
    let legs: Vec<_> =
        pair.legs.iter().map(|leg| (leg.outcome.known().unwrap(), leg.side.known().unwrap())).collect();
    assert_eq!(legs, [(Outcome::Home, Side::Back), (Outcome::Home, Side::Lay)]);
    let other = world.poll(110, &[(of_league("boxing_x", "e"), draw("3.2", "3.2"))]);
    assert_eq!(words(&other), ["closed superseded", "opened"], "three bets are another arb");
}

#[test]
fn different_currencies_make_no_arb() {
    let ticks = || vec![tick("gbp", "home", "2.2", 99), tick("b", "away", "2.2", 99)];
    assert_eq!(words(&world().send(100, ticks())), [""; 0]);
    let mut more = ticks();
    more.push(tick("a", "home", "2.1", 99));
    let effects = world().send(100, more);
    assert_eq!(&*entry(&effects).legs[0].book, "a", "the best of those that can be paid for");
    assert!(effects.iter().all(|effect| !matches!(effect, Effect::Closed(_))));
}

#[test]
fn a_book_of_any_currency_is_not_preferred_for_it() {
    // With two currencies, `who` is computed in both; where prices are equal the smaller key still decides.
    let ticks =
        vec![tick("who", "home", "2.1", 90), tick("who", "away", "2.02", 90), tick("a", "away", "2.02", 90)];
    let far = [tick("gbp", "home", "1.1", 90), tick("gbp", "away", "1.1", 90)];
    let effects = world().send(100, ticks.into_iter().chain(far).collect());
    let books: Vec<_> = entry(&effects).legs.iter().map(|leg| leg.book.to_string()).collect();
    assert_eq!(books, ["who", "a"]);
}

/// The worst case of an arb of two books, where `us` gives stakes back after a level result and `au` has a dead heat.
fn worst(home: (&'static str, &str), away: (&'static str, &str)) -> Option<(f64, bool)> {
    let at_level = |name: &str, level| {
        let clauses = Clauses::uniform(name, level);
        (name.into(), Book { clauses, ..book(name, "USD", name) })
    };
    let books = Books::new([at_level("us", Level::Refunded), at_level("au", Level::DeadHeat)]);
    let engine = Engine::with_books(Policy::Board, Arc::new(books));
    let mut world = World { engine, ..World::new(Policy::Board) };
    let ticks = vec![tick(home.0, "home", home.1, 90), tick(away.0, "away", away.1, 90)];
    world.poll(100, &[(of_league("boxing_x", "e"), ticks)]);
    let entry = world.board.values().next()?;
    Some((entry.margin_worst, entry.warnings.contains(&Warning::PushPossible.into())))
}

#[test]
fn each_leg_ends_by_its_own_books_clause_on_a_level_result() {
    let is = |found: Option<(f64, bool)>, expected: f64| {
        found.is_some_and(|(worst, warns)| (worst - expected).abs() < 1e-9 && warns == (expected == 0.0))
    };
    assert!(is(worst(("us", "2.1"), ("us", "2.1")), 0.0));
    assert!(is(worst(("au", "2.1"), ("au", "2.1")), 0.05));
    assert!(is(worst(("us", "2.1"), ("au", "2.1")), 0.025), "half comes back, half pays half of 2.1");
    // Of 1 .6335 is on 1.62: one book gives .3665 back, the other pays half of 1.0262.
    assert!(is(worst(("au", "1.62"), ("us", "2.8")), -0.120_361_990_950));
    assert_eq!(worst(("who", "2.1"), ("us", "2.1")), None, "it may take both stakes");
}

#[test]
fn a_draw_that_is_only_laid_is_an_outcome_all_the_same() {
    let mut world = world();
    let ticks =
        vec![tick("a", "home", "2.6", 99), tick("b", "away", "2.6", 99), lay("x", Outcome::Draw, "4", 99)];
    let effects = world.poll(100, &[(of_league("boxing_x", "e"), ticks)]);
    assert_eq!(words(&effects), [""; 0], "two of three outcomes are no whole set");
}
