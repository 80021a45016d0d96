//! A three-way bet on the draw of ice hockey, and a result that only says how it stood after overtime.

use std::path::Path;
use std::sync::Arc;

use arb_ingest::live::known_scores::KnownScores;
use arb_ingest::the_odds_api::{Decoder, OddsFormat, scores::scores};
use arb_model::time::{SECOND, parse_rfc3339};
use arb_model::{Faults, Pick, Price, Time};
use arb_process::books::shipped;
use arb_schemas::records::Outcome;
use arb_settle::clauses::Clauses;
use arb_settle::grading::grade;
use serde_json::{Value, json};

/// The report, where it is there, and another of its kind.
fn inputs() -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/reports/settlement-overtime.json");
    let real = std::fs::read_to_string(&path).ok().map(|text| serde_json::from_str(&text).unwrap());
    if real.is_none() {
        println!("NOTE: {} is absent: its twin alone is played", path.display());
    }
    let event = |more: Value| {
        let mut event = json!({
            "id": "x", "sport_key": "icehockey_nhl", "commence_time": "2026-11-21T12:00:00Z", "home_team": "Red", "away_team": "Blue",
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let outcomes = json!([{"name": "Red", "price": 2.4}, {"name": "Draw", "price": 4.9}, {"name": "Blue", "price": 2.5}]);
    let market = json!({"key": "h2h", "last_update": "2026-11-21T11:59:00Z", "outcomes": outcomes});
    let points = json!([{"name": "Red", "score": "4"}, {"name": "Blue", "score": "3"}]);
    let twin = json!({
        "odds": [event(json!({"bookmakers": [{"key": "betsson", "markets": [market]}]}))],
        "scores": [event(json!({"completed": true, "scores": points, "last_update": "2026-11-21T15:00:00Z"}))],
    });
    real.into_iter().chain([twin]).collect()
}

/// The report's draw at 4.9, as a pick.
fn pick_of(input: &Value) -> Pick {
    let (mut faults, odds) = (Faults::default(), input["odds"].to_string());
    let poll = Decoder::new(OddsFormat::Decimal).answer(&odds, 0, &mut faults).unwrap();
    let (event, offers) = &poll.events[0];
    let mut ticks = offers.iter().flat_map(|offer| offer.ticks.iter().map(move |tick| (offer, tick)));
    let (offer, tick) =
        ticks.find(|(_, tick)| tick.outcome == Outcome::Draw && tick.price == 4_900_000).unwrap();
    Pick {
        id: "pick".into(),
        bot: "bot".into(),
        version: 1,
        feed: "live".into(),
        event: event.clone(),
        market: "h2h".into(),
        period: "full_time".into(),
        line: None,
        outcome: "draw".into(),
        draw_refunds: false,
        book: (&*offer.book).into(),
        price: Price::from_millionths(tick.price).unwrap(),
        probability: 0.25,
        method: "none".into(),
        stake: 0.01,
        reasons: vec![],
        published_at: Time(event.commence_time.0 - 60 * SECOND),
        starts_at: event.commence_time,
        closing: None,
        offer_after_poll: None,
        offer_after_minute: None,
        grades: vec![],
    }
}

#[test]
fn a_draw_after_regulation_is_never_lost_by_the_score_after_overtime() {
    for input in inputs() {
        let (pick, mut faults) = (pick_of(&input), Faults::default());
        let found = scores(&input["scores"].to_string(), "icehockey_nhl", &mut faults).unwrap();
        let (start, now) = (pick.event.commence_time.0, parse_rfc3339("2026-11-22T00:00:00Z").unwrap());
        let reports = KnownScores::default().news("icehockey_nhl", &found, |_| Some(start), now);
        assert_eq!((reports.len(), &*reports[0].status), (1, "finished"), "{faults}");
        let clauses = Clauses::new(Arc::new(shipped().unwrap()));
        // A report that says how it stood before overtime loses nothing either.
        let mut whole = reports[0].clone();
        let mut regulation = whole.scores[0].clone();
        let least = regulation.home.min(regulation.away);
        (regulation.period, regulation.home, regulation.away) = ("regulation".to_owned(), least, least);
        whole.scores.push(regulation);
        whole.ended = Some("overtime".to_owned());
        for report in [&reports[0], &whole] {
            let settlement = grade(&clauses, &pick, report).map(|grade| grade.settlement);
            let is_right =
                settlement.as_deref().is_none_or(|settlement| ["open", "won"].contains(&settlement));
            assert!(is_right, "{settlement:?}");
        }
    }
}
