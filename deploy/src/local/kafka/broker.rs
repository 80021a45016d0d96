//! One Kafka node: its settings, its log folder, its Java process.
//!
//! It never removes its data; the caller removes the folder before the start for an empty one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use anyhow::{Context, anyhow, bail};

use arb_setup::{home, program};

use crate::local::{disk, tool};

/// 16 bytes in base64, the format of the storage tool.
const CLUSTER_ID: &str = "YXJiLWxvY2FsLWthZmthMA";

/// The controller listens beside the broker.
pub(super) fn controller_port(port: u16) -> u16 {
    port.saturating_add(1)
}

/// A broker that runs.
pub(super) struct Broker {
    child: Child,
    data: PathBuf,
    output: PathBuf,
}

impl Broker {
    /// Formats the folder where it is new, and starts the broker.
    pub(super) fn start(libraries: &Path, data: &Path, port: u16) -> anyhow::Result<Self> {
        let at = |path: &Path| path.display().to_string();
        home::make_private(data)?;
        let data = fs::canonicalize(data).with_context(|| at(data))?;
        // Java uses an archive of loaded classes only where their path is that with which it was made.
        let libraries = &fs::canonicalize(libraries).with_context(|| at(libraries))?;
        let (properties, output) = (data.join("server.properties"), data.join("kafka.out"));
        fs::write(&properties, settings(&data, port)).with_context(|| at(&properties))?;
        let log = File::create(&output).with_context(|| at(&output))?;
        if !data.join("log").join("meta.properties").exists() {
            let mut format = java(program::command("java"), libraries, &log)?;
            format.args(["kafka.tools.StorageTool", "format", "--standalone", "-t", CLUSTER_ID, "-c"]);
            if !format.arg(&properties).status().context("java cannot be run")?.success() {
                bail!("Kafka's folder cannot be formatted: {}", last_line(&output));
            }
        }
        // What Java unpacks goes with the data; of a broker that was killed it is left.
        let unpacked = data.join("java");
        if unpacked.exists() {
            fs::remove_dir_all(&unpacked).with_context(|| at(&unpacked))?;
        }
        fs::create_dir(&unpacked).with_context(|| at(&unpacked))?;
        // It ends with this process, so that the next one finds its port and its folder free.
        let mut server = java(tool::run_with_us("java"), libraries, &log)?;
        server.arg(format!("-Djava.io.tmpdir={}", unpacked.display())).arg("kafka.Kafka").arg(&properties);
        let child = server.spawn().context("java cannot be run")?;
        Ok(Self { child, data, output })
    }

    /// Fails when the broker has ended.
    pub(super) fn check(&mut self) -> anyhow::Result<()> {
        if let Some(status) = self.child.try_wait()? {
            let reason = disk::problem(&self.data).unwrap_or_else(|| last_line(&self.output));
            let reason = format!("Kafka ended ({status}): {reason}");
            return Err(match tool::Killed::of("Kafka", status) {
                Some(killed) => anyhow::Error::from(killed).context(reason),
                None => anyhow!(reason),
            });
        }
        Ok(())
    }

    /// Ends it in good order, or by force when that takes too long.
    pub(super) fn stop(self) {
        tool::end(self.child);
    }
}

fn java(mut java: Command, libraries: &Path, log: &File) -> anyhow::Result<Command> {
    java.args(["-Xmx512m", "-XX:+UseSerialGC", "-cp"])
        .arg(libraries.join("*"))
        .stdout(log.try_clone()?)
        .stderr(log.try_clone()?);
    Ok(java)
}

fn settings(data: &Path, port: u16) -> String {
    let (controller, log) = (controller_port(port), data.join("log"));
    format!(
        "process.roles=broker,controller\n\
         node.id=1\n\
         listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}\n\
         advertised.listeners=PLAINTEXT://127.0.0.1:{port}\n\
         controller.listener.names=CONTROLLER\n\
         controller.quorum.bootstrap.servers=127.0.0.1:{controller}\n\
         log.dirs={}\n\
         auto.create.topics.enable=false\n\
         num.partitions=4\n\
         default.replication.factor=1\n\
         offsets.topic.replication.factor=1\n\
         offsets.topic.num.partitions=4\n\
         transaction.state.log.replication.factor=1\n\
         transaction.state.log.min.isr=1\n\
         transaction.state.log.num.partitions=4\n\
         transaction.abort.timed.out.transaction.cleanup.interval.ms=1000\n\
         share.coordinator.state.topic.replication.factor=1\n\
         share.coordinator.state.topic.min.isr=1\n\
         group.initial.rebalance.delay.ms=0\n\
         group.min.session.timeout.ms=1500\n\
         log.segment.bytes=67108864\n",
        log.display()
    )
}

/// The last line that the broker printed.
fn last_line(output: &Path) -> String {
    let text = fs::read_to_string(output).unwrap_or_default();
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("without an error message");
    format!("{last} (all of it in {})", output.display())
}
