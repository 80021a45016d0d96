//! Properties over random polls, and the heartbeats between them: cuts, order and names change nothing; a plain model
//! agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::effect::{AlertScope, BookState, Effect, SignalChange, SignalKind};
use arb_engine::input::{Event, Tick};
use arb_engine::market::Policy;
use arb_engine::state::Saved;
use proptest::prelude::*;

use crate::limits;
use crate::renaming::{BOOKS, RENAMED, rename, unnamed};
use crate::world::{World, at, event, table, tick};

const EVENTS: [&str; 3] = ["e", "f", "g"];
const BETS: [&str; 8] = ["home", "draw", "away", "over 2.5", "under 2.5", "over 3", "under 3", "under 4"];

/// (event, book, bet, price in hundredths).
type RandomTick = (usize, usize, usize, u32);

fn polls() -> impl Strategy<Value = Vec<Vec<RandomTick>>> {
    let of = |events: Range<usize>, bets: Range<usize>, prices: BoxedStrategy<u32>, ticks: Range<usize>| {
        let tick = (events, 0..BOOKS.len(), bets, prices);
        prop::collection::vec(prop::collection::vec(tick, ticks), 1..10)
    };
    let close = |times: Range<u32>| times.prop_map(|price| price * 5).boxed();
    let all = (0..EVENTS.len(), 0..BETS.len());
    prop_oneof![
        // Any prices, of which most make an arb.
        of(all.0.clone(), all.1.clone(), (180_u32..420).boxed(), 0..30),
        // Those of books that agree, of which few do.
        of(all.0, all.1, close(34..44), 60..120),
        // Those of one total, which every book offers in nearly every poll, and often at the price that it had.
        of(1..2, 3..5, close(35..44), 40..70),
    ]
}

/// A poll's ticks by event; of two for one bet the last, as a decoder gives them.
fn events(
    poll: &[RandomTick],
    books: [&'static str; 6],
    second: i64,
) -> Vec<(&'static str, Vec<Tick<'static>>)> {
    let mut ticks = BTreeMap::new();
    for (event, book, bet, price) in poll {
        ticks.insert((event, book, bet), price);
    }
    let mut events: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for ((event, book, bet), price) in ticks {
        let decimal = format!("{}.{:02}", price / 100, price % 100);
        let seen = second - i64::try_from(book % 3).unwrap();
        let tick = limits::another(tick(books[*book], BETS[*bet], &decimal, seen), second);
        events.entry(EVENTS[*event]).or_default().push(tick);
    }
    events.into_iter().collect()
}

/// The times of the polls: minutes apart, now and then hours or days, so that prices go stale, events start
/// and end, and sources and books are removed.
fn second_of(index: usize) -> i64 {
    let gaps = [10, 20, 5, 400, 900, 700_000, 30, 7_000, 40];
    (0..index).map(|index| gaps[index % gaps.len()]).sum::<i64>() + 10
}

/// The seconds between two polls at which the source sends heartbeats.
fn beats(index: usize) -> impl Iterator<Item = i64> {
    let (from, to) = (second_of(index), second_of(index + 1));
    (from + 1..to).step_by(usize::try_from((to - from) / 6 + 1).unwrap())
}

/// Heartbeats of other sources at a second: one that lags, and stops; one whose clock is months ahead, which
/// is the last to send before an engine may be discarded.
fn others(index: usize, second: i64) -> impl Iterator<Item = (&'static str, i64)> {
    let lags = (index % 4 != 3).then_some(("laggard", second - 20));
    let leaps = (index % 3 == 1).then_some(("wild", second + 10_000_000));
    lags.into_iter().chain(leaps)
}

/// How random polls are sent.
struct Sending<'a> {
    policy: Policy,
    books: [&'static str; 6],
    /// Changes a frame's ticks.
    each: &'a dyn Fn(&mut Vec<Tick<'static>>),
    /// After which polls there is a commit.
    cut: &'a dyn Fn(usize) -> bool,
}

