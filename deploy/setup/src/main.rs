//! `cargo up`: checks the prerequisites, downloads Kafka and ClickHouse while the product is compiled, and becomes
//! `arb up` with the same arguments.
//!
//! What `arb up` can decide it does not: without this program `arb up` checks and downloads by itself.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Context, bail};
use arb_setup::prerequisites::{self, Download, Plan};
use arb_setup::progress::Report;
use arb_setup::{clickhouse, kafka, program};

/// The cargo profile that starts soonest.
const PROFILE: &str = "up";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match start(&arguments) {
        Ok(never) => match never {},
        Err(error) => {
            eprintln!("arb: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Becomes `arb up`, or fails before.
fn start(arguments: &[OsString]) -> anyhow::Result<std::convert::Infallible> {
    let home = home(arguments);
    let plan = plan(arguments, &home);
    prerequisites::check(plan)?;
    let downloads = download(plan, &home);
    let started = Instant::now();
    compile()?;
    eprintln!("compiled in {:.1} s", started.elapsed().as_secs_f32());
    for download in downloads {
        download.join().map_err(|_| anyhow::anyhow!("a download ended unexpectedly"))??;
    }
    let arb = std::env::current_exe()?.with_file_name("arb");
    let error = program::successor(&arb).arg("up").args(arguments).exec();
    Err(error).with_context(|| format!("{} cannot be run", arb.display()))
}

/// A variable that `arb up` will read as a setting, or that cargo sets for what it runs.
#[expect(clippy::disallowed_methods, reason = "this program runs before the one that has the settings")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// What is needed: no server of our own where the user names one, and none at all for `--help`.
fn plan(arguments: &[OsString], home: &Path) -> Plan {
    let has = |names: &[&str]| {
        arguments
            .iter()
            .filter_map(|argument| argument.to_str())
            .any(|argument| names.iter().any(|name| argument.split('=').next() == Some(name)))
    };
    let starts = !has(&["--help", "-h"]);
    let kafka = starts && !has(&["--brokers"]) && variable("KAFKA_BOOTSTRAP_SERVERS").is_none();
    let clickhouse = starts && !has(&["--clickhouse-url"]) && variable("CLICKHOUSE_URL").is_none();
    Plan { compiles: true, ..Plan::of_servers(home, kafka, clickhouse) }
}

/// The home folder, as `arb up` will read it from its arguments or the environment.
fn home(arguments: &[OsString]) -> PathBuf {
    let following = arguments.iter().skip_while(|word| *word != "--home").nth(1).cloned();
    let inline =
        || arguments.iter().find_map(|word| word.to_str()?.strip_prefix("--home=").map(OsString::from));
    let named = following.or_else(inline).or_else(|| variable("ARB_HOME"));
    named.map_or_else(|| PathBuf::from(".arb"), PathBuf::from)
}

/// Starts what is to be downloaded, beside the compilation.
fn download(plan: Plan, home: &Path) -> Vec<JoinHandle<anyhow::Result<()>>> {
    let mut running = Vec::new();
    if plan.kafka == Some(Download::Needed) {
        let home = home.to_owned();
        running.push(thread::spawn(move || kafka::libraries(&home, Report::AtEnd).map(drop)));
    }
    if plan.clickhouse == Some(Download::Needed) {
        let home = home.to_owned();
        running.push(thread::spawn(move || clickhouse::program(&home, Report::AtEnd).map(drop)));
    }
    running
}

/// Compiles `arb` beside this program.
fn compile() -> anyhow::Result<()> {
    let cargo = variable("CARGO").unwrap_or_else(|| "cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    // Without secrets: build scripts of other people's packages run in it.
    let mut build = program::command(cargo);
    build.args([
        "build",
        "--profile",
        PROFILE,
        "--package",
        "arb",
        "--no-default-features",
        "--manifest-path",
    ]);
    let status = build.arg(root).status().context("cargo cannot be run")?;
    if !status.success() {
        bail!("the product cannot be compiled: cargo's errors are above");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_home_folder_is_the_one_of_the_arguments() {
        assert_eq!(home(&words("--fresh --home there --listen x")), PathBuf::from("there"));
        assert_eq!(home(&words("--home=here")), PathBuf::from("here"));
    }

    #[test]
    fn servers_that_the_user_names_are_not_downloaded() {
        let scratch = tempfile::tempdir().unwrap();
        let plan = plan(&words("--brokers=a:9092 --clickhouse-url http://b:8123"), scratch.path());
        assert_eq!(plan, Plan { compiles: true, ..Plan::default() });
        let help = super::plan(&words("--help"), scratch.path());
        assert_eq!(help, Plan { compiles: true, ..Plan::default() });
    }
}
