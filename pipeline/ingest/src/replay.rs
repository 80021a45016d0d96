//! The pace of a replay: a source's polls at their recorded times, at a speed, with heartbeats between them.
//!
//! Every record carries recording time, so the topic has the same records at any speed. It publishes only
//! while this instance holds the lease of the source. It never looks into a poll.

use std::time::{Duration, Instant};

use arb_model::Faults;
use arb_schemas::records::ScanRequest;
use arb_schemas::time::{Micros, SECOND};

use super::error::ReplayError;
use super::handoff::Resume;
use super::live_scores::ScoreWriter;
use super::publish::{PublishError, Publisher};
use super::results::ResultWriter;
use super::scan::{Covered, ScanOutcome};
use super::scan_queue::ScanQueue;
use super::source::Source;
use super::source_lease::{SourceLease, Turn};
use super::telemetry;

/// Time between the heartbeats of a recording: half of the silence after which a source counts as idle (60 s), so that
/// no gap between polls looks like one. At one a second nearly all records of a recording would be heartbeats.
pub const RECORDED_HEARTBEAT: Micros = 30 * SECOND;

/// Time between the heartbeats of a source without a poll: quotes become stale within a second of their time.
pub const LIVE_HEARTBEAT: Micros = SECOND;

/// How often a worker that waits looks whether a scan is asked for.
const SCAN_CHECK: Duration = Duration::from_millis(50);

/// A source is not polled for a scan within this time of its last poll.
const SCAN_REFRESH: Duration = Duration::from_secs(1);

/// A worker that takes over answers the scans that were left after this time: its first poll may be repeated then.
const TAKEN_UP: Duration = Duration::from_millis(1_200);

/// Longer than the time for which the engine waits before it accepts a clock that no other source confirms.
const LEAD_IN: Micros = 60 * SECOND;

/// One day.
const DAY: Micros = 24 * 3_600 * SECOND;

/// How fast recording time passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Speed {
    /// As fast as Kafka takes it.
    Max,
    /// So many times as fast as it was.
    Times(f64),
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Max => f.write_str("max"),
            Self::Times(times) => times.fmt(f),
        }
    }
}

impl std::str::FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse::<f64>()) {
            ("max", _) => Ok(Self::Max),
            (_, Ok(times)) if times.is_finite() && times > 0.0 => Ok(Self::Times(times)),
            _ => Err("give a number above 0, or max".to_owned()),
        }
    }
}

/// The scans that may ask for polls, and what writes results and scores.
pub type Beside<'a> = (&'a ScanQueue, &'a mut ResultWriter, &'a mut ScoreWriter);

/// What of a recording is played, and how.
#[derive(Debug, Clone, Copy)]
pub struct Replay {
    /// What is published already.
    pub from: Resume,
    /// Only polls up to this time.
    pub until: Option<Micros>,
    /// How fast.
    pub speed: Speed,
    /// Recording time between heartbeats.
    pub heartbeat: Micros,
}

/// What was played.
#[derive(Debug, Clone, Default)]
pub struct Played {
    /// Polls.
    pub polls: u64,
    /// Their events.
    pub frames: u64,
    /// Their ticks.
    pub ticks: u64,
    /// What was malformed.
    pub faults: Faults,
}

/// How playing ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayEnd {
    /// All that was asked for is published.
    Complete,
    /// The shutdown signal came.
    Stopped,
    /// The group assigns the lease to another instance.
    Revoked,
    /// Another instance may publish already.
    Lost,
}

impl Replay {
    /// Plays a source to its end, until the shutdown signal, or until the lease is another instance's; `played` counts
    /// what was published, also after an error. Everything that was gathered is written then, except after [`PlayEnd::Lost`].
    ///
    /// # Errors
    /// [`ReplayError`].
    pub fn play(
        &self,
        source: &mut dyn Source,
        to: &mut Publisher,
        lease: &mut SourceLease,
        beside: Beside<'_>,
        played: &mut Played,
    ) -> Result<PlayEnd, ReplayError> {
        let done = self.play_polls(source, to, lease, beside, played);
        if matches!(done, Ok(PlayEnd::Lost)) {
            to.take();
            return done;
        }
        // What came before an error is published all the same.
        let turn = lease.write(to)?;
        if done.is_ok() && turn == Turn::Lost { Ok(PlayEnd::Lost) } else { done }
    }

