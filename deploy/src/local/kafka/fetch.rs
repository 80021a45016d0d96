//! The jars of Kafka, fetched once by Maven into the home folder.
//!
//! They appear there whole or not at all: they are fetched beside and renamed, under a lock that other processes
//! wait for.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::local::preflight;
use crate::local::progress::Progress;
use crate::local::tool;

const POM: &str = include_str!("../../../kafka/pom.xml");
/// The version that the pom names.
pub const VERSION: &str = "4.3.0";
/// The folder of the jars: another list of jars is another folder.
const FOLDER: &str = "kafka-4.3.0-with-tools";

/// The folder of the jars.
pub(super) fn libraries(home: &Path) -> anyhow::Result<PathBuf> {
    let libraries = home.join(FOLDER);
    let lock = home.join("kafka.lock");
    let lock = File::create(&lock).with_context(|| lock.display().to_string())?;
    lock.lock().context("the lock on Kafka's folder cannot be had")?;
    if !libraries.is_dir() {
        fetch(home, &libraries)?;
    }
    Ok(libraries)
}

fn fetch(home: &Path, libraries: &Path) -> anyhow::Result<()> {
    preflight::maven()?;
    let _progress = Progress::start(format!("fetching Apache Kafka {VERSION} (44 MB, once)"));
    let (pom, new, log) = (home.join("pom.xml"), home.join("kafka-new"), home.join("maven.log"));
    if new.exists() {
        fs::remove_dir_all(&new).with_context(|| new.display().to_string())?;
    }
    fs::write(&pom, POM).with_context(|| pom.display().to_string())?;
    let output = File::create(&log).with_context(|| log.display().to_string())?;
    let status = tool::run("mvn")
        .args(["-B", "-f"])
        .arg(&pom)
        .args(["dependency:copy-dependencies", "-DincludeScope=runtime"])
        .arg(format!("-DoutputDirectory={}", fs::canonicalize(home)?.join("kafka-new").display()))
        .stderr(output.try_clone()?)
        .stdout(output)
        .status()
        .context("mvn cannot be run")?;
    if !status.success() {
        bail!("Maven could not fetch Kafka: {} (all of it in {})", first_error(&log), log.display());
    }
    fs::rename(&new, libraries).with_context(|| libraries.display().to_string())
}

/// The first error that Maven printed.
fn first_error(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let error = text.lines().find_map(|line| line.strip_prefix("[ERROR] "));
    error.unwrap_or("it does not say why").to_owned()
}
