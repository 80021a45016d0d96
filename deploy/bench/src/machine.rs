//! What was measured on: the machine, how busy it was, and the versions of what matters.
//!
//! It never fails: what the system does not report is left out.

use std::fs;

use serde::Serialize;

/// The compiler's version is the one in the toolchain file.
const TOOLCHAIN: &str = include_str!("../../../rust-toolchain.toml");
/// Load average a core above which figures are of a machine that does something else too.
const BUSY: f64 = 0.2;

/// A machine, as it is at the start.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) memory_mib: u64,
    pub(crate) kernel: String,
    /// The load average of the last minute.
    pub(crate) load: f64,
    /// Others use it too.
    pub(crate) is_busy: bool,
    /// Name and version.
    pub(crate) versions: Vec<(&'static str, String)>,
}

impl Machine {
    /// This one, now.
    pub(crate) fn here() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let load = load();
        Self {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores,
            memory_mib: memory().unwrap_or_default(),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            load,
            is_busy: load > BUSY * cores as f64,
            versions: versions(),
        }
    }
}

fn versions() -> Vec<(&'static str, String)> {
    let mut versions = vec![
        ("arb", env!("CARGO_PKG_VERSION").to_owned()),
        ("Rust", toolchain()),
        ("Kafka", arb_setup::kafka::VERSION.to_owned()),
        ("ClickHouse", arb_setup::clickhouse::VERSION.to_owned()),
    ];
    versions.extend(commit().map(|commit| ("commit", commit)));
    versions
}

fn toolchain() -> String {
    let line = TOOLCHAIN.lines().find_map(|line| line.strip_prefix("channel = "));
    line.unwrap_or_default().trim_matches('"').to_owned()
}

/// The commit of the sources, where this is run beside them.
fn commit() -> Option<String> {
    let output = arb_setup::program::command("git")
        .args(["describe", "--always", "--dirty", "--exclude=*"])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn load() -> f64 {
    let text = read("/proc/loadavg");
    text.split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or_default()
}

fn memory() -> Option<u64> {
    let kib: u64 = field("/proc/meminfo", "MemTotal")?.strip_suffix(" kB")?.parse().ok()?;
    Some(kib / 1024)
}

/// The first value of a name in a file of `name: value` lines.
fn field(path: &str, name: &str) -> Option<String> {
    let text = read(path);
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_says_what_it_is() {
        let machine = Machine::here();
        assert!(machine.cores > 0 && machine.memory_mib > 0 && !machine.cpu.is_empty(), "{machine:?}");
        assert!(toolchain().starts_with("1."), "{}", toolchain());
    }
}
