//! The quotes of one market: a sorted table, and the merge of a frame into it.
//!
//! A quote is the latest tick of one bet at one book. Its **span** runs from the `last_seen_at` with which the
//! price was first seen to the latest with which it was seen unchanged; another price, a suspension, a
//! withdrawal or the event's absence from a poll ends it. That a quote went stale ends no span: it is silence, not
//! another price. Neither does another **limit**: a quote has that of its latest tick, and none where that tick states none.
//! Its **standing** says whether it can be bet on; that it is old is written into it by a check of the time, so that what is
//! an arb depends on the table alone. It never looks at more than one market.

use crate::Micros;
use crate::catalogue::{Line, Market, Outcome, Side};
use crate::limit::Limit;
use crate::margins::Proven;
use crate::movement::Move;
use crate::names::Symbol;
use crate::odds::Price;
use crate::refresh::{self, Expected};
use crate::survival::LifetimeSample;
use crate::venues::PricingContext;

/// What a quote is for, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QuoteKey {
    pub(crate) line: Option<Line>,
    pub(crate) outcome: Outcome,
    pub(crate) side: Side,
    pub(crate) book: Symbol,
}

/// A tick of a frame, its names resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observation {
    pub(crate) market: Market,
    pub(crate) key: QuoteKey,
    pub(crate) price: Price,
    pub(crate) limit: Option<Limit>,
    pub(crate) suspended: bool,
    pub(crate) last_seen_at: Micros,
    pub(crate) price_moved_at: Option<Micros>,
}

/// Whether a quote can be bet on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// What a check of the time wants to know of a table at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuoteSummary {
    /// The earliest `span_end` of what is on offer.
    pub(crate) oldest: Micros,
    pub(crate) all_on_offer: bool,
    /// The watermark when the table was made; the end of time when that is not known.
    pub(crate) made_at: Micros,
}

impl QuoteSummary {
    pub(crate) fn of(quotes: &[Quote], made_at: Micros) -> Self {
        let (mut oldest, mut all_on_offer) = (Micros::MAX, true);
        for quote in quotes {
            if quote.standing == QuoteStatus::OnOffer {
                oldest = oldest.min(quote.span_end);
            } else {
                all_on_offer = false;
            }
        }
        Self { oldest, all_on_offer, made_at }
    }
}

/// What the time says about the quotes of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment<'a> {
    /// [`Micros::MIN`] where time closes nothing.
    pub(crate) watermark: Micros,
    pub(crate) commence_time: Micros,
    pub(crate) expected: &'a Expected,
}

impl Moment<'_> {
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.watermark >= self.commence_time
    }

    /// The standing of a price that is not suspended.
    #[inline]
    fn judge(&self, seen_at: Micros, book: Symbol) -> QuoteStatus {
        let started = self.has_begun() && seen_at < self.commence_time;
        if !started && self.watermark.saturating_sub(seen_at) <= self.expected.least_allowed() {
            return QuoteStatus::OnOffer;
        }
        self.judge_old(started, seen_at, book)
    }

    /// The standing of a price that is not young: of two reasons the one that came first.
    #[cold]
    fn judge_old(&self, started: bool, seen_at: Micros, book: Symbol) -> QuoteStatus {
        let fresh_until = self.fresh_until(seen_at, book);
        if started && self.commence_time <= fresh_until {
            QuoteStatus::Started
        } else if self.watermark > fresh_until {
            QuoteStatus::Stale
        } else {
            QuoteStatus::OnOffer
        }
    }

    /// The last watermark at which a price that a book confirmed then is not stale.
    pub(crate) fn fresh_until(&self, seen_at: Micros, book: Symbol) -> Micros {
        seen_at.saturating_add(self.expected.allowed(book.index()))
    }

    /// The standing that time gives a quote: only what is on offer can lose by it.
    pub(crate) fn standing(&self, quote: &Quote) -> QuoteStatus {
        match quote.standing {
            QuoteStatus::OnOffer => self.judge(quote.span_end, quote.key.book),
            standing => standing,
        }
    }

    /// Whether time can take nothing from a table, by its gist alone.
    pub(crate) fn leaves(&self, summary: &QuoteSummary) -> bool {
        let started = self.has_begun() && summary.oldest < self.commence_time;
        !started && self.watermark.saturating_sub(summary.oldest) <= self.expected.least_allowed()
    }

    /// Whether its book has been silent about a quote for too long, whether or not it can be bet on.
    pub(crate) fn is_quiet(&self, quote: &Quote) -> bool {
        match quote.standing {
            QuoteStatus::OnOffer => false,
            QuoteStatus::Stale => true,
            QuoteStatus::Suspended | QuoteStatus::Started => {
                self.watermark > self.fresh_until(quote.span_end, quote.key.book)
            }
        }
    }
}

