//! The best prices of one line: an arb, or nearly one.
//!
//! Effective prices, after fees, are compared. A line is covered by a back bet on each outcome; with two
//! outcomes, laying one is backing the other; with three, backing and laying the same one covers all. Of
//! several covers the one with the least implied probability is chosen, of equal ones the first in that
//! order; of equal prices the smallest book key, so that the result depends on nothing else. Legs in
//! different currencies are no arb; a book with an unknown currency may have any. Whose bets may be taken is decided by `eligible`. It
//! never keeps state.

use std::cmp::Ordering;

use crate::effect::Flag;
use crate::market::{Names, Outcome, Policy, QuoteKey, Side};
use crate::odds::Price;
use crate::quotes::{Quote, QuoteStatus, of_bet};
use crate::venues::PricingContext;

use super::measure::Measure;

/// The most bets of a cover.
const MOST: usize = 3;
/// More than the noise of a sum of as many implied probabilities.
const NOISE: f64 = 1e-9;

/// The best quotes of a cover: an arb where their implied probability is below 1.
#[derive(Debug, Clone)]
pub(crate) struct Arb<'a> {
    /// One quote for each bet of the cover.
    pub(crate) legs: Vec<&'a Quote>,
    /// Of which of three outcomes the legs are a back and a lay; `None` where they are a bet on each outcome.
    pub(crate) pair: Option<Outcome>,
    /// `S`, by effective prices.
    pub(crate) implied_probability: f64,
    /// A cheaper cover that is not eligible.
    pub(crate) passed_over: Option<Box<PassedCover<'a>>>,
}

/// A cover that was cheaper than the chosen one, and the first reason why it is not eligible.
#[derive(Debug, Clone)]
pub(crate) struct PassedCover<'a> {
    pub(crate) legs: Vec<&'a Quote>,
    pub(crate) implied_probability: f64,
    pub(crate) reason: (Flag, Measure),
}

/// A bet of a cover: any of these quotes that is on offer. Two outcomes have two ways to make a bet, by a back and by a lay.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CoverBet<'a>([&'a [Quote]; 2]);

/// A way to cover the outcomes of a line.
pub(super) struct Cover<'a> {
    /// The outcome of which it is a back and a lay; `None` where it is a bet on each outcome.
    pub(super) pair: Option<Outcome>,
    bets: [CoverBet<'a>; MOST],
    /// How many of them it has.
    len: usize,
}

/// The quotes of a line, by bet.
struct Offers<'a> {
    line: &'a [Quote],
    /// Whether lays are looked at, and there may be any.
    has_lays: bool,
}

impl Arb<'_> {
    /// The bets that were passed over, at their prices.
    pub(super) fn passed_bets(&self) -> Vec<(QuoteKey, Price)> {
        let legs = self.passed_over.iter().flat_map(|passed| &passed.legs);
        legs.map(|leg| (leg.key, leg.price)).collect()
    }
}

impl<'a> Cover<'a> {
    fn new(pair: Option<Outcome>, of: impl Iterator<Item = CoverBet<'a>>) -> Self {
        let (mut bets, mut len) = ([CoverBet::default(); MOST], 0);
        bets.iter_mut().zip(of).for_each(|(place, bet)| (*place, len) = (bet, len + 1));
        Self { pair, bets, len }
    }

    pub(super) fn bets(&self) -> &[CoverBet<'a>] {
        &self.bets[..self.len]
    }

    /// The offers of each bet that some cover below so much implied probability may have, by what the best ones of the other bets imply, among the quotes that count; `None`
    /// where a bet has no offer.
    pub(super) fn bets_below(
        &self,
        below: f64,
        counts: impl Fn(&Quote) -> bool,
    ) -> Option<Vec<Vec<&'a Quote>>> {
        let mut least = [0.0; MOST];
        for (least, bet) in least.iter_mut().zip(self.bets()) {
            *least = bet.implied(&counts)?;
        }
        let all: f64 = least.iter().sum();
        let of = |(least, bet): (&f64, &CoverBet<'a>)| {
            let most = below - (all - least) + NOISE;
            let is_below = |quote: &Quote| quote.effective.implied_probability() < most;
            bet.offers().filter(|quote| is_below(quote) && counts(quote)).collect()
        };
        Some(least.iter().zip(self.bets()).map(of).collect())
    }
}

impl<'a> CoverBet<'a> {
    pub(super) fn offers(self) -> impl Iterator<Item = &'a Quote> {
        self.0.into_iter().flatten().filter(|quote| quote.status == QuoteStatus::OnOffer)
    }

    /// What its best price among some quotes implies; `None` where there is none.
    fn implied(&self, is_among: impl Fn(&Quote) -> bool) -> Option<f64> {
        let offers = self.offers().filter(|quote| is_among(quote));
        Some(offers.map(|quote| quote.effective).max()?.implied_probability())
    }
}

