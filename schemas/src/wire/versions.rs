//! The table of versions: every type of record with the schema id of its newest version and of those before it.
//!
//! A version that was published is never removed from here, never changed, and an id is never used again. Schemas and records
//! of all versions are in `schemas/golden`, whose names follow from this table: `BoardEntry.v2.avsc`.

use super::Record;
use crate::records::{
    Account, AccountAudit, AccountClock, AccountCommand, AccountEndpoint, AccountInvitation, AccountKey,
    AccountLeaseQuota, AccountReply, AccountSession, AccountSettleQuota, AccountTimer, AccountUsage,
    ArbWindow, BoardEntry, BoardProgress, CloseSignal, EdgeSignal, Frame, Heartbeat, LineMovement,
    OpenedWindow, Pick, PickCandidate, PickChange, PickClosing, PickOffer, PickTimer, PollEnd, ResultReport,
    ScanBegin, ScanEnd, ScanRequest, ScanResult, SignalChange, StaleAlert, StateBook, StateClock, StateHead,
    StateLine, StateMargins, StateOpenedWindow, StatePartition, StatePick, StatePicks, StatePush,
    StateResult, StateScan, StateScanRepeats, StateSource, StateStaleBooks, StateSurvival, StateSuspension,
    StateWebhookBody, StateWebhookDelivery, StateWebhookFailing, StateWebhookFeed, StateWebhookNotice,
    StateWebhooks, Suspension, WebhookAttempt, WebhookAttempts, WebhookCircuit, WebhookDelivery,
    WebhookEvent, WebhookRedelivery, WebhookTimer, WindowGrading,
};

/// Frames of before limits, which [`crate::view`] reads too.
pub(crate) const FRAME_V1: u32 = 1;
/// Frames of before pushes, which [`crate::view`] reads too.
pub(crate) const FRAME_V2: u32 = 29;
/// Frames of before links, which [`crate::view`] reads too.
pub(crate) const FRAME_V3: u32 = 60;
/// Frames of before the format of odds, which [`crate::view`] reads too.
pub(crate) const FRAME_V4: u32 = 103;
/// Schema ids of former layouts of the changelog: a record for a whole market, and times of sources that are no times. They are never used
/// again, and what they wrote is not read: it is computed again from the ticks.
pub(super) const FORMER_LAYOUTS: [u32; 4] = [10, 11, 23, 28];

/// `Record = id of the newest version, older { version: id }`. The record that a schema refers to by name is in parentheses:
/// a new version of it is a new version of both.
macro_rules! versions {
    ($($name:ident $(($reference:ident))? = $newest:literal $(, older { $($version:literal: $id:expr),+ })?;)+) => {
        /// A type of record, by the schema id of its newest version.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum RecordType { $($name = $newest),+ }

        impl RecordType {
            /// All of them.
            pub const ALL: [Self; [$(Self::$name),+].len()] = [$(Self::$name),+];

            /// The text of its Avro schema.
            #[must_use]
            pub fn schema_text(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../avro/", stringify!($name), ".avsc")),)+
                }
            }

            /// Types that its schema refers to by name.
            #[must_use]
            pub fn references(self) -> &'static [Self] {
                match self {
                    $(Self::$name => &[$(Self::$reference)?],)+
                }
            }
        }

        $(impl Record for $name {
            const TYPE: RecordType = RecordType::$name;
        })+

        /// Versions before the newest, readable for ever.
        pub(crate) const OLDER: &[Older] = &[$($($(Older {
            id: $id,
            record: RecordType::$name,
            version: $version,
            schema_text: include_str!(concat!("../../golden/", stringify!($name), ".v", $version, ".avsc")),
        },)+)?)+];
    };
}

