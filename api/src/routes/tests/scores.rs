//! Scores of events in play, as a caller has them.

use arb_schemas::records::LiveScore;
use arb_schemas::time::SECOND;
use warp::http::{Method, StatusCode};

use super::{Api, json};

fn score(event: &str, reported_at: i64) -> LiveScore {
    LiveScore {
        event: event.to_owned(),
        sport: "soccer".to_owned(),
        league: "soccer_epl".to_owned(),
        home_points: 1,
        reported_at,
        ..LiveScore::default()
    }
}

#[test]
fn scores_are_answered_on_both_surfaces_while_they_are_young() {
    let api = Api::new();
    let now = api.app.authority.received_at().max(10 * SECOND);
    for (event, at) in [("young", now - 60 * SECOND), ("old", now - 300 * SECOND), ("over", now)] {
        api.app.scores().put(score(event, at));
    }
    api.app.scores().remove("over");
    let events = |path: &str, query: &str| {
        let answer = json(api.ask(&Method::GET, path, query, None).0);
        let scores = answer["scores"].as_array().unwrap().iter();
        scores.map(|score| (score["event"].clone(), score["home_points"].clone())).collect::<Vec<_>>()
    };
    for path in ["/v1/scores", "/api/v1/scores"] {
        assert_eq!(events(path, "sport=soccer"), [("young".into(), 1.into())], "{path}");
    }
    assert_eq!(events("/v1/scores", "event=old"), []);
    for wrong in ["sport=socer", "league=soccer_epl", "limit=1"] {
        let (answer, _) = api.ask(&Method::GET, "/v1/scores", wrong, None);
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{wrong}");
    }
    let (unread, used) = Api::unread().ask(&Method::GET, "/v1/scores", "", None);
    assert_eq!((unread.status(), used), (StatusCode::SERVICE_UNAVAILABLE, 0));
}
