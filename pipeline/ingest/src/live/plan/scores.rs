//! When the scores of a sport are asked for: only while a pick waits for the result of one of its events.
//!
//! Answers with days cost 2 credits and name events that are over; answers without cost 1 and name those in play. So an event that
//! should be in play is asked for without days; once it is in play no more, the days are asked for. What brings no result is asked for
//! ever less often, and not after three days, because answers go no further back, or as long as the engine keeps the event. It never asks for a sport of another worker.

use std::collections::{BTreeMap, BTreeSet};

use arb_kafka::partition_of;
use arb_schemas::time::{Micros, SECOND};

use super::{Action, Plan, Sports, played_within};
use crate::live::answer::Problem;
use crate::live::backoff::Trouble;
use crate::live::handover::Asked;
use crate::live::listing::is_key;
use crate::open_picks::Awaited;

/// The most that a call costs.
pub(in crate::live) const DEAREST: u64 = 2;
/// Answers go back so far.
const WITHIN: Micros = 3 * DAY;
const DAY: Micros = 86_400 * SECOND;
/// An event that began so long ago is taken to be over.
const IN_PLAY: Micros = 4 * 3_600 * SECOND;
/// The interval doubles at most so often.
const DOUBLINGS: u32 = 5;

/// By what it is decided when scores are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreRules {
    /// So long after the start of an event for the first time.
    pub after: Micros,
    /// Between two calls.
    pub every: Micros,
}

/// What waits for scores, and what was asked.
#[derive(Debug, Default)]
pub(super) struct ScoresPlan {
    awaited: Awaited,
    sports: BTreeMap<String, SportScores>,
}

#[derive(Debug, Default)]
struct SportScores {
    asked_at: Option<Micros>,
    trouble: Trouble,
    gone_until: Option<Micros>,
    /// An event that was awaited is in play no more.
    is_over: bool,
    /// Answers in a row that should have had a result and had none.
    fruitless: u32,
    /// Awaited events whose result came.
    done: BTreeSet<String>,
}

/// What an answer has of the events of a sport.
#[derive(Debug, Default)]
pub struct ScoresSeen {
    /// Those that are over and have a result.
    pub finished: BTreeSet<String>,
    /// Those that are not over.
    pub running: BTreeSet<String>,
}

impl ScoresPlan {
    /// The last time at which any scores were asked for.
    pub(super) fn asked_at(&self) -> Option<Micros> {
        self.sports.values().filter_map(|sport| sport.asked_at).max()
    }

    pub(super) fn asked(&self) -> impl Iterator<Item = (&String, Micros)> {
        self.sports.iter().filter_map(|(name, sport)| Some((name, sport.asked_at?)))
    }

    pub(super) fn handed_over(&mut self, sport: String, at: Micros) {
        self.sports.entry(sport).or_default().asked_at = Some(at);
    }

    pub(super) fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.sports.retain(|sport, _| is_kept(sport));
    }

    /// Awaited events of a sport that have begun and have no result yet, with their starts.
    fn waiting(&self, sport: &str, now: Micros) -> impl Iterator<Item = (&String, Micros)> {
        let done = self.sports.get(sport).map(|sport| &sport.done);
        let events = self.awaited.get(sport).into_iter().flatten();
        // A match of five days has no result before the last one.
        let within = WITHIN.max(played_within(sport));
        let is_waiting = move |event: &str, start: Micros| {
            start <= now && now - start < within && !done.is_some_and(|done| done.contains(event))
        };
        events.filter(move |(event, start)| is_waiting(event, **start)).map(|(event, start)| (event, *start))
    }
}

impl Plan {
    /// These events wait for a result.
    pub fn awaits(&mut self, awaited: &Awaited) {
        if self.scores.awaited == *awaited {
            return;
        }
        for (name, sport) in &mut self.scores.sports {
            let (before, after) = (self.scores.awaited.get(name), awaited.get(name));
            if before != after {
                sport.fruitless = 0;
                sport.done.retain(|event| after.is_some_and(|events| events.contains_key(event)));
            }
        }
        self.scores.awaited.clone_from(awaited);
    }

    /// The start of an event that waits for a result.
    #[must_use]
    pub fn awaited(&self, sport: &str, event: &str) -> Option<Micros> {
        self.scores.awaited.get(sport)?.get(event).copied()
    }

    /// Scores that are due, each with the part of its interval by which it is overdue.
    pub(super) fn due_scores(&self, now: Micros) -> impl Iterator<Item = (Action, f64)> {
        let rules = self.rules.scores;
        let sports = self.scores.awaited.keys().filter(|sport| self.may_ask(sport));
        sports.filter_map(move |sport| self.due_of(sport, rules?, now))
    }

