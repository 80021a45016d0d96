//! The jars of Apache Kafka, downloaded once by Maven into the home folder.
//!
//! They appear there whole or not at all: they are downloaded into another folder that is then renamed, under a lock that
//! other processes wait for. Nothing is started here.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::home;
use crate::program;
use crate::progress::{Progress, Report};

const POM: &str = include_str!("../kafka/pom.xml");
/// The version that the pom names.
pub const VERSION: &str = "4.3.0";
/// The folder of the jars: another list of jars is another folder.
const FOLDER: &str = "kafka-4.3.0-with-tools";

/// Whether the jars are in a home folder.
#[must_use]
pub fn is_downloaded(home: &Path) -> bool {
    home.join(FOLDER).is_dir()
}

/// The folder of the jars, downloaded where they are missing.
///
/// # Errors
/// When the folder cannot be made, or Maven fails: with its first error.
pub fn libraries(home: &Path, report: Report) -> anyhow::Result<PathBuf> {
    home::make(home)?;
    let libraries = home.join(FOLDER);
    let lock = home.join("kafka.lock");
    let lock = File::create(&lock).with_context(|| lock.display().to_string())?;
    lock.lock().context("Kafka's folder cannot be locked")?;
    if !libraries.is_dir() {
        download(home, &libraries, report)?;
    }
    Ok(libraries)
}

fn download(home: &Path, libraries: &Path, report: Report) -> anyhow::Result<()> {
    let _progress = Progress::start(format!("downloading Apache Kafka {VERSION} (44 MB, once)"), report);
    let (pom, new, log) = (home.join("pom.xml"), home.join("kafka-new"), home.join("maven.log"));
    if new.exists() {
        fs::remove_dir_all(&new).with_context(|| new.display().to_string())?;
    }
    fs::write(&pom, POM).with_context(|| pom.display().to_string())?;
    let output = File::create(&log).with_context(|| log.display().to_string())?;
    let status = program::command("mvn")
        .args(["-B", "-f"])
        .arg(&pom)
        .args(["dependency:copy-dependencies", "-DincludeScope=runtime"])
        .arg(format!("-DoutputDirectory={}", fs::canonicalize(home)?.join("kafka-new").display()))
        .stderr(output.try_clone()?)
        .stdout(output)
        .status()
        .context("mvn cannot be run")?;
    if !status.success() {
        bail!("Maven could not download Kafka: {} (all of it in {})", first_error(&log), log.display());
    }
    fs::rename(&new, libraries).with_context(|| libraries.display().to_string())
}

/// The first error that Maven printed.
fn first_error(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let error = text.lines().find_map(|line| line.strip_prefix("[ERROR] "));
    error.unwrap_or("without an error message").to_owned()
}
