//! Properties over random logs: where transactions are cut, aborted or restored changes nothing, nor does a record that is
//! delivered twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_engine::effect::{Effect, Leg, SignalChange, Verification};
use arb_engine::input::{Coverage, Frame, Input};
use arb_engine::invariants::check_state;
use arb_engine::market::Policy;
use arb_engine::time::Disposition;
use arb_engine::{Engine, KnownArbs, LegEvidence, UserBooks, WindowEvidence};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::properties::key;
use crate::random_log::{Cut, OWN, Run, cuts, logs, logs_with_private, policies, some_books};

/// Of each open window of the events.
fn evidence(engine: &Engine) -> Vec<Option<WindowEvidence>> {
    let entries = engine.board_of(&UserBooks::default());
    entries.iter().map(|entry| engine.evidence_of(&entry.event.id, &entry.id)).collect()
}

/// All books, some, at commissions, for another total, and with private prices.
fn users() -> Vec<UserBooks> {
    let of = |books: &[&str]| Some(books.iter().map(|book| (*book).to_owned()).collect());
    let own = Some(OWN.to_owned());
    vec![
        UserBooks::default(),
        UserBooks { books: of(&["a", "b", "d", "own:a"]), ..UserBooks::default() },
        UserBooks {
            commissions: [("a".to_owned(), 50_000), ("own:z".to_owned(), 10_000)].into(),
            ..UserBooks::default()
        },
        UserBooks { total_stake: Some(77_700), private: own.clone(), ..UserBooks::default() },
        UserBooks { books: of(&["a", "c", "g", "own:a", "own:z"]), private: own, ..UserBooks::default() },
    ]
}

