//! A server that implements The Odds API v4, its content from a simulated recording, its faults on command.
//!
//! It charges as the API is documented to, keeps a book of every call, and never lets a call go below zero credits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use arb_schemas::time::{Micros, to_rfc3339};
use serde_json::{Value, json};

use super::odds_content::{each, in_decimal, of_regions};
use super::recordings;
use super::wait::pace;

/// What goes wrong with a call of `/odds`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// 429, to be left alone for a second.
    Busy,
    Status(u16),
    /// No answer, until the client gives up.
    Hang,
    /// Half of the body that was announced.
    Cut,
    /// Half of the body, announced as all of it.
    HalfJson,
    /// A page.
    Html,
    /// More than anyone may read, packed.
    Huge,
    /// A byte in a while.
    Trickle,
    /// Elsewhere, where all is well.
    Redirect,
    /// A valid response without headers of credits.
    NoHeaders,
    /// A valid answer with words for numbers.
    OddHeaders,
    /// A valid answer in which each event is listed twice.
    Doubled,
    /// No HTTP.
    Noise,
}

/// A call, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// `sports`, `events`, `odds` or `scores`.
    pub(crate) kind: &'static str,
    pub(crate) sport: String,
    pub(crate) key: String,
    /// `oddsFormat` and `regions`, of `/odds`.
    pub(crate) asked: (String, String),
}

/// The state of the server; tests read and change it.
pub(crate) struct State {
    /// Keys that are taken.
    pub(crate) keys: BTreeSet<String>,
    /// When the first event of each sport starts, from now; `None` has no events.
    pub(crate) sports: BTreeMap<String, Option<Micros>>,
    /// Sports that are listed and then unknown.
    pub(crate) unknown: BTreeSet<String>,
    pub(crate) credits: u64,
    /// When the books have confirmed their prices, of a provider that publishes what it has had for some time; now unless set.
    pub(crate) seen_at: Option<Micros>,
    used: u64,
    /// The least that credits have been.
    pub(crate) least: u64,
    /// What `/scores` names of each sport; events that are completed only to callers that ask for days.
    pub(crate) scores: BTreeMap<String, Vec<Value>>,
    /// For the next calls of `/scores`.
    pub(crate) score_faults: VecDeque<Fault>,
    /// For the next calls of `/odds`.
    pub(crate) faults: VecDeque<Fault>,
    pub(crate) calls: Vec<Call>,
    /// The bodies of valid answers of `/odds`, in order.
    pub(crate) served: Vec<String>,
    /// Whether every call accepted gzip.
    pub(crate) takes_gzip: bool,
    /// Every other book is of the region `us` alone, the others of every other region; else all are of every region.
    pub(crate) has_regions: bool,
    /// Polls of the recording, each an array of events in American odds; with limits for callers that request
    /// them.
    pub(crate) content: Vec<Value>,
}

/// The server.
pub(crate) struct OddsApi {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

impl OddsApi {
    /// Serves these sports to these keys.
    pub(crate) fn start(scratch: &Path, keys: &[&str], sports: &[(&str, Option<Micros>)]) -> Self {
        let recording = recordings::simulated(scratch, 61, 60);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let state = Arc::new(Mutex::new(State {
            keys: keys.iter().map(ToString::to_string).collect(),
            sports: sports.iter().map(|(sport, starts)| ((*sport).to_owned(), *starts)).collect(),
            unknown: BTreeSet::new(),
            credits: 100_000,
            seen_at: None,
            used: 0,
            least: u64::MAX,
            scores: BTreeMap::new(),
            score_faults: VecDeque::new(),
            faults: VecDeque::new(),
            calls: Vec::new(),
            served: Vec::new(),
            takes_gzip: true,
            has_regions: false,
            content: recordings::lines(&recording)
                .map(|line| serde_json::from_str::<Value>(&line).unwrap()["events"].take())
                .collect(),
        }));
        let url = format!("http://{}", listener.local_addr().unwrap());
        let theirs = Arc::clone(&state);
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&theirs);
                std::thread::spawn(move || {
                    let _ = serve(stream, &state);
                });
            }
        });
        Self { url, state }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// How often a sport was asked for its prices, with any key.
    pub(crate) fn polls(&self, sport: &str) -> usize {
        self.state().calls.iter().filter(|call| call.kind == "odds" && call.sport == sport).count()
    }

    /// The calls of `/odds` from a position of the book on.
    pub(crate) fn polls_from(&self, from: usize) -> Vec<Call> {
        self.state().calls[from..].iter().filter(|call| call.kind == "odds").cloned().collect()
    }
}

pub(crate) fn now() -> Micros {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_micros()).unwrap()
}

