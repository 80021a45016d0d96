//! Scores of events in play. It never decides which are shown.

use arb_model::{Time, view};
use arb_schemas::records::LiveScore;
use arb_schemas::time::Micros;

view! {
    /// The scores of events in play.
    pub(crate) struct ScoreList<'a> {
        as_of: Option<Time>,
        scores: Vec<ScoreView<'a>>,
    }
}

view! {
    /// The score of an event in play as a source reports it, for display: bets are settled by results.
    pub(crate) struct ScoreView<'a> => "Score" {
        /// Its id.
        event: &'a str,
        sport: &'a str,
        league: &'a str,
        /// The side whose points are home_points; a source may name the sides the other way round than the board.
        home: &'a str,
        away: &'a str,
        home_points: i32,
        away_points: i32,
        /// The period that is played, as the source states it; null where it does not.
        period: Option<&'a str>,
        source: &'a str,
        /// When the source last confirmed it.
        reported_at: Time,
        /// From then on it is too old to be shown.
        expires_at: Time,
    }
}

impl<'a> ScoreView<'a> {
    /// Of a score that is shown until a time.
    pub(crate) fn new(score: &'a LiveScore, expires_at: Micros) -> Self {
        Self {
            event: &score.event,
            sport: &score.sport,
            league: &score.league,
            home: &score.home,
            away: &score.away,
            home_points: score.home_points,
            away_points: score.away_points,
            period: score.period.as_deref(),
            source: &score.source,
            reported_at: Time(score.reported_at),
            expires_at: Time(expires_at),
        }
    }
}
