//! Which frames and ticks there is room for: the caps of [`crate::caps`] held against a record and the state.
//!
//! What exists stays. What would go beyond a cap is left out in the order of the frame, and counted; a frame of too many ticks or
//! with too long a name is refused whole. The answer depends on the state and the record alone, never on how names are numbered.
//! It never looks at a price.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_model::time::{EVENT_TIMES, RECORD_TIMES};

use crate::Micros;
use crate::caps::{
    ALL_PUSHED_SHARE, Cap, EVENT_BOOKS, EVENT_QUOTES, FRAME_TICKS, LINE_BOOKS, LINE_MOVERS, LINE_MOVES,
    LeftOut, MARKET_LINES, NAME_BYTES, PUSHED_SHARE,
};
use crate::input::{Event, Frame};
use crate::market::{Line, Market, Names, QuoteKey, Symbol};
use crate::quotes::{Move, Moves, Observation, Quote, SourceUpdate, find};
use crate::state::MarketState;

/// Whether a name is too long to be remembered.
pub(crate) fn is_too_long(name: &str) -> bool {
    name.len() > NAME_BYTES
}

/// Why a record is refused before its time counts; `None` if it is accepted.
pub(crate) fn refusal_of_record(source: &str, at: Micros) -> Option<Cap> {
    if is_too_long(source) {
        return Some(Cap::NameBytes);
    }
    (!RECORD_TIMES.contains(&at)).then_some(Cap::RecordTimes)
}

/// Why a whole frame is refused; `None` if it is accepted.
pub(crate) fn refusal(frame: &Frame<'_>) -> Option<Cap> {
    if frame.ticks.len() > FRAME_TICKS {
        return Some(Cap::FrameTicks);
    }
    let Event { id, sport, league, home, away, commence_time } = frame.event;
    let of_event = [id, sport, league, home, away].into_iter();
    let mut names = of_event.chain(frame.ticks.iter().map(|tick| tick.book));
    if names.any(is_too_long) {
        return Some(Cap::NameBytes);
    }
    (!EVENT_TIMES.contains(&commence_time)).then_some(Cap::EventTimes)
}

/// Leaves out the ticks of a frame, in its order, for which an event has no room. `was` are its markets, `update` is the frame's:
/// what it withdraws makes room. `names` are those of its sources, where one that clients push to has a share of the room alone.
pub(crate) fn admit(
    seen: &mut Vec<Observation>,
    was: &[Arc<MarketState>],
    update: &SourceUpdate,
    names: &Names,
    left_out: &mut LeftOut,
) {
    let quotes: usize = was.iter().map(|market| market.quotes.len()).sum();
    let has_share = names.is_pushed(update.source) && !names.is_private(update.source);
    let least = if has_share { LINE_BOOKS / PUSHED_SHARE } else { LINE_BOOKS };
    // Below the least of the caps there is room for all; and only what is new can go beyond one.
    if quotes + seen.len() <= least || seen.iter().all(|seen| is_known(seen, was)) {
        return;
    }
    let of_all = |_: &Quote| true;
    let of_pushed = |quote: &Quote| names.is_pushed(quote.source);
    let of_source = |quote: &Quote| quote.source == update.source;
    let mut rooms = vec![Room::after(seen, (was, update), (1, &of_all))];
    if has_share {
        rooms.push(Room::after(seen, (was, update), (ALL_PUSHED_SHARE, &of_pushed)));
        rooms.push(Room::after(seen, (was, update), (PUSHED_SHARE, &of_source)));
    }
    seen.retain(|seen| {
        let admitted = rooms.iter().try_for_each(|room| room.admits(seen));
        if admitted.is_ok() {
            for room in &mut rooms {
                room.put(seen.market, seen.key);
            }
        }
        admitted.map_err(|cap| left_out.add(cap, 1)).is_ok()
    });
}

fn is_known(seen: &Observation, was: &[Arc<MarketState>]) -> bool {
    let market = was.iter().find(|market| market.market == seen.market);
    market.is_some_and(|market| find(&market.quotes, seen.key).is_some())
}

/// What an event holds after a frame, as far as that was looked at.
struct Room {
    /// Of each cap there is a part of so many.
    share: usize,
    quotes: BTreeSet<(Market, QuoteKey)>,
    books: BTreeSet<Symbol>,
    lines: BTreeMap<Market, BTreeMap<Option<Line>, BTreeSet<Symbol>>>,
}

