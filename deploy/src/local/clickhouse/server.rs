//! One ClickHouse server: its files, its process.
//!
//! It never removes its data; the caller removes the folder before the start for an empty one. The server
//! ends with this process, also when that is killed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, anyhow};
use arb_setup::clickhouse::Program;
use arb_setup::home::{make_private, write_private};
use arb_setup::program;
use arb_store::clickhouse::roles::Role;
use arb_store::clickhouse::users_xml;

use super::config::{self, Ports};
use crate::local::{disk, tool};

/// What keeps the packaged server up: it listens as long as this reads, until standard input is closed. Then it ends in
/// good order: a signal would end it at once, and its next start would note an unclean one.
const LISTEN: &str = "SYSTEM START LISTEN QUERIES ALL; \
                      SELECT * FROM file('stdin', 'LineAsString', 'line String') FORMAT Null";

/// A server that runs.
pub(super) struct Server {
    child: Child,
    folder: PathBuf,
    output: PathBuf,
    /// The packaged one ends when its standard input does, the one of the machine by a signal.
    ends_with_input: bool,
}

impl Server {
    /// Writes its files and starts it.
    pub(super) fn start(
        program: &Program,
        folder: &Path,
        roles: &[(Role, String)],
        ports: Ports,
    ) -> anyhow::Result<Self> {
        make_private(folder)?;
        let folder = fs::canonicalize(folder)?;
        let (users, settings) = (folder.join("users.xml"), folder.join("config.xml"));
        write_private(&users, &users_xml(roles, matches!(program, Program::Packaged(_))))
            .with_context(|| users.display().to_string())?;
        write_private(&settings, &config::xml(&folder, &users, ports))
            .with_context(|| settings.display().to_string())?;
        let output = folder.join("clickhouse.out");
        let log = File::create(&output).with_context(|| output.display().to_string())?;
        let mut command = command(program, &folder, &settings, ports);
        command.current_dir(&folder).stdout(log.try_clone()?).stderr(log);
        let child = command.spawn().context("ClickHouse cannot be started")?;
        Ok(Self { child, folder, output, ends_with_input: matches!(program, Program::Packaged(_)) })
    }

    /// Fails when the server has ended.
    pub(super) fn check(&mut self) -> anyhow::Result<()> {
        if let Some(status) = self.child.try_wait()? {
            let reason = disk::problem(&self.folder).unwrap_or_else(|| reason(&self.output));
            let reason = format!("ClickHouse ended ({status}): {reason}");
            return Err(match tool::Killed::of("ClickHouse", status) {
                Some(killed) => anyhow::Error::from(killed).context(reason),
                None => anyhow!(reason),
            });
        }
        Ok(())
    }

    /// Ends it in good order, or by force when that takes too long.
    pub(super) fn stop(self) {
        if self.ends_with_input {
            tool::end_by_input(self.child);
        } else {
            tool::end(self.child);
        }
    }
}

/// What is run.
fn command(program: &Program, folder: &Path, settings: &Path, ports: Ports) -> Command {
    let config = format!("--config-file={}", settings.display());
    let Program::Packaged(packaged) = program else {
        let mut command = tool::run_with_us("clickhouse");
        command.arg("server").arg(config);
        return command;
    };
    let (library, launcher) = Program::files(packaged);
    let mut command = program::command(&launcher);
    command.stdin(Stdio::piped()).arg(library).arg(config).args([
        format!("--path={}", folder.join("data").display()),
        "--log-level=information".to_owned(),
        format!("--http_port={}", ports.http),
        format!("--tcp_port={}", ports.native),
        "--listen_host=127.0.0.1".to_owned(),
        format!("--query={LISTEN}"),
    ]);
    command
}

/// The first error that the server printed, or its last line.
fn reason(output: &Path) -> String {
    let text = fs::read_to_string(output).unwrap_or_default();
    let error = text.lines().find(|line| line.contains("Exception"));
    let is_message = |line: &&str| !line.trim().is_empty() && !line.starts_with("Logging ");
    let line = error.or_else(|| text.lines().rfind(is_message));
    format!("{} (all of it in {})", line.unwrap_or("without an error message"), output.display())
}
