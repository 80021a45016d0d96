//! Private sources: what their owner sees of their prices, and that nobody else sees anything that depends on them.

use arb_engine::caps::PRIVATE_EVENTS;
use arb_engine::effect::BoardEntry;
use arb_engine::input::{Coverage, Event, Frame, Heartbeat, Input, PollEnd, Push, Tick};
use arb_engine::market::Policy;
use arb_engine::state::Saved;
use arb_engine::time::Disposition;
use arb_engine::{Engine, ScanScope, UserBooks};
use arb_model::source::is_private;
use proptest::prelude::*;

use crate::random_log::{OWN, RawTick, Run, logs_with_private, own, some_books};
use crate::world::{World, at, event, frame, tick};

/// Whether a record is one of the private source.
fn is_own(input: &Input<'_>) -> bool {
    match input {
        Input::Suspension(_) => false,
        Input::Frame(Frame { source, .. })
        | Input::PollEnd(PollEnd { source, .. })
        | Input::Heartbeat(Heartbeat { source, .. }) => is_private(source),
    }
}

/// All that anybody can read of an engine without the name of a private source.
fn public(engine: &Engine) -> String {
    let (mut quotes, mut arbs) = (Vec::new(), Vec::new());
    engine.scan(
        &ScanScope::default(),
        |quote| quotes.push(format!("{quote:?}")),
        |entry, _| arbs.push(entry),
    );
    let events = engine.listed_events(None);
    let odds: Vec<_> = events.iter().map(|event| engine.odds_of(&event.info.id, None)).collect();
    let (board, books) = (engine.board_of(&UserBooks::default()), engine.listed_books(None));
    let of_time = (engine.watermark(), engine.now(), engine.sequence(), engine.size());
    format!("{of_time:?} {events:?} {odds:?} {board:?} {books:?} {quotes:?} {arbs:?}")
}

/// Whether a change of the changelog is of the public state: bots and truth are computed from it.
fn is_public(saved: &Saved) -> bool {
    match saved {
        Saved::Head { private, .. }
        | Saved::HeadGone { private, .. }
        | Saved::LineGone { private, .. }
        | Saved::MovesGone { private, .. } => private.is_none(),
        Saved::Line(line) => line.private.is_none(),
        Saved::Moves(moves) => moves.private.is_none(),
        Saved::Source { source, .. }
        | Saved::SourceGone { source }
        | Saved::Push { source, .. }
        | Saved::PushGone { source, .. } => !is_private(source),
        _ => true,
    }
}

fn public_changes(engine: &Engine) -> Vec<Saved> {
    engine.changes().into_iter().filter(is_public).collect()
}

proptest! {
    /// Whatever a private source pushes, and whether it pushes at all: every effect, everything that is read and everything that is
    /// remembered of others is the same, byte for byte.
    #[test]
    fn nothing_that_others_read_depends_on_a_private_source(
        log in logs_with_private(),
        others in prop::collection::vec((0..4_usize, 0..20_i64, 170_u32..900), 1..8),
    ) {
        let books = some_books();
        let [mut plain, mut altered, mut without] = [(); 3].map(|()| Run::new(Policy::Board, &books));
        for (offset, input) in log.iter().enumerate() {
            plain.step(offset, input);
            if is_own(input) {
                let (event, sequence, price) = others[offset % others.len()];
                let raw: Vec<RawTick> = (0..10).map(|bet| (bet % 2, bet, price, 0, 1)).collect();
                altered.step(offset, &own(500 + i64::try_from(offset).unwrap(), event, sequence, &raw));
                without.effects.push(vec![]);
            } else {
                altered.step(offset, input);
                without.step(offset, input);
            }
            prop_assert_eq!(plain.effects.last(), without.effects.last());
            prop_assert_eq!(altered.effects.last(), without.effects.last());
            prop_assert_eq!(public_changes(&plain.engine), public_changes(&without.engine));
            prop_assert_eq!(public_changes(&altered.engine), public_changes(&without.engine));
            [&mut plain, &mut altered, &mut without].into_iter().for_each(Run::commit);
            prop_assert_eq!(public(&plain.engine), public(&without.engine));
            prop_assert_eq!(public(&altered.engine), public(&without.engine));
        }
    }

    /// The owner's board is that of an engine in which all prices are public.
    #[test]
    fn the_owner_sees_what_all_would_see_if_it_were_public(
        prices in prop::collection::vec(((0..4_usize, 0..3_usize), 180_u32..230), 1..14),
        own in prop::collection::vec((0..3_usize, 180_u32..260), 1..4),
    ) {
        let decimal = |hundredths: &u32| format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let bet = |bet: &usize| ["home", "away", "over 2.5"][*bet];
        let ticks: Vec<_> =
            prices.iter().map(|((book, of), price)| tick(["a", "b", "c", "d"][*book], bet(of), &decimal(price), 99)).collect();
        let own: Vec<_> = own.iter().map(|(of, price)| tick("own:a", bet(of), &decimal(price), 0)).collect();
        let [private, public] = ["push/own", "feed/own"].map(|source| {
            let mut world = World::of_table(Policy::Board);
            world.send(100, ticks.clone());
            push(&mut world, source, "e", 101, 1, own.clone());
            board(&world, &owner())
        });
        prop_assert_eq!(private, public);
    }
}

