//! Settings of the roles that run until a shutdown signal.
//!
//! They decide nothing.

use std::net::SocketAddr;
#[cfg(feature = "fail-points")]
use std::num::NonZeroU64;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use arb_accounts::machine::MAX_ACCOUNTS;
use arb_api::http::server::Network;
use arb_model::FeedKind;
#[cfg(feature = "fail-points")]
use arb_runtime::fail_point::Passage;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::watched_group::GroupOfRole;
use super::{AdminOptions, Brokers, Child, HistorySource, Home, PepperFile, Play, Rules, Writer, millis};

#[derive(Debug, Clone, Args)]
pub(crate) struct Ingest {
    #[command(flatten)]
    pub(crate) admin: AdminOptions,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    #[command(flatten)]
    pub(crate) child: Child,
    #[command(flatten)]
    pub(crate) play: Play,
}

/// The watchdog over a loop, and where tests kill it.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Guard {
    /// End when nothing has moved for so many milliseconds
    #[arg(long = "watchdog-ms", env = "ARB_WATCHDOG_MS", default_value = "120000", value_parser = millis)]
    pub(crate) watchdog: Duration,
    #[cfg(feature = "fail-points")]
    /// Fail point: kill this process with -9 at a passage of a point
    #[arg(long, hide = true, value_name = "POINT:COUNT")]
    pub(crate) kill_at: Option<Passage>,
    #[cfg(feature = "fail-points")]
    /// Fail point: stop this process (SIGSTOP) there
    #[arg(long, hide = true, value_name = "POINT:COUNT")]
    pub(crate) freeze_at: Option<Passage>,
    #[cfg(feature = "fail-points")]
    /// Fail point: let the loop hang there
    #[arg(long, hide = true, value_name = "POINT:COUNT")]
    pub(crate) stall_at: Option<Passage>,
}

