//! A market's head and its lines as records of the changelog, and back: quotes, windows, signals.
//!
//! A record names books and sources once and refers to them by position. It decides nothing.

use std::sync::Arc;

use arb_engine::arbs::Standing;
use arb_engine::effect::{Basis, Name, Verification, WindowHistory, WindowId};
use arb_engine::market::{EventInfo, Market};
use arb_engine::odds::Price;
use arb_engine::state::{Saved, SavedLine, SavedWindow};
use arb_model::source::is_private;
use arb_schemas::records as wire;

use super::StateError;
use super::quote::{Once, id_bytes, saved_quote, state_quote};
use super::signal::{saved_consensus, saved_signal, state_consensus, state_signal};
use super::survival::{saved_life, state_life};

pub(super) fn state_head(
    (event, market): (&EventInfo, Market),
    main_line: Option<i32>,
    links: &[(Arc<str>, Name)],
    drawn: &[Arc<str>],
    private: Option<&Arc<str>>,
) -> wire::StateHead {
    let link =
        |(book, link): &(Arc<str>, Name)| wire::StateLink { book: book.to_string(), link: link.to_string() };
    let links = links.iter().map(link).collect();
    let drawn = drawn.iter().map(ToString::to_string).collect();
    let private = private.map(ToString::to_string);
    wire::StateHead { event: event.clone(), market: market.key(), main_line, links, drawn, private }
}

pub(super) fn saved_head(state: &wire::StateHead) -> Result<Saved, StateError> {
    let event = Arc::new(state.event.clone());
    let market = Market::parse(&state.market).ok_or(StateError::Impossible("market"))?;
    let link = |link: &wire::StateLink| (link.book.as_str().into(), link.link.as_str().into());
    let links = state.links.iter().map(link).collect();
    let drawn = state.drawn.iter().map(|book| book.as_str().into()).collect();
    let private = private_source(state.private.as_deref())?;
    Ok(Saved::Head { private, event, market, main_line: state.main_line, links, drawn })
}

/// A name under which prices are kept apart.
fn private_source(source: Option<&str>) -> Result<Option<Arc<str>>, StateError> {
    if source.is_none_or(is_private) {
        Ok(source.map(Into::into))
    } else {
        Err(StateError::Impossible("private source"))
    }
}

pub(super) fn state_line(line: &SavedLine) -> wire::StateLine {
    let mut once = Once::from(line.quotes.iter().map(|quote| quote.received_at).max().unwrap_or(0));
    let quotes = line.quotes.iter().map(|quote| state_quote(quote, &mut once)).collect();
    let signals = line.signals.iter().map(|signal| state_signal(signal, &mut once)).collect();
    wire::StateLine {
        private: line.private.as_ref().map(ToString::to_string),
        event_id: line.event.to_string(),
        market: line.market.key(),
        line: line.line,
        names: once.texts(),
        begin: once.begin(),
        quotes,
        window: line.window.as_ref().map(state_window),
        signals,
        consensus: line.consensus.iter().map(state_consensus).collect(),
    }
}

fn state_window(window: &SavedWindow) -> wire::StateWindow {
    wire::StateWindow {
        id: window.id.to_string(),
        opened_at: window.opened_at,
        sequence: window.sequence,
        legs: wire_places(&window.legs),
        in_play: window.in_play,
        margin_open: window.margin_open,
        margin_peak: window.margin_peak,
        margin: window.margin,
        is_pair: window.is_pair,
        flags: window.verification.bits().into(),
        fresh_until: window.fresh_until,
        simultaneous_ever: window.history.simultaneous,
        verified_ever: window.history.verified,
        stake_shown: window.stake_shown,
        life: state_life(&window.life),
        basis: window.basis.as_ref().map(state_basis),
        passed_over: wire_places(&window.passed_over),
        standing: window.standing[0].as_ref().map(state_standing),
        verified_standing: window.standing[1].as_ref().map(state_standing),
    }
}

