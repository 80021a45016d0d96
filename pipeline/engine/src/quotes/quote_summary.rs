//! What is asked of a table of quotes more often than the table changes.
//!
//! It follows from the table: a change of one quote changes it alone wherever no other quote can count instead.

use crate::Micros;

use super::quote::{Quote, QuoteStatus};

/// The summary of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuoteSummary {
    /// The earliest `span_end` of what is on offer.
    pub(crate) oldest: Micros,
    /// The latest `received_at`; the beginning of time where there is no quote.
    pub(super) last_received: Micros,
    pub(crate) all_on_offer: bool,
    /// The watermark when the table was made; the end of time when that is not known.
    pub(crate) made_at: Micros,
}

impl QuoteSummary {
    pub(crate) fn of(quotes: &[Quote], made_at: Micros) -> Self {
        let none = Self { oldest: Micros::MAX, last_received: Micros::MIN, all_on_offer: true, made_at };
        quotes.iter().fold(none, Self::and)
    }

    /// With one more quote.
    pub(super) fn and(self, quote: &Quote) -> Self {
        let is_on_offer = quote.status == QuoteStatus::OnOffer;
        Self {
            oldest: if is_on_offer { self.oldest.min(quote.span_end) } else { self.oldest },
            last_received: self.last_received.max(quote.received_at),
            all_on_offer: self.all_on_offer && is_on_offer,
            ..self
        }
    }

    /// Without a quote of the table; `None` where another may count in its place.
    pub(super) fn without(self, quote: &Quote) -> Option<Self> {
        let counts =
            !self.all_on_offer || quote.span_end == self.oldest || quote.received_at == self.last_received;
        (!counts).then_some(self)
    }

    /// When a quote of the table was last received.
    pub(crate) fn last_received(&self) -> Option<Micros> {
        Some(self.last_received).filter(|at| *at != Micros::MIN)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{price, quote, symbols};
    use crate::market::{Names, Outcome};

    /// When a quote was received, when it was confirmed, and whether it is on offer.
    type Row = (Micros, Micros, bool);

    proptest! {
        #[test]
        fn a_summary_that_follows_changes_is_that_of_the_table(
            rows in prop::collection::vec((0..4_i64, 0..4_i64, prop::bool::weighted(0.9)), 1..6),
            changes in prop::collection::vec((any::<prop::sample::Index>(), (0..6_i64, 0..6_i64, prop::bool::weighted(0.9))), 0..6),
        ) {
            let book = symbols(&mut Names::default(), 1)[0];
            let of = |(received_at, span_end, is_on_offer): Row| {
                let status = if is_on_offer { QuoteStatus::OnOffer } else { QuoteStatus::Suspended };
                Quote { status, span_end, received_at, ..quote(book, None, Outcome::Home, price("2")) }
            };
            let mut table: Vec<_> = rows.into_iter().map(of).collect();
            let mut summary = QuoteSummary::of(&table, 7);
            for (at, row) in changes {
                let at = at.index(table.len());
                let now = of(row);
                let followed = summary.without(&table[at]).map(|left| left.and(&now));
                table[at] = now;
                let counted = QuoteSummary::of(&table, 7);
                prop_assert_eq!(followed.unwrap_or(counted), counted);
                summary = counted;
                prop_assert_eq!(summary.last_received(), table.iter().map(|quote| quote.received_at).max());
            }
        }
    }
}
