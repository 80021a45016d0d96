//! The catalogue of topics: name, key, partitions, cleanup policy and records.
//!
//! Code, provisioning and documents read this table; a topic that is not in it does not exist.
//! It never talks to a broker.

pub mod rights;

use crate::limits;
use crate::wire::RecordType;

/// Partitions of the ticks and of every topic that follows them, unless the operator sets another number.
///
/// All topics of one machine have the same number: what is computed from a partition of its input is written to the
/// partition of the same number.
pub const DEFAULT_PARTITIONS: i32 = 4;

/// How a topic forgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleanup {
    /// The last record of each key stays for ever.
    Compact,
    /// The same; what another record has replaced is gone after this many days, however little is written.
    CompactWithin(u32),
    /// The last record of each key stays for this many days at the most.
    CompactFor(u32),
    /// Records go after this many days.
    Days(u32),
}

/// One topic.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    /// Its versioned name.
    pub name: &'static str,
    /// What its records are keyed by.
    pub key: &'static str,
    /// In how many parts it is created. One with [`DEFAULT_PARTITIONS`] follows the ticks, for which the operator may say
    /// otherwise; any other number is fixed.
    pub partitions: i32,
    /// How it forgets.
    pub cleanup: Cleanup,
    /// The union of records that it may hold; none where it holds what is no record.
    pub records: &'static [RecordType],
}

/// The prices of sources: the only input of the processor.
pub const ODDS_TICKS: Topic = Topic {
    name: "odds.ticks.v1",
    key: "event id; PollEnd, Heartbeat, ScanBegin and ScanEnd: the source, Suspension: the name; all of them in every partition",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(7),
    records: &[
        RecordType::Frame,
        RecordType::PollEnd,
        RecordType::Heartbeat,
        RecordType::Suspension,
        RecordType::ScanBegin,
        RecordType::ScanEnd,
    ],
};

/// The open windows, and how far each partition has come.
pub const ARBS_BOARD: Topic = Topic {
    name: "arbs.board.v1",
    key: "window id; BoardProgress: progress/ and the source",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Compact,
    records: &[RecordType::BoardEntry, RecordType::BoardProgress],
};

/// The open edge signals.
pub const SIGNALS: Topic = Topic {
    name: "signals.v1",
    key: "signal id",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Compact,
    records: &[RecordType::EdgeSignal],
};

/// Every transition of every window and signal, what was published of picks, and the gradings of picks and windows.
pub const FEED_EVENTS: Topic = Topic {
    name: "feed.events.v1",
    key: "event id",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(7),
    records: &[
        RecordType::ArbWindow,
        RecordType::LineMovement,
        RecordType::StaleAlert,
        RecordType::CloseSignal,
        RecordType::SignalChange,
        RecordType::PickChange,
        RecordType::WindowGrading,
    ],
};

/// The processor's memory: the changelog from which a partition is restored.
pub const PROCESS_STATE: Topic = Topic {
    name: "process.state.v1",
    key: "partition; clock; margins; scan/ and the scan id; repeats/ and the source; survival/, sport, stage, kind and bands; source/ and the source; suspended/source/ or suspended/book/ and the name; push/, source and sequence; book/ and the book; stale/ and the event id; head/, the event id, / and the market; line/, the event id, /, the market, / and the line; moves/, the event id, /, the market, / and the number of the piece; of a private source the last three after private/, the source and /",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Compact,
    records: &[
        RecordType::StateHead,
        RecordType::StateLine,
        RecordType::StateMoves,
        RecordType::StateStaleBooks,
        RecordType::StateBook,
        RecordType::StateMargins,
        RecordType::StateSurvival,
        RecordType::StateSource,
        RecordType::StateSuspension,
        RecordType::StatePush,
        RecordType::StateClock,
        RecordType::StateScan,
        RecordType::StateScanRepeats,
        RecordType::StatePartition,
    ],
};

/// Records of [`ODDS_TICKS`] that could not be taken in, bytes unchanged, the reason in headers.
pub const DEAD_TICKS: Topic = Topic {
    name: "odds.ticks.v1.dlq",
    key: "as it was",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(30),
    records: &[],
};

/// What is asked of accounts: the only input of the accounts machine. One partition, so that one owner decides in one order.
pub const ACCOUNT_COMMANDS: Topic = Topic {
    name: "account.commands.v1",
    key: "request id; timer; instance",
    partitions: 1,
    cleanup: Cleanup::Days(1),
    records: &[
        RecordType::AccountCommand,
        RecordType::AccountTimer,
        RecordType::AccountLeaseQuota,
        RecordType::AccountSettleQuota,
    ],
};

