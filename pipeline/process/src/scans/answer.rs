//! The answer of a partition to a scan: what its quotes and arbs are as of an end marker, and which of them were asked for.
//!
//! It never publishes anything, and never changes the state of the engine.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use arb_engine::effect::BoardEntry;
use arb_engine::{Engine, ScannedQuote};
use arb_schemas::records::scans::{Message, PENDING, SILENT};
use arb_schemas::records::{ScanArb, ScanCount, ScanResult, ScanSource, StateScan};
use arb_schemas::wire::{WireError, encode};

use super::repeats::Repeats;
use super::scope::scope;

/// Arbs of a partition.
const MOST_ARBS: usize = 200;

/// The quotes of one book, league or source.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    quotes: i32,
    asked: i32,
    confirmed: i32,
}

impl Count {
    fn add(&mut self, is_asked: bool, is_confirmed: bool) {
        self.quotes += 1;
        self.asked += i32::from(is_asked);
        self.confirmed += i32::from(is_asked && is_confirmed);
    }
}

/// Counts by name.
type Counts<'a> = BTreeMap<&'a str, Count>;

/// The answer as of the last step.
pub(super) fn answer(engine: &Engine, scan: &StateScan, repeats: &Repeats) -> ScanResult {
    let is_asked = |quote: &ScannedQuote<'_>| is_polled(scan, quote) && !repeats.has(quote);
    let (mut books, mut leagues, mut sources) = (Counts::new(), Counts::new(), Counts::new());
    let (mut events, mut last_event) = (0, "");
    let mut arbs = Vec::new();
    engine.scan(
        &scope(&scan.request),
        |quote| {
            let is_confirmed = quote.last_seen_at >= scan.request.requested_at;
            for (counts, name) in
                [(&mut books, quote.book), (&mut leagues, quote.league), (&mut sources, quote.source)]
            {
                counts.entry(name).or_default().add(is_asked(&quote), is_confirmed);
            }
            if quote.event != last_event {
                (events, last_event) = (events + 1, quote.event);
            }
        },
        |entry, legs| {
            if entry.margin >= scan.request.min_margin {
                arbs.push((entry, legs.iter().map(is_asked).collect::<Vec<_>>()));
            }
        },
    );
    let left_out = arbs.len().saturating_sub(MOST_ARBS);
    ScanResult {
        scan: scan.request.id.clone(),
        as_of: engine.now().unwrap_or_default(),
        sources: source_list(scan, &sources),
        books: list(&books),
        leagues: list(&leagues),
        events,
        arbs: best(arbs),
        left_out: i32::try_from(left_out).unwrap_or(i32::MAX),
    }
}

/// Whether a quote is from the poll for a scan, and that poll came after its source had begun.
fn is_polled(scan: &StateScan, quote: &ScannedQuote<'_>) -> bool {
    let source = scan.sources.iter().find(|known| known.source == quote.source);
    source.is_some_and(|source| {
        source.polled_at == Some(quote.received_at) && quote.received_at > source.before
    })
}

fn list(counts: &Counts<'_>) -> Vec<ScanCount> {
    let count = |(key, count): (&&str, &Count)| {
        let Count { quotes, asked, confirmed } = *count;
        ScanCount { key: (*key).to_owned(), quotes, asked, confirmed }
    };
    counts.iter().map(count).collect()
}

/// The sources that have begun, and those with quotes that have not.
fn source_list(scan: &StateScan, counts: &Counts<'_>) -> Vec<ScanSource> {
    let source = |name: &str, outcome: &str, polled_at, credits| {
        let Count { quotes, asked, confirmed } = counts.get(name).copied().unwrap_or_default();
        let (source, outcome) = (name.to_owned(), outcome.to_owned());
        ScanSource { source, outcome, polled_at, credits, quotes, asked, confirmed }
    };
    let begun = scan.sources.iter().map(|known| {
        source(&known.source, known.outcome.as_deref().unwrap_or(PENDING), known.polled_at, known.credits)
    });
    let has_begun = |name: &str| scan.sources.iter().any(|known| known.source == name);
    let silent = counts.keys().filter(|name| !has_begun(name)).map(|name| source(name, SILENT, None, 0));
    let mut all: Vec<_> = begun.chain(silent).collect();
    all.sort_by(|a, b| a.source.cmp(&b.source));
    all
}

/// The best arbs, as the board ranks them.
fn best(mut arbs: Vec<(BoardEntry, Vec<bool>)>) -> Vec<ScanArb> {
    arbs.sort_by(|(a, _), (b, _)| {
        let larger = b.score.total_cmp(&a.score);
        Reverse(a.verified).cmp(&Reverse(b.verified)).then(larger).then_with(|| a.id.cmp(&b.id))
    });
    arbs.truncate(MOST_ARBS);
    let encoded = |(entry, asked): (BoardEntry, Vec<bool>)| {
        // An entry that fits no record of the board was published nowhere either.
        encode(&entry).ok().map(|message| ScanArb { entry: Message(message), asked })
    };
    arbs.into_iter().filter_map(encoded).collect()
}

/// The record of an answer; as many arbs and counts are left out as must be for it to fit.
pub(super) fn encoded(mut result: ScanResult) -> Result<Vec<u8>, WireError> {
    loop {
        match encode(&result) {
            Err(WireError::TooLong { .. }) if !result.arbs.is_empty() => {
                let kept = result.arbs.len() / 2;
                result.left_out += i32::try_from(result.arbs.len() - kept).unwrap_or(i32::MAX);
                result.arbs.truncate(kept);
            }
            Err(WireError::TooLong { .. }) if !(result.books.is_empty() && result.leagues.is_empty()) => {
                (result.books, result.leagues) = (Vec::new(), Vec::new());
            }
            encoded => return encoded,
        }
    }
}
