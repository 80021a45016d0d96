//! What was measured on: the machine, how busy others kept it, and the versions of what matters.
//!
//! It never fails: what the system does not report is left out.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde::Serialize;

use super::meter::Watch;

/// How the program was built, where `deploy/build-release.sh` did it.
const BUILD: Option<&str> = option_env!("ARB_BUILD");
/// The compiler's version is the one in the toolchain file.
const TOOLCHAIN: &str = include_str!("../../../rust-toolchain.toml");
/// Cores in use by others, of each core, above which figures are of a machine that does something else too.
const BUSY: f64 = 0.1;
/// The system counts CPU time in hundredths of a second (`USER_HZ`, which is 100 on all of Linux's architectures but two).
const TICKS: f64 = 100.0;
/// Columns of `/proc/stat` in which no process of this machine runs: idle, iowait.
const IDLE: [usize; 2] = [3, 4];
/// User, nice, system, idle, iowait, irq, softirq, steal; what follows is counted in user and nice already.
const COLUMNS: usize = 8;

/// A machine, as it is at the start.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    /// Of the first core, from the nearest on: level, kind, size.
    pub(crate) caches: Vec<String>,
    pub(crate) memory_mib: u64,
    pub(crate) kernel: String,
    /// Cores that others used, before anything was measured: the load average would still contain an earlier measurement.
    pub(crate) others: f64,
    /// Others use it too.
    pub(crate) is_busy: bool,
    /// Name and version.
    pub(crate) versions: Vec<(&'static str, String)>,
}

impl Machine {
    /// This one, now; what others use is measured for some time.
    pub(crate) fn here(over: Duration) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let others = others(over);
        Self {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores,
            caches: caches(),
            memory_mib: memory().unwrap_or_default(),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            others,
            is_busy: others > BUSY * cores as f64,
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
    versions.extend(BUILD.map(|build| ("build", build.to_owned())));
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

/// The cores that were in use for some time, less what this process used: it has no children yet.
fn others(over: Duration) -> f64 {
    let (before, watch) = (busy(), Watch::start());
    sleep(over);
    let (wall, own) = watch.elapsed();
    let all = (busy() - before) / wall.as_secs_f64();
    (all - own.as_secs_f64() / wall.as_secs_f64()).max(0.0)
}

/// Seconds that all cores have been in use since the start of the system, stolen ones included.
fn busy() -> f64 {
    let text = read("/proc/stat");
    let line = text.lines().next().unwrap_or_default();
    let columns = line.split_whitespace().skip(1).take(COLUMNS).enumerate();
    let in_use = columns.filter(|(column, _)| !IDLE.contains(column));
    in_use.filter_map(|(_, ticks)| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

fn caches() -> Vec<String> {
    let cache = |index: u32| {
        let of = |name| {
            let text = read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}"));
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let kind = match of("type")?.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        Some(format!("L{}{kind} {}", of("level")?, of("size")?))
    };
    (0..).map_while(cache).collect()
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
        let machine = Machine::here(Duration::from_millis(1));
        assert!(machine.cores > 0 && machine.memory_mib > 0 && !machine.cpu.is_empty(), "{machine:?}");
        assert!(toolchain().starts_with("1."), "{}", toolchain());
    }

    #[test]
    fn what_this_process_does_is_not_others() {
        let before = busy();
        let watch = Watch::start();
        while watch.elapsed().1 < Duration::from_millis(50) {
            std::hint::black_box(0);
        }
        assert!(busy() > before && others(Duration::from_millis(1)) >= 0.0);
    }
}
