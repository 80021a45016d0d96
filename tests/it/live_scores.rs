//! Scores of events in play on a real Kafka, from their topic and from the simulated market to both surfaces of the API.

use arb_schemas::records::LiveScore;
use arb_schemas::time::{Micros, SECOND, parse_rfc3339};
use arb_schemas::topics::LIVE_SCORES;
use arb_schemas::wire::encode;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use serde_json::Value;

use crate::kafka::write_to;
use crate::support::odds_api::now;
use crate::support::program::Role;
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::wait::{PATIENCE, wait_for};

fn score(event: &str, reported_at: Micros) -> LiveScore {
    LiveScore {
        event: event.to_owned(),
        sport: "soccer".to_owned(),
        league: "soccer_epl".to_owned(),
        home: "H".to_owned(),
        away: "A".to_owned(),
        home_points: 1,
        away_points: 0,
        period: Some("h2".to_owned()),
        source: "test".to_owned(),
        reported_at,
    }
}

/// Writes a score.
fn publish(broker: &Broker, score: &LiveScore) {
    write_to(&broker.kafka, LIVE_SCORES.name, &[(&score.event, &encode(score).unwrap())]);
}

/// Writes that an event is over.
fn end(broker: &Broker, event: &str) {
    let producer: BaseProducer = broker.kafka.client().create().unwrap();
    let topic = broker.kafka.name(LIVE_SCORES.name);
    let tombstone = BaseRecord::<str, [u8]>::to(&topic).key(event);
    producer.send(tombstone).map_err(|(error, _)| error).unwrap();
    producer.flush(PATIENCE).unwrap();
}

/// The events of an answer.
fn events(answer: &Value) -> Vec<String> {
    let scores = answer["scores"].as_array().into_iter().flatten();
    scores.map(|score| score["event"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_score_is_answered_until_it_is_old_or_its_event_is_over() {
    let broker = Broker::start();
    let key = Key::new(&broker, "pro");
    let serve = Serve::start(&broker, &key, "serve", &[]);
    let (young, old) = (now(), now() - 301 * SECOND);
    let other = LiveScore { sport: "tennis".into(), league: "tennis_atp".into(), ..score("other", young) };
    write_to(&broker.kafka, LIVE_SCORES.name, &[("broken", b"no record")]);
    for score in [score("old", old), score("over", young), score("young", young)] {
        publish(&broker, &score);
    }
    end(&broker, "over");
    publish(&broker, &other);
    wait_for("the last score is read", || {
        let shown = events(&serve.get("/v1/scores").json());
        (shown == ["other", "young"]).then_some(())
    });
    let answer = serve.get("/v1/scores?sport=soccer").json();
    assert_eq!(events(&answer), ["young"]);
    let shown = &answer["scores"][0];
    assert_eq!(
        (&shown["home_points"], &shown["away_points"], &shown["period"]),
        (&1.into(), &0.into(), &"h2".into())
    );
    let time = |field: &str| parse_rfc3339(shown[field].as_str().unwrap()).unwrap();
    assert_eq!((&shown["source"], time("expires_at") - time("reported_at")), (&"test".into(), 300 * SECOND));
    let other = serve.ask("GET", "/api/v1/scores?event=other", &[("x-api-key", &key.text)]).json();
    assert_eq!(events(&other), ["other"]);
    assert!(events(&serve.get("/v1/scores?event=old").json()).is_empty());
    assert_eq!(serve.get("/v1/scores?league=soccer_epl").status, 400);
    end(&broker, "young");
    wait_for("the event is over", || (events(&serve.get("/v1/scores").json()) == ["other"]).then_some(()));
}

#[test]
fn the_simulated_market_has_scores_of_its_events_in_play() {
    let broker = Broker::start();
    let key = Key::new(&broker, "pro");
    let serve = Serve::start(&broker, &key, "serve", &[]);
    let arguments = [broker.kafka.at(), broker.kafka.named(), "--every", "1", "--events", "40"];
    let mut ingest = Role::start("ingest", &arguments, &broker.path("ingest.log"));
    let answer = wait_for("scores are answered", || {
        ingest.assert_runs();
        let answer = serve.get("/v1/scores").json();
        answer["scores"].as_array().is_some_and(|scores| !scores.is_empty()).then_some(answer)
    });
    for score in answer["scores"].as_array().unwrap() {
        assert_eq!(score["source"], "simulated");
        assert!(
            score["event"].as_str().unwrap().starts_with("simulated-") && score["period"].is_string(),
            "{score}"
        );
    }
    ingest.stop();
}
