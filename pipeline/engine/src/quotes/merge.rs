//! The merge of a source's update into the quotes of one market: a sorted table.
//!
//! That a quote is old is written into its status by a check of the time, so that what is an arb depends on the table alone. It
//! never looks at more than one market.

use crate::Micros;
use crate::learning::Samples;
use crate::market::{Line, Market, QuoteKey, Side, Symbol};
use crate::odds::Price;
use crate::venues::PricingContext;

use super::moment::Moment;
use super::price_move::Move;
use super::quote::{Observation, Quote, QuoteStatus};
use super::quote_summary::QuoteSummary;
use super::source_update::SourceUpdate;

/// Quotes that are looked at before a table is searched.
const NEAR: usize = 4;
/// New quotes up to which it is cheaper to make room for each than to sort the table.
const FEW: usize = 8;

impl Quote {
    fn new(seen: &Observation, context: &MergeContext<'_>) -> Self {
        Self {
            key: seen.key,
            price: seen.price,
            effective: context.effective(seen),
            limit: seen.limit,
            status: context.status(seen),
            odds_format: seen.odds_format,
            source: context.update.source,
            span_start: seen.last_seen_at,
            span_end: seen.last_seen_at,
            price_moved_at: seen.price_moved_at.unwrap_or(seen.last_seen_at),
            received_at: context.update.received_at,
        }
    }

    /// The quote after another observation of it: the same span when nothing moved, a new one otherwise.
    fn after(&self, seen: &Observation, context: &MergeContext<'_>) -> Self {
        if (self.price, self.status == QuoteStatus::Suspended) != (seen.price, seen.suspended) {
            return Self::new(seen, context);
        }
        let is_confirmed = seen.last_seen_at > self.span_end;
        let effective = if self.odds_format == seen.odds_format {
            let was = (self.price, self.odds_format, self.effective);
            context.pricing.effective_still(self.key, was, context.update.received_at)
        } else {
            context.effective(seen)
        };
        Self {
            effective,
            limit: seen.limit,
            odds_format: seen.odds_format,
            source: context.update.source,
            // What is repeated and not confirmed is as old as it was.
            status: if is_confirmed { context.status(seen) } else { self.status },
            span_end: self.span_end.max(seen.last_seen_at),
            price_moved_at: seen.price_moved_at.unwrap_or(self.price_moved_at),
            received_at: context.update.received_at,
            ..*self
        }
    }
}

/// The part of an update that concerns one market.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MergeContext<'a> {
    pub(crate) market: Market,
    pub(crate) update: &'a SourceUpdate,
    pub(crate) moment: Moment<'a>,
    pub(crate) pricing: PricingContext<'a>,
}

impl MergeContext<'_> {
    fn effective(&self, seen: &Observation) -> Price {
        self.pricing.effective(seen.key, seen.price, seen.odds_format, self.update.received_at)
    }

    fn status(&self, seen: &Observation) -> QuoteStatus {
        if seen.suspended {
            QuoteStatus::Suspended
        } else {
            self.moment.judge(seen.last_seen_at, seen.key.book())
        }
    }
}

/// A table after an update.
#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) table: Vec<Quote>,
    /// Made at the watermark of the update.
    pub(crate) summary: QuoteSummary,
    /// The lines on which there is another price to bet on than before, in order, each once.
    pub(crate) lines: Vec<Option<Line>>,
}

