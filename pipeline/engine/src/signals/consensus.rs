//! What the books of a market agree on, sampled as time passes, and how far it has fallen.
//!
//! At each multiple of [`HOP`] that the watermark passes after the table was made, the median implied probability of each outcome, by
//! rank over the operators of books of the table, of an even number the lower one, is noted where it is another than before; on lines only the main one, and only where [`OPERATORS`] or more offer it. The odds have
//! dropped when they are [`DROP`] or more below the highest of the last [`SIZE`]. It never keeps what is older.
//!
//! Source: hopping windows as in `movement`.

use crate::Micros;
use crate::context::MarketContext;
use crate::effect::{Role, SignalKind};
use crate::movement::Hops;
use crate::odds::{MiddleRank, Price, is_lower_median, median_of_operators};
use crate::quotes::{Quote, on_line, on_offer};

use super::consensus_sample::ConsensusSample;
use super::found::{Detail, Found};
use super::value;
use super::view::PassedMarket;

/// One minute.
const MINUTE: Micros = 60_000_000;
/// From one look to the next.
const HOP: Micros = 5 * MINUTE;
/// How far back a look goes.
const SIZE: Micros = 30 * MINUTE;
/// How long a drop stays open.
const LASTS: Micros = 30 * MINUTE;
/// The least share of the odds that is a drop.
const DROP: f64 = 0.08;
/// The least number of operators that agree on something.
const OPERATORS: usize = 3;
/// A probability of 1, in millionths.
const ONE: u64 = 1_000_000;

/// The first watermark after this one at which a table that was made then is sampled.
pub(crate) fn sample_due(made_at: Micros, watermark: Micros) -> Micros {
    let was_sampled = watermark.div_euclid(HOP) > made_at.div_euclid(HOP);
    if was_sampled { Micros::MAX } else { hop(watermark).saturating_add(HOP) }
}

/// The last hop up to a watermark.
fn hop(watermark: Micros) -> Micros {
    watermark.div_euclid(HOP).saturating_mul(HOP)
}

/// Samples a table when a hop is passed; the samples where they are others, and what has dropped.
pub(super) fn pass_time(
    market: PassedMarket<'_>,
    hops: Hops,
    context: &MarketContext<'_>,
    found: &mut Vec<Found>,
) -> Option<Vec<ConsensusSample>> {
    let now = hop(context.step.moment.watermark);
    if now <= hops.from() || sample_due(market.made_at, hops.from()) == Micros::MAX {
        return None;
    }
    let mut samples: Option<Vec<ConsensusSample>> = None;
    // A market without lines has no main one.
    let line = on_line(market.quotes, market.main_line);
    for &outcome in market.outcomes {
        let known = samples.as_deref().unwrap_or(market.consensus);
        let of = |sample: &&ConsensusSample| {
            (sample.outcome, Some(sample.line)) == (outcome, line.first().map(|quote| quote.key.line()))
        };
        let offered = on_offer(line, outcome).filter(|quote| value::is_of_table(quote, context));
        let opinions =
            offered.clone().map(|quote| (value::operator_of(quote, context), millionths(quote.price)));
        let last = known.iter().rfind(of);
        // Mostly nothing has changed.
        if last.is_some_and(|last| is_lower_median(opinions.clone(), last.probability, OPERATORS)) {
            continue;
        }
        let Some(probability) = median(opinions) else { continue };
        let known: Vec<_> = known.iter().filter(of).copied().collect();
        let quotes: Vec<_> = offered.collect();
        let has_risen = known.last().is_some_and(|last| last.probability < probability);
        let lowest = lowest(&known, now).filter(|_| has_risen);
        let sample = ConsensusSample { line: quotes[0].key.line(), outcome, at: now, probability };
        samples = Some(with(samples.as_deref().unwrap_or(market.consensus), sample, now));
        let dropped = |lowest| dropped((lowest, probability), &quotes, line, now, context);
        found.extend(lowest.and_then(dropped));
    }
    samples
}

/// What enough operators agree on, of (operator, probability in millionths); `None` of fewer.
fn median(opinions: impl Iterator<Item = (u32, u32)>) -> Option<u32> {
    let mut implied: Vec<_> = opinions.map(|(operator, its)| (operator, f64::from(its))).collect();
    let (median, operators) = median_of_operators(&mut implied, MiddleRank::Lower)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It is one of them.
    (operators >= OPERATORS).then_some(median as u32)
}

/// The implied probability of a price, to the nearest millionth.
#[allow(clippy::cast_possible_truncation)] // It is at most one.
fn millionths(price: Price) -> u32 {
    let price = u64::from(price.millionths());
    ((ONE * ONE + price / 2) / price) as u32
}

