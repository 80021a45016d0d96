//! Settings of what starts, migrates or writes ClickHouse.
//!
//! They decide nothing, and show no password.

use std::path::PathBuf;

use arb_schemas::clickhouse::Databases;
use arb_schemas::time::Micros;
use clap::Args;

use super::{Child, Home, secrets, time};

/// Of the local server, HTTP.
pub(crate) const PORT: u16 = 18_123;
/// Of the local server, the native protocol.
pub(crate) const NATIVE_PORT: u16 = 19_000;

#[derive(Debug, Clone, Args)]
pub(crate) struct ClickHouse {
    /// HTTP port
    #[arg(long, default_value_t = PORT)]
    pub(crate) port: u16,
    /// Port of the native protocol
    #[arg(long, default_value_t = NATIVE_PORT)]
    pub(crate) native_port: u16,
    /// Folder of its tables and logs, kept as it is [default: clickhouse-data in the home folder]
    #[arg(long)]
    pub(crate) data: Option<PathBuf>,
    /// A database of views that its users may reach; the tables are in `NAME_store`; may be repeated
    #[arg(long = "database", value_name = "NAME", default_value = Databases::USUAL, value_parser = databases)]
    pub(crate) databases: Vec<Databases>,
    /// Download what is missing, print its path, and exit
    #[arg(long)]
    pub(crate) fetch_only: bool,
    #[command(flatten)]
    pub(crate) home: Home,
    #[command(flatten)]
    pub(crate) child: Child,
}

/// ClickHouse as the sink sees it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Writer {
    /// ClickHouse's HTTP address [default: that of the local one]
    #[arg(long = "clickhouse-url", env = "CLICKHOUSE_URL", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// CA certificates that the certificate of an https address must be signed by (PEM); without it those of the system
    #[arg(long = "clickhouse-ca", env = "CLICKHOUSE_CA", value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// The database of the views; the tables are in `NAME_store`
    #[arg(long = "clickhouse-database", env = "CLICKHOUSE_DATABASE", value_name = "NAME", default_value = Databases::USUAL, value_parser = databases)]
    pub(crate) databases: Databases,
    /// ClickHouse's user [default: writer, of another database than arb `NAME_writer`]
    #[arg(long = "clickhouse-writer", value_name = "USER")]
    pub(crate) user: Option<String>,
    /// File of its password, instead of the environment's or the local one's
    #[arg(long = "writer-password-file", value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    // A setting of the environment; an option only because there is no other way to read one.
    #[arg(long = "writer-password", hide = true, env = secrets::WRITER, hide_env_values = true)]
    pub(crate) password: Option<String>,
}

/// ClickHouse as the API sees it.
#[derive(Debug, Clone, Args)]
pub(crate) struct HistorySource {
    /// ClickHouse's HTTP address, for answers about the past; without it the API has the newest deliveries of webhooks alone
    #[arg(long = "history-url", env = "ARB_HISTORY_URL", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// CA certificates that the certificate of an https address must be signed by (PEM); without it those of the system
    #[arg(long = "history-ca", env = "ARB_HISTORY_CA", value_name = "FILE", requires = "url")]
    pub(crate) ca: Option<PathBuf>,
    /// The database of the views; the tables are in `NAME_store`
    #[arg(long = "history-database", env = "ARB_HISTORY_DATABASE", value_name = "NAME", default_value = Databases::USUAL, value_parser = databases)]
    pub(crate) databases: Databases,
    /// ClickHouse's user [default: reader, of another database than arb `NAME_reader`]
    #[arg(long = "history-user", value_name = "USER")]
    pub(crate) user: Option<String>,
    /// File of its password, instead of the environment's
    #[arg(long = "history-password-file", value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    // A setting of the environment; an option only because there is no other way to read one.
    #[arg(long = "history-password", hide = true, env = secrets::READER, hide_env_values = true)]
    pub(crate) password: Option<String>,
}

