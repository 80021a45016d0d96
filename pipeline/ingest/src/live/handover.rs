//! What a worker leaves to the next holder of a lease: when the prices and the scores of each sport were asked for last.
//!
//! It is text of a few kilobytes at most, for Kafka keeps no more with an offset: where there are too many sports, those
//! that were asked for last stay. What is not understood is left out: such a sport is polled at once.

use std::collections::BTreeMap;

use arb_schemas::time::Micros;

/// The first word, which names the format.
const VERSION: &str = "1";
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

/// Writes the text form.
#[must_use]
pub fn write(asked: &BTreeMap<String, Asked>) -> String {
    let mut latest: Vec<_> = asked.iter().collect();
    latest.sort_by_key(|(sport, asked)| (std::cmp::Reverse(asked.odds.max(asked.scores)), *sport));
    let mut text = VERSION.to_owned();
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
pub fn read(text: &str) -> BTreeMap<String, Asked> {
    let mut words = text.split(' ');
    if words.next() != Some(VERSION) {
        return BTreeMap::new();
    }
    let entry = |word: &str| {
        let (sport, at) = word.split_once('=')?;
        let (odds, scores) = at.split_once(':').map_or((at, None), |(odds, scores)| (odds, Some(scores)));
        let scores = scores.map(str::parse).transpose().ok()?;
        let odds = if odds.is_empty() && scores.is_some() { None } else { Some(odds.parse().ok()?) };
        Some((sport.to_owned(), Asked { odds, scores }))
    };
    words.filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let asked = [("soccer_epl", Some(7), None), ("nba", Some(-1), Some(6)), ("nhl", None, Some(5))];
        let asked: BTreeMap<_, _> =
            asked.map(|(sport, odds, scores)| (sport.to_owned(), Asked { odds, scores })).into();
        assert_eq!(write(&asked), "1 soccer_epl=7 nba=-1:6 nhl=:5");
        assert_eq!(read(&write(&asked)), asked);
        assert_eq!(read(&write(&BTreeMap::new())), BTreeMap::new());
    }

    #[test]
    fn unknown_parts_are_left_out() {
        assert!(read("").is_empty() && read("2 soccer_epl=7").is_empty() && read("1").is_empty());
        assert!(read("1 a=7 b c=x =5 d=").contains_key("a"));
        assert_eq!(read("1 b c=x d= e=: f=1:x g=:"), BTreeMap::new());
    }

    #[test]
    fn of_too_many_the_latest_stay() {
        let of = |index| (format!("sport_{index:03}"), Asked { odds: Some(index), scores: None });
        let asked = (0..500).map(of).collect();
        let text = write(&asked);
        assert!(text.len() <= LONGEST);
        let left = read(&text);
        let first =
            |left: &BTreeMap<String, Asked>| left.values().filter_map(|asked| asked.odds).min().unwrap();
        assert!(left.len() > 200 && first(&left) == 500 - i64::try_from(left.len()).unwrap());
    }
}
