//! The lifecycles of windows and signals over random logs: opened once, changed while open, closed once, and
//! never seen again.

use std::collections::{BTreeMap, BTreeSet};

use arb_engine::effect::{
    BoardEntry, CloseSignal, EdgeSignal, Effect, Flag, Open, SignalChange, SignalKind, WindowChange,
};
use arb_engine::market::Policy;
use arb_model::Time;
use proptest::prelude::*;

use crate::random_log::{Run, logs, policies, some_books};

/// A window as its effects show it.
#[derive(Debug, Clone)]
struct OpenWindow {
    opened_at: Time,
    margins: Vec<f64>,
    was_simultaneous: bool,
    was_verified: bool,
    sequence: i64,
}

/// Windows that are open, and all ids that were ever used.
struct Lives {
    policy: Policy,
    windows: BTreeMap<String, OpenWindow>,
    used: BTreeSet<String>,
}

impl Lives {
    /// The raw policy has no time but that of each record, and of two sources one may lag.
    fn is_after(&self, later: Time, earlier: Time) -> bool {
        self.policy == Policy::Raw || later >= earlier
    }

    fn see(&mut self, change: Option<WindowChange>, entry: &BoardEntry) {
        if change == Some(WindowChange::Opened) {
            assert!(self.used.insert(entry.id.clone()), "an id is used again: {entry:?}");
            let (opened_at, margins) = (entry.opened_at, Vec::new());
            let window =
                OpenWindow { opened_at, margins, was_simultaneous: false, was_verified: false, sequence: 0 };
            assert_eq!(entry.opened_at, entry.updated_at);
            self.windows.insert(entry.id.clone(), window);
        }
        assert!(self.is_after(entry.updated_at, entry.opened_at));
        let window = self.windows.get_mut(&entry.id).expect("a window that is open");
        // A transition has a new number; a refresh has that of the last one.
        assert_eq!(entry.sequence > window.sequence, change.is_some(), "{entry:?}");
        assert_eq!(entry.opened_at, window.opened_at);
        window.sequence = entry.sequence;
        window.margins.push(entry.margin);
        window.was_simultaneous |= entry.verification.holds(Flag::Simultaneous);
        window.was_verified |= entry.verification.is_verified();
    }

    fn close(&mut self, closed: &CloseSignal) {
        let window = self.windows.remove(&closed.id).expect("a window that is open");
        assert!(closed.sequence > window.sequence && self.is_after(closed.closed_at, window.opened_at));
        assert_eq!(closed.opened_at, window.opened_at);
        let margins = &window.margins;
        let peak = margins.iter().copied().max_by(f64::total_cmp);
        assert_eq!(
            [Some(closed.margin_open), Some(closed.margin_peak), Some(closed.margin_close)],
            [margins.first().copied(), peak, margins.last().copied()]
        );
        // A flag may hold for a moment that is not published, as when time passes: it is never lost.
        assert!(closed.simultaneous_ever >= window.was_simultaneous);
        assert!(closed.verified_ever >= window.was_verified);
        assert!(closed.simultaneous_ever || !closed.verified_ever);
    }
}

/// What a signal is about: of one subject there is one at a time.
fn subject(edge: &EdgeSignal) -> String {
    let second =
        edge.bets.get(1).filter(|_| edge.kind == Open::Known(SignalKind::Middle)).map(|bet| bet.line);
    let book = (edge.kind == Open::Known(SignalKind::StalePrice)).then(|| &edge.bets[0].book);
    let bet = (edge.line, second, edge.outcome.as_ref(), book);
    format!("{} {:?} {} {bet:?}", edge.event.id, edge.market(), edge.kind.as_str())
}

/// Signals that are open, by what they are about, and all ids that were ever used.
#[derive(Default)]
struct Signals {
    open: BTreeMap<String, EdgeSignal>,
    used: BTreeSet<String>,
}

impl Signals {
    fn see(&mut self, change: SignalChange, edge: &EdgeSignal) {
        let subject = subject(edge);
        let was = match change {
            SignalChange::Closed(_) => self.open.remove(&subject),
            _ => self.open.insert(subject, edge.clone()),
        };
        let Some(was) = was else {
            assert_eq!(change, SignalChange::Opened, "{edge:?}");
            assert!(self.used.insert(edge.id.clone()), "an id is used again: {edge:?}");
            assert_eq!(edge.opened_at, edge.updated_at);
            return;
        };
        assert_ne!(change, SignalChange::Opened, "a second signal about the same: {edge:?}");
        assert_eq!((&was.id, was.opened_at), (&edge.id, edge.opened_at));
        assert!(edge.updated_at >= was.updated_at);
        let is_numbered = change != SignalChange::Refreshed;
        assert_eq!(edge.sequence > was.sequence, is_numbered, "{edge:?}");
        if let SignalChange::Closed(_) = change {
            assert!(edge.evidence.is_empty() && edge.fair.is_empty() && edge.kelly.is_none());
            assert_eq!(edge.bets, was.bets, "it closes with the bets that were published last");
        }
    }
}

