//! What is remembered of an event.
//!
//! It decides nothing.

use std::cell::Cell;
use std::sync::Arc;

use crate::Micros;
use crate::market::{EventInfo, Market};

use super::market_state::MarketState;

/// One event. Markets without a quote, a window or a draw that was listed are not kept, nor events without a market.
#[derive(Debug, Clone)]
pub(crate) struct EventState {
    pub(crate) info: Arc<EventInfo>,
    pub(crate) markets: Vec<Arc<MarketState>>,
    /// Before this watermark time changes nothing of it (`due`). Not remembered: a note that spares looks.
    pub(crate) due: Cell<Micros>,
}

impl EventState {
    /// An event that is checked when time passes next.
    pub(crate) fn new(info: Arc<EventInfo>, markets: Vec<Arc<MarketState>>) -> Self {
        Self { info, markets, due: Cell::new(Micros::MIN) }
    }

    /// The same, which need not be looked at before.
    pub(crate) fn due_at(self, watermark: Micros) -> Self {
        self.due.set(watermark);
        self
    }

    /// Whether a book has listed a draw of it.
    pub(crate) fn has_drawn(&self) -> bool {
        self.markets.iter().any(|market| !market.drawn.is_empty())
    }

    pub(crate) fn market(&self, market: Market) -> Option<&Arc<MarketState>> {
        self.markets.iter().find(|state| state.market == market)
    }
}
