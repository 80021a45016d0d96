//! The open edge signals, newest first, and the filters of a request.
//!
//! Strength is of another unit for each kind, so it orders nothing here: a value of 3 % and a steam of 3 % are no equals.

use std::cmp::Ordering;

use arb_feed::filter::parameter::{Number, Parameter};
use arb_feed::filter::signal_kinds::{KIND, SignalKinds};
use arb_feed::filter::sport::{SPORT, Sport};
use arb_feed::filter::window::{BOOK, EVENT_ID, IN_PLAY, MARKET};
use arb_feed::view::{OddsFormat, SignalView};
use arb_schemas::records::{EdgeSignal, Event};
use arb_schemas::time::Micros;
use arb_schemas::topics::{SIGNALS, Topic};
use serde::{Deserialize, Serialize};

use crate::http::query::{Query, QueryRow, row};
use crate::lists::known_names::{NameKind, Named};
use crate::lists::listed::{self, ListFilter, Listed};

/// A strength may be below zero, of which every signal has more.
const MIN_STRENGTH: &Parameter<Number> =
    &Parameter::number("min_strength", "The least strength.", (None, None))
        .because("must be a number, a fraction: 0.02 is 2 %");
const MIN_CONFIDENCE: &Parameter<Number> =
    &Parameter::number("min_confidence", "The least confidence.", (Some(0.0), Some(1.0)));

impl Listed for EdgeSignal {
    const TOPIC: Topic = SIGNALS;
    const NAME: &'static str = "signals";
    const PAGE: &'static str = "SignalPage";
    const UNREAD: &'static str = "The signals are being read; try again.";
    type Key = SignalKey;
    type Filter = SignalFilter;
    type View<'a> = SignalView<'a>;

    fn id(&self) -> &str {
        &self.id
    }

    fn event(&self) -> &Event {
        &self.event
    }

    fn market_and_books(&self) -> impl Iterator<Item = (NameKind, &str)> {
        let books = self.bets.iter().map(|bet| (NameKind::Book, &*bet.book));
        [(NameKind::Market, self.market.as_str())].into_iter().chain(books)
    }

    fn sequence(&self) -> i64 {
        self.sequence
    }

    fn key(&self) -> SignalKey {
        SignalKey { opened_at: self.opened_at.0, id: self.id.clone() }
    }

    fn view(&self, _: u64, as_of: Option<Micros>, _: OddsFormat) -> SignalView<'_> {
        SignalView::new(self, as_of.unwrap_or(self.updated_at.0))
    }
}

/// A place among the signals.
///
/// The order: the later opened first, then the id, so that it is total.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignalKey {
    opened_at: Micros,
    id: String,
}

impl Ord for SignalKey {
    fn cmp(&self, other: &Self) -> Ordering {
        other.opened_at.cmp(&self.opened_at).then_with(|| self.id.cmp(&other.id))
    }
}

impl PartialOrd for SignalKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl listed::SortKey for SignalKey {
    fn bytes(&self) -> usize {
        self.id.len()
    }
}

/// The filters of a request; a filter applies where it is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignalFilter {
    sport: Sport,
    kinds: SignalKinds,
    market: Option<String>,
    /// At which a bet is.
    book: Option<String>,
    event_id: Option<String>,
    min_strength: Option<u64>,
    min_confidence: Option<u64>,
    in_play: Option<bool>,
}

impl Query for SignalFilter {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(SPORT => sport),
        row!(KIND => kinds),
        row!(MARKET => market),
        row!(BOOK => book),
        row!(EVENT_ID => event_id),
        row!(MIN_STRENGTH => min_strength),
        row!(MIN_CONFIDENCE => min_confidence),
        row!(IN_PLAY => in_play),
    ];
}

impl ListFilter<EdgeSignal> for SignalFilter {
    fn includes(&self, signal: &EdgeSignal, _: Option<Micros>) -> bool {
        let is = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
        let reaches = |least: Option<u64>, is: f64| least.is_none_or(|least| is >= f64::from_bits(least));
        let is_at = |book: &String| signal.bets.iter().any(|bet| *bet.book == **book);
        self.sport.is(&signal.event.sport, &signal.event.league)
            && self.kinds.include(signal.kind.as_str())
            && is(&self.market, signal.market.as_str())
            && is(&self.event_id, &signal.event.id)
            && self.book.as_ref().is_none_or(is_at)
            && reaches(self.min_strength, signal.strength)
            && reaches(self.min_confidence, signal.confidence)
            && self.in_play.is_none_or(|in_play| in_play == signal.in_play)
    }