proptest! {
    #[test]
    fn commits_aborts_and_restores_anywhere_change_nothing(log in logs_with_private(), cuts in cuts(), policy in policies()) {
        let books = some_books();
        let plain = Run::through(policy, &books, &log);
        let cut = Run::cut(policy, &books, &log, &cuts);
        prop_assert_eq!(&cut.effects, &plain.effects);
        prop_assert_eq!(cut.engine.size(), plain.engine.size());
        prop_assert_eq!(cut.engine.watermark(), plain.engine.watermark());
        prop_assert_eq!(cut.engine.sequence(), plain.engine.sequence());
    }

    /// A restored engine writes the same changes as the engine that was not interrupted.
    #[test]
    fn a_restored_engine_writes_the_same_changes(log in logs_with_private(), at in 0.0..1.0_f64, policy in policies()) {
        let books = some_books();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Between 0 and the length.
        let (before, after) = log.split_at((at * log.len() as f64) as usize);
        let [mut plain, mut restored] = [(); 2].map(|()| Run::through(policy, &books, before));
        restored.restore();
        for (index, input) in after.iter().enumerate() {
            for run in [&mut plain, &mut restored] {
                run.step(before.len() + index, input);
            }
            prop_assert_eq!(plain.engine.changes(), restored.engine.changes());
            plain.commit();
            restored.commit();
        }
    }

    /// A reader of the changelog that puts every change over what it has shows what the engine that writes it shows.
    #[test]
    fn a_follower_of_the_changelog_shows_what_its_engine_shows(log in logs_with_private()) {
        let books = some_books();
        let mut run = Run::new(Policy::Board, &books);
        let mut follower = Engine::with_books(Policy::Board, Arc::clone(&books));
        for (offset, input) in log.iter().enumerate() {
            run.step(offset, input);
            for saved in run.engine.changes() {
                prop_assert_eq!(follower.restore(saved), Ok(()));
            }
            run.commit();
            let of_all = UserBooks::default();
            prop_assert_eq!(follower.board_of(&of_all), run.engine.board_of(&of_all));
            let of_owner = UserBooks { private: Some(OWN.to_owned()), ..UserBooks::default() };
            prop_assert_eq!(follower.board_of(&of_owner), run.engine.board_of(&of_owner));
            prop_assert_eq!(follower.listed_books(Some(OWN)), run.engine.listed_books(Some(OWN)));
            prop_assert_eq!(evidence(&follower), evidence(&run.engine));
            prop_assert_eq!(follower.listed_events(None), run.engine.listed_events(None));
            prop_assert_eq!(follower.listed_books(None), run.engine.listed_books(None));
            for event in run.engine.listed_events(None) {
                prop_assert_eq!(follower.odds_of(&event.info.id, None), run.engine.odds_of(&event.info.id, None));
            }
            prop_assert_eq!(follower.size(), run.engine.size());
            prop_assert_eq!(check_state(&follower), Ok(()));
        }
    }

    /// A board that is computed again at some of the stops of a follower, from the lines that have changed, is the board at each of them.
    #[test]
    fn a_board_again_is_the_board(log in logs_with_private(), cuts in cuts()) {
        let books = some_books();
        let mut run = Run::new(Policy::Board, &books);
        let mut follower = Engine::with_books(Policy::Board, Arc::clone(&books));
        let mut watched: Vec<_> = users().into_iter().map(|user| (user, KnownArbs::default(), KnownArbs::default())).collect();
        for (offset, input) in log.iter().enumerate() {
            run.step(offset, input);
            for saved in run.engine.changes() {
                prop_assert_eq!(follower.restore(saved), Ok(()));
            }
            run.commit();
            if cuts[offset % cuts.len()] == Cut::Abort {
                continue;
            }
            for (user, known, of_engine) in &mut watched {
                let board = follower.board_of(user);
                prop_assert_eq!(&follower.board_again(user, known), &board);
                prop_assert_eq!(&run.engine.board_again(user, of_engine), &board);
                prop_assert_eq!(&follower.board_again(user, known), &board);
                prop_assert_eq!(known.searched(), board.len(), "of what has not changed only arbs are looked at");
            }
        }
    }

    /// The evidence of each open window has for each flag the same value as its entry on the board, whatever was learnt since.
    #[test]
    fn evidence_is_the_verdict(log in logs(), cuts in cuts(), policy in policies()) {
        let books = some_books();
        let (mut run, mut board) = (Run::new(policy, &books), BTreeMap::new());
        for (offset, input) in log.iter().enumerate() {
            run.step(offset, input);
            if cuts[offset % cuts.len()] == Cut::None {
                continue;
            }
            run.commit();
            if cuts[offset % cuts.len()] == Cut::Restore {
                run.restore();
            }
            for effect in run.effects.drain(..).flatten() {
                match effect {
                    Effect::Transition(_, entry, _) | Effect::Refreshed(entry) => drop(board.insert(entry.id.clone(), entry)),
                    Effect::Closed(closed) => drop(board.remove(&closed.id)),
                    _ => {}
                }
            }
            prop_assert_eq!(run.engine.size().windows, board.len());
            for entry in board.values() {
                let evidence = run.engine.evidence_of(&entry.event.id, &entry.id).unwrap();
                let held = evidence.flags.iter().filter(|flag| flag.holds()).map(|flag| flag.flag);
                prop_assert_eq!(Verification::of(held), entry.verification, "{:?}", evidence);
                prop_assert_eq!(evidence.verification, entry.verification);
                let is_leg = |(leg, of): (&Leg, &LegEvidence)| *leg.book == *of.book && leg.last_seen_at.0 == of.on_offer_until;
                prop_assert!(entry.legs.iter().zip(&evidence.legs).all(is_leg), "{:?}", evidence);
            }
        }
    }

    /// What is aborted leaves no trace, even where other records follow instead of it.
    #[test]
    fn an_aborted_transaction_leaves_the_state_as_it_was(
        log in logs(), aborted in logs(), after in logs(), policy in policies(),
    ) {
        let books = some_books();
        let [mut plain, mut other] = [(); 2].map(|()| Run::through(policy, &books, &log));
        let known = other.effects.len();
        for (offset, input) in aborted.iter().enumerate() {
            other.step(1_000 + offset, input);
        }
        other.engine.abort();
        other.effects.truncate(known);
        prop_assert_eq!(other.engine.changes(), vec![]);
        prop_assert_eq!(other.engine.sequence(), plain.engine.sequence());
        for run in [&mut plain, &mut other] {
            for (offset, input) in after.iter().enumerate() {
                run.step(2_000 + offset, input);
                run.commit();
            }
        }
        prop_assert_eq!(&plain.effects, &other.effects);
    }

    /// Kafka may deliver a record again: polls, pushes and heartbeats are all idempotent.
    #[test]
    fn a_record_that_is_delivered_twice_changes_nothing(log in logs(), policy in policies()) {
        let books = some_books();
        let plain = Run::through(policy, &books, &log);
        let mut twice = Run::new(policy, &books);
        for (offset, input) in log.iter().enumerate() {
            twice.step(offset, input);
            twice.commit();
            twice.step(100_000 + offset, input);
            let again = twice.effects.pop().unwrap();
            twice.commit();
            let is_new = |effect: &Effect| !matches!(effect, Effect::Contains { .. });
            prop_assert!(!again.iter().any(is_new), "{:?}: {:?}", input, again);
        }
        prop_assert_eq!(&twice.effects, &plain.effects);
    }

    #[test]
    fn invariants_hold_after_each_record(log in logs(), policy in policies()) {
        let mut run = Run::new(policy, &some_books());
        for (offset, input) in log.iter().enumerate() {
            run.step(offset, input);
            run.commit();
            prop_assert_eq!(check_state(&run.engine), Ok(()), "after {:?}", input);
        }
    }

    #[test]
    fn sequences_grow_by_one(log in logs(), cuts in cuts(), policy in policies()) {
        let run = Run::cut(policy, &some_books(), &log, &cuts);
        let sequences: Vec<_> = run.all().filter_map(sequence).collect();
        let count = i64::try_from(sequences.len()).unwrap();
        prop_assert_eq!(sequences, (1..=count).collect::<Vec<_>>());
        prop_assert_eq!(run.engine.sequence(), count);
    }

    /// Each thing is written once a transaction, whatever its records did to it.
    #[test]
    fn changes_name_each_thing_once(log in logs(), policy in policies()) {
        let mut run = Run::new(policy, &some_books());
        for (offset, input) in log.iter().enumerate() {
            run.step(offset, input);
        }
        let changes = run.engine.changes();
        let keys: BTreeSet<_> = changes.iter().map(key).collect();
        prop_assert_eq!(keys.len(), changes.len());
        run.commit();
        prop_assert_eq!(run.engine.changes(), vec![], "nothing has changed since the commit");
    }

    /// A push message covers nothing but what it names, so its ticks may as well come in two messages. That holds where time brings
    /// nothing: each message is a sample of its books' refresh, so that of two messages an interval is learnt sooner.
    #[test]
    fn a_push_message_in_two_parts_leaves_the_same_board(log in logs(), split in 0..14_usize) {
        let books = some_books();
        let whole: Vec<_> = log.iter().map(uncovered).collect();
        let mut parts = Run::new(Policy::Raw, &books);
        let mut offset = 0;
        for input in &whole {
            for part in in_parts(input, split) {
                parts.step(offset, &part);
                parts.commit();
                offset += 1;
            }
        }
        let whole = Run::through(Policy::Raw, &books, &whole);
        prop_assert_eq!(open_bets(&parts), open_bets(&whole));
        prop_assert_eq!(parts.engine.size(), whole.engine.size());
    }
}

