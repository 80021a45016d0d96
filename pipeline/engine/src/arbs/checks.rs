//! Verification: what is proven of an arb, flag by flag, and what is not with its reason.
//!
//! Each flag is an independent predicate over the current quotes: all of its measures hold. Unknown is false; the one exception is
//! a limit that no source reports, which counts as none. An arb is verified when all flags hold. It never decides whether
//! something is an arb.
//!
//! Source: the flags are those of the product's definition of a board entry. A price is an outlier when its implied
//! probability is [`OUTLIER`] or more off the median of the other operators' on the same bet, of books of the table
//! only and with one opinion an operator; of an even number the one that is worse for the bet (`odds::rank`): of the windows of
//! four recordings (polled every 5 to 15 minutes) that were ever proven, 88 to 96 % have a moment where all legs are closer than
//! that.

use crate::Micros;
use crate::effect::{Basis, FailedCheck, Flag, Verification};
use crate::market::{Family, Market, Outcome, Side, Symbol};
use crate::odds::{MiddleRank, is_held_by_most, median_of_operators};
use crate::quotes::{Quote, on_offer};
use crate::venues::{Asked, Draws, PricingContext, Terms, Venues, verdict};

use super::measure::{CONSENSUS, Measure, OUTLIER, Sentence};

/// An arb as it is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    /// One an outcome.
    pub(crate) legs: &'a [&'a Quote],
    /// All quotes of the line.
    pub(crate) line: &'a [Quote],
    pub(crate) margin: f64,
    /// The margin that stakes on the lattice leave, within limits; `None` when none can be placed.
    pub(crate) margin_rounded: Option<f64>,
    pub(crate) basis: &'a Basis,
    pub(crate) bets: BetsOf<'a>,
}

/// Of which league and market bets are, and whose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BetsOf<'a> {
    pub(crate) league: &'a str,
    /// How the winner of a whole match of the league is sold.
    pub(crate) draws: Draws,
    pub(crate) market: Market,
    /// The draw is bet on as well: one of three outcomes.
    pub(crate) has_draw: bool,
    /// The books that have listed a draw in the market.
    pub(crate) drawn: &'a [Symbol],
    pub(crate) venues: &'a Venues,
}

impl<'a> BetsOf<'a> {
    /// In a market of the event that is priced, where these books have listed a draw.
    pub(crate) fn market(pricing: PricingContext<'a>, market: Market, drawn: &'a [Symbol]) -> Self {
        let PricingContext { league, draws, venues, .. } = pricing;
        Self { league, draws, market, has_draw: false, drawn, venues }
    }

    /// The same of a cover of so many bets, or of a back and a lay of one outcome: of a side a draw is none of them.
    pub(crate) fn of_cover(self, pair: Option<Outcome>, bets: usize) -> Self {
        Self { has_draw: pair.map_or(bets >= 3, |outcome| outcome == Outcome::Draw), ..self }
    }

    /// Whether a draw takes a bet on a side at a book, because it is an outcome there.
    pub(crate) fn is_draw_sold(self, book: Symbol) -> bool {
        match self.market.family {
            Family::H2h => {
                self.draws.in_period(self.market.period) == Draws::Sold || self.drawn.contains(&book)
            }
            family => family == Family::H2h3Way,
        }
    }

    /// What the book of a bet states about it.
    pub(crate) fn terms(self, bet: &Quote) -> Terms<'a> {
        let Self { league, market, venues, .. } = self;
        let (book, line) = (bet.key.book(), bet.key.line());
        let has_draw = self.has_draw || bet.key.outcome() == Outcome::Draw;
        let lists_draw = market.family == Family::H2h && self.drawn.contains(&book);
        venues.terms(book, Asked { league, market, line, has_draw, lists_draw })
    }
}

impl Case<'_> {
    fn operator(&self, quote: &Quote) -> u32 {
        self.bets.venues.operator_of(quote.key.book())
    }
}

