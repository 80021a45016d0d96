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
    /// What it is for: a sentence.
    pub about: &'static str,
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

/// Declares the catalogue: of each topic the sentence that says what it is for, its name, and what it has.
macro_rules! topics {
    ($(
        #[doc = $about:literal]
        $topic:ident = $name:literal {
            key: $key:literal,
            partitions: $partitions:expr,
            cleanup: $cleanup:expr,
            records: [$($record:ident),* $(,)?],
        }
    )+) => {
        $(
            #[doc = $about]
            pub const $topic: Topic = Topic {
                name: $name,
                about: $about.trim_ascii_start(),
                key: $key,
                partitions: $partitions,
                cleanup: $cleanup,
                records: &[$(RecordType::$record),*],
            };
        )+

        /// All of them.
        pub const ALL: [Topic; [$($name),+].len()] = [$($topic),+];
    };
}

topics! {
    /// The prices of sources, the only input of the processor: a frame for each event of a poll, the end of each poll in every partition, heartbeats and markers of scans.
    ODDS_TICKS = "odds.ticks.v1" {
        key: "event id; PollEnd, Heartbeat, ScanBegin and ScanEnd: the source, Suspension: the name; all of them in every partition",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(7),
        records: [Frame, PollEnd, Heartbeat, Suspension, ScanBegin, ScanEnd],
    }
    /// The open arb windows, and how far each partition has come.
    ARBS_BOARD = "arbs.board.v1" {
        key: "window id; BoardProgress: progress/ and the source",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Compact,
        records: [BoardEntry, BoardProgress],
    }
    /// The open edge signals.
    SIGNALS = "signals.v1" {
        key: "signal id",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Compact,
        records: [EdgeSignal],
    }
    /// Every transition of every window and signal, what was published of picks, and the gradings of picks and windows. A reader drops a record whose arb-sequence it has had.
    FEED_EVENTS = "feed.events.v1" {
        key: "event id",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(7),
        records: [
            ArbWindow, LineMovement, StaleAlert, CloseSignal, SignalChange, PickChange,
            WindowGrading,
        ],
    }
    /// The changelog of the processor, from which a partition is restored.
    PROCESS_STATE = "process.state.v1" {
        key: "partition; clock; margins; scan/ and the scan id; repeats/ and the source; survival/, sport, stage, kind and bands; source/ and the source; suspended/source/ or suspended/book/ and the name; push/, source and sequence; book/ and the book; stale/ and the event id; head/, the event id, / and the market; line/, the event id, /, the market, / and the line; moves/, the event id, /, the market, / and the number of the piece; of a private source the last three after private/, the source and /",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Compact,
        records: [
            StateHead, StateLine, StateMoves, StateStaleBooks, StateBook, StateMargins,
            StateSurvival, StateSource, StateSuspension, StatePush, StateClock, StateScan,
            StateScanRepeats, StatePartition,
        ],
    }
    /// Records of odds.ticks.v1 that could not be taken in, with their bytes unchanged.
    DEAD_TICKS = "odds.ticks.v1.dlq" {
        key: "as it was",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(30),
        records: [],
    }
    /// What is asked of accounts, the only input of the accounts machine.
    ACCOUNT_COMMANDS = "account.commands.v1" {
        key: "request id; timer; instance",
        partitions: 1,
        cleanup: Cleanup::Days(1),
        records: [AccountCommand, AccountTimer, AccountLeaseQuota, AccountSettleQuota],
    }
    /// Accounts, sessions, keys, replies and usage, which every instance of the API reads. Keys and passwords are hashes.
    ACCOUNTS = "accounts.v1" {
        key: "partition; clock; kind/id",
        partitions: 1,
        cleanup: Cleanup::CompactWithin(1),
        records: [
            Account, AccountSession, AccountKey, AccountReply, AccountClock, AccountInvitation,
            AccountUsage, AccountEndpoint, StatePartition,
        ],
    }
    /// Who signed in and what was changed, with the address.
    ACCOUNT_AUDIT = "account.audit.v1" {
        key: "account id",
        partitions: 1,
        cleanup: Cleanup::Days(365),
        records: [AccountAudit],
    }
    /// Records of account.commands.v1 that could not be taken in, with their bytes unchanged.
    DEAD_ACCOUNT_COMMANDS = "account.commands.v1.dlq" {
        key: "as it was",
        partitions: 1,
        cleanup: Cleanup::Days(30),
        records: [],
    }
    /// Scans that users ask for, which every worker of ingest and every instance of the API reads.
    SCAN_REQUESTS = "scan.requests.v1" {
        key: "scan id",
        partitions: 1,
        cleanup: Cleanup::Days(1),
        records: [ScanRequest],
    }
    /// What each partition of the processor answers to scans.
    SCAN_RESULTS = "scan.results.v1" {
        key: "scan id",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(1),
        records: [ScanResult],
    }
    /// What is due at webhook endpoints, and what came of each attempt: the only input of the delivery machine.
    WEBHOOK_TASKS = "webhook.tasks.v1" {
        key: "event; attempts; endpoint id; timer",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(7),
        records: [WebhookEvent, WebhookAttempt, WebhookAttempts, WebhookTimer, WebhookRedelivery],
    }
    /// Deliveries that are pending or have failed: the changelog of the delivery machine.
    WEBHOOK_STATE = "webhook.state.v1" {
        key: "partition; clock; feed/ and its partition; body/ and its name; delivery/ and the id; failing/ and the endpoint id; notice/ and what makes it one",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Compact,
        records: [
            StateWebhookBody, StateWebhookDelivery, StateWebhooks, StateWebhookFeed,
            StateWebhookFailing, StateWebhookNotice, StatePartition,
        ],
    }
    /// What became of each attempt and each delivery.
    WEBHOOK_DELIVERIES = "webhook.deliveries.v1" {
        key: "endpoint id",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(7),
        records: [WebhookDelivery, WebhookCircuit],
    }
    /// Records of webhook.tasks.v1 that could not be taken in, with their bytes unchanged.
    DEAD_WEBHOOK_TASKS = "webhook.tasks.v1.dlq" {
        key: "as it was",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(30),
        records: [],
    }
    /// What bots and sources of results ask for, and the arb windows that opened: the only input of the settlement machine.
    PICK_TASKS = "picks.tasks.v1" {
        key: "event id; timer",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(7),
        records: [PickCandidate, ResultReport, PickClosing, PickOffer, OpenedWindow, PickTimer],
    }
    /// Picks and windows that can still be graded, and results: the changelog of the settlement machine.
    PICK_STATE = "picks.state.v1" {
        key: "partition; clock; pick/ and the id without its time; window/ and the window id; result/ and the event id",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Compact,
        records: [StatePick, StateOpenedWindow, StateResult, StatePicks, StatePartition],
    }
    /// Every pick that was ever published, with all its gradings.
    PICKS = "picks.v1" {
        key: "pick id",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Compact,
        records: [Pick],
    }
    /// Records of picks.tasks.v1 that were not taken in, with their bytes unchanged.
    DEAD_PICK_TASKS = "picks.tasks.v1.dlq" {
        key: "as it was",
        partitions: DEFAULT_PARTITIONS,
        cleanup: Cleanup::Days(30),
        records: [],
    }
    /// The scores of events in play, each with its source and the time at which that confirmed it, for display alone: no machine reads them.
    LIVE_SCORES = "scores.live.v1" {
        key: "event id",
        partitions: 1,
        cleanup: Cleanup::CompactFor(1),
        records: [LiveScore],
    }
}

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
