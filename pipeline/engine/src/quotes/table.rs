//! Parts of a sorted table of quotes: a line, and the offers of an outcome.
//!
//! It never changes a table.

use crate::market::{Line, Outcome, Side};

use super::quote::{Quote, QuoteStatus};

/// The quotes of a line of a table.
pub(crate) fn on_line(table: &[Quote], line: Option<Line>) -> &[Quote] {
    let from = table.partition_point(|quote| quote.key.line < line);
    let to = table.partition_point(|quote| quote.key.line <= line);
    &table[from..to]
}

/// The back quotes on offer of an outcome.
pub(crate) fn on_offer(quotes: &[Quote], outcome: Outcome) -> impl Iterator<Item = &Quote> {
    let is_offer = move |quote: &&Quote| {
        quote.key.outcome == outcome && quote.key.side == Side::Back && quote.status == QuoteStatus::OnOffer
    };
    quotes.iter().filter(is_offer)
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
                quote.key.side = if *lay { Side::Lay } else { Side::Back };
                Quote { status: STATUSES[*status], ..quote }
            }).collect();
            table.sort_by_key(|quote| quote.key);
            table.dedup_by_key(|quote| quote.key);
            for line in LINES {
                let found: Vec<_> = table.iter().filter(|quote| quote.key.line == line).copied().collect();
                prop_assert_eq!(on_line(&table, line), &found[..]);
            }
            for outcome in OUTCOMES {
                let is_offer = |quote: &&Quote| {
                    let key = quote.key;
                    (key.outcome, key.side, quote.status) == (outcome, Side::Back, QuoteStatus::OnOffer)
                };
                prop_assert!(on_offer(&table, outcome).eq(table.iter().filter(is_offer)));
            }
        }
    }
}