fn state_standing(standing: &Standing<usize>) -> wire::StateStanding {
    let (waiting, prices): (Vec<_>, Vec<_>) = standing.waiting.iter().copied().unzip();
    wire::StateStanding {
        at: standing.at,
        waiting: wire_places(&waiting),
        prices: prices.iter().map(|price| price.millionths().into()).collect(),
        after: standing.after,
        stands: standing.stands,
    }
}

/// `None` where it cannot be: every bet has its price.
fn saved_standing(state: &wire::StateStanding) -> Option<Standing<usize>> {
    let wire::StateStanding { at, waiting, prices, after, stands } = state;
    let prices = prices.iter().map(|price| Price::from_millionths(*price).ok());
    let (places, prices) = (places(waiting)?, prices.collect::<Option<Vec<_>>>()?);
    let waiting = (places.len() == prices.len()).then(|| places.into_iter().zip(prices).collect())?;
    Some(Standing { at: *at, waiting, after: *after, stands: *stands })
}

/// Positions among quotes.
fn wire_places(places: &[usize]) -> Vec<i32> {
    places.iter().map(|place| i32::try_from(*place).unwrap_or(i32::MAX)).collect()
}

fn places(places: &[i32]) -> Option<Vec<usize>> {
    places.iter().map(|place| usize::try_from(*place).ok()).collect()
}

fn state_basis(basis: &Basis) -> wire::StateBasis {
    let Basis { at, margin_limit, expected } = basis.clone();
    wire::StateBasis { at, margin_limit, expected }
}

fn saved_basis(basis: &wire::StateBasis) -> Basis {
    let wire::StateBasis { at, margin_limit, expected } = basis.clone();
    Basis { at, margin_limit, expected }
}

pub(super) fn saved_line(state: &wire::StateLine) -> Result<SavedLine, StateError> {
    let once = Once::of(&state.names, state.begin);
    let quotes = state.quotes.iter().map(|quote| saved_quote(quote, &once));
    let window = state.window.as_ref().map(saved_window);
    let signals = state.signals.iter().map(|signal| saved_signal(signal, &once));
    let consensus = state.consensus.iter().map(saved_consensus);
    Ok(SavedLine {
        private: private_source(state.private.as_deref())?,
        event: state.event_id.as_str().into(),
        market: Market::parse(&state.market).ok_or(StateError::Impossible("market"))?,
        line: state.line,
        quotes: quotes.collect::<Option<_>>().ok_or(StateError::Impossible("quote"))?,
        window: window.map(|window| window.ok_or(StateError::Impossible("window"))).transpose()?,
        signals: signals.collect::<Option<_>>().ok_or(StateError::Impossible("signal"))?,
        consensus: consensus.collect::<Option<_>>().ok_or(StateError::Impossible("consensus"))?,
    })
}

fn saved_window(window: &wire::StateWindow) -> Option<SavedWindow> {
    let id = WindowId(id_bytes(&window.id)?);
    let standing = match &window.standing {
        Some(standing) => Some(saved_standing(standing)?),
        None => None,
    };
    let verified_standing = match &window.verified_standing {
        Some(standing) => Some(saved_standing(standing)?),
        None => None,
    };
    Some(SavedWindow {
        id,
        opened_at: window.opened_at,
        sequence: window.sequence,
        legs: places(&window.legs)?,
        is_pair: window.is_pair,
        verification: Verification::from_bits(u16::try_from(window.flags).ok()?)?,
        fresh_until: window.fresh_until,
        history: WindowHistory { simultaneous: window.simultaneous_ever, verified: window.verified_ever },
        in_play: window.in_play,
        margin_open: window.margin_open,
        margin_peak: window.margin_peak,
        margin: window.margin,
        stake_shown: window.stake_shown,
        life: saved_life(&window.life)?,
        basis: window.basis.as_ref().map(saved_basis),
        passed_over: places(&window.passed_over)?,
        standing: [standing, verified_standing],
    })
}