/// Legs, stakes and verdict of each arb, without what a window of the board has of its own.
fn board(world: &World, user: &UserBooks) -> Vec<String> {
    let shown = |entry: BoardEntry| {
        format!(
            "{:?} {:?} {} {:?} {:?}",
            entry.margin, entry.legs, entry.verified, entry.verification, entry.market
        )
    };
    world.engine.board_of(user).into_iter().map(shown).collect()
}

fn push(
    world: &mut World,
    source: &'static str,
    id: &str,
    second: i64,
    sequence: i64,
    ticks: Vec<Tick<'static>>,
) -> Disposition {
    let nameless = Event { id, sport: "", league: "", home: "", away: "", commence_time: 0 };
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let push = Some(Push { sequence, names_event: id.starts_with("own:") });
    let of = if id.starts_with("own:") { event(id) } else { nameless };
    let frame = Frame { source, coverage, push, ..frame(second, None, of, ticks) };
    world.step(&Input::Frame(frame)).0.disposition
}

fn owner() -> UserBooks {
    UserBooks { private: Some(OWN.to_owned()), ..UserBooks::default() }
}

/// A world in which two books pay 1.95 on both sides.
fn known() -> World {
    let mut world = World::of_table(Policy::Board);
    world.send(100, vec![tick("a", "home", "1.95", 99), tick("b", "away", "1.95", 99)]);
    world
}

#[test]
fn an_arb_with_a_private_price_is_the_owners_alone() {
    let mut world = known();
    let ticks = vec![tick("own:z", "home", "2.2", 0)];
    assert_eq!(push(&mut world, OWN, "e", 101, 1, ticks), Disposition::Applied);
    assert_eq!((world.board.len(), world.engine.board_of(&UserBooks::default()).len()), (0, 0));
    let [entry] = &world.engine.board_of(&owner())[..] else { panic!("one arb") };
    let legs: Vec<_> = entry.legs.iter().map(|leg| (leg.book.to_string(), leg.price.decimal())).collect();
    assert_eq!(legs, [("own:z".to_owned(), 2.2), ("b".to_owned(), 1.95)]);
    let other = UserBooks { private: Some("push/other".to_owned()), ..UserBooks::default() };
    assert_eq!(world.engine.board_of(&other), []);
    let of_owner = world.engine.listed_books(Some(OWN));
    let names: Vec<_> = of_owner.iter().map(|listed| listed.book.to_string()).collect();
    assert_eq!(names, ["a", "b", "own:z"]);
    let (_, quotes) = world.engine.odds_of("e", Some(OWN)).unwrap();
    assert_eq!(quotes.len(), 3);
    let mut scanned = Vec::new();
    let scope = ScanScope { private: Some(OWN.to_owned()), ..ScanScope::default() };
    world.engine.scan(&scope, |quote| scanned.push(quote.book.to_owned()), |_, _| ());
    assert_eq!(scanned, ["a", "own:z", "b"]);
}

/// A draw that the owner's book lists makes his market one of three outcomes, and nobody else's.
#[test]
fn a_draw_of_a_private_book_takes_no_window_from_others() {
    let mut world = World::of_table(Policy::Board);
    world.send(100, vec![tick("a", "home", "2.2", 99), tick("b", "away", "2.2", 99)]);
    assert_eq!(world.board.len(), 1);
    push(&mut world, OWN, "e", 101, 1, vec![tick("own:z", "draw", "9", 0)]);
    world.beat(102);
    assert_eq!(world.board.len(), 1);
}

#[test]
fn an_event_of_its_own_is_seen_by_the_owner_alone() {
    let mut world = known();
    assert_eq!(
        push(&mut world, OWN, "own:7", 101, 1, vec![tick("own:z", "home", "2", 0)]),
        Disposition::Applied
    );
    assert_eq!(world.engine.listed_events(None).len(), 1);
    let seen: Vec<_> =
        world.engine.listed_events(Some(OWN)).iter().map(|event| event.info.id.to_string()).collect();
    assert_eq!(seen, ["e", "own:7"]);
    assert_eq!(
        push(&mut world, "feed/x", "own:8", 101, 1, vec![tick("x", "home", "2", 0)]),
        Disposition::Applied
    );
    assert_eq!(
        push(&mut world, "push/x", "own:7", 101, 1, vec![]),
        Disposition::Applied,
        "its own of that id"
    );
    assert_eq!(push(&mut world, "push/x", "q", 101, 2, vec![]), Disposition::UnknownEvent);
}

