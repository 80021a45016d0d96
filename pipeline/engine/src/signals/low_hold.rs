//! Low hold and middles: sets of bets that give nearly everything back, on one line or on two.
//!
//! All bets are eligible ones (`arbs`). On one line the cheapest cover has an implied probability of little more than 1. On two lines, one
//! bet on each such that both can win: over the lower total and under the higher one, or the home side with the larger
//! handicap and the away side with the other; some whole number of goals or points lies strictly between the lines. What is
//! below 1 on one line is an arb and not a signal. It never looks at fees: prices are effective already.

use std::collections::BTreeSet;

use crate::arbs::Arb;
use crate::caps::{Cap, LeftOut, MARKET_SIGNALS};
use crate::context::MarketContext;
use crate::effect::SignalKind;
use crate::market::{Family, Line, WHOLE};
use crate::odds;
use crate::quotes::{Quote, by_line, on_offer};

use super::found::Found;
use super::signal::Signal;
use super::value;
use super::view::TableView;

/// Implied probability of a line: up to here there is a signal, and beyond there none is left.
const OPENS: f64 = 1.005;
pub(crate) const LOW_HOLD_CLOSES: f64 = 1.01;
/// Of a middle.
const MIDDLE_OPENS: f64 = 1.02;
const MIDDLE_CLOSES: f64 = 1.03;

/// What a table offers of both kinds.
pub(super) fn find(
    view: &TableView<'_>,
    open: &[Signal],
    context: &MarketContext<'_>,
    found: &mut Vec<Found>,
    left_out: &mut LeftOut,
) {
    for cover in &view.covers {
        let implied = cover.implied_probability;
        if implied <= OPENS || is_open(open, cover) {
            found.extend(holds(SignalKind::LowHold, &cover.legs, implied, context));
        }
    }
    if !view.lines.is_empty() && is_of_lines(view.quotes) {
        find_middles(view, open, context, found, left_out);
    }
}

/// Whether a table has more than one line.
fn is_of_lines(quotes: &[Quote]) -> bool {
    let line = |quote: &Quote| quote.key.line();
    quotes.first().map(line) != quotes.last().map(line)
}

fn is_open(open: &[Signal], cover: &Arb<'_>) -> bool {
    let line = |bet: Option<&Quote>| bet.map(|bet| bet.key.line());
    let is_about = |signal: &Signal| line(signal.bets.first()) == line(cover.legs.first().copied());
    open.iter().any(|signal| signal.subject.kind == SignalKind::LowHold && is_about(signal))
}

/// Pairs of bets on two lines of a market; in one currency, as far as that is known.
fn find_middles<'a>(
    view: &TableView<'a>,
    open: &[Signal],
    context: &MarketContext<'_>,
    found: &mut Vec<Found>,
    left_out: &mut LeftOut,
) {
    let &[one, other] = view.outcomes else { return };
    let venues = context.step.pricing.venues;
    let is_wanted = |middle: &Middle<'_>| {
        let is_open = is_open_middle(open, middle.bets[0], middle.bets[1]);
        middle.implied <= if is_open { MIDDLE_CLOSES } else { MIDDLE_OPENS }
    };
    let lines: Vec<_> = by_line(view.quotes).collect();
    let backs = |line: &'a [Quote], of: usize| on_offer(line, [one, other][of]);
    let mut pairs = Vec::new();
    middles(&lines, context.market.family, |line, of| value::best_of(backs(line, of), context), &mut pairs);
    pairs.retain(is_wanted);
    // Of eligible bets in one currency no middle is cheaper than of all: most tables end here.
    if !pairs.is_empty() {
        let near =
            [0, 1].map(|of| pairs.iter().map(|pair| pair.bets[of].key.line()).collect::<BTreeSet<_>>());
        pairs.clear();
        for currency in venues.currencies() {
            let is_among = |quote: &&Quote| venues.may_be_in(quote.key.book(), currency);
            let best = |line: &'a [Quote], of: usize| {
                let offers = backs(line, of).filter(is_among);
                near[of]
                    .contains(&line[0].key.line())
                    .then(|| value::best_eligible(&offers, line, context))?
            };
            middles(&lines, context.market.family, best, &mut pairs);
        }
        let lines = |middle: &Middle<'_>| (middle.bets[0].key.line(), middle.bets[1].key.line());
        // Stable: of equal ones the first currency's.
        pairs.sort_by(|a, b| lines(a).cmp(&lines(b)).then(a.implied.total_cmp(&b.implied)));
        pairs.dedup_by_key(|middle| lines(middle));
        pairs.retain(is_wanted);
    }
    // Pairs grow with the square of the lines: those for which there can be no room are not even made.
    let mut room = MARKET_SIGNALS;
    for Middle { bets, implied } in pairs {
        let is_open = is_open_middle(open, bets[0], bets[1]);
        if is_open || room > 0 {
            room -= usize::from(!is_open);
            found.extend(holds(SignalKind::Middle, &bets, implied, context));
        } else {
            left_out.add(Cap::MarketSignals, 1);
        }
    }
}

