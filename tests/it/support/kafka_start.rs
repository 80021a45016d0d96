//! How the brokers of the tests start: the one that most tests share, and those of tests that kill or freeze theirs, each for seconds, so
//! that starting is most of their work.
//!
//! Java gets the archive of Kafka's loaded classes, which one broker writes for all, and only its quick compiler: 3.6 s of CPU a
//! broker in place of 7.5 s, measured on two cores. A new folder is a copy of one that is formatted, which saves a Java process of
//! 0.7 s. The broker of all tests has the quick compiler too: over fifty tests of four minutes it took 105 s of CPU in place of 136 s. It changes
//! nothing of what a broker does.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::{Signal, kill_process};

use super::ports::port_pair;
use super::program::{Role, arb};
use super::shared::Shared;
use super::{home, wait_for};

/// Read by every Java that starts.
const OPTIONS: &str = "JDK_JAVA_OPTIONS";
/// Java with its quick compiler alone.
const QUICK: &str = "-XX:TieredStopAtLevel=1";

/// Files of a formatted folder, which no broker changes.
const FORMATTED: [&str; 3] = [
    "meta.properties",
    "bootstrap.checkpoint",
    "__cluster_metadata-0/00000000000000000000-0000000000.checkpoint",
];

/// Starts a broker on a folder and waits until it answers.
pub(crate) fn start(folder: &Path, port: u16) -> Role {
    format(folder);
    launch(folder, port, &quick(&prepared().classes))
}

/// The broker that all tests share.
pub(crate) fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    let start = |data: &Path, port| {
        format(data);
        command(data, port, &quick(&prepared().classes))
    };
    SHARED.get_or_init(|| {
        Shared::find("kafka", port_pair, start, |port| TcpStream::connect(("127.0.0.1", port)).is_ok())
    })
}

/// Formats a folder that is new.
fn format(folder: &Path) {
    let log = folder.join("kafka/log");
    if !log.exists() {
        copy_formatted(&prepared().formatted, &log);
    }
}

/// Lets a command's Kafka start so too.
pub(crate) fn quicken(command: &mut Command) {
    command.env(OPTIONS, quick(&prepared().classes));
}

fn quick(classes: &Path) -> String {
    format!("{QUICK} {}", archive(classes))
}

fn archive(classes: &Path) -> String {
    format!("-XX:SharedArchiveFile={}", classes.display())
}

fn prepared() -> &'static Prepared {
    static PREPARED: OnceLock<Prepared> = OnceLock::new();
    PREPARED.get_or_init(Prepared::get)
}

fn copy_formatted(from: &Path, to: &Path) {
    for file in FORMATTED {
        let to = to.join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from.join(file), to).unwrap();
    }
}

fn launch(folder: &Path, port: u16, options: &str) -> Role {
    let mut kafka = Role::spawn(&mut command(folder, port, options), &folder.join("kafka.log"));
    wait_for("Kafka answers", || {
        kafka.assert_runs();
        TcpStream::connect(("127.0.0.1", port)).ok()
    });
    kafka
}

/// `arb kafka` on a folder, which ends when its standard input does.
fn command(folder: &Path, port: u16, options: &str) -> Command {
    let mut command = arb();
    command.env(OPTIONS, options).args(["kafka", "--child", "--port", &port.to_string(), "--data"]);
    // The home of the repository, so that Kafka is fetched once for all.
    command.arg(folder.join("kafka")).arg("--home").arg(home());
    command
}

/// What one broker leaves for all others.
struct Prepared {
    /// The archive of classes.
    classes: PathBuf,
    /// A folder as it is formatted, by a Java process of its own. It names another port of the controller, which corrects that itself.
    formatted: PathBuf,
}

impl Prepared {
    fn get() -> Self {
        let home = home();
        let prepared = Self {
            classes: home.join("kafka-4.3.0-classes.jsa"),
            formatted: home.join("kafka-4.3.0-formatted"),
        };
        if !(prepared.classes.exists() && prepared.formatted.exists()) {
            prepared.make();
        }
        prepared
    }

    fn make(&self) {
        let scratch = tempfile::tempdir().unwrap();
        let written = scratch.path().join("classes.jsa");
        let mut broker =
            launch(scratch.path(), port_pair(), &format!("-XX:ArchiveClassesAtExit={}", written.display()));
        // Another process of the suite may do the same: whole or not at all.
        let unique = |path: &Path| path.with_extension(std::process::id().to_string());
        copy_formatted(&scratch.path().join("kafka/log"), &unique(&self.formatted));
        if fs::rename(unique(&self.formatted), &self.formatted).is_err() {
            fs::remove_dir_all(unique(&self.formatted)).unwrap();
        }
        // By its own means, however long the archive takes: `arb kafka` would end it by force after some time.
        kill_process(broker.server(), Signal::TERM).unwrap();
        wait_for("Kafka has written its classes", || broker.died().then_some(()));
        fs::copy(written, unique(&self.classes)).unwrap();
        fs::rename(unique(&self.classes), &self.classes).unwrap();
    }
}