/// What a look at a case found: the flags that do not hold, each with the first measure that does not, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Findings(Vec<(Flag, Measure)>);

/// Looks at each flag of a case, once.
pub(crate) fn judge(case: &Case<'_>) -> Findings {
    Findings(Flag::ALL.into_iter().filter_map(|flag| Some((flag, failed(flag, case)?))).collect())
}

/// The first measure of a flag that does not hold.
fn failed(flag: Flag, case: &Case<'_>) -> Option<Measure> {
    // A median is looked for only to explain: counting decides, and mostly all prices are plausible.
    let are_plausible = || case.legs.iter().all(|leg| is_plausible(leg, case.line, case.bets.venues));
    let holds = flag == Flag::PlausiblePrice && are_plausible();
    measures(flag, case).filter(|_| !holds).find(|measure| !measure.holds())
}

/// What of the flags follows from the bets alone, which time does not change.
pub(super) const OF_BETS: [Flag; 3] = [Flag::SameRules, Flag::IndependentOperators, Flag::PlausiblePrice];

/// The first reason why bets are no eligible cover, among the quotes of their line; `None` where they are one.
pub(crate) fn ineligible(legs: &[&Quote], line: &[Quote], bets: BetsOf<'_>) -> Option<(Flag, Measure)> {
    let basis = Basis::default();
    let case = Case { legs, line, margin: 0.0, margin_rounded: None, basis: &basis, bets };
    OF_BETS.into_iter().find_map(|flag| Some((flag, failed(flag, &case)?)))
}

/// Whether bets are an eligible cover, among the quotes of their line: whether nothing makes them [`ineligible`], by what costs least first.
pub(crate) fn are_eligible(legs: &[&Quote], line: &[Quote], bets: BetsOf<'_>) -> bool {
    let operator = |leg: &Quote| bets.venues.operator_of(leg.key.book());
    let is_other =
        |(at, leg): (usize, &&Quote)| legs[..at].iter().all(|other| operator(other) != operator(leg));
    let are_independent = || legs.iter().enumerate().all(is_other);
    let are_plausible = || legs.iter().all(|leg| is_plausible(leg, line, bets.venues));
    // Of a class are books that pay alike.
    let class = |leg: &&Quote| bets.terms(leg).played();
    let pay_alike = || {
        let mut classes = legs.iter().map(class);
        let first = classes.next().flatten();
        first.is_some() && classes.all(|class| class == first)
    };
    are_independent() && are_plausible() && pay_alike()
}

/// Whether the price of a bet is plausible against the other operators of its line: what its [`consensus`] finds, by counting.
pub(crate) fn is_plausible(quote: &Quote, line: &[Quote], venues: &Venues) -> bool {
    let is_near = |other| off(quote, other) < OUTLIER;
    let near = others(quote, line, venues).map(|(operator, other)| (operator, is_near(other)));
    is_held_by_most(near, CONSENSUS)
}

/// All that a flag depends on in a case: it holds when each of them does.
pub(crate) fn measures<'a>(flag: Flag, case: &'a Case<'_>) -> impl Iterator<Item = Measure> + 'a {
    let count = match flag {
        Flag::Simultaneous | Flag::PlausibleMargin | Flag::Stakeable => 1,
        _ => case.legs.len(),
    };
    (0..count).map(move |leg| measure(flag, case, leg))
}

/// What a flag depends on of a leg, or of all.
fn measure(flag: Flag, case: &Case<'_>, leg: usize) -> Measure {
    match flag {
        Flag::Simultaneous => spans(case),
        Flag::Fresh => age(case, leg),
        Flag::Active => Measure::Status { leg, status: case.legs[leg].status },
        Flag::SameLine => {
            Measure::OnLine { leg, is_of_first: case.legs[leg].key.line() == case.legs[0].key.line() }
        }
        Flag::SameRules => rules(case, leg),
        Flag::IndependentOperators => operator(case, leg),
        Flag::PlausiblePrice => consensus(case.legs[leg], leg, case.line, case.bets.venues),
        Flag::PlausibleMargin => Measure::Margin { margin: case.margin, limit: case.basis.margin_limit },
        Flag::Stakeable => Measure::Stakes { margin: case.margin_rounded },
    }
}

