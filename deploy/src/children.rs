//! The child processes of `arb up` and of `arb bench pipeline`: roles of this binary.
//!
//! Those whose place another process can take are started again when they die: what they had committed is in Kafka,
//! what ClickHouse had acknowledged is on its disk, and nothing else counts. It never leaves one behind: ended in the reverse order of their start, each with a budget.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb_pipeline::stop::Stop;

use crate::cli::{LogFormat, secrets};

/// How long a child may take to end by itself; Kafka's own budget is 20 s.
const END: Duration = Duration::from_secs(25);
/// How long one may take to answer.
const ANSWER: Duration = Duration::from_mins(3);
const LOOK: Duration = Duration::from_millis(50);
/// Roles whose place another process can take.
const RESTARTED: [&str; 4] = ["process", "serve", "clickhouse", "sink"];
/// A life shorter than this is no life: so many in a row, and it is not tried again.
const SHORT: Duration = Duration::from_secs(10);
const SHORT_LIVES: u32 = 3;

/// Those that run, in the order of their start.
pub(crate) struct Children {
    running: Vec<Running>,
    log_format: LogFormat,
}

/// One of them.
struct Running {
    role: String,
    arguments: Vec<String>,
    child: Child,
    started: Instant,
    /// Short lives in a row, before this one.
    short_lives: u32,
}

impl Children {
    /// None yet; all will log in this format.
    pub(crate) fn new(log_format: LogFormat) -> Self {
        Self { running: Vec::new(), log_format }
    }

    /// Starts a role of this binary.
    pub(crate) fn start(&mut self, role: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let (role, arguments) =
            (role.to_owned(), arguments.iter().map(ToString::to_string).collect::<Vec<_>>());
        let child = spawn(&role, &arguments, self.log_format)?;
        self.running.push(Running { role, arguments, child, started: Instant::now(), short_lives: 0 });
        Ok(())
    }

    /// Starts those again that have died and may; fails when another has ended, or one that does not live: only a
    /// feed that is played out may end.
    pub(crate) fn check(&mut self) -> anyhow::Result<()> {
        for running in &mut self.running {
            let Some(status) = running.child.try_wait()? else { continue };
            let role = &running.role;
            if role == "ingest" && status.success() {
                continue;
            }
            running.short_lives = if running.started.elapsed() < SHORT { running.short_lives + 1 } else { 0 };
            // A live source goes on where it was; a recording would begin again.
            let may =
                RESTARTED.contains(&role.as_str()) || running.arguments.iter().any(|word| word == "--live");
            if !may || running.short_lives >= SHORT_LIVES {
                bail!("{role} ended with {status}");
            }
            eprintln!("{role} ended with {status} and is started again");
            running.child = spawn(role, &running.arguments, self.log_format)?;
            running.started = Instant::now();
        }
        Ok(())
    }

    /// Waits for something, as long as all live and nobody wishes the end.
    pub(crate) fn wait(
        &mut self,
        stop: &Stop,
        what: &str,
        is_there: impl Fn() -> bool,
    ) -> anyhow::Result<()> {
        let deadline = Instant::now() + ANSWER;
        while !is_there() {
            self.check()?;
            if stop.wait(LOOK) {
                bail!("stopped while waiting for {what}");
            }
            if Instant::now() > deadline {
                bail!("{what} did not answer within {} s", ANSWER.as_secs());
            }
        }
        Ok(())
    }

    /// Waits until the end is wished.
    pub(crate) fn watch(&mut self, stop: &Stop) -> anyhow::Result<()> {
        while !stop.wait(LOOK) {
            self.check()?;
        }
        Ok(())
    }

    /// Ends all of them.
    pub(crate) fn stop(&mut self) {
        while self.stop_last() {}
    }

    /// Ends the one that was started last; whether there was one.
    pub(crate) fn stop_last(&mut self) -> bool {
        let Some(Running { role, mut child, .. }) = self.running.pop() else { return false };
        // A closed standard input is the wish to end.
        drop(child.stdin.take());
        let deadline = Instant::now() + END;
        while child.try_wait().is_ok_and(|status| status.is_none()) {
            if Instant::now() > deadline {
                eprintln!("{role} did not end within {} s and is killed", END.as_secs());
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }
}

/// Whether an API answers that it is ready.
pub(crate) fn is_ready(listen: SocketAddr) -> bool {
    is_ok(listen, "/readyz")
}

/// Whether an HTTP server answers a path with 200.
pub(crate) fn is_ok(listen: SocketAddr, path: &str) -> bool {
    let mut answer = [0; 12];
    let asked = TcpStream::connect_timeout(&listen, LOOK).and_then(|mut stream| {
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        stream.read_exact(&mut answer)
    });
    asked.is_ok() && &answer == b"HTTP/1.1 200"
}

fn spawn(role: &str, arguments: &[String], log_format: LogFormat) -> anyhow::Result<Child> {
    let binary = std::env::current_exe().context("the path of this program")?;
    let mut command = Command::new(binary);
    command.arg(role).args(["--log-format", log_format.key()]).args(arguments).stdin(Stdio::piped());
    secrets::hide(&mut command, Some(role));
    // Out of the terminal's group: Ctrl-C reaches the parent alone.
    command.process_group(0).spawn().with_context(|| format!("{role} cannot be started"))
}
