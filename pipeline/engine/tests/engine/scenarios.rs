//! Scenarios: what happens to a window, poll by poll.

use arb_engine::effect::{Effect, Warning};
use arb_engine::input::{Coverage, Frame, Input, PollEnd};
use arb_engine::market::{Bet, Market, Outcome, Policy, Side};
use arb_engine::time::Disposition;

use crate::world::{World, at, closed, entry, event, frame, of_league, poll_end, tick, words};

#[test]
fn a_window_opens_moves_and_closes() {
    let mut world = World::new(Policy::Board);
    assert_eq!(
        words(&world.send(10, vec![tick("a", "home", "2.1", 9), tick("b", "away", "1.9", 9)])),
        [""; 0]
    );
    let opened = world.send(20, vec![tick("a", "home", "2.1", 19), tick("b", "away", "2.2", 19)]);
    assert_eq!(words(&opened), ["opened"]);
    let id = entry(&opened).id.clone();
    let moved = world.send(30, vec![tick("a", "home", "2.3", 29), tick("b", "away", "2.2", 29)]);
    assert_eq!(words(&moved), ["updated"]);
    assert_eq!((&entry(&moved).id, entry(&moved).opened_at.0), (&id, at(20)));
    let over = world.send(40, vec![tick("a", "home", "1.5", 39), tick("b", "away", "2.2", 39)]);
    assert_eq!(words(&over), ["moved b away 1.9 to 2.2 in -30-30", "closed price_moved"]);
    let closed = closed(&over);
    assert_eq!((&closed.id, closed.opened_at.0, closed.closed_at.0), (&id, at(20), at(40)));
    let margin = |a: f64, b: f64| 1.0 / (1.0 / a + 1.0 / b) - 1.0;
    assert!((closed.margin_open - margin(2.1, 2.2)).abs() < 1e-9);
    assert!((closed.margin_peak - margin(2.3, 2.2)).abs() < 1e-9);
    assert!((closed.margin_close - closed.margin_peak).abs() < 1e-12);
    assert!(world.board.is_empty());
}

#[test]
fn an_entry_says_what_to_bet() {
    let mut world = World::new(Policy::Board);
    let soccer = of_league("soccer_x", "e");
    let ticks =
        vec![tick("c", "away", "4.23", 9), tick("a", "home", "2.30", 8), tick("b", "draw", "3.50", 9)];
    let effects = world.poll(10, &[(soccer, ticks)]);
    let entry = entry(&effects);
    let legs: Vec<_> = entry.legs.iter().map(|leg| (leg.outcome.as_str(), &*leg.book)).collect();
    assert_eq!(legs, [("home", "a"), ("draw", "b"), ("away", "c")]);
    assert!((entry.margin - 0.0450).abs() < 5e-5 && (entry.margin_worst - entry.margin).abs() < 1e-12);
    assert!((entry.legs[0].stake_share - 43.4783 / 95.6904).abs() < 1e-6);
    assert_eq!(entry.legs[0].last_seen_at.0, at(8));
    assert!(!entry.in_play);
    assert_eq!(entry.warnings, [Warning::LimitUnknown, Warning::LeastStakeUnknown]);
}

#[test]
fn unchanged_prices_prove_simultaneity_later() {
    let mut world = World::new(Policy::Board);
    world.send(10, vec![tick("a", "home", "2.1", 9)]);
    let opened = world.send(20, vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 19)]);
    assert!(!entry(&opened).simultaneous, "a was last seen before b was first seen");
    let proven = world.send(30, vec![tick("a", "home", "2.1", 29), tick("b", "away", "2.2", 19)]);
    assert_eq!(words(&proven), ["updated"]);
    assert!(entry(&proven).simultaneous);
    assert_eq!(entry(&proven).sequence, entry(&opened).sequence + 1);
    let again = world.send(40, vec![tick("a", "home", "2.1", 39), tick("b", "away", "2.2", 39)]);
    assert_eq!(words(&again), ["refreshed"]);
    assert_eq!(entry(&again).sequence, entry(&proven).sequence);
    assert_eq!(
        words(&world.send(50, vec![tick("a", "home", "2.1", 39), tick("b", "away", "2.2", 39)])),
        [""; 0]
    );
}