/// Two bets that can both win.
struct Middle<'a> {
    bets: [&'a Quote; 2],
    implied: f64,
}

/// The middles that are near enough, of the best backs of each line's two outcomes.
fn middles<'a>(
    lines: &[&'a [Quote]],
    family: Family,
    best: impl Fn(&'a [Quote], usize) -> Option<&'a Quote>,
    pairs: &mut Vec<Middle<'a>>,
) {
    let all = |of: usize| lines.iter().filter_map(|line| best(line, of)).collect::<Vec<_>>();
    let [ones, others] = [0, 1].map(all);
    for first in ones {
        for second in &others {
            let implied = first.effective.implied_probability() + second.effective.implied_probability();
            if implied <= MIDDLE_CLOSES && can_both_win(family, first, second) {
                pairs.push(Middle { bets: [first, second], implied });
            }
        }
    }
}

/// Whether there is a signal of two lines; open signals are sorted by subject.
fn is_open_middle(open: &[Signal], first: &Quote, second: &Quote) -> bool {
    let subject = (SignalKind::Middle, first.key.line(), second.key.line());
    let of = |signal: &Signal| (signal.subject.kind, signal.subject.line, signal.subject.second);
    open.binary_search_by(|signal| of(signal).cmp(&subject)).is_ok()
}

/// Whether some result wins both: a whole number strictly between the lines.
fn can_both_win(family: Family, first: &Quote, second: &Quote) -> bool {
    let (Some(first), Some(second)) = (first.key.line(), second.key.line()) else { return false };
    let (low, high) = match family {
        Family::Totals => (first, second),
        // The home side wins above `-line`, the away side below it; a line is the home side's.
        Family::Spreads => (-first, -second),
        Family::H2h | Family::H2h3Way | Family::DrawNoBet => return false,
    };
    next_whole(low) < high
}

/// The least whole number above a line.
fn next_whole(line: Line) -> Line {
    line.div_euclid(WHOLE).saturating_add(1).saturating_mul(WHOLE)
}

/// A set of bets that gives nearly everything back, by its implied probability.
fn holds(kind: SignalKind, bets: &[&Quote], implied: f64, context: &MarketContext<'_>) -> Option<Found> {
    let step = context.step;
    let until = |bet: &&Quote| step.moment.fresh_until(bet.span_end, bet.key.book());
    let expires_at = bets.iter().map(until).min()?;
    let found = Found::new(kind, bets.iter().copied().copied().collect(), expires_at, step.pricing.names)?;
    Some(Found { strength: odds::margin(implied), confidence: together(bets), ..found })
}

/// The share of the pairs of bets whose prices are proven to have been on offer at one moment.
fn together(bets: &[&Quote]) -> f64 {
    let pairs = bets.iter().enumerate().flat_map(|(at, a)| bets[..at].iter().map(move |b| (a, b)));
    let is_proven = |(a, b): &(&&Quote, &&Quote)| a.span_start <= b.span_end && b.span_start <= a.span_end;
    let (proven, all) =
        pairs.fold((0_u32, 0_u32), |(proven, all), pair| (proven + u32::from(is_proven(&pair)), all + 1));
    if all == 0 { 1.0 } else { f64::from(proven) / f64::from(all) }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{World, book, context};
    use crate::venues::Books;
    use proptest::prelude::*;

    use super::*;
    use crate::arbs::settlement::{Settlement, results, settle};
    use crate::fixtures::{market, price, quote, symbols};
    use crate::market::{Bet, Names, Outcome, Side};
    use crate::venues::Level;

    proptest! {
        /// Two bets are a middle exactly where the settlement has a result at which both win.
        #[test]
        fn both_can_win_where_settlement_says_so(
            is_total in any::<bool>(),
            quarters in prop::array::uniform2(-30..30_i32),
        ) {
            let (key, outcomes) = if is_total {
                ("totals", [Outcome::Over, Outcome::Under])
            } else {
                ("spreads", [Outcome::Home, Outcome::Away])
            };
            // No total is below nothing.
            let lines = quarters.map(|quarters| if is_total { quarters.abs() * 250 } else { quarters * 250 });
            let book = symbols(&mut Names::default(), 1)[0];
            let [first, second] = [0, 1].map(|at| quote(book, Some(lines[at]), outcomes[at], price("2")));
            let bets = [0, 1].map(|at| Bet::new(market(key), outcomes[at], Side::Back, Some(lines[at])).unwrap());
            let wins = |bet: &Bet, result| settle(bet, result, Level::Impossible) == Settlement::Won;
            let both = results(&bets, Level::Impossible)
                .into_iter()
                .any(|result| bets.iter().all(|bet| wins(bet, result)));
            // A quarter line wins half a bet at the whole number beside it: that is no win of both.
            let is_quarter = lines.iter().any(|line| line.rem_euclid(500) == 250);
            let found = can_both_win(market(key).family, &first, &second);
            prop_assert!(found || !both, "{:?}", lines);
            prop_assert!(is_quarter || found == both, "{:?}", lines);
        }
    }

    #[test]
    fn the_share_of_pairs_that_were_on_offer_together_is_the_confidence() {
        let book = symbols(&mut Names::default(), 1)[0];
        let span = |span_start, span_end| {
            let quote = quote(book, None, Outcome::Home, price("2"));
            Quote { span_start, span_end, ..quote }
        };
        let (early, late, long) = (span(0, 10), span(20, 30), span(5, 25));
        let is = |bets: &[&Quote], share: f64| (together(bets) - share).abs() < 1e-12;
        assert!(is(&[&early, &late], 0.0) && is(&[&early, &long], 1.0));
        assert!(is(&[&early, &late, &long], 2.0 / 3.0) && is(&[&early], 1.0));
        assert!(is(&[&span(0, 10), &span(10, 20)], 1.0), "one moment is enough");
    }

    #[test]
    fn the_next_whole_number_is_above_a_line() {
        let golden = [(-1_500, -1_000), (-1_000, 0), (-1, 0), (0, 1_000), (999, 1_000), (2_500, 3_000)];
        assert!(golden.iter().all(|(line, whole)| next_whole(*line) == *whole));
    }

    /// The middles of two totals, `over` at one line and `under` at another: strengths, by their lines.
    fn middles_of(over: (i32, &str), under: (i32, &str)) -> Vec<(Option<i32>, Option<i32>, f64)> {
        let world =
            World::new(Books::new(["a", "b", "c", "d"].map(|name| (name.into(), book(name, "us")))), 4);
        let of = |name: &str, outcome, (line, decimal)| {
            quote(world.book(name), Some(line), outcome, price(decimal))
        };
        let mut quotes = vec![of("a", Outcome::Over, over), of("b", Outcome::Under, under)];
        for other in ["c", "d"] {
            quotes.extend([
                of(other, Outcome::Over, (over.0, "1.9")),
                of(other, Outcome::Under, (under.0, "1.9")),
            ]);
        }
        quotes.sort_by_key(|quote| quote.key);
        let step = world.step(0, 0);
        let outcomes = [Outcome::Over, Outcome::Under];
        let lines = by_line(&quotes).collect();
        let (is_known_beside_lines, covers) = (false, Vec::new());
        let view = TableView { quotes: &quotes, outcomes: &outcomes, lines, is_known_beside_lines, covers };
        let (mut found, mut left_out) = (Vec::new(), LeftOut::default());
        find(&view, &[], &context(&step, "totals"), &mut found, &mut left_out);
        let lines = |found: &Found| (found.bets[0].key.line(), found.bets[1].key.line(), found.strength);
        found.iter().map(lines).collect()
    }

    /// S = 1/1.95 + 1/1.98 = 0.512821 + 0.505051 = 1.017871: it costs 1.7557 % where only one of both wins.
    #[test]
    fn a_golden_middle() {
        let found = middles_of((2_500, "1.95"), (3_500, "1.98"));
        let [(first, second, strength)] = found[..] else { panic!("{found:?}") };
        assert_eq!((first, second), (Some(2_500), Some(3_500)));
        assert!((strength - (1.0 / 1.017_871_018 - 1.0)).abs() < 1e-9, "{strength}");
    }

    #[test]
    fn no_middle_without_a_result_between_or_at_too_high_a_price() {
        assert_eq!(middles_of((2_500, "1.95"), (2_750, "1.98")), [], "no whole number lies between");
        assert_eq!(middles_of((2_000, "1.95"), (3_000, "1.98")), [], "2 and 3 are the lines themselves");
        assert_eq!(middles_of((3_500, "1.95"), (2_500, "1.98")), [], "at 3 both lose");
        assert_eq!(middles_of((2_500, "1.95"), (3_500, "1.96")), [], "1.023 is above 1.02");
        assert_eq!(middles_of((2_000, "1.95"), (3_500, "1.98")).len(), 1, "3 lies between");
    }
}
