//! The records: what is published is `arb_model`'s, the input and the changelog are here, each declared once.
//!
//! They carry data and decide nothing. The schemas of `avro/` are written from them.

mod accounts;
mod learning;
mod picks;
mod quota;
pub mod scans;
mod scores;
mod state;
mod state_partition;
mod ticks;
mod webhooks;

pub use accounts::{
    Account, AccountAudit, AccountBankroll, AccountClock, AccountCommand, AccountInvitation, AccountKey,
    AccountReply, AccountSession, AccountTimer,
};
pub use arb_model::{
    ArbWindow, BoardEntry, BoardProgress, CloseSignal, EdgeSignal, Event, FailedCheck, FairChance, Leg,
    LegReturn, LineMovement, OpenedLeg, OpenedWindow, Pick, PickChange, SignalChange, SignalQuote,
    StaleAlert, Ttl, Verification, WindowGrade, WindowGrading,
};
pub use learning::{StateBook, StateMargins, StateSurvival};
pub use picks::{
    PeriodScore, PickCandidate, PickClosing, PickOffer, PickTimer, REGULATION, ResultReport,
    StateOpenedWindow, StatePick, StatePicks, StateResult,
};
pub use quota::{
    AccountLeaseQuota, AccountSettleQuota, AccountUsage, SettledLease, UsageAsker, UsageCharge, UsageLease,
    UsageOfDay, UsageOfKey, UsageOfRoute,
};
pub use scans::{
    ScanArb, ScanBegin, ScanCount, ScanEnd, ScanRequest, ScanResult, ScanSource, StateScan, StateScanRepeats,
    StateScanSource,
};
pub use scores::LiveScore;
pub use state::{
    Standing, StateBasis, StateBet, StateClock, StateConsensus, StateHead, StateLife, StateLine, StateLink,
    StateMove, StateMoves, StatePush, StateQuote, StateSignal, StateSource, StateStaleBooks, StateStanding,
    StateSuspension, StateWindow,
};
pub use state_partition::{StateCut, StatePartition, StateTimers};
pub use ticks::{Coverage, Frame, Heartbeat, Offer, Outcome, PollEnd, Push, Side, Status, Suspension, Tick};
pub use webhooks::{
    AccountEndpoint, StateWebhookBody, StateWebhookDelivery, StateWebhookFailing, StateWebhookFeed,
    StateWebhookNotice, StateWebhooks, WebhookAttempt, WebhookAttempts, WebhookCircuit, WebhookDelivery,
    WebhookEvent, WebhookRedelivery, WebhookTarget, WebhookTimer,
};