/// Accounts, sessions, keys, replies and usage: the changelog of the accounts machine, which every API instance reads.
pub const ACCOUNTS: Topic = Topic {
    name: "accounts.v1",
    key: "partition; clock; kind/id",
    partitions: 1,
    cleanup: Cleanup::CompactWithin(1),
    records: &[
        RecordType::Account,
        RecordType::AccountSession,
        RecordType::AccountKey,
        RecordType::AccountReply,
        RecordType::AccountClock,
        RecordType::AccountInvitation,
        RecordType::AccountUsage,
        RecordType::AccountEndpoint,
        RecordType::StatePartition,
    ],
};

/// Who signed in and what was changed, with the address.
pub const ACCOUNT_AUDIT: Topic = Topic {
    name: "account.audit.v1",
    key: "account id",
    partitions: 1,
    cleanup: Cleanup::Days(365),
    records: &[RecordType::AccountAudit],
};

/// Records of [`ACCOUNT_COMMANDS`] that are none, bytes unchanged, the reason in headers.
pub const DEAD_ACCOUNT_COMMANDS: Topic = Topic {
    name: "account.commands.v1.dlq",
    key: "as it was",
    partitions: 1,
    cleanup: Cleanup::Days(30),
    records: &[],
};

/// Scans that users ask for: every worker of ingest and every instance of the API reads all of them.
pub const SCAN_REQUESTS: Topic = Topic {
    name: "scan.requests.v1",
    key: "scan id",
    partitions: 1,
    cleanup: Cleanup::Days(1),
    records: &[RecordType::ScanRequest],
};

/// What each partition of the processor answers to scans.
pub const SCAN_RESULTS: Topic = Topic {
    name: "scan.results.v1",
    key: "scan id",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(1),
    records: &[RecordType::ScanResult],
};

/// What is due at webhook endpoints and what came of each attempt: the only input of the delivery machine. All that is due at an
/// endpoint is in the partition of its id.
pub const WEBHOOK_TASKS: Topic = Topic {
    name: "webhook.tasks.v1",
    key: "event; attempts; endpoint id; timer",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(7),
    records: &[
        RecordType::WebhookEvent,
        RecordType::WebhookAttempt,
        RecordType::WebhookAttempts,
        RecordType::WebhookTimer,
        RecordType::WebhookRedelivery,
    ],
};

/// Deliveries that are pending or have failed: the changelog of the delivery machine.
pub const WEBHOOK_STATE: Topic = Topic {
    name: "webhook.state.v1",
    key: "partition; clock; feed/ and its partition; body/ and its name; delivery/ and the id; failing/ and the endpoint id; notice/ and what makes it one",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Compact,
    records: &[
        RecordType::StateWebhookBody,
        RecordType::StateWebhookDelivery,
        RecordType::StateWebhooks,
        RecordType::StateWebhookFeed,
        RecordType::StateWebhookFailing,
        RecordType::StateWebhookNotice,
        RecordType::StatePartition,
    ],
};

/// What became of each attempt and each delivery, and how endpoints stand whose attempts fail.
pub const WEBHOOK_DELIVERIES: Topic = Topic {
    name: "webhook.deliveries.v1",
    key: "endpoint id",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(7),
    records: &[RecordType::WebhookDelivery, RecordType::WebhookCircuit],
};

/// Records of [`WEBHOOK_TASKS`] that are none, bytes unchanged, the reason in headers.
pub const DEAD_WEBHOOK_TASKS: Topic = Topic {
    name: "webhook.tasks.v1.dlq",
    key: "as it was",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(30),
    records: &[],
};

/// What bots and sources of results ask for, and the arb windows that opened: the only input of the settlement machine. An event is in the
/// partition of its prices.
pub const PICK_TASKS: Topic = Topic {
    name: "picks.tasks.v1",
    key: "event id; timer",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(7),
    records: &[
        RecordType::PickCandidate,
        RecordType::ResultReport,
        RecordType::PickClosing,
        RecordType::PickOffer,
        RecordType::OpenedWindow,
        RecordType::PickTimer,
    ],
};

/// Picks and windows that can still be graded, and results: the changelog of the settlement machine.
pub const PICK_STATE: Topic = Topic {
    name: "picks.state.v1",
    key: "partition; clock; pick/ and the id without its time; window/ and the window id; result/ and the event id",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Compact,
    records: &[
        RecordType::StatePick,
        RecordType::StateOpenedWindow,
        RecordType::StateResult,
        RecordType::StatePicks,
        RecordType::StatePartition,
    ],
};

