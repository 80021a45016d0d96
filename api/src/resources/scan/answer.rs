//! The answer to a scan as JSON: the results of all partitions, merged.
//!
//! It never computes an arb: it adds counts, ranks entries as the board does, and states stakes for the requested total.

use std::collections::BTreeMap;

use arb_feed::view::EntryView;
use arb_model::BoardEntry;
use arb_schemas::records::scans::{PENDING, POLLED, SILENT};
use arb_schemas::records::{ScanCount, ScanRequest, ScanResult, ScanSource};
use arb_schemas::time::to_rfc3339;
use arb_schemas::wire::decode;
use serde_json::{Value, json};

use crate::lists::listed::Listed;
use crate::scans::store::{Scan, ScanStatus};
use crate::view::Ranked;

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
        let (arbs, left_out) = self.arbs();
        json!({
            "id": self.request.id,
            "status": self.status.key(),
            "complete": self.status == ScanStatus::Complete,
            "requested_at": to_rfc3339(self.request.requested_at),
            "as_of": as_of.map(to_rfc3339),
            "request": self.scope(),
            "warnings": self.warnings(&sources, quotes),
            "estimated_credits": credits,
            "partitions": {"answered": self.scan.results.len(), "of": self.partitions},
            "events": results().map(|result| i64::from(result.events)).sum::<i64>(),
            "quotes": counted(quotes),
            "sources": sources.values().map(|source| self.source(source)).collect::<Vec<_>>(),
            "leagues": named("league", &merged(results().flat_map(|result| &result.leagues))),
            "books": self.books(),
            "arbs": arbs,
            "arbs_left_out": left_out,
        })
    }

    fn scope(&self) -> Value {
        let ScanRequest { sport, league, event_ids, event_group, markets, books, .. } = self.request;
        json!({
            "sport": sport, "league": league, "event_ids": event_ids, "event_group": event_group,
            "markets": markets, "books": books, "min_margin": self.request.min_margin,
            "min_margin_percent": self.request.min_margin * 100.0,
            "total_stake": self.request.total_stake.map(|minor| minor as f64 / 100.0),
        })
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

    fn source(&self, source: &ScanSource) -> Value {
        let is_final = self.status != ScanStatus::Pending;
        let (outcome, reason) = match &*source.outcome {
            POLLED => (POLLED, None),
            PENDING | SILENT if is_final => ("timeout", Some("It has not answered in time.")),
            PENDING | SILENT => (PENDING, Some("It has not answered yet.")),
            outcome => (outcome, reason(outcome)),
        };
        let mut view = counted(of_source(source));
        view["source"] = json!(source.source);
        view["outcome"] = json!(outcome);
        view["answered"] = json!(outcome == POLLED);
        view["reason"] = json!(reason);
        view["polled_at"] = json!(source.polled_at.map(to_rfc3339));
        view["estimated_credits"] = json!(source.credits);
        view
    }

    /// The books that have a price of what is scanned, and those that were named and have none.
    fn books(&self) -> Vec<Value> {
        let mut counts = merged(self.scan.results.values().flat_map(|result| &result.books));
        for book in &self.request.books {
            counts.entry(book).or_default();
        }
        named("book", &counts)
    }

    /// The arbs, best first, and how many there was no room for.
    fn arbs(&self) -> (Vec<Value>, i64) {
        let results = || self.scan.results.values();
        let all = results().flat_map(|result: &std::sync::Arc<ScanResult>| {
            let as_of = result.as_of;
            result
                .arbs
                .iter()
                .filter_map(move |arb| Some((decode::<BoardEntry>(&arb.entry.0).ok()?, &arb.asked, as_of)))
        });
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|(entry, ..)| entry.key());
        let mut left_out: i64 = results().map(|result| i64::from(result.left_out)).sum();
        left_out += i64::try_from(all.len().saturating_sub(MOST_ARBS)).unwrap_or(0);
        let shown = (1..).zip(all.iter().take(MOST_ARBS));
        let shown = shown.map(|(rank, (entry, asked, as_of))| {
            let view = Ranked { rank, entry: EntryView::new(entry, *as_of) };
            let mut view = serde_json::to_value(view).unwrap_or_default();
            for (index, asked) in asked.iter().enumerate() {
                view["legs"][index]["asked_now"] = json!(asked);
            }
            if let Some(total) = self.request.total_stake {
                put_stakes(&mut view, entry, total);
            }
            view
        });
        (shown.collect(), left_out)
    }
}

/// Stakes for a total, in place of those for the default: each rounded down to minor units, and the total at most what the
/// limits allow.
fn put_stakes(view: &mut Value, entry: &BoardEntry, total: i64) {
    let most = view["total_stake_max"].as_f64();
    let total = most.map_or(total as f64, |most| (total as f64).min(most * 100.0));
    view["total_stake"] = json!(total.floor() / 100.0);
    for (index, leg) in entry.legs.iter().enumerate() {
        let risked = (total * leg.stake_share).floor();
        let is_lay = leg.side.known() == Some(arb_model::Side::Lay);
        let odds = f64::from(leg.price.millionths()) / 1e6;
        let placed = if is_lay { (risked / (odds - 1.0)).floor() } else { risked };
        view["legs"][index]["stake"] = json!(placed / 100.0);
        if is_lay {
            view["legs"][index]["liability"] = json!(risked / 100.0);
        }
    }
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

fn counted([quotes, asked, confirmed]: [i64; 3]) -> Value {
    json!({"on_offer": quotes, "asked_now": asked, "confirmed_after_request": confirmed})
}

fn merged<'a>(counts: impl Iterator<Item = &'a ScanCount>) -> Counts<'a> {
    let mut merged = Counts::new();
    for count in counts {
        let sum = merged.entry(&count.key).or_default();
        *sum = add(*sum, [count.quotes, count.asked, count.confirmed].map(i64::from));
    }
    merged
}

/// Whether each has answered, and why not.
fn named(field: &str, counts: &Counts<'_>) -> Vec<Value> {
    let view = |(name, count): (&&str, &[i64; 3])| {
        let mut view = counted(*count);
        view[field] = json!(name);
        view["answered"] = json!(count[1] > 0);
        view["reason"] = match count {
            [0, ..] => json!("It has no price on offer of what is scanned."),
            [_, 0, _] => json!("None of its prices is from a poll for this scan; see sources."),
            _ => Value::Null,
        };
        view
    };
    counts.iter().map(view).collect()
}