/// The lowest probability of an outcome's samples in the window that ends now: what held at its start is in it.
fn lowest(samples: &[ConsensusSample], now: Micros) -> Option<u32> {
    let before = samples.iter().rposition(|sample| sample.at <= now - SIZE).unwrap_or(0);
    samples[before..].iter().map(|sample| sample.probability).min()
}

/// The samples with a new one, without what is older than the window that ends now; by line, outcome, time.
fn with(samples: &[ConsensusSample], sample: ConsensusSample, now: Micros) -> Vec<ConsensusSample> {
    let is_needed = |at: usize, old: &ConsensusSample| {
        let next = samples.get(at + 1);
        let next = next.filter(|next| (next.line, next.outcome) == (old.line, old.outcome));
        // The last sample of the sampled line stays valid to this day; of another line there is none.
        let is_seen = next.map_or(old.line == sample.line, |next| next.at > now - SIZE);
        old.at > now - SIZE || is_seen
    };
    let kept = samples.iter().enumerate().filter(|(at, old)| is_needed(*at, old));
    let mut samples: Vec<_> = kept.map(|(_, sample)| *sample).chain([sample]).collect();
    samples.sort_by_key(|sample| (sample.line, sample.outcome, sample.at));
    samples
}

/// A signal where the odds have fallen far enough.
fn dropped(
    (lowest, probability): (u32, u32),
    quotes: &[&Quote],
    line: &[Quote],
    now: Micros,
    context: &MarketContext<'_>,
) -> Option<Found> {
    let [was, is] = [lowest, probability].map(|millionths| f64::from(millionths) / ONE as f64);
    // Odds are 1 over the probability: from 1/was to 1/is.
    if is <= 0.0 || 1.0 - was / is < DROP {
        return None;
    }
    let best = value::best_eligible(&quotes.iter().copied(), line, context)?;
    let half = f64::midpoint(was, is);
    let past = quotes.iter().filter(|quote| quote.price.implied_probability() > half).count();
    let mut quotes = quotes.to_vec();
    quotes.sort_by_key(|quote| context.step.pricing.names.place(quote.key.book()));
    let evidence = quotes.iter().map(|quote| (Role::Other, **quote, None)).collect();
    let found = Found::new(SignalKind::OddsDrop, vec![*best], now + LASTS, context.step.pricing.names)?;
    Some(Found {
        strength: is - was,
        confidence: past as f64 / quotes.len() as f64,
        detail: Detail { quotes: evidence, ..Detail::default() },
        ..found
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::market::Outcome;

    fn sample(minutes: i64, probability: u32) -> ConsensusSample {
        ConsensusSample { line: None, outcome: Outcome::Home, at: minutes * MINUTE, probability }
    }

    #[test]
    fn a_table_is_sampled_at_the_first_hop_after_it_was_made() {
        assert_eq!(sample_due(7 * MINUTE, 7 * MINUTE), 10 * MINUTE);
        assert_eq!(sample_due(7 * MINUTE, 9 * MINUTE), 10 * MINUTE);
        assert_eq!(sample_due(7 * MINUTE, 10 * MINUTE), Micros::MAX);
    }

    #[test]
    fn the_value_at_the_start_of_the_window_counts() {
        let samples = [sample(0, 400_000), sample(20, 450_000), sample(40, 500_000)];
        assert_eq!(lowest(&samples, 45 * MINUTE), Some(400_000));
        assert_eq!(lowest(&samples, 50 * MINUTE), Some(450_000));
        assert_eq!(lowest(&samples, 69 * MINUTE), Some(450_000));
        assert_eq!(lowest(&samples, 70 * MINUTE), Some(500_000));
        assert_eq!(lowest(&[], 70 * MINUTE), None);
    }

    proptest! {
        /// No sample is removed that a later check needs, and the number of samples does not grow with time.
        #[test]
        fn the_kept_samples_give_the_lowest_of_the_window(probabilities in prop::collection::vec(100_000..900_000_u32, 1..40)) {
            let (mut kept, mut all) = (Vec::new(), Vec::new());
            for (index, probability) in probabilities.into_iter().enumerate() {
                let new = sample(5 * i64::try_from(index).unwrap(), probability);
                kept = with(&kept, new, new.at);
                all.push(new);
                prop_assert_eq!(lowest(&kept, new.at), lowest(&all, new.at));
                prop_assert!(kept.len() <= 7, "{}", kept.len());
            }
        }
    }
}