proptest! {
    #[test]
    fn a_window_opens_once_and_closes_once(log in logs(), policy in policies()) {
        let run = Run::through(policy, &some_books(), &log);
        let mut lives = Lives { policy, windows: BTreeMap::new(), used: BTreeSet::new() };
        for effect in run.all() {
            match effect {
                Effect::Transition(change, entry, _) => lives.see(Some(*change), entry),
                Effect::Refreshed(entry) => lives.see(None, entry),
                Effect::Closed(closed) => lives.close(closed),
                _ => {}
            }
        }
        prop_assert_eq!(lives.windows.len(), run.engine.size().windows);
    }

    /// Of an event, a market and a line there is one window at a time.
    #[test]
    fn a_line_has_one_open_window(log in logs(), policy in policies()) {
        let run = Run::through(policy, &some_books(), &log);
        let mut open = BTreeMap::new();
        for effect in run.all() {
            match effect {
                Effect::Transition(WindowChange::Opened, entry, _) => {
                    let line = (entry.event.id.clone(), entry.market.as_str(), entry.period.as_str(), entry.line);
                    prop_assert_eq!(open.insert(line, &entry.id), None);
                }
                Effect::Closed(closed) => {
                    let line = (closed.event_id.clone(), closed.market.as_str(), closed.period.as_str(), closed.line);
                    prop_assert_eq!(open.remove(&line), Some(&closed.id));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_signal_opens_once_and_closes_once(log in logs()) {
        let run = Run::through(Policy::Board, &some_books(), &log);
        let mut signals = Signals::default();
        for effect in run.all() {
            if let Effect::Signal(change, edge) = effect {
                signals.see(*change, edge);
            }
        }
    }

    /// Under the raw policy there are windows alone: time brings nothing, and nothing else is published.
    #[test]
    fn the_raw_policy_publishes_windows_only(log in logs()) {
        let run = Run::through(Policy::Raw, &some_books(), &log);
        for effect in run.all() {
            let is_of_windows = matches!(
                effect,
                Effect::Transition(..) | Effect::Refreshed(_) | Effect::Closed(_) | Effect::Contains { .. }
            );
            prop_assert!(is_of_windows, "{:?}", effect);
        }
        prop_assert_eq!(run.engine.watermark(), None);
    }

    /// The amounts of an entry are consistent with each other, whatever books and limits there are.
    #[test]
    fn an_entry_adds_up(log in logs(), policy in policies()) {
        let run = Run::through(policy, &some_books(), &log);
        for effect in run.all() {
            let (Effect::Transition(_, entry, _) | Effect::Refreshed(entry)) = effect else { continue };
            let implied: f64 = entry.legs.iter().map(|leg| leg.effective_price.implied_probability()).sum();
            prop_assert!((entry.implied_probability - implied).abs() < 1e-12);
            prop_assert!((entry.margin - (1.0 / implied - 1.0)).abs() < 1e-12);
            let shares: f64 = entry.legs.iter().map(|leg| leg.stake_share).sum();
            prop_assert!((shares - 1.0).abs() < 1e-9);
            prop_assert!(entry.margin_worst <= entry.margin);
            for leg in &entry.legs {
                let (stake, limit) = (leg.stake.map_or(0, |stake| stake.0), leg.limit.map_or(i64::MAX, |limit| limit.0));
                prop_assert!(stake >= 0 && stake <= limit, "{:?}", leg);
                prop_assert_eq!(leg.stake.is_some(), entry.margin_rounded.is_some());
            }
            // Every flag that does not hold has its reason, and no other has one.
            let failed: Vec<_> = entry.failed_checks.iter().map(|check| check.flag.known().unwrap()).collect();
            let flags = entry.verification;
            let unheld: Vec<_> = Flag::ALL.into_iter().filter(|flag| !flags.holds(*flag)).collect();
            prop_assert_eq!(failed, unheld);
        }
    }

    /// Books whose stakes are known to be in different currencies are never legs of one window.
    #[test]
    fn no_window_mixes_currencies(log in logs()) {
        let books = some_books();
        let run = Run::through(Policy::Board, &books, &log);
        for effect in run.all() {
            let (Effect::Transition(_, entry, _) | Effect::Refreshed(entry)) = effect else { continue };
            let known = entry.legs.iter().filter_map(|leg| books.get(&leg.book).currency.as_deref());
            let currencies: BTreeSet<_> = known.collect();
            prop_assert!(currencies.len() <= 1, "{:?}", entry);
        }
    }
}
