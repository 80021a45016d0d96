//! The one folder in which downloads and data lie, and its removal.
//!
//! Nothing is written outside it, except by Maven into its own cache.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::cli::Clean;

/// Marks a folder as ours, so that `arb clean` never removes another.
const MARK: &str = "arb-home";

/// The folder, made and marked where it is missing.
///
/// # Errors
/// When it cannot be made, or holds something that is not ours: one sentence.
pub(crate) fn make(home: &Path) -> anyhow::Result<()> {
    let at = || format!("the folder {} cannot be made", home.display());
    std::fs::create_dir_all(home).with_context(at)?;
    let mark = home.join(MARK);
    if !mark.exists() {
        if std::fs::read_dir(home).with_context(at)?.next().is_some() {
            bail!("{} holds something else: choose another folder with --home", home.display());
        }
        std::fs::write(mark, "").with_context(at)?;
    }
    Ok(())
}

/// The folder for one `arb up` alone, as long as the answer lives.
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

/// The file of API keys.
#[must_use]
pub fn keys(home: &Path) -> PathBuf {
    home.join("keys.json")
}

/// The local Kafka's log.
pub(crate) fn kafka_data(home: &Path) -> PathBuf {
    home.join("kafka-data")
}

/// The local ClickHouse's tables.
pub(crate) fn clickhouse_data(home: &Path) -> PathBuf {
    home.join("clickhouse-data")
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
