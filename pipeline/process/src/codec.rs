//! Records as engine inputs, and effects (`effects`) and memory ([`state`]) as records: the only place that knows both sides.
//!
//! What cannot be an input is left out and counted, never guessed. It never reads Kafka.

mod effects;
pub mod state;

use arb_engine::input::{
    Coverage, Event, Frame, Heartbeat, Input, PollEnd, Push, StatedLink, Suspension, Tick,
};
use arb_engine::market::{Limit, Market};
use arb_engine::odds::Price;
use arb_model::{Faults, link};
use arb_schemas::records as wire;
use arb_schemas::time::{EVENT_TIMES, NO_EVENT_TIME};
use arb_schemas::view::{self, CoverageView, EventView, FrameView, LinkView, TickView};
use arb_schemas::wire::WireError;
use arb_schemas::{ScanMarker, TickRecord};

pub use self::effects::outputs;

/// A record as the engine's input; ticks that cannot be are left out and counted.
pub fn as_input<'a>(record: &'a TickRecord, faults: &mut Faults) -> Input<'a> {
    match record {
        TickRecord::Frame(frame) => Input::Frame(as_frame(&frame.into(), faults)),
        TickRecord::PollEnd(end) => Input::PollEnd(PollEnd {
            source: &end.source,
            received_at: end.received_at,
            league: end.league.as_deref(),
            coverage: as_coverage(&(&end.coverage).into()),
            frames: u32::try_from(end.frames).unwrap_or(0),
        }),
        TickRecord::Heartbeat(heartbeat) => {
            Input::Heartbeat(Heartbeat { source: &heartbeat.source, at: heartbeat.at })
        }
        TickRecord::Suspension(wire::Suspension { name, is_book, is_suspended, .. }) => {
            Input::Suspension(Suspension { name, is_book: *is_book, is_suspended: *is_suspended })
        }
    }
}

/// A message of the tick topic, a frame in place where that can be.
///
/// ```
/// use arb_engine::input::Input;
/// use arb_model::Faults;
/// use arb_process::codec::{TickMessage, as_input};
/// use arb_schemas::records::Heartbeat;
/// use arb_schemas::wire::encode;
///
/// let message = encode(&Heartbeat { source: "feed".to_owned(), at: 1_000_000 })?;
/// let record = TickMessage::read(&message)?;
/// let TickMessage::Record(record) = record else { panic!("a frame") };
/// let input = as_input(&record, &mut Faults::default());
/// assert!(matches!(input, Input::Heartbeat(beat) if beat.source == "feed"));
/// # Ok::<(), arb_schemas::wire::WireError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum TickMessage<'a> {
    /// A frame whose names are the message's.
    Frame(FrameView<'a>),
    /// A marker of a scan, which is no input of the engine.
    Marker(ScanMarker),
    /// Anything else.
    Record(TickRecord),
}

impl<'a> TickMessage<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// [`WireError`] when it is none of the tick topic.
    pub fn read(message: &'a [u8]) -> Result<Self, WireError> {
        if let Some(frame) = view::frame(message) {
            return Ok(Self::Frame(frame));
        }
        match ScanMarker::read(message)? {
            Some(marker) => Ok(Self::Marker(marker)),
            None => TickRecord::decode(message).map(Self::Record),
        }
    }

    /// As the engine's input, ticks that cannot be being left out and counted; or the marker that it is.
    ///
    /// # Errors
    /// The marker.
    pub fn as_input(&self, faults: &mut Faults) -> Result<Input<'_>, &ScanMarker> {
        match self {
            Self::Frame(frame) => Ok(Input::Frame(as_frame(frame, faults))),
            Self::Marker(marker) => Err(marker),
            Self::Record(record) => Ok(as_input(record, faults)),
        }
    }
}

fn as_frame<'a>(frame: &FrameView<'a>, faults: &mut Faults) -> Frame<'a> {
    let mut ticks = Vec::with_capacity(frame.ticks.len());
    // The ticks of an offer share its very name.
    for offer in frame.ticks.chunk_by(|a, b| std::ptr::eq(a.market, b.market)) {
        let Some(market) = Market::parse(offer[0].market) else {
            faults.count("market", "unknown");
            continue;
        };
        ticks.extend(offer.iter().filter_map(|tick| as_tick(market, tick, faults)));
    }
    Frame {
        source: frame.source,
        received_at: frame.received_at,
        poll_index: frame.poll_index.and_then(|index| u32::try_from(index).ok()),
        event: as_event(frame.event),
        coverage: as_coverage(&frame.coverage),
        ticks,
        links: frame.links.iter().filter_map(|link| as_link(link, faults)).collect(),
        push: frame.push.map(|wire::Push { sequence, names_event }| Push { sequence, names_event }),
    }
}

