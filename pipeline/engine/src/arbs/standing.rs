//! Whether a window could be taken: did all bets of a verdict stand when each was first confirmed after it?
//!
//! A verdict is that a window opened, or that it was verified for the first time. What a flag used is never its answer: a confirmation
//! counts only where the source saw the price after the verdict. A bet stands while it is on offer at its price or a better one. It never
//! decides what a window is worth, and nothing of the engine asks it.

use crate::Micros;
use crate::market::{QuoteKey, Side};
use crate::odds::Price;
use crate::quotes::{Quote, QuoteStatus, find};

/// The bets of a verdict, and what their confirmations have said so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing<K> {
    /// When the verdict was: what was seen later answers.
    pub at: Micros,
    /// The bets that are not confirmed yet, at their prices; none when the answer is known.
    pub waiting: Vec<(K, Price)>,
    /// How long after the verdict the last answer came, in microseconds.
    pub after: Micros,
    /// All that were confirmed stood.
    pub stands: bool,
}

/// What a line says of a bet since a verdict.
enum Answer {
    Stands(Micros),
    Fell(Micros),
    NotYet,
}

impl Standing<QuoteKey> {
    /// Of legs that a verdict is about. What was seen by then answers nothing, also where a source's clock is ahead.
    pub(crate) fn new(now: Micros, legs: &[Quote]) -> Self {
        let at = legs.iter().map(|leg| leg.span_end).fold(now, Micros::max);
        let waiting = legs.iter().map(|leg| (leg.key, leg.price)).collect();
        Self { at, waiting, after: 0, stands: true }
    }

    /// What a line says now, and its time. The first bet that fell is the answer.
    pub(crate) fn look(&mut self, quotes: &[Quote], now: Micros) {
        let (at, waiting) = (self.at, std::mem::take(&mut self.waiting));
        for (key, price) in waiting {
            match answer(find(quotes, key), price, at, now) {
                Answer::Stands(seen_at) => self.after = self.after.max(seen_at - at),
                Answer::NotYet => self.waiting.push((key, price)),
                Answer::Fell(seen_at) => {
                    (self.stands, self.after) = (false, seen_at - at);
                    self.waiting.clear();
                    return;
                }
            }
        }
    }

    /// Whether all bets stood, and how long after the verdict that was known; `None` while it is not.
    pub(crate) fn answer(&self) -> Option<(bool, Micros)> {
        self.waiting.is_empty().then_some((self.stands, self.after))
    }
}

fn answer(quote: Option<&Quote>, price: Price, at: Micros, now: Micros) -> Answer {
    let Some(quote) = quote else { return Answer::Fell(now) };
    let stands = if quote.key.side() == Side::Lay { quote.price <= price } else { quote.price >= price };
    match quote.status {
        QuoteStatus::Suspended => Answer::Fell(now),
        _ if quote.span_end <= at => Answer::NotYet,
        _ if stands => Answer::Stands(quote.span_end),
        _ => Answer::Fell(quote.span_end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{World, price, quote};
    use crate::market::Outcome;
    use crate::venues::Books;

    const AT: Micros = 1_000;
    const NOW: Micros = 9_000;

    /// A back of the home side and a lay of it at another book, both at 2, last seen before the verdict.
    fn legs(world: &World) -> [Quote; 2] {
        let of = |book| Quote { span_end: 900, ..quote(world.book(book), None, Outcome::Home, price("2")) };
        let lay = of("b");
        [of("a"), Quote { key: lay.key.with_side(Side::Lay), ..lay }]
    }

    /// What is answered when a line is these changes of the legs, one after the other.
    fn answered(changes: &[&dyn Fn(&mut Vec<Quote>)]) -> Option<(bool, Micros)> {
        let world = World::new(Books::default(), 2);
        let mut line = legs(&world).to_vec();
        let mut standing = Standing::new(AT, &line);
        for change in changes {
            change(&mut line);
            line.sort_by_key(|quote| quote.key);
            standing.look(&line, NOW);
        }
        standing.answer()
    }

    fn of(side: Side, change: impl Fn(&mut Quote)) -> impl Fn(&mut Vec<Quote>) {
        move |line| line.iter_mut().filter(|quote| quote.key.side() == side).for_each(&change)
    }

    #[test]
    fn all_legs_stand_when_each_is_confirmed_there_or_better() {
        let back = of(Side::Back, |leg| (leg.span_end, leg.price) = (2_000, price("2.1")));
        let lay = of(Side::Lay, |leg| (leg.span_end, leg.price) = (5_000, price("1.9")));
        assert_eq!(answered(&[&back]), None, "the other is not confirmed");
        assert_eq!(answered(&[&back, &lay]), Some((true, 4_000)), "after the last");
        let worse = of(Side::Back, |leg| (leg.span_end, leg.price) = (6_000, price("1.5")));
        assert_eq!(answered(&[&back, &worse, &lay]), Some((true, 4_000)), "the first confirmation counts");
    }

    #[test]
    fn it_fell_when_a_leg_is_worse_or_suspended_or_gone() {
        let worse = |side, at| of(side, move |leg| (leg.span_end, leg.price) = (2_000, price(at)));
        assert_eq!(answered(&[&worse(Side::Back, "1.99")]), Some((false, 1_000)));
        assert_eq!(answered(&[&worse(Side::Lay, "2.01")]), Some((false, 1_000)));
        assert_eq!(
            answered(&[&of(Side::Back, |leg| leg.status = QuoteStatus::Suspended)]),
            Some((false, NOW - AT))
        );
        assert_eq!(answered(&[&|line| line.truncate(1)]), Some((false, NOW - AT)));
    }

    #[test]
    fn what_was_seen_before_the_verdict_answers_nothing() {
        let early = of(Side::Back, |leg| (leg.span_end, leg.price) = (AT, price("1.5")));
        let old = of(Side::Lay, |leg| leg.status = QuoteStatus::Stale);
        assert_eq!(answered(&[&early, &old]), None);
    }

    #[test]
    fn what_a_verdict_was_from_is_no_answer_though_its_clock_was_ahead() {
        let world = World::new(Books::default(), 2);
        let ahead = legs(&world).map(|leg| Quote { span_end: AT + 500, ..leg });
        let mut standing = Standing::new(AT, &ahead);
        standing.look(&ahead, NOW);
        assert_eq!(standing.answer(), None);
    }
}