impl Findings {
    /// Which flags hold.
    pub(crate) fn verification(&self) -> Verification {
        let is_held = |flag: &Flag| self.0.iter().all(|(broken, _)| broken != flag);
        let held = Flag::ALL.into_iter().filter(is_held);
        Verification::of(held)
    }

    /// Why the others do not, by the names of the legs' books.
    pub(crate) fn failed_checks(&self, books: &[&str]) -> Vec<FailedCheck> {
        let failed = |(flag, measure): &(Flag, Measure)| FailedCheck {
            flag: (*flag).into(),
            reason: Sentence { measure: *measure, books }.to_string(),
        };
        self.0.iter().map(failed).collect()
    }
}

/// Until when every leg is fresh, should none be confirmed again.
pub(crate) fn fresh_until(legs: &[&Quote], basis: &Basis) -> Micros {
    let until =
        legs.iter().zip(&basis.expected).map(|(leg, expected)| leg.span_end.saturating_add(*expected));
    until.min().unwrap_or(Micros::MIN)
}

/// The legs' spans share a moment: the latest start is not after the earliest end.
fn spans(case: &Case<'_>) -> Measure {
    Measure::Spans {
        latest_start: case.legs.iter().map(|leg| leg.span_start).max().unwrap_or(Micros::MIN),
        earliest_end: case.legs.iter().map(|leg| leg.span_end).min().unwrap_or(Micros::MAX),
    }
}

fn age(case: &Case<'_>, leg: usize) -> Measure {
    Measure::Age { leg, age: case.basis.at - case.legs[leg].span_end, expected: case.basis.expected[leg] }
}

fn rules(case: &Case<'_>, leg: usize) -> Measure {
    let of = |leg: usize| case.bets.terms(case.legs[leg]);
    Measure::Rules { leg, verdict: verdict(&of(leg), &of(0)) }
}

fn operator(case: &Case<'_>, leg: usize) -> Measure {
    let own = case.operator(case.legs[leg]);
    let shared_with = case.legs[..leg].iter().position(|other| case.operator(other) == own);
    Measure::Operator { leg, shared_with }
}

fn consensus(quote: &Quote, leg: usize, line: &[Quote], venues: &Venues) -> Measure {
    let middle = if quote.key.side() == Side::Back { MiddleRank::Upper } else { MiddleRank::Lower };
    let mut chances: Vec<_> = others(quote, line, venues).collect();
    let Some((median, operators)) = median_of_operators(&mut chances, middle) else {
        return Measure::Consensus { leg, operators: 0, median: None, off: 0.0 };
    };
    Measure::Consensus { leg, operators, median: Some(median), off: off(quote, median) }
}

/// How much better a bet is than an implied probability.
fn off(quote: &Quote, other: f64) -> f64 {
    let above = other - quote.price.implied_probability();
    if quote.key.side() == Side::Back { above } else { -above }
}