impl State {
    /// The events of a sport, as of now: all start at one time, and were seen now, to the microsecond.
    fn events(&self, sport: &str) -> Vec<Value> {
        let Some(Some(starts_in)) = self.sports.get(sport) else { return vec![] };
        let index = self.served.len() % self.content.len();
        let mut content = self.content[index].clone();
        let (seen, starts) = (to_rfc3339(self.seen_at.unwrap_or_else(now)), to_rfc3339(now() + starts_in));
        each(&mut content, &mut |key, value| match key {
            "last_update" => *value = json!(seen),
            "commence_time" => *value = json!(starts),
            "sport_key" => *value = json!(sport),
            "id" => *value = json!(format!("{sport}/{}", value.as_str().unwrap())),
            _ => {}
        });
        content.as_array().unwrap().clone()
    }

    /// Takes what a call costs, if that much is there.
    fn charge(&mut self, cost: u64) -> bool {
        let Some(rest) = self.credits.checked_sub(cost) else { return false };
        (self.credits, self.used) = (rest, self.used + cost);
        self.least = self.least.min(rest);
        true
    }
}

/// A request, in its parts.
struct Request {
    path: String,
    query: BTreeMap<String, String>,
    takes_gzip: bool,
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let target = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<_> = lines.take_while(|line| !line.is_empty()).map(|line| line.to_lowercase()).collect();
    let takes_gzip = headers.iter().any(|line| line.starts_with("accept-encoding:") && line.contains("gzip"));
    let (path, query) = target.split_once('?')?;
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Some(Request { path: path.to_owned(), query, takes_gzip })
}

/// An answer, as it goes out.
struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

fn error(status: u16, code: &str) -> Answer {
    let body = json!({"message": "no", "error_code": code, "details_url": "https://example.org"});
    Answer { status, headers: vec![], body: body.to_string() }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let Some(request) = read(&stream) else { return Ok(()) };
    let (mut answer, fault) = answer(&request, &mut state.lock().unwrap());
    match fault {
        Some(Fault::Hang) => {
            // Until the client goes.
            let _ = stream.read(&mut [0; 1]);
            return Ok(());
        }
        Some(Fault::Noise) => return stream.write_all(b"what?\r\n\r\n"),
        Some(Fault::Busy) => {
            answer = error(429, "EXCEEDED_FREQ_LIMIT");
            answer.headers.push(("retry-after", "1".to_owned()));
        }
        Some(Fault::Status(status)) => answer = error(status, "BROKEN"),
        Some(Fault::Html) => answer.headers.push(("content-type", "text/html".to_owned())),
        Some(Fault::HalfJson) => answer.body.truncate(answer.body.len() / 2),
        Some(Fault::Redirect) => {
            answer.status = 302;
            answer.headers.push(("location", request.path.clone()));
        }
        _ => {}
    }
    write(&mut stream, &answer, fault)
}

