//! Events as their readers see them: the public ones, and for the owner of a private source its prices among them.
//!
//! It never changes anything, and without the name of a private source it shows nothing of any.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::Micros;
use crate::input::Event;
use crate::market::{EventInfo, Symbol};
use crate::quotes::{Moment, Quote, QuoteStatus, QuoteSummary};
use crate::state::{EventState, MarketState};

use super::engine::Engine;
use super::sides;

/// An event as a reader sees it.
pub(super) struct SeenEvent<'a> {
    pub(super) info: &'a Arc<EventInfo>,
    pub(super) event: Cow<'a, EventState>,
}

/// For whom events are read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Viewer(Option<Symbol>);

impl Engine {
    /// Whoever sees the prices of this private source besides the public ones; of one without prices, and of `None`, the public ones alone.
    pub(super) fn viewer(&self, private: Option<&str>) -> Viewer {
        let source = private.and_then(|source| self.names.known(source));
        Viewer(source.filter(|source| self.names.is_private(*source)))
    }

    /// The events, in the order of their ids.
    pub(super) fn events_for(&self, viewer: Viewer) -> impl Iterator<Item = SeenEvent<'_>> {
        let overlay = self.draft.over(&self.state);
        let own = viewer.0.map(|source| overlay.private_events(source)).unwrap_or_default();
        let own = own.into_iter().map(|event| Arc::clone(event.info.id.shared()));
        let ids: BTreeSet<_> = overlay.event_ids().into_iter().chain(own).collect();
        ids.into_iter().filter_map(move |id| self.event_for(viewer, &id))
    }

    /// One event.
    pub(super) fn event_for(&self, viewer: Viewer, id: &str) -> Option<SeenEvent<'_>> {
        let overlay = self.draft.over(&self.state);
        let public = overlay.event(id).filter(|event| !event.markets.is_empty());
        let own = viewer.0.and_then(|source| Some((source, overlay.private(source, id)?)));
        // Prices of a side are of a name: the source gives them by the public names with its next push.
        let is_turned = |own: &EventState| {
            public.is_some_and(|public| sides::are_swapped(&public.info, &Event::of(&own.info)))
        };
        let own = own.filter(|(_, own)| !is_turned(own));
        let Some((source, private)) = own else {
            return public.map(|event| SeenEvent { info: &event.info, event: Cow::Borrowed(event) });
        };
        // What an event is, is what all are told, where it is public.
        let info = &public.unwrap_or(private).info;
        let markets = self.with_private(public, private, (source, info.commence_time.0));
        Some(SeenEvent { info, event: Cow::Owned(EventState::new(Arc::clone(info), markets)) })
    }

    /// The latest time of a viewer's own source; [`Micros::MIN`] without one.
    pub(super) fn own_time(&self, viewer: Viewer) -> Micros {
        viewer.0.map_or(Micros::MIN, |source| self.draft.over(&self.state).source(source).latest())
    }

    /// The markets of an event with the prices of a private source.
    fn with_private(
        &self,
        public: Option<&EventState>,
        private: &EventState,
        (source, commence_time): (Symbol, Micros),
    ) -> Vec<Arc<MarketState>> {
        let clock = self.draft.over(&self.state).clock();
        // Where no public source tells the time, its own latest push is the time.
        let watermark = clock.watermark.max(self.own_time(Viewer(Some(source))));
        let moment = Moment { watermark, commence_time, expected: &self.expected };
        let mut markets: BTreeMap<_, _> = public
            .iter()
            .flat_map(|event| &event.markets)
            .map(|market| (market.market, Arc::clone(market)))
            .collect();
        for own in &private.markets {
            let public = markets.get(&own.market).map(|market| &**market);
            let shut = |quote: &Quote| self.is_shut(source, quote.key.book());
            markets.insert(own.market, Arc::new(with_quotes(public, own, &moment, shut)));
        }
        markets.into_values().collect()
    }
}

/// A market with the quotes of a private source, at the status that a moment gives them.
fn with_quotes(
    public: Option<&MarketState>,
    own: &MarketState,
    moment: &Moment<'_>,
    is_shut: impl Fn(&Quote) -> bool,
) -> MarketState {
    let status = |quote: &Quote| if is_shut(quote) { QuoteStatus::Suspended } else { moment.status(quote) };
    let mut market = public.cloned().unwrap_or_else(|| MarketState::empty(own.market, None));
    market.quotes.extend(own.quotes.iter().map(|quote| Quote { status: status(quote), ..*quote }));
    // Stable: what is public comes first, and of one key it counts.
    market.quotes.sort_by_key(|quote| quote.key);
    market.quotes.dedup_by_key(|quote| quote.key);
    let drawn: BTreeSet<_> = market.drawn.iter().chain(own.drawn.iter()).copied().collect();
    market.drawn = drawn.into_iter().collect();
    market.summary = QuoteSummary::of(&market.quotes, moment.watermark);
    market
}
