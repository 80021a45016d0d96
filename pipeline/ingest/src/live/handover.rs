//! What a worker leaves to the next holder of a lease: when the prices and the scores of each sport were asked for last, and what
//! scans have spent.
//!
//! It is text of a few kilobytes at most, for Kafka keeps no more with an offset: where there are too many sports, those
//! that were asked for last stay. What is not understood is left out: such a sport is polled at once.

use std::collections::BTreeMap;

use arb_schemas::time::Micros;

use super::scan_budget::ScanLedger;

/// The first word, which names the format.
const VERSION: &str = "2";
/// What the word begins with that says what scans have spent.
const SCANS: char = '#';
/// Kafka's limit is 4,096 bytes, unless its operator made it less.
const LONGEST: usize = 4_000;

/// When a sport was asked for last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// Its prices.
    pub odds: Option<Micros>,
    /// Its scores.
    pub scores: Option<Micros>,
}

/// What a lease is left with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handover {
    /// By sport.
    pub asked: BTreeMap<String, Asked>,
    /// What scans have spent.
    pub scans: ScanLedger,
}

/// Writes the text form; `scans` is what scans have spent, as text, where that is anything.
#[must_use]
pub fn write(asked: &BTreeMap<String, Asked>, scans: Option<&str>) -> String {
    let mut latest: Vec<_> = asked.iter().collect();
    latest.sort_by_key(|(sport, asked)| (std::cmp::Reverse(asked.odds.max(asked.scores)), *sport));
    let scans = scans.map(|scans| format!(" {SCANS}{scans}")).unwrap_or_default();
    let mut text = format!("{VERSION}{scans}");
    for (sport, Asked { odds, scores }) in latest {
        let number = |at: &Option<Micros>| at.map(|at| at.to_string()).unwrap_or_default();
        let scores = scores.map(|at| format!(":{at}")).unwrap_or_default();
        let entry = format!(" {sport}={}{scores}", number(odds));
        if text.len() + entry.len() > LONGEST {
            break;
        }
        text.push_str(&entry);
    }
    text
}

/// Parses the text form.
#[must_use]
pub fn read(text: &str) -> Handover {
    let mut words = text.split(' ').peekable();
    if words.next() != Some(VERSION) {
        return Handover::default();
    }
    let scans = words.next_if(|word| word.starts_with(SCANS));
    let scans = scans.and_then(|word| ScanLedger::read(word.trim_start_matches(SCANS))).unwrap_or_default();
    let entry = |word: &str| {
        let (sport, at) = word.split_once('=')?;
        let (odds, scores) = at.split_once(':').map_or((at, None), |(odds, scores)| (odds, Some(scores)));
        let scores = scores.map(str::parse).transpose().ok()?;
        let odds = if odds.is_empty() && scores.is_some() { None } else { Some(odds.parse().ok()?) };
        Some((sport.to_owned(), Asked { odds, scores }))
    };
    Handover { asked: words.filter_map(entry).collect(), scans }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let asked = [("soccer_epl", Some(7), None), ("nba", Some(-1), Some(6)), ("nhl", None, Some(5))];
        let asked: BTreeMap<_, _> =
            asked.map(|(sport, odds, scores)| (sport.to_owned(), Asked { odds, scores })).into();
        assert_eq!(write(&asked, None), "2 soccer_epl=7 nba=-1:6 nhl=:5");
        assert_eq!(read(&write(&asked, None)).asked, asked);
        assert_eq!(read(&write(&BTreeMap::new(), None)), Handover::default());
        let spent = write(&asked, Some("12,110,1,acc_a:12"));
        assert_eq!(spent, "2 #12,110,1,acc_a:12 soccer_epl=7 nba=-1:6 nhl=:5");
        let scans = ScanLedger::read("12,110,1,acc_a:12").unwrap();
        assert_eq!(read(&spent), Handover { asked, scans });
    }

    #[test]
    fn unknown_parts_are_left_out() {
        for none in ["", "3 soccer_epl=7", "2", "2 b c=x d= e=: f=1:x g=:", "2 #x"] {
            assert_eq!(read(none), Handover::default(), "{none}");
        }
        assert!(read("2 #x a=7 b c=x =5 d=").asked.contains_key("a"));
    }

    #[test]
    fn of_too_many_the_latest_stay() {
        let of = |index| (format!("sport_{index:03}"), Asked { odds: Some(index), scores: None });
        let asked = (0..500).map(of).collect();
        let text = write(&asked, None);
        assert!(text.len() <= LONGEST);
        let left = read(&text).asked;
        let first =
            |left: &BTreeMap<String, Asked>| left.values().filter_map(|asked| asked.odds).min().unwrap();
        assert!(left.len() > 200 && first(&left) == 500 - i64::try_from(left.len()).unwrap());
    }
}
