//! Address, databases, user and password of ClickHouse, for the roles that use it.
//!
//! It never shows a password.

use std::path::{Path, PathBuf};

use anyhow::bail;
use arb_schemas::clickhouse::Databases;
use arb_store::clickhouse::{Settings, roles};

use crate::cli::{CLICKHOUSE_PORT, HistorySource, Migrate, StoredHistory, Writer};
use crate::local::clickhouse::passwords;

/// What is given of a server.
struct Given<'a> {
    url: &'a Option<String>,
    ca: &'a Option<PathBuf>,
    databases: &'a Databases,
    user: &'a Option<String>,
    password_file: &'a Option<PathBuf>,
    password: &'a Option<String>,
}

/// The fields of options that say which server is meant.
macro_rules! given {
    ($config:expr, $password:expr) => {
        Given {
            url: &$config.url,
            ca: &$config.ca,
            databases: &$config.databases,
            user: &$config.user,
            password_file: &$config.password_file,
            password: &$password,
        }
    };
}

/// For the sink.
pub(crate) fn writer(config: &Writer, home: &Path) -> anyhow::Result<Settings> {
    settings(&given!(config, config.password), roles::WRITER, home)
}

/// For the API, which asks a server that is named or none.
pub(super) fn reader(config: &HistorySource) -> anyhow::Result<Option<Settings>> {
    if config.url.is_none() {
        return Ok(None);
    }
    settings(&given!(config, config.password), roles::READER, Path::new("")).map(Some)
}

/// For a backtest.
pub(super) fn stored(config: &StoredHistory) -> anyhow::Result<Settings> {
    settings(&given!(config, config.password), roles::READER, &config.home.home)
}

/// For migrations, and for the creation of users.
pub(super) fn migrator(config: &Migrate) -> anyhow::Result<Settings> {
    let (role, password) = if config.create_roles {
        ("admin", &config.passwords.admin)
    } else {
        (roles::MIGRATOR, &config.passwords.migrator)
    };
    settings(&given!(config, *password), role, &config.home.home)
}

/// A server that is named, or the local one, whose password is in the file that it made.
fn settings(given: &Given<'_>, role: &str, home: &Path) -> anyhow::Result<Settings> {
    let named = given.password_file.as_deref().map(passwords::read).transpose()?;
    let user = given.user.clone().unwrap_or_else(|| given.databases.user(role));
    let password = match (named.or_else(|| given.password.clone()), given.url) {
        (Some(password), _) => password,
        (None, None) => passwords::read(&passwords::file(home, &user))?,
        (None, Some(url)) => {
            bail!(
                "the password of {user} at {url} is missing: set CLICKHOUSE_{}_PASSWORD",
                role.to_uppercase()
            )
        }
    };
    let url = given.url.clone().unwrap_or_else(|| format!("http://127.0.0.1:{CLICKHOUSE_PORT}"));
    Ok(Settings { url, ca: given.ca.clone(), user, password, databases: given.databases.clone() })
}