/// The latest tick of one bet at one book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) key: QuoteKey,
    pub(crate) price: Price,
    /// After fees, as a back price: that of a lay is the price of backing that it does not happen.
    pub(crate) effective: Price,
    pub(crate) limit: Option<Limit>,
    pub(crate) standing: QuoteStatus,
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

/// Who speaks, when, and for what it is complete.
#[derive(Debug, Clone)]
pub(crate) struct SourceUpdate {
    pub(crate) source: Symbol,
    pub(crate) received_at: Micros,
    /// Books for which it is complete; `None` is every book.
    pub(crate) books: Option<Vec<Symbol>>,
    /// Markets for which it is complete; `None` is every market.
    pub(crate) markets: Option<Vec<Market>>,
}

impl SourceUpdate {
    fn covers(&self, market: Market) -> bool {
        self.markets.as_ref().is_none_or(|markets| markets.contains(&market))
    }

    /// Whether it withdraws a quote of a market that it does not name.
    pub(crate) fn withdraws(&self, market: Market, quote: &Quote) -> bool {
        self.covers(market) && quote.is_withdrawn_by(self)
    }
}

impl Quote {
    fn new(seen: &Observation, context: &MergeContext<'_>) -> Self {
        Self {
            key: seen.key,
            price: seen.price,
            effective: context.effective(seen),
            limit: seen.limit,
            standing: context.standing(seen),
            source: context.update.source,
            span_start: seen.last_seen_at,
            span_end: seen.last_seen_at,
            price_moved_at: seen.price_moved_at.unwrap_or(seen.last_seen_at),
            received_at: context.update.received_at,
        }
    }

    /// The quote after another observation of it: the same span when nothing moved, a new one otherwise.
    fn after(&self, seen: &Observation, context: &MergeContext<'_>) -> Self {
        if (self.price, self.standing == QuoteStatus::Suspended) != (seen.price, seen.suspended) {
            return Self::new(seen, context);
        }
        let is_confirmed = seen.last_seen_at > self.span_end;
        Self {
            effective: context.effective(seen),
            limit: seen.limit,
            source: context.update.source,
            // What is repeated and not confirmed is as old as it was.
            standing: if is_confirmed { context.standing(seen) } else { self.standing },
            span_end: self.span_end.max(seen.last_seen_at),
            price_moved_at: seen.price_moved_at.unwrap_or(self.price_moved_at),
            received_at: context.update.received_at,
            ..*self
        }
    }

    /// Whether a statement that does not name the quote withdraws it: only if its source gave it last.
    fn is_withdrawn_by(&self, update: &SourceUpdate) -> bool {
        self.source == update.source
            && self.received_at < update.received_at
            && update.books.as_ref().is_none_or(|books| books.contains(&self.key.book))
    }

    pub(crate) fn view(&self) -> QuoteView {
        QuoteView { price: self.price, last_seen_at: self.span_end }
    }
}

/// A statement as it stands for one market.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MergeContext<'a> {
    pub(crate) market: Market,
    pub(crate) update: &'a SourceUpdate,
    pub(crate) moment: Moment<'a>,
    pub(crate) pricing: PricingContext<'a>,
}

impl MergeContext<'_> {
    fn effective(&self, seen: &Observation) -> Price {
        self.pricing.effective(seen.key, seen.price, self.update.received_at)
    }

    fn standing(&self, seen: &Observation) -> QuoteStatus {
        if seen.suspended { QuoteStatus::Suspended } else { self.moment.judge(seen.last_seen_at, seen.key.book) }
    }
}

/// An age that a book's prices reached before they were confirmed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefreshSample {
    pub(crate) book: Symbol,
    pub(crate) bucket: u8,
    pub(crate) at: Micros,
}

/// What is learnt beside the quotes: samples of refresh, one for each market and book of a frame, proven margins, and lives.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(crate) refresh: Vec<RefreshSample>,
    /// Margins of windows that were proven.
    pub(crate) margins: Vec<Proven>,
    /// How long windows lived.
    pub(crate) lifetimes: Vec<LifetimeSample>,
    /// For each book the number of the merge that sampled it last.
    sampled: Vec<u64>,
    merge: u64,
}

impl Samples {
    fn sample(&mut self, book: Symbol, seen_at: Micros, at: Micros) {
        if self.sampled.len() <= book.index() {
            self.sampled.resize(book.index() + 1, 0);
        }
        let sampled = &mut self.sampled[book.index()];
        if *sampled != self.merge {
            *sampled = self.merge;
            self.refresh.push(RefreshSample { book, bucket: refresh::bucket(at.saturating_sub(seen_at)), at });
        }
    }
}

