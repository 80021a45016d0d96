//! The best prices of one line: an arb, or nearly one.
//!
//! What is compared are effective prices, after fees. A line is covered by a back bet on each outcome; where there are two
//! outcomes, laying one is backing the other; where there are three, backing and laying the same one covers all. Of several
//! covers the one with the least implied probability is taken, of equal ones the first of that order; of equal prices
//! the smallest book key, so that the answer depends on nothing else. Legs in different currencies make no arb; a book whose
//! currency is not known may be of any. It never remembers anything.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::catalogue::{Outcome, Policy, Side};
use crate::names::Names;
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
        outcome == Some(quote.key.outcome) && quote.standing == QuoteStatus::OnOffer
    }
}

/// The cover of a line with the least implied probability, if that is below so much; `line` holds the quotes of that line only.
pub(crate) fn find<'a>(
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
