//! A quote as a record of the changelog has it, and back: names once, referred to by position. It decides nothing.

use std::sync::Arc;

use arb_engine::QuoteStatus;
use arb_engine::market::Limit;
use arb_engine::odds::Price;
use arb_engine::state::SavedQuote;
use arb_schemas::records as wire;
use arb_schemas::time::Micros;

/// What a record says once: names, in the order of their use, to which the rest refers by position; and the time from which others are
/// counted.
pub(super) struct Once {
    names: Vec<Arc<str>>,
    begin: Micros,
}

impl Once {
    /// Without names yet.
    pub(super) fn from(begin: Micros) -> Self {
        Self { names: Vec::new(), begin }
    }

    /// As a record has it.
    pub(super) fn of(names: &[String], begin: Micros) -> Self {
        Self { names: names.iter().map(|name| name.as_str().into()).collect(), begin }
    }

    pub(super) fn begin(&self) -> Micros {
        self.begin
    }

    pub(super) fn position(&mut self, name: &Arc<str>) -> i32 {
        // One engine has one allocation a name: letters are compared where another made it.
        let is_it = |known: &Arc<str>| Arc::ptr_eq(known, name);
        let names = &mut self.names;
        let known = names.iter().position(is_it).or_else(|| names.iter().position(|known| known == name));
        let position = known.unwrap_or_else(|| {
            names.push(Arc::clone(name));
            names.len() - 1
        });
        i32::try_from(position).unwrap_or(i32::MAX)
    }

    pub(super) fn name(&self, position: i32) -> Option<Arc<str>> {
        self.names.get(usize::try_from(position).ok()?).cloned()
    }

    /// Names as the record has them.
    pub(super) fn texts(&self) -> Vec<String> {
        self.names.iter().map(ToString::to_string).collect()
    }
}

pub(super) fn state_quote(quote: &SavedQuote, once: &mut Once) -> wire::StateQuote {
    // Times that are near each other are short.
    let times = [once.begin, quote.received_at, quote.span_end, quote.span_start, quote.price_moved_at];
    let [received_at, span_end, span_start, price_moved_at] =
        [1, 2, 3, 4].map(|at: usize| times[at].wrapping_sub(times[at - 1]));
    wire::StateQuote {
        outcome: quote.outcome.into(),
        side: quote.side.into(),
        book: once.position(&quote.book),
        source: once.position(&quote.source),
        price: quote.price.millionths().into(),
        standing: wire_standing(quote.status),
        received_at,
        span_end,
        span_start,
        price_moved_at,
        limit: quote.limit.map(Limit::minor),
        odds_format: quote.odds_format,
    }
}

pub(super) fn saved_quote(quote: &wire::StateQuote, once: &Once) -> Option<SavedQuote> {
    let received_at = once.begin.wrapping_add(quote.received_at);
    let span_end = received_at.wrapping_add(quote.span_end);
    let span_start = span_end.wrapping_add(quote.span_start);
    Some(SavedQuote {
        outcome: quote.outcome.known()?,
        side: quote.side.known()?,
        book: once.name(quote.book)?,
        source: once.name(quote.source)?,
        price: Price::from_millionths(quote.price).ok()?,
        limit: match quote.limit {
            Some(limit) => Some(Limit::from_minor(limit)?),
            None => None,
        },
        status: standing(quote.standing)?,
        odds_format: quote.odds_format,
        span_start,
        span_end,
        price_moved_at: span_start.wrapping_add(quote.price_moved_at),
        received_at,
    })
}

fn wire_standing(standing: QuoteStatus) -> wire::Standing {
    match standing {
        QuoteStatus::OnOffer => wire::Standing::OnOffer,
        QuoteStatus::Suspended => wire::Standing::Suspended,
        QuoteStatus::Stale => wire::Standing::Stale,
        QuoteStatus::Started => wire::Standing::Started,
    }
}

fn standing(standing: wire::Standing) -> Option<QuoteStatus> {
    Some(match standing {
        wire::Standing::OnOffer => QuoteStatus::OnOffer,
        wire::Standing::Suspended => QuoteStatus::Suspended,
        wire::Standing::Stale => QuoteStatus::Stale,
        wire::Standing::Started => QuoteStatus::Started,
        wire::Standing::Unknown => return None,
    })
}

/// The 16 bytes of an id.
pub(super) fn id_bytes(id: &str) -> Option<[u8; 16]> {
    Some(u128::from_str_radix(id, 16).ok()?.to_be_bytes())
}
