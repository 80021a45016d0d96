//! The scores of The Odds API v4, `GET /v4/sports/{sport}/scores`, as JSON.
//!
//! A malformed event is left out and counted by its field; an answer that is no array is no answer. Points are matched to the sides
//! by name, never by their order, and keep the names: another answer may name the sides the other way round. The API says neither whether a
//! match had overtime nor its score before that. It never takes an event without points for one that was lost.
//!
//! Source: The Odds API, "Odds API documentation v4", scores: `completed`, `commence_time`, `scores` with `name` and `score` as text (null
//! before the start), `last_update`.

use std::collections::BTreeMap;

use arb_model::Faults;
use arb_schemas::time::{Micros, parse_rfc3339};
use serde_json::Value;

/// Highest number of points; the settlement machine refuses more.
const MAX_POINTS: i32 = 9_999;
/// Longest id, in bytes; the settlement machine refuses longer ones.
const MAX_ID: usize = 400;

/// How an event stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventScore {
    /// Its id.
    pub event: String,
    /// When it started, or starts.
    pub starts_at: Micros,
    /// Whether it is over.
    pub is_completed: bool,
    /// Points of home and away.
    pub points: Option<(i32, i32)>,
    /// The side that the answer calls home, whose points are the first ones.
    pub home: String,
    /// The other side.
    pub away: String,
    /// When the points were last confirmed.
    pub updated_at: Option<Micros>,
}

/// The events of a sport that an answer names, by id; `None` when it is no array.
pub fn scores(body: &str, sport: &str, faults: &mut Faults) -> Option<Vec<EventScore>> {
    let Ok(events) = serde_json::from_str::<Vec<Value>>(body) else {
        faults.count("events", "is no array");
        return None;
    };
    let read = |event: &Value| match event_score(event, sport, faults) {
        Ok(score) => Some((score.event.clone(), score)),
        Err((field, problem)) => {
            faults.count(field, problem);
            None
        }
    };
    Some(events.iter().filter_map(read).collect::<BTreeMap<_, _>>().into_values().collect())
}

type FaultOfField = (&'static str, &'static str);

fn event_score(event: &Value, sport: &str, faults: &mut Faults) -> Result<EventScore, FaultOfField> {
    let text = |field: &'static str| event[field].as_str().ok_or((field, "missing"));
    if text("sport_key")? != sport {
        return Err(("sport_key", "not the one asked for"));
    }
    let id = text("id")?;
    if id.is_empty() || id.len() > MAX_ID {
        return Err(("id", "is too long or empty"));
    }
    let starts_at = parse_rfc3339(text("commence_time")?).ok_or(("commence_time", "is no time"))?;
    let is_completed = event["completed"].as_bool().ok_or(("completed", "missing"))?;
    let (home, away) = (text("home_team")?, text("away_team")?);
    let points = points(&event["scores"], home, away);
    if points.is_none() && (is_completed || !event["scores"].is_null()) {
        faults.count("scores", "has no points of both sides");
    }
    let updated_at = event["last_update"].as_str().and_then(parse_rfc3339);
    let (home, away) = (home.to_owned(), away.to_owned());
    Ok(EventScore { event: id.to_owned(), starts_at, is_completed, points, home, away, updated_at })
}

/// Points of both sides, each named once.
fn points(scores: &Value, home: &str, away: &str) -> Option<(i32, i32)> {
    let [one, other] = &scores.as_array()?[..] else { return None };
    let of = |side: &str| {
        let named = [one, other].into_iter().filter(|score| score["name"] == side);
        let [score] = named.collect::<Vec<_>>()[..] else { return None };
        whole(&score["score"])
    };
    Some((of(home)?, of(away)?))
}

/// Points, which are text; a number is taken too.
fn whole(score: &Value) -> Option<i32> {
    let points = match score {
        Value::String(text) if text.bytes().all(|digit| digit.is_ascii_digit()) => text.parse().ok()?,
        Value::Number(number) => i32::try_from(number.as_u64()?).ok()?,
        _ => return None,
    };
    (points <= MAX_POINTS).then_some(points)
}

#[cfg(test)]
mod tests {
    use arb_schemas::time::SECOND;
    use serde_json::json;

    use super::*;

    fn event(scores: &Value) -> Value {
        json!({"id": "e", "sport_key": "soccer_epl", "commence_time": "1970-01-01T00:00:05Z", "completed": true, "home_team": "H",
            "away_team": "A", "scores": scores, "last_update": "1970-01-01T02:00:00Z"})
    }

    fn points_of(scores: &Value) -> Option<(i32, i32)> {
        let body = json!([event(scores)]).to_string();
        scores_of(&body).0.remove(0).points
    }

    fn scores_of(body: &str) -> (Vec<EventScore>, Faults) {
        let mut faults = Faults::default();
        let found = scores(body, "soccer_epl", &mut faults).unwrap_or_default();
        (found, faults)
    }

    #[test]
    fn points_are_matched_by_name() {
        let turned = json!([{"name": "A", "score": "0"}, {"name": "H", "score": "3"}]);
        let (found, faults) = scores_of(&json!([event(&turned)]).to_string());
        let expected = EventScore {
            event: "e".to_owned(),
            starts_at: 5 * SECOND,
            is_completed: true,
            points: Some((3, 0)),
            home: "H".to_owned(),
            away: "A".to_owned(),
            updated_at: Some(7_200 * SECOND),
        };
        assert_eq!((found, faults.is_empty()), (vec![expected], true));
        assert_eq!(
            points_of(&json!([{"name": "H", "score": 104}, {"name": "A", "score": 99}])),
            Some((104, 99))
        );
    }

    #[test]
    fn what_is_no_number_of_points_is_none() {
        for wrong in [
            json!(null),
            json!([]),
            json!([{"name": "H", "score": "1"}]),
            json!([{"name": "H", "score": "1"}, {"name": "H", "score": "1"}]),
            json!([{"name": "H", "score": "1"}, {"name": "B", "score": "1"}]),
            json!([{"name": "H", "score": "1"}, {"name": "A", "score": "-1"}]),
            json!([{"name": "H", "score": "1"}, {"name": "A", "score": ""}]),
            json!([{"name": "H", "score": "1"}, {"name": "A", "score": "142/3"}]),
            json!([{"name": "H", "score": "1"}, {"name": "A", "score": 1.5}]),
            json!([{"name": "H", "score": "1"}, {"name": "A", "score": "10000"}]),
            json!("3:0"),
        ] {
            assert_eq!(points_of(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_malformed_event_is_left_out_and_counted() {
        for (field, value) in [
            ("id", json!("")),
            ("sport_key", json!("nba")),
            ("commence_time", json!("soon")),
            ("completed", json!("yes")),
        ] {
            let mut wrong = event(&json!(null));
            wrong[field] = value;
            let (found, faults) = scores_of(&json!([wrong, 5, event(&json!(null))]).to_string());
            assert_eq!(found.len(), 1, "{field}");
            assert_eq!(faults.iter().map(|(_, _, count)| count).sum::<u64>(), 3, "{field}: {faults}");
        }
    }

    #[test]
    fn an_answer_that_is_no_array_is_none() {
        for broken in ["", "{}", "[", "null", "<html>"] {
            assert_eq!(scores(broken, "soccer_epl", &mut Faults::default()), None, "{broken}");
        }
    }
}
