//! The programs that must be installed before anything is compiled, downloaded or started: all that are missing, in one
//! sentence, with the command that installs them.
//!
//! It installs nothing.

use anyhow::bail;

use crate::{clickhouse, kafka, program};

/// The oldest Java that Kafka 4.3 runs on.
const JAVA: u32 = 17;

/// What is about to be done, and so what is needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plan {
    /// The product is compiled.
    pub compiles: bool,
    /// A local Kafka is started.
    pub kafka: Option<Download>,
    /// A local ClickHouse is started.
    pub clickhouse: Option<Download>,
}

/// Whether the files of a server are still to be downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Download {
    /// They are there.
    Done,
    /// They are not.
    Needed,
}

impl Download {
    fn needed(is_needed: bool) -> Self {
        if is_needed { Self::Needed } else { Self::Done }
    }
}

impl Plan {
    /// The servers that are to be started here, with what the home folder lacks of them.
    #[must_use]
    pub fn of_servers(home: &std::path::Path, kafka: bool, clickhouse: bool) -> Self {
        Self {
            compiles: false,
            kafka: kafka.then(|| Download::needed(!kafka::is_downloaded(home))),
            clickhouse: clickhouse.then(|| Download::needed(!clickhouse::is_available(home))),
        }
    }
}

/// A missing prerequisite: its message, and the Debian package that contains it.
#[derive(Debug, PartialEq, Eq)]
struct Missing {
    what: String,
    package: &'static str,
}

/// Everything that the plan needs is installed.
///
/// # Errors
/// One sentence that names all that is missing, and how to install it.
pub fn check(plan: Plan) -> anyhow::Result<()> {
    let missing = missing(plan);
    if missing.is_empty() {
        return Ok(());
    }
    let whats: Vec<_> = missing.iter().map(|missing| missing.what.as_str()).collect();
    let packages: Vec<_> = missing.iter().map(|missing| missing.package).collect();
    bail!("not installed: {} (on Debian: apt-get install {})", whats.join(", "), packages.join(" "));
}

fn missing(plan: Plan) -> Vec<Missing> {
    let mut missing = Vec::new();
    if plan.compiles {
        missing.extend(compiler("compiles"));
        missing.extend(program("make", "compiles librdkafka", "make"));
        missing.extend(openssl());
    }
    if let Some(download) = plan.kafka {
        missing.extend(java());
        if download == Download::Needed {
            missing.extend(program("mvn", "downloads Kafka", "maven"));
        }
    }
    if plan.clickhouse == Some(Download::Needed) {
        missing.extend(program("npm", "downloads ClickHouse", "npm"));
        if !plan.compiles {
            missing.extend(compiler("compiles the launcher of ClickHouse"));
        }
    }
    missing
}

fn program(name: &str, purpose: &str, package: &'static str) -> Option<Missing> {
    program::find(name).is_none().then(|| Missing { what: format!("{name} ({purpose})"), package })
}

/// A C compiler, with the headers of the C library: one package has the program, another one the headers.
fn compiler(purpose: &str) -> Option<Missing> {
    program("cc", purpose, "gcc libc6-dev").or_else(|| header("stdlib.h", "libc6-dev"))
}

/// A header that the C compiler does not find.
fn header(name: &str, package: &'static str) -> Option<Missing> {
    let mut preprocess = program::command("cc");
    let found = preprocess.args(["-E", "-include", name, "-x", "c", "/dev/null"]).output();
    let is_found = found.is_ok_and(|output| output.status.success());
    (!is_found).then(|| Missing { what: format!("{name} (the headers of the C library)"), package })
}

/// The headers of OpenSSL, as pkg-config finds them.
fn openssl() -> Option<Missing> {
    let found = program::command("pkg-config").args(["--exists", "openssl"]).status();
    let is_installed = found.is_ok_and(|status| status.success());
    let what = || "OpenSSL's development files with pkg-config (TLS of librdkafka)".to_owned();
    (!is_installed).then(|| Missing { what: what(), package: "pkg-config libssl-dev" })
}

/// A Java that is too old, or none.
fn java() -> Option<Missing> {
    let output = program::command("java").arg("-version").output().ok();
    let version = output.map(|output| version(&String::from_utf8_lossy(&output.stderr)));
    let installed = match version {
        Some(Some(version)) if version >= JAVA => return None,
        Some(Some(version)) => format!("; this is Java {version}"),
        Some(None) => "; `java -version` shows no version".to_owned(),
        None => String::new(),
    };
    let what = format!("java (runs Kafka, {JAVA} or later{installed})");
    Some(Missing { what, package: "openjdk-17-jre-headless" })
}

/// The major version in the output of `java -version`: `"17.0.15"`, or `"1.8.0"` for 8.
fn version(text: &str) -> Option<u32> {
    let mut numbers = text.split('"').nth(1)?.split(['.', '-', '+', '_']);
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_versions_are_read() {
        assert_eq!(version("openjdk version \"17.0.15\" 2025-04-15\nOpenJDK"), Some(17));
        assert_eq!(version("java version \"1.8.0_292\""), Some(8));
        assert_eq!(version("openjdk version \"25-ea\" 2025-09-16"), Some(25));
        assert_eq!(version("no such thing"), None);
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let missing = program("no-such-program-anywhere", "does nothing", "nothing").unwrap();
        assert_eq!((&*missing.what, missing.package), ("no-such-program-anywhere (does nothing)", "nothing"));
        assert_eq!(program("sh", "runs scripts", "dash"), None);
        assert_eq!(header("no-such-header.h", "nothing").unwrap().package, "nothing");
        assert_eq!(compiler("compiles"), None);
    }

    #[test]
    fn no_program_is_needed_where_nothing_is_started() {
        check(Plan::default()).unwrap();
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(Plan::of_servers(scratch.path(), false, false), Plan::default());
        let plan = Plan::of_servers(scratch.path(), true, true);
        assert_eq!(plan.kafka, Some(Download::Needed));
    }
}
