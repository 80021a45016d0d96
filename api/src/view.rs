//! How answers read in JSON and CSV, beside what the feed has too (`arb_feed::view`).
//!
//! - `odds`: events and quotes of the processor, and prices over time; `windows`: windows of the past, with what they came to
//!   (`settlement`) and what the flags of one were decided by (`evidence`); `truth`: how much of them was real.
//! - `account`: accounts, keys and sessions; `changes`: events by pages; `webhooks`: endpoints and deliveries; `ticks`: pushed odds;
//!   `stream`: what streams send beside events.
//! - `books`, `bots`, `hedge`, `picks`, `registry`, `scan`, `scores`, `sports`, `usage`: what the routes of these names answer.
//! - `bodies`: what requests have in place of a view.
//! - `bet`: a bet in words; `csv`: entries of the board as CSV.
//!
//! Pure. It changes no value.

mod account;
mod bet;
pub(crate) mod bodies;
mod books;
mod bots;
mod changes;
pub(crate) mod csv;
mod evidence;
mod hedge;
mod odds;
mod picks;
mod registry;
mod scan;
mod scores;
pub(crate) mod settlement;
mod sports;
mod stream;
mod ticks;
mod truth;
mod usage;
mod webhooks;
mod windows;

pub(crate) use self::account::{
    AccountView, BankrollView, KeyList, KeyView, NewAccount, NewKeyView, SessionView, TicketView,
};
pub(crate) use self::books::{BookList, BookView};
pub(crate) use self::bots::{
    BotList, BotView, LeagueRecord, ListedBot, MonthRecord, OnOfferView, ShortRecord, WholeRecord,
};
pub(crate) use self::changes::{ChangesHead, ChangesView};
pub(crate) use self::evidence::EvidenceView;
pub(crate) use self::hedge::{HedgeResult, HedgeView, HedgedLeg};
pub(crate) use self::odds::{
    BestOdds, BestOddsPage, BetHistory, EventItem, EventPage, LineView, OddsHistory, OddsView, QuoteView,
    SeriesView,
};
pub(crate) use self::picks::PickPage;
pub(crate) use self::registry::{RegistryConfig, RegistryMode, RegistrySchema, RegistryUse, RegistryVersion};
pub(crate) use self::scan::{
    AnsweredPartitions, AnsweredView, CountedQuotes, ScanScope, ScanView, ScannedArb, ScannedBook,
    ScannedLeague, ScannedSource,
};
pub(crate) use self::scores::{ScoreList, ScoreView};
pub(crate) use self::settlement::SettlementView;
pub(crate) use self::sports::{LeagueView, SourceStatus, SportList, SportView, StatusView};
pub(crate) use self::stream::{BoardChanges, HeartbeatView, LaggedView, ResyncView, SnapshotView};
pub(crate) use self::ticks::{LetterList, PushedEvent, TickLine, TickLines, TicksView};
pub(crate) use self::truth::{BookTruth, ExecutionView, LifetimeView, PhaseTruth, StandingView, Truth};
pub(crate) use self::usage::UsageView;
pub(crate) use self::webhooks::{
    CircuitView, DeliveryPage, DeliveryView, EventSent, OUTCOMES, PercentilesView, SinceView, StatisticsView,
    WebhookList, WebhookView,
};
pub(crate) use self::windows::{ArbPrices, TransitionView, WindowHistory, WindowPage, WindowView};