impl Sending<'_> {
    fn plain(policy: Policy) -> Self {
        Self { policy, books: BOOKS, each: &|_| {}, cut: &|_| true }
    }

    /// One poll, and the heartbeats after it where time counts.
    fn send(&self, world: &mut World, index: usize, poll: &[RandomTick]) -> Vec<Effect> {
        let second = second_of(index);
        let mut frames = Vec::new();
        for (id, mut ticks) in events(poll, self.books, second) {
            (self.each)(&mut ticks);
            // One starts after a minute, one after a quarter of an hour, and one ends soon.
            let commence_time = match id {
                "e" => at(60),
                "f" => at(960),
                _ => at(1_000 - 36 * 3_600),
            };
            frames.push((Event { commence_time, ..event(id) }, ticks));
        }
        let mut effects = world.poll(second, &frames);
        if self.policy == Policy::Board {
            for second in beats(index) {
                effects.extend(world.beat(second));
                effects
                    .extend(others(index, second).flat_map(|(source, second)| world.beat_of(source, second)));
            }
        }
        effects
    }

    /// All effects of the polls.
    fn run(&self, polls: &[Vec<RandomTick>]) -> (World, Vec<Effect>) {
        let mut world = World::of_table(self.policy);
        world.commit_each = false;
        let mut effects = Vec::new();
        for (index, poll) in polls.iter().enumerate() {
            effects.extend(self.send(&mut world, index, poll));
            if (self.cut)(index) {
                world.engine.commit();
            }
        }
        world.engine.commit();
        (world, effects)
    }

    /// The same, the engine thrown away and restored from its changes after some of the polls.
    fn run_restored(&self, polls: &[Vec<RandomTick>], every: usize) -> (World, Vec<Effect>) {
        let mut world = World::of_table(self.policy);
        world.commit_each = false;
        let (mut changelog, mut effects) = (BTreeMap::new(), Vec::new());
        for (index, poll) in polls.iter().enumerate() {
            effects.extend(self.send(&mut world, index, poll));
            changelog.extend(world.engine.changes().into_iter().map(|saved| (key(&saved), saved)));
            world.engine.commit();
            if index % every == 0 {
                world.engine = restored(self.policy, &changelog);
            }
        }
        (world, effects)
    }
}

/// An engine that is restored from a changelog: heads first, the rest backwards, so that names get other
/// symbols than before.
pub(crate) fn restored(policy: Policy, changelog: &BTreeMap<String, Saved>) -> Engine {
    let mut engine = Engine::with_books(policy, table());
    let (heads, others): (Vec<_>, Vec<_>) =
        changelog.values().rev().partition(|saved| matches!(saved, Saved::Head { .. }));
    for saved in heads.into_iter().chain(others) {
        engine.restore(saved.clone()).unwrap();
    }
    engine
}

/// What a key of the changelog is: a thing that changes alone.
pub(crate) fn key(saved: &Saved) -> String {
    let of = |private: &Option<Arc<str>>, key: String| match private {
        Some(source) => format!("private/{source}/{key}"),
        None => key,
    };
    match saved {
        Saved::Head { private, event, market, .. } => {
            of(private, format!("head/{}/{}", event.id, market.key()))
        }
        Saved::HeadGone { private, event, market } => of(private, format!("head/{event}/{}", market.key())),
        Saved::Line(line) => {
            of(&line.private, format!("line/{}/{}/{:?}", line.event, line.market.key(), line.line))
        }
        Saved::LineGone { private, event, market, line } => {
            of(private, format!("line/{event}/{}/{line:?}", market.key()))
        }
        Saved::Moves(moves) => {
            of(&moves.private, format!("moves/{}/{}/{}", moves.event, moves.market.key(), moves.piece))
        }
        Saved::MovesGone { private, event, market, piece } => {
            of(private, format!("moves/{event}/{}/{piece}", market.key()))
        }
        Saved::Source { source, .. } | Saved::SourceGone { source } => format!("source/{source}"),
        Saved::Push { source, sequence, .. } | Saved::PushGone { source, sequence } => {
            format!("push/{source}/{sequence}")
        }
        Saved::Suspension { name, is_book, .. } => format!("suspended/{is_book}/{name}"),
        Saved::Book { book, .. } | Saved::BookGone { book } => format!("book/{book}"),
        Saved::Survival { sport, profile, .. } => format!("survival/{sport}/{profile:?}"),
        Saved::StaleBooks { event, .. } => format!("stale/{event}"),
        Saved::Margins(_) => "margins".to_owned(),
        Saved::Clock(_) => "clock".to_owned(),
        Saved::Sequence(_) => "sequence".to_owned(),
    }
}

