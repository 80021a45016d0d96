//! Which cover of a line its window has: the cheapest one of eligible bets, and the cheapest of all where no eligible one is an arb.
//!
//! A bet is eligible by what time does not change: its book's clauses of a played match are known where they matter, and its price is plausible against the
//! other operators. A cover is, when its books settle alike and have distinct operators; all covers are in one currency (`best`). So
//! no wrong price hides a right one: a cover that is cheaper and not eligible is passed over, and shown as that.
//!
//! Exact: of distinct operators each bet needs the best prices of no more operators than the cover has bets, within each class of
//! rules and currency, since the others take one of them each at most. Of equal covers the first kind counts, then the smallest names of books.
//!
//! It never looks at times, limits or the largest plausible margin: what they decide is judged on the chosen cover. A search until the
//! proofs in time hold is shopping: over four recordings it tripled the verified windows in play (151 to 476) and kept
//! no more of the true ones (151 to 152).

use crate::market::{Outcome, OutcomeSet, Policy};
use crate::odds::ARB_BELOW;
use crate::quotes::Quote;
use crate::venues::{Currency, Played, PricingContext};

use super::best::{Arb, Cover, PassedCover, better_first, cheapest, covers_on, in_order};
use super::checks::{self, BetsOf};
use super::window::Window;

/// The covers of a line that count.
#[derive(Debug, Default)]
pub(crate) struct LineCovers<'a> {
    /// What its window has.
    pub(crate) arb: Option<Arb<'a>>,
    /// The cheapest one of eligible bets, where it is no arb.
    pub(crate) nearly: Option<Arb<'a>>,
}

/// The covers of a line below so much implied probability, of these of its quotes; `all` are its quotes, whose prices are evidence. The
/// policy `raw` asks for no eligibility, and has nothing that is nearly an arb.
pub(crate) fn covers_of_line<'a>(
    (offered, all): (&'a [Quote], &[Quote]),
    set: OutcomeSet<'_>,
    pricing: PricingContext<'_>,
    below: f64,
) -> LineCovers<'a> {
    let covers = covers_on(offered, set.outcomes, pricing.policy);
    let covers_level = |quote: &Quote| pricing.covers_level(quote.key.book(), set.market.period);
    let counts = set.is_refunding.then_some(&covers_level as &dyn Fn(&Quote) -> bool);
    let Some(least) = cheapest(&covers, counts, pricing, below) else { return LineCovers::default() };
    let bets = BetsOf::market(pricing, set.market, set.drawn);
    let of_least = bets.of_cover(least.pair, least.legs.len());
    if pricing.policy == Policy::Raw || checks::are_eligible(&least.legs, all, of_least) {
        return LineCovers::of(least);
    }
    let of_cover = |cover: &Cover<'a>| {
        let bets = bets.of_cover(cover.pair, cover.bets().len());
        let offers = cover.bets_below(below, |quote| counts.is_none_or(|counts| counts(quote)))?;
        least_of_cover(cover.pair, &eligible(&offers, all, bets), pricing)
    };
    let eligible = covers.iter().filter_map(of_cover).min_by(|a, b| in_order(a, b, pricing.names));
    let chosen =
        eligible.filter(|arb| arb.implied_probability < below).map(LineCovers::of).unwrap_or_default();
    match chosen {
        LineCovers { arb: Some(arb), nearly } => {
            let is_better = least.implied_probability < arb.implied_probability;
            let passed_over =
                is_better.then(|| PassedCover::of(least, all, of_least)).flatten().map(Box::new);
            LineCovers { arb: Some(Arb { passed_over, ..arb }), nearly }
        }
        LineCovers { arb: None, nearly } => LineCovers { nearly, ..LineCovers::of(least) },
    }
}

impl<'a> LineCovers<'a> {
    fn of(cover: Arb<'a>) -> Self {
        let is_arb = cover.implied_probability < ARB_BELOW;
        let (arb, nearly) = if is_arb { (Some(cover), None) } else { (None, Some(cover)) };
        Self { arb, nearly }
    }
}

impl<'a> PassedCover<'a> {
    /// A cheaper cover that is not eligible.
    fn of(cover: Arb<'a>, all: &[Quote], bets: BetsOf<'_>) -> Option<Self> {
        let Arb { legs, implied_probability, .. } = cover;
        let reason = checks::ineligible(&legs, all, bets)?;
        Some(Self { legs, implied_probability, reason })
    }
}

/// Whether a bet is eligible, among the quotes of its line.
pub(crate) fn is_eligible(bet: &Quote, line: &[Quote], bets: BetsOf<'_>) -> bool {
    checks::is_plausible(bet, line, bets.venues) && bets.terms(bet).played().is_some()
}