/// What the back prices on a quote's outcome imply at books of the table of other operators, with the operator.
fn others(quote: &Quote, line: &[Quote], venues: &Venues) -> impl Iterator<Item = (u32, f64)> + Clone {
    let own = venues.operator_of(quote.key.book());
    let of = move |other: &Quote| (venues.operator_of(other.key.book()), other.price.implied_probability());
    let is_known = move |other: &&Quote| venues.is_known(other.key.book());
    on_offer(line, quote.key.outcome()).filter(is_known).map(of).filter(move |(operator, _)| *operator != own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{World, book, price, quote};
    use crate::market::{Period, QuoteKey};
    use crate::quotes::QuoteStatus;
    use crate::venues::{Book, Books, Clauses, Level};

    const SECOND: Micros = 1_000_000;

    /// Four books of four operators under one set of rules; `e` is of the operator of `a`, `f` has other
    /// rules, and `g` is not in the table.
    fn world() -> World {
        let known = ["a", "b", "c", "d"].map(|name| (name.into(), book(name, "us")));
        let others = [("e".into(), book("a", "us")), ("f".into(), book("f", "uk"))];
        World::new(Books::new(known.into_iter().chain(others)), 7)
    }

    /// What does not hold of two legs at even-money prices among the prices of others, after a change of the case.
    fn failed(legs: [&str; 2], change: impl Fn(&mut [Quote; 2], &mut Case<'_>, &mut Basis)) -> Vec<String> {
        let world = world();
        let outcomes = [Outcome::Home, Outcome::Away];
        let of = |at: usize, name: &str| quote(world.book(name), None, outcomes[at], price("2.1"));
        let mut line: Vec<_> =
            ["a", "b", "c", "d"].into_iter().flat_map(|name| [of(0, name), of(1, name)]).collect();
        line.sort_by_key(|quote| quote.key);
        let mut chosen = [of(0, legs[0]), of(1, legs[1])];
        let mut basis = Basis { at: 0, margin_limit: 0.10, expected: vec![900 * SECOND; 2] };
        let mut case = Case {
            legs: &[],
            line: &line,
            margin: 0.05,
            margin_rounded: Some(0.04),
            basis: &Basis::default(),
            bets: BetsOf {
                league: "golf",
                draws: Draws::of("golf", Period::FullTime),
                market: Market::parse("h2h").unwrap(),
                has_draw: false,
                drawn: &[],
                venues: &world.venues,
            },
        };
        change(&mut chosen, &mut case, &mut basis);
        let case = Case { legs: &[&chosen[0], &chosen[1]], basis: &basis, ..case };
        let found = judge(&case);
        for flag in Flag::ALL {
            // What explains a flag decides it.
            let holds = measures(flag, &case).all(|measure| measure.holds());
            assert_eq!(holds, found.verification().holds(flag), "{flag:?}");
        }
        let failed = found.failed_checks(&legs);
        let held = Flag::ALL.into_iter().filter(|flag| found.verification().holds(*flag)).count();
        assert_eq!(held + failed.len(), Flag::ALL.len());
        failed.iter().map(|failed| format!("{}: {}", failed.flag, failed.reason)).collect()
    }

    #[test]
    fn an_arb_of_two_fresh_prices_has_every_flag() {
        assert_eq!(failed(["a", "b"], |_, _, _| ()), [""; 0]);
    }

    #[test]
    fn each_flag_fails_for_its_own_reason() {
        let of = |change: fn(&mut [Quote; 2], &mut Case<'_>, &mut Basis)| failed(["a", "b"], change);
        let apart = of(|legs, _, _| legs[1].span_start = 7 * SECOND);
        assert_eq!(apart, ["simultaneous: one price was last confirmed 7 s before another was first seen"]);
        let old = of(|_, _, basis| basis.at = 901 * SECOND);
        assert_eq!(old, ["fresh: a was last confirmed 901 s ago; 95 of 100 of its prices are within 900 s"]);
        let suspended = of(|legs, _, _| legs[1].status = QuoteStatus::Suspended);
        assert_eq!(suspended, ["active: b takes no bets"]);
        let lines = of(|legs, _, _| {
            let key = legs[1].key;
            legs[1].key = QuoteKey::new(Some(500), key.outcome(), key.side(), key.book());
        });
        assert_eq!(lines, ["same_line: the legs are on different lines"]);
        let outlier = of(|legs, _, _| legs[0].price = price("4"));
        assert_eq!(
            outlier,
            ["plausible_price: a is 22.6 points of probability off the median of the others"]
        );
        let too_good = of(|_, case, _| case.margin = 0.11);
        assert_eq!(too_good, ["plausible_margin: 99 of 100 proven margins are at most 10.00 %"]);
        for none in [None, Some(0.0), Some(-0.01)] {
            let unstakeable = failed(["a", "b"], |_, case, _| case.margin_rounded = none);
            assert_eq!(unstakeable, ["stakeable: no stakes that can be placed leave any profit"]);
        }
    }

    #[test]
    fn books_that_are_not_independent_or_not_known_fail() {
        assert_eq!(
            failed(["a", "e"], |_, _, _| ()),
            ["independent_operators: e is of the same operator as another leg"]
        );
        let differ = "same_rules: f and a differ in their clauses on extra time";
        assert_eq!(failed(["a", "f"], |_, _, _| ()), [differ]);
        let unknown = "same_rules: no clause of g on extra time is known";
        assert_eq!(failed(["a", "g"], |_, _, _| ()), [unknown]);
    }

    #[test]
    fn a_back_and_a_lay_of_a_side_say_nothing_of_the_draw() {
        let refunds = Book { clauses: Clauses::uniform("us", Level::Refunded), ..book("r", "us") };
        let halves = Book { clauses: Clauses::uniform("us", Level::DeadHeat), ..book("h", "us") };
        let world = World::new(Books::new([("a".into(), refunds), ("b".into(), halves)]), 2);
        let market = Market::parse("h2h").unwrap();
        let of = |league, drawn| {
            let draws = Draws::of(league, Period::FullTime);
            BetsOf { league, draws, market, has_draw: false, drawn, venues: &world.venues }
        };
        let back = quote(world.book("a"), None, Outcome::Home, price("2.1"));
        let mut lay = quote(world.book("b"), None, Outcome::Home, price("2.1"));
        lay.key = lay.key.with_side(Side::Lay);
        let flag = |bets: BetsOf<'_>| {
            let bets = bets.of_cover(Some(Outcome::Home), 2);
            ineligible(&[&back, &lay], &[], bets).map(|(flag, _)| flag)
        };
        let both = ["a", "b"].map(|name| world.book(name));
        let nfl = "americanfootball_nfl";
        assert_eq!(flag(of(nfl, &[])), Some(Flag::SameRules), "a tie refunds one and pays half of the other");
        assert_eq!(
            flag(of(nfl, &both[..1])),
            Some(Flag::SameRules),
            "it loses the back, and refunds the lay"
        );
        let is_decided = Some(Flag::PlausiblePrice);
        assert_eq!(
            flag(of(nfl, &both)),
            is_decided,
            "both sell the draw: it loses the back, and wins the lay"
        );
        assert_eq!(flag(of("soccer_epl", &[])), is_decided, "the draw is sold everywhere");
    }

    #[test]
    fn two_other_operators_make_a_consensus() {
        let among = |books: &[&str]| {
            failed(["a", "b"], |_, case, _| {
                let world = world();
                let is_among = |quote: &&Quote| books.iter().any(|name| world.book(name) == quote.key.book());
                let kept: Vec<_> = case.line.iter().filter(is_among).copied().collect();
                case.line = kept.leak();
            })
        };
        assert_eq!(among(&["a", "b", "c"]), [""; 0]);
        let reason = "plausible_price: 1 other operators price the bet: too few to judge a";
        assert_eq!(among(&["a", "b"]), [reason]);
    }

    #[test]
    fn legs_are_fresh_until_the_first_of_them_is_not() {
        let world = world();
        let of = |name: &str, seen: Micros| Quote {
            span_end: seen,
            ..quote(world.book(name), None, Outcome::Home, price("2"))
        };
        let basis = Basis { expected: vec![900 * SECOND, 60 * SECOND], ..Basis::default() };
        let (a, b) = (of("a", 0), of("b", 800 * SECOND));
        assert_eq!(fresh_until(&[&a, &b], &basis), 860 * SECOND);
        assert_eq!(fresh_until(&[&a], &basis), 900 * SECOND);
    }
}