/// The open sets of a poll, from its definition: the best of each outcome of a line, if S < 1.
fn model(poll: &[RandomTick]) -> Vec<(&'static str, &'static str, u64)> {
    let sets: [(&str, &[&str]); 3] = [
        ("h2h", &["home", "draw", "away"]),
        ("2500", &["over 2.5", "under 2.5"]),
        ("3000", &["over 3", "under 3"]),
    ];
    let mut open = Vec::new();
    for (id, ticks) in events(poll, BOOKS, 10) {
        let best = |bet: &str| {
            let wanted = tick("a", bet, "2", 0).bet;
            ticks.iter().filter(|tick| tick.bet == wanted).map(|tick| tick.price.millionths()).max()
        };
        for (name, set) in sets {
            let is_two_way = name == "h2h" && best("draw").is_none();
            let prices: Option<Vec<_>> =
                set.iter().filter(|bet| !(is_two_way && **bet == "draw")).map(|bet| best(bet)).collect();
            let Some(prices) = prices else { continue };
            let s: f64 = prices.iter().map(|price| 1e6 / f64::from(*price)).sum();
            if s < 1.0 - 1e-9 {
                open.push((id, name, s.to_bits()));
            }
        }
    }
    open.sort_unstable();
    open
}

fn board(world: &World) -> Vec<(&'static str, &'static str, u64)> {
    let mut open: Vec<_> = world
        .board
        .values()
        .map(|entry| {
            let id = EVENTS.into_iter().find(|id| **id == *entry.event.id).unwrap();
            let name = match entry.line.map(|line| line.0) {
                None => "h2h",
                Some(2_500) => "2500",
                Some(_) => "3000",
            };
            (id, name, entry.implied_probability.to_bits())
        })
        .collect();
    open.sort_unstable();
    open
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![Just(Policy::Raw), Just(Policy::Board)]
}

