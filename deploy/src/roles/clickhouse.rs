//! Address, user and password of ClickHouse, for the roles that use it.
//!
//! It never shows a password.

use std::path::Path;

use anyhow::bail;
use arb_sink::clickhouse::{Settings, roles};

use crate::cli::{CLICKHOUSE_PORT, HistorySource, Migrate, StoredHistory, Writer};
use crate::local::clickhouse::passwords;

/// Address, user and password, for the sink.
pub(crate) fn writer(config: &Writer, home: &Path) -> anyhow::Result<Settings> {
    let password = match (&config.password_file, &config.password) {
        (Some(file), _) => Some(passwords::read(file)?),
        (None, given) => given.clone(),
    };
    let settings = settings(config.url.as_ref(), &config.user, roles::WRITER, password, home)?;
    Ok(Settings { ca: config.ca.clone(), ..settings })
}

/// The same for the API, which asks a server that is named or none.
pub(super) fn reader(config: &HistorySource) -> anyhow::Result<Option<Settings>> {
    let Some(url) = &config.url else { return Ok(None) };
    let password = match (&config.password_file, &config.password) {
        (Some(file), _) => Some(passwords::read(file)?),
        (None, given) => given.clone(),
    };
    let settings = settings(Some(url), &config.user, roles::READER, password, Path::new(""))?;
    Ok(Some(Settings { ca: config.ca.clone(), ..settings }))
}

/// The same for a backtest.
pub(super) fn stored(config: &StoredHistory) -> anyhow::Result<Settings> {
    let password = match (&config.password_file, &config.password) {
        (Some(file), _) => Some(passwords::read(file)?),
        (None, given) => given.clone(),
    };
    let settings = settings(config.url.as_ref(), &config.user, roles::READER, password, &config.home.home)?;
    Ok(Settings { ca: config.ca.clone(), ..settings })
}

/// The same for migrations, and for the creation of users.
pub(super) fn migrator(config: &Migrate) -> anyhow::Result<Settings> {
    let (role, given) = if config.create_roles {
        ("admin", &config.passwords.admin)
    } else {
        (roles::MIGRATOR, &config.passwords.migrator)
    };
    let password = match &config.password_file {
        Some(file) => Some(passwords::read(file)?),
        None => given.clone(),
    };
    let settings = settings(config.url.as_ref(), &config.user, role, password, &config.home.home)?;
    Ok(Settings { ca: config.ca.clone(), ..settings })
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
    let url = url.cloned().unwrap_or_else(|| format!("http://127.0.0.1:{CLICKHOUSE_PORT}"));
    Ok(Settings { url, ca: None, user: user.to_owned(), password })
}