/// Whether a window's bets are an eligible cover, as it was judged last.
pub(crate) fn is_of_eligible(window: &Window) -> bool {
    checks::OF_BETS.iter().all(|flag| window.verification.holds(*flag))
}

/// The cheapest choice of a cover's bets among eligible ones that are paid alike and in one currency.
fn least_of_cover<'a>(
    pair: Option<Outcome>,
    eligible: &[Vec<(&'a Quote, Played<'_>)>],
    pricing: PricingContext<'_>,
) -> Option<Arb<'a>> {
    let venues = pricing.venues;
    if eligible.iter().any(Vec::is_empty) {
        return None;
    }
    // A cover has a bet of the class that its first bet is of.
    let mut terms: Vec<_> = eligible.first()?.iter().map(|(_, terms)| *terms).collect();
    terms.sort_unstable();
    terms.dedup();
    let classes = terms.iter().flat_map(|terms| venues.currencies().map(move |currency| (terms, currency)));
    let of_class = |(terms, currency): (&Played<'_>, Option<Currency>)| {
        let is_among =
            |quote: &Quote, of: &Played<'_>| of == terms && venues.may_be_in(quote.key.book(), currency);
        let among = |bet: &Vec<(&'a Quote, Played<'_>)>| {
            bet.iter().filter(|(quote, of)| is_among(quote, of)).map(|(quote, _)| *quote).collect()
        };
        least_of_operators(eligible.iter().map(among), pair, pricing)
    };
    classes.filter_map(of_class).min_by(|a, b| in_order(a, b, pricing.names))
}

/// Those of each bet's offers that are eligible, each with the terms by which its book pays it.
fn eligible<'a, 'b>(
    offers: &[Vec<&'a Quote>],
    all: &[Quote],
    bets: BetsOf<'b>,
) -> Vec<Vec<(&'a Quote, Played<'b>)>> {
    let of = |offers: &Vec<&'a Quote>| {
        let plausible = offers.iter().filter(|quote| checks::is_plausible(quote, all, bets.venues));
        plausible.filter_map(|quote| Some((*quote, bets.terms(quote).played()?))).collect()
    };
    offers.iter().map(of).collect()
}

