//! Results of matches that are over: a question of the seed and the time alone, and as likely as the prices before them say.

use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_schemas::records::{Outcome, ResultReport, Side};
use arb_schemas::time::{Micros, SECOND};

const START: Micros = 1_800_000_000 * SECOND;
const HOUR: Micros = 3_600 * SECOND;

fn market(short: usize) -> Simulator {
    Simulator::new(Settings { seed: 9, start: START, events: 8, short, ..Settings::default() })
}

#[test]
fn every_match_that_was_on_offer_has_one_result() {
    let (mut source, until) = (market(12), START + 6 * HOUR);
    let reports = market(12).results(START, until);
    let again: Vec<ResultReport> = (0..360)
        .flat_map(|minute| {
            market(12).results(START + minute * 60 * SECOND, START + (minute + 1) * 60 * SECOND)
        })
        .collect();
    let sorted = |mut reports: Vec<ResultReport>| {
        reports.sort_by(|a, b| a.event.cmp(&b.event));
        reports
    };
    let reports = sorted(reports);
    assert_eq!(reports, sorted(again), "whenever it is asked");
    assert!(reports.windows(2).all(|pair| pair[0].event != pair[1].event));
    let mut offered = std::collections::BTreeMap::new();
    for minute in 0..360 {
        for (event, _) in source.poll_at(START + minute * 60 * SECOND).events {
            offered.insert(event.id.to_string(), event.commence_time.0);
        }
    }
    let over: Vec<_> = reports.iter().filter(|report| offered.contains_key(&report.event)).collect();
    assert!(over.len() > 100, "{}", over.len());
    for report in over {
        assert_eq!(report.starts_at, offered.get(&report.event).copied());
        assert!(report.starts_at < Some(report.at) && START < report.at && report.at <= until);
    }
}

#[test]
fn short_matches_leave_the_others_as_they_are() {
    let (mut with, mut without) = (market(6), market(0));
    let usual = |poll: arb_ingest::source::Poll| {
        let is_usual =
            |(event, _): &(arb_schemas::records::Event, Vec<_>)| &*event.league != "soccer_simulated_short";
        poll.events.into_iter().filter(is_usual).collect::<Vec<_>>()
    };
    for minute in 0..30 {
        let at = START + minute * 60 * SECOND;
        let (with, without) = (with.poll_at(at), without.poll_at(at));
        assert!(with.events.len() > without.events.len());
        assert_eq!(usual(with), usual(without));
    }
}

/// Over some hundreds of matches home wins about as often as the last prices before the start say.
#[test]
fn matches_end_as_their_prices_say() {
    let (mut source, hours) = (market(12), 24);
    let mut expected = std::collections::BTreeMap::new();
    for minute in 0..hours * 60 {
        let at = START + minute * 60 * SECOND;
        for (event, offers) in source.poll_at(at).events {
            let Some(winner) = offers.iter().find(|offer| offer.book == "alderbet" && offer.market == "h2h")
            else {
                continue;
            };
            let implied = |tick: &arb_schemas::records::Tick| 1e6 / tick.price as f64;
            let backs = || winner.ticks.iter().filter(|tick| tick.side == Side::Back);
            let booksum: f64 = backs().map(implied).sum();
            let home: f64 = backs().filter(|tick| tick.outcome == Outcome::Home).map(implied).sum();
            if event.commence_time.0 > at {
                expected.insert(event.id.to_string(), home / booksum);
            }
        }
    }
    let (mut count, mut likely, mut won, mut variance) = (0, 0.0, 0.0, 0.0);
    for report in source.results(START, START + hours * HOUR) {
        let Some(chance) = expected.get(&report.event) else { continue };
        count += 1;
        likely += chance;
        variance += chance * (1.0 - chance);
        won += f64::from(u8::from(report.scores[0].home > report.scores[0].away));
    }
    let deviation: f64 = variance;
    assert!(count > 500, "{count}");
    assert!((won - likely).abs() < 4.0 * deviation.sqrt(), "{won} of {count} won, {likely:.1} expected");
}

/// Scores depend on the seed and the time alone, never go down, and the last ones of a match are its result or short of it.
#[test]
fn scores_of_matches_in_play_lead_to_their_results() {
    let of = |start| Simulator::new(Settings { seed: 9, start, events: 30, short: 6, ..Settings::default() });
    let (mut source, hours) = (of(START), 6);
    let mut last = std::collections::BTreeMap::new();
    for minute in 0..hours * 60 {
        let at = START + minute * 60 * SECOND;
        let poll = source.poll_at(at);
        let scores = source.scores(at);
        let playing: Vec<_> = poll.events.iter().filter(|(event, _)| event.commence_time.0 <= at).collect();
        assert_eq!(scores.len(), playing.len(), "each match in play that is on offer");
        for (score, (event, _)) in scores.into_iter().zip(playing) {
            assert_eq!((&*score.event, &*score.home, &*score.away), (&*event.id, &*event.home, &*event.away));
            assert_eq!((&*score.league, score.reported_at), (&*event.league, at));
            assert!(score.period.is_some());
            let before = last.insert(score.event.clone(), score.clone());
            assert!(before.is_none_or(|before| before.home_points <= score.home_points
                && before.away_points <= score.away_points
                && before.period <= score.period));
        }
    }
    let middle = START + hours * HOUR;
    let (mut again, before) = (of(middle), source.scores(middle - 60 * SECOND));
    let _ = (again.poll_at(middle), source.poll_at(middle));
    assert_eq!(again.scores(middle), source.scores(middle), "a market that is restarted goes on");
    assert!(!before.is_empty());
    let mut compared = 0;
    for report in source.results(START, START + hours * HOUR) {
        let Some(score) = last.get(&report.event) else { continue };
        let result = &report.scores[0];
        assert!(score.home_points <= result.home && score.away_points <= result.away);
        compared += 1;
    }
    assert!(compared > 3 && last.values().any(|score| score.home_points > 0), "{compared}");
}
