//! Scores of events in play, for display: which are new, and the records that report them.
//!
//! A score that has not changed is written again once its source has confirmed it 30 s later, so that readers see how old it is. An event that is
//! over gets a tombstone. It never waits for Kafka, never ends what polls prices, and never makes up a score.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use arb_kafka::{Cluster, CommandProducer};
use arb_schemas::records::LiveScore;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::LIVE_SCORES;
use arb_schemas::wire;

use super::publish::PublishError;
use super::source::Source;

/// An equal score is written again when it was confirmed so much later: well within the age up to which scores are shown.
const AGAIN: Micros = 30 * SECOND;
/// What was not confirmed for so long is not in the topic any more either.
const KEPT: Micros = 86_400 * SECOND;
/// How far back a worker that begins looks for events that are over: older scores are not shown.
const LOOK_BACK: Micros = 600 * SECOND;

/// An event and its score; `None` of an event that is over.
pub type ScoreNews = (String, Option<LiveScore>);

/// What was written of the events of one source.
#[derive(Debug, Default)]
pub struct WrittenScores {
    scores: BTreeMap<String, LiveScore>,
    /// The events that were over by the last answer.
    over: BTreeSet<String>,
}

impl WrittenScores {
    /// What an answer has that was not written before: the scores of events in play, and the events that are over.
    pub fn news(&mut self, scores: Vec<LiveScore>, over: BTreeSet<String>) -> Vec<ScoreNews> {
        let mut news = Vec::new();
        for score in scores {
            if self.scores.get(&score.event).is_none_or(|last| is_new(last, &score)) {
                self.scores.insert(score.event.clone(), score.clone());
                news.push((score.event.clone(), Some(score)));
            }
        }
        for event in &over {
            let was_in_play = self.scores.remove(event).is_some();
            if was_in_play || !self.over.contains(event) {
                news.push((event.clone(), None));
            }
        }
        self.over = over;
        let newest = self.scores.values().map(|score| score.reported_at).max().unwrap_or_default();
        self.scores.retain(|_, score| newest.saturating_sub(score.reported_at) < KEPT);
        news
    }
}

fn is_new(last: &LiveScore, score: &LiveScore) -> bool {
    let later = score.reported_at.saturating_sub(last.reported_at);
    let is_equal = LiveScore { reported_at: last.reported_at, ..score.clone() } == *last;
    if is_equal { later >= AGAIN } else { later >= 0 }
}

/// Writes scores.
pub struct ScoreWriter {
    producer: CommandProducer,
    /// By source.
    written: BTreeMap<String, WrittenScores>,
    written_until: Option<Micros>,
}

impl ScoreWriter {
    /// Connects.
    ///
    /// # Errors
    /// [`PublishError::Kafka`] for settings that the client refuses.
    pub fn connect(cluster: &Cluster) -> Result<Self, PublishError> {
        let producer = CommandProducer::new(cluster, &LIVE_SCORES)?;
        Ok(Self { producer, written: BTreeMap::new(), written_until: None })
    }

    /// Writes what is new at a source whose last poll was of this time.
    pub fn write(&mut self, source: &dyn Source, at: Micros) {
        let after = self.written_until.unwrap_or_else(|| at.saturating_sub(LOOK_BACK));
        let over = source.results(after, at).into_iter().map(|report| report.event).collect();
        self.written_until = Some(at.max(after));
        self.report(source.name(), source.scores(at), over);
    }

    /// Writes what is new in an answer of a source. What Kafka does not take is logged: the next score takes its place, or its age does.
    pub fn report(&mut self, source: &str, scores: Vec<LiveScore>, over: BTreeSet<String>) {
        let news = self.written.entry(source.to_owned()).or_default().news(scores, over);
        for (event, score) in news {
            self.send(&event, score.as_ref());
        }
        if let Err(error) = self.producer.serve(Duration::ZERO) {
            tracing::warn!(%error, "a score was not delivered");
        }
    }

    /// Forgets sources: another worker writes what is new of them.
    pub fn forget(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.written.retain(|source, _| !is_gone(source));
    }

    fn send(&self, event: &str, score: Option<&LiveScore>) {
        let value = match score.map(wire::encode).transpose() {
            Ok(value) => value,
            Err(error) => return tracing::warn!(event, %error, "a score is left out"),
        };
        match self.producer.send_bytes(event, value.as_deref()) {
            Ok(true) => {}
            Ok(false) => tracing::warn!(event, "a score is left out: the queue is full"),
            Err(error) => tracing::warn!(event, %error, "a score is left out"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(home_points: i32, seconds: i64) -> LiveScore {
        LiveScore {
            event: "e".to_owned(),
            home_points,
            reported_at: seconds * SECOND,
            ..LiveScore::default()
        }
    }

    /// Points and time in seconds of what is new; no points of an event that is over.
    fn news(written: &mut WrittenScores, scores: Vec<LiveScore>, over: &[&str]) -> Vec<Option<(i32, i64)>> {
        let over = over.iter().map(|&event| event.to_owned()).collect();
        let shown = |score: LiveScore| (score.home_points, score.reported_at / SECOND);
        written.news(scores, over).into_iter().map(|(_, score)| score.map(shown)).collect()
    }

    #[test]
    fn a_score_is_written_when_it_changes_and_again_from_time_to_time() {
        let mut written = WrittenScores::default();
        assert_eq!(news(&mut written, vec![score(0, 10)], &[]), [Some((0, 10))]);
        assert_eq!(news(&mut written, vec![score(0, 20)], &[]), []);
        assert_eq!(news(&mut written, vec![score(1, 20)], &[]), [Some((1, 20))]);
        assert_eq!(news(&mut written, vec![score(0, 19)], &[]), [], "an older answer");
        assert_eq!(news(&mut written, vec![score(1, 49)], &[]), []);
        assert_eq!(news(&mut written, vec![score(1, 50)], &[]), [Some((1, 50))]);
        let second = LiveScore { period: Some("h2".to_owned()), ..score(1, 51) };
        assert_eq!(news(&mut written, vec![second], &[]), [Some((1, 51))], "another period");
    }

    #[test]
    fn an_event_that_is_over_gets_one_tombstone() {
        let mut written = WrittenScores::default();
        assert_eq!(news(&mut written, vec![], &["e"]), [None], "whoever wrote its score");
        assert_eq!(news(&mut written, vec![], &["e"]), []);
        assert_eq!(news(&mut written, vec![score(2, 10)], &[]), [Some((2, 10))], "it is not over");
        assert_eq!(news(&mut written, vec![], &["e"]), [None]);
        assert!(written.scores.is_empty());
    }

    #[test]
    fn what_is_not_confirmed_for_a_day_is_forgotten() {
        let mut written = WrittenScores::default();
        news(&mut written, vec![score(2, 0)], &[]);
        let later = LiveScore { event: "later".to_owned(), ..score(0, KEPT / SECOND) };
        news(&mut written, vec![later], &[]);
        assert_eq!(written.scores.keys().collect::<Vec<_>>(), ["later"]);
    }
}
