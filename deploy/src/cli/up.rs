//! The settings of `arb up`: those of the roles that differ in a demonstration, and where everything is.
//!
//! They decide nothing.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{FIRST_ADMIN_PORT, Home, KafkaOptions, Play, Rules, Writer, clickhouse, millis, secrets};

#[derive(Debug, Clone, Args)]
pub(crate) struct Up {
    /// Kafka to use; without it a local one is started
    #[arg(long = "brokers", env = "KAFKA_BOOTSTRAP_SERVERS")]
    pub(crate) brokers: Option<String>,
    #[command(flatten)]
    pub(crate) kafka: Box<KafkaOptions>,
    /// Port of the local Kafka; the next one is its controller's
    #[arg(long, default_value_t = 19092)]
    pub(crate) kafka_port: u16,
    /// HTTP port of the local ClickHouse
    #[arg(long, default_value_t = clickhouse::PORT)]
    pub(crate) clickhouse_port: u16,
    /// Port of its native protocol
    #[arg(long, default_value_t = clickhouse::NATIVE_PORT)]
    pub(crate) clickhouse_native_port: u16,
    /// Where the board is served
    #[arg(long, env = "ARB_LISTEN", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// Port of ingest's metrics on this machine; the next ones are those of process, serve, sink, accounts, deliver, settle and bots; 0 takes free ones
    #[arg(long, env = "ARB_ADMIN_PORT", default_value_t = FIRST_ADMIN_PORT)]
    pub(crate) admin_port: u16,
    /// The rules for windows
    #[arg(long, default_value = "board")]
    pub(crate) policy: Rules,
    /// File of books (TOML); without one the table that this program ships with
    #[arg(long, env = "ARB_BOOKS_FILE")]
    pub(crate) books_file: Option<PathBuf>,
    /// Start with empty topics and tables of the local Kafka and ClickHouse, not with those of the last run
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Print here all that the roles log, and not only errors
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Milliseconds after which the sink sends a batch, however small: most of what a local ClickHouse does is to merge what it is sent
    #[arg(long = "batch-interval-ms", env = "ARB_SINK_BATCH_INTERVAL_MS", default_value = "20000", value_parser = millis)]
    pub(crate) batch_interval: Duration,
    /// Free disk space below which nothing is started, in MiB
    #[arg(long, env = "ARB_MIN_FREE_MIB", default_value_t = 1024)]
    pub(crate) min_free_mib: u64,
    /// ClickHouse to use; without it a local one is started
    #[command(flatten)]
    pub(crate) writer: Writer,
    #[arg(long, hide = true, env = secrets::MIGRATOR, hide_env_values = true)]
    pub(crate) migrator_password: Option<String>,
    #[arg(long, hide = true, env = secrets::READER, hide_env_values = true)]
    pub(crate) reader_password: Option<String>,
    #[command(flatten)]
    pub(crate) home: Home,
    #[command(flatten)]
    pub(crate) play: Play,
}
