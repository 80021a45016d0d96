//! What is in the home folder, the lock of the `arb up` that uses it, and its removal.
//!
//! It never removes a folder without the mark of `arb_setup::home`.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arb_setup::home::MARK;

use crate::cli::Clean;

/// Reserves the folder for one `arb up`, until the returned value is dropped.
///
/// # Errors
/// When another one has it.
pub(crate) fn lock(home: &Path) -> anyhow::Result<File> {
    let path = home.join("up.lock");
    let lock = File::create(&path).with_context(|| path.display().to_string())?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            bail!("another arb up runs in {}: stop it, or choose another folder with --home", home.display())
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// The file of the pepper under which keys and sessions are hashed.
#[must_use]
pub fn pepper(home: &Path) -> PathBuf {
    home.join("pepper")
}

/// The file of the key under which secrets of webhook endpoints are derived.
#[must_use]
pub fn webhook_key(home: &Path) -> PathBuf {
    home.join("webhook-key")
}

/// The file of the password of the demonstration account.
pub(crate) fn demonstration_password(home: &Path) -> PathBuf {
    home.join("demonstration-password")
}

/// The file of its key, another one at each start.
pub(crate) fn demonstration_key(home: &Path) -> PathBuf {
    home.join("demonstration-key")
}

/// The local Kafka's log.
pub(crate) fn kafka_data(home: &Path) -> PathBuf {
    home.join("kafka-data")
}

/// The local ClickHouse's tables.
pub(crate) fn clickhouse_data(home: &Path) -> PathBuf {
    home.join("clickhouse-data")
}

/// The logs of the roles.
pub(crate) fn logs(home: &Path) -> PathBuf {
    home.join("logs")
}

/// Removes downloads and data.
pub(crate) fn clean(config: &Clean) -> anyhow::Result<()> {
    let home = &config.home.home;
    if !home.exists() {
        println!("{} is not there: nothing to remove", home.display());
        return Ok(());
    }
    if !home.join(MARK).exists() {
        bail!("{} was not made by arb: remove it by hand if you mean it", home.display());
    }
    std::fs::remove_dir_all(home).with_context(|| format!("{} cannot be removed", home.display()))?;
    println!("removed {}", home.display());
    Ok(())
}
