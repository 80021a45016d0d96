//! Results from a server that implements `/scores` of The Odds API, and from files, on a real Kafka: picks are graded, within the credits.

use arb_model::pick::OPEN;
use arb_model::{Event, Pick, Time, fixtures};
use arb_schemas::records::{LiveScore, PickCandidate, ResultReport};
use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use arb_schemas::topics::{LIVE_SCORES, PICK_TASKS, PICKS};
use arb_schemas::wire::{RecordType, decode, encode};
use serde_json::{Value, json};

use crate::kafka::{read_all, write_to};
use crate::live::{HOUR, KEY, worker};
use crate::support::odds_api::{Fault, OddsApi, now};
use crate::support::program::{Role, arb, run};
use crate::support::stack::Broker;
use crate::support::wait::{wait_for, wait_for_steps};

const SPORT: &str = "soccer_simulated_league";
/// Events begin so long after their picks were asked for, and twice as long each time that the machine was too slow to publish them before.
pub(crate) const AHEAD: Micros = 15 * SECOND;

/// A bet on the home side of an event that begins at a time.
pub(crate) fn candidate(id: &str, start: Micros) -> PickCandidate {
    let pick = fixtures::pick();
    let event = Event { id: id.into(), league: SPORT.into(), commence_time: Time(start), ..pick.event };
    PickCandidate {
        bot: pick.bot,
        version: 1,
        feed: "live".into(),
        event,
        market: "h2h".into(),
        period: "full_time".into(),
        line: None,
        outcome: "home".into(),
        draw_refunds: false,
        book: pick.book,
        price: pick.price,
        probability: 0.5,
        method: pick.method,
        stake: 0.01,
        reasons: pick.reasons,
        at: Time(now()),
    }
}

/// An event as `/scores` names it.
fn score(id: &str, start: Micros, points: Option<(u32, u32)>, is_completed: bool) -> Value {
    let event = fixtures::event();
    let points = points.map(|(home, away)| {
        json!([{"name": &*event.away, "score": away.to_string()}, {"name": &*event.home, "score": home.to_string()}])
    });
    json!({"id": id, "sport_key": SPORT, "commence_time": to_rfc3339(start), "completed": is_completed,
        "home_team": &*event.home, "away_team": &*event.away, "scores": points, "last_update": points.is_some().then(|| to_rfc3339(now()))})
}

/// The settlement machine, once it has its partitions: from then on it publishes at once.
pub(crate) fn settlement(broker: &Broker) -> Role {
    let mut settle =
        Role::start("settle", &[broker.kafka.at(), broker.kafka.named()], &broker.path("settle.log"));
    settle.wait_for_partitions();
    settle
}

/// The picks as they are now.
fn picks(broker: &Broker) -> Vec<Pick> {
    let records = read_all(&broker.kafka, PICKS.name);
    records.iter().map(|record| decode(&record.value).unwrap()).collect()
}

/// Three events on which picks are published, and when they begin.
fn published(broker: &Broker) -> ([String; 3], Micros) {
    let mut attempt = 0;
    wait_for_steps("picks are published before their events begin", || {
        let start = now() + (AHEAD << attempt);
        let ids = ["over", "moved", "running"].map(|name| format!("{name}{attempt}"));
        for id in &ids {
            write_to(&broker.kafka, PICK_TASKS.name, &[(id, &encode(&candidate(id, start)).unwrap())]);
        }
        attempt += 1;
        let all = || ids.iter().all(|id| picks(broker).iter().any(|pick| *pick.event.id == **id));
        wait_for("the picks are published, or it is too late", || (all() || now() >= start).then_some(()));
        if all() { Ok((ids, start)) } else { Err(attempt) }
    })
}

struct Ground {
    api: OddsApi,
    roles: Vec<Role>,
    broker: Broker,
}

impl Ground {
    /// The pick on an event as it is now.
    fn pick(&self, event: &str) -> Option<Pick> {
        picks(&self.broker).into_iter().rfind(|pick| &*pick.event.id == event)
    }

    fn wait_for_pick(&mut self, what: &str, event: &str, is_it: impl Fn(&Pick) -> bool) -> Pick {
        wait_for(what, || {
            self.roles.iter_mut().for_each(Role::assert_runs);
            self.pick(event).filter(|pick| is_it(pick))
        })
    }