impl Room {
    /// What a frame leaves of the quotes of an event that count, and what it names of that.
    fn after(
        seen: &[Observation],
        (was, update): (&[Arc<MarketState>], &SourceUpdate),
        (share, counts): (usize, &dyn Fn(&Quote) -> bool),
    ) -> Self {
        let named: BTreeSet<_> = seen.iter().map(|seen| (seen.market, seen.key)).collect();
        let mut room =
            Self { share, quotes: BTreeSet::new(), books: BTreeSet::new(), lines: BTreeMap::new() };
        for market in was {
            let stays = |key| named.contains(&(market.market, key));
            for quote in market.quotes.iter().filter(|quote| counts(quote)) {
                if stays(quote.key) || !update.withdraws(market.market, quote) {
                    room.put(market.market, quote.key);
                }
            }
        }
        room
    }

    fn put(&mut self, market: Market, key: QuoteKey) {
        self.quotes.insert((market, key));
        self.books.insert(key.book());
        self.lines.entry(market).or_default().entry(key.line()).or_default().insert(key.book());
    }

    /// Whether there is room for a tick; else which cap it would go beyond.
    fn admits(&self, seen: &Observation) -> Result<(), Cap> {
        let (Observation { market, key, .. }, share) = (*seen, self.share);
        if self.quotes.contains(&(market, key)) {
            return Ok(());
        }
        let lines = self.lines.get(&market);
        let books = lines.and_then(|lines| lines.get(&key.line()));
        if books.is_none() && lines.is_some_and(|lines| lines.len() >= MARKET_LINES / share) {
            return Err(Cap::MarketLines);
        }
        if books.is_some_and(|books| !books.contains(&key.book()) && books.len() >= LINE_BOOKS / share) {
            return Err(Cap::LineBooks);
        }
        if !self.books.contains(&key.book()) && self.books.len() >= EVENT_BOOKS / share {
            return Err(Cap::EventBooks);
        }
        if self.quotes.len() >= EVENT_QUOTES / share {
            return Err(Cap::EventQuotes);
        }
        Ok(())
    }
}

