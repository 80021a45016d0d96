//! Windows of the past as CSV: a row for each, with the books and bets of its legs in one field each. It never holds what JSON has not.

use arb_model::Time;
use arb_store::history::PastWindow;

use super::CsvRow;
use crate::view::bet::bet;

/// The names of the columns, with the line's end.
const HEADER: &str = "id,feed,sport,league,event_id,home,away,commence_time,kind,market,period,line,in_play,opened_at,closed_at,\
lifetime_seconds,reason,margin_open,margin_peak,margin_close,simultaneous_ever,verified_ever,stood,verified_stood,updates,books,bets\r\n";

/// All of them, after the names of the columns.
pub(crate) fn windows(windows: &[PastWindow]) -> String {
    windows.iter().fold(HEADER.to_owned(), |text, window| text + &row(window))
}

fn row(window: &PastWindow) -> String {
    let mut row = CsvRow(String::new());
    let time = |micros: Option<i64>| micros.map(arb_schemas::time::to_rfc3339);
    for name in [&window.window, &window.topic, &window.sport_key, &window.league_key, &window.event] {
        row.text(name);
    }
    for name in [&window.home_name, &window.away_name] {
        row.text(name.as_deref().unwrap_or_default());
    }
    row.some(time(window.commence_micros)).text(window.kind_key.as_deref().unwrap_or_default());
    row.text(&window.market_key).text(&window.period_key).some(window.points).some(window.was_in_play);
    row.time(Time(window.opened_micros)).some(time(window.closed_micros));
    let lifetime = window.closed_micros.map(|closed| (closed - window.opened_micros) as f64 / 1e6);
    row.some(lifetime).text(window.why.as_deref().unwrap_or_default());
    row.some(window.open_margin).some(window.peak_margin).some(window.close_margin);
    row.value(window.was_simultaneous).value(window.was_verified);
    row.some(window.all_stood).some(window.all_stood_verified).value(window.updates_count);
    let books: Vec<_> = window.bets.iter().map(|(_, _, book, ..)| book.as_str()).collect();
    let names =
        [window.home_name.as_deref().unwrap_or("Home"), window.away_name.as_deref().unwrap_or("Away")];
    let bets = window.bets.iter().map(|(outcome, side, ..)| bet((outcome, side), window.points, names));
    row.text(&books.join(" ")).text(&bets.collect::<Vec<_>>().join(" / "));
    format!("{}\r\n", row.0.trim_end_matches(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_a_row_with_as_many_fields_as_the_header() {
        let window = PastWindow {
            window: "w".into(),
            topic: "t".into(),
            sport_key: "soccer".into(),
            league_key: "soccer_epl".into(),
            event: "e".into(),
            home_name: Some("=H".into()),
            away_name: None,
            commence_micros: Some(1_000_000),
            kind_key: Some("surebet".into()),
            market_key: "totals".into(),
            period_key: "full_time".into(),
            points: Some(2.5),
            opened_micros: 2_000_000,
            closed_micros: Some(3_500_000),
            why: Some("gone".into()),
            was_in_play: Some(true),
            open_margin: Some(0.01),
            peak_margin: Some(0.02),
            close_margin: None,
            was_simultaneous: false,
            was_verified: true,
            all_stood: Some(false),
            all_stood_verified: None,
            updates_count: 3,
            bets: vec![("over".into(), "back".into(), "a".into(), 2.1, 0.5)],
        };
        let text = windows(&[window]);
        let (header, row) = text.trim_end().split_once("\r\n").unwrap();
        let (names, fields): (Vec<_>, Vec<_>) = (header.split(',').collect(), row.split(',').collect());
        assert_eq!(names.len(), fields.len(), "{row}");
        let field = |name: &str| fields[names.iter().position(|other| *other == name).unwrap()];
        assert_eq!((field("home"), field("away"), field("line")), ("'=H", "", "2.5"));
        assert_eq!((field("lifetime_seconds"), field("margin_close"), field("books")), ("1.5", "", "a"));
        assert_eq!(field("bets"), "Over 2.5");
        assert_eq!((field("simultaneous_ever"), field("verified_ever")), ("false", "true"));
        assert_eq!((field("stood"), field("verified_stood")), ("false", ""));
    }
}