    /// The reports of results on an event, in order.
    fn reports(&self, event: &str) -> Vec<ResultReport> {
        let tasks = read_all(&self.broker.kafka, PICK_TASKS.name);
        let reports =
            tasks.iter().filter(|task| RecordType::of(&task.value).unwrap() == RecordType::ResultReport);
        reports
            .map(|task| decode(&task.value).unwrap())
            .filter(|report: &ResultReport| report.event == event)
            .collect()
    }

    /// The points of an event in play that are shown, in order; none where it is over.
    fn shown(&self, event: &str) -> Vec<Option<(i32, i32)>> {
        let records = read_all(&self.broker.kafka, LIVE_SCORES.name);
        let points = |value: &[u8]| {
            let score: LiveScore = decode(value).unwrap();
            assert_eq!((&*score.event, &*score.league, score.period), (event, SPORT, None));
            (score.home_points, score.away_points)
        };
        let of_event = records.iter().filter(|record| record.key == event.as_bytes());
        of_event.map(|record| (!record.value.is_empty()).then(|| points(&record.value))).collect()
    }

    /// Whether an event that was over is in play with these points.
    fn is_shown_again(&self, event: &str, points: (i32, i32)) -> bool {
        let shown = self.shown(event);
        shown.first() == Some(&None) && shown.last() == Some(&Some(points))
    }

    /// Calls of a kind so far.
    fn calls(&self, kind: &str) -> usize {
        self.api.state().calls.iter().filter(|call| call.kind == kind).count()
    }

    fn wait_for_calls(&mut self, kind: &str, more: usize) {
        let before = self.calls(kind);
        wait_for_steps(&format!("{more} more calls of {kind}"), || {
            self.roles.iter_mut().for_each(Role::assert_runs);
            let calls = self.calls(kind);
            if calls >= before + more { Ok(()) } else { Err(calls) }
        });
    }

    fn names(&self, events: &[Value]) {
        self.api.state().scores.insert(SPORT.to_owned(), events.to_vec());
    }
}

#[test]
fn picks_on_live_events_are_graded_from_scores_within_the_credits() {
    let broker = Broker::start();
    let api = OddsApi::start(broker.scratch.path(), &[KEY], &[(SPORT, None), ("soccer_other", None)]);
    let settle = settlement(&broker);
    let ([over, moved, running], start) = published(&broker);
    let (over, moved, running) = (&*over, &*moved, &*running);
    let (in_play, later) = (|| score(running, start, Some((9, 9)), false), start + 48 * HOUR);
    let faults =
        [Fault::Busy, Fault::Status(500), Fault::HalfJson, Fault::Html, Fault::Cut, Fault::NoHeaders];
    api.state().score_faults.extend(faults);
    let arguments =
        ["--sports", SPORT, "--scores-after", "0s", "--scores-every", "200ms", "--credit-floor", "40"];
    let live = worker(&broker, &api, KEY, &arguments);
    let mut ground = Ground { api, roles: vec![settle, live], broker };
    ground.names(&[score(over, start, Some((2, 1)), true), score(moved, later, None, false), in_play()]);
    assert!(ground.pick(over).unwrap().published_at.0 < start);
    let calls = ground.calls("scores");
    assert!(calls == 0 || now() >= start, "nothing has begun: {calls}");

    let graded = ground.wait_for_pick("the pick is graded", over, |pick| !pick.grades.is_empty());
    let grade = graded.grade().unwrap();
    assert_eq!((grade.settlement.as_str(), grade.home, grade.away), ("won", Some(2), Some(1)));
    assert!(
        (grade.profit - 1.1).abs() < 1e-12 && grade.source == format!("the-odds-api/{SPORT}"),
        "{grade:?}"
    );
    let pick = ground.wait_for_pick("the new start counts", moved, |pick| pick.starts_at.0 == later);
    assert!(pick.grades.is_empty() && pick.event.commence_time.0 == start, "what was published stays");
    assert!(ground.api.state().score_faults.is_empty(), "after everything that can go wrong");

    // The same again is not written; another score is, and one that is withdrawn.
    ground.wait_for_calls("scores", 4);
    assert_eq!((ground.reports(over).len(), ground.reports(moved).len()), (1, 1));
    assert!(ground.reports(running).is_empty(), "points of an event in play are no result");
    ground.names(&[score(over, start, Some((2, 2)), true), score(moved, later, None, false)]);
    let corrected = ground.wait_for_pick("a correction", over, |pick| pick.grades.len() == 2);
    assert_eq!(
        corrected.grades.iter().map(|grade| grade.settlement.as_str()).collect::<Vec<_>>(),
        ["won", "lost"]
    );
    ground.names(&[score(over, start, Some((2, 2)), false), score(moved, later, None, false), in_play()]);
    let withdrawn = ground.wait_for_pick("it is withdrawn", over, |pick| pick.grades.len() == 3);
    assert_eq!(withdrawn.grade().unwrap().settlement, OPEN);
    assert_eq!(ground.reports(over).len(), 3);
    // What the same answers say of events in play is for display.
    wait_for("scores are shown", || (ground.shown(running) == [Some((9, 9))]).then_some(()));
    wait_for("a score is shown again", || ground.is_shown_again(over, (2, 2)).then_some(()));

    // At the floor nothing is asked for, and then again.
    ground.api.state().credits = 42;
    wait_for("what is left is known", || {
        let log = std::fs::read_to_string(ground.broker.path(&format!("{KEY}.log"))).unwrap();
        log.contains("polling stops at the floor").then_some(())
    });
    let calls = ground.calls("scores");
    // It looks for sports, which costs nothing, more often than for scores.
    ground.wait_for_calls("sports", 5);
    assert_eq!(ground.calls("scores"), calls);
    assert!(ground.api.state().credits >= 40);
    ground.api.state().credits = 1_000;
    ground.wait_for_calls("scores", 2);
    let calls = ground.api.state().calls.clone();
    assert!(calls.iter().all(|call| call.kind != "odds"), "no prices of a sport without events");
    assert!(
        calls.iter().all(|call| call.kind != "scores" || call.sport == SPORT),
        "no pick waits for the other"
    );
    ground.roles.iter_mut().for_each(Role::stop);
}

