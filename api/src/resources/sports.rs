//! What there is, in short: the sports and leagues (`GET /sports`), and the state of the service (`GET /status`).
//!
//! The status is for anybody: it has counts and times alone, and never an entry.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_kafka::GroupLags;
use arb_model::Time;
use warp::http::HeaderValue;
use warp::http::header::CACHE_CONTROL;

use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::lists::Lists;
use crate::quotes::store::Quotes;
use crate::resources::tagged;
use crate::view::{LeagueView, SourceStatus, SportList, SportView, StatusView};

/// The sports of a market.
#[derive(Debug)]
pub(crate) struct SportsResource {
    pub(crate) lists: Lists,
}

impl SportsResource {
    /// Answers `GET /sports`.
    pub(crate) fn list(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        tagged::refuse_parameters(request)?;
        if !self.lists.is_ready() {
            return Err(Problem::unavailable("The board and the signals are being read; try again."));
        }
        let (mut arbs, mut signals) = (BTreeMap::new(), BTreeMap::new());
        for entry in self.lists.board.entries() {
            *arbs.entry(entry.event.league.to_string()).or_insert(0_u64) += 1;
        }
        for signal in self.lists.signals.entries() {
            *signals.entry(signal.event.league.to_string()).or_insert(0_u64) += 1;
        }
        let mut sports = BTreeMap::<String, Vec<LeagueView>>::new();
        for league in self.lists.names.leagues() {
            let sport = league.split('_').next().unwrap_or_default().to_owned();
            let count = |of: &BTreeMap<String, u64>| of.get(&league).copied().unwrap_or(0);
            let (arbs, signals) = (count(&arbs), count(&signals));
            sports.entry(sport).or_default().push(LeagueView { league, arbs, signals });
        }
        let sports = sports.into_iter().map(|(sport, leagues)| SportView { sport, leagues }).collect();
        tagged::answer(&SportList { sports }, request, charge)
    }
}

/// The state of the service.
#[derive(Debug)]
pub(crate) struct StatusResource {
    pub(crate) lists: Lists,
    pub(crate) quotes: Arc<Quotes>,
    pub(crate) lags: GroupLags,
}

impl StatusResource {
    /// Answers `GET /status`.
    pub(crate) fn show(&self, request: &Request<'_>) -> Answer {
        tagged::refuse_parameters(request)?;
        let (lists, polls) = (&self.lists, self.lists.polls.whole());
        let status = match (lists.is_ready(), lists.polls.is_stale()) {
            (false, _) => "starting",
            (true, true) => "stale",
            (true, false) => "ok",
        };
        let view = StatusView {
            status,
            as_of: lists.polls.as_of().map(Time),
            sources: polls
                .into_iter()
                .map(|(source, at)| (source, SourceStatus { polled_at: Time(at) }))
                .collect(),
            arbs: lists.board.len(),
            signals: lists.signals.len(),
            is_computing_own_books: self.quotes.is_ready(),
            lag_records: self.lags.get(),
        };
        let mut response = reply::view(&view);
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }
}