/// Leaves out new moves of lines that have no room for all of them, beside those that are noted already. No line has more movers than
/// there are books, of which there are so many at most.
pub(crate) fn limit_moves(noted: &Moves, new: &mut Vec<Move>, books: usize, left_out: &mut LeftOut) {
    if new.is_empty() {
        return;
    }
    let all = noted.len() + new.len();
    if all <= LINE_MOVERS || (all <= LINE_MOVES && books <= LINE_MOVERS) {
        return;
    }
    let mut lines: BTreeMap<Option<Line>, (usize, BTreeSet<Symbol>)> = BTreeMap::new();
    for Move { key, .. } in noted.iter().chain(new.iter()) {
        let (count, books) = lines.entry(key.line()).or_default();
        *count += 1;
        books.insert(key.book());
    }
    lines.retain(|_, (count, books)| *count > LINE_MOVES || books.len() > LINE_MOVERS);
    let before = new.len();
    new.retain(|moved| !lines.contains_key(&moved.key.line()));
    left_out.add(Cap::LineMoves, before - new.len());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{market, price, quote};
    use crate::market::{Names, Outcome, Side};
    use crate::odds::OddsFormat;
    use crate::quotes::Quote;

    /// So many books on three totals.
    const BOOKS: usize = 300;

    fn key(books: &[Symbol], (book, line): (usize, i32)) -> QuoteKey {
        QuoteKey::new(Some(line * 1_000), Outcome::Over, Side::Back, books[book])
    }

    fn seen(books: &[Symbol], raw: (usize, i32)) -> Observation {
        let (limit, suspended, odds_format, price_moved_at) = (None, false, OddsFormat::Unknown, None);
        let (market, price) = (market("totals"), price("2"));
        Observation {
            market,
            key: key(books, raw),
            price,
            limit,
            suspended,
            odds_format,
            last_seen_at: 5,
            price_moved_at,
        }
    }

    /// A market of these quotes, all given by the first book as the source at 0.
    fn table(books: &[Symbol], raws: &[(usize, i32)]) -> Vec<Arc<MarketState>> {
        let mut state = MarketState::empty(market("totals"), None);
        let of = |raw: &(usize, i32)| {
            let key = key(books, *raw);
            Quote { source: books[0], ..quote(key.book(), key.line(), key.outcome(), price("2")) }
        };
        state.quotes = raws.iter().map(of).collect();
        state.quotes.sort_by_key(|quote| quote.key);
        state.quotes.dedup_by_key(|quote| quote.key);
        vec![Arc::new(state)]
    }

    fn raws(lines: i32, count: usize) -> impl Strategy<Value = Vec<(usize, i32)>> {
        prop::collection::vec((0..BOOKS, 0..lines), 0..count)
    }

    fn names() -> Names {
        let mut names = Names::default();
        for at in 0..BOOKS {
            names.symbol(&format!("book-{at:03}"));
        }
        names
    }

    fn books() -> Vec<Symbol> {
        names().symbols().collect()
    }

    /// An update of the first book as a source: of everything, or of nothing.
    fn update(books: &[Symbol], covers_all: bool) -> SourceUpdate {
        let none = || (!covers_all).then(Vec::new);
        let markets = none().map(|_| Vec::new());
        let (links, drawn) = (Vec::new(), Vec::new());
        SourceUpdate { source: books[0], received_at: 10, books: none(), markets, links, drawn }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What is taken and what is left out are together what came, in its order; what is known stays; and no line has more books
        /// than it may.
        #[test]
        fn no_line_has_more_books_than_the_cap(was in raws(2, 900), now in raws(2, 900), covers_all: bool) {
            let books = books();
            let (was, came) = (table(&books, &was), now.iter().map(|raw| seen(&books, *raw)).collect::<Vec<_>>());
            let (mut taken, mut left_out) = (came.clone(), LeftOut::default());
            let update = update(&books, covers_all);
            admit(&mut taken, &was, &update, &names(), &mut left_out);
            let lost: u32 = left_out.iter().map(|(_, count)| count).sum();
            prop_assert_eq!(taken.len() + lost as usize, came.len());
            let keys: BTreeSet<_> = taken.iter().map(|seen| seen.key).collect();
            let is_taken = |seen: &&Observation| keys.contains(&seen.key);
            prop_assert!(taken.iter().map(|seen| seen.key).eq(came.iter().filter(is_taken).map(|seen| seen.key)));
            // What the market holds afterwards: what was named, and what the update does not withdraw.
            let stays = |quote: &&Quote| keys.contains(&quote.key) || !update.withdraws(was[0].market, quote);
            let before = was[0].quotes.len();
            let mut held: BTreeSet<_> = was[0].quotes.iter().filter(stays).map(|quote| quote.key).collect();
            let known = held.clone();
            held.extend(&keys);
            for line in 0..2 {
                let on_line = |keys: &BTreeSet<QuoteKey>| keys.iter().filter(|key| key.line() == Some(line * 1_000)).count();
                prop_assert!(on_line(&held) <= LINE_BOOKS.max(on_line(&known)), "{before}");
                let is_lost = |seen: &&Observation| seen.key.line() == Some(line * 1_000) && !keys.contains(&seen.key);
                // Nothing is left out of a line that has room.
                prop_assert!(came.iter().filter(is_lost).count() == 0 || on_line(&held) >= LINE_BOOKS);
            }
            let was_known = |seen: &&Observation| is_known(seen, &was) && !keys.contains(&seen.key);
            prop_assert_eq!(came.iter().filter(was_known).count(), 0, "what exists stays");
        }

        /// Moves that are noted already are never left out; new ones are, of the lines that have too many movers.
        #[test]
        fn new_moves_are_left_out_of_full_lines_only(first in raws(3, 700), then in raws(3, 700)) {
            let books = books();
            let of = |raw: &(usize, i32)| {
                Move { key: key(&books, *raw), at: 1, from: price("2"), to: price("2.1"), is_reported: false }
            };
            let (noted, mut new): (Moves, Vec<_>) = (first.iter().map(of).collect(), then.iter().map(of).collect());
            let (all, mut left_out) = (new.clone(), LeftOut::default());
            // 300 books are fewer than the movers that a line may have, whether that is known or counted.
            for books in [BOOKS, LINE_MOVERS + 1] {
                limit_moves(&noted, &mut new, books, &mut left_out);
                prop_assert_eq!(&new, &all);
            }
            prop_assert!(left_out.is_empty());
        }
    }

    #[test]
    fn a_line_with_too_many_moves_takes_no_new_one() {
        let books = books();
        let of = |line, book: usize| Move {
            key: key(&books, (book % BOOKS, line)),
            at: 1,
            from: price("2"),
            to: price("2.1"),
            is_reported: false,
        };
        let noted: Moves = (0..LINE_MOVES).map(|book| of(0, book)).collect();
        let mut new = vec![of(0, 7), of(1, 7), of(0, 8)];
        let mut left_out = LeftOut::default();
        limit_moves(&noted, &mut new, BOOKS, &mut left_out);
        assert_eq!(
            (&new[..], left_out.to_string().is_empty()),
            (&[of(1, 7)][..], false),
            "the other line has room"
        );
        assert_eq!(left_out.iter().collect::<Vec<_>>(), [(Cap::LineMoves, 2)]);
    }

    #[test]
    fn a_name_may_have_so_many_bytes_and_no_more() {
        assert!(!is_too_long(&"a".repeat(NAME_BYTES)) && is_too_long(&"a".repeat(NAME_BYTES + 1)));
        assert!(is_too_long(&"é".repeat(NAME_BYTES / 2 + 1)), "bytes, not letters");
    }
}