/// The number of a transition; `None` of what is none.
fn sequence(effect: &Effect) -> Option<i64> {
    match effect {
        Effect::Transition(_, entry, _) => Some(entry.sequence),
        Effect::Closed(closed) => Some(closed.sequence),
        Effect::LineMovement(moved) => Some(moved.sequence),
        Effect::StaleAlert(alert) => Some(alert.sequence),
        Effect::Signal(SignalChange::Refreshed, _) | Effect::Refreshed(_) | Effect::Contains { .. } => None,
        Effect::Signal(_, edge) => Some(edge.sequence),
    }
}

/// The same record, which withdraws nothing that it does not name.
fn uncovered(input: &Input<'static>) -> Input<'static> {
    match input {
        Input::Frame(frame) if frame.poll_index.is_none() => {
            let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
            Input::Frame(Frame { coverage, ..frame.clone() })
        }
        other => other.clone(),
    }
}

/// A push message as two, of which the first has so many ticks.
fn in_parts(input: &Input<'static>, split: usize) -> Vec<Input<'static>> {
    match input {
        Input::Frame(frame) if frame.poll_index.is_none() && frame.ticks.len() > split && split > 0 => {
            let (first, second) = frame.ticks.split_at(split);
            let part = |ticks: &[_]| Input::Frame(Frame { ticks: ticks.to_vec(), ..frame.clone() });
            vec![part(first), part(second)]
        }
        other => vec![other.clone()],
    }
}

/// What the open windows are about: their bets, prices and margins.
fn open_bets(run: &Run) -> Vec<String> {
    let mut open = BTreeMap::new();
    for effect in run.all() {
        match effect {
            Effect::Transition(_, entry, _) | Effect::Refreshed(entry) => {
                let legs: Vec<_> =
                    entry.legs.iter().map(|leg| (&leg.book, leg.outcome.clone(), leg.price)).collect();
                let bets = format!("{} {:?} {:?} {legs:?}", entry.event.id, entry.market(), entry.line);
                open.insert(entry.id.clone(), bets);
            }
            Effect::Closed(closed) => drop(open.remove(&closed.id)),
            _ => {}
        }
    }
    let mut open: Vec<_> = open.into_values().collect();
    open.sort_unstable();
    open
}

/// The properties above prove nothing unless random logs contain the cases they are about. Low holds and values need more prices of a line: those are in
/// the logs of `touched_lines` and the polls of `properties`.
#[test]
fn random_logs_have_everything() {
    let mut runner = TestRunner::deterministic();
    let (mut effects, mut dispositions, mut future) = (BTreeSet::new(), BTreeSet::new(), 0);
    for _ in 0..400 {
        let log = logs().new_tree(&mut runner).unwrap().current();
        let mut run = Run::new(Policy::Board, &some_books());
        for (offset, input) in log.iter().enumerate() {
            let at = arb_engine::input::Coordinate {
                topic: "t",
                partition: 0,
                offset: offset.try_into().unwrap(),
            };
            let mut out = Vec::new();
            let step = run.engine.step(at, input, &mut out);
            run.engine.commit();
            future += step.future_ticks;
            dispositions.insert(format!("{:?}", step.disposition));
            effects.extend(out.iter().map(word));
        }
    }
    let wanted = [
        "alert",
        "closed event_ended",
        "closed event_started",
        "closed price_moved",
        "closed stale",
        "closed superseded",
        "closed suspended",
        "closed withdrawn",
        "contains",
        "moved",
        "opened",
        "refreshed",
        "signal middle",
        "signal odds_drop",
        "updated",
    ];
    let missing: Vec<_> = wanted.iter().filter(|word| !effects.contains(**word)).collect();
    assert!(missing.is_empty(), "{missing:?} are not among {effects:?}");
    let wanted = [
        Disposition::Applied,
        Disposition::Late,
        Disposition::Incomplete,
        Disposition::Ahead,
        Disposition::Over,
    ];
    let missing: Vec<_> = wanted.iter().filter(|it| !dispositions.contains(&format!("{it:?}"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(future > 0);
}

fn word(effect: &Effect) -> String {
    match effect {
        Effect::Transition(change, ..) => format!("{change:?}").to_lowercase(),
        Effect::Refreshed(_) => "refreshed".to_owned(),
        Effect::Closed(closed) => format!("closed {}", closed.reason.as_str()),
        Effect::LineMovement(_) => "moved".to_owned(),
        Effect::StaleAlert(_) => "alert".to_owned(),
        Effect::Signal(_, edge) => format!("signal {}", edge.kind.as_str()),
        Effect::Contains { .. } => "contains".to_owned(),
    }
}

/// A log that aborts after each record is read twice, and once where nothing is.
#[test]
fn an_abort_after_each_record_is_the_plain_log() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..50 {
        let log = logs().new_tree(&mut runner).unwrap().current();
        let aborts = vec![Cut::Abort; log.len()];
        let (plain, aborted) = (
            Run::through(Policy::Board, &some_books(), &log),
            Run::cut(Policy::Board, &some_books(), &log, &aborts),
        );
        assert_eq!(plain.effects, aborted.effects);
    }
}