    fn is_recorded(&self) -> bool {
        self.heartbeat == RECORDED_HEARTBEAT
    }

    fn play_polls(
        &self,
        source: &mut dyn Source,
        to: &mut Publisher,
        lease: &mut SourceLease,
        (scans, results, scores): Beside<'_>,
        played: &mut Played,
    ) -> Result<PlayEnd, ReplayError> {
        let mut pace = Pace::new(self.speed);
        let Resume { after, beat: beaten } = self.from;
        let mut last = after;
        let (covered, left) = (Covered::default(), scans.recent());
        let begun = Instant::now();
        let mut scanner = Scanner { scans, begun, left, covered, last: None, next: Micros::MAX };
        loop {
            let mut faults = Faults::default();
            let poll = source.next_poll(&mut faults);
            if !faults.is_empty() {
                tracing::warn!(source = source.name(), %faults, "malformed input was left out");
                played.faults.add(&faults);
            }
            let Some(poll) = poll? else { return Ok(PlayEnd::Complete) };
            let at = poll.received_at;
            if self.until.is_some_and(|until| at > until) {
                return Ok(PlayEnd::Complete);
            }
            if after.is_some_and(|after| at <= after) {
                continue;
            }
            scanner.next = at;
            // A recording that begins is treated as one that continues after a gap.
            let before = last.or_else(|| self.is_recorded().then(|| at.saturating_sub(LEAD_IN)));
            let beats = heartbeats(before, at, self.heartbeat);
            for beat in beats.filter(|beat| beaten.is_none_or(|beaten| *beat > beaten)) {
                if last.is_some()
                    && let Some(end) = scanner.wait(beat, &mut pace, (source, to, lease), played)?
                {
                    return Ok(end);
                }
                to.heartbeat(beat)?;
                lease.beaten(beat);
            }
            if let Some(end) = scanner.wait(at, &mut pace, (source, to, lease), played)? {
                return Ok(end);
            }
            last = last.max(Some(at));
            played.count(&poll);
            scanner.polled(&poll);
            telemetry::faults(&played.faults);
            to.poll(poll)?;
            results.write(source, at)?;
            scores.write(source, at);
            lease.polled(at);
            if (self.speed != Speed::Max || to.is_full())
                && let Some(end) = ended(lease.write(to)?)
            {
                return Ok(end);
            }
        }
    }
}

/// Answers scans while it is waited for the next poll.
struct Scanner<'a> {
    scans: &'a ScanQueue,
    begun: Instant,
    /// Those that the last holder of the lease may have left.
    left: Vec<ScanRequest>,
    /// Of the last poll.
    covered: Covered,
    /// When the last poll was published, and its time.
    last: Option<(Instant, Micros)>,
    /// The time of the next poll, which a poll for a scan must not reach.
    next: Micros,
}

