//! The answer to a scan as JSON: the results of all partitions, merged.
//!
//! It never computes an arb: it adds counts, ranks entries as the board does, and states stakes for the requested total.

use std::collections::BTreeMap;

use arb_feed::view::EntryView;
use arb_model::{BoardEntry, Money, Time};
use arb_schemas::records::scans::{PENDING, POLLED, SILENT};
use arb_schemas::records::{ScanCount, ScanRequest, ScanResult, ScanSource};
use arb_schemas::time::Micros;
use arb_schemas::wire::decode;
use serde_json::{Value, json};

use crate::lists::listed::Listed;
use crate::scans::store::{Scan, ScanStatus};
use crate::view::{
    AnsweredPartitions, AnsweredView, CountedQuotes, ScanScope, ScanView, ScannedArb, ScannedBook,
    ScannedLeague, ScannedSource,
};

/// Above this a margin is more likely a mistake of the request than a wish.
const LARGE_MARGIN: f64 = 0.25;
/// Arbs in an answer.
const MOST_ARBS: usize = 500;

/// A scan, to be shown.
pub(super) struct AnswerView<'a> {
    pub(super) request: &'a ScanRequest,
    pub(super) scan: &'a Scan,
    pub(super) status: ScanStatus,
    pub(super) partitions: usize,
}

/// Counts by name: quotes, asked, confirmed.
type Counts<'a> = BTreeMap<&'a str, [i64; 3]>;

impl AnswerView<'_> {
    pub(super) fn json(&self) -> Value {
        let results = || self.scan.results.values();
        let sources = self.sources();
        let as_of = results().map(|result| result.as_of).max();
        let credits: i64 = sources.values().map(|source| source.credits).sum();
        let quotes = sources.values().fold([0; 3], |sum, source| add(sum, of_source(source)));
        let (arbs, arbs_left_out) = self.arbs();
        let leagues = merged(results().flat_map(|result| &result.leagues));
        let books = self.books();
        json!(ScanView {
            id: &self.request.id,
            status: self.status.key(),
            complete: self.status == ScanStatus::Complete,
            requested_at: Time(self.request.requested_at),
            as_of: as_of.map(Time),
            request: self.scope(),
            warnings: self.warnings(&sources, quotes),
            estimated_credits: credits,
            partitions: AnsweredPartitions { answered: self.scan.results.len(), of: self.partitions },
            events: results().map(|result| i64::from(result.events)).sum(),
            quotes: counted(quotes),
            sources: sources.values().map(|source| self.source(source)).collect(),
            leagues: leagues
                .iter()
                .map(|(league, count)| ScannedLeague { league, answered: answered(*count) })
                .collect(),
            books: books
                .iter()
                .map(|(book, count)| ScannedBook { book, answered: answered(*count) })
                .collect(),
            arbs: (1..).zip(&arbs).map(|(rank, arb)| Self::arb(rank, arb)).collect(),
            arbs_left_out,
        })
    }

    fn scope(&self) -> ScanScope<'_> {
        let ScanRequest { sport, league, event_ids, event_group, markets, books, .. } = self.request;
        ScanScope {
            sport: sport.as_deref(),
            league: league.as_deref(),
            event_ids,
            event_group: event_group.as_deref(),
            markets,
            books,
            min_margin: self.request.min_margin,
            min_margin_percent: self.request.min_margin * 100.0,
            total_stake: self.request.total_stake.map(Money),
        }
    }

    fn warnings(&self, sources: &BTreeMap<String, ScanSource>, quotes: [i64; 3]) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.request.min_margin > LARGE_MARGIN {
            let percent = self.request.min_margin * 100.0;
            warnings.push(format!("min_margin is a fraction: this one is {percent} %; 0.015 is 1.5 %."));
        }
        if sources.is_empty() && self.status != ScanStatus::Pending {
            warnings.push("Nobody polls what is scanned, or nobody has answered in time.".to_owned());
        }
        let [_, asked, confirmed] = quotes;
        if asked > 0 && confirmed == 0 {
            warnings.push(
                "The sources were asked and no book has confirmed a price since the request: they publish prices that they \
                 have had for some time."
                    .to_owned(),
            );
        }
        warnings
    }

    /// By name, over all partitions: a source is as far as it is in the partition where it is least far.
    fn sources(&self) -> BTreeMap<String, ScanSource> {
        let mut sources: BTreeMap<String, ScanSource> = BTreeMap::new();
        for source in self.scan.results.values().flat_map(|result| &result.sources) {
            let Some(known) = sources.get_mut(&source.source) else {
                sources.insert(source.source.clone(), source.clone());
                continue;
            };
            if rank(&source.outcome) > rank(&known.outcome) {
                known.outcome.clone_from(&source.outcome);
            }
            known.polled_at = known.polled_at.max(source.polled_at);
            known.credits = known.credits.max(source.credits);
            known.quotes += source.quotes;
            known.asked += source.asked;
            known.confirmed += source.confirmed;
        }
        sources
    }

    fn source<'s>(&self, source: &'s ScanSource) -> ScannedSource<'s> {
        let is_final = self.status != ScanStatus::Pending;
        let (outcome, reason) = match &*source.outcome {
            POLLED => (POLLED, None),
            PENDING | SILENT if is_final => ("timeout", Some("It has not answered in time.")),
            PENDING | SILENT => (PENDING, Some("It has not answered yet.")),
            outcome => (outcome, reason(outcome)),
        };
        let quotes = counted(of_source(source));
        ScannedSource {
            source: &source.source,
            outcome,
            polled_at: source.polled_at.map(Time),
            estimated_credits: source.credits,
            answered: AnsweredView { answered: outcome == POLLED, reason, quotes },
        }
    }

    /// The books that have a price of what is scanned, and those that were named and have none.
    fn books(&self) -> Counts<'_> {
        let mut counts = merged(self.scan.results.values().flat_map(|result| &result.books));
        for book in &self.request.books {
            counts.entry(book).or_default();
        }
        counts
    }

    /// The arbs, best first, and how many there was no room for.
    fn arbs(&self) -> (Vec<FoundArb<'_>>, i64) {
        let results = || self.scan.results.values();
        let mut all: Vec<_> = results().flat_map(|result| FoundArb::all(result)).collect();
        all.sort_by_key(|arb| arb.entry.key());
        let mut left_out: i64 = results().map(|result| i64::from(result.left_out)).sum();
        left_out += i64::try_from(all.len().saturating_sub(MOST_ARBS)).unwrap_or(0);
        all.truncate(MOST_ARBS);
        for arb in &mut all {
            arb.total = self.request.total_stake.map(|total| put_stakes(&mut arb.entry, total));
        }
        (all, left_out)
    }

    fn arb<'a>(rank: u64, arb: &'a FoundArb<'_>) -> ScannedArb<'a> {
        let entry = EntryView::new(&arb.entry, arb.as_of).ranked(rank).asked(arb.asked);
        ScannedArb { entry, total_stake: arb.total }
    }
}

