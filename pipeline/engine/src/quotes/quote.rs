//! A quote: the latest tick of one bet at one book.
//!
//! Its **span** runs from the `last_seen_at` with which the price was first seen to the latest with which it was seen unchanged;
//! another price, a suspension, a withdrawal or the event's absence from a poll ends it. That a quote went stale ends no span: it
//! is silence, not another price. Neither does another **limit**: a quote has that of its latest tick, and none where that tick
//! states none. Its **status** is whether it can be bet on. It never changes by itself.

use crate::Micros;
use crate::market::{Limit, Market, QuoteKey, Symbol};
use crate::odds::{OddsFormat, Price};

/// Whether a quote can be bet on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuoteStatus {
    /// It can.
    OnOffer,
    /// Its book takes no bets.
    Suspended,
    /// Its book has not confirmed it for longer than it ever takes.
    Stale,
    /// The event has begun, and it is a price from before.
    Started,
}

/// The latest tick of one bet at one book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) key: QuoteKey,
    pub(crate) price: Price,
    /// After fees, as a back price: that of a lay is the price of backing that it does not happen.
    pub(crate) effective: Price,
    pub(crate) limit: Option<Limit>,
    pub(crate) status: QuoteStatus,
    /// How its source wrote the price.
    pub(crate) odds_format: OddsFormat,
    pub(crate) source: Symbol,
    pub(crate) span_start: Micros,
    pub(crate) span_end: Micros,
    pub(crate) price_moved_at: Micros,
    pub(crate) received_at: Micros,
}

/// A quote as a reader outside sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteView {
    /// The price.
    pub price: Price,
    /// When its source last confirmed it.
    pub last_seen_at: Micros,
}

/// A tick of a frame, its names resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observation {
    pub(crate) market: Market,
    pub(crate) key: QuoteKey,
    pub(crate) price: Price,
    pub(crate) limit: Option<Limit>,
    pub(crate) suspended: bool,
    pub(crate) odds_format: OddsFormat,
    pub(crate) last_seen_at: Micros,
    pub(crate) price_moved_at: Option<Micros>,
}

impl Quote {
    /// Whether it differs from a quote of the same bet at the same book in nothing that decides what opens on its line.
    pub(crate) fn is_priced_as(&self, other: &Self) -> bool {
        let decides = |quote: &Self| (quote.price, quote.effective, quote.status);
        decides(self) == decides(other)
    }

    /// As its source published it last.
    pub(crate) fn as_seen(&self, market: Market) -> Observation {
        Observation {
            market,
            key: self.key,
            price: self.price,
            limit: self.limit,
            suspended: self.status == QuoteStatus::Suspended,
            odds_format: self.odds_format,
            last_seen_at: self.span_end,
            price_moved_at: Some(self.price_moved_at),
        }
    }

    pub(crate) fn view(&self) -> QuoteView {
        QuoteView { price: self.price, last_seen_at: self.span_end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{price, quote, symbols};
    use crate::market::{Names, Outcome};

    #[test]
    fn a_reader_outside_sees_the_price_and_its_last_confirmation() {
        let book = symbols(&mut Names::default(), 1)[0];
        let quote = Quote { span_start: 3, span_end: 9, ..quote(book, None, Outcome::Home, price("2.5")) };
        assert_eq!(quote.view(), QuoteView { price: price("2.5"), last_seen_at: 9 });
    }

    #[test]
    fn statuses_are_in_the_order_in_which_they_are_written() {
        let all = [QuoteStatus::OnOffer, QuoteStatus::Suspended, QuoteStatus::Stale, QuoteStatus::Started];
        assert!(all.is_sorted_by(|a, b| a < b));
    }
}