/// The cheapest choice of a quote for each bet, of distinct operators.
fn least_of_operators<'a>(
    bets: impl ExactSizeIterator<Item = Vec<&'a Quote>>,
    pair: Option<Outcome>,
    pricing: PricingContext<'_>,
) -> Option<Arb<'a>> {
    let operator = |quote: &Quote| pricing.venues.operator_of(quote.key.book());
    let mut ways: Vec<Vec<&Quote>> = vec![Vec::new()];
    let count = bets.len();
    for mut offers in bets {
        offers.sort_by(|a, b| better_first(a, b, pricing.names));
        let mut best: Vec<&Quote> = Vec::with_capacity(count);
        for offer in offers {
            if best.len() < count && best.iter().all(|other| operator(other) != operator(offer)) {
                best.push(offer);
            }
        }
        let with = |way: &Vec<&'a Quote>| {
            let others = best.iter().filter(|quote| way.iter().all(|leg| operator(leg) != operator(quote)));
            others.map(|quote| [&way[..], &[*quote]].concat()).collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(with).collect();
    }
    let arbs = ways.into_iter().map(|legs| {
        let implied_probability = legs.iter().fold(0.0, |sum, leg| sum + leg.effective.implied_probability());
        Arb { legs, pair, implied_probability, passed_over: None }
    });
    arbs.min_by(|a, b| in_order(a, b, pricing.names))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{World, book, quote};
    use crate::market::{Market, QuoteKey, Side};
    use crate::odds::Price;
    use crate::quotes::QuoteStatus;
    use crate::venues::{Book, Books, Clauses};

    const TWO: [Outcome; 2] = [Outcome::Home, Outcome::Away];
    const THREE: [Outcome; 3] = [Outcome::Home, Outcome::Draw, Outcome::Away];
    /// In hundredths: prices that agree, and errors.
    const PRICES: [i64; 9] = [195, 200, 205, 210, 220, 290, 300, 310, 900];
    const BELOW: f64 = 1.01;

    /// (book, outcome, a lay, price, on offer).
    type Row = (usize, usize, bool, usize, bool);

    /// `a` and `b` are of one operator; `f` has other rules, `g` and `h` another currency, `i` none that is known and `j` no rules that
    /// are; `k` is not in the table.
    fn world() -> World {
        let named = |name: &str, of: Book| (name.into(), of);
        let dollars = ["c", "d", "e"].map(|name| named(name, book(name, "us")));
        let pounds =
            ["g", "h"].map(|name| named(name, Book { currency: Some("GBP".into()), ..book(name, "us") }));
        let others = [
            named("a", book("x", "us")),
            named("b", book("x", "us")),
            named("f", book("f", "uk")),
            named("i", Book { currency: None, ..book("i", "us") }),
            named("j", Book { clauses: Clauses::default(), ..book("j", "us") }),
        ];
        World::new(Books::new(dollars.into_iter().chain(pounds).chain(others)), 11)
    }

    /// Of a winner of which no book has listed a draw.
    fn set(outcomes: usize) -> OutcomeSet<'static> {
        OutcomeSet::new(Market::parse("h2h").unwrap(), outcomes > 2, &[])
    }

    fn line(world: &World, rows: &[Row]) -> Vec<Quote> {
        let books: Vec<_> = world.names.symbols().collect();
        let quote = |(at, outcome, lay, price, offered): &Row| {
            let price = Price::from_millionths(PRICES[*price] * 10_000).unwrap();
            let mut quote = quote(books[*at], None, THREE[*outcome], price);
            quote.key = quote.key.with_side(if *lay { Side::Lay } else { Side::Back });
            let status = if *offered { QuoteStatus::OnOffer } else { QuoteStatus::Suspended };
            Quote {
                status,
                effective: world.pricing().effective(quote.key, price, quote.odds_format, 0),
                ..quote
            }
        };
        let mut line: Vec<_> = rows.iter().map(quote).collect();
        line.sort_by_key(|quote| quote.key);
        line.dedup_by_key(|quote| quote.key);
        line
    }

    /// Every cover by any bets that are on offer, as (kind, legs).
    fn every_cover<'a>(line: &'a [Quote], outcomes: &[Outcome]) -> Vec<(Option<Outcome>, Vec<&'a Quote>)> {
        let of = |outcome: Outcome, side: Side| {
            let is_of = move |quote: &&Quote| {
                (quote.key.outcome(), quote.key.side(), quote.status) == (outcome, side, QuoteStatus::OnOffer)
            };
            line.iter().filter(is_of).collect::<Vec<_>>()
        };
        let product = |bets: &[Vec<&'a Quote>]| {
            bets.iter().fold(vec![Vec::new()], |ways: Vec<Vec<&Quote>>, bet| {
                let with = |way: &Vec<&'a Quote>| {
                    bet.iter().map(|quote| [&way[..], &[*quote]].concat()).collect::<Vec<_>>()
                };
                ways.iter().flat_map(with).collect()
            })
        };
        let (back, lay) = (|outcome| of(outcome, Side::Back), |outcome| of(outcome, Side::Lay));
        if let [one, other] = *outcomes {
            let bets = [[back(one), lay(other)].concat(), [back(other), lay(one)].concat()];
            return product(&bets).into_iter().map(|legs| (None, legs)).collect();
        }
        let backs = product(&outcomes.iter().map(|outcome| back(*outcome)).collect::<Vec<_>>());
        let pairs = outcomes.iter().flat_map(|outcome| {
            product(&[back(*outcome), lay(*outcome)]).into_iter().map(|legs| (Some(*outcome), legs))
        });
        backs.into_iter().map(|legs| (None, legs)).chain(pairs).collect()
    }

    /// S, the books of the legs and their sides of the first cover in the order, of those that are wanted.
    fn first_of(
        world: &World,
        covers: &[(Option<Outcome>, Vec<&Quote>)],
        is_wanted: impl Fn(&[&Quote]) -> bool,
    ) -> Option<(f64, Vec<QuoteKey>)> {
        let names = |legs: &[&Quote]| {
            legs.iter()
                .map(|leg| (world.names.name(leg.key.book()).clone(), leg.key.side()))
                .collect::<Vec<_>>()
        };
        let mut found: Vec<_> = covers
            .iter()
            .filter(|(_, legs)| is_wanted(legs))
            .map(|(pair, legs)| {
                (
                    legs.iter().fold(0.0, |sum, leg| sum + leg.effective.implied_probability()),
                    *pair,
                    names(legs),
                    legs,
                )
            })
            .filter(|(implied, ..)| *implied < BELOW)
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, &a.2).cmp(&(b.1, &b.2))));
        found.first().map(|(implied, _, _, legs)| (*implied, legs.iter().map(|leg| leg.key).collect()))
    }

    fn are_distinct<T: PartialEq>(of: &[T]) -> bool {
        of.iter().enumerate().all(|(at, one)| !of[..at].contains(one))
    }

    /// Whether legs can be paid in one currency, and whether they are an eligible cover, by the table of books itself.
    fn judged(world: &World, line: &[Quote], legs: &[&Quote]) -> [bool; 2] {
        let venue = |leg: &&Quote| world.venues.venue(leg.key.book());
        let mut currencies: Vec<_> = legs.iter().filter_map(|leg| venue(leg).book.currency.clone()).collect();
        currencies.dedup();
        let is_payable = currencies.len() <= 1;
        // All clauses of a book of the fixtures say the same, so the first one does.
        let first = |of: &Book| of.clauses.0.first().map(|clause| clause.value.clone());
        let rules: Vec<_> = legs.iter().map(|leg| first(&venue(leg).book)).collect();
        let operators: Vec<_> = legs.iter().map(|leg| venue(leg).operator().to_owned()).collect();
        let settle_alike = rules[0].is_some() && rules.iter().all(|of| *of == rules[0]);
        let are_plausible = legs.iter().all(|leg| checks::is_plausible(leg, line, &world.venues));
        [is_payable, is_payable && settle_alike && are_distinct(&operators) && are_plausible]
    }

    fn of(arb: &Arb<'_>) -> (f64, Vec<QuoteKey>) {
        (arb.implied_probability, arb.legs.iter().map(|leg| leg.key).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// Whatever the line: the chosen cover, what was passed over and what is nearly an arb are those that trying every cover finds.
        #[test]
        fn the_chosen_cover_is_the_first_of_all_that_are_eligible(
            rows in prop::collection::vec(
                (0..11_usize, 0..3_usize, prop::bool::weighted(0.3), 0..PRICES.len(), prop::bool::weighted(0.9)),
                2..20,
            ),
            is_three in any::<bool>(),
        ) {
            let world = world();
            let outcomes = if is_three { &THREE[..] } else { &TWO[..] };
            let line = line(&world, &rows);
            let found = covers_of_line((&line, &line), set(outcomes.len()), world.pricing(), BELOW);
            let covers = every_cover(&line, outcomes);
            let cheapest = first_of(&world, &covers, |legs| judged(&world, &line, legs)[0]);
            let eligible = first_of(&world, &covers, |legs| judged(&world, &line, legs)[1]);
            let is_arb = |cover: &&(f64, Vec<QuoteKey>)| cover.0 < ARB_BELOW;
            let arb = eligible.as_ref().filter(is_arb).or(cheapest.as_ref().filter(is_arb));
            prop_assert_eq!(found.arb.as_ref().map(of), arb.cloned());
            let nearly = eligible.as_ref().filter(|cover| !is_arb(cover)).cloned();
            prop_assert_eq!(found.nearly.as_ref().map(of), nearly);
            let passed_over = found.arb.as_ref().and_then(|arb| arb.passed_over.as_deref());
            let passed = passed_over.map(|passed| (passed.implied_probability, passed.legs.iter().map(|leg| leg.key).collect()));
            let was_passed = cheapest.filter(|_| eligible.as_ref().is_some_and(|cover| is_arb(&cover))).filter(|cheapest| eligible.as_ref().is_some_and(|cover| cheapest.0 < cover.0));
            prop_assert_eq!(passed, was_passed);
        }

        /// Prices of a book that is not in the table take no eligible cover away, whatever they are.
        #[test]
        fn a_book_that_is_not_in_the_table_changes_no_eligible_cover_of_books_that_are_plausible_without_it(
            prices in prop::collection::vec((0..3_usize, any::<bool>(), 0..PRICES.len()), 1..6),
        ) {
            let world = world();
            let table: Vec<Row> = [2, 3, 4, 5].iter().flat_map(|at| [(*at, 0, false, 3, true), (*at, 2, false, 3, true)]).collect();
            let pushed = prices.iter().map(|(outcome, lay, price)| (10, *outcome, *lay, *price, true));
            let (before, after) = (line(&world, &table), line(&world, &table.iter().copied().chain(pushed).collect::<Vec<_>>()));
            let covers = |line: &[Quote]| covers_of_line((line, line), set(2), world.pricing(), BELOW).arb.as_ref().map(of);
            prop_assert!(covers(&before).is_some());
            prop_assert_eq!(covers(&before), covers(&after));
        }
    }

    #[test]
    fn the_policy_raw_takes_the_best_prices_of_all() {
        let mut world = world();
        world.policy = Policy::Raw;
        let line = line(&world, &[(10, 0, false, 8, true), (2, 0, false, 3, true), (3, 2, false, 3, true)]);
        let covers = covers_of_line((&line, &line), set(2), world.pricing(), ARB_BELOW);
        let books: Vec<_> =
            covers.arb.unwrap().legs.iter().map(|leg| &**world.names.name(leg.key.book())).collect();
        assert_eq!(books, ["k", "d"]);
    }
}
