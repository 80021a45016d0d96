//! Closes all that is open, where what was published may not be what this engine remembers.
//!
//! Of what is closed nothing is learnt. Whatever is still so is found again when its market is looked at next. It never changes a price.

use std::sync::Arc;

use arb_model::{BoardEntry, CloseReason, CloseSignal, EdgeSignal, Time};

use crate::Micros;
use crate::effect::{Effect, SignalChange, SignalCloseReason};
use crate::state::{EventState, MarketState};

use super::engine::Engine;

impl Engine {
    /// Forgets all open windows and signals, and closes what is published as open: these entries of the board, and these signals, each in the
    /// order given. What is published is numbered from 1 on. All of it is a draft.
    pub fn supersede(&mut self, windows: Vec<BoardEntry>, signals: Vec<EdgeSignal>, out: &mut Vec<Effect>) {
        self.forget_open();
        let now = self.draft.over(&self.state).clock().now;
        let windows = windows.into_iter().map(|entry| Effect::Closed(Box::new(closed(entry, now))));
        let signals = signals.into_iter().map(|signal| {
            let signal =
                EdgeSignal { evidence: vec![], fair: vec![], kelly: None, updated_at: Time(now), ..signal };
            Effect::Signal(SignalChange::Closed(SignalCloseReason::Superseded), Box::new(signal))
        });
        let mut sequence = 0;
        out.extend(windows.chain(signals).map(|mut effect| {
            sequence += 1;
            match &mut effect {
                Effect::Closed(closed) => closed.sequence = sequence,
                Effect::Signal(_, signal) => signal.sequence = sequence,
                _ => {}
            }
            effect
        }));
        self.draft.put_sequence(sequence);
    }

    fn forget_open(&mut self) {
        let is_open = |market: &Arc<MarketState>| !market.windows.is_empty() || !market.signals.is_empty();
        for id in self.draft.over(&self.state).event_ids() {
            let event = self.draft.over(&self.state).event(&id);
            if !event.is_some_and(|event| event.markets.iter().any(is_open)) {
                continue;
            }
            let Some(EventState { info, mut markets, .. }) = self.draft.take_event(&id, &self.state) else {
                continue;
            };
            for market in markets.iter_mut().filter(|market| is_open(market)) {
                let market = Arc::make_mut(market);
                market.windows.clear();
                (market.signals, market.is_settled) = (Arc::default(), false);
            }
            self.draft.put_event(EventState::new(info, markets));
        }
    }
}

/// The close of a window of which no more is known than what is published.
fn closed(entry: BoardEntry, now: Micros) -> CloseSignal {
    CloseSignal {
        replaced: entry.filter_values(),
        id: entry.id,
        event_id: entry.event.id,
        reason: CloseReason::Superseded.into(),
        opened_at: entry.opened_at,
        closed_at: Time(now),
        margin_open: entry.margin,
        margin_peak: entry.margin,
        margin_close: entry.margin,
        sequence: 0,
        sport: entry.event.sport,
        league: entry.event.league,
        market: entry.market,
        period: entry.period,
        line: entry.line,
        simultaneous_ever: entry.simultaneous,
        verified_ever: entry.verified,
        stood: None,
        stood_after: None,
        verified_stood: None,
        verified_stood_after: None,
    }
}