#[test]
fn a_covered_quote_that_is_not_named_is_withdrawn() {
    let mut world = World::new(Policy::Board);
    world.send(10, vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)]);
    assert_eq!(words(&world.send(20, vec![tick("a", "home", "2.1", 19)])), ["closed withdrawn"]);
}

#[test]
fn a_frame_that_covers_nothing_withdraws_nothing() {
    let mut world = World::new(Policy::Board);
    world.send(10, vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)]);
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let push = Frame { coverage, ..frame(20, None, event("e"), vec![tick("c", "away", "2.4", 19)]) };
    let (_, effects) = world.step(&Input::Frame(push));
    assert_eq!(words(&effects), ["updated"]);
    assert_eq!(&*entry(&effects).legs[1].book, "c");
}

#[test]
fn an_event_that_a_poll_does_not_name_has_no_quotes() {
    let mut world = World::new(Policy::Board);
    let both = vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)];
    let opened = world.poll(10, &[(event("e"), both.clone()), (event("f"), both.clone())]);
    assert_eq!(words(&opened), ["opened", "opened"]);
    assert_eq!(words(&world.poll(20, &[(event("f"), both)])), ["closed withdrawn"]);
    assert_eq!(world.engine.size().events, 1);
    assert_eq!(words(&world.poll(30, &[])), ["closed withdrawn"]);
    assert_eq!(world.engine.size(), arb_engine::Size::default());
}

#[test]
fn a_poll_of_another_league_or_source_withdraws_nothing() {
    let mut world = World::new(Policy::Board);
    world.send(10, vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)]);
    for end in [
        PollEnd { league: Some("baseball_other"), ..poll_end(20, 0) },
        PollEnd { source: "other", ..poll_end(21, 0) },
        PollEnd { coverage: Coverage { books: Some(vec!["c"]), markets: None }, ..poll_end(22, 0) },
    ] {
        assert_eq!(words(&world.step(&Input::PollEnd(end)).1), [""; 0]);
    }
}

#[test]
fn a_poll_with_a_hole_withdraws_nothing_and_is_not_contained() {
    let mut world = World::new(Policy::Board);
    world.send(10, vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)]);
    let (step, effects) = world.step(&Input::PollEnd(poll_end(20, 1)));
    assert_eq!((step.disposition, effects), (Disposition::Incomplete, vec![]));
}

#[test]
fn late_polls_change_nothing() {
    let mut world = World::new(Policy::Board);
    let arb = || vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)];
    world.send(10, arb());
    for second in [10, 5] {
        let (step, effects) = world.step(&Input::Frame(frame(second, Some(0), event("e"), vec![])));
        assert_eq!((step.disposition, effects), (Disposition::Late, vec![]));
        let (step, effects) = world.step(&Input::PollEnd(poll_end(second, 1)));
        assert_eq!((step.disposition, effects), (Disposition::Late, vec![]));
    }
    assert_eq!(world.board.len(), 1);
}

#[test]
fn a_price_from_the_future_is_left_out() {
    let mut world = World::new(Policy::Board);
    world.send(10, vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)]);
    let future =
        frame(20, Some(0), event("e"), vec![tick("a", "home", "2.1", 26), tick("b", "away", "2.2", 25)]);
    let (step, effects) = world.step(&Input::Frame(future));
    assert_eq!((step.future_ticks, words(&effects)), (1, vec!["closed withdrawn".to_owned()]));
}

#[test]
fn a_missing_draw_is_no_arb_in_soccer() {
    let ticks = || vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)];
    let soccer = of_league("soccer_x", "e");
    assert_eq!(words(&World::new(Policy::Board).poll(10, &[(soccer, ticks())])), [""; 0]);
    assert_eq!(words(&World::new(Policy::Raw).poll(10, &[(soccer, ticks())])), ["opened"]);
}

#[test]
fn a_draw_on_offer_supersedes_the_two_way_window() {
    let two = || vec![tick("a", "home", "3.1", 9), tick("b", "away", "3.2", 9)];
    let three = || [two(), vec![tick("b", "draw", "9", 9)]].concat();
    let of = |ticks| [(of_league("boxing_x", "e"), ticks)];
    let mut board = World::of_table(Policy::Board);
    let opened = entry(&board.poll(10, &of(two()))).id.clone();
    let effects = board.poll(20, &of(three()));
    assert_eq!(words(&effects), ["closed superseded", "opened"]);
    assert_ne!(closed(&effects).id, entry(&effects).id);
    let mut raw = World::new(Policy::Raw);
    assert_eq!(entry(&raw.poll(10, &of(two()))).id, opened);
    let effects = raw.poll(20, &of(three()));
    assert_eq!((words(&effects), &entry(&effects).id), (vec!["updated".to_owned()], &opened));
}

