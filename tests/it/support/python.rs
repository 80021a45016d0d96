//! Python with the reference libraries, in a virtual environment that is created once.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::home;

/// What is installed; another list is another folder.
const PACKAGES: [&str; 3] = ["numpy==2.4.6", "scipy==1.17.1", "shin==0.2.2"];
/// Of this only a part is used, which needs no more than those above.
const ALONE: &str = "penaltyblog==1.13.1";

/// A client of Server-Sent Events, and what it needs.
const SSE_CLIENT: [&str; 2] = ["httpx==0.28.1", "httpx-sse==0.4.3"];

/// An interpreter with a client of Server-Sent Events.
pub(crate) fn sse_client() -> PathBuf {
    prepared(&SSE_CLIENT, &[], "fetching httpx and httpx-sse by pip (1 MB, once)")
}

/// The client of a schema registry, and what it needs.
const AVRO_CLIENT: [&str; 1] = ["confluent-kafka[avro,schemaregistry]==2.13.0"];

/// An interpreter with the official client of Kafka and of a schema registry.
pub(crate) fn avro_client() -> PathBuf {
    prepared(&AVRO_CLIENT, &[], "fetching confluent-kafka by pip (15 MB, once)")
}

/// An interpreter with the library of Standard Webhooks.
pub(crate) fn webhooks() -> PathBuf {
    prepared(&["standardwebhooks==1.1.0"], &[], "fetching standardwebhooks by pip (5 MB, once)")
}

/// An interpreter with validators of OpenAPI documents and of JSON.
pub(crate) fn openapi() -> PathBuf {
    let packages = ["openapi-spec-validator==0.7.2", "jsonschema==4.25.1"];
    prepared(&packages, &[], "fetching openapi-spec-validator by pip (10 MB, once)")
}

/// An interpreter with a generator of clients of OpenAPI documents.
pub(crate) fn openapi_client() -> PathBuf {
    prepared(&["openapi-python-client==0.29.1"], &[], "fetching openapi-python-client by pip (30 MB, once)")
}

/// An interpreter with the official client of the Model Context Protocol.
pub(crate) fn mcp_client() -> PathBuf {
    prepared(&["mcp==2.3.0"], &[], "fetching mcp by pip (20 MB, once)")
}

/// The command of Schemathesis, which makes requests from an OpenAPI document.
pub(crate) fn schemathesis() -> PathBuf {
    let python = prepared(&["schemathesis==4.32.5"], &[], "fetching schemathesis by pip (30 MB, once)");
    python.with_file_name("schemathesis")
}

/// The output of a script for an input; it must succeed.
pub(crate) fn run(script: &str, input: &str) -> String {
    run_with(interpreter(), script, input)
}

/// The same by another interpreter.
pub(crate) fn run_with(interpreter: &Path, script: &str, input: &str) -> String {
    output(command(interpreter, script), input)
}

/// A script to be started.
pub(crate) fn command(interpreter: &Path, script: &str) -> Command {
    let mut command = Command::new(interpreter);
    command.args(["-B", "-c", script]);
    command
}

/// The output of a script with arguments; it must succeed.
pub(crate) fn run_by(interpreter: &Path, script: &str, arguments: &[&str]) -> String {
    let mut command = command(interpreter, script);
    command.args(arguments);
    output(command, "")
}

/// The output of a script that is to be started, for an input; it must succeed.
pub(crate) fn output(mut command: Command, input: &str) -> String {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
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
    let what = "fetching numpy, scipy, shin and penaltyblog by pip (80 MB, once)";
    INTERPRETER.get_or_init(|| prepared(&PACKAGES, &[ALONE], what))
}

/// An environment with packages, and with some whose own needs are not installed; in `.arb`, where downloads lie.
fn prepared(packages: &[&str], alone: &[&str], what: &str) -> PathBuf {
    let home = home();
    let versions = [packages, alone].concat().join("-").replace("==", "-").replace(['[', ']', ','], "-");
    let folder = home.join(format!("python-{versions}"));
    // An environment cannot be moved, so another process waits here, and half of one is made again.
    let lock = File::create(home.join("python.lock")).unwrap();
    lock.lock().unwrap();
    let whole = folder.join("whole");
    if !whole.is_file() {
        let _ = fs::remove_dir_all(&folder);
        eprintln!("{what}");
        make(&folder, packages, alone);
        fs::write(whole, "").unwrap();
    }
    folder.join("bin/python")
}

fn make(folder: &Path, packages: &[&str], alone: &[&str]) {
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
    step(pip().args(packages), needed);
    if !alone.is_empty() {
        step(pip().arg("--no-deps").args(alone), needed);
    }
}

/// Runs it to its end; its output is what is seen of the progress.
fn step(command: &mut Command, needed: &str) {
    let status = command.stdin(Stdio::null()).status();
    let ended_well = status.as_ref().is_ok_and(std::process::ExitStatus::success);
    assert!(ended_well, "{needed} ({status:?})");
}
