//! Which consumer groups of other roles `arb serve` looks up, and what they read.
//!
//! It looks nothing up itself.

use std::str::FromStr;

use arb_kafka::WatchedGroup;
use arb_schemas::topics::{
    ACCOUNT_COMMANDS, FEED_EVENTS, ODDS_TICKS, PICK_TASKS, Topic, WEBHOOK_DELIVERIES, WEBHOOK_TASKS,
};

/// A role that reads by a consumer group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadingRole {
    Process,
    Sink,
    Accounts,
    Deliver,
    Settle,
}

/// `ROLE=GROUP`, as in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupOfRole {
    role: ReadingRole,
    group: String,
}

impl ReadingRole {
    const ALL: [Self; 5] = [Self::Process, Self::Sink, Self::Accounts, Self::Deliver, Self::Settle];

    fn key(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Sink => "sink",
            Self::Accounts => "accounts",
            Self::Deliver => "deliver",
            Self::Settle => "settle",
        }
    }
}

impl FromStr for GroupOfRole {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (role, group) =
            text.split_once('=').filter(|(_, group)| !group.is_empty()).ok_or("not ROLE=GROUP")?;
        let known = ReadingRole::ALL.into_iter().find(|known| known.key() == role);
        let role = known.ok_or("the role is none of process, sink, accounts, deliver and settle")?;
        Ok(Self { role, group: group.to_owned() })
    }
}

impl GroupOfRole {
    /// The groups of the role: a deliverer and a settlement read the feed by one of their own.
    pub(crate) fn watched(&self, partitions: i32) -> Vec<WatchedGroup> {
        let group = |group: String, topics: Vec<(&'static Topic, i32)>| WatchedGroup {
            role: self.role.key().to_owned(),
            group,
            topics,
        };
        let of = |topics: &[&'static Topic]| topics.iter().map(|topic| (*topic, partitions)).collect();
        let named = self.group.clone();
        match self.role {
            ReadingRole::Process => vec![group(named, of(&[&ODDS_TICKS]))],
            ReadingRole::Sink => vec![group(named, of(&[&ODDS_TICKS, &FEED_EVENTS, &WEBHOOK_DELIVERIES]))],
            ReadingRole::Accounts => vec![group(named, vec![(&ACCOUNT_COMMANDS, 1)])],
            ReadingRole::Deliver => {
                vec![group(format!("{named}-feed"), of(&[&FEED_EVENTS])), group(named, of(&[&WEBHOOK_TASKS]))]
            }
            ReadingRole::Settle => {
                vec![group(format!("{named}-feed"), of(&[&FEED_EVENTS])), group(named, of(&[&PICK_TASKS]))]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_named_with_its_role() {
        let deliver: GroupOfRole = "deliver=ours".parse().unwrap();
        let groups: Vec<_> = deliver.watched(3).into_iter().map(|watched| watched.group).collect();
        assert_eq!(groups, ["ours-feed", "ours"]);
        for wrong in ["", "ours", "process=", "serve=ours"] {
            assert!(wrong.parse::<GroupOfRole>().is_err(), "{wrong}");
        }
        for role in ReadingRole::ALL {
            assert_eq!(format!("{}=a", role.key()).parse::<GroupOfRole>().unwrap().role, role);
        }
    }
}
