//! Events of an answer that are in play, as scores for display. Pure.
//!
//! A score without the time at which its source confirmed it is left out: nobody could tell how old it is. It never decides what a result is.

use std::collections::BTreeSet;

use arb_schemas::records::LiveScore;
use arb_schemas::time::Micros;

use super::worker::source;
use crate::the_odds_api::scores::EventScore;

/// The scores of events that are in play at a time, and the events that are over.
pub(super) fn in_play(sport: &str, scores: &[EventScore], now: Micros) -> (Vec<LiveScore>, BTreeSet<String>) {
    let over = scores.iter().filter(|score| score.is_completed).map(|score| score.event.clone());
    (scores.iter().filter_map(|score| live_score(sport, score, now)).collect(), over.collect())
}

fn live_score(league: &str, score: &EventScore, now: Micros) -> Option<LiveScore> {
    let (home_points, away_points) =
        score.points.filter(|_| !score.is_completed && score.starts_at <= now)?;
    let confirmed_at = score.updated_at.filter(|at| *at >= score.starts_at)?;
    Some(LiveScore {
        event: score.event.clone(),
        // Leagues are named sport_league.
        sport: league.split('_').next().unwrap_or_default().to_owned(),
        league: league.to_owned(),
        home: score.home.clone(),
        away: score.away.clone(),
        home_points,
        away_points,
        // The API does not state it.
        period: None,
        source: source(league),
        reported_at: confirmed_at.min(now),
    })
}

#[cfg(test)]
mod tests {
    use arb_schemas::time::SECOND;

    use super::*;

    const NOW: Micros = 1_000 * SECOND;

    fn running() -> EventScore {
        EventScore {
            event: "e".to_owned(),
            starts_at: 100 * SECOND,
            is_completed: false,
            points: Some((1, 0)),
            home: "H".to_owned(),
            away: "A".to_owned(),
            updated_at: Some(990 * SECOND),
        }
    }

    #[test]
    fn an_event_in_play_has_its_score_with_its_source_and_the_time_of_its_confirmation() {
        let (scores, over) = in_play("soccer_epl", &[running()], NOW);
        let expected = LiveScore {
            event: "e".to_owned(),
            sport: "soccer".to_owned(),
            league: "soccer_epl".to_owned(),
            home: "H".to_owned(),
            away: "A".to_owned(),
            home_points: 1,
            away_points: 0,
            period: None,
            source: "the-odds-api/soccer_epl".to_owned(),
            reported_at: 990 * SECOND,
        };
        assert_eq!((scores, over.len()), (vec![expected], 0));
        let ahead = EventScore { updated_at: Some(NOW + 5 * SECOND), ..running() };
        assert_eq!(in_play("soccer_epl", &[ahead], NOW).0[0].reported_at, NOW, "a clock that is ahead");
    }

    #[test]
    fn what_is_not_known_to_be_a_score_in_play_is_left_out() {
        let early = EventScore { starts_at: NOW + 1, ..running() };
        let unconfirmed = EventScore { updated_at: None, ..running() };
        let older = EventScore { updated_at: Some(99 * SECOND), ..running() };
        for wrong in [EventScore { points: None, ..running() }, early, unconfirmed, older] {
            assert_eq!(in_play("soccer_epl", &[wrong], NOW), (vec![], BTreeSet::new()));
        }
        let over = EventScore { is_completed: true, ..running() };
        assert_eq!(in_play("soccer_epl", &[over], NOW), (vec![], BTreeSet::from(["e".to_owned()])));
    }
}
