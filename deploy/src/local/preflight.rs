//! What must be there before anything is started: one clear sentence for what is not.
//!
//! It never repairs anything.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb_runtime::stop::Stop;

use crate::cli::Child;
use crate::local::tool;

/// How long a port may be kept by a server that ends: the one of a former self that was killed.
const FREE: Duration = Duration::from_secs(20);

/// The oldest Java that Kafka 4.3 runs on.
const JAVA: u32 = 17;

/// The port is free on the loopback interface.
///
/// # Errors
/// When it is not: one sentence.
pub fn port(port: u16, option: &str) -> anyhow::Result<()> {
    address(SocketAddr::from(([127, 0, 0, 1], port)), option)
}

/// The address can be listened on.
pub(crate) fn address(address: SocketAddr, option: &str) -> anyhow::Result<()> {
    match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            bail!("{address} is in use: stop what listens there, or choose another with {option}")
        }
        Err(error) => bail!("{address} cannot be listened on ({error}): choose another with {option}"),
    }
}

/// Waits until ports are free, for a child, whose former self may have been killed and its server may still be ending;
/// false after the shutdown signal.
///
/// # Errors
/// When they are not free in time: one sentence.
pub(crate) fn wait_until_free(
    child: Child,
    stop: &Stop,
    are_free: impl Fn() -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let deadline = Instant::now() + if child.child { FREE } else { Duration::ZERO };
    while let Err(taken) = are_free() {
        if Instant::now() > deadline {
            return Err(taken);
        }
        if stop.wait(Duration::from_millis(100)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A Java that is new enough.
///
/// # Errors
/// When there is none: one sentence.
pub fn java() -> anyhow::Result<()> {
    let advice = "Kafka needs Java 17 or later (on Debian: apt-get install openjdk-17-jre-headless)";
    let output = tool::run("java").arg("-version").output();
    let output = output.with_context(|| format!("java cannot be run: {advice}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    match version(&text) {
        Some(version) if version >= JAVA => Ok(()),
        Some(version) => bail!("this is Java {version}: {advice}"),
        None => bail!("java -version does not say which it is: {advice}"),
    }
}

/// The major version in what `java -version` prints: `"17.0.15"`, or `"1.8.0"` for 8.
fn version(text: &str) -> Option<u32> {
    let mut numbers = text.split('"').nth(1)?.split(['.', '-', '+', '_']);
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        major => Some(major),
    }
}

/// Maven.
pub(crate) fn maven() -> anyhow::Result<()> {
    let advice = "Maven fetches Kafka (on Debian: apt-get install maven)";
    let output = tool::run("mvn").arg("-v").output();
    output.with_context(|| format!("mvn cannot be run: {advice}")).map(drop)
}

/// So many MiB are free on the disk of a folder.
///
/// # Errors
/// When there is less: one sentence.
pub fn disk(folder: &Path, needed_mib: u64) -> anyhow::Result<()> {
    let stat = rustix::fs::statvfs(folder).with_context(|| folder.display().to_string())?;
    let free_mib = stat.f_bavail.saturating_mul(stat.f_frsize) / (1024 * 1024);
    if free_mib < needed_mib {
        bail!(
            "the disk of {} has {free_mib} MiB left and {needed_mib} are needed: free some, or choose another \
             folder with --home",
            folder.display()
        );
    }
    Ok(())
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
    fn a_port_in_use_is_named() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let error = port(address.port(), "--kafka-port").unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{address} is in use")) && error.ends_with("--kafka-port"),
            "{error}"
        );
    }
}
