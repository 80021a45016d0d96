//! The loop of a worker: it serves its leases, and makes the calls that its plan names, one at a time.
//!
//! Before a poll is paid for, the request is written to the lease: a worker that no longer holds it is refused there, and so is its
//! poll, which is written as a whole or not at all. A response after the lease is lost is dropped,
//! and so is one that took longer than any call may, because a frozen worker would take old prices for current
//! ones. A lease is given back when none of its calls is under way.
//! The plan makes every decision about time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use arb_kafka::{Lease, partition_of};
use arb_model::Faults;
use arb_runtime::stop::Stop;
use arb_schemas::time::{Micros, SECOND};

use super::answer::{Answer, Problem};
use super::beats::{Beats, lock};
use super::budget::Verdict;
use super::client::Client;
use super::known_scores::KnownScores;
use super::plan::{Action, Plan};
use super::{LiveError, LiveSettings, Polled, listing};
use crate::leased_log::LeasedLog;
use crate::live_scores::ScoreWriter;
use crate::open_picks::OpenPicks;
use crate::publish::{PublishError, Publisher};
use crate::results::ResultWriter;
use crate::scan::Covered;
use crate::scan_queue::ScanQueue;
use crate::skew::ClockSkew;
use crate::telemetry;

/// Between two looks when there is nothing to do.
const POLL: Duration = Duration::from_millis(100);
/// What a call may take beyond its time-out, by the clock on the wall.
const GRACE: Micros = 5 * SECOND;

/// A worker.
pub(super) struct Worker<'a> {
    pub(super) settings: &'a LiveSettings,
    pub(super) client: Client,
    pub(super) log: LeasedLog,
    beats: Beats,
    pub(super) plan: Plan,
    /// What the last poll of each sport had.
    pub(super) covered: BTreeMap<String, Covered>,
    /// The sports of which the last turn answered scans.
    pub(super) answering: BTreeSet<String>,
    /// Which results were reported.
    pub(super) known_scores: KnownScores,
    pub(super) results: ResultWriter,
    pub(super) live_scores: ScoreWriter,
    /// The clock of each sport's source.
    pub(super) skews: BTreeMap<String, ClockSkew>,
    standing: Standing,
    pub(super) polled: Polled,
}

/// The state of the credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Enough,
    Low,
    Silent,
}

impl<'a> Worker<'a> {
    /// Connects to Kafka and joins the group.
    pub(super) fn new(
        settings: &'a LiveSettings,
        partitions: i32,
        plan: Plan,
        stop: &Stop,
    ) -> Result<Self, LiveError> {
        let LiveSettings { address, key, connect, total, .. } = settings;
        let client = Client::new(address, key.clone(), *connect, *total)?;
        let beats = Beats::start(&settings.cluster, partitions, settings.clock)?;
        let log = LeasedLog::join(&settings.cluster, &settings.group, partitions, stop)?;
        let (standing, polled) = (Standing::Enough, Polled::default());
        let results = ResultWriter::connect(&settings.cluster, partitions)?;
        Ok(Self {
            settings,
            client,
            log,
            beats,
            plan,
            covered: BTreeMap::new(),
            answering: BTreeSet::new(),
            known_scores: KnownScores::default(),
            results,
            live_scores: ScoreWriter::connect(&settings.cluster)?,
            skews: BTreeMap::new(),
            standing,
            polled,
        })
    }

    /// Wall time.
    pub(super) fn now(&self) -> Micros {
        (self.settings.clock)()
    }

    /// Runs until the shutdown signal.
    pub(super) fn run(
        mut self,
        scans: &ScanQueue,
        picks: &OpenPicks,
        stop: &Stop,
    ) -> Result<Polled, LiveError> {
        let mut wait = POLL;
        while !stop.is_stopped() {
            self.beats.check()?;
            self.serve(wait)?;
            self.answer_scans(scans)?;
            picks.awaited(|awaited| self.plan.awaits(awaited));
            let now = (self.settings.clock)();
            let done = match self.plan.next(now) {
                Some(action) => self.act(&action, now)?,
                None => false,
            };
            wait = if done { Duration::ZERO } else { POLL };
            self.log_credits();
        }
        self.beats.only_for(std::iter::empty());
        Ok(self.polled)
    }

