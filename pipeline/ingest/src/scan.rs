//! What a source covers of a scan, and why it was not polled for it. Pure.
//!
//! It never polls, and never reads a clock.

use std::collections::BTreeSet;

use arb_schemas::records::ScanRequest;

use super::source::Poll;

/// What became of a scan at a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanOutcome {
    /// It was polled.
    Polled,
    /// It was polled within its own refresh: nothing new can have come.
    PolledRecently,
    /// It is a recording.
    Recording,
    /// What is scanned is not polled at the moment.
    NotCovered,
    /// The credits do not allow it.
    Credits,
    /// The scan covers more than one scan may have polled.
    ScanCap,
    /// The source has asked for a pause, or has failed a moment ago.
    BackOff,
    /// The call failed.
    Failed,
}

impl ScanOutcome {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Polled,
        Self::PolledRecently,
        Self::Recording,
        Self::NotCovered,
        Self::Credits,
        Self::ScanCap,
        Self::BackOff,
        Self::Failed,
    ];

    /// As records spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Polled => arb_schemas::records::scans::POLLED,
            Self::PolledRecently => "polled_recently",
            Self::Recording => "recording",
            Self::NotCovered => "not_covered",
            Self::Credits => "credits",
            Self::ScanCap => "scan_cap",
            Self::BackOff => "back_off",
            Self::Failed => "failed",
        }
    }
}

/// What the last poll of a source had.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Covered {
    /// Sports and leagues.
    names: BTreeSet<String>,
    leagues: BTreeSet<String>,
    events: BTreeSet<String>,
}

impl Covered {
    /// That of a poll.
    #[must_use]
    pub fn by(poll: &Poll) -> Self {
        let mut covered = Self::default();
        for (event, _) in &poll.events {
            covered.add_league(&event.sport, &event.league);
            covered.events.insert(event.id.to_string());
        }
        covered
    }

    /// A league that has not been polled yet, named as The Odds API names leagues: `sport_league`.
    #[must_use]
    pub fn league(league: &str) -> Self {
        let mut covered = Self::default();
        covered.add_league(league.split('_').next().unwrap_or(league), league);
        covered
    }

    fn add_league(&mut self, sport: &str, league: &str) {
        self.names.extend([sport.to_owned(), league.to_owned()]);
        self.leagues.insert(league.to_owned());
    }

    /// Whether a scan names something of it.
    #[must_use]
    pub fn is_scanned(&self, scan: &ScanRequest) -> bool {
        let ScanRequest { sport, league, event_ids, event_group, .. } = scan;
        let group =
            event_group.as_deref().map(|group| group.rsplit_once('/').map_or(group, |(name, _)| name));
        sport.as_ref().is_none_or(|name| self.names.contains(name))
            && league.as_ref().is_none_or(|name| self.leagues.contains(name))
            && group.is_none_or(|name| self.leagues.contains(name))
            && (event_ids.is_empty() || event_ids.iter().any(|id| self.events.contains(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::{Settings, Simulator};

    fn scan(change: impl FnOnce(&mut ScanRequest)) -> ScanRequest {
        let mut scan = ScanRequest::default();
        change(&mut scan);
        scan
    }

    #[test]
    fn a_source_covers_what_its_last_poll_had() {
        let poll = Simulator::new(Settings { events: 3, books: 4, ..Settings::default() }).poll_at(0);
        let (event, covered) = (poll.events[0].0.clone(), Covered::by(&poll));
        let (sport, league) = (event.sport.to_string(), event.league.to_string());
        let group = format!("{league}/2026-11-22");
        assert!(covered.is_scanned(&scan(|scan| scan.sport = Some(sport.clone()))));
        assert!(covered.is_scanned(&scan(|scan| scan.sport = Some(league.clone()))));
        assert!(covered.is_scanned(&scan(|scan| scan.league = Some(league.clone()))));
        assert!(covered.is_scanned(&scan(|scan| scan.event_group = Some(group))));
        assert!(covered.is_scanned(&scan(|scan| scan.event_ids = vec!["x".into(), event.id.to_string()])));
        assert!(!covered.is_scanned(&scan(|scan| scan.league = Some(sport))));
        assert!(!covered.is_scanned(&scan(|scan| scan.sport = Some("curling".into()))));
        assert!(!covered.is_scanned(&scan(|scan| scan.event_group = Some("curling/2026-11-22".into()))));
        assert!(!covered.is_scanned(&scan(|scan| scan.event_ids = vec!["x".into()])));
    }

    #[test]
    fn a_league_is_covered_before_its_first_poll() {
        let covered = Covered::league("soccer_epl");
        assert!(covered.is_scanned(&scan(|scan| scan.sport = Some("soccer".into()))));
        assert!(covered.is_scanned(&scan(|scan| scan.league = Some("soccer_epl".into()))));
        assert!(!covered.is_scanned(&scan(|scan| scan.league = Some("soccer_spl".into()))));
    }
}