#[test]
fn only_the_same_line_pairs() {
    let mut world = World::new(Policy::Board);
    let apart = vec![tick("a", "over 2.5", "2.1", 9), tick("b", "under 3.5", "2.2", 9)];
    assert_eq!(words(&world.send(10, apart)), [""; 0]);
    let same = vec![
        tick("a", "over 2.5", "2.1", 19),
        tick("b", "under 2.5", "2.2", 19),
        tick("a", "home -1.5", "2.1", 19),
        tick("b", "away -1.5", "2.2", 19),
    ];
    assert_eq!(words(&world.send(20, same)), ["opened", "opened"]);
    let lines: Vec<_> =
        world.board.values().map(|entry| (entry.market.as_str(), entry.line.map(|line| line.0))).collect();
    assert!(lines.contains(&("totals", Some(2_500))) && lines.contains(&("spreads", Some(-1_500))));
}

#[test]
fn whole_lines_warn_of_a_push_and_quarter_lines_pay_half() {
    let mut world = World::new(Policy::Board);
    let on = |line: &str| {
        vec![tick("a", &format!("over {line}"), "2.1", 9), tick("b", &format!("under {line}"), "2.2", 9)]
    };
    let whole = world.poll(10, &[(event("w"), on("3"))]);
    assert_eq!(
        (entry(&whole).margin_worst, &entry(&whole).warnings[..]),
        (
            0.0,
            &[Warning::PushPossible, Warning::LimitUnknown, Warning::LeastStakeUnknown].map(Into::into)[..]
        )
    );
    let quarter = world.poll(20, &[(event("w"), on("3")), (event("q"), on("2.25"))]);
    let quarter = quarter.iter().find_map(|effect| match effect {
        Effect::Transition(_, entry, _) if &*entry.event.id == "q" => Some(entry),
        _ => None,
    });
    let quarter = quarter.expect("a window on the quarter line");
    assert!((quarter.margin_worst - quarter.margin / 2.0).abs() < 1e-12);
    assert_eq!(
        quarter.warnings,
        [Warning::HalfPushPossible, Warning::LimitUnknown, Warning::LeastStakeUnknown]
    );
}

#[test]
fn of_equal_prices_the_smallest_book_is_taken() {
    let mut world = World::new(Policy::Board);
    let ticks = vec![tick("z", "home", "2.1", 9), tick("m", "home", "2.1", 9), tick("b", "away", "2.2", 9)];
    assert_eq!(&*entry(&world.send(10, ticks)).legs[0].book, "m");
}

#[test]
fn a_suspended_leg_closes_its_window() {
    let mut world = World::new(Policy::Board);
    let arb = vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)];
    world.send(10, arb.clone());
    let mut suspended = arb;
    suspended[0].suspended = true;
    assert_eq!(words(&world.send(20, suspended)), ["closed suspended"]);
}

#[test]
fn a_lay_price_backs_nothing() {
    let mut world = World::new(Policy::Board);
    let mut lay = tick("a", "home", "2.1", 9);
    lay.bet = Bet::new(Market::parse("h2h").unwrap(), Outcome::Home, Side::Lay, None).unwrap();
    assert_eq!(words(&world.send(10, vec![lay, tick("b", "away", "2.2", 9)])), [""; 0]);
}

#[test]
fn an_aborted_step_never_happened() {
    let mut world = World::new(Policy::Board);
    world.commit_each = false;
    let arb = || vec![tick("a", "home", "2.1", 9), tick("b", "away", "2.2", 9)];
    let first = world.send(10, arb());
    world.engine.abort();
    assert_eq!(world.engine.size(), arb_engine::Size::default());
    world.offset = 0;
    world.board.clear();
    assert_eq!(world.send(10, arb()), first);
    world.engine.commit();
    assert_eq!(world.engine.size().windows, 1);
}