/// The table of a market after a statement: what it names is observed, what it covers and does not name is
/// withdrawn. `moves` gets what back prices moved by.
///
/// `old` is sorted by key without repeats, so is the answer; `seen` is sorted too, and of repeats the last holds.
pub(crate) fn merge(
    old: &[Quote],
    seen: &[Observation],
    context: &MergeContext<'_>,
    samples: &mut Samples,
    moves: &mut Vec<Move>,
) -> Vec<Quote> {
    let update = context.update;
    samples.merge += 1;
    let covered = update.covers(context.market);
    let keeps = |quote: &&Quote| !(covered && quote.is_withdrawn_by(update));
    let mut table = Vec::with_capacity(old.len().max(seen.len()));
    let mut rest = old;
    for (index, observation) in seen.iter().enumerate() {
        if seen.get(index + 1).is_some_and(|next| next.key == observation.key) {
            continue;
        }
        // A walk, not a search: what a frame names stands close together.
        let before = rest.iter().take_while(|quote| quote.key < observation.key).count();
        table.extend(rest[..before].iter().filter(keeps));
        rest = &rest[before..];
        match rest.split_first() {
            Some((quote, after)) if quote.key == observation.key => {
                note(quote, observation, context, samples, moves);
                table.push(quote.after(observation, context));
                rest = after;
            }
            _ => table.push(Quote::new(observation, context)),
        }
    }
    table.extend(rest.iter().filter(keeps));
    table
}

/// What a source said last of a market, as if it said it again.
pub(crate) fn repeated(
    market: Market,
    table: &[Quote],
    source: Symbol,
) -> impl Iterator<Item = Observation> {
    table.iter().filter(move |quote| quote.source == source).map(move |quote| Observation {
        market,
        key: quote.key,
        price: quote.price,
        limit: quote.limit,
        suspended: quote.standing == QuoteStatus::Suspended,
        last_seen_at: quote.span_end,
        price_moved_at: Some(quote.price_moved_at),
    })
}

/// Notes what an observation says of its book's habits and of its price's way.
#[inline]
fn note(quote: &Quote, seen: &Observation, context: &MergeContext<'_>, samples: &mut Samples, moves: &mut Vec<Move>) {
    let at = context.update.received_at;
    if seen.last_seen_at > quote.span_end {
        samples.sample(seen.key.book, quote.span_end, at);
    }
    // Where time brings nothing no move is ever reported.
    let time_counts = context.moment.watermark != Micros::MIN;
    if time_counts && seen.price != quote.price && seen.key.side == Side::Back {
        moves.push(Move { key: seen.key, at, from: quote.price, to: seen.price, is_reported: false });
    }
}

/// The quotes of a line of a table.
pub(crate) fn on_line(table: &[Quote], line: Option<Line>) -> &[Quote] {
    let from = table.partition_point(|quote| quote.key.line < line);
    let to = table.partition_point(|quote| quote.key.line <= line);
    &table[from..to]
}

/// The back quotes on offer of an outcome.
pub(crate) fn on_offer(quotes: &[Quote], outcome: Outcome) -> impl Iterator<Item = &Quote> {
    let is_offer = move |quote: &&Quote| {
        quote.key.outcome == outcome && quote.key.side == Side::Back && quote.standing == QuoteStatus::OnOffer
    };
    quotes.iter().filter(is_offer)
}

/// Whether a statement that names nothing of a market would change its table.
pub(crate) fn any_withdrawn(market: Market, table: &[Quote], update: &SourceUpdate) -> bool {
    update.covers(market) && table.iter().any(|quote| quote.is_withdrawn_by(update))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Policy;
    use crate::names::Names;
    use crate::venues::Venues;

    fn h2h() -> Market {
        Market::parse("h2h").unwrap()
    }

    fn seen(book: Symbol, price: u32, at: Micros) -> Observation {
        let key = QuoteKey { line: None, outcome: Outcome::Home, side: Side::Back, book };
        let price = Price::from_millionths(price.into()).unwrap();
        let (suspended, limit, price_moved_at) = (false, None, None);
        Observation { market: h2h(), key, price, limit, suspended, last_seen_at: at, price_moved_at }
    }

    fn context(source: Symbol, received_at: Micros) -> SourceUpdate {
        SourceUpdate { source, received_at, books: None, markets: None }
    }

    /// The table after a statement where time closes nothing.
    fn merge(old: &[Quote], seen: &[Observation], update: &SourceUpdate) -> Vec<Quote> {
        let moment =
            Moment { watermark: Micros::MIN, commence_time: Micros::MAX, expected: &Expected::default() };
        let (names, venues) = (Names::default(), Venues::default());
        let pricing = PricingContext { policy: Policy::Raw, league: "l", names: &names, venues: &venues };
        let context = MergeContext { market: h2h(), update, moment, pricing };
        super::merge(old, seen, &context, &mut Samples::default(), &mut Vec::new())
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
        assert_eq!(merge(&table, &[], &only_a)[0].key.book, b);
        let taken_over = merge(&table, &[seen(a, 2_000_000, 3)], &context(other, 3));
        assert_eq!(merge(&taken_over, &[], &context(ours, 4))[0].key.book, a);
    }
}
