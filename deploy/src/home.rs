//! The one folder in which downloads and data lie, and its removal.
//!
//! Nothing is written outside it, except by Maven into its own cache.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::cli::Clean;

/// Marks a folder as ours, so that `arb clean` never removes another.
const MARK: &str = "arb-home";

/// The folder, made and marked where it is missing.
///
/// # Errors
/// When it cannot be made: one sentence with the path and the system's reason.
pub(crate) fn make(home: &Path) -> anyhow::Result<()> {
    let made = std::fs::create_dir_all(home).and_then(|()| std::fs::write(home.join(MARK), ""));
    made.with_context(|| format!("the folder {} cannot be made", home.display()))
}

/// The file of API keys.
pub(crate) fn keys(home: &Path) -> PathBuf {
    home.join("keys.json")
}

/// The local Kafka's log.
pub(crate) fn kafka_data(home: &Path) -> PathBuf {
    home.join("kafka-data")
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
