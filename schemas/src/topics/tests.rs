//! The catalogue by itself: names, holders of records, numbers of partitions, settings.

use super::*;

#[test]
fn names_are_versioned_and_plain() {
    for topic in ALL {
        let name = topic.name.strip_suffix(".dlq").unwrap_or(topic.name);
        let version = name.split_once(".v").and_then(|(_, version)| version.parse::<u32>().ok());
        assert!(version.is_some(), "{}", topic.name);
        assert!(topic.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.'));
    }
}

#[test]
fn every_record_has_exactly_one_topic() {
    for record in RecordType::ALL {
        // Every machine's changelog has the runtime's record of the partition.
        let expected = if record == RecordType::StatePartition { 4 } else { 1 };
        let holders = ALL.iter().filter(|topic| topic.records.contains(&record)).count();
        assert_eq!(holders, expected, "{record:?}");
    }
}

#[test]
fn a_number_of_its_own_is_fixed() {
    let fixed: Vec<_> = ALL.iter().filter(|topic| !topic.follows_ticks()).map(|topic| topic.name).collect();
    let single =
        [ACCOUNT_COMMANDS, ACCOUNTS, ACCOUNT_AUDIT, DEAD_ACCOUNT_COMMANDS, SCAN_REQUESTS, LIVE_SCORES];
    assert_eq!(fixed, single.map(|topic| topic.name));
    assert!(single.iter().all(|topic| topic.partitions == 1));
}

#[test]
fn cleanup_becomes_broker_settings() {
    assert_eq!(ARBS_BOARD.config()[0], ("cleanup.policy", "compact".to_owned()));
    assert_eq!(ARBS_BOARD.config()[3], ("max.message.bytes", "2097152".to_owned()));
    assert_eq!(ACCOUNTS.config()[1], ("segment.bytes", "8388608".to_owned()));
    assert_eq!(ACCOUNTS.config()[3], ("max.compaction.lag.ms", "86400000".to_owned()));
    assert_eq!(LIVE_SCORES.config()[0], ("cleanup.policy", "compact,delete".to_owned()));
    assert_eq!(LIVE_SCORES.config()[3], ("retention.ms", "86400000".to_owned()));
    assert_eq!(ODDS_TICKS.config().len(), 3);
    assert_eq!(ODDS_TICKS.config()[1], ("retention.ms", "604800000".to_owned()));
    assert_eq!(ODDS_TICKS.config()[2], ("max.message.bytes", "1114112".to_owned()));
}
