//! The bots at prices worked out by hand.

use std::sync::Arc;

use arb_engine::{ListedQuote, QuoteStatus};
use arb_model::{Side, SignalQuote};

use arb_picks::model::forecast;

use super::*;

const HOME_AND_AWAY: [Outcome; 2] = [Outcome::Home, Outcome::Away];

fn quote(book: &str, outcome: Outcome, decimal: &str) -> ListedQuote {
    let price = Price::from_decimal(decimal).unwrap();
    ListedQuote {
        market: Market::parse("h2h").unwrap(),
        line: None,
        outcome,
        side: Side::Back,
        book: Arc::from(book),
        price,
        effective_price: price,
        limit: None,
        status: QuoteStatus::OnOffer,
        price_moved_at: 0,
        last_seen_at: 0,
        operator: Arc::from(book),
        is_of_table: true,
        is_draw_sold: false,
        is_eligible: true,
        is_fresh: true,
    }
}

/// Home and away of each book, in the engine's order.
fn winner(books: &[(&str, &str, &str)]) -> Vec<ListedQuote> {
    let side = |at: usize| {
        books.iter().map(move |(book, home, away)| quote(book, HOME_AND_AWAY[at], [home, away][at]))
    };
    side(0).chain(side(1)).collect()
}

fn at(quotes: &[ListedQuote], sharp: &str) -> Vec<Proposal> {
    proposals(quotes, "basketball_nba", &[sharp.to_owned()], |_| true)
}

/// What those bots propose that may bet.
fn proposals(
    quotes: &[ListedQuote],
    league: &str,
    sharp_books: &[String],
    may_bet: impl Fn(Bot) -> bool,
) -> Vec<Proposal> {
    let chances = FairCache::default();
    let given = Given { league, sharp_books, chances: &chances };
    LineView::all(quotes).iter().flat_map(|view| at_prices(view, given, &may_bet)).collect()
}

#[test]
fn consensus_takes_the_highest_price_of_a_named_book() {
    let even = [("a", "1.9", "1.9"), ("b", "1.9", "1.9"), ("c", "1.9", "1.9"), ("d", "1.9", "1.9")];
    let books: Vec<_> = even.into_iter().chain([("e", "2.4", "1.9")]).collect();
    let [found] = &at(&winner(&books), "none")[..] else { panic!("one proposal") };
    // The median of four times 1.9 is that; 1 / 1.9 - 0.05 = 0.476316; times 2.4 that is 1.143158. Kelly: 0.143158 / 1.4 / 4.
    assert_eq!((found.bot, found.outcome, found.book.as_str()), (Bot::Consensus, Outcome::Home, "e"));
    let probability = 1.0 / 1.9 - 0.05;
    assert!((found.probability - probability).abs() < 1e-12);
    assert!((found.stake - (probability * 2.4 - 1.0) / 1.4 / 4.0).abs() < 1e-12);
    assert!(found.draw_refunds, "a winner with two outcomes");
    assert_eq!(found.reasons[0], "e offers 2.400; the median of 4 other operators or more is 1.900.");
    assert_eq!(at(&winner(&books[1..]), "none"), [], "four books are too few");
}

/// One price of six that is wrong, as of the empty book of an exchange, makes no pick; a mean would.
#[test]
fn one_wrong_price_makes_no_pick() {
    let even = ["a", "b", "c", "d"].map(|book| (book, "1.4", "3"));
    let wrong = winner(&[&even[..], &[("e", "1.4", "3.2"), ("f", "1.38", "1.01")]].concat());
    assert_eq!(at(&wrong, "none"), []);
    let mean = [3.0, 3.0, 3.0, 3.0, 3.2, 1.01].iter().sum::<f64>() / 6.0;
    assert!((1.0 / mean - 0.05) * 3.2 > 1.0);
    let even = ["a", "b", "c", "d", "e"].map(|book| (book, "1.95", "1.9"));
    let twins = |operator: &str| {
        let mut quotes = winner(&[&even[..], &[("f", "2.4", "1.9")]].concat());
        let is_other = |quote: &&mut ListedQuote| ["a", "b"].contains(&&*quote.book);
        quotes.iter_mut().filter(is_other).for_each(|quote| quote.operator = operator.into());
        at(&quotes, "none").len()
    };
    assert_eq!((twins("x"), twins("c")), (1, 0), "of one operator one opinion counts: three are too few");
}

