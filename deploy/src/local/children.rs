//! The child processes of `arb up` and of benchmarks: roles of this binary.
//!
//! A role that exits is restarted (`super::restart` decides when): its committed work is in Kafka,
//! acknowledged rows are on ClickHouse's disk, and nothing else needs to be kept. It never leaves a process
//! behind: they are ended in the reverse order of their start, each with a time budget.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb_runtime::stop::Stop;
use arb_setup::terminal;
use tempfile::TempDir;

use super::restart::{End, History, LASTING, Next};
use super::role_log::RoleLogs;
use super::{disk, tool};
use crate::cli::{LogFormat, secrets};

/// How long a child may take to end by itself; Kafka's own budget is 20 s.
const END: Duration = Duration::from_secs(25);
/// How long one may take to answer.
const ANSWER: Duration = Duration::from_mins(3);
const POLL: Duration = Duration::from_millis(50);

/// Those that run, in the order of their start.
pub struct Children {
    running: Vec<Running>,
    launcher: Launcher,
    /// Where each leaves the sentence of its error, and what it stores.
    folder: TempDir,
}

/// The command line of a role.
struct Launcher {
    prefix: &'static [&'static str],
    log_format: LogFormat,
    /// Where they log; `None` is this process's standard error.
    logs: Option<RoleLogs>,
}

/// One of them.
struct Running {
    role: String,
    arguments: Vec<String>,
    error_file: PathBuf,
    life: RoleState,
    history: History,
}

/// What a role does now.
enum RoleState {
    /// It runs since then.
    Running(Child, Instant),
    /// It is started again then.
    Paused(Instant),
    /// It is started again once its disk is not full any more.
    NoRoom,
    /// It has done all that it was asked for.
    Complete,
}

