//! Edge signals, kind by kind: what opens one, what keeps it, what closes it.

use arb_engine::effect::{EdgeSignal, Effect, Role};
use arb_engine::input::{Coverage, Frame, Input, Tick};
use arb_engine::market::Policy;

use crate::verification::world;
use crate::world::{World, at, edges, event, frame, tick};

/// What happened to signals that follow from a steam.
fn of_steam(effects: &[Effect]) -> Vec<String> {
    reported(effects).into_iter().filter(|what| !what.contains("value")).collect()
}

/// What happened, and the signals that it happened to.
fn reported(effects: &[Effect]) -> Vec<String> {
    edges(effects).into_iter().map(|(what, _)| what).collect()
}

fn edge(effects: &[Effect], what: &str) -> EdgeSignal {
    let found = edges(effects).into_iter().find(|(reported, _)| reported == what);
    found.unwrap_or_else(|| panic!("{what} is not among {:?}", reported(effects))).1
}

/// Both sides of a winner at some books.
fn winner(books: &[&'static str], home: &str, away: &str, seen: i64) -> Vec<Tick<'static>> {
    books.iter().flat_map(|book| [tick(book, "home", home, seen), tick(book, "away", away, seen)]).collect()
}

/// A message that covers nothing but what it names.
fn push(world: &mut World, second: i64, ticks: Vec<Tick<'_>>) -> Vec<Effect> {
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    world.step(&Input::Frame(Frame { coverage, ..frame(second, None, event("e"), ticks) })).1
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

const FAIR: [&str; 4] = ["b", "c", "d", "e"];

fn value_poll(world: &mut World, second: i64, others: &[&'static str], home: &str) -> Vec<Effect> {
    let ticks = [winner(others, "1.91", "1.91", second), winner(&["a"], home, "1.75", second)].concat();
    world.send(second, ticks)
}

#[test]
fn a_price_above_the_fair_chance_of_four_others_is_of_value() {
    let mut world = world();
    let effects = value_poll(&mut world, 100, &FAIR, "2.06");
    let edge = edge(&effects, "opened value a home");
    // Four times 1.91 on both sides is a fair half, by every method.
    assert!(close(edge.strength, 0.5 * 2.06 - 1.0) && close(edge.confidence, 1.0));
    assert!(close(edge.kelly.unwrap(), 0.25 * 0.03 / 1.06));
    assert_eq!(edge.fair.len(), 5);
    assert!(edge.fair.iter().all(|fair| close(fair.probability, 0.5)));
    let sources: Vec<_> =
        edge.evidence.iter().map(|quote| (quote.role.known().unwrap(), &*quote.book)).collect();
    assert_eq!(sources, FAIR.map(|book| (Role::Source, book)));
    assert_eq!((edge.opened_at.0, edge.sequence, edge.in_play), (at(100), 1, false));
}

#[test]
fn value_opens_at_two_per_cent_and_closes_below_one() {
    let mut world = world();
    assert_eq!(reported(&value_poll(&mut world, 100, &FAIR, "2.03")), [""; 0]);
    assert_eq!(reported(&value_poll(&mut world, 110, &FAIR, "2.06")), ["opened value a home"]);
    assert_eq!(reported(&value_poll(&mut world, 120, &FAIR, "2.03")), ["updated value a home"]);
    assert_eq!(
        reported(&value_poll(&mut world, 130, &FAIR, "2.03")),
        ["refreshed value a home"],
        "its times"
    );
    assert_eq!(reported(&value_poll(&mut world, 140, &FAIR, "2.01")), ["faded value a home"]);
    assert!(world.signals.is_empty());
}

#[test]
fn three_others_are_too_few_and_a_book_has_no_say_on_itself() {
    let mut world = world();
    assert_eq!(reported(&value_poll(&mut world, 100, &FAIR[1..], "2.06")), [""; 0]);
    // A book that offers one side alone has no opinion, and its price may settle by other rules.
    let half = [winner(&FAIR, "1.91", "1.91", 110), vec![tick("a", "home", "2.06", 110)]].concat();
    assert_eq!(reported(&world.send(110, half)), [""; 0]);
}

#[test]
fn value_of_a_long_shot_is_by_the_most_cautious_method() {
    let mut world = world();
    // More of what 1.15 / 5.5 keeps is the long shot's by each method but the multiplicative, and most by the power.
    let ticks = [winner(&FAIR, "1.15", "5.5", 100), winner(&["a"], "1.1", "7.2", 100)].concat();
    let edge = edge(&world.send(100, ticks), "opened value a away");
    let methods: Vec<_> = edge.fair.iter().map(|fair| fair.method.as_str()).collect();
    assert_eq!([methods[0], methods[1], methods[4]], ["power", "odds_ratio", "multiplicative"]);
    let chances: Vec<_> = edge.fair.iter().map(|fair| fair.probability).collect();
    assert!(chances.is_sorted() && close(edge.strength, chances[0] * 7.2 - 1.0), "{chances:?}");
    // On two outcomes Shin's is the additive one.
    let booksum = 1.0 / 1.15 + 1.0 / 5.5;
    let additive = 1.0 / 5.5 - (booksum - 1.0) / 2.0;
    assert!(close(chances[2], additive) && close(chances[3], additive), "{chances:?}");
    assert!(close(chances[4], 1.0 / 5.5 / booksum));
}

#[test]
fn a_bet_that_is_gone_takes_its_signal_with_it() {
    let mut world = world();
    value_poll(&mut world, 100, &FAIR, "2.06");
    let effects = world.send(110, winner(&FAIR, "1.91", "1.91", 110));
    let edge = edge(&effects, "withdrawn value a home");
    assert!(edge.evidence.is_empty() && edge.fair.is_empty() && edge.sequence == 2);
    value_poll(&mut world, 120, &FAIR, "2.06");
    // Books that are not known yet are stale after half an hour.
    assert_eq!(reported(&world.beat(120 + 1_804)), [""; 0]);
    assert_eq!(reported(&world.beat(120 + 1_806)), ["expired value a home"]);
}

#[test]
fn a_line_that_gives_nearly_everything_back_has_a_low_hold() {
    let mut world = world();
    let mut poll = |second, home: &str, away: &str| {
        let bets = vec![tick("a", "home", home, second), tick("b", "away", away, second)];
        world.send(second, [bets, winner(&["c", "d"], "1.9", "1.9", second)].concat())
    };
    let effects = poll(100, "2", "1.995");
    let opened = edge(&effects, "opened low_hold a home");
    let implied = 0.5 + 1.0 / 1.995;
    assert!(close(opened.strength, 1.0 / implied - 1.0) && close(opened.confidence, 1.0));
    assert_eq!((opened.outcome, opened.bets.len()), (None, 2));
    // 1.0063 would not open one.
    assert_eq!(reported(&poll(110, "1.99", "1.985")), ["updated low_hold a home"]);
    assert_eq!(reported(&poll(120, "1.97", "1.97")), ["faded low_hold a home"]);
    assert_eq!(reported(&poll(130, "1.99", "1.985")), [""; 0]);
    assert_eq!(reported(&poll(140, "2", "2")), ["opened low_hold a home"]);
    assert_eq!(reported(&poll(150, "2.01", "2")), ["faded low_hold a home"], "it is an arb now");
}

#[test]
fn bets_that_were_never_offered_together_are_not_sure() {
    let mut world = world();
    let apart = |home, away| {
        let bets = vec![tick("a", "home", "2", home), tick("b", "away", "1.995", away)];
        [bets, winner(&["c", "d"], "1.9", "1.9", home)].concat()
    };
    let opened = edge(&world.send(100, apart(100, 90)), "opened low_hold a home");
    assert!(close(opened.confidence, 0.0));
    let proven = edge(&world.send(110, apart(110, 105)), "refreshed low_hold a home");
    assert!(close(proven.confidence, 1.0));
}

#[test]
fn two_bets_that_can_both_win_are_a_middle() {
    let totals = |over: &str, under: &str| {
        let mut world = world();
        let others = |bet| ["c", "d"].map(|book| tick(book, bet, "1.9", 100));
        let bets = vec![tick("a", over, "1.97", 100), tick("b", under, "1.98", 100)];
        edges(&world.send(100, [bets, others(over).into(), others(under).into()].concat()))
    };
    let [(what, edge)] = &totals("over 2.5", "under 3.5")[..] else { panic!("no middle") };
    assert_eq!(what, "opened middle a over");
    let implied = 1.0 / 1.97 + 1.0 / 1.98;
    assert!(close(edge.strength, 1.0 / implied - 1.0));
    assert_eq!(edge.bets.iter().map(|bet| bet.line.unwrap().0).collect::<Vec<_>>(), [2_500, 3_500]);
    assert_eq!(totals("over 2", "under 3.5").len(), 1, "three goals win both");
    assert_eq!(totals("over 2.5", "under 3").len(), 0, "no whole number lies between");
    assert_eq!(totals("over 2.5", "under 2.5").len(), 0, "one line");
    assert_eq!(totals("over 3.5", "under 2.5").len(), 0, "both can lose");
    // The home side with 3.5 and the away side with -2.5: it wins by three.
    assert_eq!(totals("home 3.5", "away 2.5").len(), 1);
    assert_eq!(totals("home 2.5", "away 3.5").len(), 0);
    assert_eq!(totals("home -1.5", "away -3.5").len(), 1, "the home side wins by two or three");
    assert_eq!(totals("home 0.5", "away -0.5").len(), 1, "a draw wins both");
}

const SIX: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Six books at 2.05; then three of them at 1.9, of which `a` moved first, and a fourth that confirms 2.05.
fn steam() -> (World, Vec<Effect>) {
    let mut world = world();
    push(&mut world, 1_000, winner(&SIX, "2.05", "1.75", 1_000));
    push(&mut world, 1_010, winner(&["a"], "1.9", "1.9", 1_010));
    push(&mut world, 1_013, winner(&["b", "c"], "1.9", "1.9", 1_012));
    push(&mut world, 1_014, winner(&["d"], "2.05", "1.75", 1_014));
    assert_eq!(reported(&world.beat(1_024)), [""; 0]);
    let effects = world.beat(1_025);
    (world, effects)
}

#[test]
fn three_operators_that_shorten_an_outcome_are_a_steam() {
    let (_, effects) = steam();
    let edge = edge(&effects, "opened steam d home");
    assert!(close(edge.strength, 1.0 / 1.9 - 1.0 / 2.05) && close(edge.confidence, 0.5));
    let moved: Vec<_> =
        edge.evidence.iter().map(|quote| (quote.role.known().unwrap(), &*quote.book)).collect();
    assert_eq!(moved, [(Role::Leader, "a"), (Role::Follower, "b"), (Role::Follower, "c")]);
    assert!(edge.evidence.iter().all(|quote| quote.price_from.unwrap().millionths() == 2_050_000));
    assert_eq!(edge.expires_at.0, at(1_013 + 600));
}

#[test]
fn a_book_that_says_again_what_it_said_before_a_steam_is_late() {
    let (mut world, effects) = steam();
    // `e` and `f` have confirmed nothing since: whether they lag is unknown.
    assert_eq!(reported(&effects), ["opened steam d home", "opened stale_price d home"]);
    let lag = edge(&effects, "opened stale_price d home");
    assert!(close(lag.strength, 0.5 * 2.05 - 1.0) && close(lag.confidence, 0.5));
    assert_eq!(lag.evidence.len(), 3);
    assert_eq!(
        of_steam(&push(&mut world, 1_026, winner(&["d"], "1.9", "1.9", 1_026))),
        ["followed stale_price d home"]
    );
}

#[test]
fn a_lagging_price_moves_or_its_time_passes() {
    let (mut world, _) = steam();
    let longer = push(&mut world, 1_026, winner(&["d"], "2.06", "1.74", 1_026));
    assert_eq!(of_steam(&longer), ["faded stale_price d home"]);
    let (mut world, _) = steam();
    assert_eq!(reported(&world.beat(1_013 + 600 + 5)), [""; 0]);
    assert_eq!(reported(&world.beat(1_013 + 600 + 6)), ["expired steam d home"]);
    push(&mut world, 1_800, winner(&["d"], "2.05", "1.75", 1_800));
    assert_eq!(of_steam(&world.beat(1_013 + 1_800 + 6)), ["expired stale_price d home"]);
}

#[test]
fn a_move_the_other_way_stops_a_steam() {
    let mut world = world();
    push(&mut world, 1_000, winner(&SIX, "2.05", "1.75", 1_000));
    push(&mut world, 1_010, winner(&["a", "b", "c"], "1.9", "1.75", 1_010));
    push(&mut world, 1_012, winner(&["d"], "2.1", "1.75", 1_012));
    let effects: Vec<_> = (1_013..1_100).flat_map(|second| world.beat(second)).collect();
    assert!(reported(&effects).iter().all(|what| !what.contains("steam")), "{:?}", reported(&effects));
}

#[test]
fn two_books_or_small_moves_are_no_steam() {
    let run = |books: &[&'static str], home: &str| {
        let mut world = world();
        push(&mut world, 1_000, winner(&SIX, "2", "1.8", 1_000));
        push(&mut world, 1_010, winner(books, home, "1.8", 1_010));
        (1_011..1_100)
            .flat_map(|second| reported(&world.beat(second)))
            .filter(|what| what.contains("steam"))
            .count()
    };
    assert_eq!(run(&["a", "b"], "1.9"), 0);
    // 1/1.97 - 1/2 is .0076.
    assert_eq!(run(&["a", "b", "c"], "1.97"), 0);
    // Opened once, and over after ten minutes, however many windows hold the moves.
    assert_eq!(run(&["a", "b", "c"], "1.95"), 1);
}

/// Three books at these odds, confirmed each minute, so that they are fresh.
fn ticks_between(world: &mut World, from: i64, to: i64, home: &str) -> Vec<Effect> {
    let step = |second| push(world, second, winner(&["a", "b", "c"], home, "1.5", second));
    (from..to).step_by(60).flat_map(step).collect()
}

#[test]
fn odds_drop_when_the_consensus_falls_by_eight_per_cent_in_half_an_hour() {
    let drops = |effects: &[Effect]| {
        reported(effects).into_iter().filter(|what| what.contains("odds_drop")).collect::<Vec<_>>()
    };
    let mut world = world();
    assert_eq!(drops(&ticks_between(&mut world, 10, 900, "2")), [""; 0]);
    assert_eq!(drops(&ticks_between(&mut world, 910, 1_500, "1.9")), [""; 0], "five per cent");
    let effects = ticks_between(&mut world, 1_510, 2_100, "1.8");
    assert_eq!(drops(&effects), ["opened odds_drop a home"]);
    let edge = edge(&effects, "opened odds_drop a home");
    assert!(close(edge.strength, 0.555_556 - 0.5) && close(edge.confidence, 1.0), "{edge:?}");
    assert_eq!((edge.evidence.len(), edge.expires_at.0), (3, at(1_800 + 1_800)));
    // Half an hour later 1.8 is what it was.
    let later = ticks_between(&mut world, 2_110, 3_700, "1.8");
    assert_eq!(drops(&later), ["expired odds_drop a home"]);
    assert_eq!(drops(&ticks_between(&mut world, 3_710, 4_500, "1.7")), [""; 0], "5.6 per cent since");
}

#[test]
fn the_price_at_the_start_of_the_half_hour_counts() {
    let drops =
        |effects: &[Effect]| reported(effects).iter().filter(|what| what.contains("odds_drop")).count();
    // .50 until 35 minutes, then .52 and .55: nine per cent from what held thirty minutes ago.
    let mut world = world();
    ticks_between(&mut world, 10, 2_000, "2");
    assert_eq!(drops(&ticks_between(&mut world, 2_010, 2_300, "1.923")), 0);
    assert_eq!(drops(&ticks_between(&mut world, 2_310, 2_800, "1.818")), 1);
}

#[test]
fn each_outcome_is_compared_with_its_own_past() {
    let mut world = world();
    let both = |world: &mut World, from: i64, to: i64, home: &str, away: &str| {
        let step = |second| push(world, second, winner(&["a", "b", "c"], home, away, second));
        (from..to).step_by(60).flat_map(step).collect::<Vec<_>>()
    };
    both(&mut world, 10, 2_100, "2", "1.85");
    // The home side becomes longer at the same hop, and comes first.
    let effects = both(&mut world, 2_110, 2_800, "2.2", "1.65");
    let drops: Vec<_> = reported(&effects).into_iter().filter(|what| what.contains("odds_drop")).collect();
    assert_eq!(drops, ["opened odds_drop a away"]);
}

/// A book that is not in the table, or a price that is an error, opens no signal, and takes none away.
#[test]
fn only_eligible_bets_are_taken() {
    for (wrong, home) in [("who", "2.06"), ("f", "50")] {
        let mut poll = world();
        let ticks = [winner(&FAIR, "1.91", "1.91", 100), winner(&[wrong], home, "1.75", 100)].concat();
        assert_eq!(reported(&poll.send(100, ticks.clone())), [""; 0], "{wrong}");
        let with = [ticks, winner(&["a"], "2.06", "1.75", 100)].concat();
        assert_eq!(reported(&world().send(100, with)), ["opened value a home"], "{wrong}");
    }
    let low = |wrong: &[Tick<'static>]| {
        let bets = vec![tick("a", "home", "2", 100), tick("b", "away", "1.995", 100)];
        world().send(100, [bets, winner(&["c", "d"], "1.9", "1.9", 100), wrong.to_vec()].concat())
    };
    let with = low(&[tick("who", "home", "1000", 100)]);
    assert_eq!(edges(&with).len(), 1);
    assert_eq!(
        reported(&with),
        ["opened low_hold a home"],
        "beside the window of who, which is not verified"
    );
    assert_eq!(reported(&low(&[tick("who", "home", "2.004", 100)])), ["opened low_hold a home"]);
}

/// One wrong opinion of six is worth no signal: the empty book of an exchange, at 1.01.
#[test]
fn one_wrong_price_makes_no_value() {
    let of = |wrong: &str| {
        let others = winner(&["b", "c", "d", "e"], "1.95", "1.95", 100);
        let bets = [winner(&["a"], "1.96", "1.94", 100), winner(&["f"], wrong, "20", 100)].concat();
        reported(&world().send(100, [others, bets].concat()))
    };
    assert_eq!(of("1.01"), [""; 0]);
}

#[test]
fn an_event_takes_its_signals_with_it() {
    let mut world = world();
    value_poll(&mut world, 100, &FAIR, "2.06");
    let over = 1_000_000 + 36 * 3_600 + 10;
    world.beat(over - 100);
    let ends: Vec<_> =
        reported(&world.beat(over)).into_iter().chain(reported(&world.beat(over + 70))).collect();
    assert!(world.signals.is_empty(), "{ends:?}");
}

#[test]
fn the_raw_policy_has_none() {
    let mut world = World::new(Policy::Raw);
    assert_eq!(reported(&value_poll(&mut world, 100, &FAIR, "2.06")), [""; 0]);
}
