//! The scores of events in play (`GET /scores`), each with its source and the time at which that confirmed it.
//!
//! It shows what sources report, for display: it never shows an old score, and never says how a bet is settled.

use std::sync::Arc;

use arb_feed::filter::sport::{SPORT, Sport};
use arb_model::Time;
use arb_schemas::records::LiveScore;

use crate::access::authority::Authority;
use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, filled, parameters_of, row};
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::lists::Lists;
use crate::lists::known_names::Named;
use crate::resources::parameters::EVENT;
use crate::resources::tagged;
use crate::scores::store::{ScoreStore, expires_at};
use crate::view::{ScoreList, ScoreView};

/// Why nothing of scores is answered.
const UNREAD: &str = "The scores are being read; try again.";

/// The scores of the live market.
#[derive(Debug)]
pub(crate) struct ScoresResource {
    pub(crate) scores: Arc<ScoreStore>,
    pub(crate) lists: Lists,
    pub(crate) authority: Arc<Authority>,
}

/// The filters of a request; a filter applies where it is given.
#[derive(Debug, Default)]
struct ScoreFilter {
    sport: Sport,
    event: Option<String>,
}

impl Query for ScoreFilter {
    const ROWS: &'static [QueryRow<Self>] = &[row!(SPORT => sport), row!(EVENT => event)];
}

impl ScoreFilter {
    fn includes(&self, score: &LiveScore) -> bool {
        self.sport.is(&score.sport, &score.league)
            && self.event.as_deref().is_none_or(|event| event == score.event)
    }
}

impl ScoresResource {
    /// What scores are asked for by.
    pub(crate) const PARAMETERS: ParameterList = parameters_of::<ScoreFilter>;

    /// Answers `GET /scores`.
    pub(crate) fn list(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let filter = filled(ScoreFilter::default(), request.query())?;
        self.lists.names.check(Named::sport("sport", &filter.sport))?;
        if !self.scores.is_ready() {
            return Err(Problem::unavailable(UNREAD));
        }
        let as_of = self.lists.polls.as_of();
        // A market that is played faster than the clock is ahead of it; one whose polls have ceased is behind, and its scores are old all the same.
        let now = self.authority.received_at().max(as_of.unwrap_or_default());
        let scores = self.scores.shown(now, |score| filter.includes(score));
        let scores = scores.iter().map(|score| ScoreView::new(score, expires_at(score))).collect();
        tagged::answer(&ScoreList { as_of: as_of.map(Time), scores }, request, charge)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn filters_are_a_sport_or_a_league_and_an_event() {
        let score = LiveScore {
            event: "e".to_owned(),
            sport: "soccer".to_owned(),
            league: "soccer_epl".to_owned(),
            ..LiveScore::default()
        };
        for query in ["", "sport=soccer", "sport=soccer_epl&event=e", "event=e"] {
            assert!(filled(ScoreFilter::default(), query).ok().unwrap().includes(&score), "{query}");
        }
        for query in ["sport=tennis", "sport=soccer_fa_cup", "event=f", "sport=soccer&event=f"] {
            assert!(!filled(ScoreFilter::default(), query).ok().unwrap().includes(&score), "{query}");
        }
        for wrong in ["sport=", "event=", "league=soccer_epl", "limit=1", "event=e&event=e"] {
            assert!(filled(ScoreFilter::default(), wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_score_has_its_source_and_its_times() {
        let score = LiveScore { home_points: 2, source: "s".to_owned(), ..LiveScore::default() };
        let json = json!(ScoreView::new(&score, expires_at(&score)));
        assert_eq!(
            (&json["home_points"], &json["source"], &json["period"]),
            (&json!(2), &json!("s"), &Value::Null)
        );
        assert_eq!(
            (&json["reported_at"], &json["expires_at"]),
            (&json!("1970-01-01T00:00:00Z"), &json!("1970-01-01T00:05:00Z"))
        );
    }
}
