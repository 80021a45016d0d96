//! A user's rule over recordings: what it would have bet on, what that was worth at the close, and whether it was still on offer later.
//!
//! Recordings have no results, so that nothing is said of profits. A rule is given the prices of one moment before the start: it never sees a later one.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_bots::closing::closing;
use arb_bots::line::{BookRow, LineView, is_without_fee};
use arb_bots::offer::{OfferWatch, market_of, observed, quote_of};
use arb_bots::rules;
use arb_engine::Engine;
use arb_engine::market::Policy;
use arb_engine::odds::FairCache;
use arb_engine::venues::Books;
use arb_ingest::source::{Poll, Source, SourceError};
use arb_model::{Event, Faults, FeedKind, Outcome, Pick, Points, Price, Time};
use arb_picks::rule_file::{BEST, MatchPrices, RuleFile, RulePick};
use arb_schemas::records::PickCandidate;
use arb_schemas::time::Micros;
use arb_schemas::wire::WireError;
use arb_settle::codec::Task;
use arb_settle::machine::CLOSING_WITHIN;

use super::offers::{Offered, OffersError, Settler};
use super::{next_poll, step_poll};

/// What a rule bets on, in its order.
const THREE_WAYS: [Outcome; 3] = [Outcome::Home, Outcome::Draw, Outcome::Away];

/// Lets a rule bet over recordings, one after the other; each is opened when it is played.
///
/// # Errors
/// [`OffersError`]; a recording that ends early is played as far as it goes.
pub fn ruled(
    rule: &RuleFile,
    recordings: impl IntoIterator<Item = Result<Box<dyn Source>, SourceError>>,
    books: &Arc<Books>,
) -> Result<Offered, OffersError> {
    let mut offered = Offered::default();
    for recording in recordings {
        play(rule, recording?.as_mut(), books, &mut offered)?;
    }
    Ok(offered)
}

/// Lets it bet over what a source gives, to its end.
fn play(
    rule: &RuleFile,
    source: &mut dyn Source,
    books: &Arc<Books>,
    offered: &mut Offered,
) -> Result<(), WireError> {
    let mut run = RuleRun {
        rule,
        engine: Engine::with_books(Policy::Board, Arc::clone(books)),
        offset: 0,
        settler: Settler::default(),
        open: BTreeMap::new(),
        chances: FairCache::default(),
    };
    while let Some(poll) = next_poll(source, &mut offered.faults, &mut offered.cut) {
        run.poll(source.name(), poll, &mut offered.faults)?;
    }
    offered.picks.extend(run.settler.into_picks());
    Ok(())
}

/// One recording on its way through the engine and the rule.
struct RuleRun<'a> {
    rule: &'a RuleFile,
    engine: Engine,
    offset: i64,
    settler: Settler,
    /// The pick of each event that has one, and how far its offers were observed.
    open: BTreeMap<String, (Pick, OfferWatch)>,
    chances: FairCache,
}

impl RuleRun<'_> {
    fn poll(&mut self, source: &str, poll: Poll, faults: &mut Faults) -> Result<(), WireError> {
        let events: Vec<_> = poll.events.iter().map(|(event, _)| event.id.to_string()).collect();
        step_poll(&mut self.engine, source, poll, &mut self.offset, faults);
        let Some(clock) = self.engine.watermark() else { return Ok(()) };
        for event in events {
            let Some(info) = self.engine.upcoming(&event).cloned() else { continue };
            if self.open.contains_key(&event) {
                self.follow(&event, clock)?;
            } else {
                self.bet(&info, clock)?;
            }
        }
        Ok(())
    }

    fn bet(&mut self, event: &Event, clock: Micros) -> Result<(), WireError> {
        let markets = rules::BET_AT_PRICES.into_iter();
        let quotes: Vec<_> =
            markets.flat_map(|market| self.engine.odds_of_market(&event.id, market)).collect();
        let lines = LineView::all(&quotes);
        let bets = lines.iter().find_map(|view| Some((view, rule_pick(self.rule, &event.league, view)?)));
        let Some((view, (book, taken))) = bets else { return Ok(()) };
        let Some(candidate) = candidate(self.rule, (event, clock), view, (book, &taken)) else {
            return Ok(());
        };
        let outcome = THREE_WAYS[taken.pick.outcome];
        let seen_at =
            quote_of(&quotes, (view.market, view.line, outcome), book).map(|quote| quote.last_seen_at);
        let published = self.settler.settle(&Task::Candidate(Box::new(candidate)))?;
        self.open.extend(
            published.into_iter().map(|pick| (event.id.to_string(), (pick, OfferWatch::since(seen_at)))),
        );
        Ok(())
    }

    /// Notes the price before the start, and whether the bet is still on offer.
    fn follow(&mut self, event: &str, clock: Micros) -> Result<(), WireError> {
        let Some((pick, watch)) = self.open.get_mut(event) else { return Ok(()) };
        let odds = |market| self.engine.odds_of_market(event, market);
        let quotes = market_of(pick).map(odds).unwrap_or_default();
        let observed = observed(pick, &quotes, || self.engine.last_seen_at(event));
        let offer = observed.and_then(|observed| watch.note(pick, observed));
        let is_near = pick.starts_at.0 - clock <= CLOSING_WITHIN;
        let close = is_near.then(|| closing(pick, &LineView::all(&quotes), &self.chances)).flatten();
        for task in offer.map(Task::Offer).into_iter().chain(close.map(Task::Closing)) {
            self.settler.settle(&task)?;
        }
        Ok(())
    }
}

