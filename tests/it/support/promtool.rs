//! Prometheus' own checker: that of the machine, or Debian's package, fetched once without being installed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::{home, root};

/// Runs it with arguments and an input; it must be content.
pub(crate) fn promtool(arguments: &[&str], input: &str) {
    let mut command = Command::new(program());
    command.current_dir(root()).args(arguments).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "promtool {arguments:?}: {text}");
}

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let mut places = std::env::split_paths(&paths).map(|path| path.join("promtool"));
        places.find(|path| path.is_file()).unwrap_or_else(fetched)
    })
}

/// In `.arb`, where downloads lie.
fn fetched() -> PathBuf {
    let home = home();
    let folder = home.join("prometheus");
    let program = folder.join("usr/bin/promtool");
    if !program.is_file() {
        // Beside its place, so that half of it is never taken for all.
        let scratch = tempfile::tempdir_in(&home).unwrap();
        let scratch_path = scratch.path().display();
        let script = format!(
            "cd {scratch_path} && (apt-get download prometheus || (apt-get update && apt-get download prometheus)) \
             && dpkg-deb -x prometheus_*.deb unpacked"
        );
        let fetched = Command::new("sh").args(["-c", &script]).output();
        let output = fetched.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        // Another test may have been faster.
        let _ = std::fs::rename(scratch.path().join("unpacked"), &folder);
        assert!(
            program.is_file(),
            "promtool is needed and could not be fetched; install Prometheus (on Debian: apt-get install prometheus): \
             {output:?}"
        );
    }
    program
}
