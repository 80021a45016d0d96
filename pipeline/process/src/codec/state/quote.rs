//! A quote as a record of the changelog has it, and back: names once, referred to by position. It decides nothing.

use std::sync::Arc;

use arb_engine::QuoteStatus;
use arb_engine::market::Limit;
use arb_engine::odds::Price;
use arb_engine::state::SavedQuote;
use arb_schemas::records as wire;

/// The names of a record, each once, in the order of their use.
#[derive(Default)]
pub(super) struct NameTable(Vec<Arc<str>>);

impl NameTable {
    pub(super) fn position(&mut self, name: &Arc<str>) -> i32 {
        // One engine has one allocation a name: letters are compared where another made it.
        let is_it = |known: &Arc<str>| Arc::ptr_eq(known, name);
        let known = self.0.iter().position(is_it).or_else(|| self.0.iter().position(|known| known == name));
        let position = known.unwrap_or_else(|| {
            self.0.push(Arc::clone(name));
            self.0.len() - 1
        });
        i32::try_from(position).unwrap_or(i32::MAX)
    }

    /// As the record has them.
    pub(super) fn texts(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

pub(super) fn state_quote(quote: &SavedQuote, names: &mut NameTable) -> wire::StateQuote {
    wire::StateQuote {
        outcome: quote.outcome.into(),
        side: quote.side.into(),
        book: names.position(&quote.book),
        source: names.position(&quote.source),
        price: quote.price.millionths().into(),
        standing: wire_standing(quote.status),
        span_start: quote.span_start,
        span_end: quote.span_end,
        price_moved_at: quote.price_moved_at,
        received_at: quote.received_at,
        limit: quote.limit.map(Limit::minor),
        odds_format: quote.odds_format,
    }
}

pub(super) fn saved_quote(quote: &wire::StateQuote, names: &[Arc<str>]) -> Option<SavedQuote> {
    let name = |position: i32| names.get(usize::try_from(position).ok()?).cloned();
    Some(SavedQuote {
        outcome: quote.outcome.known()?,
        side: quote.side.known()?,
        book: name(quote.book)?,
        source: name(quote.source)?,
        price: Price::from_millionths(quote.price).ok()?,
        limit: match quote.limit {
            Some(limit) => Some(Limit::from_minor(limit)?),
            None => None,
        },
        status: standing(quote.standing)?,
        odds_format: quote.odds_format,
        span_start: quote.span_start,
        span_end: quote.span_end,
        price_moved_at: quote.price_moved_at,
        received_at: quote.received_at,
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