fn write(stream: &mut TcpStream, answer: &Answer, fault: Option<Fault>) -> std::io::Result<()> {
    let mut body = answer.body.clone().into_bytes();
    if fault == Some(Fault::Huge) {
        body = vec![b' '; 40 << 20];
    }
    let mut lines = vec![
        format!("HTTP/1.1 {} Because", answer.status),
        "connection: close".to_owned(),
        format!("content-length: {}", body.len()),
    ];
    lines.extend(answer.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    if !answer.headers.iter().any(|(name, _)| *name == "content-type") {
        lines.push("content-type: application/json; charset=utf-8".to_owned());
    }
    stream.write_all(lines.join("\r\n").as_bytes())?;
    stream.write_all(b"\r\n\r\n")?;
    match fault {
        Some(Fault::Cut) => stream.write_all(&body[..body.len() / 2]),
        Some(Fault::Trickle) => body.iter().try_for_each(|byte| {
            pace("the provider is slow", Duration::from_millis(20));
            stream.write_all(&[*byte])
        }),
        _ => stream.write_all(&body),
    }
}

/// What is to be answered, and what is to go wrong with it.
fn answer(request: &Request, state: &mut State) -> (Answer, Option<Fault>) {
    let key = request.query.get("apiKey").cloned().unwrap_or_default();
    let parts: Vec<_> = request.path.trim_matches('/').split('/').collect();
    let (kind, sport) = match parts[..] {
        ["v4", "sports"] => ("sports", ""),
        ["v4", "sports", sport, "events"] => ("events", sport),
        ["v4", "sports", sport, "odds"] => ("odds", sport),
        ["v4", "sports", sport, "scores"] => ("scores", sport),
        _ => return (error(404, "NOT_FOUND"), None),
    };
    let asked = ["oddsFormat", "regions"].map(|name| request.query.get(name).cloned().unwrap_or_default());
    state.calls.push(Call { kind, sport: sport.to_owned(), key: key.clone(), asked: asked.into() });
    state.takes_gzip &= request.takes_gzip;
    if !state.keys.contains(&key) {
        return (error(401, "INVALID_KEY"), None);
    }
    let (answer, fault) = match kind {
        "sports" => (ok(&listing(state)), None),
        _ if state.unknown.contains(sport) => (error(404, "UNKNOWN_SPORT"), None),
        "events" => (ok(&Value::Array(starts(state, sport))), None),
        "scores" => scores(request, sport, state),
        _ => odds(request, sport, state),
    };
    let cost = u64::from(kind == "odds") + u64::from(kind == "scores") * score_cost(request);
    (with_quota(answer, fault, state, cost), fault)
}

fn ok(body: &Value) -> Answer {
    Answer { status: 200, headers: vec![], body: body.to_string() }
}

fn listing(state: &State) -> Value {
    let sport = |key: &String| json!({"key": key, "group": "G", "active": true, "has_outrights": false});
    state.sports.keys().map(sport).collect()
}

fn starts(state: &State, sport: &str) -> Vec<Value> {
    let mut events = state.events(sport);
    for event in &mut events {
        event.as_object_mut().unwrap().remove("bookmakers");
    }
    events
}

fn odds(request: &Request, sport: &str, state: &mut State) -> (Answer, Option<Fault>) {
    let of = |name: &str| request.query.get(name).map_or("", String::as_str);
    let count = |name: &str| of(name).split(',').filter(|word| !word.is_empty()).count() as u64;
    let is_asked_well = ["decimal", "american"].contains(&of("oddsFormat")) && of("dateFormat") == "iso";
    if !is_asked_well || count("markets") * count("regions") == 0 {
        return (error(422, "INVALID_PARAMETERS"), None);
    }
    if !state.charge(count("markets") * count("regions")) {
        return (error(401, "OUT_OF_USAGE_CREDITS"), None);
    }
    let fault = state.faults.pop_front();
    let markets: BTreeSet<_> = of("markets").split(',').collect();
    let mut events = state.events(sport);
    for event in &mut events {
        for book in event["bookmakers"].as_array_mut().unwrap() {
            let offered = book["markets"].as_array_mut().unwrap();
            offered.retain(|market| markets.contains(market["key"].as_str().unwrap()));
        }
    }
    if of("includeBetLimits") != "true" {
        events.iter_mut().for_each(without_limits);
    }
    if state.has_regions {
        for event in &mut events {
            of_regions(event, of("regions"));
        }
    }
    if fault == Some(Fault::Doubled) {
        events.extend(events.clone());
    }
    let mut events = Value::Array(events);
    if of("oddsFormat") == "decimal" {
        in_decimal(&mut events);
    }
    let answer = ok(&events);
    if matches!(fault, None | Some(Fault::NoHeaders | Fault::OddHeaders | Fault::Doubled)) {
        state.served.push(answer.body.clone());
    }
    (answer, fault)
}

/// 1, and 2 with days.
fn score_cost(request: &Request) -> u64 {
    if request.query.contains_key("daysFrom") { 2 } else { 1 }
}

fn scores(request: &Request, sport: &str, state: &mut State) -> (Answer, Option<Fault>) {
    let days = request.query.get("daysFrom").map(|days| days.parse::<u8>().unwrap_or(0));
    if days.is_some_and(|days| !(1..=3).contains(&days)) {
        return (error(422, "INVALID_SCORES_DAYS_FROM"), None);
    }
    if !state.charge(score_cost(request)) {
        return (error(401, "OUT_OF_USAGE_CREDITS"), None);
    }
    let all = state.scores.get(sport).into_iter().flatten();
    let named = all.filter(|event| days.is_some() || event["completed"] != true).cloned().collect();
    (ok(&Value::Array(named)), state.score_faults.pop_front())
}

fn without_limits(event: &mut Value) {
    each(event, &mut |key, value| {
        if key == "outcomes" {
            let outcomes = value.as_array_mut().unwrap().iter_mut();
            outcomes.for_each(|outcome| drop(outcome.as_object_mut().unwrap().remove("bet_limit")));
        }
    });
}

/// Adds the headers of credits, unless their absence is the fault.
fn with_quota(mut answer: Answer, fault: Option<Fault>, state: &State, cost: u64) -> Answer {
    let cost = if answer.status == 200 { cost } else { 0 };
    let (remaining, used) = match fault {
        Some(Fault::NoHeaders) => return answer,
        Some(Fault::OddHeaders) => ("plenty".to_owned(), "-1".to_owned()),
        _ => (state.credits.to_string(), state.used.to_string()),
    };
    answer.headers.push(("x-requests-remaining", remaining));
    answer.headers.push(("x-requests-used", used));
    answer.headers.push(("x-requests-last", cost.to_string()));
    answer
}
