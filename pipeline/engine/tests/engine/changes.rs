//! What a transaction writes down, and what putting it back refuses.

use std::collections::BTreeSet;

use arb_engine::Engine;
use arb_engine::caps::PIECE_MOVES;
use arb_engine::effect::Effect;
use arb_engine::input::{Event, Heartbeat, Input};
use arb_engine::market::{Market, Policy};
use arb_engine::state::{Misfit, Saved, SavedMoves};

use crate::properties::key;
use crate::random_log::{Run, punctual_books, some_books};
use crate::world::{World, at, event, tick};

/// The keys of what the open transaction writes, in its order.
fn written(world: &World) -> Vec<String> {
    world.engine.changes().iter().map(key).collect()
}

/// An engine in whose transactions a record each is; nothing is committed by itself.
fn world() -> World {
    World { commit_each: false, ..World::new(Policy::Board) }
}

#[test]
fn a_first_poll_writes_all_that_it_made() {
    let mut world = world();
    world.send(10, vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)]);
    // Both prices were on offer at 9 s: a proven margin is learnt from.
    let golden = ["head/e/h2h", "line/e/h2h/None", "source/feed", "margins", "clock", "sequence"];
    assert_eq!(written(&world), golden);
    world.engine.commit();
    assert_eq!(written(&world), [""; 0]);
}

#[test]
fn a_line_is_written_for_its_ticks_only() {
    let mut world = world();
    let ticks = |seen| {
        ["over 2.5", "under 2.5", "over 3.5", "under 3.5"].map(|bet| tick("a", bet, "1.9", seen)).to_vec()
    };
    world.send(10, ticks(9));
    world.engine.commit();
    let mut some = ticks(9);
    some[2] = tick("a", "over 3.5", "1.95", 19);
    world.send(20, some);
    let lines: Vec<_> = written(&world).into_iter().filter(|key| key.starts_with("line")).collect();
    // The poll names all of them again: `received_at` of each is the poll's.
    assert_eq!(lines, ["line/e/totals/Some(2500)", "line/e/totals/Some(3500)"]);
    world.engine.commit();
    world.beat(21);
    assert_eq!(written(&world), ["source/feed", "clock"], "a heartbeat writes no line");
}

#[test]
fn a_confirmation_writes_what_is_learnt_of_its_book() {
    let mut world = world();
    world.send(10, vec![tick("a", "home", "2.1", 9)]);
    world.engine.commit();
    world.send(20, vec![tick("a", "home", "2.1", 19)]);
    assert_eq!(written(&world), ["line/e/h2h/None", "source/feed", "book/a", "clock"]);
}

/// What the open transaction writes of moves: the numbers of pieces with how many moves they have, and of those that are gone.
fn moves(world: &World) -> (Vec<(i64, usize)>, Vec<i64>) {
    let changes = world.engine.changes();
    let put = changes.iter().filter_map(|saved| match saved {
        Saved::Moves(moves) => Some((moves.piece, moves.moves.len())),
        _ => None,
    });
    let gone = changes.iter().filter_map(|saved| match saved {
        Saved::MovesGone { piece, .. } => Some(*piece),
        _ => None,
    });
    (put.collect(), gone.collect())
}

#[test]
fn of_moves_the_last_piece_is_written_until_it_is_forgotten() {
    let mut world = world();
    let piece = i64::try_from(PIECE_MOVES).unwrap();
    let poll = |world: &mut World, second: i64| {
        let price = if second % 2 == 0 { "1.9" } else { "1.91" };
        world.send(second, vec![tick("a", "home", price, second)]);
    };
    for second in 10..=10 + piece {
        poll(&mut world, second);
    }
    assert_eq!(moves(&world), (vec![(0, PIECE_MOVES)], vec![]), "the first price is no move");
    world.engine.commit();
    poll(&mut world, 11 + piece);
    assert_eq!(moves(&world), (vec![(1, 1)], vec![]));
    world.engine.commit();
    poll(&mut world, 12 + piece);
    assert_eq!(moves(&world), (vec![(1, 2)], vec![]));
    world.engine.commit();
    poll(&mut world, 501);
    assert_eq!(
        moves(&world),
        (vec![(0, 1)], vec![1]),
        "both were older than a window of movement: numbers begin again"
    );
    world.engine.commit();
    world.send(510, vec![]);
    assert_eq!(moves(&world), (vec![], vec![0]), "nothing is left of the market");
}

#[test]
fn a_removed_part_is_written_as_removed() {
    let mut world = world();
    let both = vec![tick("a", "over 2.5", "1.9", 9), tick("a", "over 3.5", "2.9", 9)];
    world.send(10, both);
    world.engine.commit();
    world.send(20, vec![tick("a", "over 2.5", "1.9", 19)]);
    let gone = |world: &World| {
        let changes = world.engine.changes();
        let is_gone = |saved: &&Saved| {
            matches!(saved, Saved::HeadGone { .. } | Saved::LineGone { .. } | Saved::StaleBooks { .. })
        };
        changes.iter().filter(is_gone).map(key).collect::<Vec<_>>()
    };
    assert_eq!(gone(&world), ["line/e/totals/Some(3500)"]);
    world.engine.commit();
    world.send(30, vec![]);
    assert_eq!(gone(&world), ["head/e/totals", "line/e/totals/Some(2500)"]);
    world.engine.commit();
    assert_eq!(world.engine.size().events, 0);
}