/// The bet of a rule at a line, with its book: home, draw and away, at books without a fee.
fn rule_pick<'a>(rule: &RuleFile, league: &str, view: &'a LineView<'_>) -> Option<(&'a str, RulePick)> {
    if view.outcomes != THREE_WAYS {
        return None;
    }
    let is_open = |row: &BookRow<'_>| row.quotes.iter().all(|quote| is_without_fee(quote));
    let rows = view.rows().filter(is_open);
    let books: Vec<_> = rows.filter_map(|row| Some((row.book, row.three()?))).collect();
    let taken = rule.pick(&MatchPrices { league, books: &books })?;
    let has_price = |(book, prices): &&(&str, [Price; 3])| {
        let is_own = rule.price == BEST || rule.price == *book;
        is_own && prices[taken.pick.outcome].decimal() >= taken.pick.odds
    };
    let book = books.iter().find(has_price)?.0;
    Some((book, taken))
}

fn candidate(
    rule: &RuleFile,
    (event, clock): (&Event, Micros),
    view: &LineView<'_>,
    (book, taken): (&str, &RulePick),
) -> Option<PickCandidate> {
    let outcome = THREE_WAYS[taken.pick.outcome];
    Some(PickCandidate {
        bot: rule.bot.clone(),
        version: rule.version.into(),
        feed: FeedKind::Recorded.into(),
        event: event.clone(),
        market: view.market.family.into(),
        period: view.market.period.into(),
        line: view.line.map(Points),
        outcome: outcome.into(),
        draw_refunds: false,
        book: book.into(),
        price: view.offer(book, outcome)?.price,
        probability: taken.pick.probability,
        method: "rule file".to_owned(),
        stake: taken.stake,
        reasons: vec!["All conditions of the rule hold.".to_owned()],
        at: Time(clock),
    })
}

#[cfg(test)]
mod tests {
    use arb_model::LaterOffer;
    use arb_schemas::records::Outcome as Ticked;
    use arb_schemas::time::SECOND;

    use super::super::fixtures::{self, Polls};
    use super::*;

    const START: Micros = 7_200 * SECOND;

    /// A poll of a match so many seconds before its start, with the price of the home side at the book `high`.
    fn poll((before, home): (i64, i64)) -> Poll {
        let offers = [("pinnacle", 1_950), ("b", 1_950), ("c", 1_950), ("d", 1_950), ("high", home)];
        let offers = offers.map(|(book, home)| {
            fixtures::offer(book, &[(Ticked::Home, home), (Ticked::Draw, 3_800), (Ticked::Away, 3_800)])
        });
        fixtures::poll(START - before * SECOND, "soccer", START, offers.into())
    }

    fn rule(price: &str) -> RuleFile {
        let text = format!(
            "bot = 'mine'\nversion = 3\nprice = '{price}'\nprobability = 'sharp'\n[[when]]\nfield = 'value'\n\
             at_least = 0.02\n[stake]\nrule = 'flat'\nfraction = 0.01\n"
        );
        RuleFile::parse_for_recordings(&text).unwrap()
    }

    fn played(price: &str, polls: &[(i64, i64)]) -> Offered {
        let mut offered = Offered::default();
        let mut polls = Polls::new(polls.iter().copied().map(poll));
        play(&rule(price), &mut polls, &fixtures::books(), &mut offered).unwrap();
        offered
    }

    #[test]
    fn a_rule_bets_once_a_match_at_a_named_book_and_its_bet_is_followed_to_the_close() {
        let polls = [(900, 1_950), (600, 2_300), (570, 2_300), (530, 2_200), (40, 2_100)];
        for price in ["high", "best"] {
            let offered = played(price, &polls);
            let [pick] = &offered.picks[..] else { panic!("{} picks", offered.picks.len()) };
            assert_eq!(
                (&*pick.bot, pick.version, &*pick.book, pick.outcome.as_str()),
                ("mine", 3, "high", "home")
            );
            let still = |later: &Option<LaterOffer>| Some(pick.is_still_on_offer(later.as_ref()?));
            assert_eq!(
                [&pick.offer_after_poll, &pick.offer_after_minute].map(still),
                [Some(true), Some(false)]
            );
            // Four books agree on the half at the close.
            let value = pick.closing_line_value().unwrap();
            assert!((0.1..0.16).contains(&value), "{value}");
            let report = offered.to_string();
            assert!(report.contains("| mine 3 | 1 | ") && report.contains("are not available"), "{report}");
        }
        assert!(played("elsewhere", &polls).picks.is_empty(), "that book has no prices");
    }

    #[test]
    fn a_recording_that_is_cut_has_the_same_bets() {
        let polls = [(900, 1_950), (600, 2_300), (570, 2_300), (530, 2_200), (520, 2_500)];
        let bets = |polls: &[(i64, i64)]| {
            let picks = played("high", polls).picks.into_iter();
            picks.map(|pick| Pick { closing: None, ..pick }).collect::<Vec<_>>()
        };
        assert_eq!(bets(&polls[..4]), bets(&polls), "its close alone comes later");
        assert!(played("high", &polls[..1]).picks.is_empty());
    }
}
