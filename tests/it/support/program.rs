//! The program under test, run as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::wait::{comes_true, wait_for};
use super::{PATIENCE, durations, root};

const BINARY: &str = env!("CARGO_BIN_EXE_arb-under-test");
const BENCH: &str = env!("CARGO_BIN_EXE_bench-under-test");

/// The argument of a role by which its group waits as long for it as it does when shipped: of one test for each kind of takeover.
pub(crate) const SHIPPED_SESSION: &str = "--kafka-session-ms=6000";

/// The program, run from the root of the repository, in an environment without addresses of Kafka and
/// ClickHouse. Roles serve their metrics at free ports: many run at one time.
pub(crate) fn arb() -> Command {
    program(BINARY)
}

/// The benchmarks, in the same environment.
pub(crate) fn bench() -> Command {
    program(BENCH)
}

fn program(binary: &str) -> Command {
    durations::note();
    let mut command = Command::new(binary);
    command.current_dir(root()).env_remove("RUST_LOG");
    for name in ["URL", "WRITER_PASSWORD", "MIGRATOR_PASSWORD", "ANALYST_PASSWORD", "ADMIN_PASSWORD"] {
        command.env_remove(format!("CLICKHOUSE_{name}"));
    }
    command.env_remove("CLICKHOUSE_CA");
    let kafka = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in kafka.filter(|name| name.starts_with("KAFKA_")) {
        command.env_remove(name);
    }
    // No load balancer is in front of the API, except in the tests that say so.
    command.env("ARB_ADMIN_LISTEN", "127.0.0.1:0").env("ARB_ADMIN_PORT", "0").env("ARB_DRAIN_MS", "0");
    // A takeover takes as long as a group waits for its former owner, and an owner that stands still for longer ends: a busy machine stands
    // still for a second and more.
    command.env("KAFKA_SESSION_MS", "3000");
    // One on every machine, except in the tests that ask for more: each is a member of the group, with clients of its own.
    command.env("ARB_PROCESS_WORKERS", "1");
    command
}

/// The output of a run.
pub(crate) struct RunOutput {
    pub(crate) success: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> RunOutput {
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    RunOutput { success: status.success(), out: text(stdout), err: text(stderr) }
}

/// The last lines of a log that are shown, as one text.
pub(crate) fn last_lines(log: &str, most: usize, is_shown: impl Fn(&str) -> bool) -> String {
    let lines: Vec<_> = log.lines().filter(|line| is_shown(line)).collect();
    lines[lines.len().saturating_sub(most)..].join("\n")
}

/// A role that runs until this is dropped: its standard input is then closed, and it ends by itself.
pub(crate) struct Role {
    child: Child,
    log: PathBuf,
    /// Where what it logs begins: a role that ran before it may have the same file.
    log_begin: usize,
}

impl Role {
    /// Starts a role; what it logs goes to a file.
    pub(crate) fn start(role: &str, arguments: &[&str], log: &Path) -> Self {
        Self::start_in(arb(), role, arguments, log)
    }

    /// The same in a separate environment.
    pub(crate) fn start_in(mut command: Command, role: &str, arguments: &[&str], log: &Path) -> Self {
        Self::spawn(command.arg(role).arg("--child").args(arguments), log)
    }

    /// Starts a command that is one of a role.
    pub(crate) fn spawn(command: &mut Command, log: &Path) -> Self {
        let file = std::fs::File::options().create(true).append(true).open(log).unwrap();
        let log_begin = usize::try_from(file.metadata().unwrap().len()).unwrap();
        let child = command.stdin(Stdio::piped()).stdout(file.try_clone().unwrap()).stderr(file).spawn();
        Self { child: child.unwrap(), log: log.to_owned(), log_begin }
    }

    /// Fails when it has ended, with its output.
    pub(crate) fn assert_runs(&mut self) {
        let ended = self.child.try_wait().unwrap();
        assert!(ended.is_none(), "{}", std::fs::read_to_string(&self.log).unwrap());
    }

    /// Whether it has logged a text.
    pub(crate) fn has_logged(&self, text: &str) -> bool {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap()[self.log_begin..]).contains(text)
    }

    /// Waits until it has its partitions: before that it answers no command.
    pub(crate) fn wait_for_partitions(&mut self) {
        wait_for("the partitions are taken", || {
            // One that is to be killed may have been as soon as it had them.
            let is_owner = self.has_logged("partitions taken");
            if !is_owner {
                self.assert_runs();
            }
            is_owner.then_some(())
        });
    }

    /// Whether it has ended.
    pub(crate) fn died(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Whether it is stopped by a signal.
    pub(crate) fn is_frozen(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // The state follows the name, which may have a bracket in it: `proc_pid_stat(5)`.
        stat.rsplit_once(") ").unwrap().1.starts_with('T')
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// The process's id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The server that a role runs as its child process: Kafka of `arb kafka`, ClickHouse of `arb clickhouse`.
    pub(crate) fn server(&self) -> Pid {
        let parent = self.id();
        let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap();
        Pid::from_raw(children.split_whitespace().next().unwrap().parse().unwrap()).unwrap()
    }

    /// Ends it with -9.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it in good order.
    pub(crate) fn stop(&mut self) {
        assert!(
            self.end(),
            "{} did not end: {}",
            self.child.id(),
            std::fs::read_to_string(&self.log).unwrap()
        );
    }

    /// Closes its standard input and waits; whether that was enough.
    fn end(&mut self) -> bool {
        drop(self.child.stdin.take());
        let has_ended = comes_true(PATIENCE, || self.died());
        if !has_ended {
            self.kill();
        }
        has_ended
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        self.end();
    }
}