proptest! {
    #[test]
    fn the_board_agrees_with_the_definition(polls in polls()) {
        for end in 1..=polls.len() {
            let (world, _) = Sending::plain(Policy::Raw).run(&polls[..end]);
            prop_assert_eq!(board(&world), model(&polls[end - 1]));
            prop_assert_eq!(world.engine.size().windows, world.board.len());
            prop_assert_eq!(arb_engine::invariants::check_state(&world.engine), Ok(()));
        }
    }

    #[test]
    fn invariants_hold_whatever_time_brings(polls in polls()) {
        let sending = Sending::plain(Policy::Board);
        for end in 1..=polls.len() {
            let (world, _) = sending.run(&polls[..end]);
            prop_assert_eq!(world.engine.size().windows, world.board.len());
            prop_assert_eq!(arb_engine::invariants::check_state(&world.engine), Ok(()));
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_transactions_are_cut(
        polls in polls(),
        every in 1_usize..5,
        policy in policy(),
    ) {
        let (_, each) = Sending::plain(policy).run(&polls);
        let cut = |index: usize| index.is_multiple_of(every);
        let (_, some) = Sending { cut: &cut, ..Sending::plain(policy) }.run(&polls);
        let (_, none) = Sending { cut: &|_| false, ..Sending::plain(policy) }.run(&polls);
        prop_assert_eq!(&each, &some);
        prop_assert_eq!(&each, &none);
    }

    #[test]
    fn a_restored_engine_goes_on_as_if_nothing_had_been(
        polls in polls(),
        every in 1_usize..4,
        policy in policy(),
    ) {
        let sending = Sending::plain(policy);
        let (straight, expected) = sending.run(&polls);
        let (restored, effects) = sending.run_restored(&polls, every);
        prop_assert_eq!(&effects, &expected);
        prop_assert_eq!(restored.engine.size(), straight.engine.size());
        prop_assert_eq!(arb_engine::invariants::check_state(&restored.engine), Ok(()));
    }

    #[test]
    fn checks_that_are_not_due_change_nothing(polls in polls()) {
        let sending = Sending::plain(Policy::Board);
        let mut worlds = [World::new(Policy::Board), World::new(Policy::Board)];
        worlds[1].looks_at_all = true;
        for (index, poll) in polls.iter().enumerate() {
            let [due, all] = worlds.each_mut().map(|world| sending.send(world, index, poll));
            prop_assert_eq!(due, all);
        }
    }

    #[test]
    fn the_order_of_a_frames_ticks_changes_nothing(polls in polls(), policy in policy()) {
        let (_, forward) = Sending::plain(policy).run(&polls);
        let backwards = |ticks: &mut Vec<Tick<'static>>| ticks.reverse();
        let (_, backward) = Sending { each: &backwards, ..Sending::plain(policy) }.run(&polls);
        prop_assert_eq!(forward, backward);
    }

    #[test]
    fn renaming_books_renames_them_and_changes_nothing_else(polls in polls(), policy in policy()) {
        let (_, plain) = Sending::plain(policy).run(&polls);
        let (_, renamed) = Sending { books: RENAMED, ..Sending::plain(policy) }.run(&polls);
        prop_assert_eq!(plain.iter().map(rename).collect::<Vec<_>>(), renamed.iter().map(unnamed).collect::<Vec<_>>());
    }

    #[test]
    fn sequences_grow_by_one(polls in polls(), policy in policy()) {
        let (_, effects) = Sending::plain(policy).run(&polls);
        let sequences = effects.iter().filter_map(|effect| match effect {
            Effect::Transition(_, entry, _) => Some(entry.sequence),
            Effect::Closed(closed) => Some(closed.sequence),
            Effect::LineMovement(moved) => Some(moved.sequence),
            Effect::StaleAlert(alert) => Some(alert.sequence),
            Effect::Signal(change, edge) => (*change != SignalChange::Refreshed).then_some(edge.sequence),
            Effect::Refreshed(_) | Effect::Contains { .. } => None,
        });
        let is_mere = |effect: &Effect| {
            matches!(
                effect,
                Effect::Refreshed(_) | Effect::Signal(SignalChange::Refreshed, _) | Effect::Contains { .. }
            )
        };
        let counted = |effect: &&Effect| !is_mere(effect);
        let count = i64::try_from(effects.iter().filter(counted).count()).unwrap();
        prop_assert!(sequences.eq(1..=count));
    }

    #[test]
    fn a_book_is_stale_once_before_it_recovers_or_is_gone(polls in polls()) {
        let (_, effects) = Sending::plain(Policy::Board).run(&polls);
        let mut stale = BTreeSet::new();
        for effect in &effects {
            let Effect::StaleAlert(alert) = effect else { continue };
            let book = (alert.event.id.clone(), alert.book.clone());
            match (alert.scope.known(), alert.state.known()) {
                (Some(AlertScope::Book), Some(BookState::Stale)) => prop_assert!(stale.insert(book)),
                (Some(AlertScope::Book), _) => prop_assert!(stale.remove(&book)),
                _ => {}
            }
        }
    }
}

#[test]
fn random_polls_have_signals_of_every_kind_that_polls_can_show() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut kinds = BTreeSet::new();
    for _ in 0..600 {
        let polls = polls().new_tree(&mut runner).unwrap().current();
        let (_, effects) = Sending::plain(Policy::Board).run(&polls);
        kinds.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Signal(SignalChange::Opened, edge) => edge.kind.known(),
            _ => None,
        }));
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), SignalKind::ALL);
}
