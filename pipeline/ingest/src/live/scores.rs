//! How a worker asks for scores, and writes what is new of them: results for the settlement machine, scores of events in play for display.
//!
//! A response after the lease is lost is dropped, as that of a poll is. What is written is acknowledged before anything else is done.

use std::collections::BTreeSet;

use arb_model::Faults;
use arb_schemas::time::Micros;

use super::LiveError;
use super::answer::Problem;
use super::in_play::in_play;
use super::plan::Action;
use super::plan::scores::ScoresSeen;
use super::worker::{Failure, Worker, is_young, source};
use crate::telemetry;
use crate::the_odds_api::scores::{EventScore, scores};

impl Worker<'_> {
    /// Asks for the scores of a sport, of the last days too where days are named.
    pub(super) fn scores(
        &mut self,
        sport: &str,
        days: Option<u8>,
        partition: i32,
        asked_at: Micros,
    ) -> Result<Result<(), Failure>, LiveError> {
        let (now, scores) = match self.ask_scores(sport, days, asked_at) {
            Ok(answer) => answer,
            Err(failure) => return Ok(Err(failure)),
        };
        if !self.log.holds(partition) {
            tracing::warn!(sport, "scores are dropped: their lease was lost");
            return Ok(Ok(()));
        }
        let Self { known_scores, plan, results, live_scores, .. } = self;
        let news = known_scores.news(sport, &scores, |event| plan.awaited(sport, event), now);
        for report in &news {
            results.report(report)?;
            telemetry::result(&report.status);
            tracing::info!(sport, event = report.event, status = report.status, "result");
        }
        results.flush()?;
        let (shown, over) = in_play(sport, &scores, now);
        live_scores.report(&source(sport), shown, over);
        plan.scored(sport, now, days.is_some(), &seen(&scores));
        self.polled.results += news.len() as u64;
        Ok(Ok(()))
    }

    fn ask_scores(
        &mut self,
        sport: &str,
        days: Option<u8>,
        asked_at: Micros,
    ) -> Result<(Micros, Vec<EventScore>), Failure> {
        let answer = self.client.scores(sport, days)?;
        let (now, body) = self.take(&Action::Scores { sport: sport.to_owned(), days }, &answer)?;
        is_young(asked_at, now, self.settings.total)?;
        let mut faults = Faults::default();
        let scores = scores(body, sport, &mut faults);
        self.count_faults(sport, &faults);
        let scores = scores.ok_or(Problem::Broken("no JSON array"))?;
        let (events, remaining, cost) = (scores.len(), answer.quota.remaining, answer.quota.last);
        tracing::info!(sport, days, events, remaining, cost, "scores");
        Ok((now, scores))
    }
}

/// Which events have a result, and which are not over. One that is over without points is neither.
fn seen(scores: &[EventScore]) -> ScoresSeen {
    let of = |is_wanted: fn(&EventScore) -> bool| -> BTreeSet<String> {
        scores.iter().filter(|score| is_wanted(score)).map(|score| score.event.clone()).collect()
    };
    ScoresSeen {
        finished: of(|score| score.is_completed && score.points.is_some()),
        running: of(|score| !score.is_completed),
    }
}