/// The table of a market after an update: what it names is observed, what it covers and does not name is
/// withdrawn. `moves` gets what back prices moved by.
///
/// The table, of which `summary` is known, is sorted by key without repeats, so is the answer; `seen` is sorted too, and of repeats the
/// last holds.
pub(crate) fn merge(
    (mut table, summary): (Vec<Quote>, QuoteSummary),
    seen: &[Observation],
    context: &MergeContext<'_>,
    samples: &mut Samples,
    moves: &mut Vec<Move>,
) -> Merged {
    debug_assert_eq!(summary, QuoteSummary::of(&table, summary.made_at));
    samples.begin_merge();
    let (mut fresh, mut from, mut lines) = (Vec::new(), 0, Vec::new());
    let mut summary = Some(summary);
    for (index, observation) in seen.iter().enumerate() {
        if seen.get(index + 1).is_some_and(|next| next.key == observation.key) {
            continue;
        }
        from += place(&table[from..], observation.key);
        if let Some(quote) = table.get_mut(from).filter(|quote| quote.key == observation.key) {
            note(quote, observation, context, samples, moves);
            let now = quote.after(observation, context);
            if !now.is_priced_as(quote) {
                lines.push(now.key.line());
            }
            summary = summary.and_then(|summary| Some(summary.without(quote)?.and(&now)));
            *quote = now;
        } else {
            lines.push(observation.key.line());
            fresh.push(Quote::new(observation, context));
        }
    }
    summary = summary.map(|summary| fresh.iter().fold(summary, QuoteSummary::and));
    insert(&mut table, fresh);
    if context.update.withdraws_of(context.market) {
        // What it names it gave just now: that it does not withdraw.
        let withdrawn = table.extract_if(.., |quote| context.update.withdraws(context.market, quote));
        lines.extend(withdrawn.map(|quote| quote.key.line()));
        summary = None;
    }
    lines.sort_unstable();
    lines.dedup();
    let made_at = context.moment.watermark;
    let summary =
        summary.map_or_else(|| QuoteSummary::of(&table, made_at), |known| QuoteSummary { made_at, ..known });
    Merged { table, summary, lines }
}

/// Inserts quotes of other keys into a sorted table.
fn insert(table: &mut Vec<Quote>, fresh: Vec<Quote>) {
    // In no more room than they take.
    table.reserve_exact(fresh.len());
    if fresh.len() > FEW {
        table.extend(fresh);
        return table.sort_by_key(|quote| quote.key);
    }
    for quote in fresh {
        let at = table.partition_point(|known| known.key < quote.key);
        table.insert(at, quote);
    }
}

/// Where a key is in a sorted table, or would be. The quotes of a frame are close together, so most often at its beginning.
fn place(table: &[Quote], key: QuoteKey) -> usize {
    let near = table.iter().take(NEAR).take_while(|quote| quote.key < key).count();
    if near < NEAR { near } else { table.partition_point(|quote| quote.key < key) }
}

/// What a source published last about a market, as if it published it again.
pub(crate) fn repeated(market: Market, table: &[Quote], source: Symbol) -> impl Iterator<Item = Observation> {
    table.iter().filter(move |quote| quote.source == source).map(move |quote| quote.as_seen(market))
}