impl Children {
    /// None yet; all will log in this format. Where this binary is not `arb`, it becomes it by the words of `prefix`.
    ///
    /// # Errors
    /// When there is no temporary folder.
    pub fn new(prefix: &'static [&'static str], log_format: LogFormat) -> anyhow::Result<Self> {
        let launcher = Launcher { prefix, log_format, logs: None };
        Ok(Self { running: Vec::new(), launcher, folder: tempfile::tempdir()? })
    }

    /// The same, with a file for what each logs.
    pub(crate) fn with_logs(mut self, logs: RoleLogs) -> Self {
        self.launcher.logs = Some(logs);
        self
    }

    /// A folder for what they store. It is removed when this is dropped, so they must have ended before.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts a role of this binary.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(&mut self, role: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let (role, arguments) =
            (role.to_owned(), arguments.iter().map(ToString::to_string).collect::<Vec<_>>());
        let error_file = self.folder.path().join(&role).with_extension("error");
        let child = self.launcher.spawn(&role, &arguments, &error_file)?;
        let life = RoleState::Running(child, Instant::now());
        self.running.push(Running { role, arguments, error_file, life, history: History::default() });
        Ok(())
    }

    /// Restarts the processes that have exited; fails when one has a permanent error.
    pub(crate) fn check(&mut self) -> anyhow::Result<()> {
        let waits = self.trouble().is_some();
        self.running.iter_mut().try_for_each(|running| running.check(&self.launcher, waits))
    }

    /// Waits for a condition, unless an error is permanent or the shutdown signal comes.
    ///
    /// # Errors
    /// When a role has an error that lasts, after the shutdown signal, and when it takes too long.
    pub fn wait(&mut self, stop: &Stop, what: &str, is_there: impl Fn() -> bool) -> anyhow::Result<()> {
        let deadline = Instant::now() + ANSWER;
        while !is_there() {
            self.check()?;
            if stop.wait(POLL) {
                bail!("stopped while waiting for {what}");
            }
            if Instant::now() > deadline {
                bail!("{what} did not answer within {} s", ANSWER.as_secs());
            }
        }
        Ok(())
    }

    /// What stands still, and why.
    fn trouble(&self) -> Option<String> {
        let waiting = self.running.iter().find(|running| matches!(running.life, RoleState::NoRoom))?;
        Some(format!("{} waits for room on its disk", waiting.role))
    }

    /// Waits for the shutdown signal; `each_second` is called meanwhile, with what stands still.
    pub(crate) fn watch(
        &mut self,
        stop: &Stop,
        mut each_second: impl FnMut(Option<String>),
    ) -> anyhow::Result<()> {
        let mut next = Instant::now();
        while !stop.wait(POLL) {
            self.check()?;
            if Instant::now() >= next {
                each_second(self.trouble());
                next = Instant::now() + Duration::from_secs(1);
            }
        }
        Ok(())
    }

    /// Ends all of them.
    pub fn stop(&mut self) {
        while self.stop_last() {}
    }

    /// Ends the process that was started last; returns whether there was one.
    pub fn stop_last(&mut self) -> bool {
        let Some(Running { role, life, .. }) = self.running.pop() else { return false };
        let RoleState::Running(mut child, _) = life else { return true };
        // A closed standard input is the shutdown signal.
        drop(child.stdin.take());
        let deadline = Instant::now() + END;
        while child.try_wait().is_ok_and(|status| status.is_none()) {
            if Instant::now() > deadline {
                terminal::print(&format!("{role} did not end within {} s and is killed", END.as_secs()));
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }
}

impl Running {
    /// `waits` says that another one stands still, which may be why this one ends.
    fn check(&mut self, launcher: &Launcher, waits: bool) -> anyhow::Result<()> {
        match &mut self.life {
            RoleState::Complete => {}
            RoleState::Paused(until) if Instant::now() < *until => {}
            RoleState::Paused(_) => self.start_again(launcher)?,
            RoleState::NoRoom if !data(&self.arguments).is_some_and(disk::has_room) => {}
            RoleState::NoRoom => {
                terminal::print(&format!("there is room again: {} is started", self.role));
                self.start_again(launcher)?;
            }
            RoleState::Running(child, started) => {
                if let Some(status) = child.try_wait()? {
                    let lived = started.elapsed();
                    self.ended(launcher, (status, lived), waits)?;
                }
            }
        }
        Ok(())
    }

    fn start_again(&mut self, launcher: &Launcher) -> anyhow::Result<()> {
        let child = launcher.spawn(&self.role, &self.arguments, &self.error_file)?;
        self.life = RoleState::Running(child, Instant::now());
        Ok(())
    }

    fn ended(
        &mut self,
        launcher: &Launcher,
        (status, lived): (ExitStatus, Duration),
        waits: bool,
    ) -> anyhow::Result<()> {
        let role = &self.role;
        if let Some(problem) = data(&self.arguments).and_then(disk::problem) {
            let room = disk::ROOM_MIB;
            terminal::print(&format!(
                "{role} ended: {problem}. It is started again once {room} MiB are free"
            ));
            self.life = RoleState::NoRoom;
            return Ok(());
        }
        if status.success() && self.may_complete() {
            self.life = RoleState::Complete;
            return Ok(());
        }
        let end = end(status, &self.error_file);
        let how = match &end {
            End::FromOutside => format!("ended with {status} and"),
            End::Error(sentence) => format!("ended: {}; it", in_one_line(sentence)),
        };
        match self.history.ended(if waits { End::FromOutside } else { end }, lived) {
            Next::StartAfter(pause) => {
                let (seconds, log) = (pause.as_secs_f32(), launcher.place(role));
                terminal::print(&format!("{role} {how} is started again in {seconds:.1} s{log}"));
                self.life = RoleState::Paused(Instant::now() + pause);
                Ok(())
            }
            Next::GiveUp(error) => {
                self.life = RoleState::Complete;
                bail!(
                    "{role} ended {LASTING} times in a row soon after its start, each time with: {error}. Correct \
                     that and start this again: topics, tables and keys are kept"
                )
            }
        }
    }

    /// Whether this role is done when it ends without an error: what feeds a recording or a part of a market.
    fn may_complete(&self) -> bool {
        let is_finite = |word: &String| ["--replay=", "--until="].iter().any(|start| word.starts_with(start));
        self.role == "ingest" && self.arguments.iter().any(is_finite)
    }
}

/// The folder of a server's data, by its arguments.
fn data(arguments: &[String]) -> Option<&Path> {
    arguments.iter().skip_while(|word| *word != "--data").nth(1).map(Path::new)
}

/// A sentence of several lines as one.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How a role ended, by its status and the sentence that it left.
fn end(status: ExitStatus, error_file: &Path) -> End {
    let is_signal = status.signal().is_some() || status.code().is_some_and(tool::is_signal);
    if status.success() || is_signal {
        return End::FromOutside;
    }
    let sentence = std::fs::read_to_string(error_file).unwrap_or_default();
    End::Error(if sentence.is_empty() { status.to_string() } else { sentence })
}

impl Launcher {
    /// Where the log of a role is, for the end of a line.
    fn place(&self, role: &str) -> String {
        self.logs.as_ref().map_or_else(String::new, |logs| format!(" (log: {})", logs.path(role).display()))
    }

    fn spawn(&self, role: &str, arguments: &[String], error_file: &Path) -> anyhow::Result<Child> {
        let binary = std::env::current_exe().context("the path of this program")?;
        // What an earlier life left is not this one's.
        let _ = std::fs::remove_file(error_file);
        let mut command = Command::new(binary);
        command.args(self.prefix).arg(role).args(["--log-format", self.log_format.key()]);
        command.arg("--error-file").arg(error_file).args(arguments).stdin(Stdio::piped());
        secrets::hide(&mut command, role);
        if self.logs.is_some() || terminal::is_terminal() {
            command.stderr(Stdio::piped());
        }
        // Out of the terminal's group: Ctrl-C reaches the parent alone.
        let spawned = command.process_group(0).spawn();
        let mut child = spawned.with_context(|| format!("{role} cannot be started"))?;
        if let Some(lines) = child.stderr.take() {
            let (role, logs) = (role.to_owned(), self.logs.clone());
            std::thread::spawn(move || match logs {
                Some(logs) => logs.follow(&role, lines),
                None => print_lines(lines),
            });
        }
        Ok(child)
    }
}

/// Prints what a child logs line by line, so that none runs into the status line, until the child has ended.
fn print_lines(from: impl Read) {
    let mut lines = BufReader::new(from);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        terminal::print(String::from_utf8_lossy(&line).trim_end_matches('\n'));
        line.clear();
    }
}