#[test]
fn another_start_writes_the_heads_of_all_markets() {
    let mut world = world();
    let ticks = |seen| vec![tick("a", "home", "1.9", seen), tick("a", "over 2.5", "1.9", seen)];
    world.send(10, ticks(9));
    world.engine.commit();
    world.poll(20, &[(Event { commence_time: at(2_000_000), ..event("e") }, ticks(9))]);
    let heads: Vec<_> = written(&world).into_iter().filter(|key| key.starts_with("head")).collect();
    assert_eq!(heads, ["head/e/h2h", "head/e/totals"]);
}

/// What is written down of an engine with an open window and an open signal.
fn saved() -> Vec<Saved> {
    let mut world = World { commit_each: false, ..World::of_table(Policy::Board) };
    let mut ticks = vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)];
    // 1/1.99 + 1/2.01 is 1.00002: a low hold.
    ticks.extend([tick("a", "over 2.5", "1.99", 9), tick("b", "under 2.5", "2.01", 9)]);
    let others = ["c", "d"].map(|book| ["over 2.5", "under 2.5"].map(|bet| tick(book, bet, "1.9", 9)));
    ticks.extend(others.concat());
    world.send(10, ticks);
    assert_eq!((world.board.len(), world.signals.len()), (1, 1));
    world.engine.changes()
}

#[test]
fn changes_are_restored_in_their_order() {
    let mut engine = Engine::new(Policy::Board);
    for saved in saved() {
        assert_eq!(engine.restore(saved.clone()), Ok(()), "{saved:?}");
    }
    assert_eq!(engine.sequence(), 2);
    assert_eq!(arb_engine::invariants::check_state(&engine), Ok(()));
}

#[test]
fn a_line_without_its_head_is_refused() {
    let mut engine = Engine::new(Policy::Board);
    for saved in saved().into_iter().filter(|saved| matches!(saved, Saved::Line(_))) {
        assert_eq!(engine.restore(saved), Err(Misfit::Headless));
    }
    let (event, market) = ("e".into(), Market::parse("h2h").unwrap());
    let moves = |moves| SavedMoves { private: None, event, market, piece: 0, added: 1, moves };
    let nothing = Saved::Moves(Box::new(moves(vec![])));
    assert_eq!(engine.restore(nothing), Err(Misfit::Moveless));
    assert_eq!(engine.size(), arb_engine::Size::default());
}

#[test]
fn a_window_whose_leg_is_no_quote_of_its_line_is_refused() {
    let mut engine = Engine::new(Policy::Board);
    let mut refused = 0;
    for saved in saved() {
        let saved = match saved {
            Saved::Line(mut line) if line.window.is_some() => {
                line.quotes.pop();
                Saved::Line(line)
            }
            other => other,
        };
        refused += usize::from(engine.restore(saved) == Err(Misfit::Leg));
    }
    assert_eq!((refused, engine.size().windows), (1, 0));
}

#[test]
fn a_signal_without_bets_is_refused() {
    let mut engine = Engine::new(Policy::Board);
    let mut refused = 0;
    for saved in saved() {
        let saved = match saved {
            Saved::Line(mut line) => {
                line.signals.iter_mut().for_each(|signal| signal.bets.clear());
                Saved::Line(line)
            }
            other => other,
        };
        refused += usize::from(engine.restore(saved) == Err(Misfit::Betless));
    }
    assert_eq!(refused, 1);
}

/// The learnt intervals of books are kept after a restart: without them a price would count as fresh for half
/// an hour.
#[test]
fn a_restored_engine_uses_the_learnt_intervals_of_books() {
    let log = punctual_books(500);
    let beat = |second| Input::Heartbeat(Heartbeat { source: "feed", at: at(second) });
    let stale_after = |restores: bool| {
        let mut run = Run::through(Policy::Board, &some_books(), &log);
        if restores {
            run.restore();
        }
        let is_stale = |second: &i64| {
            run.step(1_000 + usize::try_from(*second).unwrap(), &beat(*second));
            run.commit();
            run.effects.last().unwrap().iter().any(|effect| matches!(effect, Effect::StaleAlert(_)))
        };
        (501..2_400).find(is_stale)
    };
    // 30 s, the least that any book is allowed, and the 5 s by which the watermark is behind; it is looked at in the next second.
    assert_eq!(stale_after(false), Some(500 + 30 + 5 + 1));
    assert_eq!(stale_after(true), stale_after(false));
}

#[test]
fn each_misfit_has_words_of_its_own() {
    let words = [Misfit::Headless, Misfit::Leg, Misfit::Betless, Misfit::Moveless].map(Misfit::words);
    assert!(words.iter().all(|words| words.contains("without") || words.contains("with a leg")));
    assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len());
}

#[test]
fn tombstones_take_back_what_was_put() {
    let mut engine = Engine::new(Policy::Board);
    let saved = saved();
    for saved in saved.clone() {
        engine.restore(saved).unwrap();
    }
    let size = engine.size();
    assert_eq!((size.events, size.markets, size.quotes, size.windows), (1, 2, 8, 1));
    for saved in &saved {
        if let Saved::Head { event, market, .. } = saved {
            engine
                .restore(Saved::HeadGone { private: None, event: (&*event.id).into(), market: *market })
                .unwrap();
        }
    }
    assert_eq!(engine.size(), arb_engine::Size::default(), "no event is left without a market");
    engine
        .restore(Saved::HeadGone {
            private: None,
            event: "never".into(),
            market: Market::parse("h2h").unwrap(),
        })
        .unwrap();
    for gone in [
        Saved::SourceGone { source: "feed".into() },
        Saved::BookGone { book: "a".into() },
        Saved::StaleBooks { event: "e".into(), books: vec![] },
        Saved::Sequence(41),
    ] {
        engine.restore(gone).unwrap();
    }
    assert_eq!(engine.sequence(), 41);
}
