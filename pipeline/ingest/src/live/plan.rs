//! What to do next: which listing to ask for, which sport to poll, or nothing.
//!
//! All state of a worker is here, and every decision: it receives the result of each call and returns the
//! next action. It polls a sport whose lease is held, which is in season and due, and only if the credits
//! allow it; of several the one that is overdue by the largest part of its interval. Scores compete with polls by the same measure
//! ([`scores`]). It never calls, publishes or reads a clock.

mod scans;
pub mod scores;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use arb_engine::time;
use arb_kafka::partition_of;
use arb_schemas::time::{Micros, SECOND};
use fastrand::Rng;

use self::scores::{ScoreRules, ScoresPlan};
use super::answer::{Problem, Quota};
use super::backoff::{Backoff, Trouble};
use super::budget::{Allowance, Budget, Verdict};
use super::handover::{self, Handover};
use super::scan_budget::{ScanBudget, ScanCaps};
use super::schedule::{Due, Intervals};

/// For so long a sport that left the list of sports still has heartbeats: its events are kept that long
/// without updates.
const LATELY: Micros = 24 * 3_600 * SECOND;

/// The Odds API has new prices of a sport 40 s after the last ones at the earliest.
const REFRESH: Micros = 40 * SECOND;

/// Which sports are polled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sports {
    /// All in season whose events have two sides.
    All,
    /// These, while they are in season.
    Named(BTreeSet<String>),
}

/// By what is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Which sports.
    pub sports: Sports,
    /// The intervals between polls.
    pub intervals: Intervals,
    /// Time between two looks at a free listing.
    pub look_every: Micros,
    /// After failures.
    pub backoff: Backoff,
    /// Of credits.
    pub allowance: Allowance,
    /// What scans may spend.
    pub scans: ScanCaps,
    /// When scores are asked for, if they are.
    pub scores: Option<ScoreRules>,
    /// Over so many partitions leases are spread.
    pub partitions: i32,
}

/// A call to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Ask which sports are in season; free.
    List,
    /// Ask when the events of a sport start; free.
    Events(String),
    /// Ask for the prices of a sport; paid.
    Poll(String),
    /// Ask for the scores of a sport; paid.
    Scores {
        /// The sport.
        sport: String,
        /// Days of which events that are over are named; none without it.
        days: Option<u8>,
    },
}

impl Action {
    /// A word for its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::List => "sports",
            Self::Events(_) => "events",
            Self::Poll(_) => "odds",
            Self::Scores { .. } => "scores",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List => f.write_str("sports"),
            Self::Events(sport) => write!(f, "events of {sport}"),
            Self::Poll(sport) => write!(f, "odds of {sport}"),
            Self::Scores { sport, .. } => write!(f, "scores of {sport}"),
        }
    }
}

/// The state of a worker.
pub struct Plan {
    rules: Rules,
    rng: Rng,
    budget: Budget,
    scans: ScanBudget,
    /// Partitions whose leases are held.
    held: BTreeSet<i32>,
    /// In season, and selected by the settings.
    roster: BTreeSet<String>,
    listing: Look,
    /// The API has requested fewer calls.
    throttle: Trouble,
    /// Of those whose lease is held, what is known.
    sports: BTreeMap<String, PolledSport>,
    scores: ScoresPlan,
}

/// A free listing.
#[derive(Debug, Default)]
struct Look {
    at: Option<Micros>,
    trouble: Trouble,
}

#[derive(Debug, Default)]
struct PolledSport {
    events: Look,
    starts: Vec<Micros>,
    asked_at: Option<Micros>,
    received_at: Option<Micros>,
    trouble: Trouble,
    /// The API does not know the sport: until then it is not polled.
    gone_until: Option<Micros>,
}

/// So long after its start the engine keeps an event of a league, whose key begins with its sport.
fn played_within(league: &str) -> Micros {
    time::played_within(league.split('_').next().unwrap_or_default())
}

impl Look {
    fn is_due(&self, now: Micros, every: Micros) -> bool {
        // A time that is still to come is one of a clock that was set back.
        let is_old = self.at.is_none_or(|at| at > now || now - at >= every);
        is_old && self.trouble.allows(now)
    }

    fn came(&mut self, now: Micros) {
        *self = Self { at: Some(now), trouble: Trouble::default() };
    }
}