/// Records the sample of the book's refresh interval in an observation, and the move of its price.
#[inline]
fn note(
    quote: &Quote,
    seen: &Observation,
    context: &MergeContext<'_>,
    samples: &mut Samples,
    moves: &mut Vec<Move>,
) {
    let at = context.update.received_at;
    if seen.last_seen_at > quote.span_end {
        samples.sample(seen.key.book(), quote.span_end, at);
    }
    // Where time brings nothing no move is ever reported.
    let time_counts = context.moment.watermark != Micros::MIN;
    if time_counts && seen.price != quote.price && seen.key.side() == Side::Back {
        moves.push(Move { key: seen.key, at, from: quote.price, to: seen.price, is_reported: false });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::learning::Expected;
    use crate::market::{Limit, Names, Outcome, Policy};
    use crate::odds::OddsFormat;
    use crate::quotes::any_withdrawn;
    use crate::venues::{Draws, Venues};

    fn h2h() -> Market {
        Market::parse("h2h").unwrap()
    }

    fn seen(book: Symbol, price: u32, at: Micros) -> Observation {
        let key = QuoteKey::new(None, Outcome::Home, Side::Back, book);
        let price = Price::from_millionths(price.into()).unwrap();
        let (suspended, odds_format, limit, price_moved_at) = (false, OddsFormat::Unknown, None, None);
        Observation {
            market: h2h(),
            key,
            price,
            limit,
            suspended,
            odds_format,
            last_seen_at: at,
            price_moved_at,
        }
    }

    fn context(source: Symbol, received_at: Micros) -> SourceUpdate {
        SourceUpdate { source, received_at, books: None, markets: None, links: Vec::new(), drawn: Vec::new() }
    }

    /// The table after an update where time closes nothing.
    fn merge(old: &[Quote], seen: &[Observation], update: &SourceUpdate) -> Vec<Quote> {
        let moment =
            Moment { watermark: Micros::MIN, commence_time: Micros::MAX, expected: &Expected::default() };
        let (names, venues) = (Names::default(), Venues::default());
        let pricing = PricingContext {
            policy: Policy::Raw,
            league: "l",
            draws: Draws::Unknown,
            names: &names,
            venues: &venues,
            total_stake: 0,
        };
        let context = MergeContext { market: h2h(), update, moment, pricing };
        let known = (old.to_vec(), QuoteSummary::of(old, 0));
        let merged = super::merge(known, seen, &context, &mut Samples::default(), &mut Vec::new());
        assert_eq!(merged.summary, QuoteSummary::of(&merged.table, Micros::MIN));
        let decides = |quote: &Quote| (quote.key, quote.price, quote.effective, quote.status);
        let [before, after] = [old, &merged.table].map(|table| table.iter().map(decides).collect::<Vec<_>>());
        // There is one line here.
        assert_eq!(merged.lines, if before == after { vec![] } else { vec![None] });
        merged.table
    }

    fn spans(table: &[Quote]) -> Vec<(u32, Micros, Micros)> {
        table.iter().map(|quote| (quote.price.millionths(), quote.span_start, quote.span_end)).collect()
    }

    #[test]
    fn a_span_grows_while_the_price_stands() {
        let mut names = Names::default();
        let (source, book) = (names.symbol("s"), names.symbol("b"));
        let step = |old: &[Quote], price, at| merge(old, &[seen(book, price, at)], &context(source, at + 5));
        let table = step(&[], 2_000_000, 10);
        assert_eq!(spans(&table), [(2_000_000, 10, 10)]);
        let table = step(&table, 2_000_000, 20);
        assert_eq!(spans(&table), [(2_000_000, 10, 20)]);
        let moved = step(&table, 2_100_000, 30);
        assert_eq!(spans(&moved), [(2_100_000, 30, 30)]);
        assert_eq!(moved[0].price_moved_at, 30);
        let gone = merge(&table, &[], &context(source, 40));
        assert_eq!(spans(&gone), []);
        assert_eq!(spans(&step(&gone, 2_000_000, 50)), [(2_000_000, 50, 50)]);
    }

    #[test]
    fn another_limit_ends_no_span_and_the_latest_holds() {
        let mut names = Names::default();
        let (source, book) = (names.symbol("s"), names.symbol("b"));
        let limited = |limit, at| Observation {
            limit: Limit::from_minor(limit).filter(|_| limit > 0),
            ..seen(book, 2_000_000, at)
        };
        let mut table = merge(&[], &[limited(500, 10)], &context(source, 15));
        for (limit, seen_at, end) in [(400, 20, 20), (300, 20, 20), (900, 8, 20), (0, 30, 30)] {
            table = merge(&table, &[limited(limit, seen_at)], &context(source, table[0].received_at + 1));
            assert_eq!(spans(&table), [(2_000_000, 10, end)]);
            assert_eq!(table[0].limit.map(Limit::minor), (limit > 0).then_some(limit));
        }
    }

    #[test]
    fn a_confirmation_that_comes_out_of_order_ends_no_span() {
        let mut names = Names::default();
        let (source, book) = (names.symbol("s"), names.symbol("b"));
        let table = merge(&[], &[seen(book, 2_000_000, 10)], &context(source, 15));
        let table = merge(&table, &[seen(book, 2_000_000, 8)], &context(source, 25));
        assert_eq!(spans(&table), [(2_000_000, 10, 10)]);
    }

    #[test]
    fn of_two_ticks_for_one_bet_the_last_holds() {
        let mut names = Names::default();
        let (source, book) = (names.symbol("s"), names.symbol("b"));
        let table = merge(&[], &[seen(book, 2_000_000, 10)], &context(source, 10));
        let both = [seen(book, 3_000_000, 20), seen(book, 2_000_000, 20)];
        assert_eq!(spans(&merge(&table, &both, &context(source, 20))), [(2_000_000, 10, 20)]);
    }

    #[test]
    fn only_the_source_that_gave_a_quote_last_withdraws_it() {
        let mut names = Names::default();
        let [ours, other, a, b] = ["ours", "other", "a", "b"].map(|name| names.symbol(name));
        let table = merge(&[], &[seen(a, 2_000_000, 1), seen(b, 2_000_000, 1)], &context(ours, 1));
        let left = |update: &SourceUpdate| merge(&table, &[], update).len();
        assert_eq!(left(&context(other, 2)), 2);
        assert_eq!(left(&SourceUpdate { markets: Some(vec![]), ..context(ours, 2) }), 2);
        assert_eq!(left(&context(ours, 2)), 0);
        let only_a = SourceUpdate { books: Some(vec![a]), ..context(ours, 2) };
        assert!(any_withdrawn(h2h(), &table, &only_a));
        assert_eq!(merge(&table, &[], &only_a)[0].key.book(), b);
        let taken_over = merge(&table, &[seen(a, 2_000_000, 3)], &context(other, 3));
        assert_eq!(merge(&taken_over, &[], &context(ours, 4))[0].key.book(), a);
    }

    /// (book, price in tenths, seconds before the update, suspended), in the order of the frame.
    type Row = (usize, i64, Micros, bool);

    fn observed(books: &[Symbol], rows: &[Row], at: Micros) -> Vec<Observation> {
        let mut rows: Vec<_> = rows
            .iter()
            .map(|(book, tenths, age, suspended)| {
                let price = u32::try_from(tenths * 100_000).unwrap();
                Observation { suspended: *suspended, ..seen(books[*book], price, at - age) }
            })
            .collect();
        rows.sort_by_key(|seen| seen.key);
        rows
    }

    proptest! {
        /// A map from book to quote, changed row by row, has the same content as the merge of both tables.
        #[test]
        fn a_merge_is_what_a_map_would_be(
            updates in prop::collection::vec(
                (0..2_usize, any::<bool>(), prop::collection::vec((0..5_usize, 15..18_i64, 0..30_i64, any::<bool>()), 0..7)),
                1..8,
            ),
        ) {
            let mut names = Names::default();
            let sources = ["s", "t"].map(|name| names.symbol(name));
            let books = ["a", "b", "c", "d", "e"].map(|name| names.symbol(name));
            let (mut table, mut map) = (Vec::new(), BTreeMap::<QuoteKey, (Price, bool, Micros, Micros, Symbol)>::new());
            for (index, (source, covers, rows)) in updates.iter().enumerate() {
                let (source, at) = (sources[*source], 100 * (Micros::try_from(index).unwrap() + 1));
                let markets = (!covers).then(Vec::new);
                let seen = observed(&books, rows, at);
                table = merge(&table, &seen, &SourceUpdate { markets, ..context(source, at) });
                if *covers {
                    map.retain(|key, (.., by)| *by != source || seen.iter().any(|seen| seen.key == *key));
                }
                let last: BTreeMap<_, _> = seen.iter().map(|seen| (seen.key, seen)).collect();
                for (key, seen) in last {
                    let fresh = (seen.price, seen.suspended, seen.last_seen_at, seen.last_seen_at, source);
                    let now = match map.get(&key) {
                        Some((price, suspended, start, end, _)) if (*price, *suspended) == (seen.price, seen.suspended) => {
                            (seen.price, seen.suspended, *start, (*end).max(seen.last_seen_at), source)
                        }
                        _ => fresh,
                    };
                    map.insert(key, now);
                }
                let shown = |quote: &Quote| {
                    let suspended = quote.status == QuoteStatus::Suspended;
                    (quote.key, (quote.price, suspended, quote.span_start, quote.span_end, quote.source))
                };
                prop_assert!(table.is_sorted_by(|a, b| a.key < b.key));
                prop_assert_eq!(table.iter().map(shown).collect::<BTreeMap<_, _>>(), map.clone());
            }
        }

        /// The query whether anything would be withdrawn agrees with the merge.
        #[test]
        fn withdrawals_are_known_before_the_merge(
            rows in prop::collection::vec((0..5_usize, 15..18_i64, 0..30_i64, any::<bool>()), 0..7),
            of in prop::collection::btree_set(0..5_usize, 0..4),
            is_same in any::<bool>(),
            later in 0..2_i64,
        ) {
            let mut names = Names::default();
            let (ours, other) = (names.symbol("s"), names.symbol("t"));
            let books = ["a", "b", "c", "d", "e"].map(|name| names.symbol(name));
            let table = merge(&[], &observed(&books, &rows, 100), &context(ours, 100));
            let covered = Some(of.iter().map(|book| books[*book]).collect());
            let update = SourceUpdate { books: covered, ..context(if is_same { ours } else { other }, 100 + later) };
            prop_assert_eq!(any_withdrawn(h2h(), &table, &update), merge(&table, &[], &update).len() < table.len());
        }
    }
}
