//! Whether the bet of a pick is still on offer after it was published: at the first poll since, and after a minute.
//!
//! It never takes silence for an answer: what its source has not confirmed since publishing counts for nothing.

use arb_engine::{ListedQuote, QuoteStatus};
use arb_model::{Line, Market, Outcome, Pick, Price, Side, Time};
use arb_schemas::records::PickOffer;
use arb_schemas::time::Micros;
use arb_settle::offers::AFTER_MINUTE;

/// What the book of a pick offers on its bet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observed {
    /// `None` where it offers nothing.
    pub price: Option<Price>,
    /// When its source last confirmed the price; where there is none, when the newest price of the event was confirmed.
    pub last_seen_at: Micros,
}

/// The back price of a book on a bet, whatever its status.
#[must_use]
pub fn quote_of<'a>(
    quotes: &'a [ListedQuote],
    (market, line, outcome): (Market, Option<Line>, Outcome),
    book: &str,
) -> Option<&'a ListedQuote> {
    let is_meant = |quote: &&ListedQuote| {
        (quote.market, quote.line, quote.outcome) == (market, line, outcome)
            && quote.side == Side::Back
            && *quote.book == *book
    };
    quotes.iter().find(is_meant)
}

/// The market of a pick; `None` of one that this version does not know.
#[must_use]
pub fn market_of(pick: &Pick) -> Option<Market> {
    Some(Market { family: pick.market.known()?, period: pick.period.known()? })
}

/// What the book of a pick offers, by the quotes of its market, and by when a price of its event was last confirmed; `None` of an event
/// without prices.
#[must_use]
pub fn observed(
    pick: &Pick,
    quotes: &[ListedQuote],
    event_seen_at: impl FnOnce() -> Option<Micros>,
) -> Option<Observed> {
    let bet = (market_of(pick)?, pick.line.map(|line| line.0), pick.outcome.known()?);
    if let Some(quote) = quote_of(quotes, bet, &pick.book) {
        let price = (quote.status != QuoteStatus::Suspended).then_some(quote.price);
        return Some(Observed { price, last_seen_at: quote.last_seen_at });
    }
    Some(Observed { price: None, last_seen_at: event_seen_at()? })
}

/// How far the offers of one pick have been observed.
#[derive(Debug, Default)]
pub struct OfferWatch {
    /// When the price was confirmed that the bot has bet at, or another of before publishing; `None` where no such price was seen here, so that a
    /// poll may have been missed.
    seen_at: Option<Micros>,
    is_poll_past: bool,
    is_minute_past: bool,
}

impl OfferWatch {
    /// Of a pick whose price was confirmed at a time when the bot asked for it; `None` where another instance asked.
    #[must_use]
    pub fn since(seen_at: Option<Micros>) -> Self {
        Self { seen_at, ..Self::default() }
    }