impl PolledSport {
    fn due(&self, name: &str, intervals: &Intervals, now: Micros) -> Option<Due> {
        if self.gone_until.is_some_and(|until| now < until) {
            return None;
        }
        // What began longer ago than that is not in play, whatever is listed: postponed events are listed for days.
        let due = intervals.due(&self.starts, played_within(name), self.asked_at, now)?;
        Some(self.trouble.until().map_or(due, |at| Due { at, ..due }))
    }
}

impl Plan {
    /// The plan of a worker without state and leases.
    #[must_use]
    pub fn new(rules: Rules, seed: u64) -> Self {
        Self {
            budget: Budget::new(rules.allowance),
            scans: ScanBudget::default(),
            rules,
            rng: Rng::with_seed(seed),
            held: BTreeSet::new(),
            roster: BTreeSet::new(),
            listing: Look::default(),
            throttle: Trouble::default(),
            sports: BTreeMap::new(),
            scores: ScoresPlan::default(),
        }
    }

    /// The lease of a partition is held, with what its last holder left.
    pub fn granted(&mut self, partition: i32, note: &str) {
        self.held.insert(partition);
        let Handover { asked, scans } = handover::read(note);
        self.scans.granted(partition, scans);
        for (sport, asked) in asked {
            if self.home(&sport) != partition {
                continue;
            }
            if let Some(at) = asked.scores {
                self.scores.handed_over(sport.clone(), at);
            }
            if let Some(at) = asked.odds {
                self.sports.entry(sport).or_default().asked_at = Some(at);
            }
        }
        self.enter();
    }

    /// Leases are held no more.
    pub fn gone(&mut self, partitions: &[i32]) {
        self.held.retain(|held| !partitions.contains(held));
        let count = self.rules.partitions;
        let is_kept = |sport: &str| !partitions.contains(&partition_of(sport, count));
        self.sports.retain(|sport, _| is_kept(sport));
        self.scores.keep(is_kept);
        self.scans.gone(partitions);
        if !self.holds_any() {
            // Other workers spend now: the last report to this worker may be out of date.
            self.budget.discard();
        }
    }

    /// These sports are in season.
    pub fn listed(&mut self, now: Micros, in_season: &BTreeSet<String>) {
        self.roster = match &self.rules.sports {
            Sports::All => in_season.clone(),
            Sports::Named(named) => named & in_season,
        };
        let roster = &self.roster;
        let was_lately =
            |sport: &PolledSport| sport.asked_at.is_some_and(|at| now.saturating_sub(at) < LATELY);
        self.sports.retain(|name, sport| roster.contains(name) || was_lately(sport));
        self.listing.came(now);
        self.throttle.ended();
        self.enter();
    }

    /// Makes a place for every sport of the roster whose lease is held.
    fn enter(&mut self) {
        for sport in &self.roster {
            if self.held.contains(&self.home(sport)) {
                self.sports.entry(sport.clone()).or_default();
            }
        }
    }

    /// The events of a sport start then.
    pub fn starts(&mut self, sport: &str, now: Micros, starts: Vec<Micros>) {
        self.throttle.ended();
        if let Some(sport) = self.sports.get_mut(sport) {
            sport.starts = starts;
            sport.events.came(now);
        }
    }

    /// The lease that a poll of a sport needs, and what to leave there before it is asked for.
    #[must_use]
    pub fn note(&self, sport: &str, now: Micros) -> (i32, String) {
        self.note_of(sport, |asked| asked.odds = Some(now))
    }

    /// A poll is asked for.
    pub fn asked(&mut self, sport: &str, now: Micros) {
        self.budget.asked(now);
        if let Some(sport) = self.sports.get_mut(sport) {
            sport.asked_at = Some(now);
        }
    }

    /// A further request of a poll is made.
    pub fn asked_again(&mut self, now: Micros) {
        self.budget.asked(now);
    }

    /// A response of any status came. Only a successful one without credit headers means that the API reports
    /// none: an error may come from a gateway, which does not know them.
    pub fn answered(&mut self, action: &Action, now: Micros, quota: Quota, is_good: bool) {
        if matches!(action, Action::Poll(_) | Action::Scores { .. }) {
            self.budget.answered();
        }
        // What a poll costs is learnt from polls.
        let is_scores = matches!(action, Action::Scores { .. });
        self.budget.charged(quota.last.filter(|_| is_scores).unwrap_or(0));
        if let Some(remaining) = quota.remaining {
            self.scans.reported(remaining);
        }
        if is_good || quota.remaining.is_some() {
            self.budget.reported(now, quota.remaining, quota.last.filter(|_| !is_scores));
        }
    }