/// `arb results` over a file of football-data with this score.
fn results_of(broker: &Broker, date: &str, score: &str) -> String {
    let (file, names) = (broker.path("E0.csv"), broker.path("names.txt"));
    let rows =
        format!("Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR\nE0,{date},15:00,Nordby,South,{score},H\n");
    std::fs::write(&file, rows).unwrap();
    std::fs::write(&names, "Sør = South\n").unwrap();
    let (file, names) = (file.display().to_string(), names.display().to_string());
    let output = run(arb().args([
        "results",
        "--football-data",
        &file,
        "--names",
        &names,
        broker.kafka.at(),
        broker.kafka.named(),
    ]));
    assert!(output.success, "{}", output.err);
    output.out
}

#[test]
fn picks_are_graded_from_a_file_of_football_data() {
    let broker = Broker::start();
    let mut settle = settlement(&broker);
    // Of a recording, so that the pick is published before an event that is over.
    let start = now() - 3 * HOUR;
    for (id, league) in [("known", "soccer_epl"), ("unknown", "soccer_epl"), ("other", "soccer_spl")] {
        let mut candidate = candidate(id, start);
        candidate.event.league = league.into();
        (candidate.feed, candidate.at) = ("recorded".into(), Time(start - HOUR));
        if id == "unknown" {
            candidate.event.home = "Elsewhere".into();
        }
        write_to(&broker.kafka, PICK_TASKS.name, &[(id, &encode(&candidate).unwrap())]);
    }
    let picks = || picks(&broker);
    wait_for("the picks are published", || {
        settle.assert_runs();
        (picks().len() == 3).then_some(())
    });
    let day = to_rfc3339(start);
    let date = format!("{}/{}/{}", &day[8..10], &day[5..7], &day[..4]);
    let told = results_of(&broker, &date, "2,1");
    assert!(
        told.starts_with("1 results written, 0 known; the file has 1 matches, 0 rows were left out"),
        "{told}"
    );
    assert!(
        told.contains("no row for unknown: soccer_epl, Elsewhere - Sør") && !told.contains("other"),
        "{told}"
    );
    let graded = |count: usize| {
        wait_for("the pick is graded", || picks().into_iter().rfind(|pick| pick.grades.len() == count))
    };
    let first = graded(1);
    assert_eq!((&*first.event.id, first.grades[0].settlement.as_str()), ("known", "won"));
    assert_eq!(first.grades[0].source, "football-data E0");
    assert!(results_of(&broker, &date, "2,1").starts_with("0 results written, 1 known"));
    assert!(results_of(&broker, &date, "2,2").starts_with("1 results written, 0 known"));
    assert_eq!(graded(2).grades[1].settlement, "lost");
    settle.stop();
}
