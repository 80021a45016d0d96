//! How the brokers of the tests start: some hundred of them, each for seconds, so that starting is most of their work.
//!
//! Java gets the archive of Kafka's loaded classes, which one broker writes for all, and only its quick compiler: 3.6 s of CPU a
//! broker in place of 7.5 s, measured on two cores. It changes nothing of what a broker does.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::program::{Role, arb};
use super::stack::port_pair;
use super::{root, wait_for};

/// Read by every Java that starts.
const OPTIONS: &str = "JDK_JAVA_OPTIONS";

/// Starts a broker on a folder and waits until it answers.
pub(crate) fn start(folder: &Path, port: u16) -> Role {
    static ARCHIVE: OnceLock<PathBuf> = OnceLock::new();
    let archive = ARCHIVE.get_or_init(archive);
    launch(folder, port, &format!("-XX:TieredStopAtLevel=1 -XX:SharedArchiveFile={}", archive.display()))
}

fn launch(folder: &Path, port: u16, options: &str) -> Role {
    // The home of the repository, so that Kafka is fetched once for all.
    let (data, home) = (folder.join("kafka"), root().join(".arb"));
    let (data, home) = (data.display().to_string(), home.display().to_string());
    let arguments = ["--port", &port.to_string(), "--data", &data, "--home", &home];
    let mut command = arb();
    command.env(OPTIONS, options);
    let mut kafka = Role::start_in(command, "kafka", &arguments, &folder.join("kafka.log"));
    wait_for("Kafka answers", || {
        kafka.assert_runs();
        TcpStream::connect(("127.0.0.1", port)).ok()
    });
    kafka
}

/// The archive; the first broker that is started writes it when it ends.
fn archive() -> PathBuf {
    let archive = root().join(".arb/kafka-4.3.0-classes.jsa");
    if !archive.exists() {
        let scratch = tempfile::tempdir().unwrap();
        let written = scratch.path().join("classes.jsa");
        launch(scratch.path(), port_pair(), &format!("-XX:ArchiveClassesAtExit={}", written.display()))
            .stop();
        // Another process of the suite may do the same: whole or not at all.
        let copied = archive.with_extension(std::process::id().to_string());
        fs::copy(written, &copied).unwrap();
        fs::rename(copied, &archive).unwrap();
    }
    archive
}
