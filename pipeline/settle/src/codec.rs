//! Inputs and parts of the state as records, and back: the only place that refuses an input by its content.
//!
//! It never changes a value that it takes in.

use std::sync::Arc;

use arb_model::{Bet, Market, OpenedWindow, Side};
use arb_picks::results::{MAX_TEXT, check_consistent, check_report};
use arb_schemas::records::{
    PickCandidate, PickClosing, PickOffer, PickTimer, ResultReport, StateOpenedWindow, StatePick, StatePicks,
    StateResult,
};
use arb_schemas::time::Micros;
use arb_schemas::wire::{self, RecordType, WireError};

use crate::{pick_id, window_grade};

/// What the keys of results begin with in the changelog; the event's id follows.
pub const RESULT_KEY: &str = "result/";
/// Longest record of the topic of tasks, in bytes: what is kept of a bet is made of four of them at most, and of its gradings.
const MAX_TASK: usize = 256 * 1024;
/// Most reasons of a pick, and most legs of a window.
const MAX_LIST: usize = 20;

/// A record of the topic of tasks.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// A bot asks to publish a bet.
    Candidate(Box<PickCandidate>),
    /// An arb window opened.
    Window(Box<OpenedWindow>),
    /// A source reports a result.
    Result(ResultReport),
    /// The price of a bet before the start.
    Closing(PickClosing),
    /// What the book of a bet offered after its pick was published.
    Offer(PickOffer),
    /// How late it is.
    Timer(Micros),
}

/// A part of the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Under `pick/` and its slot.
    Pick(Arc<StatePick>),
    /// Under `window/` and its id.
    Window(Arc<StateOpenedWindow>),
    /// Under `result/` and the event's id.
    Result(Arc<StateResult>),
    /// The time of the last timer, under `clock`.
    Clock(Micros),
}

impl Part {
    /// Its key in the changelog.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Pick(saved) => format!("pick/{}", pick_id::slot_of(&saved.pick.id)),
            Self::Window(saved) => format!("window/{}", saved.window.id),
            Self::Result(saved) => format!("{RESULT_KEY}{}", saved.report.event),
            Self::Clock(_) => "clock".to_owned(),
        }
    }
}

/// A record of the topic of tasks.
///
/// # Errors
/// [`WireError`] when it is none, or states what cannot be.
pub fn decode_task(message: &[u8]) -> Result<Task, WireError> {
    if message.len() > MAX_TASK {
        return Err(WireError::TooLong { length: message.len(), limit: MAX_TASK });
    }
    let refused = |problem: &str| WireError::Avro(problem.to_owned());
    match RecordType::of(message)? {
        RecordType::PickTimer => Ok(Task::Timer(wire::decode::<PickTimer>(message)?.at)),
        RecordType::PickOffer => Ok(Task::Offer(wire::decode(message)?)),
        RecordType::OpenedWindow => {
            let window: OpenedWindow = wire::decode(message)?;
            check_window(&window).map_err(refused)?;
            Ok(Task::Window(Box::new(window)))
        }
        RecordType::ResultReport => {
            let report: ResultReport = wire::decode(message)?;
            check_report(&report)
                .and_then(|()| check_consistent(&report))
                .map_err(|problem| refused(&problem))?;
            Ok(Task::Result(report))
        }
        RecordType::PickClosing => {
            let closing: PickClosing = wire::decode(message)?;
            let is_chance = closing.probability > 0.0 && closing.probability < 1.0;
            is_chance.then_some(Task::Closing(closing)).ok_or_else(|| refused("no probability"))
        }
        _ => {
            let candidate: PickCandidate = wire::decode(message)?;
            check_candidate(&candidate).map_err(refused)?;
            Ok(Task::Candidate(Box::new(candidate)))
        }
    }
}

fn check_window(window: &OpenedWindow) -> Result<(), &'static str> {
    if window.legs.len() > MAX_LIST {
        return Err("a window has up to 20 legs");
    }
    if window_grade::placed(window).is_none() {
        return Err("a leg of the window is no bet");
    }
    let is_share = |share: f64| share > 0.0 && share < 1.0;
    let legs = &window.legs;
    if !legs.iter().all(|leg| is_share(leg.implied_probability) && is_share(leg.stake_share)) {
        return Err("implied probabilities and shares of the stake are between 0 and 1");
    }
    if window.id.is_empty() || window.event.id.is_empty() {
        return Err("the window and its event have ids");
    }
    let event = &window.event;
    let texts = [&*window.id, &event.id, &event.sport, &event.league, &event.home, &event.away];
    if texts.into_iter().chain(legs.iter().map(|leg| &*leg.book)).any(|text| text.len() > MAX_TEXT) {
        return Err("a text is too long");
    }
    Ok(())
}

fn check_candidate(candidate: &PickCandidate) -> Result<(), &'static str> {
    if bet(candidate).is_none() {
        return Err("there is no such bet");
    }
    let is_share = |share: f64| share > 0.0 && share < 1.0;
    if !is_share(candidate.probability) || !is_share(candidate.stake) {
        return Err("probability and stake are between 0 and 1");
    }
    let event = &candidate.event;
    let names: [&str; 4] = [&candidate.bot, &candidate.book, &event.id, &candidate.method];
    if names.iter().any(|name| name.is_empty()) {
        return Err("the bot, the book, the event and the method have names");
    }
    let others: [&str; 4] = [&event.sport, &event.league, &event.home, &event.away];
    let reasons = candidate.reasons.iter().map(String::as_str);
    if names.into_iter().chain(others).chain(reasons).any(|text| text.len() > MAX_TEXT) {
        return Err("a text is too long");
    }
    if candidate.feed.known().is_none() {
        return Err("the kind of feed is unknown");
    }
    if candidate.reasons.is_empty() || candidate.reasons.len() > MAX_LIST {
        return Err("a pick has 1 to 20 reasons");
    }
    Ok(())
}

fn bet(candidate: &PickCandidate) -> Option<Bet> {
    let market = Market { family: candidate.market.known()?, period: candidate.period.known()? };
    Bet::new(market, candidate.outcome.known()?, Side::Back, candidate.line.map(|line| line.0))
}

/// A part of the state as a record of the changelog.
///
/// # Errors
/// [`WireError`] when it does not fit its schema.
pub fn encode_part(part: &Part) -> Result<Vec<u8>, WireError> {
    match part {
        Part::Pick(saved) => wire::encode(saved.as_ref()),
        Part::Window(saved) => wire::encode(saved.as_ref()),
        Part::Result(saved) => wire::encode(saved.as_ref()),
        Part::Clock(clock) => wire::encode(&StatePicks { clock: *clock }),
    }
}

/// A record of the changelog as a part of the state.
///
/// # Errors
/// [`WireError`] when it is none.
pub fn decode_part(message: &[u8]) -> Result<Part, WireError> {
    match RecordType::of(message)? {
        RecordType::StatePicks => Ok(Part::Clock(wire::decode::<StatePicks>(message)?.clock)),
        RecordType::StateResult => Ok(Part::Result(Arc::new(wire::decode(message)?))),
        RecordType::StateOpenedWindow => Ok(Part::Window(Arc::new(wire::decode(message)?))),
        _ => Ok(Part::Pick(Arc::new(wire::decode(message)?))),
    }
}
