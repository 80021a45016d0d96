//! What can be seen of an engine beside its effects: quotes, offers, sizes, what is learnt.

use arb_engine::Engine;
use arb_engine::input::Tick;
use arb_engine::learning::survival::{EventStage, MarketKind};
use arb_engine::market::{Bet, Market, Outcome, Policy, Side};

use crate::random_log::some_books;
use crate::world::{World, at, event, tick};

fn market(key: &str) -> Market {
    Market::parse(key).unwrap()
}

fn home() -> Bet {
    Bet::new(market("h2h"), Outcome::Home, Side::Back, None).unwrap()
}

#[test]
fn an_engine_that_remembers_nothing_shows_nothing() {
    let engine = Engine::new(Policy::Board);
    assert_eq!(engine.size(), arb_engine::Size::default());
    assert_eq!((engine.sequence(), engine.watermark()), (0, None));
    assert_eq!(engine.quote("e", &home(), "a"), None);
    assert_eq!(engine.offers("e", market("h2h"), None), []);
    assert_eq!(engine.unknown_books(), [] as [std::sync::Arc<str>; 0]);
    assert_eq!(engine.changes(), []);
    assert!(
        (engine.margin_limit(false) - 0.1).abs() < 1e-12 && (engine.margin_limit(true) - 0.2).abs() < 1e-12
    );
}

#[test]
fn quotes_are_shown_as_of_the_last_step_and_sizes_as_of_the_last_commit() {
    let mut world = World::new(Policy::Board);
    world.commit_each = false;
    world.send(10, vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)]);
    let quote = world.engine.quote("e", &home(), "a").unwrap();
    assert_eq!((quote.price.millionths(), quote.last_seen_at), (2_100_000, at(9)));
    assert_eq!(world.engine.quote("e", &home(), "b"), None, "it offers the other side");
    assert_eq!(world.engine.quote("e", &home(), "nobody"), None);
    assert_eq!(world.engine.quote("f", &home(), "a"), None);
    assert_eq!((world.engine.sequence(), world.engine.size().quotes), (1, 0));
    world.engine.commit();
    let size = world.engine.size();
    assert_eq!((size.events, size.markets, size.quotes, size.windows), (1, 1, 2, 1));
    world.send(20, vec![]);
    assert_eq!(world.engine.quote("e", &home(), "a"), None, "it is withdrawn in the draft");
    assert_eq!(world.engine.size().quotes, 2);
    world.engine.abort();
    assert!(world.engine.quote("e", &home(), "a").is_some());
}

#[test]
fn offers_are_the_backs_on_offer_by_outcome_and_book_after_fees() {
    let mut world =
        World { engine: Engine::with_books(Policy::Board, some_books()), ..World::new(Policy::Board) };
    let lay = Bet::new(market("h2h"), Outcome::Home, Side::Lay, None).unwrap();
    world.send(
        10,
        vec![
            tick("c", "away", "1.8", 9),
            tick("b", "home", "2", 9),
            tick("a", "home", "2.1", 9),
            Tick { suspended: true, ..tick("e", "home", "3", 9) },
            Tick { bet: lay, ..tick("d", "home", "3", 9) },
            tick("a", "over 2.5", "2", 9),
        ],
    );
    let offers = world.engine.offers("e", market("h2h"), None);
    let found: Vec<_> = offers
        .iter()
        .map(|offer| {
            (offer.outcome, &*offer.book, offer.price.millionths(), offer.effective_price.millionths())
        })
        .collect();
    // `b` keeps 2 % of winnings.
    let golden = [
        (Outcome::Home, "a", 2_100_000, 2_100_000),
        (Outcome::Home, "b", 2_000_000, 1_980_000),
        (Outcome::Away, "c", 1_800_000, 1_800_000),
    ];
    assert_eq!(found, golden);
    assert_eq!(world.engine.offers("e", market("totals"), Some(2_500)).len(), 1);
    assert_eq!(world.engine.offers("e", market("totals"), None), []);
}

#[test]
fn a_book_is_unknown_when_it_confirmed_a_price_and_is_in_no_table() {
    let mut world =
        World { engine: Engine::with_books(Policy::Board, some_books()), ..World::new(Policy::Board) };
    let ticks = |seen| {
        vec![tick("zz", "home", "2", seen), tick("g", "home", "2", seen), tick("a", "home", "2", seen)]
    };
    world.send(10, ticks(9));
    assert_eq!(world.engine.unknown_books().len(), 0, "they confirmed nothing yet");
    world.send(20, ticks(19));
    let unknown: Vec<_> = world.engine.unknown_books().iter().map(ToString::to_string).collect();
    assert_eq!(unknown, ["g", "zz"], "by name; the source is no book");
}

#[test]
fn lifetimes_are_counted_by_stage_and_kind() {
    let mut world = World::new(Policy::Board);
    let arb = |away: &'static str, seen| vec![tick("a", "home", "2.1", seen), tick("b", "away", away, seen)];
    world.send(100, arb("2.2", 99));
    world.send(200, arb("2.2", 199));
    world.send(300, arb("1.5", 299));
    // The event begins after a million seconds, in eleven days.
    let later = world.engine.lived(EventStage::Later, MarketKind::Winner);
    assert_eq!(later.deaths(), 1);
    // 100 s observed, and half of the 100 s in which it ended. Its market was new: the polls before it are
    // unknown.
    let lived: i64 = later.counts().1.iter().sum();
    assert_eq!(lived, at(150));
    assert_eq!(world.engine.lived(EventStage::InPlay, MarketKind::Winner).deaths(), 0);
    assert_eq!(world.engine.lived(EventStage::Later, MarketKind::Total).deaths(), 0);
}

#[test]
fn the_watermark_is_five_seconds_behind_the_only_source() {
    let mut world = World::new(Policy::Board);
    world.beat(100);
    assert_eq!(world.engine.watermark(), Some(at(95)));
    world.poll(110, &[(event("e"), vec![tick("a", "home", "2", 109)])]);
    assert_eq!(world.engine.watermark(), Some(at(105)));
}