fn as_tick<'a>(market: Market, view: &TickView<'a>, faults: &mut Faults) -> Option<Tick<'a>> {
    let TickView { book, last_seen_at, price_moved_at, odds_format, tick, .. } = *view;
    let Some(bet) = tick.bet(market) else {
        faults.count("bet", "does not exist");
        return None;
    };
    let Ok(price) = Price::from_millionths(tick.price) else {
        faults.count("price", "out of range");
        return None;
    };
    let mut times = [("last_seen_at", Some(last_seen_at)), ("price_moved_at", price_moved_at)].into_iter();
    let outside = times.find(|(_, at)| at.is_some_and(|at| !EVENT_TIMES.contains(&at)));
    if let Some((field, _)) = outside {
        faults.count(field, NO_EVENT_TIME);
        return None;
    }
    // A status of a later version is none that bets can be placed on.
    let suspended = tick.status != wire::Status::Active;
    let limit = limit(&tick, faults);
    Some(Tick { book, bet, price, odds_format, limit, suspended, last_seen_at, price_moved_at })
}

/// A link of an offer; one that is none costs the prices nothing but that. Of an unknown market nothing is taken.
fn as_link<'a>(view: &LinkView<'a>, faults: &mut Faults) -> Option<StatedLink<'a>> {
    let LinkView { book, market, link } = *view;
    if let Err(fault) = link::check(link) {
        faults.count("link", fault.words());
        return None;
    }
    Some(StatedLink { book, market: Market::parse(market)?, link })
}

/// The limit of a tick; one that is below 0 is none, and costs the tick nothing but that.
fn limit(tick: &wire::Tick, faults: &mut Faults) -> Option<Limit> {
    let stated = tick.limit?;
    let limit = Limit::from_minor(stated);
    if limit.is_none() {
        faults.count("limit", "below 0");
    }
    limit
}

fn as_event(event: EventView<'_>) -> Event<'_> {
    let EventView { id, sport, league, home, away, commence_time } = event;
    Event { id, sport, league, home, away, commence_time }
}

fn as_coverage<'a>(coverage: &CoverageView<'a>) -> Coverage<'a> {
    let parsed = |markets: &Vec<&str>| markets.iter().filter_map(|market| Market::parse(market)).collect();
    Coverage { books: coverage.books.clone(), markets: coverage.markets.as_ref().map(parsed) }
}

#[cfg(test)]
mod tests {
    use arb_model::OddsFormat;

    use super::*;

    #[test]
    fn a_time_that_no_table_holds_costs_its_tick() {
        let tick = wire::Tick {
            outcome: wire::Outcome::Home,
            side: wire::Side::Back,
            line: None,
            price: 2_000_000,
            status: wire::Status::Active,
            limit: None,
        };
        let view = |last_seen_at, price_moved_at| TickView {
            book: "b",
            market: "h2h",
            last_seen_at,
            price_moved_at,
            odds_format: OddsFormat::Unknown,
            tick,
        };
        let read = |last_seen_at, price_moved_at| {
            let mut faults = Faults::default();
            let read =
                as_tick(Market::parse("h2h").unwrap(), &view(last_seen_at, price_moved_at), &mut faults);
            (read.is_some(), faults.to_string())
        };
        assert_eq!(read(EVENT_TIMES.end - 1, Some(EVENT_TIMES.start)), (true, String::new()));
        let outside = |field: &str| (false, format!("{field} is not in the years 1900 to 2299: 1"));
        assert_eq!(read(EVENT_TIMES.end, None), outside("last_seen_at"));
        assert_eq!(read(0, Some(i64::MIN)), outside("price_moved_at"));
    }

    #[test]
    fn a_limit_that_cannot_be_costs_its_tick_nothing() {
        let tick = |limit| wire::Tick {
            outcome: wire::Outcome::Home,
            side: wire::Side::Lay,
            line: None,
            price: 2_000_000,
            status: wire::Status::Active,
            limit,
        };
        let view = |limit| TickView {
            book: "b",
            market: "h2h",
            last_seen_at: 1,
            price_moved_at: None,
            odds_format: OddsFormat::Unknown,
            tick: tick(limit),
        };
        let market = Market::parse("h2h").unwrap();
        for (stated, read, said) in [
            (None, None, ""),
            (Some(0), Some(0), ""),
            (Some(7), Some(7), ""),
            (Some(-1), None, "limit below 0: 1"),
        ] {
            let mut faults = Faults::default();
            let tick = as_tick(market, &view(stated), &mut faults).unwrap();
            assert_eq!((tick.limit.map(Limit::minor), faults.to_string()), (read, said.to_owned()));
        }
    }
}