/// Every pick that was ever published, with all its gradings.
pub const PICKS: Topic = Topic {
    name: "picks.v1",
    key: "pick id",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Compact,
    records: &[RecordType::Pick],
};

/// Records of [`PICK_TASKS`] that were not taken in, bytes unchanged, the reason in headers.
pub const DEAD_PICK_TASKS: Topic = Topic {
    name: "picks.tasks.v1.dlq",
    key: "as it was",
    partitions: DEFAULT_PARTITIONS,
    cleanup: Cleanup::Days(30),
    records: &[],
};

/// The scores of events in play, for display alone: no machine reads them. A tombstone says that the event is over.
pub const LIVE_SCORES: Topic = Topic {
    name: "scores.live.v1",
    key: "event id",
    partitions: 1,
    cleanup: Cleanup::CompactFor(1),
    records: &[RecordType::LiveScore],
};

/// All of them.
pub const ALL: [Topic; 21] = [
    ODDS_TICKS,
    ARBS_BOARD,
    SIGNALS,
    FEED_EVENTS,
    PROCESS_STATE,
    DEAD_TICKS,
    ACCOUNT_COMMANDS,
    ACCOUNTS,
    ACCOUNT_AUDIT,
    DEAD_ACCOUNT_COMMANDS,
    SCAN_REQUESTS,
    SCAN_RESULTS,
    WEBHOOK_TASKS,
    WEBHOOK_STATE,
    WEBHOOK_DELIVERIES,
    DEAD_WEBHOOK_TASKS,
    PICK_TASKS,
    PICK_STATE,
    PICKS,
    DEAD_PICK_TASKS,
    LIVE_SCORES,
];

impl Topic {
    /// Whether all its records are written in transactions: those of every topic that a machine writes to and that is no input of one.
    #[must_use]
    pub fn is_transactional(&self) -> bool {
        ![ODDS_TICKS, ACCOUNT_COMMANDS, SCAN_REQUESTS, WEBHOOK_TASKS, PICK_TASKS, LIVE_SCORES]
            .iter()
            .any(|plain| plain.name == self.name)
    }

    /// Whether it has as many partitions as the ticks, however many those are.
    #[must_use]
    pub fn follows_ticks(&self) -> bool {
        self.partitions == DEFAULT_PARTITIONS
    }

    /// The topic's settings as the broker spells them.
    ///
    /// ```
    /// use arb_schemas::topics::{ARBS_BOARD, FEED_EVENTS};
    ///
    /// assert!(ARBS_BOARD.config().contains(&("cleanup.policy", "compact".to_owned())));
    /// assert!(FEED_EVENTS.config().contains(&("cleanup.policy", "delete".to_owned())));
    /// ```
    #[must_use]
    pub fn config(&self) -> Vec<(&'static str, String)> {
        let mut config = match self.cleanup {
            // What lies in the newest segment is never compacted, and all of it is read at a start: small segments,
            // cleaned early.
            Cleanup::Compact => compacted("compact", 64),
            // The newest segment is closed by the same time at the latest.
            Cleanup::CompactWithin(days) => {
                let mut config = compacted("compact", 8);
                config.push(("max.compaction.lag.ms", days_ms(days)));
                config
            }
            Cleanup::CompactFor(days) => {
                let mut config = compacted("compact,delete", 8);
                config.push(("retention.ms", days_ms(days)));
                config
            }
            Cleanup::Days(days) => {
                vec![("cleanup.policy", "delete".to_owned()), ("retention.ms", days_ms(days))]
            }
        };
        let longest = if self.name == ODDS_TICKS.name { limits::INPUT_RECORD } else { limits::WRITTEN };
        config.push(("max.message.bytes", longest.to_string()));
        if self.records.iter().any(|record| record.is_timer()) {
            // The time by the broker's clock, beside that of the instance which wrote the timer.
            config.push(("message.timestamp.type", "LogAppendTime".to_owned()));
        }
        config
    }
}

fn days_ms(days: u32) -> String {
    (u64::from(days) * 86_400_000).to_string()
}

/// Under a policy that compacts, in segments of so many MiB.
fn compacted(policy: &str, segment_mib: u32) -> Vec<(&'static str, String)> {
    vec![
        ("cleanup.policy", policy.to_owned()),
        ("segment.bytes", (segment_mib * 1024 * 1024).to_string()),
        ("min.cleanable.dirty.ratio", "0.1".to_owned()),
    ]
}

#[cfg(test)]
mod tests;
