//! Node with the packages of a folder of `tests`, which npm installs once into the home folder of the repository.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::{home, root};

/// Held by the test that installs the packages.
static FETCHING: Mutex<()> = Mutex::new(());

/// The folder of the scripts with all that they need.
pub(crate) fn folder() -> PathBuf {
    prepared("node")
}

/// The folder of Lighthouse, beside the scripts that it shares.
pub(crate) fn lighthouse() -> PathBuf {
    prepared("node");
    prepared("node/lighthouse")
}

/// The folder of types and of a client of an OpenAPI document.
pub(crate) fn openapi() -> PathBuf {
    prepared("node/openapi")
}

/// A folder of `tests` with the packages that its lock file names.
fn prepared(name: &str) -> PathBuf {
    let _fetching = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
    let (from, folder) = (root().join("tests").join(name), home().join(name));
    let (lock, whole) = ("package-lock.json", folder.join("whole"));
    let wanted = fs::read(from.join(lock)).unwrap();
    let is_there = fs::read(&whole).is_ok_and(|found| found == wanted);
    fs::create_dir_all(&folder).unwrap();
    for file in fs::read_dir(&from).unwrap().map(Result::unwrap) {
        // A folder in it is a package of its own.
        if file.file_type().unwrap().is_file() {
            put(&file.path(), &folder.join(file.file_name()));
        }
    }
    if !is_there {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder);
        let output = npm.output().expect("npm is there (on Debian: apt-get install npm)");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::write(whole, wanted).unwrap();
    }
    folder
}

/// Copies a file where it differs, whole or not at all: the script of another test that runs may read it meanwhile.
fn put(from: &Path, to: &Path) {
    let wanted = fs::read(from).unwrap();
    if fs::read(to).is_ok_and(|found| found == wanted) {
        return;
    }
    let unique = to.with_extension(std::process::id().to_string());
    fs::write(&unique, wanted).unwrap();
    fs::rename(unique, to).unwrap();
}

/// The output of a module's text for an input; it must succeed.
pub(crate) fn run(script: &str, input: &str) -> String {
    run_in(&folder(), script, input)
}

/// The same with the official parser of AsyncAPI documents.
pub(crate) fn run_with_asyncapi(script: &str, input: &str) -> String {
    run_in(&prepared("asyncapi"), script, input)
}

fn run_in(folder: &Path, script: &str, input: &str) -> String {
    let mut command = Command::new("node");
    command.args(["--input-type=module", "--eval", script]).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("node is there");
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
