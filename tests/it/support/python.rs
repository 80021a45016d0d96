//! Python with the reference libraries, in a virtual environment that is created once.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::root;

/// What is installed; another list is another folder.
const PACKAGES: [&str; 3] = ["numpy==2.4.6", "scipy==1.17.1", "shin==0.2.2"];
/// Of this only a part is used, which needs no more than those above.
const ALONE: &str = "penaltyblog==1.13.1";

/// The output of a script for an input; it must succeed.
pub(crate) fn run(script: &str, input: &str) -> String {
    let mut command = Command::new(interpreter());
    command.args(["-B", "-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn interpreter() -> &'static Path {
    static INTERPRETER: OnceLock<PathBuf> = OnceLock::new();
    INTERPRETER.get_or_init(fetched)
}

/// In `.arb`, where downloads lie.
fn fetched() -> PathBuf {
    let home = root().join(".arb");
    let versions = [PACKAGES.as_slice(), &[ALONE]].concat().join("-").replace("==", "-");
    let folder = home.join(format!("python-{versions}"));
    fs::create_dir_all(&home).unwrap();
    // Before anything else is in it: this makes it a home of the program's, which takes no other.
    fs::write(home.join("arb-home"), "").unwrap();
    // An environment cannot be moved, so another process waits here, and half of one is made again.
    let lock = File::create(home.join("python.lock")).unwrap();
    lock.lock().unwrap();
    let whole = folder.join("whole");
    if !whole.is_file() {
        let _ = fs::remove_dir_all(&folder);
        eprintln!("fetching numpy, scipy, shin and penaltyblog by pip (80 MB, once)");
        make(&folder);
        fs::write(whole, "").unwrap();
    }
    folder.join("bin/python")
}

fn make(folder: &Path) {
    step(
        Command::new("python3").args(["-m", "venv"]).arg(folder),
        "python3 makes no environment: on Debian, apt-get install python3 python3-venv",
    );
    let needed = "pip reaches no package index: let it (PIP_INDEX_URL names another one, HTTPS_PROXY a proxy), then \
                  run this test again";
    let pip = || {
        let mut command = Command::new(folder.join("bin/python"));
        command.args([
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-input",
            "--only-binary=:all:",
        ]);
        command
    };
    step(pip().args(PACKAGES), needed);
    step(pip().args(["--no-deps", ALONE]), needed);
}

/// Runs it to its end; its output is what is seen of the progress.
fn step(command: &mut Command, needed: &str) {
    let status = command.stdin(Stdio::null()).status();
    let ended_well = status.as_ref().is_ok_and(std::process::ExitStatus::success);
    assert!(ended_well, "{needed} ({status:?})");
}
