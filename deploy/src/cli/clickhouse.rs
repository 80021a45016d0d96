//! Settings of what starts, migrates or writes ClickHouse.
//!
//! They decide nothing but where a password is read, and show none.

use std::path::{Path, PathBuf};

use anyhow::bail;
use arb_pipeline::clickhouse::{Settings, roles};
use clap::Args;

use super::{Child, Home, secrets};
use crate::local_clickhouse::passwords;

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
    /// Fetch what is missing, say where it is, and end
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
    /// ClickHouse's user
    #[arg(long = "clickhouse-writer", default_value = roles::WRITER)]
    pub(crate) user: String,
    /// File of its password, instead of the environment's or the local one's
    #[arg(long = "writer-password-file", value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    // A setting of the environment; an option only because there is no other way to read one.
    #[arg(long = "writer-password", hide = true, env = secrets::WRITER, hide_env_values = true)]
    pub(crate) password: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Migrate {
    /// ClickHouse's HTTP address [default: that of the local one]
    #[arg(long = "clickhouse-url", alias = "url", env = "CLICKHOUSE_URL", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// ClickHouse's user
    #[arg(long = "clickhouse-user", alias = "user", default_value = roles::MIGRATOR)]
    pub(crate) user: String,
    /// File of its password, instead of the environment's or the local one's
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Only say whether it is what this program knows
    #[arg(long, conflicts_with = "create_roles")]
    pub(crate) check: bool,
    /// First create the users migrator, writer and analyst, as this user, who must be allowed to; the passwords of all
    /// four come from the environment
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
    #[arg(
        long = "analyst-password",
        hide = true,
        env = secrets::ANALYST,
        hide_env_values = true
    )]
    pub(crate) analyst: Option<String>,
}

impl Writer {
    /// Where it is, as whom, and by which password.
    pub(crate) fn settings(&self, home: &Path) -> anyhow::Result<Settings> {
        let password = match (&self.password_file, &self.password) {
            (Some(file), _) => Some(passwords::read(file)?),
            (None, given) => given.clone(),
        };
        settings(self.url.as_ref(), &self.user, roles::WRITER, password, home)
    }
}

impl Migrate {
    /// Where it is, as whom, and by which password.
    pub(crate) fn settings(&self) -> anyhow::Result<Settings> {
        let (role, given) = if self.create_roles {
            ("admin", &self.passwords.admin)
        } else {
            (roles::MIGRATOR, &self.passwords.migrator)
        };
        let password = match &self.password_file {
            Some(file) => Some(passwords::read(file)?),
            None => given.clone(),
        };
        settings(self.url.as_ref(), &self.user, role, password, &self.home.home)
    }
}

/// A server that is named, or the local one, whose password is in the file that it made.
fn settings(
    url: Option<&String>,
    user: &str,
    role: &str,
    password: Option<String>,
    home: &Path,
) -> anyhow::Result<Settings> {
    let password = match (password, url) {
        (Some(password), _) => password,
        (None, None) => passwords::read(&passwords::file(home, role))?,
        (None, Some(url)) => {
            bail!(
                "the password of {user} at {url} is missing: set CLICKHOUSE_{}_PASSWORD",
                role.to_uppercase()
            )
        }
    };
    let url = url.cloned().unwrap_or_else(|| format!("http://127.0.0.1:{PORT}"));
    Ok(Settings { url, user: user.to_owned(), password })
}
