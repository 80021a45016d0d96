//! What a worker leaves to the next holder of a lease: when each sport was asked for last.
//!
//! It is text of a few kilobytes at most, for Kafka keeps no more with an offset: where there are too many sports, those
//! that were asked for last stay. What is not understood is left out: such a sport is polled at once.

use std::collections::BTreeMap;

use arb_schemas::time::Micros;

/// The first word, which names the format.
const VERSION: &str = "1";
/// Kafka's limit is 4,096 bytes, unless its operator made it less.
const LONGEST: usize = 4_000;

/// Writes the text form.
#[must_use]
pub fn write(asked: &BTreeMap<String, Micros>) -> String {
    let mut latest: Vec<_> = asked.iter().collect();
    latest.sort_by_key(|(sport, at)| (std::cmp::Reverse(**at), *sport));
    let mut text = VERSION.to_owned();
    for (sport, at) in latest {
        let entry = format!(" {sport}={at}");
        if text.len() + entry.len() > LONGEST {
            break;
        }
        text.push_str(&entry);
    }
    text
}

/// Parses the text form.
#[must_use]
pub fn read(text: &str) -> BTreeMap<String, Micros> {
    let mut words = text.split(' ');
    if words.next() != Some(VERSION) {
        return BTreeMap::new();
    }
    let entry = |word: &str| {
        let (sport, at) = word.split_once('=')?;
        Some((sport.to_owned(), at.parse().ok()?))
    };
    words.filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let asked = BTreeMap::from([("soccer_epl".to_owned(), 7), ("basketball_nba".to_owned(), -1)]);
        assert_eq!(write(&asked), "1 soccer_epl=7 basketball_nba=-1");
        assert_eq!(read(&write(&asked)), asked);
        assert_eq!(read(&write(&BTreeMap::new())), BTreeMap::new());
    }

    #[test]
    fn unknown_parts_are_left_out() {
        assert!(read("").is_empty() && read("2 soccer_epl=7").is_empty() && read("1").is_empty());
        assert!(read("1 a=7 b c=x =5 d=").contains_key("a"));
        assert_eq!(read("1 b c=x d="), BTreeMap::new());
    }

    #[test]
    fn of_too_many_the_latest_stay() {
        let asked = (0..500).map(|index| (format!("sport_{index:03}"), index)).collect();
        let text = write(&asked);
        assert!(text.len() <= LONGEST);
        let left = read(&text);
        assert!(left.len() > 200 && left.values().min() == Some(&(500 - i64::try_from(left.len()).unwrap())));
    }
}