/// Where polls come from and go to.
type Route<'a, 'b> = (&'a mut dyn Source, &'a mut Publisher, &'b mut SourceLease);

impl Scanner<'_> {
    fn polled(&mut self, poll: &super::source::Poll) {
        (self.covered, self.last) = (Covered::by(poll), Some((Instant::now(), poll.received_at)));
    }

    /// Waits until a moment of recording time; how playing ends, if it does.
    fn wait(
        &mut self,
        until: Micros,
        pace: &mut Pace,
        (source, to, lease): Route<'_, '_>,
        played: &mut Played,
    ) -> Result<Option<PlayEnd>, ReplayError> {
        loop {
            let left = pace.delay(until);
            if to.is_due(left)
                && let Some(end) = ended(lease.write(to)?)
            {
                return Ok(Some(end));
            }
            if let Some(end) = ended(lease.wait(left.min(SCAN_CHECK))?) {
                return Ok(Some(end));
            }
            if self.answer(source, to, pace.now(), played)? {
                self.last.iter().for_each(|(_, at)| lease.polled(*at));
                if let Some(end) = ended(lease.write(to)?) {
                    return Ok(Some(end));
                }
            }
            if left <= SCAN_CHECK {
                return Ok(None);
            }
        }
    }

    /// Answers the scans that wait, all of them by one poll; whether there was one.
    fn answer(
        &mut self,
        source: &mut dyn Source,
        to: &mut Publisher,
        now: Option<Micros>,
        played: &mut Played,
    ) -> Result<bool, PublishError> {
        if self.last.is_none() || (!self.left.is_empty() && self.begun.elapsed() < TAKEN_UP) {
            // What it covers is known with its first poll; what was left is answered by a poll after that.
            return Ok(false);
        }
        let mut scans = std::mem::take(&mut self.left);
        scans.extend(self.scans.take());
        scans.retain(|scan| self.covered.is_scanned(scan));
        if scans.is_empty() {
            return Ok(false);
        }
        for scan in &scans {
            to.scan_begin(scan)?;
        }
        let outcome = match self.time(now).map(|at| source.poll_now(at)) {
            Ok(Some(poll)) => {
                played.count(&poll);
                self.polled(&poll);
                to.poll(poll)?;
                ScanOutcome::Polled
            }
            Ok(None) => ScanOutcome::Recording,
            Err(outcome) => outcome,
        };
        let polled_at = self.last.filter(|_| outcome == ScanOutcome::Polled).map(|(_, at)| at);
        for scan in &scans {
            to.scan_end(&scan.id, outcome, polled_at, 0)?;
        }
        telemetry::scans(outcome, scans.len());
        tracing::info!(scans = scans.len(), outcome = outcome.key(), "scans answered");
        Ok(true)
    }

    /// The time of a poll now: after the last and before the next, or why there is no room for one.
    fn time(&self, now: Option<Micros>) -> Result<Micros, ScanOutcome> {
        let Some(now) = now else { return Err(ScanOutcome::Recording) };
        let at = now.min(self.next.saturating_sub(1));
        match self.last {
            Some((since, last)) if since.elapsed() < SCAN_REFRESH || at <= last => {
                Err(ScanOutcome::PolledRecently)
            }
            _ => Ok(at),
        }
    }
}

/// How playing ends when it is no longer this instance's turn.
fn ended(turn: Turn) -> Option<PlayEnd> {
    match turn {
        Turn::Publish => None,
        Turn::Stopped => Some(PlayEnd::Stopped),
        Turn::Revoked => Some(PlayEnd::Revoked),
        Turn::Lost => Some(PlayEnd::Lost),
    }
}

impl Played {
    fn count(&mut self, poll: &super::source::Poll) {
        self.polls += 1;
        self.frames += poll.events.len() as u64;
        self.ticks += poll.ticks() as u64;
    }
}

/// The heartbeats between one poll and the next, on a grid. A gap of more than a day has them on its first
/// day and in its last minute: by these a partition learns that time has jumped, before a frame does.
pub fn heartbeats(last: Option<Micros>, next: Micros, every: Micros) -> impl Iterator<Item = Micros> {
    let on_grid = |at: Micros| (at.div_euclid(every) + 1).saturating_mul(every);
    let step = usize::try_from(every).unwrap_or(usize::MAX);
    let first = last.map_or(next, on_grid);
    let day = first.saturating_add(DAY).min(next);
    let lead_in = on_grid(next.saturating_sub(LEAD_IN)).max(day);
    (first..day).step_by(step).chain((lead_in..next).step_by(step))
}

/// Wall time for recording time.
struct Pace {
    speed: Speed,
    start: Option<(Micros, Instant)>,
}

impl Pace {
    fn new(speed: Speed) -> Self {
        Self { speed, start: None }
    }

    /// The recording time that it is now; `None` where none passes.
    fn now(&self) -> Option<Micros> {
        let (Speed::Times(times), Some((first, started))) = (self.speed, self.start) else { return None };
        let passed = started.elapsed().mul_f64(times).as_micros();
        Some(first.saturating_add(Micros::try_from(passed).ok()?))
    }