#[test]
fn a_bet_passes_the_gate_of_its_bot() {
    let found = |change: &dyn Fn(&mut ListedQuote)| {
        let even = ["a", "b", "c", "d"].map(|book| (book, "1.9", "1.9"));
        let mut quotes = winner(&[&even[..], &[("e", "2.4", "1.9")]].concat());
        quotes.iter_mut().filter(|quote| &*quote.book == "e").for_each(change);
        at(&quotes, "none").into_iter().map(|found| found.book).collect::<Vec<_>>()
    };
    assert_eq!(found(&|_| {}), ["e"]);
    assert_eq!(found(&|quote| quote.is_eligible = false), [""; 0]);
    assert_eq!(found(&|quote| quote.is_fresh = false), [""; 0]);
    for bot in Bot::ALL {
        let mut quote = quote("a", Outcome::Home, "11");
        assert!(may_bet_at(bot, &quote));
        quote.price = Price::from_decimal("20.01").unwrap();
        assert!(!may_bet_at(bot, &quote), "{bot:?}");
    }
}

#[test]
fn consensus_takes_no_price_that_is_likely_an_error() {
    let mut books = vec![("a", "1.9", "1.9"); 5];
    for (book, name) in books.iter_mut().zip(["a", "b", "c", "d", "e"]) {
        book.0 = name;
    }
    books.push(("f", "19", "1.9"));
    assert_eq!(at(&winner(&books), "none"), []);
}

#[test]
fn sharp_bets_where_another_book_pays_two_percent() {
    // 1.95 twice without its margin is one half; 0.5 * 2.04 = 1.02.
    let of = |home| winner(&[("a", home, "1.8"), ("s", "1.95", "1.95")]);
    let [found] = &at(&of("2.04"), "s")[..] else { panic!("one proposal") };
    assert_eq!((found.bot, found.outcome, found.book.as_str()), (Bot::Sharp, Outcome::Home, "a"));
    assert!((found.probability - 0.5).abs() < 1e-9);
    assert_eq!(found.method, "Shin's method on s");
    assert_eq!(at(&of("2.03"), "s"), [], "1.5 %");
    assert_eq!(at(&of("2.04"), "other"), [], "no such book");
}

#[test]
fn prices_that_nobody_is_paid_are_not_bet_at() {
    let prices = |change: &dyn Fn(&mut ListedQuote)| {
        let mut quotes = winner(&[("a", "2.2", "1.8"), ("s", "1.95", "1.95")]);
        quotes.iter_mut().filter(|quote| &*quote.book == "a").for_each(change);
        at(&quotes, "s").len()
    };
    assert_eq!(prices(&|_| {}), 1);
    let after_fee = Price::from_decimal("2.1").unwrap();
    assert_eq!(prices(&|quote| quote.effective_price = after_fee), 0, "an exchange takes a commission");
    assert_eq!(prices(&|quote| quote.status = QuoteStatus::Stale), 0);
    assert_eq!(prices(&|quote| quote.status = QuoteStatus::Suspended), 0);
    assert_eq!(prices(&|quote| quote.side = Side::Lay), 0);
}

/// Home, draw and away of each book, in the engine's order.
fn three_ways(books: &[(&str, [&str; 3])]) -> Vec<ListedQuote> {
    let side = |at: usize| books.iter().map(move |(book, odds)| quote(book, THREE_WAYS[at], odds[at]));
    side(0).chain(side(1)).chain(side(2)).collect()
}

