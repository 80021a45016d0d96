//! The best prices of one line: an arb, or nearly one.
//!
//! Effective prices, after fees, are compared. A line is covered by a back bet on each outcome; with two
//! outcomes, laying one is backing the other; with three, backing and laying the same one covers all. Of
//! several covers the one with the least implied probability is chosen, of equal ones the first in that
//! order; of equal prices the smallest book key, so that the result depends on nothing else. Legs in
//! different currencies are no arb; a book with an unknown currency may have any. It never keeps state.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::market::{Names, Outcome, Policy, Side};
use crate::quotes::{Quote, QuoteStatus};
use crate::venues::PricingContext;

/// The best quotes of a cover: an arb where their implied probability is below 1.
#[derive(Debug, Clone)]
pub(crate) struct Arb<'a> {
    /// One quote for each bet of the cover.
    pub(crate) legs: Vec<&'a Quote>,
    /// Of which of three outcomes the legs are a back and a lay; `None` where they are a bet on each outcome.
    pub(crate) pair: Option<Outcome>,
    /// `S`, by effective prices.
    pub(crate) implied_probability: f64,
}

/// A bet of a cover: any of these quotes.
#[derive(Debug, Clone, Copy)]
struct CoverBet {
    back: Option<Outcome>,
    lay: Option<Outcome>,
}

impl CoverBet {
    fn back(outcome: Outcome) -> Self {
        Self { back: Some(outcome), lay: None }
    }

    fn lay(outcome: Outcome) -> Self {
        Self { back: None, lay: Some(outcome) }
    }

    fn takes(self, quote: &Quote) -> bool {
        let outcome = match quote.key.side {
            Side::Back => self.back,
            Side::Lay => self.lay,
        };
        outcome == Some(quote.key.outcome) && quote.status == QuoteStatus::OnOffer
    }
}

/// The cover of a line with the least implied probability, if that is below so much; `line` holds the quotes of that line only.
pub(crate) fn find_arb<'a>(
    line: &'a [Quote],
    outcomes: &[Outcome],
    pricing: PricingContext<'_>,
    below: f64,
) -> Option<Arb<'a>> {
    if pricing.venues.share_a_currency() {
        return find_among(line, outcomes, pricing, below, |_| true);
    }
    let of = |one: &Arc<str>| {
        let is_among = |quote: &Quote| pricing.venues.may_be_in(quote.key.book, one);
        find_among(line, outcomes, pricing, below, is_among)
    };
    pricing.venues.currencies().filter_map(of).reduce(|a, b| of_either(a, b, pricing.names))
}

/// Of the covers of two currencies the cheaper, as within one: books whose currency is not known are in both.
fn of_either<'a>(a: Arb<'a>, b: Arb<'a>, names: &Names) -> Arb<'a> {
    let books = |arb: &Arb<'_>| arb.legs.iter().map(|leg| names.name(leg.key.book)).collect::<Vec<_>>();
    let order = a.implied_probability.total_cmp(&b.implied_probability).then(a.pair.cmp(&b.pair));
    if order.then_with(|| books(&a).cmp(&books(&b))) == Ordering::Greater { b } else { a }
}

fn least<'a>(a: Arb<'a>, b: Arb<'a>) -> Arb<'a> {
    if b.implied_probability < a.implied_probability { b } else { a }
}

fn find_among<'a>(
    line: &'a [Quote],
    outcomes: &[Outcome],
    pricing: PricingContext<'_>,
    below: f64,
    is_among: impl Fn(&Quote) -> bool + Copy,
) -> Option<Arb<'a>> {
    let cover = |bets: &[CoverBet]| arb_of(line, bets, pricing.names, below, is_among);
    let has_lay = pricing.policy == Policy::Board && line.iter().any(|quote| quote.key.side == Side::Lay);
    match *outcomes {
        [one, other] if has_lay => {
            let either = |back, lay| CoverBet { back: Some(back), lay: Some(lay) };
            cover(&[either(one, other), either(other, one)])
        }
        [one, other] => cover(&[one, other].map(CoverBet::back)),
        [one, two, three] => {
            let backs = cover(&[one, two, three].map(CoverBet::back));
            let both = outcomes.iter().filter(|_| has_lay);
            let both = both.filter_map(|outcome| {
                let arb = cover(&[CoverBet::back(*outcome), CoverBet::lay(*outcome)])?;
                Some(Arb { pair: Some(*outcome), ..arb })
            });
            backs.into_iter().chain(both).reduce(least)
        }
        _ => None,
    }
}

/// A cover by its best quotes, if their implied probability is below so much.
fn arb_of<'a>(
    line: &'a [Quote],
    cover: &[CoverBet],
    names: &Names,
    below: f64,
    is_among: impl Fn(&Quote) -> bool,
) -> Option<Arb<'a>> {
    let mut implied_probability = 0.0;
    for bet in cover {
        let quotes = line.iter().filter(|quote| bet.takes(quote) && is_among(quote));
        implied_probability += quotes.map(|quote| quote.effective).max()?.implied_probability();
    }
    if implied_probability >= below {
        return None;
    }
    // Books are looked at only here: most lines are no arb.
    let best = |bet: &CoverBet| {
        let quotes = line.iter().filter(|quote| bet.takes(quote) && is_among(quote));
        quotes.reduce(|best, quote| better(best, quote, names))
    };
    Some(Arb { legs: cover.iter().filter_map(best).collect(), pair: None, implied_probability })
}

/// The higher effective price, then the smaller book key, then the back bet.
pub(crate) fn better<'a>(a: &'a Quote, b: &'a Quote, names: &Names) -> &'a Quote {
    let book = |quote: &Quote| names.name(quote.key.book);
    let order = b.effective.cmp(&a.effective).then_with(|| book(a).cmp(book(b)));
    if order.then(a.key.side.cmp(&b.key.side)) == Ordering::Greater { b } else { a }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{World, quote};
    use crate::odds::Price;
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
                quote.key.side = if *lay { Side::Lay } else { Side::Back };
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
            offered().filter(move |q| q.key.outcome == outcome && q.key.side == Side::Back)
        };
        let lays =
            |outcome: Outcome| offered().filter(move |q| q.key.outcome == outcome && q.key.side == Side::Lay);
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
                let found = find_arb(&line, outcomes, world.pricing(), 2.0);
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
            prop_assert_eq!(&**names.name(best.key.book), "a");
        }
    }
}