    /// The wait until a moment of recording time; the first moment that is passed in is now.
    fn delay(&mut self, at: Micros) -> Duration {
        let Speed::Times(times) = self.speed else { return Duration::ZERO };
        let (first, started) = *self.start.get_or_insert_with(|| (at, Instant::now()));
        let after = Duration::from_micros(u64::try_from(at - first).unwrap_or(0)).div_f64(times);
        (started + after).saturating_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbeats_lie_on_a_grid_between_polls() {
        let beats = |last: i64, next: i64| -> Vec<_> {
            let (last, next) = (Some(last * SECOND), next * SECOND);
            heartbeats(last, next, RECORDED_HEARTBEAT).map(|at| at / SECOND).collect()
        };
        assert_eq!(beats(5, 95), [30, 60, 90]);
        assert_eq!(beats(30, 60), [0; 0]);
        assert_eq!(beats(29, 31), [30]);
        assert_eq!(beats(100, 50), [0; 0]);
        assert_eq!(beats(35, 95), [60, 90], "a lead-in");
        assert_eq!(heartbeats(None, 95 * SECOND, RECORDED_HEARTBEAT).count(), 0);
        assert_eq!(heartbeats(Some(0), 10 * DAY, RECORDED_HEARTBEAT).count(), 2_880 + 1);
        assert!(heartbeats(Some(0), 10 * DAY, RECORDED_HEARTBEAT).is_sorted());
        let hours: Vec<_> = heartbeats(Some(0), DAY + 45 * SECOND, RECORDED_HEARTBEAT).collect();
        assert!(hours.windows(2).all(|pair| pair[0] < pair[1]), "none twice");
        assert_eq!(heartbeats(None, i64::MIN, SECOND).count(), 0);
        assert_eq!(heartbeats(Some(0), 2 * SECOND, LIVE_HEARTBEAT).collect::<Vec<_>>(), [SECOND]);
    }

    #[test]
    fn a_speed_is_a_number_or_max() {
        assert_eq!("max".parse(), Ok(Speed::Max));
        assert_eq!("60".parse(), Ok(Speed::Times(60.0)));
        for text in ["", "0", "-1", "fast", "NaN", "inf"] {
            assert!(text.parse::<Speed>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_poll_for_a_scan_is_after_the_last_and_before_the_next() {
        let queue = ScanQueue::none();
        let (begun, covered) = (Instant::now(), Covered::default);
        let scanner =
            |last, next| Scanner { scans: &queue, begun, left: vec![], covered: covered(), last, next };
        let long_ago = Instant::now().checked_sub(2 * SCAN_REFRESH);
        let last = long_ago.map(|at| (at, 10));
        assert_eq!(scanner(last, 20).time(Some(15)), Ok(15));
        assert_eq!(scanner(last, 20).time(Some(25)), Ok(19), "the pace is behind");
        assert_eq!(scanner(last, 11).time(Some(25)), Err(ScanOutcome::PolledRecently), "no room");
        assert_eq!(scanner(last, 20).time(Some(10)), Err(ScanOutcome::PolledRecently));
        // A moment that does not pass meanwhile.
        let recently = Some((Instant::now() + SCAN_REFRESH, 10));
        assert_eq!(scanner(recently, 20).time(Some(15)), Err(ScanOutcome::PolledRecently));
        assert_eq!(scanner(last, 20).time(None), Err(ScanOutcome::Recording), "no time passes");
        assert_eq!(Pace::new(Speed::Max).now(), None);
    }

    #[test]
    fn recording_time_passes_at_its_speed() {
        let mut pace = Pace::new(Speed::Times(1000.0));
        assert_eq!(pace.delay(0), Duration::ZERO);
        let delay = pace.delay(50_000 * SECOND);
        assert!(delay > Duration::from_secs(40) && delay <= Duration::from_secs(50), "{delay:?}");
        assert_eq!(Pace::new(Speed::Max).delay(i64::MAX / 2), Duration::ZERO);
    }
}
