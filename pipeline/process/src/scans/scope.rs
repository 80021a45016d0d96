//! What a request covers, in the words of the engine.
//!
//! It never refuses a request: the API does. What it does not know covers nothing.

use arb_engine::ScanScope;
use arb_engine::market::Family;
use arb_schemas::records::ScanRequest;
use arb_schemas::time::{SECOND, parse_rfc3339};

/// The scope of a request.
pub(super) fn scope(request: &ScanRequest) -> ScanScope {
    let ScanRequest { sport, league, event_ids, event_group, markets, books, private, .. } = request;
    ScanScope {
        sport: sport.clone(),
        league: league.clone(),
        events: event_ids.iter().cloned().collect(),
        group: event_group.as_deref().map(group),
        families: markets.iter().filter_map(|market| Family::parse(market)).collect(),
        books: (!books.is_empty()).then(|| books.iter().cloned().collect()),
        private: private.clone(),
    }
}

/// A league and its day; a day that is none is never one of an event.
fn group(text: &str) -> (String, i64) {
    let (league, date) = text.rsplit_once('/').unwrap_or((text, ""));
    let midnight = parse_rfc3339(&format!("{date}T00:00:00Z"));
    (league.to_owned(), midnight.map_or(i64::MIN, |at| at.div_euclid(86_400 * SECOND)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_a_league_and_a_day() {
        assert_eq!(group("soccer_epl/1970-01-03"), ("soccer_epl".to_owned(), 2));
        assert_eq!(group("soccer_epl/1970-02-30").1, i64::MIN);
        assert_eq!(group("soccer_epl").1, i64::MIN);
    }

    #[test]
    fn an_empty_list_is_all() {
        let request = ScanRequest { markets: vec!["totals".into()], ..ScanRequest::default() };
        let scope = scope(&request);
        assert_eq!((scope.books, scope.families, scope.events.len()), (None, vec![Family::Totals], 0));
    }
}