impl<'a> Offers<'a> {
    fn back(&self, outcome: Outcome) -> CoverBet<'a> {
        CoverBet([of_bet(self.line, outcome, Side::Back), &[]])
    }

    fn lay(&self, outcome: Outcome) -> CoverBet<'a> {
        CoverBet([of_bet(self.line, outcome, Side::Lay), &[]])
    }

    /// A back of one outcome, or a lay of the other of two.
    fn either(&self, back: Outcome, lay: Outcome) -> CoverBet<'a> {
        CoverBet([of_bet(self.line, back, Side::Back), of_bet(self.line, lay, Side::Lay)])
    }
}

/// The ways to cover a line; `line` holds the quotes of that line only.
pub(super) fn covers_on<'a>(line: &'a [Quote], outcomes: &[Outcome], policy: Policy) -> Vec<Cover<'a>> {
    let has_lays = policy == Policy::Board && line.iter().any(|quote| quote.key.side() == Side::Lay);
    covers_of(&Offers { line, has_lays }, outcomes)
}

/// The cover of a line with the least implied probability, if that is below so much, by the quotes that count; `None` is all.
pub(super) fn cheapest<'a>(
    covers: &[Cover<'a>],
    counts: Option<&dyn Fn(&Quote) -> bool>,
    pricing: PricingContext<'_>,
    below: f64,
) -> Option<Arb<'a>> {
    if pricing.venues.share_a_currency() && counts.is_none() {
        return least_of(covers, pricing.names, below, |_| true);
    }
    // Of fewer quotes no cover is cheaper: most lines end here.
    if !covers.iter().any(|cover| implied(cover.bets(), |_| true).is_some_and(|implied| implied < below)) {
        return None;
    }
    let of = |one| {
        let is_among = |quote: &Quote| {
            pricing.venues.may_be_in(quote.key.book(), one) && counts.is_none_or(|counts| counts(quote))
        };
        least_of(covers, pricing.names, below, is_among)
    };
    pricing.venues.currencies().filter_map(of).min_by(|a, b| in_order(a, b, pricing.names))
}

/// The cheaper cover first; of equal ones that of the first kind, then that of the smallest names of books.
pub(super) fn in_order(a: &Arb<'_>, b: &Arb<'_>, names: &Names) -> Ordering {
    let books = |arb: &Arb<'_>| arb.legs.iter().map(|leg| names.place(leg.key.book())).collect::<Vec<_>>();
    let order = a.implied_probability.total_cmp(&b.implied_probability).then(a.pair.cmp(&b.pair));
    order.then_with(|| books(a).cmp(&books(b)))
}

/// The ways to cover the outcomes.
fn covers_of<'a>(offers: &Offers<'a>, outcomes: &[Outcome]) -> Vec<Cover<'a>> {
    match *outcomes {
        [one, other] if offers.has_lays => {
            vec![Cover::new(None, [offers.either(one, other), offers.either(other, one)].into_iter())]
        }
        [_, _] | [_, _, _] => {
            let backs = Cover::new(None, outcomes.iter().map(|outcome| offers.back(*outcome)));
            let laid = outcomes.iter().filter(|_| offers.has_lays);
            let pairs = laid.map(|outcome| {
                Cover::new(Some(*outcome), [offers.back(*outcome), offers.lay(*outcome)].into_iter())
            });
            std::iter::once(backs).chain(pairs).collect()
        }
        _ => Vec::new(),
    }
}

/// The cheapest cover among some quotes, if its implied probability is below so much; of equal ones the first.
fn least_of<'a>(
    covers: &[Cover<'a>],
    names: &Names,
    below: f64,
    is_among: impl Fn(&Quote) -> bool,
) -> Option<Arb<'a>> {
    let implied = covers.iter().filter_map(|cover| Some((cover, implied(cover.bets(), &is_among)?)));
    let cheaper = |a: (_, f64), b: (_, f64)| if b.1 < a.1 { b } else { a };
    let (cover, implied_probability) = implied.reduce(cheaper).filter(|(_, it)| *it < below)?;
    // Names are looked at only here: most lines are no arb.
    let best = |bet: &CoverBet<'a>| {
        bet.offers().filter(|quote| is_among(quote)).reduce(|best, quote| better(best, quote, names))
    };
    let legs = cover.bets().iter().filter_map(best).collect();
    Some(Arb { legs, pair: cover.pair, implied_probability, passed_over: None })
}