/// An arb of a partition's answer.
struct FoundArb<'a> {
    entry: BoardEntry,
    asked: &'a [bool],
    as_of: Micros,
    /// Of its stakes, where the request has one.
    total: Option<Money>,
}

impl<'a> FoundArb<'a> {
    /// Those that can be read.
    fn all(result: &'a ScanResult) -> impl Iterator<Item = Self> {
        result.arbs.iter().filter_map(|arb| {
            let entry = decode(&arb.entry.0).ok()?;
            Some(Self { entry, asked: &arb.asked, as_of: result.as_of, total: None })
        })
    }
}

/// Stakes for a total, in place of those for the default: each rounded down to minor units, and the total at most what the
/// limits allow. The total that they are for.
#[expect(clippy::cast_possible_truncation, reason = "stakes are far below 2^53")]
fn put_stakes(entry: &mut BoardEntry, total: i64) -> Money {
    let total = entry.total_stake_max.map_or(total, |most| total.min(most.0));
    for leg in &mut entry.legs {
        let risked = (total as f64 * leg.stake_share).floor();
        let is_lay = leg.side.known() == Some(arb_model::Side::Lay);
        let odds = f64::from(leg.price.millionths()) / 1e6;
        let placed = if is_lay { (risked / (odds - 1.0)).floor() } else { risked };
        leg.stake = Some(Money(placed as i64));
        if is_lay {
            leg.liability = Some(Money(risked as i64));
        }
    }
    Money(total)
}

/// How far from answered an outcome is.
fn rank(outcome: &str) -> u8 {
    match outcome {
        POLLED => 0,
        SILENT => 2,
        PENDING => 3,
        _ => 1,
    }
}

/// Why a source was not polled, in words.
fn reason(outcome: &str) -> Option<&'static str> {
    Some(match outcome {
        "polled_recently" => "It was polled a moment ago; it has nothing newer.",
        "recording" => "It is a recording, which cannot be polled.",
        "not_covered" => "It does not poll this at the moment.",
        "credits" => {
            "The credits of the provider, or the share of them that scans may spend, do not allow a poll."
        }
        "scan_cap" => "One scan may not have as much polled as this one covers.",
        "back_off" => "The provider has asked for a pause, or failed a moment ago.",
        "failed" => "The provider could not be reached, or its answer could not be read.",
        _ => return None,
    })
}

fn add(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn of_source(source: &ScanSource) -> [i64; 3] {
    [source.quotes, source.asked, source.confirmed].map(i64::from)
}

fn counted([on_offer, asked_now, confirmed_after_request]: [i64; 3]) -> CountedQuotes {
    CountedQuotes { on_offer, asked_now, confirmed_after_request }
}

fn merged<'a>(counts: impl Iterator<Item = &'a ScanCount>) -> Counts<'a> {
    let mut merged = Counts::new();
    for count in counts {
        let sum = merged.entry(&count.key).or_default();
        *sum = add(*sum, [count.quotes, count.asked, count.confirmed].map(i64::from));
    }
    merged
}

/// Whether what has these counts has answered, and why not.
fn answered(count: [i64; 3]) -> AnsweredView {
    let reason = match count {
        [0, ..] => Some("It has no price on offer of what is scanned."),
        [_, 0, _] => Some("None of its prices is from a poll for this scan; see sources."),
        _ => None,
    };
    AnsweredView { answered: count[1] > 0, reason, quotes: counted(count) }
}