    fn serve(&mut self, wait: Duration) -> Result<(), LiveError> {
        match self.log.next(wait)? {
            Lease::Idle => return Ok(()),
            Lease::Granted(partitions) => {
                for partition in &partitions {
                    if let Some(note) = self.log.take(*partition)? {
                        self.plan.granted(*partition, &note);
                    }
                }
                tracing::info!(?partitions, "leases held");
                self.beat();
            }
            Lease::Revoked(partitions) | Lease::Lost(partitions) => {
                self.let_go(&partitions);
                self.log.give_back(&partitions)?;
            }
        }
        Ok(())
    }

    fn let_go(&mut self, partitions: &[i32]) {
        self.plan.gone(partitions);
        let count = self.log.partitions();
        let is_gone = |sport: &str| partitions.contains(&partition_of(sport, count));
        self.known_scores.forget(is_gone);
        self.live_scores.forget(|of| of.strip_prefix(SOURCE).is_some_and(is_gone));
        if !self.plan.holds_any() {
            telemetry::no_credits();
        }
        self.beat();
        tracing::info!(?partitions, "leases given back");
    }

    fn beat(&self) {
        telemetry::sports(self.plan.held().count());
        self.beats.only_for(self.plan.held().map(|sport| source(sport)));
    }

    /// Makes a call; whether it was made.
    pub(super) fn act(&mut self, action: &Action, now: Micros) -> Result<bool, LiveError> {
        let done = match action {
            Action::List => self.list(),
            Action::Events(sport) => self.events(sport),
            Action::Poll(sport) | Action::Scores { sport, .. } => {
                let (partition, note) = match action {
                    Action::Scores { .. } => self.plan.note_scores(sport, now),
                    _ => self.plan.note(sport, now),
                };
                let asked_at = confirmed(|| self.log.write(partition, &[], Some(note)), self.settings.clock)?;
                let Some(asked_at) = asked_at else { return Ok(false) };
                if let Action::Scores { days, .. } = action {
                    self.plan.asked_scores(sport, asked_at);
                    self.scores(sport, *days, partition, asked_at)?
                } else {
                    self.plan.asked(sport, asked_at);
                    self.poll(sport, asked_at)?
                }
            }
        };
        telemetry::call(
            action.kind(),
            done.as_ref().map_or_else(|failure| failure.problem.key(), |()| "answered"),
        );
        match done {
            Ok(()) => Ok(true),
            Err(Failure { problem: problem @ Problem::BadKey(_), .. }) => Err(LiveError::BadKey(problem)),
            Err(Failure { problem, retry_after }) => {
                tracing::warn!(call = %action, "{problem}");
                self.plan.failed(action, (self.settings.clock)(), &problem, retry_after);
                self.polled.failures += 1;
                Ok(true)
            }
        }
    }

    fn list(&mut self) -> Result<(), Failure> {
        let answer = self.client.sports()?;
        let (now, body) = self.take(&Action::List, &answer)?;
        let in_season = listing::sports(body)?;
        self.plan.listed(now, &in_season);
        self.beat();
        Ok(())
    }

    fn events(&mut self, sport: &str) -> Result<(), Failure> {
        let answer = self.client.events(sport)?;
        let (now, body) = self.take(&Action::Events(sport.to_owned()), &answer)?;
        let starts = listing::starts(body)?;
        self.plan.starts(sport, now, starts);
        Ok(())
    }

    fn poll(&mut self, sport: &str, asked_at: Micros) -> Result<Result<(), Failure>, LiveError> {
        let poll = match self.ask(sport, asked_at) {
            Ok(poll) => poll,
            Err(failure) => return Ok(Err(failure)),
        };
        let (received_at, frames, ticks) = (poll.received_at, poll.events.len(), poll.ticks());
        let covered = Covered::by(&poll);
        if !self.publish(sport, |to| to.poll(poll))? {
            tracing::warn!(sport, "a poll is dropped: its lease was lost");
            return Ok(Ok(()));
        }
        self.polled.polls += 1;
        self.polled.frames += frames as u64;
        self.polled.ticks += ticks as u64;
        self.covered.insert(sport.to_owned(), covered);
        self.plan.polled(sport, received_at);
        Ok(Ok(()))
    }

    /// Writes what is gathered for a sport; whether it is there. It is not when the lease is lost.
    pub(super) fn publish(
        &mut self,
        sport: &str,
        gather: impl FnOnce(&mut Publisher) -> Result<(), PublishError>,
    ) -> Result<bool, LiveError> {
        let partitions = self.log.partitions();
        let mut gathered = Publisher::new(&source(sport), partitions);
        gather(&mut gathered)?;
        let beats = self.beats.pause();
        let _paused = lock(&beats);
        Ok(self.log.write(partition_of(sport, partitions), &gathered.take(), None)?)
    }

