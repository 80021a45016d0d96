//! The table of versions: every type of record with the schema id of its newest version, and the versions before it.
//!
//! Until a release is tagged a record changes in place and stays version 1. A version of a release is never removed from here and never
//! changed, and an id is never used again. Records of all versions, and schemas of those before the newest, are in `schemas/golden`, whose
//! names follow from this table: `BoardEntry.v1.bin`.

use std::sync::LazyLock;

use arb_model::described::{Described, Shape};

use super::{Record, schema};
use crate::records::{
    Account, AccountAudit, AccountClock, AccountCommand, AccountEndpoint, AccountInvitation, AccountKey,
    AccountLeaseQuota, AccountReply, AccountSession, AccountSettleQuota, AccountTimer, AccountUsage,
    ArbWindow, BoardEntry, BoardProgress, CloseSignal, EdgeSignal, Frame, Heartbeat, LineMovement, LiveScore,
    OpenedWindow, Pick, PickCandidate, PickChange, PickClosing, PickOffer, PickTimer, PollEnd, ResultReport,
    ScanBegin, ScanEnd, ScanRequest, ScanResult, SignalChange, StaleAlert, StateBook, StateClock, StateHead,
    StateLine, StateMargins, StateMoves, StateOpenedWindow, StatePartition, StatePick, StatePicks, StatePush,
    StateResult, StateScan, StateScanRepeats, StateSource, StateStaleBooks, StateSurvival, StateSuspension,
    StateWebhookBody, StateWebhookDelivery, StateWebhookFailing, StateWebhookFeed, StateWebhookNotice,
    StateWebhooks, Suspension, WebhookAttempt, WebhookAttempts, WebhookCircuit, WebhookDelivery,
    WebhookEvent, WebhookRedelivery, WebhookTimer, WindowGrading,
};

/// Ids below are those of before the first release: they are never used again, and what they wrote is not read.
pub(super) const FIRST: u32 = 1_001;

/// `Record = id of the newest version;`. The record that a schema refers to by name is in parentheses: a new version of it is a new
/// version of both.
macro_rules! versions {
    ($($name:ident $(($reference:ident))? = $newest:literal;)+) => {
        /// A type of record, by the schema id of its newest version.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum RecordType { $($name = $newest),+ }

        impl RecordType {
            /// All of them.
            pub const ALL: [Self; [$(Self::$name),+].len()] = [$(Self::$name),+];

            /// The text of its Avro schema, as `avro/` has it.
            #[must_use]
            pub fn schema_text(self) -> &'static str {
                match self {
                    $(Self::$name => {
                        static TEXT: LazyLock<String> = LazyLock::new(|| {
                            let references = RecordType::$name.references().iter();
                            schema::text(&$name::SHAPE, references.map(|reference| reference.shape()))
                        });
                        &TEXT
                    })+
                }
            }

            /// What it is made of.
            #[must_use]
            pub fn shape(self) -> Shape {
                match self {
                    $(Self::$name => $name::SHAPE,)+
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
    };
}

versions! {
    Frame = 1001;
    PollEnd = 1002;
    Heartbeat = 1003;
    Suspension = 1004;
    BoardEntry = 1005;
    BoardProgress = 1006;
    ArbWindow (BoardEntry) = 1007;
    CloseSignal = 1008;
    LineMovement = 1009;
    StaleAlert = 1010;
    StateHead = 1011;
    StateLine = 1072;
    StateSource = 1013;
    StateSuspension = 1014;
    StatePartition = 1071;
    StateClock = 1016;
    StateBook = 1017;
    StateStaleBooks = 1018;
    StateMargins = 1019;
    StateSurvival = 1020;
    EdgeSignal = 1021;
    SignalChange (EdgeSignal) = 1022;
    AccountCommand = 1023;
    AccountTimer = 1024;
    Account = 1025;
    AccountSession = 1026;
    AccountKey = 1027;
    AccountReply = 1028;
    AccountClock = 1029;
    AccountAudit = 1030;
    AccountUsage = 1031;
    AccountLeaseQuota = 1032;
    AccountSettleQuota = 1033;
    AccountInvitation = 1034;
    ScanRequest = 1035;
    ScanBegin (ScanRequest) = 1036;
    ScanEnd = 1037;
    ScanResult = 1038;
    StateScan (ScanRequest) = 1039;
    StatePush = 1040;
    StateScanRepeats = 1041;
    AccountEndpoint = 1042;
    WebhookEvent = 1043;
    WebhookAttempt = 1044;
    WebhookAttempts (WebhookAttempt) = 1045;
    WebhookTimer = 1046;
    StateWebhookDelivery = 1047;
    StateWebhookBody = 1048;
    StateWebhooks = 1049;
    WebhookDelivery = 1050;
    WebhookCircuit = 1051;
    WebhookRedelivery = 1052;
    StateWebhookFailing = 1053;
    StateWebhookNotice = 1054;
    StateWebhookFeed = 1055;
    PickCandidate = 1056;
    ResultReport = 1057;
    PickClosing = 1058;
    PickTimer = 1059;
    Pick = 1060;
    StatePick (Pick) = 1061;
    StateResult (ResultReport) = 1062;
    StatePicks = 1063;
    PickChange (Pick) = 1064;
    PickOffer = 1065;
    OpenedWindow = 1066;
    WindowGrading (OpenedWindow) = 1067;
    StateOpenedWindow (OpenedWindow) = 1068;
    LiveScore = 1069;
    StateMoves = 1070;
}

impl RecordType {
    /// Whether it is the time of a machine.
    #[must_use]
    pub fn is_timer(self) -> bool {
        matches!(self, Self::AccountTimer | Self::WebhookTimer | Self::PickTimer)
    }
}

/// A version before the newest: of a record with a reference, with the same version of that.
pub(crate) struct Older {
    pub(crate) id: u32,
    pub(crate) record: RecordType,
    pub(crate) version: u32,
    pub(crate) schema_text: &'static str,
}

/// All of them, readable for ever: none before the first release.
pub(crate) const OLDER: &[Older] = &[];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_id_is_used_once_and_none_is_of_before_the_first_release() {
        let newest = RecordType::ALL.into_iter().map(|record| record as u32);
        let ids: Vec<_> = newest.chain(OLDER.iter().map(|older| older.id)).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
        assert!(ids.iter().all(|id| *id >= FIRST), "{ids:?}");
    }
}