    fn names(&self) -> Vec<Named<'_>> {
        let (market, book) = (Named::market(self.market.as_ref()), Named::book(self.book.as_ref()));
        [Named::sport("sport", &self.sport), market, book].into_iter().flatten().collect()
    }

    fn bytes(&self) -> usize {
        let names = [&self.market, &self.book, &self.event_id].into_iter().flatten();
        self.sport.bytes() + self.kinds.bytes() + names.map(String::len).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arb_feed::fixtures::signal;
    use arb_schemas::records::BoardProgress;
    use serde_json::{Value, json};

    use super::*;
    use crate::http::paging::Cursor;
    use crate::lists::entries::Entries;
    use crate::lists::polls::Polls;
    use crate::lists::snapshot::{PageForm, PageQueryOf};

    fn wanted(parameters: &[(&str, &str)]) -> SignalFilter {
        let mut wanted = SignalFilter::default();
        for (name, value) in parameters {
            assert!(wanted.take(name, value).ok().unwrap(), "{name}={value}");
        }
        wanted
    }

    #[test]
    fn every_part_of_a_filter_holds() {
        // A value of 0.031 with confidence 0.9 on totals of soccer_test in play; the bet is at alpha, evidence at beta.
        let signal = signal("a", 1);
        for (parameters, expected) in [
            (&[][..], true),
            (&[("sport", "soccer")], true),
            (&[("sport", "tennis")], false),
            (&[("kind", "steam,value")], true),
            (&[("kind", "steam")], false),
            (&[("market", "totals")], true),
            (&[("market", "h2h")], false),
            (&[("book", "alpha")], true),
            (&[("book", "beta")], false),
            (&[("event_id", "e")], true),
            (&[("event_id", "f")], false),
            (&[("min_strength", "0.031")], true),
            (&[("min_strength", "0.0311")], false),
            (&[("min_strength", "-1")], true),
            (&[("min_confidence", "0.9")], true),
            (&[("min_confidence", "1")], false),
            (&[("in_play", "true")], true),
            (&[("in_play", "false")], false),
            (&[("book", "alpha"), ("kind", "value"), ("in_play", "true")], true),
            (&[("book", "alpha"), ("kind", "value"), ("in_play", "false")], false),
        ] {
            assert_eq!(wanted(parameters).includes(&signal, None), expected, "{parameters:?}");
        }
    }

    #[test]
    fn an_invalid_value_is_refused_and_an_unknown_parameter_is_left_to_others() {
        for (name, value) in [
            ("sport", ""),
            ("kind", ""),
            ("kind", "value,"),
            ("kind", "values"),
            ("market", ""),
            ("book", &"b".repeat(101)),
            ("event_id", ""),
            ("min_strength", "NaN"),
            ("min_strength", "inf"),
            ("min_strength", "2%"),
            ("min_confidence", "1.01"),
            ("min_confidence", "-0.1"),
            ("in_play", "yes"),
            ("in_play", "1"),
        ] {
            assert!(SignalFilter::default().take(name, value).is_err(), "{name}={value}");
        }
        assert!(matches!(SignalFilter::default().take("kinds", "value"), Ok(false)));
    }

    #[test]
    fn the_same_filter_said_otherwise_is_the_same_and_survives_its_journey() {
        let one = wanted(&[("kind", "value,steam"), ("min_strength", "0"), ("book", "alpha")]);
        let other = wanted(&[("book", "alpha"), ("min_strength", "-0.0"), ("kind", "steam,value,steam")]);
        assert_eq!(one, other);
        assert_ne!(one, wanted(&[("kind", "value,steam"), ("min_strength", "0.1"), ("book", "alpha")]));
        let cursor = Cursor { after: signal("a", 7).key(), filter: one };
        assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
    }

    #[test]
    fn the_newest_are_first_and_the_order_is_total() {
        let place = |opened_at, id: &str| SignalKey { opened_at, id: id.to_owned() };
        let ordered = [place(9, "b"), place(7, "a"), place(7, "c"), place(-1, "a")];
        for (index, a) in ordered.iter().enumerate() {
            for (other, b) in ordered.iter().enumerate() {
                assert_eq!(a.cmp(b), index.cmp(&other), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn pages_of_what_is_wanted_follow_one_another() {
        let polls = Arc::new(Polls::new(1));
        polls.note(0, BoardProgress { source: "s".into(), received_at: 10_000_000 });
        let signals = Entries::<EdgeSignal>::new(&polls, &Arc::default());
        signals.ready();
        for (id, opened, kind) in [("a", 5, "value"), ("b", 9, "value"), ("c", 7, "steam"), ("d", 5, "value")]
        {
            signals.put(EdgeSignal { kind: kind.into(), ..signal(id, opened) });
        }
        let (mut after, mut ids) = (None, Vec::new());
        loop {
            let filter = wanted(&[("kind", "value")]);
            let ask = PageQueryOf::<EdgeSignal> { limit: 2, after, filter, form: PageForm::Json };
            let page: Value =
                serde_json::from_slice(&signals.snapshot().unwrap().page(&ask).body.plain).unwrap();
            assert_eq!((&page["as_of"], page.get("arbs")), (&json!("1970-01-01T00:00:10Z"), None));
            assert_eq!(page["signals"][0]["bets"][0]["age_seconds"], 1.0);
            ids.extend(page["signals"].as_array().unwrap().iter().map(|one| one["id"].clone()));
            let Some(next) = page["next_cursor"].as_str() else { break };
            let cursor = Cursor::<SignalKey, SignalFilter>::decode(next).unwrap();
            assert_eq!(cursor.filter, ask.filter);
            after = Some(cursor.after);
        }
        assert_eq!(ids, ["b", "a", "d"]);
    }
}