#[test]
fn what_is_withdrawn_is_gone_and_later_pushes_count() {
    let mut world = known();
    push(&mut world, OWN, "e", 101, 1, vec![tick("own:z", "home", "2.2", 0)]);
    let (league, coverage) = (None, Coverage::default());
    world.step(&Input::PollEnd(PollEnd { source: OWN, received_at: at(90), league, coverage, frames: 0 }));
    assert_eq!(world.engine.board_of(&owner()), []);
    assert_eq!(world.engine.listed_books(Some(OWN)).len(), 2);
    push(&mut world, OWN, "e", 102, 2, vec![tick("own:z", "home", "2.3", 0)]);
    assert_eq!(world.engine.board_of(&owner()).len(), 1);
}

/// Of a source that everybody sees, too: by the order of the log, whatever the operator's clock says.
#[test]
fn a_public_source_is_withdrawn_in_the_same_way() {
    let mut world = known();
    push(&mut world, "feed/x", "e", 101, 1, vec![tick("x", "home", "2.2", 0)]);
    assert_eq!(world.board.len(), 1);
    let (league, coverage) = (None, Coverage::default());
    world.step(&Input::PollEnd(PollEnd {
        source: "feed/x",
        received_at: at(90),
        league,
        coverage,
        frames: 0,
    }));
    assert_eq!(world.board.len(), 0);
}

#[test]
fn private_prices_grow_stale_by_the_time_of_others_and_end_with_their_event() {
    let mut world = known();
    push(&mut world, OWN, "e", 101, 1, vec![tick("own:z", "home", "2.2", 0)]);
    let later = |second| vec![tick("a", "home", "1.95", second), tick("b", "away", "1.95", second)];
    for second in [1_000, 2_000, 3_000] {
        world.send(second, later(second - 1));
    }
    assert_eq!(world.engine.board_of(&owner()), [], "not confirmed for most of an hour");
    // More than 36 hours after the start.
    (1..=325).for_each(|hours| drop(world.beat(3_000 + hours * 3_500)));
    assert_eq!(world.engine.listed_events(Some(OWN)), []);
    assert!(world.engine.changes().is_empty());
}

/// Without a public source its own pushes are the time.
#[test]
fn prices_of_a_private_source_alone_grow_stale_by_its_later_pushes() {
    let mut world = World::of_table(Policy::Board);
    let both = |home| vec![tick("own:a", "home", home, 0), tick("own:z", "away", "2.2", 0)];
    push(&mut world, OWN, "own:7", 100, 1, both("2.2"));
    assert_eq!(world.engine.board_of(&owner()).len(), 1);
    assert_eq!(world.engine.watermark(), None, "no time passes for others");
    push(&mut world, OWN, "own:8", 7_300, 2, vec![tick("own:a", "home", "2", 0)]);
    assert_eq!(world.engine.board_of(&owner()), []);
}

#[test]
fn a_private_source_has_room_for_so_many_events() {
    let mut world = known();
    world.commit_each = false;
    let ids: Vec<_> = (0..=PRIVATE_EVENTS).map(|number| format!("own:{number}")).collect();
    for (sequence, id) in (1..).zip(&ids) {
        let expected = if sequence <= PRIVATE_EVENTS { Disposition::Applied } else { Disposition::Refused };
        let sequence = i64::try_from(sequence).unwrap();
        assert_eq!(push(&mut world, OWN, id, 101, sequence, vec![tick("own:z", "home", "2", 0)]), expected);
    }
    assert_eq!(
        push(&mut world, "push/other", "own:0", 101, 1, vec![]),
        Disposition::Applied,
        "the room is each source's"
    );
}

/// Where no public source tells the time, its own does.
#[test]
fn private_events_that_are_over_make_room() {
    let mut world = World::of_table(Policy::Board);
    world.commit_each = false;
    let ids: Vec<_> = (0..PRIVATE_EVENTS).map(|number| format!("own:{number}")).collect();
    let price = || vec![tick("own:z", "home", "2", 0)];
    for (sequence, id) in (1..).zip(&ids) {
        push(&mut world, OWN, id, 101, sequence, price());
    }
    assert_eq!(push(&mut world, OWN, "own:x", 102, 8_000, price()), Disposition::Refused);
    let later = 1_000_000 + 140_000;
    assert_eq!(push(&mut world, OWN, "own:y", later, 9_000, price()), Disposition::Applied);
}