    pub(super) fn count_faults(&mut self, sport: &str, faults: &Faults) {
        if !faults.is_empty() {
            tracing::warn!(sport, %faults, "malformed input was left out");
            self.polled.faults.add(faults);
            telemetry::faults(&self.polled.faults);
        }
    }

    /// Reads the credits of a response, and returns its body.
    pub(super) fn take<'b>(
        &mut self,
        action: &Action,
        answer: &'b Answer,
    ) -> Result<(Micros, &'b str), Failure> {
        let now = (self.settings.clock)();
        self.plan.answered(action, now, answer.quota, answer.status == 200);
        if let Some(remaining) = answer.quota.remaining {
            telemetry::credits(remaining);
        }
        let body =
            answer.read().map_err(|problem| Failure { problem, retry_after: answer.retry_after(now) })?;
        Ok((now, body))
    }

    /// Logs once when the credits end, and once when they are back.
    fn log_credits(&mut self) {
        let floor = self.settings.rules.floor;
        let standing = match self.plan.verdict((self.settings.clock)()) {
            Verdict::Ask => return,
            Verdict::Pay | Verdict::Later(_) => Standing::Enough,
            Verdict::Low(remaining) => {
                if self.standing != Standing::Low {
                    tracing::warn!(
                        remaining,
                        floor,
                        "polling stops at the floor under the credits; it goes on when they are reset"
                    );
                }
                Standing::Low
            }
            Verdict::Silent => {
                if self.standing != Standing::Silent {
                    tracing::warn!(
                        floor,
                        "polling stops: the API does not say how many credits remain (a floor of 0 polls all the same)"
                    );
                }
                Standing::Silent
            }
        };
        if standing == Standing::Enough && self.standing != Standing::Enough {
            tracing::info!("there are credits: polling goes on");
        }
        self.standing = standing;
    }
}

/// A failed call, and the pause that the API requests.
pub(super) struct Failure {
    pub(super) problem: Problem,
    pub(super) retry_after: Option<Micros>,
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self { problem, retry_after: None }
    }
}

/// When a call is made whose lease the broker confirms: after that, which may have taken as long as a broker may be away.
/// None when it is not confirmed.
fn confirmed<E>(
    remember: impl FnOnce() -> Result<bool, E>,
    clock: impl FnOnce() -> Micros,
) -> Result<Option<Micros>, E> {
    Ok(remember()?.then(clock))
}

/// Refuses a response that comes later than any call may take.
pub(super) fn is_young(asked_at: Micros, now: Micros, total: Duration) -> Result<(), Problem> {
    if is_old(asked_at, now, total) { Err(Problem::Broken("older than a call may take")) } else { Ok(()) }
}

/// Whether a response comes later than any call may take: the worker was frozen meanwhile.
fn is_old(asked_at: Micros, now: Micros, total: Duration) -> bool {
    let total = i64::try_from(total.as_micros()).unwrap_or(Micros::MAX);
    now.saturating_sub(asked_at) > total.saturating_add(GRACE)
}

/// How the names of all sports begin.
const SOURCE: &str = "the-odds-api/";

/// The name of a sport in every record: each sport is a separate source, so that one may be late without the
/// others.
pub(super) fn source(sport: &str) -> String {
    format!("{SOURCE}{sport}")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn an_answer_that_was_paid_for_is_not_old_because_the_lease_was_confirmed_late() {
        const TOTAL: Duration = Duration::from_secs(15);
        let now = Cell::new(0);
        let slow = |answer: Result<bool, ()>| {
            now.set(now.get() + 60 * SECOND);
            answer
        };
        let asked_at = confirmed(|| slow(Ok(true)), || now.get()).unwrap().unwrap();
        assert!(!is_old(asked_at, now.get() + 15 * SECOND, TOTAL), "a call that took all its time");
        assert!(is_old(asked_at, now.get() + 15 * SECOND + GRACE + 1, TOTAL));
        assert_eq!(confirmed(|| slow(Ok(false)), || now.get()), Ok(None));
        assert_eq!(confirmed(|| slow(Err(())), || now.get()), Err(()));
    }
}