#[test]
fn model_bets_at_soccer_by_its_forecast_and_is_silent_elsewhere() {
    let even = ["2", "3.4", "3.9"];
    let books = [("a", even), ("b", even), ("c", even), ("d", even), ("e", ["2.3", "3.3", "3.4"])];
    let of = |books: &[(&str, [&str; 3])], league: &str| {
        let all = proposals(&three_ways(books), league, &[], |bot| bot == Bot::Model);
        assert!(all.iter().all(|found| found.bot == Bot::Model), "others may not bet");
        all
    };
    let prices = books.map(|(_, odds)| odds.map(|odds| Price::from_decimal(odds).unwrap()));
    let forecast = forecast(&prices).unwrap();
    // What each outcome's highest price returns by the forecast: the draw's the most.
    let returns = [2.3, 3.4, 3.9].iter().zip(&forecast.probabilities).map(|(odds, chance)| odds * chance);
    let returns: Vec<_> = returns.collect();
    assert!(returns[1] >= 1.02 && returns[1] > returns[0] && returns[1] > returns[2], "{returns:?}");
    let [found] = &of(&books, "soccer_epl")[..] else { panic!("one proposal") };
    assert_eq!((found.outcome, found.book.as_str(), found.draw_refunds), (Outcome::Draw, "a", false));
    assert!((found.probability - forecast.probabilities[1]).abs() < 1e-12);
    assert_eq!(found.method, "trained model on 5 books");
    assert_eq!(of(&books, "icehockey_nhl"), [], "a sport that it was not trained on");
    assert_eq!(of(&books[2..], "soccer_epl"), [], "three books are too few");
    assert_eq!(of(&books[..4], "soccer_epl"), [], "no price pays");
    let absurd = [books[0], books[1], books[2], books[3], ("e", ["20", "3.3", "3.4"])];
    assert_eq!(of(&absurd, "soccer_epl"), [], "likely an error");
    let winner = [("a", "2.3", "2"), ("b", "2", "2"), ("c", "2", "2"), ("d", "2", "2")];
    assert_eq!(
        proposals(&self::winner(&winner), "soccer_epl", &[], |bot| bot == Bot::Model),
        [],
        "two outcomes"
    );
}

fn signal(kind: SignalKind, share: f64) -> EdgeSignal {
    let of = |role: Role, book: &str| SignalQuote {
        role: role.into(),
        outcome: Outcome::Home.into(),
        book: book.into(),
        ..SignalQuote::default()
    };
    EdgeSignal {
        kind: kind.into(),
        market: Family::H2h.into(),
        period: Period::FullTime.into(),
        outcome: Some(Outcome::Home.into()),
        strength: 0.03,
        confidence: share,
        bets: vec![of(Role::Bet, "late")],
        evidence: vec![of(Role::Leader, "a"), of(Role::Follower, "b")],
        ..EdgeSignal::default()
    }
}

#[test]
fn signals_are_followed_at_the_price_that_is_on_offer_now() {
    let quotes =
        |late| winner(&[("a", "1.9", "1.9"), ("b", "1.9", "1.9"), ("late", late, "1.7"), ("z", "9", "1.01")]);
    let bet = |late, signal: &EdgeSignal| {
        let quotes = quotes(late);
        LineView::all(&quotes).iter().find_map(|view| at_signal(view, signal, &FairCache::default()))
    };
    for (kind, bot) in [(SignalKind::Steam, Bot::Steam), (SignalKind::StalePrice, Bot::Stale)] {
        let found = bet("2.02", &signal(kind, 0.5)).unwrap();
        assert_eq!((found.bot, found.book.as_str()), (bot, "late"));
        assert!((found.probability - 0.5).abs() < 1e-9, "of a and b alone");
        assert_eq!(bet("2.01", &signal(kind, 0.5)), None, "half a percent");
        assert_eq!(bet("2.02", &signal(kind, 0.4)), None, "few moved");
    }
    assert_eq!(bet("2.02", &signal(SignalKind::Value, 0.9)), None);
}