    /// Whether nothing more can be observed.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.is_poll_past && self.is_minute_past
    }

    /// Notes an offer. Returns it if it is to be written.
    pub fn note(&mut self, pick: &Pick, observed: Observed) -> Option<PickOffer> {
        let (published_at, seen_at) = (pick.published_at.0, observed.last_seen_at);
        if seen_at <= published_at.max(self.seen_at.unwrap_or(Micros::MIN)) {
            self.seen_at = self.seen_at.max(Some(seen_at));
            return None;
        }
        let is_next_poll = self.seen_at.is_some() && !self.is_poll_past;
        let after = seen_at.saturating_sub(published_at);
        let is_minute = !self.is_minute_past && AFTER_MINUTE.contains(&after);
        self.is_poll_past = true;
        self.is_minute_past |= after >= AFTER_MINUTE.start;
        (is_next_poll || is_minute).then(|| PickOffer {
            pick: pick.id.clone(),
            is_next_poll,
            price: observed.price,
            last_seen_at: Time(seen_at),
        })
    }
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures;
    use arb_schemas::time::SECOND;

    use super::*;

    /// When the fixture's pick was published.
    const PUBLISHED: Micros = 1_781_990_000_000_000;

    /// The quote of the fixture's bet at its book, or another one.
    fn quote(book: &str, outcome: Outcome, status: QuoteStatus, seconds: i64) -> ListedQuote {
        let price = fixtures::price(2_100_000);
        ListedQuote {
            market: Market::parse("totals").unwrap(),
            line: Some(2_250),
            outcome,
            side: Side::Back,
            book: book.into(),
            price,
            effective_price: price,
            limit: None,
            status,
            price_moved_at: 0,
            last_seen_at: PUBLISHED + seconds * SECOND,
            operator: book.into(),
            is_of_table: true,
            is_draw_sold: false,
            is_eligible: true,
            is_fresh: true,
        }
    }

    #[test]
    fn only_the_bet_at_its_book_is_observed_and_what_is_gone_is_known_by_the_others() {
        let (pick, over) = (fixtures::pick(), Outcome::Over);
        let others = [
            quote("beta", over, QuoteStatus::OnOffer, 7),
            quote("alpha", Outcome::Under, QuoteStatus::OnOffer, 5),
        ];
        let with = |status| {
            let quotes = [&others[..], &[quote("alpha", over, status, 3)]].concat();
            observed(&pick, &quotes, || panic!("its own quote says it"))
        };
        let seen = |price: Option<i64>, seconds| {
            Some(Observed { price: price.map(fixtures::price), last_seen_at: PUBLISHED + seconds * SECOND })
        };
        assert_eq!(with(QuoteStatus::OnOffer), seen(Some(2_100_000), 3));
        assert_eq!(with(QuoteStatus::Stale), seen(Some(2_100_000), 3), "it is as old as it says");
        assert_eq!(with(QuoteStatus::Suspended), seen(None, 3));
        assert_eq!(observed(&pick, &others, || Some(PUBLISHED + 9 * SECOND)), seen(None, 9));
        assert_eq!(observed(&pick, &[], || None), None, "an event without prices");
    }

    /// What is written of offers that are confirmed so many seconds after publishing: whether it is of the next poll, and when.
    fn written(seconds: &[i64]) -> Vec<(bool, i64)> {
        let (pick, mut watch) = (fixtures::pick(), OfferWatch::default());
        let mut note = |seconds: &i64| {
            let offer =
                watch.note(&pick, Observed { price: None, last_seen_at: PUBLISHED + seconds * SECOND })?;
            Some((offer.is_next_poll, (offer.last_seen_at.0 - PUBLISHED) / SECOND))
        };
        seconds.iter().filter_map(&mut note).collect()
    }

    #[test]
    fn the_next_poll_and_the_minute_are_written_once() {
        assert_eq!(written(&[-5, 0, 20, 40, 60, 80, 130]), [(true, 20), (false, 60)]);
        assert_eq!(written(&[0, 90, 100]), [(true, 90)], "it is both");
        assert_eq!(written(&[0, 30, 125, 140]), [(true, 30)], "nothing was confirmed about a minute later");
        assert_eq!(written(&[0, 0, 0]), [], "silence is no answer");
    }

    #[test]
    fn the_next_poll_is_not_known_to_who_may_have_missed_it() {
        assert_eq!(written(&[20, 40, 70]), [(false, 70)]);
        assert_eq!(written(&[200]), []);
    }

    #[test]
    fn who_has_asked_for_the_pick_knows_the_price_that_was_bet_at() {
        // The time of the feed is a little behind the newest price.
        let (pick, mut watch) = (fixtures::pick(), OfferWatch::since(Some(PUBLISHED + 5 * SECOND)));
        let mut note = |seconds: i64| {
            let observed = Observed { price: None, last_seen_at: PUBLISHED + seconds * SECOND };
            Some(watch.note(&pick, observed)?.is_next_poll)
        };
        assert_eq!([5, 35, 65, 95].map(&mut note), [None, Some(true), Some(false), None]);
    }

    #[test]
    fn nothing_more_is_observed_after_two_minutes() {
        let (pick, mut watch) = (fixtures::pick(), OfferWatch::default());
        let mut done = |seconds: i64| {
            watch.note(&pick, Observed { price: None, last_seen_at: PUBLISHED + seconds * SECOND });
            watch.is_done()
        };
        assert_eq!([0, 59, 120].map(&mut done), [false, false, true]);
    }
}