/// Of a role that runs a loop.
#[derive(Debug, Clone, Args)]
pub(crate) struct LoopOptions {
    #[command(flatten)]
    pub(crate) guard: Guard,
    #[command(flatten)]
    pub(crate) admin: AdminOptions,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    #[command(flatten)]
    pub(crate) child: Child,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Process {
    /// The rules for windows
    #[arg(long, default_value = "board")]
    pub(crate) policy: Rules,
    /// File of books (TOML); without one the table that this program ships with
    #[arg(long, env = "ARB_BOOKS_FILE")]
    pub(crate) books_file: Option<PathBuf>,
    /// Consumer group; a transactional id is its name and the number of a partition that is owned
    #[arg(long, env = "ARB_GROUP", default_value = "arb-process")]
    pub(crate) group: String,
    /// Partitions are shared by so many workers, each a member of the group on a thread of its own, at most one for each partition; without it one for each core
    #[arg(long, env = "ARB_PROCESS_WORKERS")]
    pub(crate) workers: Option<NonZeroUsize>,
    /// Commit after so many records at the latest
    #[arg(long, env = "ARB_COMMIT_RECORDS", default_value_t = 10_000)]
    pub(crate) commit_records: usize,
    /// Commit after so many milliseconds at the latest
    #[arg(long = "commit-interval-ms", env = "ARB_COMMIT_INTERVAL_MS", default_value = "100", value_parser = millis)]
    pub(crate) commit_interval: Duration,
    #[cfg(feature = "fail-points")]
    /// Fail point: of so many transactions abort the last
    #[arg(long, hide = true)]
    pub(crate) abort_each: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) options: LoopOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Sink {
    /// Consumer group
    #[arg(long, env = "ARB_SINK_GROUP", default_value = "arb-sink")]
    pub(crate) group: String,
    /// Rows of a batch, at most; the server holds them in memory
    #[arg(long, env = "ARB_SINK_BATCH_ROWS", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) batch_rows: u64,
    /// Milliseconds after which a batch is sent, however small
    #[arg(long = "batch-interval-ms", env = "ARB_SINK_BATCH_INTERVAL_MS", default_value = "1000", value_parser = millis)]
    pub(crate) batch_interval: Duration,
    /// Memory for records that wait for ClickHouse, in MiB; beyond it no more are read
    #[arg(long, env = "ARB_SINK_MEMORY_MIB", default_value_t = 64)]
    pub(crate) memory_mib: usize,
    /// Inserts at a time
    #[arg(long, env = "ARB_SINK_INSERTS", default_value_t = 4)]
    pub(crate) inserts: usize,
    /// Milliseconds that ClickHouse may take for an insert, before the tables are queried for its rows
    #[arg(long = "insert-timeout-ms", env = "ARB_SINK_INSERT_TIMEOUT_MS", default_value = "60000", value_parser = millis)]
    pub(crate) insert_timeout: Duration,
    /// Milliseconds for open batches to finish at shutdown
    #[arg(long = "close-ms", env = "ARB_SINK_CLOSE_MS", default_value = "5000", value_parser = millis)]
    pub(crate) close: Duration,
    #[command(flatten)]
    pub(crate) writer: Writer,
    #[command(flatten)]
    pub(crate) home: Home,
    #[command(flatten)]
    pub(crate) options: LoopOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Accounts {
    /// Consumer group; the transactional id is its name and -0
    #[arg(long, env = "ARB_ACCOUNTS_GROUP", default_value = "arb-accounts")]
    pub(crate) group: String,
    /// Accounts that there may be; give all instances the same number
    #[arg(long = "max-accounts", env = "ARB_MAX_ACCOUNTS", value_name = "MAX_ACCOUNTS", default_value_t = MAX_ACCOUNTS)]
    pub(crate) most: usize,
    /// Commit after so many milliseconds at the latest: every reply waits for it
    #[arg(long = "commit-interval-ms", env = "ARB_ACCOUNTS_COMMIT_INTERVAL_MS", default_value = "10", value_parser = millis)]
    pub(crate) commit_interval: Duration,
    #[command(flatten)]
    pub(crate) options: LoopOptions,
}

/// Of webhooks, for those that send them and those that show them.
#[derive(Debug, Clone, Args)]
pub(crate) struct Webhooks {
    /// File of the key under which secrets of webhook endpoints are derived; created where there is none, the same on all machines
    #[arg(long, env = "ARB_WEBHOOK_KEY", value_name = "FILE", default_value = ".arb/webhook-key")]
    pub(crate) webhook_key: PathBuf,
    /// Allow webhooks by http, to any port and to this machine: for development alone, because the delivery log shows what is
    /// answered there
    #[arg(long, env = "ARB_WEBHOOK_DEVELOPMENT")]
    pub(crate) webhook_development: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Deliver {
    /// Consumer group of the tasks; the one of the feed is its name and -feed, a transactional id its name and a partition
    #[arg(long, env = "ARB_DELIVER_GROUP", default_value = "arb-deliver")]
    pub(crate) group: String,
    /// Commit after so many milliseconds at the latest: every attempt waits for it
    #[arg(long = "commit-interval-ms", env = "ARB_DELIVER_COMMIT_INTERVAL_MS", default_value = "10", value_parser = millis)]
    pub(crate) commit_interval: Duration,
    #[command(flatten)]
    pub(crate) webhooks: Webhooks,
    #[command(flatten)]
    pub(crate) options: LoopOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Settle {
    /// Consumer group of the tasks; the one of the feed is its name and -feed, a transactional id its name and a partition
    #[arg(long, env = "ARB_SETTLE_GROUP", default_value = "arb-settle")]
    pub(crate) group: String,
    /// Commit after so many milliseconds at the latest: every pick and grading waits for it
    #[arg(long = "commit-interval-ms", env = "ARB_SETTLE_COMMIT_INTERVAL_MS", default_value = "100", value_parser = millis)]
    pub(crate) commit_interval: Duration,
    /// File of books (TOML), the same as the processor's; without one the table that this program ships with
    #[arg(long, env = "ARB_BOOKS_FILE")]
    pub(crate) books_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: LoopOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Bots {
    /// What the prices are of. It is part of every pick, and records of two kinds are never put together
    #[arg(long, env = "ARB_BOTS_FEED", value_parser = feed_kinds())]
    pub(crate) feed: FeedKind,
    /// Books whose prices the bot sharp takes for fair; the first one that has all outcomes
    #[arg(long, env = "ARB_BOTS_SHARP_BOOKS", value_delimiter = ',', default_value = "pinnacle")]
    pub(crate) sharp_books: Vec<String>,
    /// File of books (TOML), the same as the processor's; without one the table that this program ships with
    #[arg(long, env = "ARB_BOOKS_FILE")]
    pub(crate) books_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: LoopOptions,
}

fn feed_kinds() -> impl TypedValueParser<Value = FeedKind> {
    PossibleValuesParser::new(FeedKind::KEYS)
        .try_map(|key| FeedKind::parse(&key).ok_or("there is no such kind of feed"))
}

/// Who may create an account over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SignUpMode {
    Open,
    Invite,
    Closed,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Serve {
    /// Where the board is served
    #[arg(long, env = "ARB_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Certificate of the API, and those between it and its CA (PEM): the port takes TLS alone. Read again when it changes
    #[arg(long, env = "ARB_TLS_CERTIFICATE", value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// Private key of that certificate, not encrypted (PEM). Read again when it changes
    #[arg(long, env = "ARB_TLS_KEY", value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Milliseconds after the shutdown signal in which requests are still taken, for load balancers to see that the instance is not
    /// ready
    #[arg(long = "drain-ms", env = "ARB_DRAIN_MS", default_value = "5000", value_parser = millis)]
    pub(crate) drain: Duration,
    #[command(flatten)]
    pub(crate) pepper: PepperFile,
    #[command(flatten)]
    pub(crate) webhooks: Webhooks,
    /// Who may create an account over HTTP
    #[arg(long, env = "ARB_SIGN_UP", value_enum, default_value = "closed")]
    pub(crate) sign_up: SignUpMode,
    /// File of invitations, one a line and each good for one account, for --sign-up invite
    #[arg(long, env = "ARB_INVITATIONS", value_name = "FILE", required_if_eq("sign_up", "invite"))]
    pub(crate) invitations: Option<PathBuf>,
    /// URLs at which browsers and clients reach this instance; where one begins with https, session cookies are sent by TLS alone
    #[arg(long = "public-url", env = "ARB_PUBLIC_URL", value_delimiter = ',', value_name = "URL")]
    pub(crate) public_urls: Vec<String>,
    /// Origins whose pages may use keys and tickets, each a scheme, a host and a port where it has one
    #[arg(long, env = "ARB_CORS_ORIGINS", value_delimiter = ',', value_name = "URL")]
    pub(crate) cors_origins: Vec<String>,
    /// Consumer group by which Kafka's tools show how far this instance has read the feed [default: arb-serve-HOST-PORT]
    #[arg(long, env = "ARB_FEED_GROUP", value_name = "GROUP")]
    pub(crate) feed_group: Option<String>,
    /// Consumer groups of other roles, of which GET /status shows how far they are behind while somebody asks
    #[arg(
        long = "watched-groups",
        env = "ARB_WATCHED_GROUPS",
        value_delimiter = ',',
        value_name = "ROLE=GROUP",
        default_value = "process=arb-process,sink=arb-sink,accounts=arb-accounts,deliver=arb-deliver,settle=arb-settle"
    )]
    pub(crate) watched_groups: Vec<GroupOfRole>,
    /// File of books (TOML), the same as the processor's; without one the table that this program ships with
    #[arg(long, env = "ARB_BOOKS_FILE")]
    pub(crate) books_file: Option<PathBuf>,
    /// File of the limits of each plan, such as {"free": 500}; the same on all instances [default: plans.json beside the pepper]
    #[arg(long, env = "ARB_PLANS", value_name = "FILE")]
    pub(crate) plans: Option<PathBuf>,
    /// Connections at one time, as far as the limit of open files allows; a fifth is kept for callers with a valid key
    #[arg(long, env = "ARB_CONNECTIONS", default_value_t = 10_000)]
    pub(crate) connections: usize,
    /// Connections without a key from one address (of IPv6 a /64 network) [default: a tenth of all]
    #[arg(long, env = "ARB_CONNECTIONS_PER_ADDRESS")]
    pub(crate) connections_per_address: Option<usize>,
    /// Connections with one key [default: half of all]
    #[arg(long, env = "ARB_CONNECTIONS_PER_KEY")]
    pub(crate) connections_per_key: Option<usize>,
    #[command(flatten)]
    pub(crate) history: HistorySource,
    /// Proxies whose X-Forwarded-For header is trusted: addresses or networks, such as 10.0.0.0/8
    #[arg(long, env = "ARB_TRUSTED_PROXIES", value_delimiter = ',')]
    pub(crate) trusted_proxies: Vec<Network>,
    /// Milliseconds without an event after which a stream sends a heartbeat
    #[arg(long = "heartbeat-ms", hide = true, default_value = "15000", value_parser = millis)]
    pub(crate) heartbeat: Duration,
    /// Milliseconds after which a client that takes no bytes is disconnected
    #[arg(long = "stall-ms", hide = true, default_value = "10000", value_parser = millis)]
    pub(crate) stall: Duration,
    /// Events of the feed that are kept in memory
    #[arg(long, hide = true, default_value_t = 16_384)]
    pub(crate) stream_events: usize,
    #[command(flatten)]
    pub(crate) admin: AdminOptions,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
    #[command(flatten)]
    pub(crate) child: Child,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Kafka {
    /// Port of the broker; the next one is its controller's
    #[arg(long, default_value_t = 19092)]
    pub(crate) port: u16,
    /// Folder of its log, kept as it is
    #[arg(long)]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) home: Home,
    #[command(flatten)]
    pub(crate) child: Child,
}