/// ClickHouse as a backtest sees it.
#[derive(Debug, Clone, Args)]
pub(crate) struct StoredHistory {
    /// What ClickHouse has stored instead: the polls of each source and league, with the prices of winners
    #[arg(long = "history", conflicts_with_all = ["table", "recordings"])]
    pub(crate) is_asked: bool,
    /// Of that the polls of one league, by its key
    #[arg(long, value_name = "KEY", requires = "is_asked")]
    pub(crate) league: Option<String>,
    /// Of that the polls that were received at this time or later
    #[arg(long, value_name = "TIME", value_parser = time, requires = "is_asked")]
    pub(crate) since: Option<Micros>,
    /// Of that the polls that were received before this time
    #[arg(long, value_name = "TIME", value_parser = time, requires = "is_asked")]
    pub(crate) until: Option<Micros>,
    /// ClickHouse's HTTP address [default: that of the local one]
    #[arg(long = "clickhouse-url", env = "CLICKHOUSE_URL", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// CA certificates that the certificate of an https address must be signed by (PEM); without it those of the system
    #[arg(long = "clickhouse-ca", env = "CLICKHOUSE_CA", value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// The database of the views; the tables are in `NAME_store`
    #[arg(long = "clickhouse-database", env = "CLICKHOUSE_DATABASE", value_name = "NAME", default_value = Databases::USUAL, value_parser = databases)]
    pub(crate) databases: Databases,
    /// ClickHouse's user [default: reader, of another database than arb `NAME_reader`]
    #[arg(long = "clickhouse-user", value_name = "USER")]
    pub(crate) user: Option<String>,
    /// File of its password, instead of the environment's or the local one's
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    // A setting of the environment; an option only because there is no other way to read one.
    #[arg(long = "reader-password", hide = true, env = secrets::READER, hide_env_values = true)]
    pub(crate) password: Option<String>,
    #[command(flatten)]
    pub(crate) home: Home,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Migrate {
    /// ClickHouse's HTTP address [default: that of the local one]
    #[arg(long = "clickhouse-url", alias = "url", env = "CLICKHOUSE_URL", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// CA certificates that the certificate of an https address must be signed by (PEM); without it those of the system
    #[arg(long = "clickhouse-ca", env = "CLICKHOUSE_CA", value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// The database of the views; the tables are in `NAME_store`
    #[arg(long = "clickhouse-database", env = "CLICKHOUSE_DATABASE", value_name = "NAME", default_value = Databases::USUAL, value_parser = databases)]
    pub(crate) databases: Databases,
    /// ClickHouse's user [default: migrator, of another database than arb `NAME_migrator`]
    #[arg(long = "clickhouse-user", alias = "user", value_name = "USER")]
    pub(crate) user: Option<String>,
    /// File of its password, instead of the environment's or the local one's
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Only check whether the schema has the version of this program
    #[arg(long, conflicts_with = "create_roles")]
    pub(crate) check: bool,
    /// First create the users of the database (migrator, writer, reader, analyst), as this user, who must be allowed to; the
    /// passwords of all five come from the environment
    #[arg(long, requires = "url")]
    pub(crate) create_roles: bool,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) home: Home,
}

/// Settings of the environment; options only because there is no other way to read them.
#[derive(Debug, Clone, Args)]
pub(crate) struct Passwords {
    #[arg(long = "admin-password", hide = true, env = secrets::ADMIN, hide_env_values = true)]
    pub(crate) admin: Option<String>,
    #[arg(
        long = "migrator-password",
        hide = true,
        env = secrets::MIGRATOR,
        hide_env_values = true
    )]
    pub(crate) migrator: Option<String>,
    #[arg(long = "writer-password", hide = true, env = secrets::WRITER, hide_env_values = true)]
    pub(crate) writer: Option<String>,
    #[arg(long = "reader-password", hide = true, env = secrets::READER, hide_env_values = true)]
    pub(crate) reader: Option<String>,
    #[arg(
        long = "analyst-password",
        hide = true,
        env = secrets::ANALYST,
        hide_env_values = true
    )]
    pub(crate) analyst: Option<String>,
}

fn databases(name: &str) -> Result<Databases, String> {
    let reason =
        "give at most 40 small letters, digits and underscores, a letter first, without _store at the end";
    Databases::named(name).ok_or_else(|| reason.to_owned())
}