versions! {
    Frame = 172, older { 1: FRAME_V1, 2: FRAME_V2, 3: FRAME_V3, 4: FRAME_V4 };
    PollEnd = 2;
    Heartbeat = 3;
    Suspension = 197;
    BoardEntry = 161, older { 1: 4, 2: 20, 3: 35, 4: 100, 5: 140 };
    BoardProgress = 5;
    ArbWindow (BoardEntry) = 162, older { 1: 6, 2: 21, 3: 36, 4: 66, 5: 101, 6: 141 };
    CloseSignal = 144, older { 1: 7, 2: 13, 3: 22, 4: 67 };
    LineMovement = 8;
    StaleAlert = 9;
    StateHead = 191, older { 1: 33, 2: 104, 3: 164 };
    StateLine = 192, older { 1: 34, 2: 68, 3: 102, 4: 142, 5: 143, 6: 163 };
    StateSource = 173;
    StateSuspension = 198;
    StatePartition = 199, older { 1: 12, 2: 32 };
    StateClock = 14;
    StateBook = 15;
    StateStaleBooks = 16;
    StateMargins = 24;
    StateSurvival = 25;
    EdgeSignal = 26;
    SignalChange (EdgeSignal) = 27;
    AccountCommand = 37;
    AccountTimer = 38;
    Account = 196, older { 1: 39 };
    AccountSession = 40;
    AccountKey = 41;
    AccountReply = 42;
    AccountClock = 43;
    AccountAudit = 44;
    AccountUsage = 45;
    AccountLeaseQuota = 46;
    AccountSettleQuota = 47;
    AccountInvitation = 50;
    ScanRequest = 193, older { 1: 53 };
    ScanBegin (ScanRequest) = 194, older { 1: 54 };
    ScanEnd = 55;
    ScanResult = 56;
    StateScan (ScanRequest) = 195, older { 1: 57 };
    StatePush = 61;
    StateScanRepeats = 96;
    AccountEndpoint = 70;
    WebhookEvent = 120, older { 1: 71 };
    WebhookAttempt = 72;
    WebhookAttempts (WebhookAttempt) = 125;
    WebhookTimer = 73;
    StateWebhookDelivery = 123, older { 1: 74 };
    StateWebhookBody = 124;
    StateWebhooks = 75;
    WebhookDelivery = 76;
    WebhookCircuit = 190;
    WebhookRedelivery = 77;
    StateWebhookFailing = 121, older { 1: 78 };
    StateWebhookNotice = 79;
    StateWebhookFeed = 122;
    PickCandidate = 80;
    ResultReport = 150, older { 1: 81 };
    PickClosing = 82;
    PickTimer = 83;
    Pick = 110, older { 1: 84 };
    StatePick (Pick) = 111, older { 1: 85 };
    StateResult (ResultReport) = 151, older { 1: 86 };
    StatePicks = 87;
    PickChange (Pick) = 112, older { 1: 88 };
    PickOffer = 113;
    OpenedWindow = 130;
    WindowGrading (OpenedWindow) = 131;
    StateOpenedWindow (OpenedWindow) = 132;
}

impl RecordType {
    /// Whether it is the time of a machine.
    #[must_use]
    pub fn is_timer(self) -> bool {
        matches!(self, Self::AccountTimer | Self::WebhookTimer | Self::PickTimer)
    }

    /// The version of the record that it refers to, as one of its versions has it: the same, but that the fourth version of
    /// `ArbWindow` added a field beside the third of its entry.
    #[must_use]
    pub fn reference_version(self, version: u32) -> u32 {
        if self == Self::ArbWindow && version > 3 { version - 1 } else { version }
    }
}

/// An older version of a type of record.
pub(crate) struct Older {
    pub(crate) id: u32,
    pub(crate) record: RecordType,
    pub(crate) version: u32,
    pub(crate) schema_text: &'static str,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_id_is_used_once() {
        let newest = RecordType::ALL.into_iter().map(|record| record as u32);
        let ids: Vec<_> = newest.chain(OLDER.iter().map(|older| older.id)).chain(FORMER_LAYOUTS).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    }

    #[test]
    fn versions_are_counted_from_one() {
        for record in RecordType::ALL {
            let versions = OLDER.iter().filter(|older| older.record == record).map(|older| older.version);
            assert!(versions.eq(1..=u32::try_from(count(record)).unwrap()), "{record:?}");
            for reference in record.references() {
                let newest = |record| u32::try_from(count(record) + 1).unwrap();
                let version = record.reference_version(newest(record));
                assert_eq!(version, newest(*reference), "{record:?} has the versions of {reference:?}");
            }
        }
    }

    fn count(record: RecordType) -> usize {
        OLDER.iter().filter(|older| older.record == record).count()
    }
}