    /// A time for a poll that has just been received: later than that of the sport's last one, whatever the
    /// clock reads.
    #[must_use]
    pub fn stamp(&self, sport: &str, now: Micros) -> Micros {
        let last = self.sports.get(sport).and_then(|sport| sport.received_at.max(sport.asked_at));
        last.map_or(now, |last| now.max(last.saturating_add(1)))
    }

    /// A sport's prices came.
    pub fn polled(&mut self, sport: &str, received_at: Micros) {
        self.throttle.ended();
        if let Some(sport) = self.sports.get_mut(sport) {
            sport.received_at = Some(received_at);
            sport.trouble.ended();
            sport.gone_until = None;
        }
    }

    /// A call failed; `retry_after` is the pause that the API requests.
    pub fn failed(&mut self, action: &Action, now: Micros, problem: &Problem, retry_after: Option<Micros>) {
        let Self { rules, rng, .. } = self;
        match problem {
            Problem::TooMany => self.throttle.failed(now, retry_after, &rules.backoff, rng),
            Problem::Exhausted => self.budget.reported(now, Some(0), None),
            _ => {}
        }
        if let Action::Scores { sport, .. } = action {
            return self.scores_failed(sport, now, problem, retry_after);
        }
        let (Action::Events(name) | Action::Poll(name)) = action else {
            return match problem {
                // It has been polled: whether it reports credits is known.
                Problem::Exhausted => self.listing.came(now),
                _ => self.listing.trouble.failed(now, retry_after, &rules.backoff, rng),
            };
        };
        let Some(sport) = self.sports.get_mut(name) else { return };
        match (problem, action) {
            (Problem::Gone { .. }, _) => {
                sport.gone_until = Some(now.saturating_add(rules.intervals.later));
                sport.events.came(now);
                sport.trouble.ended();
            }
            (_, Action::Poll(_)) => sport.trouble.failed(now, retry_after, &rules.backoff, rng),
            _ => sport.events.trouble.failed(now, retry_after, &rules.backoff, rng),
        }
    }

    /// The next call; `None` while there is nothing to ask for.
    #[must_use]
    pub fn next(&self, now: Micros) -> Option<Action> {
        if !self.holds_any() || !self.throttle.allows(now) {
            return None;
        }
        if self.listing.is_due(now, self.rules.look_every) {
            return Some(Action::List);
        }
        let unseen = self.polled_sports().find(|(_, sport)| sport.events.is_due(now, self.rules.look_every));
        if let Some((name, _)) = unseen {
            return Some(Action::Events(name.clone()));
        }
        let paid = self.most_overdue(now)?;
        match self.verdict(now) {
            Verdict::Pay => Some(paid),
            Verdict::Ask => self.listing.trouble.allows(now).then_some(Action::List),
            Verdict::Later(_) | Verdict::Low(_) | Verdict::Silent => None,
        }
    }

    /// Whether the credits allow a poll.
    #[must_use]
    pub fn verdict(&self, now: Micros) -> Verdict {
        let polled = self.polled_sports();
        let paid_at = polled.filter_map(|(_, sport)| sport.asked_at).max().max(self.scores.asked_at());
        let share = self.polled_sports().count() as f64 / self.roster.len().max(1) as f64;
        self.budget.verdict(now, paid_at, share)
    }

    /// When the latest prices of a sport came.
    #[must_use]
    pub fn received_at(&self, sport: &str) -> Option<Micros> {
        self.sports.get(sport)?.received_at
    }

    /// Whether any lease is held.
    #[must_use]
    pub fn holds_any(&self) -> bool {
        !self.held.is_empty()
    }

    /// Sports whose lease is held and that are, or were lately, polled.
    pub fn held(&self) -> impl Iterator<Item = &String> {
        self.sports.keys()
    }

    fn most_overdue(&self, now: Micros) -> Option<Action> {
        let overdue = |(name, sport): (&String, &PolledSport)| {
            let Due { at, every } = sport.due(name, &self.rules.intervals, now)?;
            (at <= now).then(|| (Action::Poll(String::clone(name)), (now - at) as f64 / every as f64))
        };
        let paid = self.polled_sports().filter_map(overdue).chain(self.due_scores(now));
        paid.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(action, _)| action)
    }

    fn polled_sports(&self) -> impl Iterator<Item = (&String, &PolledSport)> {
        self.sports.iter().filter(|(name, _)| self.roster.contains(*name))
    }
}

#[cfg(test)]
mod tests;