/// The implied probability of a cover's best prices among some quotes; `None` where a bet has none.
fn implied(bets: &[CoverBet<'_>], is_among: impl Fn(&Quote) -> bool) -> Option<f64> {
    bets.iter().try_fold(0.0, |sum, bet| Some(sum + bet.implied(&is_among)?))
}

/// The better bet of two.
pub(crate) fn better<'a>(a: &'a Quote, b: &'a Quote, names: &Names) -> &'a Quote {
    if better_first(a, b, names) == Ordering::Greater { b } else { a }
}

/// The higher effective price first, then the smaller book key, then the back bet.
pub(crate) fn better_first(a: &Quote, b: &Quote, names: &Names) -> Ordering {
    let book = |quote: &Quote| names.place(quote.key.book());
    let order = b.effective.cmp(&a.effective).then_with(|| book(a).cmp(&book(b)));
    order.then(a.key.side().cmp(&b.key.side()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{World, quote};
    use crate::venues::Books;

    const TWO: [Outcome; 2] = [Outcome::Home, Outcome::Away];
    const THREE: [Outcome; 3] = [Outcome::Home, Outcome::Draw, Outcome::Away];

    /// (book, outcome, a lay, effective price in thousandths, on offer).
    type Row = (usize, usize, bool, i64, bool);

    fn line(world: &World, rows: &[Row]) -> Vec<Quote> {
        let books: Vec<_> = world.names.symbols().collect();
        let mut line: Vec<_> = rows
            .iter()
            .map(|(book, outcome, lay, thousandths, offered)| {
                let price = Price::from_millionths(thousandths * 1_000).unwrap();
                let mut quote = quote(books[*book], None, THREE[*outcome], price);
                quote.key = quote.key.with_side(if *lay { Side::Lay } else { Side::Back });
                let status = if *offered { QuoteStatus::OnOffer } else { QuoteStatus::Stale };
                Quote { status, ..quote }
            })
            .collect();
        line.sort_by_key(|quote| quote.key);
        line.dedup_by_key(|quote| quote.key);
        line
    }

    /// Every way to cover the outcomes, tried one after another.
    fn least_of_all(line: &[Quote], outcomes: &[Outcome]) -> Option<f64> {
        let offered = || line.iter().filter(|quote| quote.status == QuoteStatus::OnOffer);
        let implied = |quote: &Quote| quote.effective.implied_probability();
        let backs = |outcome: Outcome| {
            offered().filter(move |q| q.key.outcome() == outcome && q.key.side() == Side::Back)
        };
        let lays = |outcome: Outcome| {
            offered().filter(move |q| q.key.outcome() == outcome && q.key.side() == Side::Lay)
        };
        let cheapest = |quotes: Vec<&Quote>| quotes.into_iter().map(implied).min_by(f64::total_cmp);
        let mut covers = Vec::new();
        if let [one, other] = *outcomes {
            let either = |back, lay| cheapest(backs(back).chain(lays(lay)).collect());
            covers.push(either(one, other).zip(either(other, one)).map(|(a, b)| a + b));
        } else {
            let each: Option<Vec<_>> =
                outcomes.iter().map(|outcome| cheapest(backs(*outcome).collect())).collect();
            covers.push(each.map(|each| each.into_iter().fold(0.0, |sum, implied| sum + implied)));
            covers.extend(outcomes.iter().map(|outcome| {
                let lay = cheapest(lays(*outcome).collect());
                cheapest(backs(*outcome).collect()).zip(lay).map(|(a, b)| a + b)
            }));
        }
        covers.into_iter().flatten().min_by(f64::total_cmp)
    }

    proptest! {
        #[test]
        fn the_best_cover_is_the_least_of_all(
            rows in prop::collection::vec((0..4_usize, 0..3_usize, any::<bool>(), 1_500..5_000_i64, prop::bool::weighted(0.8)), 0..16),
        ) {
            let world = World::new(Books::default(), 4);
            let line = line(&world, &rows);
            for outcomes in [&TWO[..], &THREE] {
                let found = cheapest(&covers_on(&line, outcomes, Policy::Board), None, world.pricing(), 2.0);
                let expected = least_of_all(&line, outcomes).filter(|implied| *implied < 2.0);
                prop_assert_eq!(found.as_ref().map(|arb| arb.implied_probability), expected);
                if let Some(arb) = found {
                    let sum: f64 = arb.legs.iter().map(|leg| leg.effective.implied_probability()).sum();
                    prop_assert!((sum - arb.implied_probability).abs() < 1e-12);
                    prop_assert_eq!(arb.pair.is_some(), outcomes.len() == 3 && arb.legs.len() == 2);
                }
            }
        }

        /// The order of names decides nothing: of equal prices the smallest book key is chosen.
        #[test]
        fn of_equal_prices_the_smallest_book_is_taken(order in Just(["a", "b", "c", "d"]).prop_shuffle()) {
            let mut names = Names::default();
            let line: Vec<_> = order
                .iter()
                .map(|name| quote(names.symbol(name), None, Outcome::Home, Price::from_millionths(2_000_000).unwrap()))
                .collect();
            let best = line.iter().reduce(|a, b| better(a, b, &names)).unwrap();
            prop_assert_eq!(&**names.name(best.key.book()), "a");
        }
    }
}
