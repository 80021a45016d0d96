//! Parts of a sorted table of quotes: a line, and the offers of an outcome.
//!
//! It never changes a table.

use std::ops::RangeInclusive;

use crate::market::{Line, Outcome, QuoteKey, Side};

use super::quote::{Quote, QuoteStatus};

/// The lines of a table, in order.
pub(crate) fn by_line(table: &[Quote]) -> impl Iterator<Item = &[Quote]> {
    table.chunk_by(|a, b| a.key.is_on_line_of(b.key))
}

/// The quotes of a line of a table.
pub(crate) fn on_line(table: &[Quote], line: Option<Line>) -> &[Quote] {
    within(table, &QuoteKey::all_on(line))
}

fn within<'a>(table: &'a [Quote], keys: &RangeInclusive<QuoteKey>) -> &'a [Quote] {
    let from = table.partition_point(|quote| quote.key < *keys.start());
    let count = table[from..].partition_point(|quote| quote.key <= *keys.end());
    &table[from..from + count]
}

/// The quote with a key.
pub(crate) fn find(table: &[Quote], key: QuoteKey) -> Option<&Quote> {
    let place = table.binary_search_by(|quote| quote.key.cmp(&key));
    place.ok().and_then(|at| table.get(at))
}

/// The quotes of one bet of a line's table, by book.
pub(crate) fn of_bet(line: &[Quote], outcome: Outcome, side: Side) -> &[Quote] {
    line.first().map_or(&[], |first| within(line, &first.key.all_of(outcome, side)))
}

/// The back quotes on offer of an outcome of a line's table.
pub(crate) fn on_offer(line: &[Quote], outcome: Outcome) -> impl Iterator<Item = &Quote> + Clone {
    of_bet(line, outcome, Side::Back).iter().filter(|quote| quote.status == QuoteStatus::OnOffer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{price, quote, symbols};
    use crate::market::Names;

    const LINES: [Option<Line>; 4] = [None, Some(-1_500), Some(0), Some(2_500)];
    const OUTCOMES: [Outcome; 3] = [Outcome::Home, Outcome::Over, Outcome::Under];
    const STATUSES: [QuoteStatus; 4] =
        [QuoteStatus::OnOffer, QuoteStatus::Suspended, QuoteStatus::Stale, QuoteStatus::Started];

    proptest! {
        #[test]
        fn parts_are_what_a_search_of_the_whole_table_finds(
            rows in prop::collection::vec((0..4_usize, 0..3_usize, any::<bool>(), 0..4_usize, 0..4_usize), 0..40),
        ) {
            let books = symbols(&mut Names::default(), 4);
            let mut table: Vec<_> = rows.iter().map(|(line, outcome, lay, book, status)| {
                let mut quote = quote(books[*book], LINES[*line], OUTCOMES[*outcome], price("2"));
                quote.key = quote.key.with_side(if *lay { Side::Lay } else { Side::Back });
                Quote { status: STATUSES[*status], ..quote }
            }).collect();
            table.sort_by_key(|quote| quote.key);
            table.dedup_by_key(|quote| quote.key);
            for line in LINES {
                let found: Vec<_> = table.iter().filter(|quote| quote.key.line() == line).copied().collect();
                prop_assert_eq!(on_line(&table, line), &found[..]);
                for (outcome, side) in OUTCOMES.iter().flat_map(|outcome| [(*outcome, Side::Back), (*outcome, Side::Lay)]) {
                    let is_of = |quote: &&Quote| (quote.key.outcome(), quote.key.side()) == (outcome, side);
                    prop_assert!(of_bet(&found, outcome, side).iter().eq(found.iter().filter(is_of)));
                }
                for outcome in OUTCOMES {
                    let is_offer = |quote: &&Quote| {
                        let key = quote.key;
                        (key.outcome(), key.side(), quote.status) == (outcome, Side::Back, QuoteStatus::OnOffer)
                    };
                    prop_assert!(on_offer(&found, outcome).eq(found.iter().filter(is_offer)));
                }
            }
        }
    }
}