    fn may_ask(&self, sport: &str) -> bool {
        let is_selected = match &self.rules.sports {
            Sports::All => is_key(sport),
            Sports::Named(named) => named.contains(sport),
        };
        is_selected && self.held.contains(&self.home(sport))
    }

    fn due_of(&self, sport: &str, rules: ScoreRules, now: Micros) -> Option<(Action, f64)> {
        let first = self.scores.waiting(sport, now).map(|(_, start)| start).min()?;
        let known = self.scores.sports.get(sport);
        if known.is_some_and(|known| known.gone_until.is_some_and(|until| now < until)) {
            return None;
        }
        let doublings = known.map_or(0, |known| known.fruitless).min(DOUBLINGS);
        let every = rules.every.saturating_mul(1 << doublings).max(1);
        let is_over = known.is_some_and(|known| known.is_over);
        let next = match known.and_then(|known| known.asked_at) {
            Some(asked) if is_over => asked.min(now),
            Some(asked) => asked.min(now).saturating_add(every),
            None => Micros::MIN,
        };
        let next = next.max(first.saturating_add(rules.after));
        let at = known.and_then(|known| known.trouble.until()).unwrap_or(next);
        let age = now - first;
        // At most 3, by the limit above.
        let days = u8::try_from(age / DAY + 1).unwrap_or(3).min(3);
        let days = (is_over || age >= IN_PLAY).then_some(days);
        (at <= now)
            .then(|| (Action::Scores { sport: sport.to_owned(), days }, (now - at) as f64 / every as f64))
    }

    /// The lease that a call for scores needs, and what to leave there before it is made.
    #[must_use]
    pub fn note_scores(&self, sport: &str, now: Micros) -> (i32, String) {
        self.note_of(sport, |asked| asked.scores = Some(now))
    }

    /// Scores are asked for.
    pub fn asked_scores(&mut self, sport: &str, now: Micros) {
        self.budget.asked(now);
        self.scores.handed_over(sport.to_owned(), now);
    }

    /// Scores of a sport came, of the days before or of now alone.
    pub fn scored(&mut self, sport: &str, now: Micros, has_days: bool, seen: &ScoresSeen) {
        self.throttle.ended();
        let waiting: BTreeSet<_> = self.scores.waiting(sport, now).map(|(event, _)| event.clone()).collect();
        let known = self.scores.sports.entry(sport.to_owned()).or_default();
        known.trouble.ended();
        known.gone_until = None;
        let is_left = |event: &String| !seen.finished.contains(event);
        known.is_over =
            !has_days && waiting.iter().any(|event| is_left(event) && !seen.running.contains(event));
        if has_days {
            let is_fruitless = !waiting.is_empty() && waiting.iter().all(is_left);
            known.fruitless = if is_fruitless { known.fruitless.saturating_add(1) } else { 0 };
        }
        known.done.retain(|event| !seen.running.contains(event));
        known.done.extend(waiting.intersection(&seen.finished).cloned());
    }

    pub(super) fn scores_failed(
        &mut self,
        sport: &str,
        now: Micros,
        problem: &Problem,
        retry_after: Option<Micros>,
    ) {
        let Self { rules, rng, scores, .. } = self;
        let known = scores.sports.entry(sport.to_owned()).or_default();
        if matches!(problem, Problem::Gone { .. }) {
            known.gone_until = Some(now.saturating_add(rules.intervals.later));
            known.trouble.ended();
        } else {
            known.trouble.failed(now, retry_after, &rules.backoff, rng);
        }
    }

    /// The partition at which the lease of a sport is.
    pub(super) fn home(&self, sport: &str) -> i32 {
        partition_of(sport, self.rules.partitions)
    }

    /// What to leave at the lease of a sport: what was asked of all sports there, and of this one as of now.
    pub(super) fn note_of(&self, sport: &str, ask: impl FnOnce(&mut Asked)) -> (i32, String) {
        let home = self.home(sport);
        let mut asked = BTreeMap::<String, Asked>::new();
        for (name, at) in self.sports.iter().filter_map(|(name, sport)| Some((name, sport.asked_at?))) {
            asked.entry(name.clone()).or_default().odds = Some(at);
        }
        for (name, at) in self.scores.asked() {
            asked.entry(name.clone()).or_default().scores = Some(at);
        }
        asked.retain(|name, _| self.home(name) == home);
        ask(asked.entry(sport.to_owned()).or_default());
        (home, crate::live::handover::write(&asked, self.scans.note(home).as_deref()))
    }
}

#[cfg(test)]
mod tests;
