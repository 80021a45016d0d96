//! Entries of the board as CSV: a row for each leg, with the entry's values before it.
//!
//! A text that a spreadsheet would take for a formula begins with an apostrophe. It never holds what JSON has not.
//!
//! Source: RFC 4180 (quotes, line ends); OWASP, CSV injection.

mod windows;

use std::fmt::Display;

use arb_feed::view::{OddsFormat, ShownOdds};
use arb_model::{BoardEntry, Leg, Money, Time};
use arb_schemas::time::{Micros, SECOND};
use serde_json::json;

use super::bet::bet;

pub(crate) use windows::windows;

/// The names of the columns, with the line's end.
pub(crate) const HEADER: &str = "rank,id,sport,league,event_id,home,away,commence_time,in_play,market,period,line,implied_probability,\
margin,margin_worst,margin_rounded,total_stake_max,currency,verified,ttl_seconds,opened_at,updated_at,as_of,leg,bet,outcome,side,book,\
operator,price,effective_price,stake_share,stake,liability,limit,price_moved_at,last_seen_at,age_seconds,link\r\n";

/// Appends the rows of an entry at its rank, as of a time.
pub(crate) fn write_entry(
    text: &mut String,
    (rank, entry): (u64, &BoardEntry),
    as_of: Micros,
    odds: OddsFormat,
) {
    let mut before = CsvRow(String::new());
    before.value(rank).text(&entry.id);
    for name in
        [&entry.event.sport, &entry.event.league, &entry.event.id, &entry.event.home, &entry.event.away]
    {
        before.text(name);
    }
    before.time(entry.event.commence_time).value(entry.in_play);
    let line = entry.line.map(arb_model::Points::decimal);
    before.text(entry.market.as_str()).text(entry.period.as_str()).some(line);
    before.value(entry.implied_probability).value(entry.margin).value(entry.margin_worst);
    before.some(entry.margin_rounded).money(entry.total_stake_max);
    before.text(entry.currency.as_deref().unwrap_or_default()).value(entry.verified);
    before.value(entry.ttl.median).time(entry.opened_at).time(entry.updated_at).time(Time(as_of));
    let names = [&*entry.event.home, &*entry.event.away];
    for (number, leg) in (1_u64..).zip(&entry.legs) {
        text.push_str(&before.0);
        let bet = bet((leg.outcome.as_str(), leg.side.as_str()), line, names);
        write_leg(text, (number, leg, &bet), as_of, odds);
    }
}

fn write_leg(text: &mut String, (number, leg, bet): (u64, &Leg, &str), as_of: Micros, odds: OddsFormat) {
    let mut row = CsvRow(String::new());
    row.value(number)
        .text(bet)
        .text(leg.outcome.as_str())
        .text(leg.side.as_str())
        .text(&leg.book)
        .text(&leg.operator);
    row.price(&odds.show(leg.price));
    row.price(&odds.show(leg.effective_price));
    row.value(leg.stake_share).money(leg.stake).money(leg.liability).money(leg.limit);
    row.time(leg.price_moved_at).time(leg.last_seen_at);
    row.value((as_of - leg.last_seen_at.0).max(0) as f64 / SECOND as f64);
    row.text(leg.link.as_deref().unwrap_or_default());
    row.0.pop();
    text.push_str(&row.0);
    text.push_str("\r\n");
}

/// Fields, each with a comma after it.
struct CsvRow(String);

impl CsvRow {
    fn value(&mut self, value: impl Display) -> &mut Self {
        self.0.push_str(&value.to_string());
        self.0.push(',');
        self
    }

    fn some(&mut self, value: Option<impl Display>) -> &mut Self {
        let value = value.map(|value| value.to_string());
        self.value(value.unwrap_or_default())
    }

    fn money(&mut self, amount: Option<Money>) -> &mut Self {
        self.some(amount.map(|amount| amount.0 as f64 / 100.0))
    }

    fn time(&mut self, at: Time) -> &mut Self {
        self.value(arb_schemas::time::to_rfc3339(at.0))
    }

    fn price(&mut self, price: &ShownOdds) -> &mut Self {
        match price {
            ShownOdds::Fractional(text) => self.text(text),
            number => self.value(json!(number)),
        }
    }

    fn text(&mut self, text: &str) -> &mut Self {
        let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
        let text = if is_formula { format!("'{text}") } else { text.to_owned() };
        if text.contains([',', '"', '\r', '\n']) {
            self.value(format_args!("\"{}\"", text.replace('"', "\"\"")))
        } else {
            self.value(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use arb_feed::fixtures::entry;

    use super::*;

    fn rows(entry: &BoardEntry, odds: OddsFormat) -> String {
        let mut text = String::new();
        write_entry(&mut text, (3, entry), 10 * SECOND, odds);
        text
    }

    #[test]
    fn a_leg_is_a_row_with_as_many_fields_as_the_header() {
        let text = rows(&entry("a", 0.02), OddsFormat::Decimal);
        let lines: Vec<_> = text.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 2);
        let names: Vec<_> = HEADER.trim_end().split(',').collect();
        for (line, (outcome, price)) in lines.iter().zip([("over", "2.1"), ("under", "1.90909")]) {
            let fields: Vec<_> = line.split(',').collect();
            assert_eq!(fields.len(), names.len(), "{line}");
            let field = |name: &str| fields[names.iter().position(|other| *other == name).unwrap()];
            assert_eq!((field("rank"), field("id"), field("line")), ("3", "a", "2.25"));
            assert_eq!((field("outcome"), field("price"), field("book")), (outcome, price, "alpha"));
            let bet = if outcome == "over" { "Over 2.25" } else { "Under 2.25" };
            assert_eq!((field("bet"), field("side")), (bet, "back"));
            assert_eq!((field("total_stake_max"), field("stake"), field("limit")), ("123.45", "50.01", ""));
            assert_eq!((field("age_seconds"), field("as_of")), ("1", "1970-01-01T00:00:10Z"));
        }
        let american = rows(&entry("a", 0.02), OddsFormat::American);
        assert!(american.contains(",110,") && american.contains(",-110,"), "{american}");
    }

    #[test]
    fn a_text_with_commas_is_quoted_and_a_formula_is_none() {
        let mut entry = entry("a", 0.02);
        entry.event.home = "=1+1".into();
        entry.event.away = "A \"B\", C".into();
        assert!(rows(&entry, OddsFormat::Decimal).contains(",'=1+1,\"A \"\"B\"\", C\","));
    }
}
