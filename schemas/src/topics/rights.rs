//! What each role may do in Kafka: the topics that it reads and writes, its consumer groups and transactional ids. Documents, the users of the Helm chart and
//! a broker with ACLs in the tests follow this table. A role with transactions reads what they write too: who takes over looks at what is open there.
//!
//! It never talks to a broker, and gives no right that no role uses.

use super::{
    ACCOUNT_AUDIT, ACCOUNT_COMMANDS, ACCOUNTS, ALL as TOPICS, ARBS_BOARD, DEAD_ACCOUNT_COMMANDS,
    DEAD_PICK_TASKS, DEAD_TICKS, DEAD_WEBHOOK_TASKS, FEED_EVENTS, LIVE_SCORES, ODDS_TICKS, PICK_STATE,
    PICK_TASKS, PICKS, PROCESS_STATE, SCAN_REQUESTS, SCAN_RESULTS, SIGNALS, Topic, WEBHOOK_DELIVERIES,
    WEBHOOK_STATE, WEBHOOK_TASKS,
};

/// What a role does with a consumer group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It is a member, and commits.
    Join,
    /// It looks up how far the group is.
    Look,
    /// It commits, and deletes the group when it ends.
    CommitAndDelete,
}

/// A consumer group, or all whose names begin so.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Its name without the prefix of the environment.
    pub name: &'static str,
    /// Whether it is the beginning of several names.
    pub is_prefix: bool,
    /// What it is for.
    pub used: Use,
}

/// What a role may do.
#[derive(Debug, Clone, Copy)]
pub struct Rights {
    /// The subcommand; `admin` is whoever runs the commands of an administrator.
    pub role: &'static str,
    /// What it reads: Read and Describe.
    pub reads: &'static [Topic],
    /// What it writes: Write and Describe.
    pub writes: &'static [Topic],
    /// Its groups.
    pub groups: &'static [Group],
    /// What its transactional ids begin with: Write and Describe.
    pub transactions: Option<&'static str>,
    /// Whether it creates topics: Create.
    pub creates: bool,
}

const fn join(name: &'static str) -> Group {
    Group { name, is_prefix: false, used: Use::Join }
}

const fn look(name: &'static str) -> Group {
    Group { name, is_prefix: false, used: Use::Look }
}

/// A role that has no transactions and creates nothing.
const fn plain(
    role: &'static str,
    reads: &'static [Topic],
    writes: &'static [Topic],
    groups: &'static [Group],
) -> Rights {
    Rights { role, reads, writes, groups, transactions: None, creates: false }
}

/// All of them.
pub const ALL: [Rights; 9] = [
    Rights {
        transactions: Some("arb-ingest"),
        ..plain(
            "ingest",
            &[ODDS_TICKS, SCAN_REQUESTS, PICKS],
            &[ODDS_TICKS, PICK_TASKS, LIVE_SCORES],
            &[Group { name: "arb-ingest", is_prefix: true, used: Use::Join }],
        )
    },
    Rights {
        transactions: Some("arb-process-"),
        ..plain(
            "process",
            &[ODDS_TICKS, PROCESS_STATE, ARBS_BOARD, SIGNALS, FEED_EVENTS, SCAN_RESULTS, DEAD_TICKS],
            &[ARBS_BOARD, SIGNALS, FEED_EVENTS, SCAN_RESULTS, PROCESS_STATE, DEAD_TICKS],
            &[join("arb-process")],
        )
    },
    Rights {
        transactions: Some("arb-accounts-"),
        ..plain(
            "accounts",
            &[ACCOUNT_COMMANDS, ACCOUNTS, ACCOUNT_AUDIT, DEAD_ACCOUNT_COMMANDS],
            &[ACCOUNTS, ACCOUNT_AUDIT, ACCOUNT_COMMANDS, DEAD_ACCOUNT_COMMANDS],
            &[join("arb-accounts")],
        )
    },
    plain(
        "serve",
        &[
            ARBS_BOARD,
            SIGNALS,
            FEED_EVENTS,
            ACCOUNTS,
            SCAN_REQUESTS,
            SCAN_RESULTS,
            PICKS,
            PROCESS_STATE,
            WEBHOOK_DELIVERIES,
            DEAD_TICKS,
            LIVE_SCORES,
        ],
        &[ACCOUNT_COMMANDS, SCAN_REQUESTS, WEBHOOK_TASKS, PICK_TASKS, ODDS_TICKS],
        &[
            Group { name: "arb-serve-", is_prefix: true, used: Use::CommitAndDelete },
            look("arb-process"),
            look("arb-sink"),
            look("arb-accounts"),
            look("arb-deliver"),
            look("arb-settle"),
        ],
    ),
    plain("sink", &[ODDS_TICKS, FEED_EVENTS, WEBHOOK_DELIVERIES], &[], &[join("arb-sink")]),
    Rights {
        transactions: Some("arb-deliver-"),
        ..plain(
            "deliver",
            &[FEED_EVENTS, ACCOUNTS, WEBHOOK_TASKS, WEBHOOK_STATE, WEBHOOK_DELIVERIES, DEAD_WEBHOOK_TASKS],
            &[WEBHOOK_TASKS, WEBHOOK_STATE, WEBHOOK_DELIVERIES, ACCOUNT_COMMANDS, DEAD_WEBHOOK_TASKS],
            &[join("arb-deliver"), join("arb-deliver-feed")],
        )
    },
    Rights {
        transactions: Some("arb-settle-"),
        ..plain(
            "settle",
            &[FEED_EVENTS, PICK_TASKS, PICK_STATE, PICKS, DEAD_PICK_TASKS],
            &[PICKS, FEED_EVENTS, PICK_STATE, PICK_TASKS, DEAD_PICK_TASKS],
            &[join("arb-settle"), join("arb-settle-feed")],
        )
    },
    plain("bots", &[PROCESS_STATE, SIGNALS, PICKS], &[PICK_TASKS], &[]),
    Rights { creates: true, ..plain("admin", &TOPICS, &TOPICS, &[join("arb-dlq-replay")]) },
];
